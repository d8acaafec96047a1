//! A service is opened by a program, started in a server of the author's own, or tested, in place of a broker; a broker is started with a pair, or with a `Result`, in place of credentials; or a server gets a text in place of a listener, a broker in place of its service, or a function in place of its shutdown.

use osb_runtime::prelude::*;
use osb_runtime::http::{AcceptedCredentials, BrokerService, HttpSettings, Listener, Platforms, serve, shutdown_signal};

include!("../case.rs");

broker!();

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

// Mistake: A broker is started with a pair in place of credentials.
pub async fn a_pair() -> Result<BrokerService, BoxError> {
    Ok(BrokerService::start(Broker { kv: Kv }, ("platform", "a long password"), HttpSettings::default()).await?)
}

// Mistake: A broker is started with the `Result` of its credentials.
pub async fn a_result() -> Result<BrokerService, BoxError> {
    let credentials = AcceptedCredentials::basic("platform", "a long password");
    Ok(BrokerService::start(Broker { kv: Kv }, credentials, HttpSettings::default()).await?)
}

// Mistake: One of several platforms has a pair in place of credentials.
pub fn a_pair_of_a_platform() -> Result<Platforms, BoxError> {
    Ok(Platforms::behind("prod", "/prod", ("platform", "a long password"))?)
}

pub async fn served(service: BrokerService, listener: Listener, other: Listener) {
    // Mistake: A server gets an address in place of a listener: no error at `.await`.
    serve("127.0.0.1:8080", service.clone(), shutdown_signal()).await;
    // Mistake: A server gets a broker that isn't started.
    serve(other, Broker { kv: Kv }, shutdown_signal()).await;
    // Mistake: A server gets a function in place of the future that ends it.
    serve(listener, service, shutdown_signal).await;
}
