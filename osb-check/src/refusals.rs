//! Behaviour that platforms refuse although the specification allows it, according to their source code.

use std::{fmt::Display, sync::LazyLock};

use http::StatusCode;
use jsonschema::{Draft, Validator};
use serde_json::{Value, json};

use super::judge::{Breach, Endpoint, JudgedRequest, list};
use osb_catalog::uri;
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
        Platform::CloudFoundry => by_cloud_foundry(endpoint, answer),
        Platform::Kubernetes => by_kubernetes(endpoint, answer),
    }
}

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

fn by_cloud_foundry(endpoint: Endpoint, answer: &Answer) -> Vec<Breach> {
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
        && !uri::parse(url.as_bytes()).is_ok_and(|uri| {
            let is_host = |host: &[u8]| !matches!(host, [] | [b'.', ..]);
            uri.scheme.eq_ignore_ascii_case(b"https") && uri.host.is_some_and(is_host)
        })
    {
        found.push(Breach::new("CF-15", "the route_service_url is no URL, has another scheme or no host"));
    }
    for (name, room) in STORED {
        let length = body[name].as_str().map_or(0, |url| url.chars().count());
        if answer.status.is_success() && length > *room {
            found.push(Breach::new("CF-21", format!("`{name}` has {length} characters")));
        }
    }
    for name in ENCRYPTED {
        let length = body.get(name).map_or(0, |value| value.to_string().len());
        if matches!(endpoint, Bind | FetchBinding) && answer.status.is_success() && length > ENCRYPTED_BYTES {
            found.push(Breach::new("CF-21", format!("`{name}` has {length} bytes")));
        }
    }
    found
}

/// The metaschema of draft-04. The Cloud Controller's library does not validate its formats, so that a pattern can have any
/// dialect.
static METASCHEMA: LazyLock<Option<Validator>> = LazyLock::new(|| {
    let metaschema = json!({ "$ref": "http://json-schema.org/draft-04/schema#" });
    jsonschema::options().with_draft(Draft::Draft4).should_validate_formats(false).build(&metaschema).ok()
});

/// Returns the reasons for which Cloud Foundry refuses a catalog.
pub(super) fn of_catalog(catalog: &Value) -> Vec<Breach> {
    let services = list(&catalog["services"]);
    let mut found = Vec::new();
    if services.is_empty() {
        found.push(Breach::new("CF-01", "the catalog has no service").at("/services"));
    }
    let (mut clients, mut identified) = (Vec::new(), Vec::new());
    for (number, service) in services.iter().enumerate() {
        let mut refused = Refused::new("service", service, format!("/services/{number}"));
        refused.texts();
        let tags = &service["tags"];
        let length: usize = list(tags).iter().filter_map(Value::as_str).map(|tag| tag.chars().count()).sum();
        if service.get("tags").is_some_and(|tags| !tags.is_array()) {
            refused.member("CF-03", "tags", "is not a list");
        } else if length > 2_048 {
            refused.member("CF-03", "tags", format_args!("has {length} characters"));
        }
        if service.get("requires").is_some_and(|requires| !requires.is_array()) {
            refused.member("CF-04", "requires", "is not a list");
        }
        let client = &service["dashboard_client"];
        if client.is_object() {
            for name in ["id", "secret", "redirect_uri"] {
                let is_blank = match client[name].as_str() {
                    Some(text) => text.trim().is_empty(),
                    // Without an id or a secret, it breaks a rule of the specification.
                    None => name == "redirect_uri",
                };
                if is_blank {
                    refused.member("CF-05", "dashboard_client", format_args!("has no {name}"));
                }
            }
            if clients.contains(&&client["id"]) {
                refused.member("CF-05", "dashboard_client", "has the id of another one");
            }
            clients.push(&client["id"]);
        }
        if let Some(shareable) = service["metadata"].get("shareable").filter(|shareable| !shareable.is_boolean()) {
            refused.member("CF-06", "metadata/shareable", format_args!("is {shareable}"));
        }
        for flag in ["instances_retrievable", "bindings_retrievable", "allow_context_updates"] {
            if service.get(flag).is_some_and(Value::is_null) {
                refused.member("CF-21", flag, "is null");
            }
        }
        found.extend(refused.breaches);
        let plans = list(&service["plans"]);
        for (index, plan) in plans.iter().enumerate() {
            let at = format!("/services/{number}/plans/{index}");
            found.extend(of_plan(plan, at, &plans[..index], &mut identified));
        }
    }
    found
}

/// Returns the same for a plan. `others` are the plans of its service before it, and `identified` all schemas with an id.
fn of_plan<'c>(plan: &'c Value, at: String, others: &[Value], identified: &mut Vec<&'c Value>) -> Vec<Breach> {
    let mut refused = Refused::new("plan", plan, at);
    refused.texts();
    let differs_in_case = |other: &Value| match (plan["name"].as_str(), other["name"].as_str()) {
        (Some(name), Some(other)) => name != other && name.eq_ignore_ascii_case(other),
        _ => false,
    };
    if others.iter().any(differs_in_case) {
        refused.member("CF-21", "name", "differs only in case from that of another plan");
    }
    if let Some(maintenance) = plan["maintenance_info"].as_object() {
        let unknown = maintenance.keys().filter(|key| !["version", "description"].contains(&key.as_str()));
        let unknown: Vec<_> = unknown.map(|key| format!("`{key}`")).collect();
        if !unknown.is_empty() {
            refused.member("CF-07", "maintenance_info", format_args!("has {}", unknown.join(", ")));
        }
        let length = length_in_rails(&plan["maintenance_info"]);
        if length > 2_000 {
            refused.member("CF-07", "maintenance_info", format_args!("has {length} characters"));
        }
    }
    // Cloud Foundry reads a number with a fraction or an exponent as a decimal.
    if let Value::Number(longest) = &plan["maximum_polling_duration"]
        && (longest.is_f64() || longest.as_u64().is_some_and(|longest| longest < 60))
    {
        refused.member("CF-09", "maximum_polling_duration", format_args!("is {longest}"));
    }
    if plan["maximum_polling_duration"].as_u64().is_some_and(|longest| i32::try_from(longest).is_err()) {
        refused.member("CF-21", "maximum_polling_duration", "has more than 32 bits");
    }
    for place in ["service_instance/create", "service_instance/update", "service_binding/create"] {
        let member = format!("schemas/{place}/parameters");
        let Some(schema) = plan.pointer(&format!("/{member}")).filter(|schema| schema.is_object()) else { continue };
        let is_known = |dialect: &str| {
            let known = ["03", "04", "06"].map(|draft| format!("http://json-schema.org/draft-{draft}/schema"));
            known.iter().any(|known| known == dialect.trim_end_matches('#'))
        };
        if let Some(id) = schema["id"].as_str().filter(|id| !id.is_empty() && !id.starts_with('#')) {
            let has_references = |schema: &Value| schema.to_string().contains("\"$ref\"");
            if identified.iter().any(|other| other["id"] == id && *other != schema) && has_references(schema) {
                refused.member("CF-20", &member, format_args!("has the `id` {id:?} of another schema"));
            }
            identified.push(schema);
        }
        match schema.get("$schema") {
            None => refused.member("CF-08", &member, "has no `$schema`"),
            Some(dialect) if !dialect.as_str().is_some_and(is_known) => {
                refused.member("CF-08", &member, format_args!("has the `$schema` {dialect}"));
            }
            Some(_) => {
                if let Some(Err(error)) = METASCHEMA.as_ref().map(|metaschema| metaschema.validate(schema)) {
                    refused.member("CF-08", &member, format_args!("is not valid: {error}"));
                }
            }
        }
    }
    refused.breaches
}

/// The reasons for which Cloud Foundry refuses a service or a plan.
struct Refused<'c> {
    kind: &'static str,
    object: &'c Value,
    /// Its place in the catalog.
    at: String,
    breaches: Vec<Breach>,
}

impl<'c> Refused<'c> {
    fn new(kind: &'static str, object: &'c Value, at: String) -> Self {
        Self { kind, object, at, breaches: Vec::new() }
    }

    fn member(&mut self, rule: &'static str, member: &str, why: impl Display) {
        let what = format!("`{member}` of {} {} {why}", self.kind, self.object["name"]);
        self.breaches.push(Breach::new(rule, what).at(format!("{}/{member}", self.at)));
    }

    fn texts(&mut self) {
        for member in ["id", "name", "description"] {
            let text = self.object[member].as_str().unwrap_or_default();
            let length = text.chars().count();
            if length > 0 && text.trim().is_empty() {
                self.member("CF-02", member, "is blank");
            } else if member == "description" && length > 10_000 {
                self.member("CF-02", member, format_args!("has {length} characters"));
            }
        }
    }
}

/// Returns the number of characters as Rails writes JSON, with `<` as `\u003c`.
fn length_in_rails(value: &Value) -> usize {
    let escaped = |c: char| if matches!(c, '<' | '>' | '&' | '\u{2028}' | '\u{2029}') { 6 } else { 1 };
    value.to_string().chars().map(escaped).sum()
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
