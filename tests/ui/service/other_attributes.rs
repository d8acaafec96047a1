//! A service is a derive, too or alone, an enum or an `impl`, has the attribute of a plan or of a trait, or a field without a type: the item stays
//! usable.

use osb_runtime::prelude::*;

include!("../case.rs");

// Mistake: The service is a derive.
/// A store.
#[derive(Service)]
pub struct Derived;

// Mistake: The service is a derive, too.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "both", plans(Free))]
#[derive(Debug, Service)]
pub struct Both;

// Mistake: The attribute of a service is that of a plan.
/// A store.
#[plan(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "plan", plans(Small), tags("store"))]
pub struct Plan;

// Mistake: A field is half-typed: the item stays usable.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "half", plans(Large))]
pub struct Half {
    url: ,
}

// Mistake: A service is under `#[async_trait]`.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "waiting", plans(Medium, Huge))]
#[async_trait]
pub struct Waiting;

plans!(Free, Small, Large, Medium, Basic, Pro);

// Mistake: The attribute is on an enum.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a06", name = "kv", plans(Basic))]
pub enum Memory {
    /// In memory.
    Memory,
}

/// A store.
pub struct Kv;

// Mistake: The attribute is on an `impl`.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a07", name = "kv", plans(Pro))]
impl Kv {}

// Mistake: A plan is under `#[async_trait]`, with its path.
/// 10 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "huge")]
#[async_trait::async_trait]
pub struct Huge;

provisions!(Derived, Both, Plan, Half, Waiting);

#[broker]
pub struct Broker(Derived, Both, Plan, Half, Waiting);

/// Prints it.
pub fn print(both: &Both) {
    println!("{both:?}");
}
