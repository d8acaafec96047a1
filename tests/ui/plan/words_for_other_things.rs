//! Words of the specification, of other frameworks, or for things that have other names or other places.

use osb_runtime::prelude::*;

include!("../case.rs");

/// 10 MB, for trying things out.
#[plan(
    id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name = "free",
    // Mistake: Words for things that have other names, or other places.
    provision = NewStore,
    // Mistake: The words for parameters and the price are those of other frameworks.
    parameters = NewStore,
    // Mistake: Words for things that have other names, or other places.
    credentials = Access,
    version = "1.0.0",
    instances = always,
    bindings = never,
    max_instances = 5,
    values(gigabytes = 5),
    // Mistake: Schemas are written by hand.
    schemas("service_instance": {}),
    // Mistake: Tags are on a plan instead of its service.
    tags("small"),
    // Mistake: Plans are hidden by a deployment.
    hidden,
    // Mistake: Words for who can see a plan, and whether it is sold.
    public = false,
    active = false,
    // Mistake: The words for parameters and the price are those of other frameworks.
    paid,
    // Mistake: An argument repeats what follows from the service's `changes`.
    plan_updateable = true,
    // Mistake: `plan_updatable` is a misspelling of `plan_updateable`, which is derived.
    plan_updatable = true,
    metadata(costs((usd = 9.90, unit = "MONTHLY"))),
)]
pub struct Free;

// Mistake: The specification's word instead of the attribute's.
/// 1 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "pro", bindable, binding_rotatable)]
pub struct Pro;

// Mistake: A plan has its price beside its costs, in place of `free`.
/// 1 GB.
#[plan(
    id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a04",
    name = "gold",
    price = 9.90,
    metadata(costs((usd = 9.90, unit = "MONTHLY"))),
)]
pub struct Gold;

// Mistake: A plan names its service.
/// 1 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "max", service = Kv)]
pub struct Max;

// Mistake: Words for the description and the duration of polling are those of other frameworks.
/// 4 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a06", name = "large", about = "4 GB.", polling = "2h", currency = "usd", order = 3)]
pub struct Large;

// Mistake: `create` is called `parameters`, and narrowed.
/// 3 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "narrow", parameters = NewStore, narrow(ttl(max = 60)))]
pub struct Narrow;

// Mistake: Arguments of parameters, of credentials and of the service are on a plan.
/// 2 GB.
#[plan(
    id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a04",
    name = "kept",
    rename_all = "camelCase",
    type = "postgresql",
    dashboard_client(id = "kv"),
)]
pub struct Kept;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free, Pro, Max, Kept, Narrow, Large))]
pub struct Kv;

provisions!(Kv);

// Mistake: A plan without a name has an argument of its parameters.
/// 1 GB.
#[plan(create = NewStore, open)]
pub struct Open;
