//! Lints without `deny`, and warnings.

use osb_runtime::prelude::*;

include!("../handlers.rs");

#[broker(one_way_changes, lowercase_names, required_create_parameters, warn(all))]
pub struct Broker(Kv);

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub struct Free;

provisions!(Kv);

fn main() {}
