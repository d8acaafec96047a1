//! Platforms of each version of the API, from Cloud Foundry with 2.2 to Cloud Foundry and Kubernetes with 2.17.
//!
//! A test runs for every platform to which its rules apply. The differences between the versions are data of
//! [`Platform`]; a test asks [`since`] for those that are not.
//!
//! | version | difference |
//! | --- | --- |
//! | 2.2 (2014) | Everything is synchronous; there are no parameters, updates, polls or error codes. |
//! | 2.4 and 2.5 with asynchronous operations (2015) | Instances have `accepts_incomplete`, 202 and polls without a query; 2.5 adds parameters. An update doesn't name the service. |
//! | 2.8 (2015) | Errors have codes, routes can be bound, and `accepts_incomplete` is in the body or in the query. |
//! | a fork of 2.9 (2016) | A `context` replaces the guids of organization and space; polls repeat `operation`. |
//! | between 2.14 and 2.15 (2019) | Instances and bindings can be fetched, and bindings can be asynchronous. |
//! | 2.15 and 2.17 | As sent by Cloud Foundry, by Korifi, and by the client of Kubernetes' service catalog. |

mod bindings;
mod every_version;
mod failures;
mod instances;
mod requests;
mod updates;

use osb_lab::{
    platform::{
        Asynchronous, CLOUD_FOUNDRY, Incomplete, KORIFI, KUBERNETES, Platform, Session, V2_2, V2_4_ASYNC, V2_8,
        V2_9_FORK, V2_14,
    },
    prelude::*,
    route_service::{Crossing, RouteServiceBroker, ids as crossing},
};

/// 2.4 with the parameters of 2.5.
const V2_5_ASYNC: Platform = Platform { version: "2.5", ..V2_4_ASYNC };
/// 2.8 with `accepts_incomplete` in the query instead of the body.
const V2_8_QUERY: Platform = Platform { incomplete: Incomplete::Query, ..V2_8 };
/// The version that Cloud Foundry sends.
const V2_15: Platform = Platform { version: "2.15", ..CLOUD_FOUNDRY };

/// Returns all platforms, and prints the current one for the message of a failing test.
fn platforms() -> impl Iterator<Item = Platform> {
    let all =
        [V2_2, V2_4_ASYNC, V2_5_ASYNC, V2_8, V2_8_QUERY, V2_9_FORK, V2_14, V2_15, CLOUD_FOUNDRY, KORIFI, KUBERNETES];
    all.into_iter().inspect(|platform| println!("{platform:?}"))
}

/// Returns the platforms with parameters. They have asynchronous instances as well.
fn with_parameters() -> impl Iterator<Item = Platform> {
    platforms().filter(|platform| since(platform, 5))
}

/// Returns whether the platform has this minor version or a later one.
fn since(platform: &Platform, minor: u16) -> bool {
    platform.version.strip_prefix("2.").and_then(|sent| sent.parse().ok()).is_some_and(|sent: u16| sent >= minor)
}

/// Returns whether the platform fetches instances and bindings, and accepts asynchronous bindings.
fn fetches(platform: &Platform) -> bool {
    platform.asynchronous == Asynchronous::All
}

/// Returns the platform with clients that don't accept asynchronous operations.
fn synchronous(platform: Platform) -> Platform {
    Platform { incomplete: Incomplete::Never, ..platform }
}

async fn route_service(platform: Platform) -> Session {
    Session::with(platform, crossing::CROSSING, RouteServiceBroker { crossing: Crossing }).await
}

fn none() -> Value {
    json!({})
}

/// Runs a test that mostly waits for all of these platforms at once.
async fn at_once<F>(platforms: impl Iterator<Item = Platform>, test: impl Fn(Platform) -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    let tests: Vec<_> = platforms.map(|platform| (platform, tokio::spawn(test(platform)))).collect();
    for (platform, test) in tests {
        assert!(test.await.is_ok(), "{platform:?}");
    }
}

fn mood(mood: &str) -> Value {
    json!({ "parameters": { "mood": mood } })
}

/// Creates an instance, and polls if that is asynchronous.
async fn created(session: &Session, id: &str, plan: &str) {
    let reply = session.create(id, plan, none()).await;
    if reply.status == 202 {
        assert_eq!(session.end(id, plan, &reply).await.body["state"], "succeeded");
    } else {
        assert_eq!(reply.status, 201);
    }
}

/// Returns whether an answer has one of the specification's error codes and, to the byte, the description by which
/// platforms recognize it.
fn is_error(reply: &Reply, code: &str) -> bool {
    let description = match code {
        "AsyncRequired" => "This service plan requires client support for asynchronous service operations.",
        "ConcurrencyError" => "The Service Broker does not support concurrent requests that mutate the same resource.",
        "RequiresApp" => "This service supports generation of credentials through binding an application only.",
        _ => reply.description(),
    };
    reply.status == 422 && reply.body == json!({ "error": code, "description": description })
}
