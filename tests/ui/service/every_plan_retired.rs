//! A service has only retired plans.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(old::Old))]
pub struct Kv;

provisions!(Kv);

/// A retired plan.
pub mod old {
    use super::*;

    /// 5 MB, no longer offered.
    #[plan(id = "8a4a2b52-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "old", retired)]
    pub struct Old;
}

fn main() {}
