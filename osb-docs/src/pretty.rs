//! Indents JSON and changes nothing else, unlike `serde_json`, which writes other digits than it read.

use osb_catalog::text::steers_terminal;
use osb_runtime::{
    catalog::{EffectiveCatalog, StartError},
    service::Broker,
};

/// Returns `catalog` as `B` serves it, indented. The secret of each dashboard client is
/// replaced by the name of its environment variable.
///
/// # Errors
///
/// If the broker could not start with that catalog.
pub fn catalog<B: Broker>(catalog: &EffectiveCatalog) -> Result<String, StartError> {
    let json = catalog.json(B::CATALOG, B::DYNAMIC, |name| Some(format!("<the value of {name}>")))?;
    Ok(pretty(&String::from_utf8_lossy(&json)))
}

/// Indents valid JSON. Strings and numbers stay as they were written, except that characters that
/// [steer a terminal](steers_terminal) become escapes.
#[must_use]
pub fn pretty(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let (mut depth, mut in_string, mut escaped) = (0, false, false);
    let is_space = |c: &char| matches!(c, ' ' | '\t' | '\n' | '\r');
    let mut rest = json.chars().peekable();
    while let Some(c) = rest.next() {
        if in_string {
            push_escaped(&mut out, c);
            in_string = escaped || c != '"';
            escaped = !escaped && c == '\\';
            continue;
        }
        match c {
            c if is_space(&c) => {}
            '{' | '[' => {
                while rest.next_if(is_space).is_some() {}
                out.push(c);
                if let Some(end) = rest.next_if(|next| matches!(next, '}' | ']')) {
                    out.push(end);
                } else {
                    depth += 1;
                    line(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth -= 1;
                line(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            _ => {
                in_string = c == '"';
                out.push(c);
            }
        }
    }
    out.push('\n');
    out
}

/// Escapes the same characters as [`pretty`] in valid JSON of one line.
#[must_use]
pub fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    // All of these characters are in strings.
    json.chars().for_each(|c| push_escaped(&mut out, c));
    out
}

/// Adds a character of a JSON string.
fn push_escaped(out: &mut String, c: char) {
    if steers_terminal(c) {
        *out += &format!("\\u{:04x}", u32::from(c));
    } else {
        out.push(c);
    }
}

fn line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
}

#[cfg(test)]
mod tests {
    use super::pretty;

    #[test]
    fn only_white_space_changes() {
        let compact = r#"{"b":[1.50,{}, [ ]],"a":"x:\"{,\\","n":123456789012345678901234567890}"#;
        let expected = "{\n  \"b\": [\n    1.50,\n    {},\n    []\n  ],\n  \"a\": \"x:\\\"{,\\\\\",\n  \"n\": 123456789012345678901234567890\n}\n";
        assert_eq!(pretty(compact), expected);
        assert_eq!(pretty(expected), expected);
    }

    #[test]
    fn characters_that_steer_a_terminal_are_escaped() {
        assert_eq!(pretty("[\"\u{7f}\u{9b}31m\u{e9}\\u001b\"]"), "[\n  \"\\u007f\\u009b31m\u{e9}\\u001b\"\n]\n");
        assert_eq!(pretty("[\"\u{202e}321\u{2069}\"]"), "[\n  \"\\u202e321\\u2069\"\n]\n");
    }
}
