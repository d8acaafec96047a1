//! Warning: the names of two services differ only in case.

#![deny(deprecated)]

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// The broker.
#[broker]
pub struct Broker {
    kv: Kv,
    other: other::Kv,
}

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

provisions!(Kv);

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub struct Free;

/// The other service.
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

fn main() {}
