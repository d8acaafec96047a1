//! String formats, validated as strictly as common JSON Schema validators do. They are constant functions, so that the
//! compiler validates defaults and examples.
//!
//! Not by `jsonschema`, which alone has more dependencies than this crate is to have in all, and not by the parsers of the
//! standard library, which don't run in const evaluation.

use super::Format;
use crate::{
    text::{number, part},
    uri::{self, ipv4, ipv6},
};

impl Format {
    /// Returns whether `text` is in this format.
    #[must_use]
    pub const fn accepts(self, text: &str) -> bool {
        let text = text.as_bytes();
        match self {
            Self::DateTime => date_time(text),
            Self::Email => email(text),
            Self::Hostname => hostname(text),
            Self::Ipv4 => ipv4(text, 0) == text.len() && !text.is_empty(),
            Self::Ipv6 => ipv6(text),
            Self::Uri => uri::parse(text).is_ok(),
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
const fn date_time(text: &[u8]) -> bool {
    // 2030-01-31T12:00:00
    if text.len() < 20 || text[4] != b'-' || text[7] != b'-' || text[13] != b':' || text[16] != b':' {
        return false;
    }
    let (Some(year), Some(month), Some(day)) = (number(text, 0, 4), number(text, 5, 7), number(text, 8, 10)) else {
        return false;
    };
    let (Some(hour), Some(minute), Some(second)) = (number(text, 11, 13), number(text, 14, 16), number(text, 17, 19))
    else {
        return false;
    };
    if !matches!(text[10], b'T' | b't') {
        return false;
    }
    let mut zone = 19;
    if text[19] == b'.' {
        zone = 20;
        while zone < text.len() && text[zone].is_ascii_digit() {
            zone += 1;
        }
        if zone == 20 {
            return false;
        }
    }
    let Some(offset) = offset(text, zone) else { return false };
    let leap_year = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if leap_year => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    let last_minute = (hour * 60 + minute - offset).rem_euclid(24 * 60) == 24 * 60 - 1;
    day >= 1 && day <= days && hour < 24 && minute < 60 && (second < 60 || second == 60 && last_minute)
}

/// Returns the minutes of `Z` or `+01:00`, which ends the text.
const fn offset(text: &[u8], at: usize) -> Option<i32> {
    match text.split_at(at).1 {
        [b'Z' | b'z'] => Some(0),
        [sign @ (b'+' | b'-'), _, _, b':', _, _] => {
            match (number(text, at + 1, at + 3), number(text, at + 4, at + 6)) {
                (Some(hours @ 0..=23), Some(minutes @ 0..=59)) => {
                    let minutes = hours * 60 + minutes;
                    Some(if *sign == b'+' { minutes } else { -minutes })
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// RFC 1123.
const fn hostname(text: &[u8]) -> bool {
    let (mut at, mut label) = (0, 0);
    while at <= text.len() {
        if at == text.len() || text[at] == b'.' {
            let length = at - label;
            if length == 0 || length > 63 || text[label] == b'-' || text[at - 1] == b'-' {
                return false;
            }
            label = at + 1;
        } else if !(text[at].is_ascii_alphanumeric() || text[at] == b'-') {
            return false;
        }
        at += 1;
    }
    text.len() <= 253
}

/// RFC 5321 without quoted strings, comments and address literals.
const fn email(text: &[u8]) -> bool {
    let mut at = text.len();
    while at > 0 && text[at - 1] != b'@' {
        at -= 1;
    }
    // `at` is behind the last `@`.
    if at < 2 || at - 1 > 64 || !hostname(part(text, at, text.len())) {
        return false;
    }
    let (local, mut byte) = (part(text, 0, at - 1), 0);
    let mut after_dot = true;
    while byte < local.len() {
        match local[byte] {
            b'.' if after_dot => return false,
            b'.' => after_dot = true,
            b'!' | b'#'..=b'\'' | b'*' | b'+' | b'-' | b'/' | b'=' | b'?' | b'^'..=b'`' | b'{'..=b'~' => {
                after_dot = false;
            }
            other if other.is_ascii_alphanumeric() => after_dot = false,
            _ => return false,
        }
        byte += 1;
    }
    !after_dot
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, Ipv6Addr};

    use proptest::prelude::*;

    use super::Format;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5_000))]

        #[test]
        fn addresses_are_those_of_the_standard_library(
            v4 in "[0-9]{1,3}(\\.[0-9]{0,4}){2,4}\\.?",
            v6 in "(::)?([0-9a-fA-F]{0,5}[:.]{1,2}){0,9}([0-9a-f]{0,4}|[0-9]{1,3}(\\.[0-9]{1,3}){3})",
            address: [u16; 8],
        ) {
            prop_assert_eq!(Format::Ipv4.accepts(&v4), v4.parse::<Ipv4Addr>().is_ok(), "{}", v4);
            prop_assert_eq!(Format::Ipv6.accepts(&v6), v6.parse::<Ipv6Addr>().is_ok(), "{}", v6);
            let sparse = Ipv6Addr::from(address.map(|group| if group % 3 == 0 { group } else { 0 }));
            prop_assert!(Format::Ipv6.accepts(&sparse.to_string()), "{}", sparse);
        }
    }
}
