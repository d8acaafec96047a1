//! The attribute is on a function, a module, an enum or a constant.

use osb_runtime::prelude::*;

// Mistake: The attribute is on a function.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub fn free() {}

// Mistake: The attribute is on a module.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub mod free {}

// Mistake: The attribute is on an enum.
/// A size.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub enum Size {
    /// 10 MB.
    Free,
}

include!("../case.rs");

// Mistake: The attribute is on a constant.
/// Plans.
pub mod plans {
    use super::*;

    /// 1 GB.
    #[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "large")]
    pub const Large: u32 = 1;
}

// Mistake: The attribute is on an enum with a type parameter.
/// Sizes.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "sizes")]
pub enum Sizes<T> {
    /// One of them.
    One(T),
}

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(plans::Large))]
pub struct Kv;

provisions!(Kv);
binds!(Kv, plans::Large = Endpoints);
