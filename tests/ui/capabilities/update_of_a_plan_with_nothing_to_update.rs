//! The service updates a plan that has nothing to update.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

provisions!(Kv);

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub struct Free;

impl Update<Free> for Kv {
    async fn update(&self, request: UpdateRequest<Free, Free, ()>, _: &Operation<()>) -> Result<Updated<()>, UpdateError> {
        Ok(Updated::new(request.state))
    }
}

fn main() {}
