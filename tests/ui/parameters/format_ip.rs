//! There are two formats for IP addresses.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// The address.
    #[param(format = "ip")]
    pub address: String,
}

fn main() {}
