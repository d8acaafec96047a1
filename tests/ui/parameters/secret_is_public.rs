//! A password that logs show.

#![deny(deprecated)]

use osb_runtime::prelude::*;

/// What an application needs.
#[credentials]
pub struct Access {
    /// The password.
    #[param(public)]
    pub password: String,
}

fn main() {}
