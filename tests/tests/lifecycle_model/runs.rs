//! The seeds of runs, and the steps of each, so that a failing one can be repeated.

use std::fmt::Display;

/// Returns `OSB_MODEL_SEQUENCES` seeds, starting at `OSB_MODEL_SEED`.
pub(crate) fn seeds(default: u64) -> impl Iterator<Item = u64> {
    let number = |name| std::env::var(name).ok().and_then(|value| value.parse().ok());
    let first = number("OSB_MODEL_SEED").unwrap_or(1);
    first..first + number("OSB_MODEL_SEQUENCES").unwrap_or(default)
}

/// The steps of a run, printed if the test fails.
pub(crate) struct History {
    seed: u64,
    steps: Vec<String>,
}

impl History {
    pub(crate) fn of(seed: u64) -> Self {
        Self { seed, steps: Vec::new() }
    }

    pub(crate) fn add(&mut self, step: impl Display) {
        self.steps.push(step.to_string());
    }
}

impl Drop for History {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let Self { seed, steps } = self;
            eprintln!("{}\nRepeat with OSB_MODEL_SEED={seed} OSB_MODEL_SEQUENCES=1", steps.join("\n"));
        }
    }
}
