//! Absolute URIs (RFC 3986) and IP addresses, in const evaluation; percent-decoding.

use std::borrow::Cow;

use crate::text::{is_at, number, part};

/// The parts of a valid URI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Uri<'a> {
    /// The scheme, in upper or lower case.
    pub scheme: &'a [u8],
    /// The host, without user and port; `None` if there is no `//`.
    pub host: Option<&'a [u8]>,
}

/// The reason why a text is not a URI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UriError {
    /// A character has to be percent-encoded, or `%` is not followed by two hexadecimal digits.
    Character,
    /// The scheme is missing or malformed.
    Scheme,
    /// The host or the port is malformed.
    Host,
}

/// Parses an absolute URI, with or without a fragment.
///
/// ```
/// use osb_catalog::uri::{UriError, Uri, parse};
///
/// const HOME: Uri = match parse(b"https://example.com/home") {
///     Ok(uri) => uri,
///     Err(_) => panic!("a URI"),
/// };
/// assert_eq!(HOME.host, Some(&b"example.com"[..]));
/// assert_eq!(parse(b"/home"), Err(UriError::Scheme));
/// ```
///
/// # Errors
///
/// If the text is not an absolute URI.
pub const fn parse(text: &[u8]) -> Result<Uri<'_>, UriError> {
    if !made_of(text, b":/?#[]@") {
        return Err(UriError::Character);
    }
    let colon = find(text, 0, b":");
    if colon == text.len() || !is_scheme(part(text, 0, colon)) {
        return Err(UriError::Scheme);
    }
    let (mut at, mut host) = (colon + 1, None);
    if is_at(text, at, b'/') && is_at(text, at + 1, b'/') {
        let end = find(text, at + 2, b"/?#");
        let Some(found) = authority(part(text, at + 2, end)) else { return Err(UriError::Host) };
        (at, host) = (end, Some(found));
    }
    let query = find(text, at, b"?#");
    let fragment = find(text, query, b"#");
    let is_valid = made_of(part(text, at, query), b":@/")
        && made_of(after(text, query, fragment), b":@/?")
        && made_of(after(text, fragment, text.len()), b":@/?");
    if is_valid { Ok(Uri { scheme: part(text, 0, colon), host }) } else { Err(UriError::Character) }
}

/// Parses a URL for browsers: of the scheme `https` or `http`, and with a host.
///
/// # Errors
///
/// If the text is no such URL.
pub const fn parse_web(text: &[u8]) -> Result<Uri<'_>, UriError> {
    match parse(text) {
        Ok(uri) => match uri.host {
            _ if !uri.scheme.eq_ignore_ascii_case(b"https") && !uri.scheme.eq_ignore_ascii_case(b"http") => {
                Err(UriError::Scheme)
            }
            Some([_, ..]) => Ok(uri),
            _ => Err(UriError::Host),
        },
        Err(error) => Err(error),
    }
}

/// Returns the part behind a delimiter, which can be missing at the end.
const fn after(text: &[u8], delimiter: usize, to: usize) -> &[u8] {
    if delimiter < to { part(text, delimiter + 1, to) } else { &[] }
}

/// Returns the position of the first of some bytes; the length if there is none.
const fn find(text: &[u8], mut at: usize, bytes: &[u8]) -> usize {
    while at < text.len() && !contains(bytes, text[at]) {
        at += 1;
    }
    at
}

const fn contains(bytes: &[u8], byte: u8) -> bool {
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == byte {
            return true;
        }
        at += 1;
    }
    false
}

const fn is_scheme(text: &[u8]) -> bool {
    let mut at = 0;
    while at < text.len() {
        if !(text[at].is_ascii_alphabetic() || at > 0 && (text[at].is_ascii_digit() || contains(b"+-.", text[at]))) {
            return false;
        }
        at += 1;
    }
    !text.is_empty()
}

/// Returns the host of `user@host:port`.
const fn authority(text: &[u8]) -> Option<&[u8]> {
    let mut host = 0;
    let mut at = 0;
    while at < text.len() {
        if text[at] == b'@' {
            host = at + 1;
        }
        at += 1;
    }
    let user = part(text, 0, host.saturating_sub(1));
    let end = if is_at(text, host, b'[') {
        let end = find(text, host, b"]");
        if end == text.len() || !ipv6(part(text, host + 1, end)) {
            return None;
        }
        end + 1
    } else {
        let end = find(text, host, b":");
        if !made_of(part(text, host, end), b"") {
            return None;
        }
        end
    };
    let has_port = end < text.len() && text[end] == b':' && is_number(part(text, end + 1, text.len()));
    if made_of(user, b":") && (end == text.len() || has_port) { Some(part(text, host, end)) } else { None }
}

const fn is_number(text: &[u8]) -> bool {
    let mut at = 0;
    while at < text.len() {
        if !text[at].is_ascii_digit() {
            return false;
        }
        at += 1;
    }
    true
}

/// Returns whether `text` consists of unreserved characters, sub-delimiters, percent-escapes, and the characters in
/// `more`.
const fn made_of(text: &[u8], more: &[u8]) -> bool {
    let mut at = 0;
    while at < text.len() {
        let byte = text[at];
        if byte == b'%' {
            if at + 2 >= text.len() || !text[at + 1].is_ascii_hexdigit() || !text[at + 2].is_ascii_hexdigit() {
                return false;
            }
        } else if !(byte.is_ascii_alphanumeric() || contains(b"-._~!$&'()*+,;=", byte) || contains(more, byte)) {
            return false;
        }
        at += 1;
    }
    true
}

/// Decodes `%XX` and, in queries, `+`, with which Cloud Foundry encodes a space. Returns `None` if `%` is not followed by two
/// hexadecimal digits, or the result is not UTF-8.
#[must_use]
pub fn decode(raw: &str, plus_is_space: bool) -> Option<Cow<'_, str>> {
    // Without an early return, so that the compiler looks at many bytes at once.
    let is_encoded = |byte| u8::from(byte == b'%' || plus_is_space && byte == b'+');
    if raw.bytes().fold(0, |found, byte| found | is_encoded(byte)) == 0 {
        return Some(Cow::Borrowed(raw));
    }
    let mut text = Vec::with_capacity(raw.len());
    let mut bytes = raw.bytes();
    while let Some(byte) = bytes.next() {
        text.push(match byte {
            b'%' => hex(bytes.next()?)? << 4 | hex(bytes.next()?)?,
            b'+' if plus_is_space => b' ',
            byte => byte,
        });
    }
    String::from_utf8(text).ok().map(Cow::Owned)
}

fn hex(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

/// Returns the end of the IPv4 address that begins at a position; the position itself if there is none.
pub(crate) const fn ipv4(text: &[u8], from: usize) -> usize {
    let (mut at, mut octet) = (from, 0);
    while octet < 4 {
        if octet > 0 {
            if !is_at(text, at, b'.') {
                return from;
            }
            at += 1;
        }
        let start = at;
        while at < text.len() && text[at].is_ascii_digit() && at - start < 4 {
            at += 1;
        }
        let leading_zero = at - start > 1 && text[start] == b'0';
        match number(text, start, at) {
            Some(0..=255) if at > start && !leading_zero => octet += 1,
            _ => return from,
        }
    }
    at
}

/// RFC 4291.
pub(crate) const fn ipv6(text: &[u8]) -> bool {
    let (before, at, ends_in_ipv4) = groups(text, 0, 8);
    if at == text.len() {
        return before == 8;
    }
    // Nothing follows an IPv4 address.
    if before == 8 || ends_in_ipv4 || !is_at(text, at, b':') || !is_at(text, at + 1, b':') {
        return false;
    }
    // `::` stands for one group or more.
    let (_, end, _) = groups(text, at + 2, 7 - before);
    end == text.len()
}

/// Returns the number of 16-bit groups that begin at a position, their end, and whether the last two are an IPv4 address.
const fn groups(text: &[u8], mut at: usize, most: usize) -> (usize, usize, bool) {
    let mut count = 0;
    while count < most {
        if count > 0 && !is_at(text, at, b':') {
            break;
        }
        let start = if count > 0 { at + 1 } else { at };
        let address = ipv4(text, start);
        if count + 1 < most && address > start {
            return (count + 2, address, true);
        }
        let mut end = start;
        while end < text.len() && text[end].is_ascii_hexdigit() && end - start < 5 {
            end += 1;
        }
        if end == start || end - start > 4 {
            break;
        }
        (at, count) = (end, count + 1);
    }
    (count, at, false)
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn percent_escapes_are_decoded() {
        for (raw, plus_is_space, decoded) in [
            ("", true, Some("")),
            ("a+b/c", false, Some("a+b/c")),
            ("a+b/c", true, Some("a b/c")),
            ("+", true, Some(" ")),
            ("%4a%4A%2B+", true, Some("JJ+ ")),
            ("%09", true, Some("\t")),
            ("+%C3%A9", false, Some("+\u{e9}")),
            ("%", false, None),
            ("%4", false, None),
            ("%g0", false, None),
            ("%0g", false, None),
            ("%+1", false, None),
            ("%90", false, None),
        ] {
            assert_eq!(decode(raw, plus_is_space).as_deref(), decoded, "{raw:?}");
        }
    }
}
