//! Fields are shared by counting, or change behind a reference, in a type with `partial` that a plan names: one error for each.

#![deny(warnings)]

use osb_runtime::prelude::*;
use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    rc::Rc,
};

include!("../case.rs");

#[parameters(partial = StoreChanges)]
pub struct NewStore {
    // Mistake: A field is an `Rc`, in a type with `partial`.
    pub labels: Option<Rc<BTreeMap<String, String>>>,
    // Mistake: A field is a `Cell` or a `RefCell`, in a type with `partial`.
    pub ttl: Cell<u32>,
    pub name: RefCell<String>,
    // Mistake: A field is a `Mutex` or a `RwLock`.
    pub size: std::sync::Mutex<u64>,
    pub region: std::sync::RwLock<String>,
    pub copies: u8,
}

#[credentials]
pub struct Access {
    // Mistake: A field of credentials is a `OnceCell`.
    pub uri: std::cell::OnceCell<String>,
}

/// 10 MB, for trying things out.
#[plan(
    id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name = "free",
    create = NewStore,
    update = StoreChanges,
)]
pub struct Free;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

provisions!(Kv);
updates!(Kv, Free);

pub fn copies(changes: StoreChanges) -> Option<u8> {
    changes.copies
}
