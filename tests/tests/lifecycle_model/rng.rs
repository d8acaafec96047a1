//! Seeded random numbers, so that a failing run can be repeated.

use std::fmt::Display;

/// A random number generator (xorshift), with the same numbers in each run.
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        let mut rng = Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        // Similar seeds begin with similar numbers.
        for _ in 0..8 {
            rng.below(2);
        }
        rng
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or_default() % end
    }

    /// Returns true with a probability of one in `times`.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub(crate) fn one<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())].clone()
    }
}

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
