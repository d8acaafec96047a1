//! A wildcard of a shell.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// The hosts.
    #[param(pattern = "^*.example.com$")]
    pub hosts: String,
}

fn main() {}
