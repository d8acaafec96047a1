//! The commands `import` and `export`: instances of another broker, with their ids, as lines of JSON.

mod export;
mod import;

use clap::Command;

pub(super) use self::{export::export, import::import};

/// Number of problems that are listed.
const SHOWN: usize = 100;

pub(super) fn commands() -> [Command; 2] {
    [import::command(), export::command()]
}
