//! Defects that show only when requests interact, or when one is wrong: operations under way, races, refusals, bad input.

use http::{HeaderValue, header};
use osb_check::judge::Endpoint::{
    Bind, Catalog, Deprovision, FetchInstance, PollBinding, PollInstance, Provision, Unbind, Update,
};
use serde_json::{Value, json};

use crate::{
    mutated::{Answered, Asked, Fate, Mutate, Reply},
    mutations::{catalog, field, has_known_predecessor, instead},
};

const SMALL_SCHEMA: &str = "/services/0/plans/0/schemas/service_instance/create/parameters";

/// Answers 202 where the request does not accept it.
fn accepted_unasked(asked: &Asked, reply: &mut Reply, of: osb_check::judge::Endpoint) {
    if !asked.waits() && [200, 201].contains(&reply.status) {
        instead(asked, reply, of, reply.status, 202);
    }
}

/// Answers half of the requests that arrive at the same time with this status.
fn in_a_race(asked: &Asked, reply: &mut Reply, of: osb_check::judge::Endpoint, status: u16) {
    if asked.before >= 10 {
        instead(asked, reply, of, reply.status, status);
    }
}

/// Changes the code of `AsyncRequired`, or removes it.
fn async_required(asked: &Asked, reply: &mut Reply, of: osb_check::judge::Endpoint, code: Option<&str>) {
    if asked.endpoint == Some(of) && reply.body["error"] == "AsyncRequired" {
        reply.body["error"] = code.into();
    }
}

/// Returns whether a request has other credentials than those of the check.
fn is_stranger(asked: &Asked) -> bool {
    asked.headers.get(header::AUTHORIZATION).is_none_or(|value| value != "Basic dXNlcjpwYXNz")
}

/// Adds a service with a plan to the catalog, and creates instances of that plan for any service.
fn alien_plan(asked: &Asked, reply: &mut Reply, is_created: fn(&Value) -> bool) {
    const ALIEN: &str = "0b5f7c1e-0000-4000-8000-00000000000a";
    if asked.endpoint == Some(Catalog)
        && reply.status == 200
        && let Some(services) = reply.body["services"].as_array_mut()
    {
        services.push(json!({
            "id": "0b5f7c1e-0000-4000-8000-00000000000b", "name": "alien", "description": "Another.", "bindable": false,
            "plans": [{
                "id": ALIEN, "name": "alien", "description": "Another.", "maintenance_info": { "version": "7.0.0" },
                "schemas": { "service_instance": { "create": { "parameters": {
                    "$schema": "http://json-schema.org/draft-04/schema#", "type": "object",
                    "properties": { "alien": { "type": "boolean" } }, "required": ["alien"],
                } } } },
            }],
        }));
    }
    if asked.body["plan_id"] == ALIEN && is_created(&asked.body) {
        instead(asked, reply, Provision, 400, 201);
        instead(asked, reply, Update, 400, 200);
    }
}

/// Shows a field of a fetched instance as it is after the last update, if that update has a property.
fn fetched_after_update(asked: &Asked, reply: &mut Reply, is_about: fn(&Value) -> bool, name: &str, value: Value) {
    if asked.last(Update).is_some_and(|update| update.status < 300 && is_about(&update.asked)) {
        field(asked, reply, FetchInstance, 200, name, value);
    }
}

/// Deletes what was never created, because its creation was refused after it had been made.
fn made_all_the_same(
    asked: &Asked,
    reply: &mut Reply,
    made: osb_check::judge::Endpoint,
    gone: osb_check::judge::Endpoint,
) {
    let refused = asked.last(made).is_some_and(|creation| (400..500).contains(&creation.status));
    if refused && asked.last(gone).is_none() {
        instead(asked, reply, gone, 410, 200);
    }
}

/// A defect: its description, the rule that it violates, the plan to check, the minor version of the first platforms that
/// can notice it, and the function that causes it.
pub(crate) type Fault = (&'static str, &'static str, &'static str, u32, Mutate);

/// All defects across several requests.
pub(crate) const FAULTS: &[Fault] = &[
    // Asynchronous operations that were not accepted.
    ("202 for an unaccepted provision", "ASY-05", "quick", 7, |a, r| accepted_unasked(a, r, Provision)),
    ("202 for an unaccepted update", "ASY-05", "quick", 7, |a, r| accepted_unasked(a, r, Update)),
    ("202 for an unaccepted deletion", "ASY-05", "quick", 7, |a, r| accepted_unasked(a, r, Deprovision)),
    ("202 for an unaccepted bind", "ASY-05", "quick", 14, |a, r| accepted_unasked(a, r, Bind)),
    ("202 for an unaccepted unbind", "ASY-05", "quick", 14, |a, r| accepted_unasked(a, r, Unbind)),
    ("202 for accepts_incomplete=false", "ASY-05", "quick", 7, |a, r| {
        if a.query.contains("accepts_incomplete=false") {
            accepted_unasked(a, r, Provision);
        }
    }),
    ("an update that is refused without a code", "UPD-14", "slow", 14, |a, r| async_required(a, r, Update, None)),
    ("a deletion that is refused with another code", "DEP-05", "slow", 14, |a, r| {
        async_required(a, r, Deprovision, Some("ConcurrencyError"));
    }),
    ("a provision that is refused without a code", "PROV-09", "slow", 14, |a, r| async_required(a, r, Provision, None)),
    ("a provision that is refused with another code", "PROV-09", "slow", 14, |a, r| {
        async_required(a, r, Provision, Some("ConcurrencyError"));
    }),
    ("a provision that fails without accepts_incomplete", "PROV-09", "slow", 14, |a, r| {
        if r.body["error"] == "AsyncRequired" {
            instead(a, r, Provision, 422, 500);
        }
    }),
    ("a bind that is refused without a code", "BIND-14", "slow", 14, |a, r| async_required(a, r, Bind, None)),
    ("an unbind that is refused with another code", "UNB-04", "slow", 14, |a, r| {
        async_required(a, r, Unbind, Some("RequiresApp"));
    }),
    ("RequiresApp without a code", "BIND-12", "large", 7, instead!(Bind, 422, 400, "RequiresApp")),
    // Concurrency.
    ("409 for an update during an update", "BLK-02", "slow", 12, instead!(Update, 422, 409, "ConcurrencyError")),
    ("200 for a change of the plan that is dropped, as another update runs", "UPD-11", "slow", 14, |a, r| {
        if r.body["error"] == "ConcurrencyError" && a.has("plan_id") && !a.has("parameters") {
            instead(a, r, Update, 422, 200);
        }
    }),
    ("409 for a deletion during an update", "DEP-05", "slow", 14, |a, r| {
        if a.last(Update).is_some_and(|update| update.status >= 202) && a.waits() && a.before == 0 {
            instead(a, r, Deprovision, r.status, 409);
        }
    }),
    ("404 for an instance that is being updated", "GETI-06", "slow", 14, |a, r| {
        if a.last(Update).is_some_and(|update| update.status == 202) && !a.ended {
            r.become_(if a.endpoint == Some(FetchInstance) { 404 } else { r.status }, r.body.clone());
        }
    }),
    ("410 for an instance that is being created", "DEP-06", "slow", 15, |a, r| {
        if a.last(Provision).is_some() && a.before == 0 {
            instead(a, r, Deprovision, 202, 410);
        }
    }),
    ("409 for a deletion during the creation", "DEP-05", "slow", 14, |a, r| {
        if a.last(Provision).is_some() && a.before == 0 {
            instead(a, r, Deprovision, 202, 409);
        }
    }),
    ("200 for a second deletion, after one during the creation", "DEP-06", "slow", 15, instead!(Deprovision, 410, 200)),
    ("two creations by equal requests", "PROV-10", "quick", 14, |a, r| {
        if a.before == 10 {
            in_a_race(a, r, Provision, 201);
        }
    }),
    ("two bindings by equal requests", "BIND-07", "quick", 14, |a, r| {
        if a.before == 10 {
            in_a_race(a, r, Bind, 201);
        }
    }),
    ("409 for equal requests", "BLK-02", "quick", 14, |a, r| {
        // A request that is repeated later is answered 200.
        if a.before < 20 {
            in_a_race(a, r, Provision, 409);
        }
    }),
    ("500 for simultaneous binds", "BLK-02", "quick", 14, |a, r| in_a_race(a, r, Bind, 500)),
    ("500 for different binds at the same time", "BLK-02", "quick", 14, |a, r| {
        if r.status == 409 {
            in_a_race(a, r, Bind, 500);
        }
    }),
    ("404 for simultaneous deletions", "BLK-02", "quick", 14, |a, r| in_a_race(a, r, Deprovision, 404)),
    ("several operations for equal requests", "PROV-13", "slow", 14, |a, r| {
        if a.before == 10 {
            field(a, r, Provision, 202, "operation", json!("another"));
        }
    }),
    ("success for different requests", "PROV-14", "quick", 14, |a, r| {
        if r.status == 409 {
            in_a_race(a, r, Provision, 200);
        }
    }),
    ("success for different binds", "BIND-11", "quick", 14, |a, r| {
        if r.status == 409 {
            in_a_race(a, r, Bind, 200);
        }
    }),
    // Authentication.
    ("polls without authentication", "AUTH-01", "slow", 14, |a, r| instead(a, r, PollInstance, 401, 200)),
    ("polls of bindings without authentication", "AUTH-01", "slow", 14, |a, r| instead(a, r, PollBinding, 401, 200)),
    ("400 for all wrong credentials", "AUTH-01", "quick", 2, |_, r| {
        if r.status == 401 {
            r.become_(400, json!({}));
        }
    }),
    ("403 for all wrong credentials", "AUTH-01", "quick", 14, |_, r| {
        if r.status == 401 {
            r.become_(403, json!({}));
        }
    }),
    ("any password", "AUTH-01", "quick", 14, |a, r| {
        let is_user = a.headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        // The base64 of `user:` and two more bits.
        if is_user.is_some_and(|value| value.starts_with("Basic dXNlcj")) {
            instead(a, r, Catalog, 401, 200);
        }
    }),
    ("304 without authentication", "AUTH-01", "quick", 14, |a, r| {
        if a.headers.contains_key(header::IF_NONE_MATCH) && is_stranger(a) {
            r.become_(304, Value::Null);
        }
    }),
    // Refusals that have an effect.
    ("an instance made by a refused provision", "ERR-08", "quick", 14, |a, r| {
        made_all_the_same(a, r, Provision, Deprovision);
    }),
    ("a binding made by a refused bind", "ERR-08", "quick", 14, |a, r| made_all_the_same(a, r, Bind, Unbind)),
    // Updates.
    ("an update without parameters that clears them", "UPD-06", "quick", 14, |a, r| {
        fetched_after_update(a, r, |update| update.get("parameters").is_none(), "parameters", json!({}));
    }),
    ("parameters that are cleared but not shown", "UPD-06", "quick", 14, |a, r| {
        catalog(a, r, "/services/0/instances_retrievable", json!(false));
        if a.last(Update).is_some() {
            instead(a, r, Provision, 200, 409);
        }
    }),
    ("the parameters of before an update", "UPD-11", "quick", 14, |a, r| {
        let old = json!({ "mood": "succeed", "size": 2 });
        fetched_after_update(a, r, |update| update.get("parameters").is_some(), "parameters", old);
    }),
    ("an update without plan_id that changes the plan", "UPD-05", "quick", 14, |a, r| {
        fetched_after_update(a, r, |update| update.get("parameters").is_some(), "plan_id", json!("another"));
    }),
    ("a refused update of the context, if a plan has no other update", "UPD-03", "closed", 15, |a, r| {
        instead(a, r, Update, 200, 422);
    }),
    ("an update of an instance that never existed", "UPD-14", "quick", 14, |a, r| instead(a, r, Update, 404, 200)),
    ("500 for an update that is not JSON", "UPD-13", "quick", 14, instead!(Update, 400, 500, |a, _| a.body.is_null())),
    ("a plan that can be left although it says no", "UPD-01", "small", 15, |a, r| {
        if a.earlier
            .iter()
            .any(|earlier| earlier.endpoint == Some(Update) && earlier.asked["plan_id"] != a.body["plan_id"])
            && !a.has("parameters")
            && a.last(Update).is_some_and(|last| last.status < 300)
        {
            instead(a, r, Update, 422, 200);
        }
    }),
    ("500 for the second target after one without return", "UPD-14", "small", 14, |a, r| {
        if a.body["plan_id"] == "6f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a06" {
            let status = r.status;
            instead(a, r, Update, status, 500);
        }
    }),
    // Plans of other services.
    ("a plan of another service with its own parameters", "PROV-04", "quick", 15, |a, r| {
        alien_plan(a, r, |body| body["parameters"].get("alien").is_some());
    }),
    ("a plan of another service with its own maintenance version", "PROV-04", "small", 15, |a, r| {
        alien_plan(a, r, |body| body["maintenance_info"]["version"] == "7.0.0");
    }),
    ("a plan of another service without parameters", "PROV-04", "small", 15, |a, r| {
        alien_plan(a, r, |body| body.get("parameters").is_none() && body.get("maintenance_info").is_none());
    }),
    ("an update to a plan of another service", "UPD-05", "quick", 14, |a, r| alien_plan(a, r, |_| true)),
    // Bodies.
    ("415 for another content type", "HDR-09", "quick", 14, |a, r| {
        if a.headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind == "text/plain") {
            instead(a, r, Provision, 400, 415);
        }
    }),
    ("500 without a content type", "ERR-12", "quick", 14, |a, r| {
        if a.headers.get(header::CONTENT_TYPE).is_none() {
            instead(a, r, Provision, 400, 500);
        }
    }),
    ("a crash by a nested body", "ERR-01", "quick", 14, |a, r| {
        if a.length > 100_000 {
            r.fate = Fate::IsLost;
        }
    }),
    ("500 for a nested body", "ERR-12", "quick", 14, |a, r| {
        if a.length > 100_000 {
            r.become_(500, json!({}));
        }
    }),
    ("500 for a bind that is not JSON", "BIND-15", "quick", 13, instead!(Bind, 400, 500, |a, _| a.body.is_null())),
    ("a bind to an instance that never existed", "BIND-02", "quick", 7, |a, r| instead(a, r, Bind, 404, 201)),
    ("a deletion without service_id accepted", "DEP-03", "quick", 7, |a, r| {
        if !a.query.contains("service_id=") && a.query.contains("plan_id=") {
            instead(a, r, Deprovision, 400, 200);
        }
    }),
    ("an unbind without plan_id accepted", "UNB-02", "quick", 7, |a, r| {
        if a.query.contains("service_id=") && !a.query.contains("plan_id=") {
            instead(a, r, Unbind, 400, 200);
        }
    }),
    ("an unknown field that makes a conflict of a repeated bind", "EXT-01", "quick", 7, |a, r| {
        if a.has("osb_check_unknown") {
            instead(a, r, Bind, 200, 400);
        }
    }),
    // Bindings.
    ("the same credentials for two bindings", "BIND-16", "quick", 7, |_, r| {
        if r.body.get("credentials").is_some() {
            r.body["credentials"] = json!({ "user": "admin", "password": "secret" });
        }
    }),
    ("an unbind that deletes all bindings", "UNB-01", "quick", 14, |a, r| {
        let of_this = |earlier: &Answered| earlier.endpoint == Some(Bind) && earlier.path == a.path;
        let since = a.earlier.iter().rev().take_while(|earlier| !of_this(earlier));
        let unbound = |earlier: &Answered| earlier.endpoint == Some(Unbind) && earlier.status == 200;
        if since.filter(|earlier| unbound(earlier)).count() > 0 {
            instead(a, r, Bind, 200, 201);
        }
    }),
    ("a binding that has expired", "BIND-24", "quick", 16, |a, r| {
        field(a, r, Bind, 201, "metadata", json!({ "expires_at": "2020-01-01T00:00:00.0Z" }));
    }),
    ("a rotation of an unknown binding", "ROT-02", "small", 17, |a, r| {
        if a.has("predecessor_binding_id") && !has_known_predecessor(a) {
            instead(a, r, Bind, 400, 201);
        }
    }),
    // Polls and fetches.
    ("404 for a poll of a creation", "LOI-03", "slow", 14, |a, r| instead(a, r, PollInstance, 200, 404)),
    ("404 for a poll of a binding's creation", "LOB-01", "slow", 14, |a, r| instead(a, r, PollBinding, 200, 404)),
    ("500 for every poll", "LOI-03", "slow", 14, |a, r| instead(a, r, PollInstance, 200, 500)),
    ("400 for a poll without service and plan", "LOI-01", "slow", 14, |a, r| {
        if !a.query.contains("service_id=") && !a.query.contains("plan_id=") {
            instead(a, r, PollInstance, 200, 400);
        }
    }),
    ("400 for a fetch with service and plan", "GETI-03", "quick", 16, |a, r| {
        if a.is_whole() {
            instead(a, r, FetchInstance, 200, 400);
        }
    }),
    ("other credentials for each fetch", "GETB-01", "slow", 16, |a, r| {
        if a.endpoint == Some(osb_check::judge::Endpoint::FetchBinding) && r.status == 200 {
            r.body["credentials"] = json!({ "password": a.before });
        }
    }),
    ("404 for a fetched binding with service and plan", "GETB-05", "quick", 16, |a, r| {
        if a.is_whole() {
            instead(a, r, osb_check::judge::Endpoint::FetchBinding, 200, 404);
        }
    }),
    // The catalog and headers.
    ("an unknown type in a schema", "CAT-54", "quick", 13, |a, r| {
        catalog(a, r, &format!("{SMALL_SCHEMA}/properties/size"), json!({ "type": "intger" }));
    }),
    ("an invalid schema of a later dialect", "CAT-50", "quick", 13, |a, r| {
        catalog(a, r, &format!("{SMALL_SCHEMA}/properties/size"), json!({ "type": "intger" }));
        catalog(a, r, &format!("{SMALL_SCHEMA}/$schema"), json!("http://json-schema.org/draft-07/schema#"));
    }),
    ("304 for another entity tag", "HDR-11", "quick", 16, |a, r| {
        if a.headers.contains_key(header::IF_NONE_MATCH) && r.status == 200 {
            r.become_(304, Value::Null);
        }
    }),
    ("200 for the same entity tag", "HDR-11", "quick", 16, |_, r| {
        if r.status == 304 {
            r.become_(200, json!({ "services": [] }));
            r.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
    }),
    ("500 for an originating identity that is not base64", "HDR-04", "quick", 13, |a, r| {
        let user = a.headers.get("x-broker-api-originating-identity");
        if user.is_some_and(|user| user.to_str().is_ok_and(|user| user.contains('!'))) {
            r.become_(500, json!({}));
        }
    }),
    ("500 for an empty request identity", "HDR-05", "quick", 15, |a, r| {
        if a.headers.get("x-broker-api-request-identity").is_some_and(HeaderValue::is_empty) {
            r.become_(500, json!({}));
        }
    }),
];
