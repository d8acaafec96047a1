//! Defects of a broker, each with the rule that it violates.

use http::{
    HeaderValue,
    header::{CONTENT_TYPE, WWW_AUTHENTICATE},
};
use osb_check::judge::Endpoint::{
    Bind, Catalog, Deprovision, FetchBinding, FetchInstance, PollBinding, PollInstance, Provision, Unbind, Update,
};
use serde_json::{Value, json};

use crate::{
    long,
    mutated::{Asked, Fate, Mutate, Reply},
};

/// A defect: its description, the rule that it violates, the plan to check, and the function that causes it.
pub(crate) type Mutation = (&'static str, &'static str, &'static str, Mutate);

/// Replaces a value of the catalog, if it is present.
pub(crate) fn catalog(asked: &Asked, reply: &mut Reply, at: &str, value: Value) {
    if asked.endpoint == Some(Catalog)
        && reply.status == 200
        && let Some(place) = reply.body.pointer_mut(at)
    {
        *place = value;
    }
}

/// Sets a field of an object of the catalog, whether or not it has it.
fn set(asked: &Asked, reply: &mut Reply, of: &str, name: &str, value: Value) {
    if asked.endpoint == Some(Catalog)
        && reply.status == 200
        && let Some(object) = reply.body.pointer_mut(of)
    {
        object[name] = value;
    }
}

/// Removes a field from an object of the catalog.
fn missing(asked: &Asked, reply: &mut Reply, of: &str, name: &str) {
    if asked.endpoint == Some(Catalog)
        && let Some(fields) = reply.body.pointer_mut(of).and_then(Value::as_object_mut)
    {
        fields.remove(name);
    }
}

/// Replaces a status of an endpoint.
pub(crate) fn instead(asked: &Asked, reply: &mut Reply, of: osb_check::judge::Endpoint, status: u16, other: u16) {
    let body = if other < 300 { json!({}) } else { json!({ "description": "spoilt" }) };
    becomes(asked, reply, of, [status, other], body);
}

/// Replaces a status of an endpoint and the body with it.
pub(crate) fn becomes(
    asked: &Asked,
    reply: &mut Reply,
    of: osb_check::judge::Endpoint,
    [status, other]: [u16; 2],
    body: Value,
) {
    if asked.endpoint == Some(of) && reply.status == status {
        reply.become_(other, body);
    }
}

/// Sets a field in the body of an endpoint's response with this status.
pub(crate) fn field(
    asked: &Asked,
    reply: &mut Reply,
    of: osb_check::judge::Endpoint,
    status: u16,
    name: &str,
    value: Value,
) {
    if asked.endpoint == Some(of) && reply.status == status {
        reply.body[name] = value;
    }
}

/// A mutation that replaces a value of the catalog.
macro_rules! catalog {
    ($at:expr, $($value:tt)+) => {
        |asked, reply| catalog(asked, reply, $at, json!($($value)+))
    };
}

/// A mutation that sets a field of an object of the catalog.
macro_rules! set {
    ($of:ident, $name:literal, $($value:tt)+) => {
        |asked, reply| set(asked, reply, $of, $name, json!($($value)+))
    };
}

/// A mutation that sets a field in the body of an endpoint's response with this status.
macro_rules! field {
    ($of:ident, $status:literal, $name:literal, $($value:tt)+) => {
        |asked, reply| field(asked, reply, $of, $status, $name, json!($($value)+))
    };
}

/// A mutation that replaces a status of an endpoint: in all responses, in those with an error code, or in those that a condition
/// selects.
macro_rules! instead {
    ($of:ident, $status:literal, $other:literal) => {
        |asked, reply| $crate::mutations::instead(asked, reply, $of, $status, $other)
    };
    ($of:ident, $status:literal, $other:literal, $code:literal) => {
        instead!($of, $status, $other, |_, reply| reply.body["error"] == $code)
    };
    ($of:ident, $status:literal, $other:literal, $selects:expr) => {
        |asked, reply| {
            let selects: fn(&$crate::mutated::Asked, &$crate::mutated::Reply) -> bool = $selects;
            if selects(asked, reply) {
                $crate::mutations::instead(asked, reply, $of, $status, $other);
            }
        }
    };
}

/// A mutation that replaces a status of an endpoint and the body with it.
macro_rules! becomes {
    ($of:ident, $status:literal => $other:literal, $($body:tt)+) => {
        |asked, reply| $crate::mutations::becomes(asked, reply, $of, [$status, $other], json!($($body)+))
    };
}

const SERVICE: &str = "/services/0";
const SMALL: &str = "/services/0/plans/0";
const SCHEMA: &str = "/services/0/plans/0/schemas/service_instance/create/parameters";

/// Returns whether the request has parameters that the schema refuses.
pub(crate) fn is_bad(asked: &Asked) -> bool {
    let parameters = &asked.body["parameters"];
    parameters.is_object() && parameters.get("osb_check_has_no_such_property").is_some()
}

/// Returns whether the request is a repeated one.
pub(crate) fn again(asked: &Asked, of: osb_check::judge::Endpoint) -> bool {
    asked.endpoint == Some(of) && asked.before > 0
}

/// Returns whether the request names a predecessor that an earlier request was about.
pub(crate) fn has_known_predecessor(asked: &Asked) -> bool {
    let binding = asked.body["predecessor_binding_id"].as_str().unwrap_or("none");
    asked.earlier.iter().any(|earlier| earlier.endpoint == Some(Bind) && earlier.path.ends_with(binding))
}

/// All defects that violate the specification.
pub(crate) const MUTATIONS: &[Mutation] = &[
    // The catalog, with the plan that takes the fewest requests.
    ("a service that is a number", "CAT-01", "closed", |a, r| {
        if a.endpoint == Some(Catalog)
            && let Some(services) = r.body["services"].as_array_mut()
        {
            services.push(json!(5));
        }
    }),
    ("ids that change", "CAT-03", "closed", |a, r| {
        let id = format!("id-{}", a.before);
        catalog(a, r, "/services/0/plans/1/id", json!(id));
    }),
    ("an id of a service that changes", "CAT-03", "closed", |a, r| {
        let id = format!("id-{}", a.before);
        catalog(a, r, "/services/0/id", json!(id));
    }),
    ("a long name", "CAT-04", "closed", catalog!("/services/0/plans/1/name", "a".repeat(256))),
    ("a name with a space", "CAT-06", "closed", catalog!("/services/0/name", "my lab")),
    ("a service without a name", "CAT-10", "closed", |a, r| missing(a, r, SERVICE, "name")),
    ("a service with an empty id", "CAT-11", "closed", catalog!("/services/0/id", "")),
    ("a service without a description", "CAT-12", "closed", |a, r| missing(a, r, SERVICE, "description")),
    ("a tag that is a number", "CAT-13", "closed", set!(SERVICE, "tags", [1])),
    ("an unknown requirement", "CAT-14", "closed", set!(SERVICE, "requires", ["magic"])),
    ("a service without bindable", "CAT-15", "closed", |a, r| missing(a, r, SERVICE, "bindable")),
    ("a string for instances_retrievable", "CAT-16", "closed", catalog!("/services/0/instances_retrievable", "yes")),
    ("a number for bindings_retrievable", "CAT-17", "closed", catalog!("/services/0/bindings_retrievable", 1)),
    ("a string for allow_context_updates", "CAT-18", "closed", catalog!("/services/0/allow_context_updates", "")),
    ("service metadata that is a list", "CAT-19", "closed", set!(SERVICE, "metadata", [])),
    ("a number for plan_updateable of a service", "CAT-21", "closed", catalog!("/services/0/plan_updateable", 1)),
    ("plan metadata that is a list", "CAT-33", "closed", set!(SMALL, "metadata", [])),
    ("a string for bindable of a plan", "CAT-35", "closed", catalog!("/services/0/plans/0/bindable", "yes")),
    ("a number for binding_rotatable", "CAT-36", "closed", catalog!("/services/0/plans/0/binding_rotatable", 1)),
    ("a string for plan_updateable of a plan", "CAT-37", "closed", |a, r| {
        catalog(a, r, "/services/0/plans/0/plan_updateable", json!("yes"));
    }),
    ("another service without plans", "CAT-22", "closed", |a, r| {
        if a.endpoint == Some(Catalog)
            && let Some(services) = r.body["services"].as_array_mut()
        {
            services.push(json!({ "id": "x", "name": "x", "description": "x", "bindable": false, "plans": [] }));
        }
    }),
    ("two plans with the same id", "CAT-30", "closed", |a, r| {
        let id = r.body.pointer("/services/0/plans/1/id").cloned().unwrap_or_default();
        catalog(a, r, "/services/0/plans/0/id", id);
    }),
    ("two plans with the same name", "CAT-31", "closed", catalog!("/services/0/plans/0/name", "large")),
    ("a plan without a description", "CAT-32", "closed", |a, r| missing(a, r, SMALL, "description")),
    ("a string for free", "CAT-34", "closed", catalog!("/services/0/plans/0/free", "no")),
    ("a fraction for maximum_polling_duration", "CAT-39", "closed", set!(SMALL, "maximum_polling_duration", 0.5)),
    ("maintenance_info without a version", "CAT-40", "closed", catalog!("/services/0/plans/0/maintenance_info", {})),
    ("a maintenance version that is not semantic", "CAT-40", "closed", |a, r| {
        catalog(a, r, "/services/0/plans/0/maintenance_info/version", json!("1"));
    }),
    ("schemas that are a list", "CAT-50", "closed", catalog!("/services/0/plans/0/schemas", [])),
    ("a schema without a dialect", "CAT-51", "closed", |a, r| missing(a, r, SCHEMA, "$schema")),
    ("a schema with an external reference", "CAT-52", "closed", |a, r| {
        catalog(a, r, &format!("{SCHEMA}/properties/size"), json!({ "$ref": "http://example.com/size" }));
    }),
    ("a large schema", "CAT-53", "closed", |a, r| {
        catalog(a, r, &format!("{SCHEMA}/properties/size"), json!({ "description": "a".repeat(65_536) }));
    }),
    ("a parameter schema of type array", "CAT-55", "closed", catalog!(&format!("{SCHEMA}/type"), "array")),
    ("a number for a display name", "PROF-10", "closed", set!(SERVICE, "metadata", { "displayName": 1 })),
    ("a list for a link", "PROF-10", "closed", set!(SERVICE, "metadata", { "documentationUrl": [] })),
    ("bullets that are objects", "PROF-11", "closed", set!(SMALL, "metadata", { "bullets": [{}] })),
    ("a dashboard client without a secret", "PROF-20", "closed", set!(SERVICE, "dashboard_client", { "id": "x" })),
    ("an id with a space", "URL-02", "closed", catalog!("/services/0/plans/0/id", "a b")),
    // Headers, credentials, versions, bodies.
    ("responses without a Content-Type", "HDR-07", "quick", |_, r| drop(r.headers.remove(CONTENT_TYPE))),
    ("responses of type text/html", "HDR-07", "quick", |_, r| {
        r.headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html"));
    }),
    ("responses without the request identity", "HDR-05", "quick", |_, r| {
        r.headers.remove("x-broker-api-request-identity");
    }),
    ("a Retry-After that is neither a number nor a date", "HDR-10", "slow", |_, r| {
        r.headers.insert("retry-after", HeaderValue::from_static("soon"));
    }),
    ("no authentication", "AUTH-04", "quick", |a, r| {
        if r.status == 401 {
            r.become_(if a.endpoint == Some(Catalog) { 200 } else { 400 }, json!({ "services": [] }));
        }
    }),
    ("deletions without authentication", "AUTH-01", "quick", instead!(Deprovision, 401, 410)),
    ("a catalog without authentication", "AUTH-01", "quick", instead!(Catalog, 401, 200)),
    ("401 without a challenge", "AUTH-01", "quick", |_, r| drop(r.headers.remove(WWW_AUTHENTICATE))),
    ("403 for wrong credentials", "AUTH-01", "quick", instead!(Bind, 401, 403)),
    ("500 for unsupported versions", "ERR-01", "quick", instead!(Catalog, 412, 500)),
    ("400 for unsupported versions", "ERR-01", "quick", instead!(Catalog, 412, 400)),
    ("500 without a version", "ERR-01", "quick", |a, r| {
        if !a.headers.contains_key("x-broker-api-version") {
            r.become_(500, json!({}));
        }
    }),
    ("500 for a body that is not JSON", "ERR-12", "quick", instead!(Provision, 400, 500, |a, _| a.body.is_null())),
    ("422 for a body that is not JSON", "HDR-09", "quick", instead!(Provision, 400, 422, |a, _| a.body.is_null())),
    ("instances without a space", "PROV-15", "quick", instead!(Provision, 400, 201, |a, _| !a.has("space_guid"))),
    ("500 for an id that is a number", "PROV-15", "quick", |a, r| {
        if a.body["service_id"].is_number() {
            instead(a, r, Provision, 400, 500);
        }
    }),
    ("instances of unknown services", "PROV-03", "quick", |a, r| {
        if r.body["description"].as_str().is_some_and(|text| text.contains("service_id")) {
            instead(a, r, Provision, 400, 201);
        }
    }),
    ("instances of unknown plans", "PROV-04", "quick", |a, r| {
        if r.body["description"].as_str().is_some_and(|text| text.contains("plan_id")) {
            instead(a, r, Provision, 400, 201);
        }
    }),
    ("404 for deleting a deleted instance", "DEP-04", "quick", instead!(Deprovision, 410, 404)),
    ("200 for deleting a deleted instance", "DEP-04", "quick", instead!(Deprovision, 410, 200)),
    ("404 for deleting a deleted binding", "UNB-03", "quick", instead!(Unbind, 410, 404)),
    ("410 for fetching a deleted instance", "GETI-05", "quick", |a, r| {
        if a.last(Deprovision).is_some() {
            instead(a, r, FetchInstance, 404, 410);
        }
    }),
    ("410 for fetching an instance that never existed", "GETI-05", "quick", |a, r| {
        if a.last(Provision).is_none() {
            instead(a, r, FetchInstance, 404, 410);
        }
    }),
    // Lost responses.
    ("a lost response", "ERR-01", "quick", |a, r| {
        if a.body.is_array() {
            r.fate = Fate::IsLost;
        }
    }),
    ("a response that never arrives", "ASY-01", "quick", |a, r| {
        if a.endpoint == Some(FetchInstance) && r.status == 200 {
            r.fate = Fate::NeverComes;
        }
    }),
    // Errors.
    ("an error code of two words", "ERR-02", "slow", |_, r| {
        if r.body["error"] == "AsyncRequired" {
            r.body["error"] = json!("Async Required");
        }
    }),
    ("an empty description", "ERR-03", "quick", |_, r| {
        if r.status == 400 {
            r.body["description"] = json!("");
        }
    }),
    ("instance_usable of a provision", "ERR-10", "quick", field!(Provision, 400, "instance_usable", true)),
    ("update_repeatable of a deletion", "ERR-11", "quick", field!(Deprovision, 400, "update_repeatable", true)),
    ("instance_usable of an update that is a string", "UPD-18", "quick", field!(Update, 400, "instance_usable", "yes")),
    ("instance_usable of a deletion that is a string", "DEP-09", "quick", |a, r| {
        field(a, r, Deprovision, 400, "instance_usable", json!("yes"));
    }),
    ("AsyncRequired with 400", "ERR-04", "slow", |_, r| {
        if r.body["error"] == "AsyncRequired" {
            r.status = 400;
        }
    }),
    ("AsyncRequired despite accepts_incomplete", "ERR-04", "slow", |a, r| {
        let code = json!({ "error": "AsyncRequired", "description": "no" });
        if a.endpoint == Some(Provision) && r.status == 202 {
            r.become_(422, code);
        }
    }),
    ("ConcurrencyError with 409", "ERR-05", "slow", field!(Provision, 409, "error", "ConcurrencyError")),
    ("RequiresApp with 400", "ERR-06", "quick", field!(Bind, 400, "error", "RequiresApp")),
    ("MaintenanceInfoConflict with 409", "ERR-07", "small", |_, r| {
        if r.body["error"] == "MaintenanceInfoConflict" {
            r.status = 409;
        }
    }),
    ("202 without accepts_incomplete", "ASY-05", "slow", |_, r| {
        if r.body["error"] == "AsyncRequired" {
            r.become_(202, json!({ "operation": "1" }));
        }
    }),
    // Provisioning.
    ("200 for a new instance", "PROV-10", "quick", instead!(Provision, 201, 200)),
    ("204 for a new instance", "PROV-10", "quick", becomes!(Provision, 201 => 204, null)),
    ("a list for a new instance", "PROV-10", "quick", becomes!(Provision, 201 => 201, [])),
    ("409 for a repeated provision", "PROV-11", "quick", instead!(Provision, 200, 409)),
    ("201 for a repeated provision", "PROV-11", "quick", instead!(Provision, 200, 201)),
    ("200 for a conflict", "PROV-14", "quick", instead!(Provision, 409, 200)),
    ("422 for a conflict", "PROV-14", "quick", instead!(Provision, 409, 422)),
    ("unknown fields that are refused", "EXT-01", "quick", |a, r| {
        if a.has("osb_check_unknown") {
            instead(a, r, Provision, 200, 400);
        }
    }),
    ("paths that are not decoded", "URL-01", "quick", instead!(Provision, 200, 201, |a, _| a.path.contains('%'))),
    ("invalid parameters of a provision accepted", "PROV-07", "quick", instead!(Provision, 400, 201, |a, _| is_bad(a))),
    ("a wrong maintenance version of a provision accepted", "PROV-08", "small", |a, r| {
        if r.body["error"] == "MaintenanceInfoConflict" {
            instead(a, r, Provision, 422, 201);
        }
    }),
    ("a list as the body of a 202", "PROV-12", "slow", becomes!(Provision, 202 => 202, [])),
    ("a long operation", "PROV-17", "slow", field!(Provision, 202, "operation", "a".repeat(10_001))),
    ("a different operation for a repeated provision", "PROV-13", "slow", |a, r| {
        if again(a, Provision) {
            field(a, r, Provision, 202, "operation", json!("another"));
        }
    }),
    ("200 for a repeated provision in progress", "PROV-13", "slow", |a, r| {
        if again(a, Provision) {
            instead(a, r, Provision, 202, 200);
        }
    }),
    ("202 for a conflict in progress", "PROV-14", "slow", instead!(Provision, 409, 202)),
    ("422 for fetching an instance during its creation", "GETI-05", "slow", |a, r| {
        if a.last(Provision).is_some() && a.last(Deprovision).is_none() {
            instead(a, r, FetchInstance, 404, 422);
        }
    }),
    ("a dashboard_url that is a number", "PROV-16", "quick", field!(Provision, 201, "dashboard_url", 1)),
    ("a dashboard_url that is missing in the first response", "PROV-16", "quick", |a, r| {
        if a.endpoint == Some(Provision)
            && let Some(fields) = r.body.as_object_mut()
        {
            fields.remove("dashboard_url");
        }
        field(a, r, FetchInstance, 200, "dashboard_url", json!("https://example.com"));
    }),
    ("metadata that is a list", "PROV-18", "quick", field!(Provision, 201, "metadata", [])),
    ("labels that are a list", "META-01", "quick", field!(Provision, 201, "metadata", { "labels": [] })),
    ("attributes that are a string", "META-02", "quick", field!(Provision, 201, "metadata", { "attributes": "" })),
    ("404 for an existing instance", "GETI-01", "quick", instead!(FetchInstance, 200, 404)),
    ("an instance of another plan", "GETI-04", "quick", field!(FetchInstance, 200, "plan_id", "p")),
    // Polls.
    ("a state in another spelling", "LOI-03", "slow", field!(PollInstance, 200, "state", "in_progress")),
    ("a poll with an empty description", "LOI-04", "slow", field!(PollInstance, 200, "description", "")),
    ("410 for a creation", "LOI-07", "slow", instead!(PollInstance, 200, 410)),
    ("instance_usable during an operation", "LOI-08", "slow", field!(PollInstance, 200, "instance_usable", true)),
    ("404 at the end of a deletion", "LOI-09", "slow", instead!(PollInstance, 410, 404)),
    ("404 at the end of an unbinding", "LOB-04", "slow", instead!(PollBinding, 410, 404)),
    ("a final state that is forgotten", "LOI-09", "slow", |a, r| {
        if a.ended {
            r.body["state"] = json!("in progress");
        }
    }),
    ("a state of an instance that never existed", "LOI-06", "slow", |a, r| {
        if a.endpoint == Some(PollInstance) && r.status == 404 {
            r.become_(200, json!({ "state": "succeeded" }));
        }
    }),
    ("410 for the creation of a binding", "LOB-01", "slow", instead!(PollBinding, 200, 410, |a, _| a.before == 0)),
    ("instance_usable of a binding", "LOB-03", "slow", field!(PollBinding, 200, "instance_usable", true)),
    // Updates.
    ("an update without service_id", "UPD-13", "quick", instead!(Update, 400, 200, |a, _| !a.has("service_id"))),
    ("an update to an unknown plan", "UPD-05", "quick", instead!(Update, 400, 200, |a, _| !a.has("parameters"))),
    ("invalid parameters of an update accepted", "UPD-07", "quick", instead!(Update, 400, 200, |a, _| is_bad(a))),
    ("201 for an update", "UPD-11", "quick", instead!(Update, 200, 201)),
    ("a plan that does not change", "UPD-11", "small", |a, r| {
        field(a, r, FetchInstance, 200, "plan_id", json!("6f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a02"));
    }),
    ("a different operation for a repeated update", "UPD-12", "slow", |a, r| {
        let number = json!(format!("operation-{}", a.before));
        field(a, r, Update, 202, "operation", number);
    }),
    ("an empty operation of an update", "UPD-16", "slow", field!(Update, 202, "operation", "")),
    ("a dashboard_url of an update that is a number", "UPD-15", "quick", field!(Update, 200, "dashboard_url", 1)),
    ("a wrong maintenance version of an update accepted", "UPD-10", "small", |a, r| {
        if r.body["error"] == "MaintenanceInfoConflict" {
            instead(a, r, Update, 422, 200);
        }
    }),
    ("a refused update of the context", "UPD-03", "quick", |a, r| {
        if !a.has("parameters") && !a.has("plan_id") {
            instead(a, r, Update, 200, 422);
        }
    }),
    ("a change of plan despite plan_updateable: false", "UPD-01", "quick", |a, r| {
        if !a.has("parameters") {
            instead(a, r, Update, 422, 200);
        }
    }),
    ("500 for an unsupported change of plan", "UPD-14", "small", |a, r| {
        if !a.has("parameters") && r.body.get("error").is_none() {
            instead(a, r, Update, 422, 500);
        }
    }),
    ("a change by a refused update", "UPD-17", "quick", |a, r| {
        let number = json!({ "changed": a.before });
        field(a, r, FetchInstance, 200, "parameters", number);
    }),
    // Bindings.
    ("200 for a new binding", "BIND-07", "quick", instead!(Bind, 201, 200)),
    ("409 for a repeated bind", "BIND-08", "quick", instead!(Bind, 200, 409)),
    ("a different operation for a repeated bind", "BIND-09", "slow", |a, r| {
        if again(a, Bind) {
            field(a, r, Bind, 202, "operation", json!("another"));
        }
    }),
    ("credentials in a 202", "BIND-10", "slow", field!(Bind, 202, "credentials", { "a": "b" })),
    ("200 for a conflicting bind", "BIND-11", "quick", instead!(Bind, 409, 200)),
    ("invalid parameters of a bind accepted", "BIND-06", "quick", instead!(Bind, 400, 201, |a, _| is_bad(a))),
    ("a bind without service_id", "BIND-15", "quick", instead!(Bind, 400, 201, |a, _| !a.has("service_id"))),
    ("credentials that are a string", "BIND-16", "quick", field!(Bind, 201, "credentials", "secret")),
    ("a log drain missing in requires", "BIND-18", "quick", |a, r| {
        missing(a, r, SERVICE, "requires");
        field(a, r, Bind, 201, "syslog_drain_url", json!("syslog://example.com"));
    }),
    ("a route service missing in requires", "BIND-19", "quick", |a, r| {
        field(a, r, Bind, 201, "route_service_url", json!("https://example.com"));
    }),
    ("a volume missing in requires", "BIND-20", "large", |a, r| missing(a, r, SERVICE, "requires")),
    ("a volume with an unknown mode", "BIND-21", "large", |a, r| {
        if a.endpoint == Some(Bind) && r.status == 201 {
            r.body["volume_mounts"][0]["mode"] = json!("w");
        }
    }),
    ("ports that are numbers", "BIND-23", "twin", |a, r| {
        if a.endpoint == Some(Bind) && r.status == 201 {
            r.body["endpoints"][0]["ports"] = json!([443]);
        }
    }),
    ("a descending port range", "BIND-23", "twin", |a, r| {
        if a.endpoint == Some(Bind) && r.status == 201 {
            r.body["endpoints"][0]["ports"] = json!(["2-1"]);
        }
    }),
    ("binding metadata that is a list", "BIND-24", "quick", field!(Bind, 201, "metadata", [])),
    ("an expiry that is not a time", "BIND-25", "quick", field!(Bind, 201, "metadata", { "expires_at": "tomorrow" })),
    ("a renewal after the expiry", "BIND-25", "quick", |a, r| {
        let times = json!({ "expires_at": "2030-01-01T00:00:00.0Z", "renew_before": "2030-01-02T00:00:00.0Z" });
        field(a, r, Bind, 201, "metadata", times);
    }),
    ("a renewal after the expiry by a fraction", "BIND-25", "quick", |a, r| {
        let times = json!({ "expires_at": "2036-01-01T00:00:00.1Z", "renew_before": "2036-01-01T00:00:00.15Z" });
        field(a, r, Bind, 201, "metadata", times);
    }),
    ("an expiry on a day that does not exist", "BIND-25", "quick", |a, r| {
        field(a, r, Bind, 201, "metadata", json!({ "expires_at": "2035-02-29T00:00:00.0Z" }));
    }),
    ("a long operation of a binding", "BIND-26", "slow", field!(Bind, 202, "operation", "a".repeat(10_001))),
    ("404 for an existing binding", "GETB-01", "quick", instead!(FetchBinding, 200, 404)),
    ("other credentials for a fetched binding", "GETB-01", "quick", |a, r| {
        field(a, r, FetchBinding, 200, "credentials", json!({ "uri": "postgres://osb_2:other@db/one" }));
    }),
    ("other credentials for a repeated bind", "BIND-08", "quick", |a, r| {
        field(a, r, Bind, 200, "credentials", json!({ "uri": "postgres://osb_2:other@db/one" }));
    }),
    ("404 for a binding after its creation has succeeded", "GETB-02", "slow", instead!(FetchBinding, 200, 404)),
    ("a binding fetched during its creation", "GETB-03", "slow", |a, r| {
        if a.last(Unbind).is_none() {
            instead(a, r, FetchBinding, 404, 200);
        }
    }),
    ("410 for fetching a deleted binding", "GETB-03", "quick", |a, r| {
        if a.last(Unbind).is_some() {
            instead(a, r, FetchBinding, 404, 410);
        }
    }),
    ("parameters of a binding that are a list", "GETB-04", "quick", field!(FetchBinding, 200, "parameters", [])),
    ("a refused rotation", "ROT-04", "small", |a, r| {
        if a.has("predecessor_binding_id") {
            r.become_(400, json!({}));
        }
    }),
    ("a rotation that deletes the old binding", "ROT-03", "small", |a, r| {
        if again(a, FetchBinding) {
            instead(a, r, FetchBinding, 200, 404);
        }
    }),
    // Deletions.
    ("an unbinding without ids accepted", "UNB-02", "quick", instead!(Unbind, 400, 200, |a, _| !a.is_whole())),
    ("a deletion without ids accepted", "DEP-03", "quick", instead!(Deprovision, 400, 200, |a, _| !a.is_whole())),
    ("404 for unbinding from a deleted instance", "ORP-02", "quick", |a, r| {
        // Also changes other unbindings, which violate UNB-03 then.
        instead(a, r, Unbind, 410, 404);
    }),
    ("204 for a deletion", "DEP-04", "quick", becomes!(Deprovision, 200 => 204, null)),
    ("a different operation for a repeated deletion", "DEP-04", "slow", |a, r| {
        let number = json!(format!("operation-{}", a.before));
        field(a, r, Deprovision, 202, "operation", number);
    }),
    ("a long operation of a deletion", "DEP-08", "slow", field!(Deprovision, 202, "operation", "a".repeat(10_001))),
    ("a long operation of an unbinding", "UNB-07", "slow", field!(Unbind, 202, "operation", "a".repeat(10_001))),
];

/// Defects that a single platform refuses.
pub(crate) const REFUSED: &[Mutation] = &[
    ("no services", "CF-01", "closed", catalog!("/services", [])),
    ("a blank description", "CF-02", "closed", catalog!("/services/0/description", " ")),
    ("tags that are null", "CF-03", "closed", set!(SERVICE, "tags", null)),
    ("requires that is null", "CF-04", "closed", catalog!("/services/0/requires", null)),
    ("a dashboard client without a redirect_uri", "CF-05", "closed", |a, r| {
        set(a, r, SERVICE, "dashboard_client", json!({ "id": "x", "secret": "y" }));
    }),
    ("a dashboard client with a blank id", "CF-05", "closed", |a, r| {
        let client = json!({ "id": " ", "secret": "y", "redirect_uri": "https://lab.example" });
        set(a, r, SERVICE, "dashboard_client", client);
    }),
    ("a dashboard client with a blank secret", "CF-05", "closed", |a, r| {
        let client = json!({ "id": "x", "secret": " \u{a0}", "redirect_uri": "https://lab.example" });
        set(a, r, SERVICE, "dashboard_client", client);
    }),
    ("a route service without a host", "CF-15", "quick", |a, r| {
        field(a, r, Bind, 201, "route_service_url", json!("https://.example.com/x"));
    }),
    ("two services with the same dashboard client", "CF-05", "closed", |a, r| {
        let client = json!({ "id": "x", "secret": "y", "redirect_uri": "https://lab.example" });
        set(a, r, SERVICE, "dashboard_client", client.clone());
        if a.endpoint == Some(Catalog)
            && let Some(services) = r.body["services"].as_array_mut()
        {
            services.push(json!({
                "id": "0b5f7c1e-0000-4000-8000-00000000000c", "name": "other", "description": "Another.", "bindable": false,
                "dashboard_client": client,
                "plans": [{ "id": "0b5f7c1e-0000-4000-8000-00000000000d", "name": "other", "description": "Another." }],
            }));
        }
    }),
    ("a string for shareable", "CF-06", "closed", set!(SERVICE, "metadata", { "shareable": "true" })),
    ("maintenance_info with an additional field", "CF-07", "closed", |a, r| {
        catalog(a, r, "/services/0/plans/0/maintenance_info", json!({ "version": "1.0.0", "private": {} }));
    }),
    ("maintenance_info that is too long as Rails writes it", "CF-07", "closed", |a, r| {
        let long = json!({ "version": "1.0.0", "description": "<".repeat(400) });
        catalog(a, r, "/services/0/plans/0/maintenance_info", long);
    }),
    ("a schema of another dialect", "CF-08", "closed", |a, r| {
        catalog(a, r, &format!("{SCHEMA}/$schema"), json!("http://json-schema.org/draft-07/schema#"));
    }),
    ("an invalid schema", "CF-08", "closed", catalog!(&format!("{SCHEMA}/properties/size"), true)),
    ("a schema with references and the id of another one", "CF-20", "closed", |a, r| {
        let of_update = SCHEMA.replace("/create/", "/update/");
        for schema in [SCHEMA, &of_update] {
            set(a, r, schema, "id", json!("http://broker.example/parameters"));
            set(a, r, schema, "definitions", json!({ schema: {} }));
            set(a, r, schema, "allOf", json!([{ "$ref": "#/definitions" }]));
        }
    }),
    ("a maximum_polling_duration of one second", "CF-09", "closed", set!(SMALL, "maximum_polling_duration", 1)),
    ("a maximum_polling_duration with a fraction", "CF-09", "closed", set!(SMALL, "maximum_polling_duration", 600.0)),
    ("an operation that is null", "CF-10", "slow", field!(Provision, 202, "operation", null)),
    ("an operation of a creation without one that is null", "CF-10", "quick", |a, r| {
        field(a, r, Provision, 201, "operation", Value::Null);
    }),
    ("an operation that is a number", "CF-10", "quick", field!(Update, 200, "operation", 5)),
    ("a long operation of an update", "CF-10", "slow", field!(Update, 202, "operation", "a".repeat(10_001))),
    ("metadata that is null", "CF-11", "quick", field!(Provision, 201, "metadata", null)),
    ("attributes of a fetched instance that are null", "CF-11", "quick", |a, r| {
        field(a, r, FetchInstance, 200, "metadata", json!({ "attributes": null }));
    }),
    ("parameters that are null", "CF-12", "quick", field!(FetchInstance, 200, "parameters", null)),
    ("422 for a refused provision", "CF-13", "quick", instead!(Provision, 400, 422)),
    ("410 for a refused bind", "CF-14", "quick", instead!(Bind, 400, 410)),
    ("a route service URL with http", "CF-15", "quick", field!(Bind, 201, "route_service_url", "http://example.com")),
    ("a route service URL with a space", "CF-15", "quick", |a, r| {
        field(a, r, Bind, 201, "route_service_url", json!("https://exa mple.com/x"));
    }),
    ("404 at the end of a deletion", "CF-17", "slow", instead!(PollInstance, 410, 404)),
    ("an empty list of volumes", "CF-18", "quick", |a, r| {
        missing(a, r, SERVICE, "requires");
        field(a, r, Bind, 201, "volume_mounts", json!([]));
    }),
    ("a list as the body of a 422", "CF-19", "quick", becomes!(Update, 400 => 422, [])),
    ("bindings that cannot be fetched", "CF-16", "slow", catalog!("/services/0/bindings_retrievable", false)),
    ("a dashboard URL that is too long for the database", "CF-21", "quick", |a, r| {
        field(a, r, Update, 200, "dashboard_url", long(16_001));
    }),
    ("a route service URL that is too long for the database", "CF-21", "quick", |a, r| {
        field(a, r, Bind, 201, "route_service_url", long(256));
    }),
    ("a log drain that is too long for the database", "CF-21", "quick", |a, r| {
        field(a, r, Bind, 201, "syslog_drain_url", long(10_001));
    }),
    ("credentials that are too long for the database", "CF-21", "quick", |a, r| {
        field(a, r, Bind, 201, "credentials", json!({ "key": "a".repeat(49_136 - r#"{"key":""}"#.len()) }));
    }),
    ("a flag of a service that is null", "CF-21", "closed", set!(SERVICE, "allow_context_updates", null)),
    ("names of plans that differ in case", "CF-21", "closed", catalog!("/services/0/plans/1/name", "SMALL")),
    ("a polling duration of more than 32 bits", "CF-21", "closed", |a, r| {
        set(a, r, SMALL, "maximum_polling_duration", json!(1_u32 << 31));
    }),
    ("AsyncRequired with another description", "K8S-01", "slow", |_, r| {
        if r.body["error"] == "AsyncRequired" {
            r.body["description"] = json!("Wait.");
        }
    }),
    ("an empty body for a repeated unbinding", "K8S-02", "quick", becomes!(Unbind, 410 => 410, null)),
];
