//! The progress of a long command, on a terminal.

use std::{
    io::{IsTerminal, Write, stderr},
    time::{Duration, Instant},
};

/// Time between two updates of the line.
const PAUSE: Duration = Duration::from_millis(100);

/// A line on standard error that counts, if that is a terminal. It is removed at the end.
pub(super) struct Progress {
    what: &'static str,
    count: u64,
    shown: Option<Instant>,
    is_terminal: bool,
}

impl Progress {
    /// Counts things, such as "records copied".
    pub(super) fn new(what: &'static str) -> Self {
        Self { what, count: 0, shown: None, is_terminal: stderr().is_terminal() }
    }

    /// Adds to the count.
    pub(super) fn add(&mut self, number: u64) {
        self.count += number;
        if !self.is_terminal || self.shown.is_some_and(|shown| shown.elapsed() < PAUSE) {
            return;
        }
        self.shown = Some(Instant::now());
        // If standard error is closed, there is no other place to report that.
        let _ = write!(stderr(), "\r{} {}", self.count, self.what);
        let _ = stderr().flush();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown.is_some() {
            let _ = write!(stderr(), "\r{:width$}\r", "", width = self.what.len() + 21);
        }
    }
}
