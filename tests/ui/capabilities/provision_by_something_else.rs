//! A type that is not a service provisions a plan.

use osb_runtime::prelude::*;

include!("../case.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

provisions!(Kv);

plans!(Free);

/// Not a service.
pub struct Other;

impl Provision<Free> for Other {
    provision_items!(Free);
}
