//! `Credentials` is derived.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// The credentials of a binding.
#[derive(Credentials)]
pub struct Access {
    /// URI of the store.
    pub uri: String,
}

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", bindable)]
pub struct Free;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

provisions!(Kv);

binds!(Kv, Free = Credentials<Access>);

fn main() {}
