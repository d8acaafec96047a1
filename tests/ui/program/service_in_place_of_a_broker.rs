//! A service is opened by a program, started in a server of the author's own, or tested, in place of a broker.

use osb_runtime::prelude::*;
use osb_runtime::http::{AcceptedCredentials, BrokerService, HttpSettings};

include!("../case.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

plans!(Free);

provisions!(Kv);

#[broker]
pub struct Broker(Kv);

// Mistake: The closure opens a service.
pub fn run() -> std::process::ExitCode {
    osb_tool::run(async |()| Ok(Kv))
}

// Mistake: A service is started in place of a broker, in a server of the author's own.
pub async fn start() -> Result<BrokerService, BoxError> {
    let credentials = AcceptedCredentials::basic("platform", "a long password")?;
    Ok(BrokerService::start(Kv, credentials, HttpSettings::default()).await?)
}

// Mistake: A test gives a platform a service in place of a broker.
pub async fn test() {
    let platform = osb_testing::Client::new(Kv).await;
    platform.catalog().await;
}
