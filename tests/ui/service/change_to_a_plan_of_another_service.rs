//! Changes lead to a plan of another service, and to one of none.

use osb_runtime::prelude::*;

include!("../case.rs");

/// A store.
#[service(
    id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name = "kv",
    plans(Free),
    changes(
        // Mistake: A change leads to a plan of another service.
        Free => Cold,
        // Mistake: A change leads to a plan that the service does not offer.
        Free => Pro,
    ),
)]
pub struct Kv;

/// An archive.
#[service(id = "4f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "archive", plans(Cold))]
pub struct Archive;

provisions!(Kv, Archive);

plans!(Free);

/// Cold.
#[plan(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "cold")]
pub struct Cold;

/// Of no service.
#[plan(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "pro")]
pub struct Pro;

#[broker]
pub struct Broker(Kv, Archive);
