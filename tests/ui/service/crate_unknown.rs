//! The crate that is to be used does not exist.
use osb_runtime::prelude::*;

include!("../case.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free), crate = osb)]
struct Kv;

/// Small.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", crate = osb)]
struct Free;

provisions!(Kv);

#[broker(crate = osb)]
struct Broker(Kv);
