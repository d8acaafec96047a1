//! Attributes of items are on fields.

use osb_runtime::prelude::*;

#[broker]
pub struct Broker {
    #[service]
    pub kv: Kv,
}

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv {
    #[broker(skip)]
    pub keys: u32,
}

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub struct Free;

fn main() {}
