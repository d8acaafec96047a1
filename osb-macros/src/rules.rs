//! The catalog rules for values that the tokens of one item hold: their text is known only here.
//!
//! Rules across items are decided in constants, by `osb-catalog`.

use quote::ToTokens;
use syn::LitStr;

use crate::{
    args::Text,
    errors::{Errors, Report},
};

/// Recommends a GUID, or at least unreserved characters (CAT-11, CAT-30, URL-02).
pub(crate) fn id(what: &str, id: &Text, report: &mut Report) {
    let text = id.value();
    if unprintable(what, "id", id, &mut report.errors) || too_long(what, "id", id, "write a GUID", report) {
        return;
    }
    let unreserved = |c: char| c.is_ascii_alphanumeric() || "-._~".contains(c);
    if !text.chars().all(unreserved) {
        report.warn(
            id,
            "id_with_reserved_characters",
            format!("the {what} id should consist of `A-Z a-z 0-9 - . _ ~`, because it travels in URLs (RFC 3986); write a GUID"),
        );
    } else if !is_guid(&text) {
        report.warn(
            id,
            "id_is_no_guid",
            format!(
                "the {what} id should be a GUID, so that no other broker uses it; `uuidgen` makes one for a new {what}"
            ),
        );
    } else if text.chars().all(|c| c == '0' || c == '-') {
        report.warn(
            id,
            "id_is_a_placeholder",
            format!("the {what} id is the GUID of zeros, which other brokers may use too; `uuidgen` makes a new one"),
        );
    }
}

fn is_guid(text: &str) -> bool {
    text.len() == 36
        && text.char_indices().all(|(i, c)| if [8, 13, 18, 23].contains(&i) { c == '-' } else { c.is_ascii_hexdigit() })
}

/// Returns a control character, an invisible one such as a zero-width space, or a letter that is displayed as blank space.
fn unprintable_char(text: &str) -> Option<char> {
    const BLANK: [char; 5] = ['\u{115F}', '\u{1160}', '\u{2800}', '\u{3164}', '\u{FFA0}'];
    let is_escaped = |c: char| match c {
        '"' | '\'' | '\\' => false,
        // After a letter, where combining characters are not escaped.
        _ => String::from_iter(['a', c]).escape_debug().nth(1) == Some('\\'),
    };
    text.chars().find(|c| BLANK.contains(c) || is_escaped(*c))
}

/// Reports an unprintable character. Returns whether there is one.
fn unprintable(what: &str, argument: &str, text: &Text, errors: &mut Errors) -> bool {
    let unprintable = unprintable_char(&text.value());
    if let Some(c) = unprintable {
        errors.help(
            text,
            format_args!("the {what} {argument} contains U+{:04X}, which can't be seen", u32::from(c)),
            "write it without this character",
        );
    }
    unprintable.is_some()
}

/// Reports a text that is longer than Cloud Foundry's column for it. Returns whether it is.
fn too_long(what: &str, argument: &str, text: &Text, help: &str, report: &mut Report) -> bool {
    let characters = text.value().chars().count();
    if characters > 255 {
        report.errors.help(
            text,
            format_args!("the {what} {argument} has {characters} characters"),
            format_args!("Cloud Foundry stores at most 255; {help}"),
        );
    }
    characters > 255
}

/// Validates the id of a dashboard client, which Cloud Foundry stores too.
pub(crate) fn client_id(id: &Text, report: &mut Report) {
    let what = "dashboard client";
    if !unprintable(what, "id", id, &mut report.errors) {
        too_long(what, "id", id, "write a shorter one", report);
    }
}

/// Validates a name against CAT-06 and the size of Cloud Foundry's column.
pub(crate) fn name(what: &str, name: &Text, report: &mut Report) {
    let text = name.value();
    if unprintable(what, "name", name, &mut report.errors)
        || too_long(what, "name", name, "write a shorter one", report)
    {
        return;
    }
    if !text.chars().all(|c| c.is_ascii_alphanumeric() || c == '.' || c == '-') {
        report.warn(
            name,
            "name_is_awkward_on_a_command_line",
            format!("the {what} name should consist of letters, digits, `.` and `-`, because users type it on a command line (CAT-06)"),
        );
    } else if text.chars().all(|c| c == '.' || c == '-') {
        report.warn(name, "name_says_nothing", format!("the {what} name should be descriptive (CAT-06)"));
    } else if text.starts_with('-') {
        report.warn(
            name,
            "name_looks_like_an_option",
            format!(
                "the {what} name should not begin with `-`, because a command line takes it for an option (CAT-06)"
            ),
        );
    } else if what == "plan" && text == "reference-instance" {
        report.warn(
            name,
            "name_is_reserved",
            "SAP BTP refuses this plan name: its Service Manager adds a plan of this name to services with shared \
             instances; choose another"
                .to_owned(),
        );
    }
}

/// Reports a name of a property or of a value that users can't see, or would hardly write.
pub(crate) fn name_on_the_wire(what: &str, name: &Text, errors: &mut Errors) {
    let text = name.value();
    if !unprintable(what, "name", name, errors) && text.trim() != text {
        let message = "the white space is part of the name, and users have to write it";
        errors.help(name, message, format_args!("write {:?}", text.trim()));
    }
}

/// Validates a description: it is required (CAT-12, CAT-32), and Cloud Foundry limits its length.
pub(crate) fn description(description: Option<&str>, place: &dyn ToTokens, report: &mut Report) {
    let place = place.to_token_stream();
    let Some(text) = description else {
        return report.missing(
            "a description",
            "write a doc comment above the struct, or `description = \"...\"`; the catalog shows it to users",
        );
    };
    let characters = text.chars().count();
    if text.contains('\0') {
        report.errors.help(
            place,
            "the description contains U+0000, which Cloud Foundry can't store on PostgreSQL",
            "write it without this character",
        );
    } else if characters > 10_000 {
        report.errors.help(
            place,
            format_args!("the description has {characters} characters"),
            "Cloud Foundry takes at most 10000; the catalog uses a doc comment's first paragraph",
        );
    } else if text.starts_with("# ") || text.starts_with("## ") {
        report.warn(
            &place,
            "description_is_a_heading",
            "platforms show the description as plain text, with the `#` of this heading: write a sentence",
        );
    } else if text.contains("](") || text.contains("[`") {
        report.warn(
            &place,
            "description_has_a_link",
            "platforms show the description as plain text, with the brackets of this link: write a sentence without it",
        );
    } else if characters > 255 {
        report.warn(
            &place,
            "description_is_long",
            "strings should have at most 255 characters (CAT-04); the catalog uses a doc comment's first paragraph, so say the rest after a blank line",
        );
    }
}

/// Warns of a long string (CAT-04).
pub(crate) fn length(text: &LitStr, report: &mut Report) {
    if text.value().chars().count() > 255 {
        report.warn(text, "string_is_long", "strings should have at most 255 characters (CAT-04)");
    }
}

/// Reports the usual mistakes in a URL; a picture can be a `data:` URL too. The expansion checks the others in const evaluation.
pub(crate) fn url(name: &str, url: &Text, data: bool, report: &mut Report) {
    let text = url.value();
    let is_data = data && text.starts_with("data:");
    let rest = ["https://", "http://"].iter().find_map(|scheme| text.strip_prefix(scheme));
    let host = rest.map(|rest| rest.split(['/', '?', '#']).next().unwrap_or_default());
    if !is_data && host.is_none_or(str::is_empty) {
        let schemes = if data { "`https://...` or `data:...`" } else { "`https://...`" };
        report.errors.help(url, format_args!("`{name}` is not a URL: {text:?}"), format_args!("write {schemes}"));
    } else if is_data && !text.contains(',') {
        report.errors.help(
            url,
            format_args!("`{name}` has a `data:` URL without data"),
            "write `data:image/png;base64,...`: the data follows a comma (RFC 2397)",
        );
    } else if let Some(part) = invalid_in_a_url(&text) {
        report.errors.help(
            url,
            format_args!("`{name}` has a character that a URL can't have: `{}`", part.escape_debug()),
            format_args!("write `{}` instead (RFC 3986)", percent_encoded(part)),
        );
    } else if !is_data {
        length(&url.0, report);
    }
}

/// Returns a character that has to be percent-encoded in a URL; a `%` that begins no code, too.
fn invalid_in_a_url(text: &str) -> Option<char> {
    let is_code = |at: usize| text.get(at + 1..at + 3).is_some_and(|code| code.bytes().all(|b| b.is_ascii_hexdigit()));
    let host = text.find("://").map_or(0, |at| at + 3);
    let after_host = text[host..].find(['/', '?', '#']).map_or(text.len(), |length| host + length);
    let fragment = text.find('#');
    text.char_indices()
        .find(|(at, c)| match c {
            '%' => !is_code(*at),
            // Only around an IPv6 address.
            '[' | ']' => !(host..after_host).contains(at),
            '#' => fragment != Some(*at),
            c => !c.is_ascii_alphanumeric() && !"-._~:/?@!$&'()*+,;=".contains(*c),
        })
        .map(|(_, c)| c)
}

fn percent_encoded(c: char) -> String {
    c.to_string().bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// Validates a version against semantic versioning 2.0 (CAT-40).
pub(crate) fn semver(version: &Text, report: &mut Report) {
    if let Err(why) = semver::Version::parse(&version.value()) {
        report.errors.help(
            version,
            format_args!("{:?} is not a semantic version: {why}", version.value()),
            "write MAJOR.MINOR.PATCH, such as \"1.4.2\" or \"1.4.2-rc.1+build5\" (CAT-40)",
        );
    }
}

#[cfg(test)]
mod tests {
    use proc_macro2::Span;
    use regex::Regex;
    use syn::LitStr;

    use super::{description, id, invalid_in_a_url, is_guid, length, name, percent_encoded, unprintable_char, url};
    use crate::{args::Text, errors::Report};

    fn literal(value: &str) -> LitStr {
        LitStr::new(value, Span::call_site())
    }

    /// Returns the numbers of errors and warnings.
    fn found(check: impl Fn(&mut Report)) -> (usize, usize) {
        let mut report = Report::default();
        check(&mut report);
        (report.errors.count(), report.warnings.len())
    }

    #[test]
    fn limits_are_inclusive() {
        let of = |characters| "é".repeat(characters);
        let ascii = |characters| Text(literal(&"a".repeat(characters)));
        assert_eq!([255, 256].map(|n| found(|report| name("plan", &ascii(n), report))), [(0, 0), (1, 0)]);
        assert_eq!([255, 256].map(|n| found(|report| id("plan", &ascii(n), report))), [(0, 1), (1, 0)]);
        let described = [255, 256, 10_000, 10_001].map(|n| {
            let text = of(n);
            found(|report| description(Some(&text), &literal(&text), report))
        });
        assert_eq!(described, [(0, 0), (0, 1), (0, 1), (1, 0)]);
        assert_eq!([255, 256].map(|n| found(|report| length(&literal(&of(n)), report))), [(0, 0), (0, 1)]);
    }

    #[test]
    fn unprintable_characters_are_those_of_unicode() {
        let matches = |class| {
            let class = Regex::new(class).expect("a valid pattern");
            move |c: char| class.is_match(c.encode_utf8(&mut [0; 4]))
        };
        let expected = matches(r"[\p{C}\p{Z}\u{115F}\u{1160}\u{2800}\u{3164}\u{FFA0}&&[^ ]]");
        // A newer version of Unicode in the standard library may assign some.
        let unassigned = matches(r"\p{Cn}");
        for c in ('\0'..='\u{3FFFF}').chain('\u{E0000}'..='\u{E0FFF}') {
            let found = unprintable_char(c.encode_utf8(&mut [0; 4])).is_some();
            assert!(found == expected(c) || (!found && unassigned(c)), "U+{:04X}", u32::from(c));
        }
    }

    #[test]
    fn only_hexadecimal_groups_of_the_right_length_are_a_guid() {
        assert!(is_guid("8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5A01"));
        for text in [
            "8a4a2b5854a54a3c9e0a6b1c4f6f5a01",
            "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a0",
            "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a0g",
            "8a4a2b58054a504a3c09e0a06b1c4f6f5a01",
            "8a4a2b58-54a5-4a3c-9e0a-6b1c-f6f5a01",
        ] {
            assert!(!is_guid(text), "{text}");
        }
    }

    #[test]
    fn urls_are_ascii_with_codes_for_the_rest() {
        for text in ["https://[::1]:80/a%20b", "http://a/~b-c_d.e!$&'()*+,;=:@#f?", "https://a#%41"] {
            assert_eq!(invalid_in_a_url(text), None, "{text}");
        }
        for (text, wrong) in [
            ("https://a/%", '%'),
            ("https://a/%4", '%'),
            ("https://a/%4g", '%'),
            ("https://a/[b]", '['),
            ("https://[::1]?b]", ']'),
            ("https://a/b c", ' '),
            ("https://a#b#c", '#'),
            ("https://é", 'é'),
        ] {
            assert_eq!(invalid_in_a_url(text), Some(wrong), "{text}");
        }
        assert_eq!(percent_encoded('é'), "%C3%A9");
    }

    #[test]
    fn pictures_can_be_data() {
        let long = format!("data:image/png;base64,{}", "A".repeat(300));
        let urls = |data| {
            ["https://a", "/a", "https:///a", "data:,a", "data:a", &long]
                .map(|text| found(|report| url("url", &Text(literal(text)), data, report)))
        };
        assert_eq!(urls(true), [(0, 0), (1, 0), (1, 0), (0, 0), (1, 0), (0, 0)]);
        assert_eq!(urls(false), [(0, 0), (1, 0), (1, 0), (1, 0), (1, 0), (1, 0)]);
        let long = format!("https://a/{}", "b".repeat(300));
        assert_eq!(found(|report| url("url", &Text(literal(&long)), true, report)), (0, 1));
    }
}
