//! The port of a URL is not a number.

use osb_runtime::prelude::*;

include!("../case.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free), metadata(documentation_url = "https://example.com:x/"))]
pub struct Kv;

/// A queue.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "queue", plans(Small), dashboard_client(id = "queue", secret_env = "SECRET", redirect_uri = "https://example.com:y/"))]
pub struct Queue;

plans!(Small, Free);

provisions!(Kv, Queue);
