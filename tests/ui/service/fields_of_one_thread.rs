//! Fields have parts that only one thread can use: no error about each handler.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv {
    cells: [std::cell::Cell<u8>; 2],
    cell: std::cell::Cell<u64>,
    pair: (u8, std::cell::RefCell<u8>),
    pointer: *const u8,
    #[allow(unused_parens)]
    shared: (std::rc::Rc<u8>),
    text: std::rc::Rc<String>,
    locked: std::sync::Mutex<Option<std::rc::Rc<String>>>,
    once: std::cell::OnceCell<u8>,
    receiver: std::sync::mpsc::Receiver<u8>,
    callback: Box<dyn Fn(u8) + Send>,
    closure: Box<dyn Fn() -> u64>,
}

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub struct Free;

provisions!(Kv);

/// The broker.
#[broker]
pub struct Broker {
    kv: Kv,
}

fn main() {}
