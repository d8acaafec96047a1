//! Credentials have a constant type and a field with that name.

use osb_runtime::prelude::*;

/// Credentials.
#[credentials(type = "postgresql")]
pub struct Access {
    /// The kind of database.
    #[param(rename = "type")]
    pub kind: String,
}

fn main() {}
