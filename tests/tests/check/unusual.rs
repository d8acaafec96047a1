//! Brokers that are unusual, and correct at every version.

use std::sync::Arc;

use http::{HeaderValue, header};
use osb_check::judge::Endpoint::{
    Bind, Catalog, Deprovision, FetchBinding, FetchInstance, PollBinding, PollInstance, Provision, Unbind, Update,
};
use serde_json::{Value, json};

use crate::{
    mutated::{Answered, Mutate, Reply},
    mutations::instead,
};

/// What is unusual, the plan to check, and the function that changes the responses.
pub(crate) type Unusual = (&'static str, &'static str, Mutate);

/// Sets fields of all services of a catalog.
fn services(reply: &mut Reply, set: fn(&mut Value)) {
    reply.body.get_mut("services").and_then(Value::as_array_mut).into_iter().flatten().for_each(set);
}

/// Sets fields of all plans of a catalog.
fn plans(reply: &mut Reply, set: fn(&mut Value)) {
    let services = reply.body.get_mut("services").and_then(Value::as_array_mut).into_iter().flatten();
    services.filter_map(|service| service["plans"].as_array_mut()).flatten().for_each(set);
}

/// All unusual brokers.
pub(crate) const UNUSUAL: &[Unusual] = &[
    ("asynchronous only", "slow", |_, _| {}),
    ("synchronous only", "quick", |_, _| {}),
    ("without bindings, updates and parameters", "closed", |_, _| {}),
    ("bindings that need an application", "large", |_, _| {}),
    ("no services", "quick", |a, r| {
        if a.endpoint == Some(Catalog) && r.status == 200 {
            r.body = json!({ "services": [] });
        }
    }),
    ("nothing can be fetched", "quick", |a, r| {
        services(r, |service| {
            service["instances_retrievable"] = json!(false);
            service["bindings_retrievable"] = json!(false);
        });
        instead(a, r, FetchInstance, 200, 404);
        instead(a, r, FetchBinding, 200, 404);
    }),
    ("empty and absent parts of the catalog", "quick", |a, r| {
        if a.endpoint == Some(Catalog) {
            services(r, |service| {
                for (name, value) in [("tags", json!([])), ("requires", json!([])), ("metadata", json!({}))] {
                    service[name] = value;
                }
                service["dashboard_client"] = Value::Null;
            });
            plans(r, |plan| {
                plan["metadata"] = json!({ "bullets": [], "costs": [] });
                plan["free"] = Value::Null;
                if plan["name"] == "closed" {
                    plan["schemas"] = json!({ "service_instance": {}, "service_binding": { "create": {} } });
                }
            });
        }
    }),
    ("additional members everywhere", "quick", |_, r| {
        if let Some(members) = r.body.as_object_mut() {
            members.insert("com.example.extra".to_owned(), json!({ "nested": [null] }));
        }
        services(r, |service| service["com.example.extra"] = json!(1));
        plans(r, |plan| plan["com.example.extra"] = json!([]));
    }),
    ("ids that are no guids", "quick", |a, r| {
        if a.endpoint == Some(Catalog) {
            plans(r, |plan| {
                if plan["name"] == "closed" {
                    plan["id"] = json!("a.B_c~1-");
                }
            });
        }
    }),
    ("an operation without a name", "slow", |_, r| {
        if r.status == 202
            && let Some(members) = r.body.as_object_mut()
        {
            members.remove("operation");
        }
    }),
    ("an operation with special characters", "slow", |_, r| {
        if let Some(operation) = r.body.get_mut("operation") {
            *operation = json!("a/b c+d=é?&%41");
        }
    }),
    ("slow polls", "slow", |a, r| {
        if [Some(PollInstance), Some(PollBinding)].contains(&a.endpoint) && a.before < 4 && r.status == 200 {
            r.body = json!({ "state": "in progress", "description": "0 %" });
            r.headers.insert(header::RETRY_AFTER, HeaderValue::from_static("0"));
        }
    }),
    ("a poll that fails once", "slow", |a, r| {
        if a.endpoint == Some(PollInstance) && a.before == 3 && r.status == 200 {
            r.become_(503, json!({}));
        }
    }),
    ("a deletion that ends with `succeeded`", "slow", |a, r| {
        if [Some(PollInstance), Some(PollBinding)].contains(&a.endpoint) && r.status == 410 {
            r.become_(200, json!({ "state": "succeeded" }));
        }
    }),
    ("a date in Retry-After", "slow", |a, r| {
        if a.endpoint == Some(PollInstance) {
            r.headers.insert(header::RETRY_AFTER, HeaderValue::from_static("Wed, 21 Oct 2015 07:28:00 GMT"));
        }
    }),
    ("no entity tag", "quick", |_, r| drop(r.headers.remove(header::ETAG))),
    ("400 for malformed identities", "quick", |a, r| {
        let user = a.headers.get("x-broker-api-originating-identity").and_then(|user| user.to_str().ok());
        if user.is_some_and(|user| user.split(' ').nth(1).is_none_or(|user| user.contains('!'))) && r.status == 200 {
            r.become_(400, json!({ "description": "The originating identity is malformed." }));
        }
    }),
    ("bindings without credentials", "quick", |_, r| {
        if let Some(members) = r.body.as_object_mut() {
            members.remove("credentials");
        }
    }),
    ("bindings with the same host and their own user", "quick", |_, r| {
        if r.body.get("credentials").is_some() {
            r.body["credentials"]["host"] = json!("db.example.com");
        }
    }),
    ("a binding that expires", "small", |a, r| {
        if a.endpoint == Some(Bind) && [200, 201].contains(&r.status) {
            r.body["metadata"] =
                json!({ "expires_at": "2099-01-01T00:00:00.0Z", "renew_before": "2098-01-01T00:00:00.0Z" });
        }
    }),
    ("fetched instances without parameters", "quick", |a, r| {
        if a.endpoint == Some(FetchInstance)
            && let Some(members) = r.body.as_object_mut()
        {
            members.remove("parameters");
        }
    }),
    ("parameters that are shown in another form", "quick", |a, r| {
        if a.endpoint == Some(FetchInstance) && r.status == 200 {
            let size = r.body["parameters"]["size"].clone();
            r.body["parameters"] = json!({ "size": format!("{size} GB") });
        }
    }),
    ("application/json with a charset", "quick", |_, r| {
        if r.headers.contains_key(header::CONTENT_TYPE) {
            r.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json;charset=UTF-8"));
        }
    }),
    ("null in place of absent members", "quick", |a, r| {
        if [Some(Provision), Some(Update)].contains(&a.endpoint) && r.status < 300 {
            r.body["dashboard_url"] = r.body.get("dashboard_url").cloned().unwrap_or_default();
        }
        if [Some(Unbind), Some(Deprovision)].contains(&a.endpoint) && r.status == 202 {
            r.body["operation"] = Value::Null;
        }
    }),
    ("errors without a description", "quick", |_, r| {
        if r.status >= 400 {
            r.body = r.body.get("error").map_or_else(|| json!({}), |code| json!({ "error": code }));
        }
    }),
    ("409 for a new instance with the id of a deleted one", "quick", |a, r| {
        if a.last(Deprovision).is_some_and(|gone| gone.status == 200) {
            instead(a, r, Provision, 201, 409);
        }
    }),
    ("a schema of a later dialect", "quick", |a, r| {
        if a.endpoint == Some(Catalog) {
            plans(r, |plan| {
                if let Some(schema) = plan.pointer_mut("/schemas/service_instance/create/parameters") {
                    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
                    schema["$defs"] = json!({ "unused": { "type": "integer", "exclusiveMinimum": 0 } });
                }
            });
        }
    }),
    ("changes of the plan during other updates", "slow", |a, r| {
        let is_change = |body: &Value| body.get("plan_id").is_some() && body.get("parameters").is_none();
        if r.body["error"] == "ConcurrencyError" && is_change(&a.body) {
            instead(a, r, Update, 422, 200);
        }
        if let Some(update) = a.last(Update)
            && is_change(&update.asked)
            && update.status == 200
            && a.endpoint == Some(FetchInstance)
        {
            r.body["plan_id"] = update.asked["plan_id"].clone();
        }
    }),
    ("blocked requests before the code for them", "slow", |a, r| {
        let version =
            a.headers.get("x-broker-api-version").and_then(|version| version.to_str().ok()?.split('.').nth(1));
        let minor: u32 = version.and_then(|minor| minor.parse().ok()).unwrap_or(17);
        if r.body["error"] == "ConcurrencyError" && minor < 14 {
            r.become_(
                if minor < 12 { 409 } else { 422 },
                json!({ "description": "Another operation is in progress." }),
            );
        }
    }),
    ("a user whose case is ignored", "quick", |a, r| {
        // The base64 of `USER:pass`.
        if a.endpoint == Some(Catalog)
            && a.headers.get(header::AUTHORIZATION).is_some_and(|it| it == "Basic VVNFUjpwYXNz")
        {
            instead(a, r, Catalog, 401, 200);
        }
    }),
    ("404 for an unknown predecessor", "small", |a, r| {
        if a.body.get("predecessor_binding_id").is_some() {
            instead(a, r, Bind, 400, 404);
        }
    }),
    ("bindings limited to one", "quick", |a, r| {
        let bound = |earlier: &&Arc<Answered>| earlier.endpoint == Some(Bind) && earlier.status == 201;
        let unbound = |earlier: &&Arc<Answered>| earlier.endpoint == Some(Unbind) && earlier.status == 200;
        let (bound, unbound) = (a.earlier.iter().filter(bound).count(), a.earlier.iter().filter(unbound).count());
        if bound > unbound {
            instead(a, r, Bind, 201, 400);
        }
    }),
];
