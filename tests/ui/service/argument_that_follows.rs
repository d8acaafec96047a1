//! Arguments repeat what follows from the plans and handlers, or belong to a plan or a broker.

use osb_runtime::prelude::*;

include!("../case.rs");

plans!(Free, Free2, Free3, Free4, Free5, Free6, Free7, Free8, Free9, Free10, Free11);

// Mistake: An argument repeats what follows from the plans.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free), bindable = true)]
pub struct Bindable;

// Mistake: An argument repeats what follows from the output of bindings.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "kv", plans(Free2), requires("syslog_drain"))]
pub struct Requires;

// Mistake: `plan_updatable` is a misspelling of `plan_updateable`, which is derived.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "kv", plans(Free3), plan_updatable = true)]
pub struct Updatable;

// Mistake: `maintenance_info` is on the service instead of a plan.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "kv", plans(Free4), maintenance_info(version = "1.0.0"))]
pub struct Maintained;

// Mistake: Arguments of `#[broker]`, and the name for people by another word.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "kv", plans(Free5), deny(lowercase_names), dynamic, lock, title = "Store")]
pub struct BrokerWords;

// Mistake: An extension field has the name of a field of the specification.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a06", name = "kv", plans(Free6), extensions("plan_updateable": true))]
pub struct Extended;

// Mistake: `crate` is a string.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a07", name = "kv", plans(Free7), crate = "osb_runtime")]
pub struct Crate;

// Mistake: The version of a plan and the provider's name, by other words.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a08", name = "kv", plans(Free8), version = "1.0.0", provider = "ACME")]
pub struct Versioned;

// Mistake: A family, which is a plan, and the case of names, which is that of parameters, are on the service.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a09", name = "kv", plans(Free9), family = Size, rename_all = "camelCase")]
pub struct Sized;

// Mistake: Whether operations are asynchronous, how long they are polled, and prices are those of a plan.
/// A store.
#[service(
    id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a10",
    name = "kv",
    plans(Free10),
    asynchronous(instances = always),
    maximum_polling_duration = "1h",
    requires_app,
    costs((usd = 9.90, unit = "MONTHLY")),
    bullets("1 GB"),
)]
pub struct Slow;

// Mistake: The types of states and credentials, which the handlers name, are on the service.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a11", name = "kv", plans(Free11), state = String, credentials = Access)]
pub struct Stateful;
