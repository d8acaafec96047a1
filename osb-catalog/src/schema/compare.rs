//! Equality of values, and similarity of names.

use std::fmt::Write;

use serde_json::{Number, Value};

/// Returns a text that is the same for two values if and only if they are equal in JSON Schema: 1 equals 1.0, and the
/// order of members does not matter.
#[must_use]
pub fn canonical(value: &Value) -> String {
    let mut out = String::new();
    write_canonical(value, &mut out);
    out
}

fn write_canonical(value: &Value, out: &mut String) {
    match value {
        Value::Number(number) => write_number(number, out),
        Value::Array(items) => {
            out.push('[');
            for item in items {
                write_canonical(item, out);
                out.push(',');
            }
            out.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_unstable_by_key(|(name, _)| *name);
            out.push('{');
            for (name, value) in members {
                let _ = write!(out, "{}:", Value::from(name.as_str()));
                write_canonical(value, out);
                out.push(',');
            }
            out.push('}');
        }
        other => {
            let _ = write!(out, "{other}");
        }
    }
}

fn write_number(number: &Number, out: &mut String) {
    let _ = match number.as_f64() {
        #[expect(clippy::cast_possible_truncation, reason = "whole and below 2^64")]
        Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < 18_446_744_073_709_551_616.0 => {
            write!(out, "{}", float as i128)
        }
        _ => write!(out, "{number}"),
    };
}

/// Returns the known name that is most similar to `name`, for "did you mean".
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    const MAX_CHARS: usize = 64;
    let plain = |text: &str| -> String {
        text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).take(MAX_CHARS).collect()
    };
    let name = plain(name);
    known
        .map(|candidate| (strsim::levenshtein(&name, &plain(candidate)), candidate))
        .filter(|(distance, candidate)| *distance <= candidate.len() / 3)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}
