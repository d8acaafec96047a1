//! Arguments of credentials in other words.

use osb_runtime::prelude::*;

/// The credentials of a binding.
#[credentials]
pub struct Access {
    /// URI of the store.
    #[param(hidden, required)]
    pub uri: String,
    /// Kind of the store.
    #[param(type = "kv", optional)]
    pub kind: String,
}

fn main() {}
