//! The type of the parameters of a public plan is private.

use osb_runtime::prelude::*;

include!("../case.rs");

mod small {
    use osb_runtime::prelude::*;

    /// 10 MB, for trying things out.
    #[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", create = NewStore)]
    pub struct Free;

    /// The parameters of a new store.
    #[parameters]
    struct NewStore {
        ttl: u32,
    }
}

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(small::Free))]
pub struct Kv;

provisions!(Kv);
