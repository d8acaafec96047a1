//! The plan is a derive.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

/// 10 MB, for trying things out.
#[derive(Plan)]
pub struct Free;

provisions!(Kv);

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// Seconds after which a key expires.
    pub ttl: u32,
}

/// Plans with these parameters.
pub trait Quota: Plan<Create = NewStore> {}

impl Quota for Free {}

fn main() {}
