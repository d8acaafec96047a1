//! `bindable` has the value of `bind`.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", bindable = NewLogin, rotatable)]
pub struct Free;

provisions!(Kv);

/// The parameters of a new login.
#[parameters]
pub struct NewLogin {
    /// A login that can only read.
    pub read_only: bool,
}

fn main() {}
