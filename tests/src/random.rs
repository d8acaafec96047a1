//! Seeded random numbers, so that a failing run can be repeated.

use std::time::Duration;

/// A random number generator: SplitMix64.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Creates a generator from a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// Creates an independent generator.
    pub fn fork(&mut self) -> Self {
        Self(self.next())
    }

    /// Returns a number below `end`, which must not be 0.
    pub fn below(&mut self, end: u32) -> u32 {
        u32::try_from(self.next() % u64::from(end)).unwrap_or(0)
    }

    /// Returns an index into a list of this length, which must not be 0.
    pub fn index(&mut self, length: usize) -> usize {
        let length = u32::try_from(length).unwrap_or(u32::MAX);
        self.below(length) as usize
    }

    /// Returns true with a probability of 1 in `times`.
    pub fn once_in(&mut self, times: u32) -> bool {
        self.below(times) == 0
    }

    /// Picks an element of a list, which must not be empty.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.index(from.len())]
    }

    /// Returns a duration below this number of milliseconds.
    pub fn moment(&mut self, milliseconds: u32) -> Duration {
        Duration::from_micros(u64::from(self.below(milliseconds * 1000)))
    }
}
