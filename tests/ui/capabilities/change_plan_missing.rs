//! A plan change is declared, but the service does not implement it, or only the reverse.

#![deny(warnings)]

use osb_runtime::prelude::*;

include!("../case.rs");

// Mistake: A plan change is declared, but the service does not implement it.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free, plans::Pro), changes(Free => plans::Pro))]
pub struct Kv;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub struct Free;

/// A paid plan.
pub mod plans {
    use super::*;

    /// 1 GB, billed monthly.
    #[plan(id = "c2f6e7d1-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "pro", free = false)]
    pub struct Pro;
}

// Mistake: The handler of a change of plan goes the other way.
/// A queue.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "queue", plans(Small, Large), changes(Small => Large))]
pub struct Queue;

/// 100 messages.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "small")]
pub struct Small;

/// 10,000 messages.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "large")]
pub struct Large;

impl ChangePlan<Large, Small> for Queue {
    async fn change_plan(&self, _: UpdateRequest<Large, Small, ()>, _: &Operation) -> Result<Updated, UpdateError> {
        Ok(Updated::new(()))
    }
}

// Mistake: A change between the plans of a family has no handler.
/// Databases.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "db", plans(BySize), changes(BySize => BySize))]
pub struct Databases;

/// A database of a size.
#[plan(name = "sized", family = Size)]
pub struct BySize;

/// The size of a database.
#[parameters]
pub struct Size {
    /// Storage in GB.
    pub gigabytes: u32,
}

provisions!(Kv, Queue, Databases);
