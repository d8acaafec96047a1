//! Brokers that are used have a misspelt argument, a field without a type, a service twice, or a derive: one error about each.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

provisions!(Kv);

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub struct Free;

// Mistake: A broker with a mistake is used: only one error.
/// The broker.
#[broker(dynamik)]
pub struct Misspelt {
    kv: Kv,
}

// Mistake: A field is half-typed: the item stays usable.
/// The broker.
#[broker]
pub struct Half {
    kv: Kv,
    other: ,
}

// Mistake: A service is in the broker twice.
/// The broker.
#[broker]
pub struct Twice {
    first: Kv,
    second: Kv,
}

// Mistake: The broker is a derive.
/// The broker.
#[derive(Broker)]
pub struct Derived {
    kv: Kv,
}

fn main() {
    drop(Misspelt { kv: Kv });
    println!("{}", <Misspelt as osb_runtime::service::Broker>::CATALOG_JSON);
    println!("{}", <Half as osb_runtime::service::Broker>::CATALOG_JSON);
    println!("{}", <Twice as osb_runtime::service::Broker>::CATALOG_JSON);
    println!("{}", <Derived as osb_runtime::service::Broker>::CATALOG_JSON);
}
