//! JSON text that is checked, and taken apart, without reading its values.

use std::borrow::Cow;

use serde_json::{Map, Number, Value};

use super::{after_string, from_str, read::plain_len};

/// The deepest nesting of a [`RawObject`], and of values that brokers store: `serde_json` reads 127 levels, and a record or a line of
/// an export adds some of its own.
pub const MAX_DEPTH: usize = 100;

/// An object as text. Callers parse the values they need.
///
/// ```
/// use osb_catalog::json::RawObject;
///
/// let object = RawObject::read(br#"{ "plan_id": "small", "parameters": { "size": 3 } }"#).unwrap();
/// assert_eq!(object.string("plan_id").as_deref(), Some("small"));
/// assert_eq!(object.get("parameters"), Some(r#"{ "size": 3 }"#));
/// ```
pub struct RawObject<'t> {
    members: Vec<Member<'t>>,
    /// True if all numbers in it are short, whole and not negative, so that `serde_json` reads them exactly.
    is_exact: bool,
}

/// The text of a member: of its name, without the quotes, and of its value.
struct Member<'t> {
    name: &'t str,
    is_escaped: bool,
    value: &'t str,
}

impl Member<'_> {
    fn is_called(&self, name: &str) -> bool {
        self.name == name || self.is_escaped && self.is_written(name)
    }

    /// Compares a name that has escapes: apart, because it would make other names three times as slow.
    #[cold]
    fn is_written(&self, name: &str) -> bool {
        string(&format!("\"{}\"", self.name)).is_some_and(|text| text == name)
    }
}

impl<'t> RawObject<'t> {
    /// Checks a text, and takes it apart. Returns `None` if it isn't JSON as `serde_json` reads it, isn't an object, or is
    /// nested deeper than [`MAX_DEPTH`].
    pub fn read(text: &'t [u8]) -> Option<Self> {
        std::str::from_utf8(text).ok().and_then(Self::read_str)
    }

    /// [`read`](Self::read) for a string.
    pub fn read_str(text: &'t str) -> Option<Self> {
        let mut scanner = Scanner { text, at: 0, depth: 0, is_exact: true };
        let mut members = Vec::with_capacity(8);
        scanner.space();
        (scanner.next()? == b'{').then_some(())?;
        scanner.nested(b'}', |scanner| {
            let start = scanner.at + 1;
            let (end, is_escaped) = scanner.name()?;
            let name = text.get(start..end)?;
            let start = scanner.at;
            scanner.value()?;
            members.push(Member { name, is_escaped, value: text.get(start..scanner.at)? });
            Some(())
        })?;
        scanner.space();
        (scanner.at == text.len()).then_some(Self { members, is_exact: scanner.is_exact })
    }

    /// Returns the text of a member's value. The last member with a name counts.
    pub fn get(&self, name: &str) -> Option<&'t str> {
        self.members.iter().rev().find(|member| member.is_called(name)).map(|member| member.value)
    }

    /// Returns the texts of the items of a member that is an array; `None` if it is missing or another value.
    pub fn items(&self, name: &str) -> Option<Vec<&'t str>> {
        let (text, mut items) = (self.get(name)?, Vec::new());
        let mut scanner = Scanner { text, at: 0, depth: 0, is_exact: true };
        (scanner.next()? == b'[').then_some(())?;
        scanner.nested(b']', |scanner| {
            let start = scanner.at;
            scanner.value()?;
            items.push(text.get(start..scanner.at)?);
            Some(())
        })?;
        Some(items)
    }

    /// Returns the texts of the values of all members but those with a name.
    pub fn others(&self, name: &str) -> impl Iterator<Item = &'t str> {
        self.members.iter().filter(move |member| !member.is_called(name)).map(|member| member.value)
    }

    /// Reads the text of a member that is an object; `None` if it is no object.
    pub fn object(&self, text: &str) -> Option<Map<String, Value>> {
        if self.is_exact { serde_json::from_str(text) } else { from_str(&self.with_plain_zeros(text)) }.ok()
    }

    /// Returns the text of the object or a member with each number `-0` as ` 0`: `serde_json` reads `-0` as a float, which no type
    /// of integers accepts.
    pub fn with_plain_zeros<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if self.is_exact { Cow::Borrowed(text) } else { with_plain_zeros(text) }
    }

    /// Returns the value of a member that is a string; `None` if it is missing or another value.
    pub fn string(&self, name: &str) -> Option<String> {
        self.get(name).and_then(string).map(Cow::into_owned)
    }
}

/// Returns the value of the text of a string; `None` if it is the text of another value.
pub fn string(text: &str) -> Option<Cow<'_, str>> {
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    // Without an early return, so that the compiler looks at many bytes at once.
    let escapes = inner.bytes().fold(0, |found, byte| found | u8::from(byte == b'\\'));
    if escapes != 0 { serde_json::from_str(text).ok().map(Cow::Owned) } else { Some(Cow::Borrowed(inner)) }
}

/// Replaces the sign of each number `-0` by a space.
fn with_plain_zeros(text: &str) -> Cow<'_, str> {
    if !text.contains("-0") {
        return Cow::Borrowed(text);
    }
    let (mut plain, mut at) = (text.as_bytes().to_vec(), 0);
    while let Some(next) = plain[at..].iter().position(|byte| matches!(byte, b'"' | b'-')) {
        at += next + 1;
        if plain[at - 1] == b'"' {
            let Some(rest) = after_string(&plain[at..]) else { break };
            at = plain.len() - rest.len();
            continue;
        }
        let is_number = |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-');
        let follows = at > 1 && is_number(&plain[at - 2]);
        if !follows && plain.get(at) == Some(&b'0') && !plain.get(at + 1).is_some_and(is_number) {
            plain[at - 1] = b' ';
        }
    }
    String::from_utf8(plain).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// Counts the values in the text of an object, except for those in the member `lazy`; of another text at least those that are
/// read before the error.
#[must_use]
pub fn count_values(text: &[u8], lazy: &str) -> usize {
    match RawObject::read(text) {
        Some(object) => object.others(lazy).map(|value| count(value.as_bytes())).sum(),
        None => count(text),
    }
}

fn count(mut text: &[u8]) -> usize {
    let mut count = 1;
    while let Some(at) = text.iter().position(|byte| matches!(byte, b'"' | b',' | b'[' | b'{')) {
        let rest = &text[at + 1..];
        let is_string = text[at] == b'"';
        count += usize::from(!is_string);
        text = if is_string { after_string(rest).unwrap_or_default() } else { rest };
    }
    count
}

/// A position in a text that may be JSON. Each method moves past a part of it, or returns `None` if it isn't there.
struct Scanner<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    is_exact: bool,
}

impl<'t> Scanner<'t> {
    fn rest(&self) -> &'t [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    fn next(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn expect(&mut self, text: &[u8]) -> Option<()> {
        let found = self.rest().starts_with(text);
        self.at += text.len();
        found.then_some(())
    }

    fn space(&mut self) {
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = self.next() {
            self.at += 1;
        }
    }

    fn value(&mut self) -> Option<()> {
        match self.next()? {
            b'"' => self.string().map(drop),
            b'{' => self.nested(b'}', |this| this.name().and_then(|_| this.value())),
            b'[' => self.nested(b']', Self::value),
            b't' => self.expect(b"true"),
            b'f' => self.expect(b"false"),
            b'n' => self.expect(b"null"),
            _ => self.number(),
        }
    }

    /// Moves past the name of a member and the colon. Returns the end of the name, and whether it has escapes.
    fn name(&mut self) -> Option<(usize, bool)> {
        (self.next()? == b'"').then_some(())?;
        let is_escaped = self.string()?;
        let end = self.at - 1;
        self.space();
        (self.next()? == b':').then_some(())?;
        self.at += 1;
        self.space();
        Some((end, is_escaped))
    }

    /// Moves past an opening bracket, items with commas between them, and the closing bracket.
    fn nested(&mut self, end: u8, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.depth += 1;
        (self.depth <= MAX_DEPTH).then_some(())?;
        self.at += 1;
        self.space();
        if self.next()? != end {
            loop {
                item(self)?;
                self.space();
                match self.next()? {
                    b',' => self.at += 1,
                    byte if byte == end => break,
                    _ => return None,
                }
                self.space();
            }
        }
        self.at += 1;
        self.depth -= 1;
        Some(())
    }

    /// Moves past a string, of which the quote is next, and returns whether it has escapes.
    fn string(&mut self) -> Option<bool> {
        let start = self.at;
        self.at += 1;
        self.at += plain_len(self.rest());
        if self.next()? != b'"' {
            return self.escaped(start);
        }
        self.at += 1;
        Some(false)
    }

    /// Moves past the rest of a string that has escapes.
    #[cold]
    fn escaped(&mut self, start: usize) -> Option<bool> {
        loop {
            match self.next()? {
                b'"' => break,
                b'\\' => self.at += 2,
                _ => return None,
            }
            self.at += plain_len(self.rest());
        }
        self.at += 1;
        // `serde_json` validates escapes, because surrogate pairs have their own rules.
        serde_json::from_str::<String>(self.text.get(start..self.at)?).ok().map(|_| true)
    }

    fn number(&mut self) -> Option<()> {
        /// Up to 18 digits always fit into 64 bits.
        const SHORT: usize = 18;
        let rest = self.rest();
        let digits = rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
        let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-');
        let is_short = (1..=SHORT).contains(&digits) && (rest[0] != b'0' || digits == 1);
        if is_short && !rest.get(digits).is_some_and(is_part) {
            self.at += digits;
            return Some(());
        }
        self.is_exact = false;
        let end = rest.iter().position(|byte| !is_part(byte)).unwrap_or(rest.len());
        serde_json::from_slice::<Number>(&rest[..end]).ok()?;
        self.at += end;
        Some(())
    }
}

#[cfg(test)]
#[path = "../../tests/unit/raw.rs"]
mod tests;
