//! Formats of OpenAPI.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// Gigabytes.
    #[param(format = "int32")]
    pub size_gb: i32,

    /// The certificate.
    #[param(format = "base64")]
    pub certificate: String,
}

fn main() {}
