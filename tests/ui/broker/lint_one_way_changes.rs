//! Only one of two plans can be changed, and the broker supports old platforms.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// The broker.
#[broker(deny(one_way_changes))]
pub struct Broker {
    kv: Kv,
}

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free, Pro), changes(Free => Pro))]
pub struct Kv;

provisions!(Kv);

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub struct Free;

/// 1 GB, billed monthly.
#[plan(id = "c2f6e7d1-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "pro", free = false)]
pub struct Pro;

changes!(Kv, Free => Pro);

fn main() {}
