//! An argument is the value of `param`.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// The password.
    #[param = "secret"]
    pub password: String,
    /// Its replicas.
    #[param = 3]
    pub replicas: u32,
}

fn main() {}
