//! Fields are a trait object, a `Change` beside `partial`, a reference or an `Arc`, in types that are used.

use std::sync::Arc;

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free, Pro))]
pub struct Kv;

provisions!(Kv);
updates!(Kv, Free);

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", create = Placed, update = PlacedChanges)]
pub struct Free;

// Mistake: A field is a trait object, in a type that plans use.
/// Parameters.
#[parameters(partial = PlacedChanges)]
pub struct Placed {
    /// Where the store is.
    pub place: Box<dyn std::fmt::Debug>,
}

/// 1 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "pro", create = NewStore)]
pub struct Pro;

// Mistake: A field is a `Change`, which the generated type of an update has.
/// The parameters of a new store.
#[parameters(partial = StoreChanges)]
pub struct NewStore {
    /// The label.
    pub label: Change<String>,
}

// Mistake: A field borrows, and its value is owned already.
/// Credentials.
#[credentials]
pub struct Access<'a> {
    /// The user.
    pub user: &'a str,
}

// Mistake: A field shares its value, and the value is no `Arc`.
/// More credentials.
#[credentials]
pub struct SharedAccess {
    /// The user.
    pub user: Arc<str>,
}

fn main() {
    let user = String::from("kv");
    let access = Access { user: user.clone() };
    println!("{}", access.user.len());
    let access = SharedAccess { user };
    println!("{}", access.user.to_uppercase());
}
