//! Patterns that are matched without `regex`, which adds 1 MB to a program: runs of characters, each of a class, as in
//! `^[a-z][a-z0-9-]{0,31}$`. The macro finds out which patterns are like this, and checks the others with `regex`.

/// Some characters of one class.
#[derive(Debug, Clone, Copy)]
pub struct Run {
    /// The first and the last character of each range.
    pub class: &'static [(char, char)],
    /// The least number of characters.
    pub min: u32,
    /// The greatest number of characters.
    pub max: u32,
}

/// Returns whether a text begins with these runs, and ends with them if `to_end`. Each run takes as many characters as it can, so
/// one that isn't of a fixed length must not be followed by a character of its own class.
#[must_use]
pub fn match_runs(text: &str, runs: &[Run], to_end: bool) -> bool {
    let mut rest = text.chars();
    for run in runs {
        let mut count = 0;
        while count < run.max
            && let Some(next) = rest.clone().next()
            && run.class.iter().any(|(first, last)| (*first..=*last).contains(&next))
        {
            rest.next();
            count += 1;
        }
        if count < run.min {
            return false;
        }
    }
    !to_end || rest.as_str().is_empty()
}
