//! A service with fields whose types lead back to it, trait objects among them, one that is left out, and one whose type is
//! called like one of the standard library.

use std::sync::{Arc, Mutex, Weak};

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// The owner of some services.
pub struct Registry {
    /// Its first service.
    pub first: Mutex<Weak<Files>>,
}

/// A value that threads share.
pub struct Cell<T>(pub Mutex<T>);

/// Where files are kept.
pub trait Backend: Send + Sync {
    /// The number of files.
    fn count(&self) -> usize;
}

/// A backend that asks another service.
pub struct Chained(pub Weak<Files>);

impl Backend for Chained {
    fn count(&self) -> usize {
        self.0.upgrade().map_or(0, |files| files.backend.count())
    }
}

/// Files.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "files", plans(Small))]
pub struct Files {
    /// Where it is registered.
    pub registry: Arc<Registry>,
    /// Where its files are kept.
    pub backend: Box<dyn Backend>,
    /// Another one like it.
    pub next: Option<Arc<Self>>,
    /// Others, any of which can be missing.
    pub others: Option<Arc<dyn std::any::Any + Send + Sync>>,
    /// How many there are.
    pub count: Cell<u64>,
    /// For another system.
    #[cfg(any())]
    pub elsewhere: Missing,
}

/// Small.
#[plan(id = "8a4a2b58-0c1d-4f6e-9a57-2f0f6b1c7d02", name = "small")]
pub struct Small;

provisions!(Files);

pub(super) fn main() {
    let registry = Arc::new(Registry { first: Mutex::default() });
    let (backend, count) = (Box::new(Chained(Weak::new())), Cell(Mutex::new(0)));
    let files = Files { registry, backend, next: None, others: None, count };
    let Files { backend, next, others, count, .. } = files;
    assert!(backend.count() == 0 && next.is_none() && others.is_none() && *count.0.lock().unwrap() == 0);
}
