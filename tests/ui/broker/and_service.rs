//! A struct is a service and a broker, in either order: only one error.

use osb_runtime::prelude::*;

include!("../handlers.rs");

plans!(Free, Small);

// Mistake: A struct is a service and a broker.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
#[broker]
pub struct Kv {
    pub path: std::path::PathBuf,
}

/// A queue.
#[broker]
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "queue", plans(Small))]
pub struct Queue {
    pub path: std::path::PathBuf,
}

provisions!(Kv, Queue);

fn main() {
    println!("{} {}", Kv::CATALOG_JSON, Queue::CATALOG_JSON);
}
