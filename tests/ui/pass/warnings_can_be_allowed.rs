//! `#[allow(deprecated)]` on the item silences its warnings.

#![deny(deprecated)]
// The warnings stand beside the item that `#[expect]` is written on.
#![allow(unfulfilled_lint_expectations)]

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A store.
#[allow(deprecated)]
#[service(id = "kv", name = "key value", plans(Free, Pro), tags("kv", "kv"), bindings_retrievable, extensions("region": "eu"))]
pub struct Kv;

provisions!(Kv);

/// 10 MB, for trying things out.
#[allow(deprecated)]
#[plan(id = "free", name = "free", metadata(costs((usd = 0, unit = "MONTHLY"))))]
pub struct Free;

/// 1 GB, billed monthly.
#[expect(deprecated)]
#[plan(id = "kv", name = "FREE", free = false)]
pub struct Pro;

/// The broker.
#[allow(deprecated)]
#[broker]
pub struct Broker {
    kv: Kv,
}

pub(super) fn main() {}
