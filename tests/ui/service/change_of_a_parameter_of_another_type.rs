//! A plan requires a parameter that has another type in the plan from which instances can change to it.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// The parameters of a small store.
#[parameters]
pub struct SmallStore {
    /// Size in GB.
    pub size: u32,
}

/// The parameters of a large store.
#[parameters]
pub struct LargeStore {
    /// Size, such as "5 TB".
    pub size: String,
}

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", create = SmallStore)]
pub struct Free;

/// 1 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "pro", create = LargeStore)]
pub struct Pro;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free, Pro), changes(Free => Pro))]
pub struct Kv;

provisions!(Kv);

impl ChangePlan<Free, Pro> for Kv {
    async fn change_plan(&self, _: UpdateRequest<Free, Pro, ()>, _: &Operation) -> Result<Updated, UpdateError> {
        Ok(Updated::new(()))
    }
}

fn main() {}
