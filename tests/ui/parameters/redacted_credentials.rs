//! Words of other crates for secret values.

use osb_runtime::prelude::*;

/// The login of an application.
#[credentials]
pub struct Access {
    /// The password.
    #[param(skip_debug)]
    pub password: String,
}

fn main() {}
