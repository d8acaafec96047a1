//! Generates strings that match a pattern.

use regex_syntax::hir::{Class, Hir, HirKind};

use super::LONGEST;

/// The maximum number of additional repetitions to reach a minimum length.
const MOST: u32 = 64;

/// Returns distinct strings that match, shorter ones first; none if the pattern is not supported or all matches are long.
pub(super) fn texts(pattern: &str, shortest: usize) -> Vec<String> {
    let Ok(hir) = regex_syntax::parse(pattern) else { return Vec::new() };
    let mut made = Vec::new();
    for (more, choice) in [(0, 0), (0, 1), (MOST, 0), (1, 0), (1, 1)] {
        let mut text = String::new();
        let more = if more == MOST { u32::try_from(shortest).unwrap_or(MOST).min(MOST) } else { more };
        if write(&hir, more, choice, &mut text).is_some()
            && text.chars().count() >= shortest
            && !text.is_empty()
            && !made.contains(&text)
        {
            made.push(text);
        }
    }
    made
}

/// Appends a match with `more` repetitions than the minimum, and with the given alternative where there is a choice.
fn write(hir: &Hir, more: u32, choice: usize, text: &mut String) -> Option<()> {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Some(()),
        HirKind::Literal(literal) => {
            text.push_str(std::str::from_utf8(&literal.0).ok()?);
            Some(())
        }
        HirKind::Class(class) => {
            text.push(character(class, choice)?);
            Some(())
        }
        HirKind::Repetition(repetition) => {
            let most = repetition.max.unwrap_or(u32::MAX);
            for _ in 0..repetition.min.saturating_add(more).min(most) {
                let before = text.len();
                write(&repetition.sub, more, choice, text)?;
                match text.len() {
                    LONGEST.. => return None,
                    // All further repetitions are empty as well.
                    after if after == before => break,
                    _ => {}
                }
            }
            Some(())
        }
        HirKind::Capture(capture) => write(&capture.sub, more, choice, text),
        HirKind::Concat(parts) => parts.iter().try_for_each(|part| write(part, more, choice, text)),
        HirKind::Alternation(parts) => write(parts.get(choice.min(parts.len() - 1))?, more, choice, text),
    }
}

/// Returns a character of a class, if possible a printable ASCII one.
fn character(class: &Class, choice: usize) -> Option<char> {
    let ranges: Vec<(char, char)> = match class {
        Class::Unicode(class) => class.ranges().iter().map(|range| (range.start(), range.end())).collect(),
        Class::Bytes(class) => class.ranges().iter().map(|range| (range.start().into(), range.end().into())).collect(),
    };
    let has = |c: &char| ranges.iter().any(|(first, last)| (first..=last).contains(&c));
    let readable = ('a'..='z').chain('A'..='Z').chain('0'..='9').chain('!'..='~').filter(has);
    let readable: Vec<char> = readable.take(2).collect();
    readable.get(choice).or(readable.first()).copied().or_else(|| ranges.first().map(|(first, _)| *first))
}
