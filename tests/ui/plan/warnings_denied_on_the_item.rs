//! The item denies the warnings of its attribute, or allows what the module denies.

use osb_runtime::prelude::*;

include!("../case.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free, strict::Pro))]
pub struct Kv;

/// 10 MB, for trying things out.
#[deny(deprecated)]
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free plan")]
pub struct Free;

/// A module that denies warnings.
pub mod strict {
    #![deny(deprecated)]

    use super::*;

    /// 1 GB.
    #[warn(deprecated)]
    #[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "pro plan")]
    pub struct Pro;
}

provisions!(Kv);
