//! Responses that Cloud Foundry's Cloud Controller refuses.

use serde_json::Value;

use super::of_catalog;
use crate::judge::{Breach, Endpoint};
use osb_catalog::uri;
use osb_client::Answer;

/// The fields that Cloud Foundry reads of a fetched instance, beside its metadata.
const OF_INSTANCE: &[&str] = &["service_id", "plan_id", "dashboard_url", "parameters"];
/// The fields that it reads of a fetched binding.
const OF_BINDING: &[&str] = &["credentials", "parameters", "syslog_drain_url", "route_service_url", "volume_mounts"];
/// The URLs that it stores, with the number of characters for which it has room.
const STORED: &[(&str, usize)] = &[("dashboard_url", 16_000), ("syslog_drain_url", 10_000), ("route_service_url", 255)];
/// The members of bindings that it encrypts before it stores them as text.
const ENCRYPTED: &[&str] = &["credentials", "volume_mounts"];
/// The maximum length of their JSON: MySQL has room for 65,535 characters, which are base64 of blocks of 16 bytes, and the last
/// block has at least one byte of padding.
const ENCRYPTED_BYTES: usize = 65_535 / 4 * 3 / 16 * 16 - 1;

/// Returns the reasons for which Cloud Foundry refuses a response.
pub(super) fn refused(endpoint: Endpoint, answer: &Answer) -> Vec<Breach> {
    use Endpoint::{Bind, Catalog, FetchBinding, FetchInstance, Provision, Update};
    let (status, body) = (answer.status.as_u16(), &answer.body);
    let is_null = |pointer: &str| body.pointer(pointer).is_some_and(Value::is_null);
    let mut found = Vec::new();
    match (endpoint, status) {
        (Catalog, 200) => found.extend(of_catalog(body)),
        (Provision | Bind, 422) => {
            let own = if endpoint == Bind { "RequiresApp" } else { "MaintenanceInfoConflict" };
            let code = answer.error().unwrap_or("none");
            if !["AsyncRequired", "ConcurrencyError", own].contains(&code) {
                found.push(Breach::new("CF-13", format!("the error code of the 422 is {code}")));
            }
        }
        (Provision | Bind, 410) => found.push(Breach::new("CF-14", "the status is 410")),
        (FetchInstance | FetchBinding, 200) => {
            let read = if endpoint == FetchInstance { OF_INSTANCE } else { OF_BINDING };
            let nulls: Vec<&str> = read.iter().copied().filter(|name| is_null(&format!("/{name}"))).collect();
            if !nulls.is_empty() {
                found.push(Breach::new("CF-12", format!("fields that are null: {}", nulls.join(", "))));
            }
        }
        _ => {}
    }
    if status == 422 && (body.is_array() || answer.text.trim() == "null") {
        found.push(Breach::new("CF-19", "the body of the 422 is a list or null"));
    }
    let has_instance = matches!(endpoint, Provision | Update) && answer.status.is_success();
    if let Some(operation) = body.get("operation").filter(|_| has_instance || status == 202)
        && operation.as_str().is_none_or(|text| text.chars().count() > 10_000)
    {
        let what = if operation.is_null() { "`operation` is null" } else { "`operation` is no string, or too long" };
        found.push(Breach::new("CF-10", what));
    }
    if has_instance || (endpoint, status) == (FetchInstance, 200) {
        let nulls = ["/metadata", "/metadata/labels", "/metadata/attributes"].into_iter().filter(|at| is_null(at));
        found.extend(nulls.map(|at| Breach::new("CF-11", format!("`{at}` is null"))));
    }
    if endpoint == Bind
        && let Some(url) = body["route_service_url"].as_str()
        && !is_route_service(url)
    {
        found.push(Breach::new("CF-15", "the route_service_url is no URL, has another scheme or no host"));
    }
    if answer.status.is_success() {
        found.extend(too_long(endpoint, body));
    }
    found
}

/// Returns whether a URL has the scheme https and a host.
fn is_route_service(url: &str) -> bool {
    let is_host = |host: &[u8]| !matches!(host, [] | [b'.', ..]);
    uri::parse(url.as_bytes())
        .is_ok_and(|uri| uri.scheme.eq_ignore_ascii_case(b"https") && uri.host.is_some_and(is_host))
}

/// Returns the members of a response for which Cloud Foundry has no room.
fn too_long(endpoint: Endpoint, body: &Value) -> Vec<Breach> {
    let mut found = Vec::new();
    for (name, room) in STORED {
        let length = body[name].as_str().map_or(0, |url| url.chars().count());
        if length > *room {
            found.push(Breach::new("CF-21", format!("`{name}` has {length} characters")));
        }
    }
    for name in ENCRYPTED {
        let length = body.get(name).map_or(0, |value| value.to_string().len());
        if matches!(endpoint, Endpoint::Bind | Endpoint::FetchBinding) && length > ENCRYPTED_BYTES {
            found.push(Breach::new("CF-21", format!("`{name}` has {length} bytes")));
        }
    }
    found
}
