//! Fields are references, locks, lists or other wrappers of services, trait objects, or tuples.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub struct Free;

provisions!(Kv);

/// A wrapper.
pub struct Cached<S>(S);

/// A broker.
#[broker]
pub struct Reference(&'static Kv);

/// A broker.
#[broker]
pub struct Tuple((Kv, Kv));

/// A broker.
#[broker]
pub struct Lock(std::sync::Mutex<Kv>, Cached<Box<dyn Send>>, ());

/// A broker.
#[broker]
pub struct SharedLock(std::sync::Arc<std::sync::Mutex<Kv>>);

/// A broker.
#[broker]
pub struct Shared(std::sync::Arc<Kv>);

/// A broker.
#[broker]
pub struct Optional(Option<Kv>);

/// A broker.
#[broker]
pub struct List(Vec<Kv>);

/// A broker.
#[broker]
pub struct Objects(Vec<Box<dyn osb_runtime::service::Service>>);

fn main() {}
