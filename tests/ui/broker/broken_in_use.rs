//! Brokers have a misspelt argument, a field without a type, a service twice or with a mistake, or a derive, or are services: one error about each.

use std::sync::Arc;

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

// Mistake: A service with a mistake is in the broker: only one error, although it has the name and the plan id of another one.
/// A queue.
#[service(id = "8a4a2b53-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Small, Small))]
pub struct Queue;

plans!(Small, Medium, Large);

/// The broker.
#[broker]
pub struct Broken {
    kv: Kv,
    queue: Queue,
}

// Mistake: The broker is a derive.
/// The broker.
#[derive(Broker)]
pub struct Derived {
    kv: Kv,
}

// Mistake: A broker has a type parameter with a condition.
/// The broker.
#[broker]
pub struct Generic<T>
where
    T: Copy,
{
    kv: Kv,
    other: T,
}

// Mistake: A field is `Arc<Kv>`, and its value the service itself.
/// The broker.
#[broker]
pub struct Shared {
    kv: Arc<Kv>,
}

// Mistake: A struct is a service and a broker, in either order.
/// Mail.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "mail", plans(Medium))]
#[broker]
pub struct Mail {
    pub path: std::path::PathBuf,
}

/// A disk.
#[broker]
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "disk", plans(Large))]
pub struct Disk {
    pub path: std::path::PathBuf,
}

provisions!(Mail, Disk);

fn main() {
    println!("{} {}", Mail::CATALOG_JSON, Disk::CATALOG_JSON);
    drop(Misspelt { kv: Kv });
    drop(Shared { kv: Kv });
    println!("{}", <Misspelt as osb_runtime::service::Broker>::CATALOG_JSON);
    println!("{}", <Half as osb_runtime::service::Broker>::CATALOG_JSON);
    println!("{}", <Twice as osb_runtime::service::Broker>::CATALOG_JSON);
    println!("{}", <Derived as osb_runtime::service::Broker>::CATALOG_JSON);
}
