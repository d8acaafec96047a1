//! A broker is started with a pair, or with a `Result`, in place of credentials.

use osb_runtime::prelude::*;
use osb_runtime::http::{AcceptedCredentials, BrokerService, HttpSettings};

include!("../handlers.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub struct Free;

provisions!(Kv);

/// The broker.
#[broker]
pub struct Broker {
    kv: Kv,
}

// Mistake: A broker is started with a pair in place of credentials.
pub async fn a_pair() -> Result<BrokerService, BoxError> {
    Ok(BrokerService::start(Broker { kv: Kv }, ("platform", "a long password"), HttpSettings::default()).await?)
}

// Mistake: A broker is started with the `Result` of its credentials.
pub async fn a_result() -> Result<BrokerService, BoxError> {
    let credentials = AcceptedCredentials::basic("platform", "a long password");
    Ok(BrokerService::start(Broker { kv: Kv }, credentials, HttpSettings::default()).await?)
}

fn main() {}
