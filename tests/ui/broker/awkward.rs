//! Warning: a service and a plan have the same id, or the names of two services differ only in case.

#![deny(deprecated)]

use osb_runtime::prelude::*;

include!("../case.rs");

// Mistake: Warning: a service and a plan have the same id.
/// A broker.
#[broker]
pub struct Shared {
    kv: store::Kv,
}

// Mistake: Warning: the names of two services differ only in case.
/// A broker.
#[broker]
pub struct Cases {
    kv: Kv,
    other: other::Kv,
}

/// The service that has the id of its plan.
pub mod store {
    use super::*;

    /// A store.
    #[service(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "store", plans(Free))]
    pub struct Kv;
    provisions!(Kv);

    /// 10 MB, for trying things out.
    #[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "free")]
    pub struct Free;
}

store!();

/// The service with the name in capitals.
pub mod other {
    use super::*;

    /// Another store.
    #[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "KV", plans(Small))]
    pub struct Kv;
    provisions!(Kv);

    /// 10 values.
    #[plan(id = "8a4a2b52-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "small")]
    pub struct Small;
}
