//! Behaviour that platforms refuse although the specification allows it, according to their source code.

mod catalog;
mod cloud_foundry;

use http::StatusCode;
use serde_json::Value;

pub(super) use self::catalog::of_catalog;
use super::judge::{Breach, Endpoint, JudgedRequest};
use osb_client::{Answer, Platform};
use osb_runtime::service::{ASYNC_REQUIRED, CONCURRENCY, REQUIRES_APP};

/// Behaviour that a platform refuses.
#[derive(Debug, Clone, Copy)]
pub(super) struct Refusal {
    pub(super) id: &'static str,
    pub(super) platform: Platform,
    pub(super) text: &'static str,
}

/// All refusals: those of Cloud Foundry's Cloud Controller in August 2026, and those of the Kubernetes service catalog's
/// client.
pub(super) const REFUSALS: &[Refusal] = &[
    cf("CF-01", "A catalog has at least one service."),
    cf("CF-02", "Ids, names and descriptions are not blank; descriptions have at most 10,000 characters."),
    cf("CF-03", "The tags of a service are a list, and have at most 2,048 characters together."),
    cf("CF-04", "`requires` is a list, or absent."),
    cf("CF-05", "A dashboard client has a unique id, a secret and a redirect_uri, which are not blank."),
    cf("CF-06", "`shareable` is a boolean."),
    cf(
        "CF-07",
        "maintenance_info has only a version and a description, and at most 2,000 characters of JSON, in which `<`, `>` \
         and `&` are six each.",
    ),
    cf("CF-08", "The `$schema` of a parameter schema names draft-03, 04 or 06, and the schema conforms to draft-04."),
    cf(
        "CF-09",
        "`maximum_polling_duration` is a whole number of at least 60 s, without a fraction; as polls are 60 s apart, a \
         shorter one allows a single poll.",
    ),
    cf(
        "CF-10",
        "`operation` is absent or a string of at most 10,000 characters, also in a 200 or 201 to a create or update; \
         otherwise, even if it is null, the response is malformed.",
    ),
    cf("CF-11", "`metadata`, its labels and its attributes are absent rather than null."),
    cf("CF-12", "A fetched instance or binding has no other specified field that is null."),
    cf(
        "CF-13",
        "A 422 for a new instance or binding has an error code of the specification; otherwise it is deleted again.",
    ),
    cf("CF-14", "Creating an instance or a binding is never answered 410; otherwise it is deleted again."),
    cf("CF-15", "A route_service_url has the scheme https and a host."),
    cf("CF-16", "Asynchronous bindings can be fetched; otherwise nothing is bound."),
    cf(
        "CF-17",
        "A poll is answered 410 or `succeeded` when a deletion has ended; after a 404, polls go on until the limit.",
    ),
    cf("CF-18", "A binding has `volume_mounts`, even an empty list, only if the service requires `volume_mount`."),
    cf("CF-19", "The body of a 422 is neither a list nor null, which the Cloud Controller fails on."),
    cf(
        "CF-20",
        "Schemas with references have different ids; the Cloud Controller remembers a schema by its `id`, and follows the \
         references of the next one in it.",
    ),
    cf(
        "CF-21",
        "The values that it stores fit its tables, also on MySQL: at most 16,000 characters of a dashboard_url, 10,000 of a \
         syslog_drain_url, 255 of a route_service_url, and 49,135 bytes of credentials and of volume_mounts, a polling \
         duration of 32 bits, flags of services that are not null, and names of plans that differ in more than case.",
    ),
    k8s(
        "K8S-01",
        "A 422 with an error code has the exact description of the specification, by which it is recognized.",
    ),
    k8s("K8S-02", "The response to an unbinding has a JSON body, even if it is 410."),
];

const fn cf(id: &'static str, text: &'static str) -> Refusal {
    Refusal { id, platform: Platform::CloudFoundry, text }
}

const fn k8s(id: &'static str, text: &'static str) -> Refusal {
    Refusal { id, platform: Platform::Kubernetes, text }
}

pub(super) fn refusal(id: &str) -> Option<&'static Refusal> {
    REFUSALS.iter().find(|refusal| refusal.id == id)
}

/// Returns the reasons for which a platform refuses a response.
pub(super) fn refused(platform: Platform, asked: JudgedRequest<'_>, answer: &Answer) -> Vec<Breach> {
    let Some(endpoint) = Endpoint::of(asked.method, asked.path) else { return Vec::new() };
    match platform {
        Platform::CloudFoundry => cloud_foundry::refused(endpoint, answer),
        Platform::Kubernetes => by_kubernetes(endpoint, answer),
    }
}

fn by_kubernetes(endpoint: Endpoint, answer: &Answer) -> Vec<Breach> {
    let sentence = match answer.error() {
        Some("AsyncRequired") => Some(ASYNC_REQUIRED),
        Some("RequiresApp") => Some(REQUIRES_APP),
        Some("ConcurrencyError") => Some(CONCURRENCY),
        _ => None,
    };
    let mut found = Vec::new();
    if let Some(sentence) = sentence
        && answer.status == StatusCode::UNPROCESSABLE_ENTITY
        && answer.body["description"] != sentence
    {
        found.push(Breach::new("K8S-01", format!("the description must be {sentence:?}")));
    }
    if endpoint == Endpoint::Unbind
        && [StatusCode::OK, StatusCode::GONE].contains(&answer.status)
        && serde_json::from_str::<Value>(&answer.text).is_err()
    {
        found.push(Breach::new("K8S-02", "the body is not JSON"));
    }
    found
}
