//! A service with a mistake is used in several places, or a plan with one has the name of another plan: only one error.

use osb_runtime::prelude::*;

include!("../handlers.rs");

// Mistake: A service with a mistake is used in several places: only one error.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free, Pro), changes(Free => Pro), tag("kv"))]
pub struct Kv;

plans!(Free, Small);

/// 1 GB, billed monthly.
#[plan(id = "8a4a2b52-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "pro", free = false, bindable, maintenance_info(version = "1.0.0"))]
pub struct Pro;

// Mistake: A plan with a mistake has the name of another plan: only one error.
/// A queue.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "queue", plans(Small, Large))]
pub struct Queue;

/// 1 GB, billed monthly.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "plan", prize = 3)]
pub struct Large;

provisions!(Kv, Queue);

updates!(Kv, Pro);

changes!(Kv, Free => Pro);

#[broker(deny(lowercase_names))]
pub struct Broker(Kv);

fn main() {
    println!("{}", <Broker as osb_runtime::service::Broker>::CATALOG_JSON);
}
