//! Two services offer the same plan, and none another one.
#![deny(warnings)]
use osb_runtime::prelude::*;

include!("../handlers.rs");

#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", description = "A store.", plans(Cold))]
pub struct Kv;

#[service(id = "4f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "archive", description = "An archive.", plans(Cold))]
pub struct Archive;

#[plan(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "free", description = "Free.")]
pub struct Free;

#[plan(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "cold", description = "Cold.")]
pub struct Cold;

provisions!(Kv);

provisions!(Archive);

#[broker]
pub struct Broker(Kv, Archive);

fn main() {}
