//! The parameters of a plan, of an update or of a family are a map, a `String`, an enum or a struct without `#[parameters]`.

use osb_runtime::prelude::*;

include!("../case.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Map, Text, Free, Updated, Narrow, BySize, ByStore))]
pub struct Kv;

provisions!(Kv);
updates!(Kv, Updated);

/// Parameters without the attribute.
pub struct NewStore {
    /// Seconds after which a key expires.
    pub ttl: u32,
}

/// Values without properties.
#[parameters]
pub enum Size {
    /// 1 GB.
    Small,
    /// 10 GB.
    Large,
}

// Mistake: The parameters are a map.
/// A small database.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "map", create = std::collections::HashMap<String, String>)]
pub struct Map;

// Mistake: Parameters are a `String`, which is not an object.
/// A small database.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "text", create = String)]
pub struct Text;

// Mistake: The type of the parameters has no `#[parameters]`.
/// A small database.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "free", create = NewStore)]
pub struct Free;

/// A small database.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "updated", update = NewStore)]
pub struct Updated;

/// A small database.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "narrow", create = NewStore, narrow(ttl(max = 20)))]
pub struct Narrow;

// Mistake: The values of a family are an enum, which isn't an object.
/// A family of sizes.
#[plan(name = "sized", family = Size)]
pub struct BySize;

// Mistake: The type of a family's values has no `#[parameters]`.
/// A family of stores.
#[plan(name = "stores", family = NewStore)]
pub struct ByStore;
