//! Brokers that are used have a misspelt argument, a field without a type, a service twice, or a derive: one error about each.

use osb_runtime::prelude::*;

include!("../handlers.rs");

store!();

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
