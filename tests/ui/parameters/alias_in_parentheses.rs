//! An alias stands in parentheses.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// Days.
    #[param(alias("days"))]
    pub keep_days: u32,
}

fn main() {}
