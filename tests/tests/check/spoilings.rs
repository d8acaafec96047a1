//! What can be wrong with a broker, and the rule that it breaks then.

use http::{HeaderValue, header::CONTENT_TYPE};
use osb_check::judge::Endpoint::{
    Bind, Catalog, Deprovision, FetchBinding, FetchInstance, PollBinding, PollInstance, Provision, Unbind, Update,
};
use osb_client::Platform;
use serde_json::{Value, json};

use crate::spoilt::{Asked, Fate, Reply, Spoil};

/// Something wrong: what it is, the rule, the plan with which it shows, and how it comes to be.
pub(crate) type Spoiling = (&'static str, &'static str, &'static str, Spoil);

/// Spoils the catalog at a place, if it is there.
fn catalog(asked: &Asked, reply: &mut Reply, at: &str, value: Value) {
    if asked.endpoint == Some(Catalog)
        && reply.status == 200
        && let Some(place) = reply.body.pointer_mut(at)
    {
        *place = value;
    }
}

/// Takes something out of an object of the catalog.
fn missing(asked: &Asked, reply: &mut Reply, of: &str, name: &str) {
    if asked.endpoint == Some(Catalog)
        && let Some(fields) = reply.body.pointer_mut(of).and_then(Value::as_object_mut)
    {
        fields.remove(name);
    }
}

/// Another status where an endpoint had this one.
fn instead(asked: &Asked, reply: &mut Reply, of: osb_check::judge::Endpoint, status: u16, other: u16) {
    if asked.endpoint == Some(of) && reply.status == status {
        let body = if other < 300 { json!({}) } else { json!({ "description": "spoilt" }) };
        reply.become_(other, body);
    }
}

/// Another value in a body, where an endpoint had this status.
fn field(asked: &Asked, reply: &mut Reply, of: osb_check::judge::Endpoint, status: u16, name: &str, value: Value) {
    if asked.endpoint == Some(of) && reply.status == status {
        reply.body[name] = value;
    }
}

const SERVICE: &str = "/services/0";
const SMALL: &str = "/services/0/plans/0";
const SCHEMA: &str = "/services/0/plans/0/schemas/service_instance/create/parameters";

/// Whether parameters are ones that the schema refuses.
fn is_bad(asked: &Asked) -> bool {
    let parameters = &asked.body["parameters"];
    parameters.is_object() && parameters.get("osb_check_has_no_such_property").is_some()
}

/// Whether it is the instance of the long life: the one that is asked for more than once.
fn again(asked: &Asked, of: osb_check::judge::Endpoint) -> bool {
    asked.endpoint == Some(of) && asked.before > 0
}

/// All of them.
pub(crate) const SPOILINGS: &[Spoiling] = &[
    // The catalog.
    ("a service that is a number", "CAT-01", "quick", |a, r| {
        if a.endpoint == Some(Catalog)
            && let Some(services) = r.body["services"].as_array_mut()
        {
            services.push(json!(5));
        }
    }),
    ("ids that change", "CAT-03", "quick", |a, r| {
        let id = format!("id-{}", a.before);
        catalog(a, r, "/services/0/plans/1/id", json!(id));
    }),
    ("a long name", "CAT-04", "quick", |a, r| catalog(a, r, "/services/0/plans/1/name", json!("a".repeat(256)))),
    ("a name with a space", "CAT-06", "quick", |a, r| catalog(a, r, "/services/0/name", json!("my lab"))),
    ("a service without a name", "CAT-10", "quick", |a, r| missing(a, r, SERVICE, "name")),
    ("a service with an empty id", "CAT-11", "quick", |a, r| catalog(a, r, "/services/0/id", json!(""))),
    ("a service without a description", "CAT-12", "quick", |a, r| missing(a, r, SERVICE, "description")),
    ("a tag that is a number", "CAT-13", "quick", |a, r| {
        if a.endpoint == Some(Catalog) && r.status == 200 {
            r.body["services"][0]["tags"] = json!([1]);
        }
    }),
    ("a requirement that there is not", "CAT-14", "quick", |a, r| {
        if a.endpoint == Some(Catalog) && r.status == 200 {
            r.body["services"][0]["requires"] = json!(["magic"]);
        }
    }),
    ("a service that does not say whether it is bindable", "CAT-15", "quick", |a, r| {
        missing(a, r, SERVICE, "bindable");
    }),
    ("a text for a boolean", "CAT-16", "quick", |a, r| {
        catalog(a, r, "/services/0/instances_retrievable", json!("yes"));
    }),
    ("a number for a boolean", "CAT-17", "quick", |a, r| catalog(a, r, "/services/0/bindings_retrievable", json!(1))),
    ("a text for a boolean of updates", "CAT-18", "quick", |a, r| {
        catalog(a, r, "/services/0/allow_context_updates", json!(""));
    }),
    ("metadata of a service that are a list", "CAT-19", "quick", |a, r| {
        if a.endpoint == Some(Catalog) && r.status == 200 {
            r.body["services"][0]["metadata"] = json!([]);
        }
    }),
    ("a number for whether plans change", "CAT-21", "quick", |a, r| {
        catalog(a, r, "/services/0/plan_updateable", json!(1));
    }),
    ("metadata of a plan that are a list", "CAT-33", "quick", |a, r| {
        if a.endpoint == Some(Catalog) && r.status == 200 {
            r.body["services"][0]["plans"][0]["metadata"] = json!([]);
        }
    }),
    ("a plan that is bindable in a text", "CAT-35", "quick", |a, r| {
        catalog(a, r, "/services/0/plans/0/bindable", json!("yes"));
    }),
    ("a plan that is rotatable in a number", "CAT-36", "quick", |a, r| {
        catalog(a, r, "/services/0/plans/0/binding_rotatable", json!(1));
    }),
    ("a plan that can be left in a text", "CAT-37", "quick", |a, r| {
        catalog(a, r, "/services/0/plans/0/plan_updateable", json!("yes"));
    }),
    ("another service without plans", "CAT-22", "quick", |a, r| {
        if a.endpoint == Some(Catalog)
            && let Some(services) = r.body["services"].as_array_mut()
        {
            services.push(json!({ "id": "x", "name": "x", "description": "x", "bindable": false, "plans": [] }));
        }
    }),
    ("two plans with an id", "CAT-30", "quick", |a, r| {
        let id = r.body.pointer("/services/0/plans/1/id").cloned().unwrap_or_default();
        catalog(a, r, "/services/0/plans/0/id", id);
    }),
    ("two plans with a name", "CAT-31", "quick", |a, r| catalog(a, r, "/services/0/plans/0/name", json!("large"))),
    ("a plan without a description", "CAT-32", "quick", |a, r| missing(a, r, SMALL, "description")),
    ("a price of no", "CAT-34", "quick", |a, r| catalog(a, r, "/services/0/plans/0/free", json!("no"))),
    ("half a second of polling", "CAT-39", "slow", |a, r| {
        if a.endpoint == Some(Catalog) && r.status == 200 {
            r.body["services"][0]["plans"][0]["maximum_polling_duration"] = json!(0.5);
        }
    }),
    ("a maintenance without a version", "CAT-40", "quick", |a, r| {
        catalog(a, r, "/services/0/plans/0/maintenance_info", json!({}));
    }),
    ("a maintenance of version 1", "CAT-40", "quick", |a, r| {
        catalog(a, r, "/services/0/plans/0/maintenance_info/version", json!("1"));
    }),
    ("schemas that are a list", "CAT-50", "quick", |a, r| catalog(a, r, "/services/0/plans/0/schemas", json!([]))),
    ("a schema of no dialect", "CAT-51", "quick", |a, r| missing(a, r, SCHEMA, "$schema")),
    ("a schema from elsewhere", "CAT-52", "quick", |a, r| {
        catalog(a, r, &format!("{SCHEMA}/properties/size"), json!({ "$ref": "http://example.com/size" }));
    }),
    ("a large schema", "CAT-53", "quick", |a, r| {
        catalog(a, r, &format!("{SCHEMA}/properties/size"), json!({ "description": "a".repeat(65_536) }));
    }),
    ("a schema of a list", "CAT-55", "quick", |a, r| catalog(a, r, &format!("{SCHEMA}/type"), json!("array"))),
    ("a number for a display name", "PROF-10", "quick", |a, r| {
        if a.endpoint == Some(Catalog) && r.status == 200 {
            r.body["services"][0]["metadata"] = json!({ "displayName": 1 });
        }
    }),
    ("bullets that are objects", "PROF-11", "quick", |a, r| {
        if a.endpoint == Some(Catalog) && r.status == 200 {
            r.body["services"][0]["plans"][0]["metadata"] = json!({ "bullets": [{}] });
        }
    }),
    ("a dashboard client without a secret", "PROF-20", "quick", |a, r| {
        if a.endpoint == Some(Catalog) && r.status == 200 {
            r.body["services"][0]["dashboard_client"] = json!({ "id": "x" });
        }
    }),
    ("an id with a space", "URL-02", "quick", |a, r| catalog(a, r, "/services/0/plans/0/id", json!("a b"))),
    // Headers, credentials, versions, bodies.
    ("answers of no type", "HDR-07", "quick", |_, r| drop(r.headers.remove(CONTENT_TYPE))),
    ("answers of HTML", "HDR-07", "quick", |_, r| {
        r.headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html"));
    }),
    ("answers without the identity of the request", "HDR-05", "quick", |_, r| {
        r.headers.remove("x-broker-api-request-identity");
    }),
    ("a pause that is soon", "HDR-10", "slow", |_, r| {
        r.headers.insert("retry-after", HeaderValue::from_static("soon"));
    }),
    ("nobody who is asked for credentials", "AUTH-04", "quick", |_, r| {
        if r.status == 401 {
            r.become_(400, json!({}));
        }
    }),
    ("deletions by everybody", "AUTH-01", "quick", |a, r| instead(a, r, Deprovision, 401, 410)),
    ("a catalog for everybody", "AUTH-01", "quick", |a, r| instead(a, r, Catalog, 401, 200)),
    ("403 for strangers", "AUTH-01", "quick", |a, r| instead(a, r, Bind, 401, 403)),
    ("500 for other versions", "ERR-01", "quick", |a, r| instead(a, r, Catalog, 412, 500)),
    ("400 for other versions", "ERR-01", "quick", |a, r| instead(a, r, Catalog, 412, 400)),
    ("500 without a version", "ERR-01", "quick", |a, r| {
        if !a.headers.contains_key("x-broker-api-version") {
            r.become_(500, json!({}));
        }
    }),
    ("500 for what is no JSON", "ERR-12", "quick", |a, r| {
        if a.body.is_null() {
            instead(a, r, Provision, 400, 500);
        }
    }),
    ("422 for what is no JSON", "HDR-09", "quick", |a, r| {
        if a.body.is_null() {
            instead(a, r, Provision, 400, 422);
        }
    }),
    ("instances without a space", "PROV-15", "quick", |a, r| {
        if a.body.get("space_guid").is_none() {
            instead(a, r, Provision, 400, 201);
        }
    }),
    ("500 for an id that is a number", "PROV-15", "quick", |a, r| {
        if a.body["service_id"].is_number() {
            instead(a, r, Provision, 400, 500);
        }
    }),
    ("instances of any service", "PROV-03", "quick", |a, r| {
        if r.body["description"].as_str().is_some_and(|text| text.contains("service_id")) {
            instead(a, r, Provision, 400, 201);
        }
    }),
    ("instances of any plan", "PROV-04", "quick", |a, r| {
        if r.body["description"].as_str().is_some_and(|text| text.contains("plan_id")) {
            instead(a, r, Provision, 400, 201);
        }
    }),
    ("404 for an instance that is gone", "DEP-04", "quick", |a, r| instead(a, r, Deprovision, 410, 404)),
    ("200 for an instance that is gone", "DEP-04", "quick", |a, r| instead(a, r, Deprovision, 410, 200)),
    ("404 for a binding that is gone", "UNB-03", "quick", |a, r| instead(a, r, Unbind, 410, 404)),
    ("410 for fetching what is gone", "GETI-05", "quick", |a, r| instead(a, r, FetchInstance, 404, 410)),
    // Answers that do not come.
    ("an answer that is lost", "ERR-01", "quick", |a, r| {
        if a.body.is_array() {
            r.fate = Fate::IsLost;
        }
    }),
    ("an answer that never comes", "ASY-01", "quick", |a, r| {
        if a.endpoint == Some(FetchInstance) && r.status == 200 {
            r.fate = Fate::NeverComes;
        }
    }),
    // Errors.
    ("a code of two words", "ERR-02", "slow", |_, r| {
        if r.body["error"] == "AsyncRequired" {
            r.body["error"] = json!("Async Required");
        }
    }),
    ("an empty description", "ERR-03", "quick", |_, r| {
        if r.status == 400 {
            r.body["description"] = json!("");
        }
    }),
    ("a hint on a provision", "ERR-10", "quick", |a, r| field(a, r, Provision, 400, "instance_usable", json!(true))),
    ("a hint of updates on a deletion", "ERR-11", "quick", |a, r| {
        field(a, r, Deprovision, 400, "update_repeatable", json!(true));
    }),
    ("a hint that is a text", "UPD-18", "quick", |a, r| field(a, r, Update, 400, "instance_usable", json!("yes"))),
    ("a hint of a deletion that is a text", "DEP-09", "quick", |a, r| {
        field(a, r, Deprovision, 400, "instance_usable", json!("yes"));
    }),
    ("AsyncRequired with 400", "ERR-04", "slow", |_, r| {
        if r.body["error"] == "AsyncRequired" {
            r.status = 400;
        }
    }),
    ("AsyncRequired for those who can wait", "ERR-04", "slow", |a, r| {
        let code = json!({ "error": "AsyncRequired", "description": "no" });
        if a.endpoint == Some(Provision) && r.status == 202 {
            r.become_(422, code);
        }
    }),
    ("ConcurrencyError with 409", "ERR-05", "slow", |a, r| {
        field(a, r, Provision, 409, "error", json!("ConcurrencyError"));
    }),
    ("RequiresApp with 400", "ERR-06", "quick", |a, r| field(a, r, Bind, 400, "error", json!("RequiresApp"))),
    ("MaintenanceInfoConflict with 409", "ERR-07", "small", |_, r| {
        if r.body["error"] == "MaintenanceInfoConflict" {
            r.status = 409;
        }
    }),
    ("202 for those who cannot wait", "ASY-05", "slow", |_, r| {
        if r.body["error"] == "AsyncRequired" {
            r.become_(202, json!({ "operation": "1" }));
        }
    }),
    // Provisioning.
    ("200 for what is new", "PROV-10", "quick", |a, r| instead(a, r, Provision, 201, 200)),
    ("204 for what is new", "PROV-10", "quick", |a, r| {
        if a.endpoint == Some(Provision) && r.status == 201 {
            r.become_(204, Value::Null);
        }
    }),
    ("a list for what is new", "PROV-10", "quick", |a, r| {
        if a.endpoint == Some(Provision) && r.status == 201 {
            r.body = json!([]);
        }
    }),
    ("409 for the same again", "PROV-11", "quick", |a, r| instead(a, r, Provision, 200, 409)),
    ("201 for the same again", "PROV-11", "quick", |a, r| instead(a, r, Provision, 200, 201)),
    ("200 for a conflict", "PROV-14", "quick", |a, r| instead(a, r, Provision, 409, 200)),
    ("422 for a conflict", "PROV-14", "quick", |a, r| instead(a, r, Provision, 409, 422)),
    ("fields that are refused", "EXT-01", "quick", |a, r| {
        if a.body.get("osb_check_unknown").is_some() {
            instead(a, r, Provision, 200, 400);
        }
    }),
    ("paths that are not decoded", "URL-01", "quick", |a, r| {
        if a.path.contains('%') {
            instead(a, r, Provision, 200, 201);
        }
    }),
    ("any parameters", "PROV-07", "quick", |a, r| {
        if is_bad(a) {
            instead(a, r, Provision, 400, 201);
        }
    }),
    ("any maintenance", "PROV-08", "small", |a, r| {
        if r.body["error"] == "MaintenanceInfoConflict" {
            instead(a, r, Provision, 422, 201);
        }
    }),
    ("a list for what goes on", "PROV-12", "slow", |a, r| {
        if a.endpoint == Some(Provision) && r.status == 202 {
            r.body = json!([]);
        }
    }),
    ("a long operation", "PROV-17", "slow", |a, r| field(a, r, Provision, 202, "operation", json!("a".repeat(10_001)))),
    ("another operation each time", "PROV-13", "slow", |a, r| {
        if again(a, Provision) {
            field(a, r, Provision, 202, "operation", json!("another"));
        }
    }),
    ("200 while it goes on", "PROV-13", "slow", |a, r| {
        if again(a, Provision) {
            instead(a, r, Provision, 202, 200);
        }
    }),
    ("200 for a conflict while it goes on", "PROV-14", "slow", |a, r| instead(a, r, Provision, 409, 202)),
    ("an instance before it is there", "GETI-05", "slow", |a, r| instead(a, r, FetchInstance, 404, 200)),
    ("a dashboard that is a number", "PROV-16", "quick", |a, r| field(a, r, Provision, 201, "dashboard_url", json!(1))),
    ("a dashboard that comes late", "PROV-16", "quick", |a, r| {
        if a.endpoint == Some(Provision)
            && let Some(fields) = r.body.as_object_mut()
        {
            fields.remove("dashboard_url");
        }
        field(a, r, FetchInstance, 200, "dashboard_url", json!("https://example.com"));
    }),
    ("metadata that is a list", "PROV-18", "quick", |a, r| field(a, r, Provision, 201, "metadata", json!([]))),
    ("labels that are a list", "META-01", "quick", |a, r| {
        field(a, r, Provision, 201, "metadata", json!({ "labels": [] }));
    }),
    ("attributes that are a text", "META-02", "quick", |a, r| {
        field(a, r, Provision, 201, "metadata", json!({ "attributes": "" }));
    }),
    ("404 for what is there", "GETI-01", "quick", |a, r| instead(a, r, FetchInstance, 200, 404)),
    ("an instance of another plan", "GETI-04", "quick", |a, r| field(a, r, FetchInstance, 200, "plan_id", json!("p"))),
    // Polls.
    ("a state of another spelling", "LOI-03", "slow", |a, r| {
        field(a, r, PollInstance, 200, "state", json!("in_progress"));
    }),
    ("a poll that says nothing", "LOI-04", "slow", |a, r| field(a, r, PollInstance, 200, "description", json!(""))),
    ("410 for a creation", "LOI-07", "slow", |a, r| instead(a, r, PollInstance, 200, 410)),
    ("a hint while it goes on", "LOI-08", "slow", |a, r| {
        field(a, r, PollInstance, 200, "instance_usable", json!(true));
    }),
    ("an end that is forgotten", "LOI-09", "slow", |a, r| {
        if a.ended {
            r.body["state"] = json!("in progress");
        }
    }),
    ("a state of what there never was", "LOI-06", "slow", |a, r| {
        if a.endpoint == Some(PollInstance) && r.status == 404 {
            r.become_(200, json!({ "state": "succeeded" }));
        }
    }),
    ("410 for a binding that is made", "LOB-01", "slow", |a, r| {
        if a.before == 0 {
            instead(a, r, PollBinding, 200, 410);
        }
    }),
    ("a hint on a binding", "LOB-03", "slow", |a, r| field(a, r, PollBinding, 200, "instance_usable", json!(true))),
    // Updates.
    ("an update of no service", "UPD-13", "quick", |a, r| {
        if a.body.get("service_id").is_none() {
            instead(a, r, Update, 400, 200);
        }
    }),
    ("an update to any plan", "UPD-05", "quick", |a, r| {
        if a.body.get("parameters").is_none() {
            instead(a, r, Update, 400, 200);
        }
    }),
    ("an update with any parameters", "UPD-07", "quick", |a, r| {
        if is_bad(a) {
            instead(a, r, Update, 400, 200);
        }
    }),
    ("201 for an update", "UPD-11", "quick", |a, r| instead(a, r, Update, 200, 201)),
    ("a plan that stays as it was", "UPD-11", "small", |a, r| {
        field(a, r, FetchInstance, 200, "plan_id", json!("6f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a02"));
    }),
    ("another operation of an update each time", "UPD-12", "slow", |a, r| {
        let number = json!(format!("operation-{}", a.before));
        field(a, r, Update, 202, "operation", number);
    }),
    ("an empty operation of an update", "UPD-16", "slow", |a, r| field(a, r, Update, 202, "operation", json!(""))),
    ("a dashboard of an update that is a number", "UPD-15", "quick", |a, r| {
        field(a, r, Update, 200, "dashboard_url", json!(1));
    }),
    ("an update to any maintenance", "UPD-10", "small", |a, r| {
        if r.body["error"] == "MaintenanceInfoConflict" {
            instead(a, r, Update, 422, 200);
        }
    }),
    ("no update of the context", "UPD-03", "quick", |a, r| {
        if a.body.get("parameters").is_none() && a.body.get("plan_id").is_none() {
            instead(a, r, Update, 200, 422);
        }
    }),
    ("a plan that can be left although it says no", "UPD-01", "quick", |a, r| {
        if a.body.get("parameters").is_none() {
            instead(a, r, Update, 422, 200);
        }
    }),
    ("500 for a plan that it cannot be moved to", "UPD-14", "small", |a, r| {
        if a.body.get("parameters").is_none() && r.body.get("error").is_none() {
            instead(a, r, Update, 422, 500);
        }
    }),
    ("a change by an update that is refused", "UPD-17", "quick", |a, r| {
        let number = json!({ "changed": a.before });
        field(a, r, FetchInstance, 200, "parameters", number);
    }),
    // Bindings.
    ("200 for a new binding", "BIND-07", "quick", |a, r| instead(a, r, Bind, 201, 200)),
    ("409 for the same binding again", "BIND-08", "quick", |a, r| instead(a, r, Bind, 200, 409)),
    ("another operation of a binding each time", "BIND-09", "slow", |a, r| {
        if again(a, Bind) {
            field(a, r, Bind, 202, "operation", json!("another"));
        }
    }),
    ("credentials before they are there", "BIND-10", "slow", |a, r| {
        field(a, r, Bind, 202, "credentials", json!({ "a": "b" }));
    }),
    ("200 for another binding with the same id", "BIND-11", "quick", |a, r| instead(a, r, Bind, 409, 200)),
    ("a binding with any parameters", "BIND-06", "quick", |a, r| {
        if is_bad(a) {
            instead(a, r, Bind, 400, 201);
        }
    }),
    ("a binding of no service", "BIND-15", "quick", |a, r| {
        if a.body.get("service_id").is_none() {
            instead(a, r, Bind, 400, 201);
        }
    }),
    ("credentials that are a text", "BIND-16", "quick", |a, r| field(a, r, Bind, 201, "credentials", json!("secret"))),
    ("a drain that nobody was told of", "BIND-18", "quick", |a, r| {
        missing(a, r, SERVICE, "requires");
        field(a, r, Bind, 201, "syslog_drain_url", json!("syslog://example.com"));
    }),
    ("a route that nobody was told of", "BIND-19", "quick", |a, r| {
        field(a, r, Bind, 201, "route_service_url", json!("https://example.com"));
    }),
    ("a volume that nobody was told of", "BIND-20", "large", |a, r| missing(a, r, SERVICE, "requires")),
    ("a volume of another mode", "BIND-21", "large", |a, r| {
        if a.endpoint == Some(Bind) && r.status == 201 {
            r.body["volume_mounts"][0]["mode"] = json!("w");
        }
    }),
    ("ports that are numbers", "BIND-23", "twin", |a, r| {
        if a.endpoint == Some(Bind) && r.status == 201 {
            r.body["endpoints"][0]["ports"] = json!([443]);
        }
    }),
    ("ports that are backwards", "BIND-23", "twin", |a, r| {
        if a.endpoint == Some(Bind) && r.status == 201 {
            r.body["endpoints"][0]["ports"] = json!(["2-1"]);
        }
    }),
    ("metadata of a binding that are a list", "BIND-24", "quick", |a, r| field(a, r, Bind, 201, "metadata", json!([]))),
    ("an end at no time", "BIND-25", "quick", |a, r| {
        field(a, r, Bind, 201, "metadata", json!({ "expires_at": "tomorrow" }));
    }),
    ("a renewal after the end", "BIND-25", "quick", |a, r| {
        let times = json!({ "expires_at": "2030-01-01T00:00:00.0Z", "renew_before": "2030-01-02T00:00:00.0Z" });
        field(a, r, Bind, 201, "metadata", times);
    }),
    ("a long operation of a binding", "BIND-26", "slow", |a, r| {
        field(a, r, Bind, 202, "operation", json!("a".repeat(10_001)));
    }),
    ("404 for a binding that is there", "GETB-01", "quick", |a, r| instead(a, r, FetchBinding, 200, 404)),
    ("404 for a binding whose end was told", "GETB-02", "slow", |a, r| instead(a, r, FetchBinding, 200, 404)),
    ("a binding before it is there", "GETB-03", "slow", |a, r| instead(a, r, FetchBinding, 404, 200)),
    ("a binding that was a list", "GETB-04", "quick", |a, r| field(a, r, FetchBinding, 200, "parameters", json!([]))),
    ("no rotation", "ROT-04", "small", |a, r| {
        if a.body.get("predecessor_binding_id").is_some() {
            r.become_(400, json!({}));
        }
    }),
    ("a rotation that ends the old binding", "ROT-03", "small", |a, r| {
        if again(a, FetchBinding) {
            instead(a, r, FetchBinding, 200, 404);
        }
    }),
    // Deletions.
    ("an unbinding of nothing in particular", "UNB-02", "quick", |a, r| {
        if !a.is_whole() {
            instead(a, r, Unbind, 400, 200);
        }
    }),
    ("a deletion of nothing in particular", "DEP-03", "quick", |a, r| {
        if !a.is_whole() {
            instead(a, r, Deprovision, 400, 200);
        }
    }),
    ("404 for unbinding from what is gone", "ORP-02", "quick", |a, r| {
        // The only binding that is never fetched.
        instead(a, r, Unbind, 410, 404);
    }),
    ("204 for a deletion", "DEP-04", "quick", |a, r| {
        if a.endpoint == Some(Deprovision) && r.status == 200 {
            r.become_(204, Value::Null);
        }
    }),
    ("another operation of a deletion each time", "DEP-04", "slow", |a, r| {
        let number = json!(format!("operation-{}", a.before));
        field(a, r, Deprovision, 202, "operation", number);
    }),
    ("a long operation of a deletion", "DEP-08", "slow", |a, r| {
        field(a, r, Deprovision, 202, "operation", json!("a".repeat(10_001)));
    }),
    ("a long operation of an unbinding", "UNB-07", "slow", |a, r| {
        field(a, r, Unbind, 202, "operation", json!("a".repeat(10_001)));
    }),
];

/// What is wrong for one platform only.
pub(crate) const REFUSED: &[(Platform, Spoiling)] = &[
    (Platform::CloudFoundry, ("no services", "CF-01", "quick", |a, r| catalog(a, r, "/services", json!([])))),
    (
        Platform::CloudFoundry,
        ("a blank description", "CF-02", "quick", |a, r| catalog(a, r, "/services/0/description", json!(" "))),
    ),
    (
        Platform::CloudFoundry,
        ("no tags", "CF-03", "quick", |a, r| {
            if a.endpoint == Some(Catalog) && r.status == 200 {
                r.body["services"][0]["tags"] = Value::Null;
            }
        }),
    ),
    (
        Platform::CloudFoundry,
        ("no requirements", "CF-04", "quick", |a, r| catalog(a, r, "/services/0/requires", Value::Null)),
    ),
    (
        Platform::CloudFoundry,
        ("a dashboard client that leads nowhere", "CF-05", "quick", |a, r| {
            let client = json!({ "id": "x", "secret": "y" });
            if a.endpoint == Some(Catalog) && r.status == 200 {
                r.body["services"][0]["dashboard_client"] = client;
            }
        }),
    ),
    (
        Platform::CloudFoundry,
        ("a text that is shareable", "CF-06", "quick", |a, r| {
            if a.endpoint == Some(Catalog) && r.status == 200 {
                r.body["services"][0]["metadata"] = json!({ "shareable": "true" });
            }
        }),
    ),
    (
        Platform::CloudFoundry,
        ("more of maintenance", "CF-07", "quick", |a, r| {
            catalog(a, r, "/services/0/plans/0/maintenance_info", json!({ "version": "1.0.0", "private": {} }));
        }),
    ),
    (
        Platform::CloudFoundry,
        ("a schema of another dialect", "CF-08", "quick", |a, r| {
            catalog(a, r, &format!("{SCHEMA}/$schema"), json!("http://json-schema.org/draft-07/schema#"));
        }),
    ),
    (
        Platform::CloudFoundry,
        ("a schema that is none", "CF-08", "quick", |a, r| {
            catalog(a, r, &format!("{SCHEMA}/properties/size"), json!(true));
        }),
    ),
    (
        Platform::CloudFoundry,
        ("a second of polling", "CF-09", "quick", |a, r| {
            if a.endpoint == Some(Catalog) && r.status == 200 {
                r.body["services"][0]["plans"][0]["maximum_polling_duration"] = json!(1);
            }
        }),
    ),
    (
        Platform::CloudFoundry,
        ("no operation", "CF-10", "slow", |a, r| field(a, r, Provision, 202, "operation", Value::Null)),
    ),
    (
        Platform::CloudFoundry,
        ("no metadata", "CF-11", "quick", |a, r| field(a, r, Provision, 201, "metadata", Value::Null)),
    ),
    (
        Platform::CloudFoundry,
        ("no parameters", "CF-12", "quick", |a, r| field(a, r, FetchInstance, 200, "parameters", Value::Null)),
    ),
    (Platform::CloudFoundry, ("422 for what is refused", "CF-13", "quick", |a, r| instead(a, r, Provision, 400, 422))),
    (Platform::CloudFoundry, ("410 for what is refused", "CF-14", "quick", |a, r| instead(a, r, Bind, 400, 410))),
    (
        Platform::CloudFoundry,
        ("a route of http", "CF-15", "quick", |a, r| {
            field(a, r, Bind, 201, "route_service_url", json!("http://example.com"));
        }),
    ),
    (
        Platform::CloudFoundry,
        ("bindings that cannot be fetched", "CF-16", "slow", |a, r| {
            catalog(a, r, "/services/0/bindings_retrievable", json!(false));
        }),
    ),
    (
        Platform::Kubernetes,
        ("AsyncRequired in other words", "K8S-01", "slow", |_, r| {
            if r.body["error"] == "AsyncRequired" {
                r.body["description"] = json!("Wait.");
            }
        }),
    ),
    (
        Platform::Kubernetes,
        ("nothing for an unbinding that is done", "K8S-02", "quick", |a, r| {
            if a.endpoint == Some(Unbind) && r.status == 410 {
                r.body = Value::Null;
            }
        }),
    ),
];
