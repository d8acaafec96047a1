//! A test sends a struct in place of JSON, or `None` in place of no parameters.

use osb_runtime::prelude::*;

include!("../case.rs");

broker!();

/// The parameters of a store.
#[parameters]
pub struct NewStore {
    /// Seconds.
    ttl: u32,
}

pub async fn test() {
    let platform = osb_testing::Client::new(Broker { kv: Kv }).await;
    // Mistake: A test sends a struct in place of JSON.
    platform.provision("one", "kv", "free", NewStore { ttl: 60 }).await;
    // Mistake: A test sends `None` in place of no parameters.
    platform.update("one", None).await;
}
