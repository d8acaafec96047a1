//! Credentials have types that own nothing, or have no names.

use osb_runtime::prelude::*;

/// The access to a store.
#[credentials]
pub struct Access {
    /// The user.
    pub user: &'static str,
    /// The ports.
    pub ports: (u16, u16),
    /// The file.
    pub file: std::path::PathBuf,
}

fn main() {}
