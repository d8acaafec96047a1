//! Patterns that a program can match without `regex`: see `match_runs` in `osb-catalog`.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use regex_syntax::hir::{Class, Hir, HirKind, Look, Repetition};

/// Ranges that are compared one after the other. `regex` is faster with more of them.
const MAX_RANGES: usize = 16;

/// A pattern that is a sequence of characters from its beginning on.
#[derive(Default)]
pub(super) struct Sequence {
    runs: Vec<Run>,
    /// True after `^`.
    from_start: bool,
    /// True after `$`.
    to_end: bool,
}

struct Run {
    class: Vec<(char, char)>,
    min: u32,
    max: u32,
}

impl Sequence {
    /// Takes an expression for `regex` apart. Returns `None` if it isn't such a sequence, or if it can't be matched without going
    /// back.
    pub(super) fn of(regex: &str) -> Option<Self> {
        let mut this = Self::default();
        this.read(&regex_syntax::parse(regex).ok()?)?;
        (this.from_start && !this.has_choices()).then_some(this)
    }

    fn read(&mut self, hir: &Hir) -> Option<()> {
        let begins = !self.from_start && !self.to_end && self.runs.is_empty();
        match hir.kind() {
            HirKind::Look(Look::Start) if begins => self.from_start = true,
            _ if self.to_end => return None,
            HirKind::Look(Look::End) => self.to_end = true,
            HirKind::Concat(parts) => return parts.iter().try_for_each(|part| self.read(part)),
            HirKind::Capture(group) => return self.read(&group.sub),
            HirKind::Repetition(Repetition { min, max, sub, .. }) => {
                let class = class(sub)?;
                self.runs.push(Run { class, min: *min, max: max.unwrap_or(u32::MAX) });
            }
            HirKind::Literal(text) => {
                let text = str::from_utf8(&text.0).ok()?;
                self.runs.extend(text.chars().map(|c| Run { class: vec![(c, c)], min: 1, max: 1 }));
            }
            _ => self.runs.push(Run { class: class(hir)?, min: 1, max: 1 }),
        }
        Some(())
    }

    /// Returns true if a character could belong to two runs.
    fn has_choices(&self) -> bool {
        let overlap = |a: &Run, b: &Run| {
            a.class.iter().any(|(first, last)| b.class.iter().any(|(from, to)| first <= to && from <= last))
        };
        self.runs.iter().enumerate().any(|(index, run)| {
            let following = &self.runs[index + 1..];
            let reached = following.iter().position(|next| next.min > 0).map_or(following.len(), |last| last + 1);
            run.min < run.max && following[..reached].iter().any(|next| overlap(run, next))
        })
    }

    /// Writes an expression that matches `text`.
    pub(super) fn tokens(&self, text: &TokenStream, p: &TokenStream) -> TokenStream {
        let runs = self.runs.iter().map(|Run { class, min, max }| {
            let ranges = class.iter().map(|(first, last)| quote!((#first, #last)));
            quote!(#p::Run { class: &[#(#ranges),*], min: #min, max: #max })
        });
        let to_end = self.to_end.to_token_stream();
        quote!(#p::match_runs(#text, &[#(#runs),*], #to_end))
    }
}

/// The ranges of a class with few of them, or of one character.
fn class(hir: &Hir) -> Option<Vec<(char, char)>> {
    match hir.kind() {
        HirKind::Class(Class::Unicode(class)) if class.ranges().len() <= MAX_RANGES => {
            Some(class.iter().map(|range| (range.start(), range.end())).collect())
        }
        HirKind::Literal(text) => {
            let mut text = str::from_utf8(&text.0).ok()?.chars();
            let first = text.next()?;
            text.next().is_none().then(|| vec![(first, first)])
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use regex::Regex;

    use super::Sequence;

    /// `match_runs` of `osb-catalog`, which the macros can't depend on.
    fn matches(sequence: &Sequence, text: &str) -> bool {
        let mut rest = text.chars();
        let found = sequence.runs.iter().all(|run| {
            let is_of = |c: &char| run.class.iter().any(|(first, last)| (*first..=*last).contains(c));
            let count = rest.clone().take(run.max as usize).take_while(is_of).count();
            rest.by_ref().take(count).for_each(drop);
            count >= run.min as usize
        });
        found && (!sequence.to_end || rest.as_str().is_empty())
    }

    #[test]
    fn usual_patterns_need_no_regex() {
        for pattern in
            ["^[a-z]+$", "^[a-z][a-z0-9-]{0,31}$", "^[A-Z]", r"^v[0-9]+\.[0-9]+$", "^[0-9a-f]{8}-[0-9a-f]{4}$"]
        {
            assert!(Sequence::of(pattern).is_some(), "{pattern}");
        }
        for pattern in ["[a-z]+$", "^[a-z]*a$", "^a*[0-9]?a$", "^(?:ab)*$", "^a|b$", r"^\p{L}$", "^a$b?", "^a^", "$^"] {
            assert!(Sequence::of(pattern).is_none(), "{pattern}");
        }
    }

    #[test]
    fn runs_match_as_regex_does() {
        let parts = ["a", "[ab]", "[bc]", "[^a]", "c?", "a*", "[bc]+", "a{2}", "[ab]{1,2}", "(c)", "é{0,2}", ""];
        let texts = all(&["a", "b", "c", "é"], 4).into_iter().map(|text| text.concat()).collect::<Vec<_>>();
        let mut found = 0;
        for chosen in all(&parts, 3) {
            for end in ["", "$"] {
                let pattern = format!("^{}{end}", chosen.concat());
                let Some(sequence) = Sequence::of(&pattern) else { continue };
                let regex = Regex::new(&pattern).expect("a pattern");
                found += 1;
                for text in &texts {
                    assert_eq!(matches(&sequence, text), regex.is_match(text), "{pattern} and {text}");
                }
            }
        }
        assert!(found > 500, "only {found} patterns are runs");
    }

    /// Returns all sequences of at most `most` items.
    fn all<'t>(items: &[&'t str], most: usize) -> Vec<Vec<&'t str>> {
        let mut all = vec![Vec::new()];
        let mut from = 0;
        for _ in 0..most {
            let longer = all[from..].iter().flat_map(|one| items.iter().map(|item| [&one[..], &[*item]].concat()));
            let longer = longer.collect::<Vec<_>>();
            from = all.len();
            all.extend(longer);
        }
        all
    }
}
