//! The progress of a long command, on a terminal.

use std::{
    io::{IsTerminal, Write, stderr},
    time::{Duration, Instant},
};

use osb_catalog::text::steers_terminal;

/// Time between two updates of a count.
const PAUSE: Duration = Duration::from_millis(100);

/// Longest line that no terminal wraps.
const WIDTH: usize = 78;

/// A line on standard error that changes, if that is a terminal. It is removed at the end.
#[derive(Debug)]
pub(super) struct StatusLine {
    is_terminal: bool,
}

impl StatusLine {
    pub(super) fn new() -> Self {
        Self { is_terminal: stderr().is_terminal() }
    }

    #[cfg(feature = "check")]
    pub(super) fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    pub(super) fn show(&self, text: &str) {
        if self.is_terminal {
            let line: String = text.chars().filter(|c| !steers_terminal(*c)).take(WIDTH).collect();
            // If standard error is closed, there is no other place to report that.
            let _ = write!(stderr(), "\r\x1b[K{line}");
        }
    }
}

impl Drop for StatusLine {
    fn drop(&mut self) {
        self.show("");
    }
}

/// A count of things, such as "records copied".
pub(super) struct Progress {
    what: &'static str,
    count: u64,
    shown: Option<Instant>,
    line: StatusLine,
}

impl Progress {
    pub(super) fn new(what: &'static str) -> Self {
        Self { what, count: 0, shown: None, line: StatusLine::new() }
    }

    /// Adds to the count.
    pub(super) fn add(&mut self, number: u64) {
        self.count += number;
        if self.shown.is_none_or(|shown| shown.elapsed() >= PAUSE) {
            self.shown = Some(Instant::now());
            self.line.show(&format!("{} {}", self.count, self.what));
        }
    }
}
