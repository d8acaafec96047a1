//! Defects that show only in requests that platforms rarely send.

use base64::{Engine, engine::general_purpose::STANDARD};
use http::header::AUTHORIZATION;
use osb_check::judge::Endpoint::{
    Bind, Catalog, Deprovision, FetchBinding, FetchInstance, PollBinding, Provision, Unbind, Update,
};
use serde_json::{Value, json};

use crate::{
    faults::Fault,
    mutated::{Asked, Reply},
    mutations::{catalog, field, has_known_predecessor, instead},
};

/// Answers clients whose user and password satisfy `is_enough`.
fn lets_in(asked: &Asked, reply: &mut Reply, is_enough: fn(&str, &str) -> bool) {
    let given = asked.headers.get(AUTHORIZATION).and_then(|given| given.to_str().ok()?.strip_prefix("Basic "));
    let given = given.and_then(|given| String::from_utf8(STANDARD.decode(given).ok()?).ok());
    if given.as_deref().and_then(|given| given.split_once(':')).is_some_and(|(user, pass)| is_enough(user, pass)) {
        instead(asked, reply, Catalog, 401, 200);
    }
}

/// Refuses a request that has this field.
fn refuses_field(asked: &Asked, reply: &mut Reply, of: osb_check::judge::Endpoint, at: &str) {
    if asked.body.pointer(at).is_some() {
        instead(asked, reply, of, 200, 400);
    }
}

/// All defects in rare requests.
pub(crate) const RARE: &[Fault] = &[
    ("any user with the password", "AUTH-01", "quick", 14, |a, r| lets_in(a, r, |_, pass| pass == "pass")),
    ("the beginning of the password", "AUTH-01", "quick", 14, |a, r| {
        lets_in(a, r, |user, pass| user == "user" && "pass".starts_with(pass));
    }),
    ("an empty password", "AUTH-01", "quick", 14, |a, r| lets_in(a, r, |user, pass| user == "user" && pass.is_empty())),
    ("a password whose case is ignored", "AUTH-01", "quick", 14, |a, r| {
        lets_in(a, r, |user, pass| user == "user" && pass.eq_ignore_ascii_case("pass"));
    }),
    ("a query that is not decoded", "URL-01", "quick", 13, |a, r| {
        if a.query.contains("service_id=%") {
            instead(a, r, Deprovision, 410, 400);
        }
    }),
    ("an encoded slash that is decoded before the path is split", "URL-01", "quick", 13, |a, r| {
        if a.path.contains("%2F") {
            instead(a, r, Deprovision, 410, 404);
        }
    }),
    ("a context that is required", "PROV-06", "quick", 12, instead!(Provision, 200, 400, |a, _| !a.has("context"))),
    ("an unknown field of the context that is refused", "EXT-01", "quick", 12, |a, r| {
        refuses_field(a, r, Provision, "/context/osb_check_unknown");
    }),
    ("an unknown field of the bind resource that is refused", "EXT-01", "quick", 11, |a, r| {
        refuses_field(a, r, Bind, "/bind_resource/osb_check_unknown");
    }),
    ("an unknown field of the previous values that is refused", "EXT-01", "quick", 6, |a, r| {
        refuses_field(a, r, Update, "/previous_values/osb_check_unknown");
    }),
    ("202 for an update with accepts_incomplete=false", "ASY-05", "slow", 7, |a, r| {
        // An update without effect needs no operation.
        if a.query.contains("accepts_incomplete=false") && a.body["parameters"]["size"] == 3 {
            instead(a, r, Update, 422, 202);
        }
    }),
    ("422 for an instance whose update has succeeded", "UPD-11", "quick", 14, |a, r| {
        if a.last(Update).is_some_and(|last| last.status == 200 && last.asked.get("parameters").is_some()) {
            instead(a, r, FetchInstance, 200, 422);
            field(a, r, FetchInstance, 422, "error", json!("ConcurrencyError"));
        }
    }),
    ("an update without plan_id that resets the plan", "UPD-05", "quick", 14, |a, r| {
        let is_about = |update: &Value| update.get("plan_id").is_none() && update.get("parameters").is_some();
        if a.last(Update).is_some_and(|last| last.status == 200 && is_about(&last.asked)) {
            field(a, r, FetchInstance, 200, "plan_id", json!("another"));
        }
    }),
    ("a refused update that changes the plan", "UPD-17", "quick", 14, |a, r| {
        if a.last(Update).is_some_and(|last| last.asked["parameters"].is_string()) {
            field(a, r, FetchInstance, 200, "plan_id", json!("another"));
        }
    }),
    ("a refused update that changes the maintenance version", "UPD-17", "small", 15, |a, r| {
        if a.last(Update).is_some_and(|last| last.status >= 400 && last.asked.get("parameters").is_some()) {
            field(a, r, FetchInstance, 200, "maintenance_info", json!({ "version": "9.9.9" }));
        }
    }),
    ("a maintenance_info whose description is compared", "UPD-10", "small", 15, |a, r| {
        if a.body["maintenance_info"].get("description").is_some() {
            instead(a, r, Update, 200, 422);
            field(a, r, Update, 422, "error", json!("MaintenanceInfoConflict"));
        }
    }),
    ("another maintenance version than that of the creation", "GETI-08", "small", 17, |a, r| {
        field(a, r, FetchInstance, 200, "maintenance_info", json!({ "version": "9.9.9" }));
    }),
    ("a URL as the host of an endpoint", "BIND-23", "quick", 15, |a, r| {
        field(a, r, Bind, 201, "endpoints", json!([{ "host": "https://kv.example.com", "ports": ["443"] }]));
    }),
    ("a binding's operation that is forgotten at once", "LOB-04", "slow", 16, |a, r| {
        if a.ended {
            instead(a, r, PollBinding, 200, 404);
        }
    }),
    ("success for a poll of a binding that never existed", "LOB-01", "slow", 16, |a, r| {
        instead(a, r, PollBinding, 404, 200);
        if a.endpoint == Some(PollBinding) && r.body.get("state").is_none() && r.status == 200 {
            r.body = json!({ "state": "succeeded" });
        }
    }),
    ("a rotation that needs service_id and plan_id", "ROT-02", "small", 17, |a, r| {
        if a.has("predecessor_binding_id") && !a.has("service_id") {
            let status = r.status;
            instead(a, r, Bind, status, 400);
        }
    }),
    ("a rotation of a binding of another instance", "ROT-02", "small", 17, |a, r| {
        if has_known_predecessor(a) {
            instead(a, r, Bind, 400, 201);
        }
    }),
    ("a successor that is deleted with its predecessor", "ROT-03", "small", 17, |a, r| {
        if a.last(Bind).is_some_and(|bound| bound.asked.get("service_id").is_none()) {
            instead(a, r, FetchBinding, 200, 404);
        }
    }),
    ("200 for a new instance that is not asked for asynchronously", "PROV-10", "quick", 7, |a, r| {
        if !a.waits() && a.has("parameters") {
            instead(a, r, Provision, 201, 200);
        }
    }),
    ("200 for a new binding that is not asked for asynchronously", "BIND-07", "quick", 14, |a, r| {
        if !a.waits() && a.before == 0 {
            instead(a, r, Bind, 201, 200);
        }
    }),
    ("500 for a deletion that is not asked for asynchronously", "DEP-04", "quick", 7, |a, r| {
        if !a.waits() {
            instead(a, r, Deprovision, 200, 500);
        }
    }),
    ("202 for a conflicting bind in progress", "BIND-11", "slow", 14, |a, r| {
        // Later ones are conflicts with the binding that exists.
        if a.before == 2 {
            instead(a, r, Bind, 409, 202);
        }
    }),
    ("an instance of another plan that is taken for a repeated one", "PROV-14", "quick", 7, |a, r| {
        if a.last(Provision).is_some_and(|first| first.asked["plan_id"] != a.body["plan_id"]) {
            instead(a, r, Provision, 409, 200);
        }
    }),
    ("a wrong maintenance version refused without a code", "PROV-08", "small", 15, |a, r| {
        if a.endpoint == Some(Provision) && r.body["error"] == "MaintenanceInfoConflict" {
            r.body["error"] = json!(null);
        }
    }),
    ("a deleted instance that is not known a moment later", "DEP-04", "quick", 7, |a, r| {
        if a.last(Deprovision).is_some_and(|deletion| deletion.status == 200) {
            instead(a, r, Deprovision, 410, 404);
        }
    }),
    ("a deleted binding that is not known a moment later", "UNB-03", "quick", 14, |a, r| {
        if a.last(Unbind).is_some_and(|deletion| deletion.status == 200) {
            instead(a, r, Unbind, 410, 404);
        }
    }),
    ("a binding that is deleted with its successor", "ROT-03", "small", 17, |a, r| {
        let own = a.path.rsplit('/').next().unwrap_or_default();
        let is_successor = |path: &str| {
            let mut made = a.earlier.iter().filter(|earlier| earlier.endpoint == Some(Bind) && earlier.path == path);
            made.any(|made| made.asked["predecessor_binding_id"] == own)
        };
        if a.earlier.iter().any(|one| one.endpoint == Some(Unbind) && one.status < 300 && is_successor(&one.path)) {
            instead(a, r, FetchBinding, 200, 404);
        }
    }),
    ("a parameter that vanishes with its update", "UPD-11", "quick", 14, |a, r| {
        if a.last(Update).is_some_and(|last| last.status == 200 && last.asked.get("parameters").is_some()) {
            field(a, r, FetchInstance, 200, "parameters", json!({ "mood": "succeed" }));
        }
    }),
    ("400 for version 1.0", "ERR-01", "quick", 14, |a, r| {
        if a.headers.get("x-broker-api-version").is_some_and(|version| version == "1.0") {
            instead(a, r, Catalog, 412, 400);
        }
    }),
    ("ids of plans that change in the course of time", "CAT-03", "quick", 14, |a, r| {
        if a.earlier.iter().any(|one| one.endpoint == Some(Deprovision) && one.status == 200) {
            catalog(a, r, "/services/0/plans/0/id", json!("another"));
        }
    }),
];
