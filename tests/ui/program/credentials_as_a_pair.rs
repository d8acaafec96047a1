//! A broker is started with a pair, or with a `Result`, in place of credentials.

use osb_runtime::prelude::*;
use osb_runtime::http::{AcceptedCredentials, BrokerService, HttpSettings};

include!("../case.rs");

broker!();

// Mistake: A broker is started with a pair in place of credentials.
pub async fn a_pair() -> Result<BrokerService, BoxError> {
    Ok(BrokerService::start(Broker { kv: Kv }, ("platform", "a long password"), HttpSettings::default()).await?)
}

// Mistake: A broker is started with the `Result` of its credentials.
pub async fn a_result() -> Result<BrokerService, BoxError> {
    let credentials = AcceptedCredentials::basic("platform", "a long password");
    Ok(BrokerService::start(Broker { kv: Kv }, credentials, HttpSettings::default()).await?)
}
