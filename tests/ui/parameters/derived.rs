//! Parameters or credentials are a derive, have no comma between two, or have the arguments of a plan, and plans use them.

use osb_runtime::prelude::*;

include!("../case.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free, Bound, Region, Swapped))]
pub struct Kv;

provisions!(Kv);
binds!(Kv, Bound = Credentials<Access>);

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", create = NewStore)]
pub struct Free;

// Mistake: The parameters are a derive.
/// The parameters of a new store.
#[derive(Debug, Parameters)]
pub struct NewStore {
    /// Seconds after which a key expires.
    #[param(range(min = 1))]
    pub ttl: u32,
}

/// 100 MB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "bound", bindable)]
pub struct Bound;

// Mistake: `Credentials` is derived.
/// The credentials of a binding.
#[derive(Credentials)]
pub struct Access {
    /// URI of the store.
    pub uri: String,
}

/// 1 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "region", create = Place)]
pub struct Region;

/// Where the store is.
#[parameters]
#[derive(Debug, Clone)]
pub struct Place {
    /// The zone.
    pub zone: Zone,
}

// Mistake: There is no comma between two derives.
/// A zone.
#[parameters]
#[derive(Debug Clone Copy)]
pub enum Zone {
    /// Frankfurt.
    Eu,
}

// Mistake: Parameters have the arguments of a plan.
/// 10 GB.
#[parameters(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "swapped", free = false)]
pub struct Swapped;
