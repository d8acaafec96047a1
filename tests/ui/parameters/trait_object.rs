//! A field is a trait object, in a type that plans use.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// Parameters.
#[parameters(partial = StoreChanges)]
pub struct NewStore {
    /// Where the store is.
    pub place: Box<dyn std::fmt::Debug>,
}

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", create = NewStore, update = StoreChanges)]
pub struct Free;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

provisions!(Kv);

impl Update<Free> for Kv {
    async fn update(&self, _: UpdateRequest<Free, Free, ()>, _: &Operation) -> Result<Updated, UpdateError> {
        Ok(Updated::new(()))
    }
}

fn main() {}
