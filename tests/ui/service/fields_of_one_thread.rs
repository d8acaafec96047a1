//! Fields have parts that only one thread can use: no error about each handler.

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

plans!(Free);

provisions!(Kv);

#[broker]
pub struct Broker(Kv);
