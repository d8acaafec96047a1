//! What a broker may answer: status by status and field by field. Every [`Wire`](crate::wire::Wire) holds every answer
//! against it.

use std::{collections::BTreeMap, sync::LazyLock};

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::wire::Reply;

/// What a request asks for, as its path and method say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Endpoint {
    /// `GET /v2/catalog`
    Catalog,
    /// `PUT` of an instance
    Provision,
    /// `GET` of an instance
    FetchInstance,
    /// `PATCH` of an instance
    Update,
    /// `DELETE` of an instance
    Deprovision,
    /// `GET` of an instance's last operation
    PollInstance,
    /// `PUT` of a binding
    Bind,
    /// `GET` of a binding
    FetchBinding,
    /// `DELETE` of a binding
    Unbind,
    /// `GET` of a binding's last operation
    PollBinding,
    /// No endpoint of the API.
    None,
}

use Endpoint::{
    Bind, Catalog, Deprovision, FetchBinding, FetchInstance, None as NoEndpoint, PollBinding, PollInstance, Provision,
    Unbind, Update,
};

/// For each endpoint the statuses it may answer with, and the definition in `schemas/messages.json` for the body.
const ANSWERS: &[(Endpoint, &[(u16, &str)])] = &[
    (Catalog, &[(200, "catalog")]),
    (
        Provision,
        &[
            (200, "instance"),
            (201, "instance"),
            (202, "instance_accepted"),
            (400, "error"),
            (409, "error"),
            // Cloud Foundry takes any other code for a broken broker, and deletes (T55).
            (422, "unprocessable_provision"),
            (500, "error"),
        ],
    ),
    (FetchInstance, &[(200, "instance_fetched"), (404, "error"), (422, "concurrency")]),
    (
        Update,
        &[
            (200, "instance"),
            (202, "instance_accepted"),
            (400, "error_of_update"),
            (404, "error"),
            (422, "error_of_update"),
            (500, "error_of_update"),
        ],
    ),
    (
        Deprovision,
        &[
            (200, "nothing"),
            (202, "accepted"),
            (400, "error_of_deprovision"),
            (410, "nothing"),
            (422, "error_of_deprovision"),
            (500, "error_of_deprovision"),
        ],
    ),
    (PollInstance, &[(200, "poll_instance"), (404, "error"), (410, "nothing")]),
    (
        Bind,
        &[
            (200, "binding"),
            (201, "binding"),
            (202, "accepted"),
            (400, "error"),
            (404, "error"),
            (409, "error"),
            (422, "unprocessable_bind"),
            (500, "error"),
        ],
    ),
    (FetchBinding, &[(200, "binding"), (404, "error")]),
    (Unbind, &[(200, "nothing"), (202, "accepted"), (400, "error"), (410, "nothing"), (422, "error"), (500, "error")]),
    (PollBinding, &[(200, "poll_binding"), (404, "error"), (410, "nothing")]),
];

/// What every path may be answered with, whether or not there is something.
const ANYWHERE: &[u16] = &[400, 401, 404, 405, 412, 413, 500, 503];

/// The schemas of the messages.
pub static SCHEMAS: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("../schemas/messages.json")).expect("the schemas are JSON"));

static VALIDATORS: LazyLock<BTreeMap<String, Validator>> = LazyLock::new(|| {
    let names = SCHEMAS["$defs"].as_object().expect("definitions").keys();
    names
        .map(|name| {
            let schema = json!({
                "$schema": SCHEMAS["$schema"], "$defs": SCHEMAS["$defs"], "$ref": format!("#/$defs/{name}"),
            });
            (name.clone(), jsonschema::validator_for(&schema).expect("a schema is one"))
        })
        .collect()
});

/// What is wrong with a message, by JSON pointers; nothing if it is a good one.
///
/// # Panics
///
/// If there is no such definition.
#[must_use]
pub fn violations(definition: &str, message: &Value) -> Vec<String> {
    let errors = VALIDATORS[definition].iter_errors(message);
    errors.map(|error| format!("{}: {error}", error.instance_path())).collect()
}

/// The endpoint of a request.
#[must_use]
pub fn endpoint(method: &str, path: &str) -> Endpoint {
    let path = path.split('?').next().unwrap_or_default().trim_start_matches('/');
    let Some(path) = path.find("v2/").map(|at| &path[at..]) else { return NoEndpoint };
    match (method, path.split('/').collect::<Vec<_>>().as_slice()) {
        ("GET", ["v2", "catalog"]) => Catalog,
        ("PUT", ["v2", "service_instances", _]) => Provision,
        ("GET", ["v2", "service_instances", _]) => FetchInstance,
        ("PATCH", ["v2", "service_instances", _]) => Update,
        ("DELETE", ["v2", "service_instances", _]) => Deprovision,
        ("GET", ["v2", "service_instances", _, "last_operation"]) => PollInstance,
        ("PUT", ["v2", "service_instances", _, "service_bindings", _]) => Bind,
        ("GET", ["v2", "service_instances", _, "service_bindings", _]) => FetchBinding,
        ("DELETE", ["v2", "service_instances", _, "service_bindings", _]) => Unbind,
        ("GET", ["v2", "service_instances", _, "service_bindings", _, "last_operation"]) => PollBinding,
        _ => NoEndpoint,
    }
}

/// What is wrong with an answer to a platform of this version.
#[must_use]
pub fn wrong(method: &str, path: &str, version: &str, reply: &Reply) -> Vec<String> {
    let endpoint = endpoint(method, path);
    let mut wrong = wrong_headers(endpoint, reply);
    if reply.status == 304 {
        if endpoint != Catalog || !reply.body.is_null() {
            wrong.push("HDR-11: 304 is for the catalog, and has no body".to_owned());
        }
        return wrong;
    }
    let answers = ANSWERS.iter().find(|(known, _)| *known == endpoint).map_or([].as_slice(), |(_, answers)| answers);
    let definition = match answers.iter().find(|(status, _)| *status == reply.status) {
        Some((_, "binding")) if minor(version).is_some_and(|minor| minor < 10) => "binding_before_2_10",
        Some((_, definition)) => definition,
        None if ANYWHERE.contains(&reply.status) => "error",
        None => {
            wrong.push(format!("ERR-01: {endpoint:?} is never answered with {}", reply.status));
            return wrong;
        }
    };
    let rule = if definition == "accepted" && endpoint == Bind { "BIND-10" } else { "S04" };
    wrong.extend(violations(definition, &reply.body).into_iter().map(|what| format!("{rule}, {definition}: {what}")));
    wrong
}

fn minor(version: &str) -> Option<u32> {
    version.strip_prefix("2.")?.parse().ok()
}

fn wrong_headers(endpoint: Endpoint, reply: &Reply) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut demand = |met: bool, what: &str| {
        if !met {
            wrong.push(what.to_owned());
        }
    };
    let json = reply.header("content-type") == Some("application/json");
    demand(json || reply.status == 304, "HDR-07: a body is of type application/json");
    demand((reply.status == 401) == reply.header("www-authenticate").is_some(), "T58: a 401 says how to authenticate");
    demand((reply.status == 405) == reply.header("allow").is_some(), "T58: a 405 says what is allowed");
    let polls = matches!(endpoint, PollInstance | PollBinding) && reply.body["state"] == "in progress";
    let pause = reply.header("retry-after");
    demand(pause.is_none() || polls, "HDR-10: only who is to ask again is told when");
    demand(pause.is_none_or(|pause| pause.parse::<u32>().is_ok_and(|pause| pause > 0)), "HDR-10: in seconds");
    demand(endpoint != Catalog || reply.status >= 400 || reply.header("etag").is_some(), "HDR-11: a catalog has a tag");
    wrong
}
