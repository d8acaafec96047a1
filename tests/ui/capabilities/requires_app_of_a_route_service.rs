//! Routes are bound, and `requires_app` refuses bindings without an application.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A filter.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", bindable, requires_app)]
pub struct Free;

provisions!(Kv);

binds!(Kv, Free = RouteService);

fn main() {}
