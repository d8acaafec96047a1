//! Fields are references, locks, lists or other wrappers of services, trait objects, or tuples.

use osb_runtime::prelude::*;

include!("../case.rs");

store!();

/// A wrapper.
pub struct Cached<S>(S);

// Mistake: A field is a reference to a service.
/// A broker.
#[broker]
pub struct Reference(&'static Kv);

// Mistake: A field is a tuple of services.
/// A broker.
#[broker]
pub struct Tuple((Kv, Kv));

// Mistake: Fields are a lock, a tuple of nothing, and a type with a parameter.
/// A broker.
#[broker]
pub struct Lock(std::sync::Mutex<Kv>, Cached<Box<dyn Send>>, ());

// Mistake: A field is a lock in an `Arc`.
/// A broker.
#[broker]
pub struct SharedLock(std::sync::Arc<std::sync::Mutex<Kv>>);

// Mistake: A field is `Arc<Kv>`.
/// A broker.
#[broker]
pub struct Shared(std::sync::Arc<Kv>);

// Mistake: A field is `Option<Kv>`.
/// A broker.
#[broker]
pub struct Optional(Option<Kv>);

// Mistake: A field is `Vec<Kv>`.
/// A broker.
#[broker]
pub struct List(Vec<Kv>);

// Mistake: The fields are trait objects.
/// A broker.
#[broker]
pub struct Objects(Vec<Box<dyn osb_runtime::service::Service>>);
