//! Words of the specification, of other frameworks, or for things that have other names or other places.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// 10 MB, for trying things out.
#[plan(
    id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name = "free",
    provision = NewStore,
    parameters = NewStore,
    credentials = Access,
    version = "1.0.0",
    instances = always,
    bindings = never,
    max_instances = 5,
    values(gigabytes = 5),
    schemas("service_instance": {}),
    tags("small"),
    hidden,
    public = false,
    active = false,
    paid,
    plan_updateable = true,
    plan_updatable = true,
    metadata(costs((usd = 9.90, unit = "MONTHLY"))),
)]
pub struct Free;

/// 1 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "pro", bindable, binding_rotatable)]
pub struct Pro;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free, Pro))]
pub struct Kv;

provisions!(Kv);

fn main() {}
