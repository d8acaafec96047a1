//! Updates have parameters, but none can change.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", create = NewStore, update = Changes)]
pub struct Free;

/// The parameters of a new store.
#[parameters(partial = Changes)]
pub struct NewStore {
    /// The place.
    #[param(immutable)]
    pub zone: String,
}

provisions!(Kv);

impl Update<Free> for Kv {
    async fn update(
        &self,
        _: UpdateRequest<Free, Free, ()>,
        _: &Operation<()>,
    ) -> Result<Updated<()>, UpdateError> {
        Ok(Updated::new(()))
    }
}

fn main() {}
