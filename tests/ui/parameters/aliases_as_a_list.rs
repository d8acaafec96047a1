//! Aliases are given as a list.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// Days.
    #[param(alias("days", "retention"))]
    pub keep_days: u32,
}

fn main() {}
