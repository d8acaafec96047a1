//! The constraint of elements has no name, or the list is a value.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// Addresses for alerts.
    #[param(items("email"))]
    pub alerts: Vec<String>,

    /// Hosts that may connect.
    #[param(items = "^[a-z]+$")]
    pub hosts: Vec<String>,
}

fn main() {}
