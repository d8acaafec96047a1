//! Behaviour that platforms refuse although the specification allows it, according to their source code.

use http::StatusCode;
use serde_json::Value;

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
    cf("CF-05", "A dashboard client has a redirect_uri and a unique id."),
    cf("CF-06", "`shareable` is a boolean."),
    cf("CF-07", "maintenance_info has only a version and a description, with at most 2,000 characters in total."),
    cf("CF-08", "The `$schema` of a parameter schema names draft-03, 04 or 06, and the schema conforms to draft-04."),
    cf(
        "CF-09",
        "`maximum_polling_duration` is at least 60 s; as polls are 60 s apart, a shorter one allows a single poll.",
    ),
    cf(
        "CF-10",
        "`operation` is absent or a string of at most 10,000 characters, also in a 200 or 201 to a create or update; \
         otherwise, even if it is null, the response is malformed.",
    ),
    cf("CF-11", "`metadata`, its labels and its attributes are absent rather than null."),
    cf("CF-12", "A fetched instance or binding has no specified field that is null."),
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

/// The fields that Cloud Foundry reads of a fetched instance.
const OF_INSTANCE: &[&str] = &["service_id", "plan_id", "dashboard_url", "parameters", "metadata"];
/// The fields that it reads of a fetched binding.
const OF_BINDING: &[&str] = &["credentials", "parameters", "syslog_drain_url", "route_service_url", "volume_mounts"];

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
    if has_instance {
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
    found
}

/// Returns the reasons for which Cloud Foundry refuses a catalog.
pub(super) fn of_catalog(catalog: &Value) -> Vec<Breach> {
    let services = list(&catalog["services"]);
    let mut found = Vec::new();
    if services.is_empty() {
        found.push(Breach::new("CF-01", "the catalog has no service").at("/services"));
    }
    let mut clients = Vec::new();
    for (number, service) in services.iter().enumerate() {
        let at = format!("/services/{number}");
        let of = |what: &str| format!("{what} of service {}", service["name"]);
        found.extend(blank(service, &at));
        let tags = &service["tags"];
        let length: usize = list(tags).iter().filter_map(Value::as_str).map(|tag| tag.chars().count()).sum();
        if service.get("tags").is_some() && !tags.is_array() || length > 2_048 {
            found.push(Breach::new("CF-03", of("the tags")).at(format!("{at}/tags")));
        }
        if service.get("requires").is_some_and(|requires| !requires.is_array()) {
            found.push(Breach::new("CF-04", of("`requires`")).at(format!("{at}/requires")));
        }
        let client = &service["dashboard_client"];
        if client.is_object() {
            let uri = client["redirect_uri"].as_str().unwrap_or_default();
            if uri.trim().is_empty() || clients.contains(&&client["id"]) {
                found.push(Breach::new("CF-05", of("the dashboard client")).at(format!("{at}/dashboard_client")));
            }
            clients.push(&client["id"]);
        }
        if service["metadata"].get("shareable").is_some_and(|shareable| !shareable.is_boolean()) {
            found.push(Breach::new("CF-06", of("`shareable`")).at(format!("{at}/metadata/shareable")));
        }
        let plans = list(&service["plans"]).iter().enumerate();
        found.extend(plans.flat_map(|(number, plan)| of_plan(plan, &format!("{at}/plans/{number}"))));
    }
    found
}

fn of_plan(plan: &Value, at: &str) -> Vec<Breach> {
    let of = |what: &str| format!("{what} of plan {}", plan["name"]);
    let mut found = Vec::from_iter(blank(plan, at));
    if let Some(maintenance) = plan["maintenance_info"].as_object() {
        let known = maintenance.keys().all(|key| ["version", "description"].contains(&key.as_str()));
        if !known || plan["maintenance_info"].to_string().chars().count() > 2_000 {
            found.push(Breach::new("CF-07", of("maintenance_info")).at(format!("{at}/maintenance_info")));
        }
    }
    if plan["maximum_polling_duration"].as_u64().is_some_and(|longest| longest < 60) {
        found.push(Breach::new("CF-09", of("maximum_polling_duration")).at(format!("{at}/maximum_polling_duration")));
    }
    for place in ["/service_instance/create", "/service_instance/update", "/service_binding/create"] {
        let schema = plan["schemas"].pointer(&format!("{place}/parameters")).filter(|schema| schema.is_object());
        let dialect = schema.and_then(|schema| schema["$schema"].as_str()).unwrap_or_default().trim_end_matches('#');
        let known = ["03", "04", "06"].map(|draft| format!("http://json-schema.org/draft-{draft}/schema"));
        let wrong = match schema {
            Some(_) if !known.iter().any(|known| known == dialect) => Some(format!("`$schema` is {dialect:?}")),
            Some(schema) => jsonschema::draft4::meta::validate(schema).err().map(|error| error.to_string()),
            None => None,
        };
        let breach = |why: String| Breach::new("CF-08", format!("{}: {why}", of(place)));
        found.extend(wrong.map(|why| breach(why).at(format!("{at}/schemas{place}/parameters"))));
    }
    found
}

fn blank(one: &Value, at: &str) -> Option<Breach> {
    let blank = |field: &&&str| one[**field].as_str().is_some_and(|text| !text.is_empty() && text.trim().is_empty());
    let field = ["id", "name", "description"].iter().find(blank);
    let long = one["description"].as_str().is_some_and(|text| text.chars().count() > 10_000);
    let field = field.copied().or(long.then_some("description"))?;
    Some(Breach::new("CF-02", format!("the {field} of {}", one["name"])).at(format!("{at}/{field}")))
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
