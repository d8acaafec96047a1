//! String formats, validated as strictly as common JSON Schema validators do.
//!
//! Not by `jsonschema`, which alone has more dependencies than this crate is to have in all.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::Format;

impl Format {
    /// Returns whether `text` is in this format.
    #[must_use]
    pub fn accepts(self, text: &str) -> bool {
        match self {
            Self::DateTime => date_time(text).is_some(),
            Self::Email => email(text),
            Self::Hostname => hostname(text),
            Self::Ipv4 => text.parse::<Ipv4Addr>().is_ok(),
            Self::Ipv6 => text.parse::<Ipv6Addr>().is_ok(),
            Self::Uri => uri(text).is_some(),
        }
    }

    /// Returns a noun for strings in this format.
    pub(crate) const fn noun(self) -> &'static str {
        match self {
            Self::DateTime => "a date and time such as 2030-01-31T12:00:00Z",
            Self::Email => "an e-mail address",
            Self::Hostname => "a host name",
            Self::Ipv4 => "an IPv4 address",
            Self::Ipv6 => "an IPv6 address",
            Self::Uri => "a URI such as https://example.com/path",
        }
    }
}

/// RFC 3339. A leap second is valid only at the end of a day in UTC.
fn date_time(text: &str) -> Option<()> {
    let (year, rest) = digits(text, 4)?;
    let (month, rest) = digits(rest.strip_prefix('-')?, 2)?;
    let (day, rest) = digits(rest.strip_prefix('-')?, 2)?;
    let (hour, rest) = digits(rest.strip_prefix(['T', 't'])?, 2)?;
    let (minute, rest) = digits(rest.strip_prefix(':')?, 2)?;
    let (second, mut rest) = digits(rest.strip_prefix(':')?, 2)?;
    if let Some(fraction) = rest.strip_prefix('.') {
        rest = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
        if rest.len() == fraction.len() {
            return None;
        }
    }
    let leap_year = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if leap_year => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    let offset = match rest {
        "Z" | "z" => 0,
        _ => {
            let sign = if rest.starts_with('+') { 1 } else { -1 };
            let (hours, rest) = digits(rest.strip_prefix(['+', '-'])?, 2)?;
            let (minutes, rest) = digits(rest.strip_prefix(':')?, 2)?;
            if hours > 23 || minutes > 59 || !rest.is_empty() {
                return None;
            }
            sign * (hours * 60 + minutes)
        }
    };
    let last_minute = (hour * 60 + minute - offset).rem_euclid(24 * 60) == 24 * 60 - 1;
    let valid = (1..=days).contains(&day) && hour < 24 && minute < 60 && (second < 60 || second == 60 && last_minute);
    valid.then_some(())
}

fn digits(text: &str, count: usize) -> Option<(i32, &str)> {
    let (digits, rest) = text.split_at_checked(count)?;
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some((digits.parse().ok()?, rest))
}

/// RFC 1123.
fn hostname(text: &str) -> bool {
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    text.len() <= 253 && text.split('.').all(label)
}

/// RFC 5321 without quoted strings, comments and address literals.
fn email(text: &str) -> bool {
    let atom = |atom: &str| {
        !atom.is_empty()
            && atom.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&byte))
    };
    text.rsplit_once('@')
        .is_some_and(|(local, domain)| local.len() <= 64 && local.split('.').all(atom) && hostname(domain))
}

/// An absolute URI (RFC 3986), with or without a fragment.
fn uri(text: &str) -> Option<()> {
    let (scheme, rest) = text.split_once(':')?;
    let mut letters = scheme.bytes();
    if !letters.next()?.is_ascii_alphabetic()
        || !letters.all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    {
        return None;
    }
    let (rest, fragment) = rest.split_once('#').unwrap_or((rest, ""));
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let path = match rest.strip_prefix("//") {
        Some(rest) => {
            let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            authority(host)?;
            path
        }
        None => rest,
    };
    (made_of(path, b":@/") && made_of(query, b":@/?") && made_of(fragment, b":@/?")).then_some(())
}

fn authority(text: &str) -> Option<()> {
    let (user, host) = text.rsplit_once('@').unwrap_or(("", text));
    let port = if let Some(rest) = host.strip_prefix('[') {
        let (address, port) = rest.split_once(']')?;
        address.parse::<Ipv6Addr>().ok()?;
        if port.is_empty() { "" } else { port.strip_prefix(':')? }
    } else {
        let (name, port) = host.rsplit_once(':').unwrap_or((host, ""));
        made_of(name, b"").then_some(())?;
        port
    };
    (made_of(user, b":") && port.bytes().all(|byte| byte.is_ascii_digit())).then_some(())
}

/// Returns whether `text` consists of unreserved characters, sub-delimiters, percent-escapes, and the characters in
/// `more`.
fn made_of(text: &str, more: &[u8]) -> bool {
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let valid = match byte {
            b'%' => (0..2).all(|_| bytes.next().is_some_and(|digit| digit.is_ascii_hexdigit())),
            _ => byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=".contains(&byte) || more.contains(&byte),
        };
        if !valid {
            return false;
        }
    }
    true
}
