//! Everything stands inside a function.

use osb_runtime::prelude::*;

include!("../handlers.rs");

pub(super) fn main() {
    /// A store.
    #[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
    struct Kv;

    provisions!(Kv);

    /// 10 MB, for trying things out.
    #[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
    struct Free;

    /// The broker.
    #[broker]
    struct Broker {
        kv: Kv,
    }

    let broker = Broker { kv: Kv };
    let _ = broker.kv;
    assert!(Broker::CATALOG_JSON.contains("\"name\":\"free\""));
}
