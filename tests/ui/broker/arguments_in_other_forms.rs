//! Arguments are misspelt or unknown, or the services, lints are no list or without `deny`, or the name of a lock file is no string.

use osb_runtime::prelude::*;

include!("../case.rs");

store!();

plans!(Small);

/// Queues.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "mq", plans(Small))]
pub struct Mq;

provisions!(Mq);

// Mistake: An argument is misspelt.
/// A broker.
#[broker(dynamik)]
pub struct Misspelt(Kv);

// Mistake: Words that a broker doesn't have.
/// A broker.
#[broker(name = "stores", version = "1.0.0", changes(Small => Large), allow(lowercase_names))]
pub struct Words(Kv);

// Mistake: A lint is after an equals sign.
/// A broker.
#[broker(deny = lowercase_names)]
pub struct Value(Kv);

// Mistake: A lint is written with hyphens.
/// A broker.
#[broker(deny(lowercase-names))]
pub struct Hyphens(Kv);

// Mistake: A lint does not exist.
/// A broker.
#[broker(deny(lowercase_name))]
pub struct Unknown(Kv);

// Mistake: Lints without `deny`, and warnings.
/// A broker.
#[broker(one_way_changes, lowercase_names, required_create_parameters, warn(all))]
pub struct Lints(Kv);

// Mistake: Lints have no comma between them, and warnings have other names.
/// A broker.
#[broker(deny(lowercase_names one_way_changes), forbid(required_create_parameters))]
pub struct Commaless(Kv);

// Mistake: The name of a lock file is in parentheses.
/// A broker.
#[broker(lock("catalog.lock"))]
pub struct List(Kv);

// Mistake: The name of a lock file is blank.
/// A broker.
#[broker(lock = " ")]
pub struct Blank(Kv);

// Mistake: The name of a lock file is not a string.
/// A broker.
#[broker(lock = true)]
pub struct Flag(Kv);

/// A broker.
#[broker(lock = catalog.lock)]
pub struct Path(Kv);

// Mistake: The services are arguments of the attribute.
/// A broker.
#[broker(Kv, Mq)]
pub struct Both;

// Mistake: The services are an argument, and there are no fields.
/// A broker with a field.
#[broker(services(Kv))]
pub struct Broker {
    kv: Kv,
}

// Mistake: The services are listed although they are the fields.
/// A broker without fields.
#[broker(services(Kv))]
pub struct Empty;
