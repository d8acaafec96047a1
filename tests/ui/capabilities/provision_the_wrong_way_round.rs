//! The handlers are implemented for the plan, and not for the service.

use osb_runtime::prelude::*;

include!("../case.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

/// 10 MB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", bindable)]
pub struct Free;

impl Provision<Kv> for Free {
    provision_items!(Kv);
}

binds!(Free, Kv = LogDrain);

#[broker]
pub struct Broker(Kv);
