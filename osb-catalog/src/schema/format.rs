//! String formats, validated as strictly as common JSON Schema validators do. They are constant functions, so that the
//! compiler validates defaults and examples.
//!
//! Hand-written because `jsonschema` alone has more dependencies than this crate should have in all, and because the parsers
//! of the standard library don't run in const evaluation.

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

    /// Texts of each format, and texts that aren't.
    const TEXTS: [(Format, &[&str], &[&str]); 5] = [
        (Format::DateTime, DATES, NO_DATES),
        (
            Format::Hostname,
            &["a", "0", "a-b.C"],
            &["", ".", "a.", ".a", "a..b", "-a", "a-", "a.-b", "a-.b", "a_b", "\u{e9}"],
        ),
        (
            Format::Email,
            &["a@b", "a.b+c@d.e", "0!#$%&'*+-/=?^_`{|}~@b"],
            &[
                "", "a", "@", "@b", "a@", ".a@b", "a.@b", "a..b@c", "a@b@c", "a b@c", "a,b@c", "\"a\"@b", "a(b)@c",
                "a@-b", "\u{e9}@b",
            ],
        ),
        (
            Format::Ipv6,
            &["::", "::1.2.3.4", "1::1.2.3.4", "1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:7::"],
            &[
                "1.2.3.4",
                "1.2.3.4::",
                "1:1.2.3.4::",
                "1:1.2.3.4::5",
                "::1.2.3.4:5",
                "1:2:3:4:5:6:7:1.2.3.4",
                "1:2:3:4:5:6:7::8",
                "1:2:3:4:5:6::1.2.3.4",
            ],
        ),
        (Format::Uri, URIS, NO_URIS),
    ];

    const DATES: &[&str] = &[
        "2030-01-31T12:00:00Z",
        "2030-01-31t12:00:00z",
        "2024-02-29T00:00:00.5Z",
        "2000-02-29T23:59:59.123456789+01:00",
        "2030-04-30T00:00:00-23:59",
        "2016-12-31T23:59:60Z",
        "2017-01-01T00:59:60+01:00",
        "2016-12-31T15:59:60.5-08:00",
        "2017-01-01T05:29:60+05:30",
    ];

    const NO_DATES: &[&str] = &[
        "",
        "2030-01-31",
        "2030-01-31T12:00:00",
        "2030-01-31 12:00:00Z",
        "2030/01-31T12:00:00Z",
        "2030-01/31T12:00:00Z",
        "2030-01-31T12.00:00Z",
        "2030-01-31T12:00.00Z",
        "2030-01-31T12:00:00.Z",
        "2030-01-31T12:00:00ZZ",
        "2030-01-31T12:00:00.5",
        "x030-01-31T12:00:00Z",
        "2030-x1-31T12:00:00Z",
        "2030-01-x1T12:00:00Z",
        "2030-01-31Tx2:00:00Z",
        "2030-01-31T12:x0:00Z",
        "2030-01-31T12:00:x0Z",
        "2023-02-29T00:00:00Z",
        "1900-02-29T00:00:00Z",
        "2024-02-30T00:00:00Z",
        "2030-04-31T00:00:00Z",
        "2030-01-32T00:00:00Z",
        "2030-01-00T00:00:00Z",
        "2030-00-01T00:00:00Z",
        "2030-13-01T00:00:00Z",
        "2030-01-31T24:00:00Z",
        "2030-01-31T12:60:00Z",
        "2030-01-31T12:00:60Z",
        "2030-01-31T23:59:61Z",
        "2016-12-31T23:59:60+01:00",
        "2017-01-01T04:29:60+05:30",
        "2030-01-31T12:00:00+24:00",
        "2030-01-31T12:00:00+01:60",
        "2030-01-31T12:00:00+0100",
        "2030-01-31T12:00:00+01-00",
        "2030-01-31T12:00:00+01:0",
        "2030-01-31T12:00:00*01:00",
    ];

    const URIS: &[&str] = &[
        "a:",
        "urn:a:b",
        "a+b-c.1:x",
        "https://example.com",
        "http://",
        "http://h:",
        "http://u:p@h:80/p?q=/?#f/?",
        "http://[::1]",
        "http://u@[::1]:80/",
        "http://h/%20%Af",
        "http://h?a@b:c#d@e:f",
    ];

    const NO_URIS: &[&str] = &[
        "",
        "a",
        ":a",
        "1a:b",
        "a_b:c",
        "a b:c",
        "/p",
        "http://h:x",
        "http://h:8x",
        "http://h:1:2",
        "http://[::1",
        "http://[::g]",
        "http://[::1]x",
        "http://[::1]80",
        "http://a@b@c",
        "http://a[b]",
        "http://u[@h",
        "http://h/[",
        "http://h/?[",
        "http://h/#[",
        "http://h/#a#b",
        "http://h/%",
        "http://h/%2",
        "http://h/%g0",
        "http://h/%0g",
        "http://h/{x}",
        "http://h/\u{e9}",
    ];

    #[test]
    fn texts_are_accepted_as_the_specifications_of_the_formats_say() {
        for (format, accepted, rejected) in TEXTS {
            for (texts, expected) in [(accepted, true), (rejected, false)] {
                for text in texts {
                    assert_eq!(format.accepts(text), expected, "{format:?}: {text:?}");
                }
            }
        }
    }

    #[test]
    fn names_have_a_greatest_length() {
        let label = "x".repeat(63);
        let name = format!("{label}.{label}.{label}.{}", &label[..61]);
        let address = format!("{label}x@b");
        for (format, longest) in [(Format::Hostname, &label), (Format::Hostname, &name), (Format::Email, &address)] {
            assert!(format.accepts(longest), "{longest}");
            assert!(!format.accepts(&format!("x{longest}")), "{longest}");
        }
    }

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
