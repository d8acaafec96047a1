//! Outputs of bindings are a string, optional, nested, there twice, or credentials whose type is not under `#[credentials]`.

use osb_runtime::prelude::*;

include!("../case.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Text, Optional, Nested, Drains, Twice, Drain, Plain))]
pub struct Kv;

provisions!(Kv);

/// Reads.
#[credentials]
pub struct Reader {
    /// The token.
    pub token: String,
}

/// Writes.
#[credentials]
pub struct Writer {
    /// The token.
    pub token: String,
}

/// The credentials of a binding, without the attribute.
pub struct KvAccess {
    /// Where the store is.
    pub uri: String,
}

binds!(
    Kv,
    // Mistake: A binding returns a `String`.
    Text = String,
    // Mistake: The output of a binding is optional.
    Optional = Option<LogDrain>,
    // Mistake: The output of a binding is a tuple with a tuple in it.
    Nested = (LogDrain, (RouteService, Endpoints)),
    // Mistake: A binding has two log drains.
    Drains = (LogDrain, LogDrain),
    // Mistake: A binding has credentials of two types.
    Twice = (Credentials<Reader>, Endpoints, Credentials<Writer>),
    // Mistake: A log drain is an output itself, and no credentials.
    Drain = Credentials<LogDrain>,
    // Mistake: The type of the credentials has no `#[credentials]`.
    Plain = Credentials<KvAccess>,
);

plans!(Text(bindable), Optional(bindable), Nested(bindable), Drains(bindable), Twice(bindable), Drain(bindable), Plain(bindable));
