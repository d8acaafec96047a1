//! `free` is in quotes: no warning that the plan is free and has costs.

#![deny(warnings)]
use osb_runtime::prelude::*;

include!("../handlers.rs");

/// 1 GB.
#[plan(id = "c2f6e7d1-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "pro", free = "false", metadata(costs((usd = 9, unit = "MONTHLY"))))]
pub struct Pro;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Pro))]
pub struct Kv;

provisions!(Kv);

fn main() {}
