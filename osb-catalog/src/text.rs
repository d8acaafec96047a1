//! Strings in const evaluation, comparison and messages, and characters that must not reach a terminal.

/// A message that is composed in const evaluation, where a panic can only show one string. It holds 512 bytes; longer text is
/// truncated.
///
/// ```should_panic
/// use osb_catalog::text::Message;
///
/// const fn assert_named(name: &str) {
///     if name.is_empty() {
///         Message::new("the plan after ").name("free").text(" has no name").panic();
///     }
/// }
/// assert_named("");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Message {
    bytes: [u8; Self::ROOM],
    len: usize,
}

impl Message {
    const ROOM: usize = 512;

    /// Begins a message.
    #[must_use]
    pub const fn new(text: &str) -> Self {
        Self { bytes: [0; Self::ROOM], len: 0 }.text(text)
    }

    /// Appends text.
    #[must_use]
    pub const fn text(mut self, text: &str) -> Self {
        let text = text.as_bytes();
        let mut room = Self::ROOM - self.len;
        if room > text.len() {
            room = text.len();
        }
        // Don't cut a character in two.
        while room < text.len() && text[room] & 0b1100_0000 == 0b1000_0000 {
            room -= 1;
        }
        let mut at = 0;
        while at < room {
            self.bytes[self.len + at] = text[at];
            at += 1;
        }
        self.len += room;
        self
    }

    /// Appends another message.
    pub(crate) const fn message(self, other: &Self) -> Self {
        self.text(other.get())
    }

    /// Returns the text.
    #[must_use]
    pub const fn get(&self) -> &str {
        let (text, _) = self.bytes.split_at(self.len);
        match core::str::from_utf8(text) {
            Ok(text) => text,
            Err(_) => "a message is not UTF-8",
        }
    }

    /// Appends `name` in backticks.
    #[must_use]
    pub const fn name(self, name: &str) -> Self {
        self.text("`").text(name).text("`")
    }

    pub(crate) const fn integer(self, value: i128) -> Self {
        let (digits, from) = digits(value);
        let (_, digits) = digits.split_at(from);
        match core::str::from_utf8(digits) {
            Ok(digits) => self.text(digits),
            Err(_) => self,
        }
    }

    /// Ends const evaluation with this message.
    ///
    /// # Panics
    ///
    /// Always.
    #[track_caller]
    pub const fn panic(&self) -> ! {
        panic!("{}", self.get())
    }
}

/// Returns the decimal digits of `value`, at the end of the array from the returned index on.
pub(crate) const fn digits(value: i128) -> ([u8; 40], usize) {
    let mut out = [0; 40];
    let mut at = out.len();
    let mut left = value.unsigned_abs();
    loop {
        at -= 1;
        out[at] = b"0123456789"[(left % 10) as usize];
        left /= 10;
        if left == 0 {
            break;
        }
    }
    if value < 0 {
        at -= 1;
        out[at] = b'-';
    }
    (out, at)
}

/// Returns whether two strings are equal. It compares 16 bytes in a step, because a catalog compares each id with all
/// others.
#[must_use]
pub const fn same(a: &str, b: &str) -> bool {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    while let (Some((a16, rest_a)), Some((b16, rest_b))) = (a.split_first_chunk::<16>(), b.split_first_chunk::<16>()) {
        if u128::from_le_bytes(*a16) != u128::from_le_bytes(*b16) {
            return false;
        }
        (a, b) = (rest_a, rest_b);
    }
    while let ([a1, rest_a @ ..], [b1, rest_b @ ..]) = (a, b) {
        if *a1 != *b1 {
            return false;
        }
        (a, b) = (rest_a, rest_b);
    }
    true
}

/// Returns whether two strings are equal apart from the case of ASCII letters, comparing as fast as [`same`] does.
pub(crate) const fn same_ignoring_case(a: &str, b: &str) -> bool {
    /// The bit in which upper and lower case differ, in each byte.
    const CASE: u128 = u128::from_le_bytes([0x20; 16]);
    let (mut left, mut right) = (a.as_bytes(), b.as_bytes());
    while let (Some((l16, rest_l)), Some((r16, rest_r))) =
        (left.split_first_chunk::<16>(), right.split_first_chunk::<16>())
    {
        if (u128::from_le_bytes(*l16) ^ u128::from_le_bytes(*r16)) & !CASE != 0 {
            return false;
        }
        (left, right) = (rest_l, rest_r);
    }
    a.eq_ignore_ascii_case(b)
}

/// Returns a number that is equal for strings that are equal apart from the case of ASCII letters, and different for nearly
/// all others.
#[expect(clippy::manual_rotate, reason = "const evaluation takes longest for calls, so this has only operators")]
pub(crate) const fn hash_ignoring_case(text: &str) -> u64 {
    macro_rules! mix {
        ($hash:ident, $value:expr) => {
            // FNV-1a, eight bytes in a step.
            let product = ($hash ^ $value) as u128 * 0x0100_0000_01b3;
            let product = (product & 0xffff_ffff_ffff_ffff) as u64;
            $hash = product << 29 | product >> 35;
        };
    }
    const CASE: u64 = 0x2020_2020_2020_2020;
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut rest = text.as_bytes();
    while let [a, b, c, d, e, f, g, h, after @ ..] = rest {
        let low = *a as u64 | (*b as u64) << 8 | (*c as u64) << 16 | (*d as u64) << 24;
        let high = *e as u64 | (*f as u64) << 8 | (*g as u64) << 16 | (*h as u64) << 24;
        mix!(hash, low | high << 32 | CASE);
        rest = after;
    }
    while let [byte, after @ ..] = rest {
        mix!(hash, (*byte | 0x20) as u64);
        rest = after;
    }
    hash
}

/// Returns the bytes from one position to another.
pub(crate) const fn part(text: &[u8], from: usize, to: usize) -> &[u8] {
    text.split_at(to).0.split_at(from).1
}

/// Returns whether `byte` is at a position.
pub(crate) const fn is_at(text: &[u8], at: usize, byte: u8) -> bool {
    at < text.len() && text[at] == byte
}

/// Returns the decimal number from one position to another, which is short.
pub(crate) const fn number(text: &[u8], from: usize, to: usize) -> Option<i32> {
    let (mut value, mut at) = (0, from);
    while at < to {
        if !text[at].is_ascii_digit() {
            return None;
        }
        value = value * 10 + (text[at] - b'0') as i32;
        at += 1;
    }
    Some(value)
}

/// Returns whether a character is a control character, which a terminal would interpret, or changes the direction of the text
/// after it, so that an id looks like another one.
#[must_use]
pub fn steers_terminal(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::{Message, hash_ignoring_case, same, same_ignoring_case};

    #[test]
    fn a_message_that_is_too_long_ends_with_a_whole_character() {
        let long = Message::new("a").text(&"\u{e9}".repeat(300));
        assert_eq!(long.get(), format!("a{}", "\u{e9}".repeat(255)));
        assert_eq!(long.text("\u{e9}").get(), long.get());
        assert_eq!(long.text("bc").text("d").get(), format!("{}b", long.get()));
    }

    #[test]
    fn every_byte_counts() {
        let id = "8a4a2b58-0C0D-4eFf-8000-00000000000a-plan";
        for at in 0..id.len() {
            let with = |byte: char| format!("{}{byte}{}", &id[..at], &id[at + 1..]);
            let other = with('z');
            assert!(!same(id, &other) && !same_ignoring_case(id, &other), "{other}");
            assert_ne!(hash_ignoring_case(id), hash_ignoring_case(&other), "{other}");
            let byte = char::from(id.as_bytes()[at]);
            let upper = with(byte.to_ascii_uppercase());
            assert_eq!(same(id, &upper), !byte.is_ascii_lowercase(), "{upper}");
            assert!(same_ignoring_case(id, &upper), "{upper}");
            assert_eq!(hash_ignoring_case(id), hash_ignoring_case(&upper), "{upper}");
        }
    }

    #[test]
    fn hashes_differ_where_texts_do() {
        let texts = ["", "a", "B", "ab", "ba", "plan-1", "plan-2", "Plan-11", "8a4a2b58-0000-4000-8000-00000000000A"];
        for a in texts {
            assert_eq!(hash_ignoring_case(a), hash_ignoring_case(&a.to_ascii_uppercase()), "{a}");
            assert_eq!(hash_ignoring_case(a), hash_ignoring_case(&a.to_ascii_lowercase()), "{a}");
            for b in texts {
                assert_eq!(hash_ignoring_case(a) == hash_ignoring_case(b), same_ignoring_case(a, b), "{a} {b}");
            }
        }
    }
}
