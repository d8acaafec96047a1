//! A password that logs show.

#![deny(deprecated)]

use osb_runtime::prelude::*;

/// The login of an application.
#[credentials]
pub struct Access {
    /// The password.
    #[param(public)]
    pub password: String,
}

fn main() {}
