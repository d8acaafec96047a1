//! Equality and similarity of strings and values.

use std::fmt::Write;

use serde_json::{Number, Value};

/// Returns whether two strings are equal. It compares 16 bytes in a step, because a catalog compares each id with all
/// others.
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
pub(crate) const fn hash_ignoring_case(text: &str) -> u64 {
    const CASE: u64 = u64::from_le_bytes([0x20; 8]);
    // FNV-1a, eight bytes in a step.
    const PRIME: u64 = 0x0100_0000_01b3;
    let mut hash = 0xcbf2_9ce4_8422_2325;
    let mut rest = text.as_bytes();
    while let Some((eight, after)) = rest.split_first_chunk::<8>() {
        hash = (hash ^ (u64::from_le_bytes(*eight) | CASE)).wrapping_mul(PRIME).rotate_left(29);
        rest = after;
    }
    while let [byte, after @ ..] = rest {
        hash = (hash ^ (*byte | 0x20) as u64).wrapping_mul(PRIME).rotate_left(29);
        rest = after;
    }
    hash
}

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
    let plain = |text: &str| -> Vec<char> {
        text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).take(MAX_CHARS).collect()
    };
    let name = plain(name);
    known
        .map(|candidate| (distance(&name, &plain(candidate)), candidate))
        .filter(|(distance, candidate)| *distance <= candidate.len() / 3)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Returns the Levenshtein distance.
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

#[cfg(test)]
mod tests {
    use super::{hash_ignoring_case, same_ignoring_case};

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
