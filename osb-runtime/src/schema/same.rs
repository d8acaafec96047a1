//! When two things are the same, or nearly.

use std::fmt::Write;

use serde_json::{Number, Value};

/// Whether two strings are equal, sixteen bytes a step: a catalog compares each id with every other one.
pub(crate) const fn same(a: &str, b: &str) -> bool {
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

/// A text that two values have in common if and only if JSON Schema takes them for equal: 1 and 1.0 are, and the order
/// of members doesn't matter.
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

/// The known name that `name` was probably meant to be.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    const LONGEST: usize = 64;
    let plain = |text: &str| -> Vec<char> {
        text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).take(LONGEST).collect()
    };
    let name = plain(name);
    known
        .map(|candidate| (distance(&name, &plain(candidate)), candidate))
        .filter(|(distance, candidate)| *distance <= candidate.len() / 3)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// How many characters have to be added, removed or changed to get from `a` to `b` (Levenshtein).
fn distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
