//! The handler of a change of plan goes the other way.
#![deny(warnings)]
use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free, Pro), changes(Free => Pro))]
pub struct Kv;

provisions!(Kv);

/// 10 MB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub struct Free;

/// 1 GB.
#[plan(id = "c2f6e7d1-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "pro", free = false)]
pub struct Pro;

impl ChangePlan<Pro, Free> for Kv {
    async fn change_plan(
        &self,
        _: UpdateRequest<Pro, Free, ()>,
        _: &Operation<()>,
    ) -> Result<Updated<()>, UpdateError> {
        Ok(Updated::new(()))
    }
}

fn main() {}
