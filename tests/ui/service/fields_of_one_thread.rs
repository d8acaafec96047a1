//! Fields have parts, types or trait objects that only one thread can use: no error about each handler.

use std::cell::Cell;

use osb_runtime::prelude::*;

include!("../case.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv {
    // Mistake: Fields have parts that only one thread can use.
    cells: [std::cell::Cell<u8>; 2],
    // Mistake: A field is not `Sync`: no error about each handler.
    cell: std::cell::Cell<u64>,
    // Mistake: Fields have parts that only one thread can use.
    pair: (u8, std::cell::RefCell<u8>),
    pointer: *const u8,
    #[allow(unused_parens)]
    shared: (std::rc::Rc<u8>),
    // Mistake: A field is shared within one thread only.
    text: std::rc::Rc<String>,
    // Mistake: A lock doesn't help a field that has to stay in its thread.
    locked: std::sync::Mutex<Option<std::rc::Rc<String>>>,
    // Mistake: Fields have parts that only one thread can use.
    once: std::cell::OnceCell<u8>,
    receiver: std::sync::mpsc::Receiver<u8>,
    callback: Box<dyn Fn(u8) + Send>,
    // Mistake: A field is a closure that other threads can't call.
    closure: Box<dyn Fn() -> u64>,
}

/// A trait.
pub trait Backend {}

/// Values in memory.
pub struct Cache {
    values: std::cell::RefCell<Vec<String>>,
}

/// A queue.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "queue", plans(Small))]
pub struct Queue {
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

// Mistake: A field is a trait object that other threads can't use, and the service has all handlers of its plan.
/// A database.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "db", plans(Large))]
pub struct Database {
    field: Box<dyn Backend>,
}

/// 10 MB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "large", bindable)]
pub struct Large;

/// The credentials.
#[credentials]
pub struct Access {
    /// Where the database is.
    uri: String,
}

plans!(Free, Small);

provisions!(Kv, Queue, Database);
binds!(Database, Large = Credentials<Access>);

#[broker]
pub struct Broker(Kv, Queue, Database);
