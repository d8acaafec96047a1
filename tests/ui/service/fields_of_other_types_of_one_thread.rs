//! Fields are trait objects that other threads can't use, or have types that could be, or are, the author's own.

use osb_runtime::prelude::*;
use std::cell::Cell;

include!("../case.rs");

/// A trait.
pub trait Backend {}

/// Values in memory.
pub struct Cache {
    values: std::cell::RefCell<Vec<String>>,
}

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv {
    // Mistake: A field is not `Sync`, and its type could be the author's own.
    cell: Cell<u64>,
    // Mistake: A field is a shared trait object that isn't `Sync`.
    shared: std::sync::Arc<dyn Backend + Send>,
    // Mistake: A field is a trait object that other threads can't use.
    backend: Box<dyn Backend>,
    // Mistake: A field has a type of the author's that threads cannot share.
    cache: Cache,
    limit: Option<u32>,
}

plans!(Free);

provisions!(Kv);

/// The broker.
#[broker]
pub struct Broker {
    kv: Kv,
}
