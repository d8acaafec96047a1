//! The time until which credentials are valid is a `SystemTime`.

use osb_runtime::prelude::*;

/// A login.
#[credentials]
pub struct Login {
    pub password: String,
    pub until: std::time::SystemTime,
}

fn main() {}
