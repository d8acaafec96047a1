//! Unusual headers and errors.

use http::{HeaderValue, header};
use osb_check::judge::Endpoint::{Bind, Catalog, Deprovision, FetchInstance, Provision, Unbind, Update};
use serde_json::{Value, json};

use super::{Unusual, plans, services, set_header};
use crate::{
    mutated::{Asked, Fate, Reply},
    mutations::{instead, is_bad},
};

/// Leaves nothing of errors but their codes.
fn codes_only(reply: &mut Reply) {
    if reply.status >= 400 {
        reply.body = reply.body.get("error").map_or_else(|| json!({}), |code| json!({ "error": code }));
    }
}

/// Describes the errors whose codes the specification has in other words.
fn own_words(reply: &mut Reply) {
    if reply.status == 422 && reply.body.get("error").is_some() {
        reply.body["description"] = json!("Désolé: ☃\n\"{}\"");
    }
}

fn names_what_does_not_exist(asked: &Asked, reply: &Reply) -> bool {
    let said = reply.body["description"].as_str().unwrap_or_default();
    let complete = asked.body["service_id"].is_string() && asked.body["plan_id"].is_string();
    complete && (said.contains("service_id") || said.contains("plan_id"))
}

pub(super) const ALL: &[Unusual] = &[
    ("application/json with a charset", "HDR-07", "quick", |_, r| {
        if r.headers.contains_key(header::CONTENT_TYPE) {
            set_header(r, header::CONTENT_TYPE, "Application/JSON ;charset=\"UTF-8\"");
        }
    }),
    ("a request identity where the platform sends none", "HDR-05", "quick", |a, r| {
        if a.headers.get("x-broker-api-request-identity").is_none_or(HeaderValue::is_empty) {
            r.headers.insert("x-broker-api-request-identity", HeaderValue::from_static("made up"));
        }
    }),
    ("400 for malformed identities", "HDR-04", "quick", |a, r| {
        let user = a.headers.get("x-broker-api-originating-identity").and_then(|user| user.to_str().ok());
        if user.is_some_and(|user| user.split(' ').nth(1).is_none_or(|user| user.contains('!'))) && r.status == 200 {
            r.become_(400, json!({ "description": "The originating identity is malformed." }));
        }
    }),
    ("a date in Retry-After", "HDR-10", "slow", |_, r| {
        set_header(r, header::RETRY_AFTER, "Wed, 21 Oct 2015 07:28:00 GMT");
    }),
    ("no entity tag", "HDR-11", "quick", |_, r| drop(r.headers.remove(header::ETAG))),
    ("a catalog of 1970", "HDR-11", "quick", |a, r| {
        if a.endpoint == Some(Catalog) && [200, 304].contains(&r.status) {
            if a.headers.contains_key(header::IF_MODIFIED_SINCE) {
                r.become_(304, Value::Null);
            }
            set_header(r, header::LAST_MODIFIED, "Thu, 01 Jan 1970 00:00:00 GMT");
        }
    }),
    ("another entity tag for each response", "HDR-11", "quick", |a, r| {
        if a.endpoint == Some(Catalog)
            && let Ok(tag) = HeaderValue::from_str(&format!("W/\"{}\"", a.before))
        {
            r.headers.insert(header::ETAG, tag);
        }
    }),
    ("401 with another challenge and no reason", "AUTH-01 AUTH-04", "quick", |_, r| {
        if r.status == 401 {
            set_header(r, header::WWW_AUTHENTICATE, "Bearer");
            r.body = json!({});
        }
    }),
    ("every version is served", "ERR-01", "quick", |a, r| {
        if a.endpoint == Some(Catalog) && [400, 412].contains(&r.status) {
            r.become_(200, json!({ "services": [] }));
        }
    }),
    ("412 for a version that is no version", "ERR-01", "quick", |a, r| instead(a, r, Catalog, 400, 412)),
    ("a response that takes its time", "ASY-01", "quick", |a, r| {
        if a.endpoint == Some(Catalog) || a.endpoint == Some(FetchInstance) {
            r.fate = Fate::IsLate;
        }
    }),
    (
        "additional members everywhere",
        "CAT-01 ERR-02 PROV-10 PROV-11 UPD-11 BIND-07 BIND-08 GETI-04 GETB-01 UNB-03 DEP-04",
        "quick",
        |_, r| {
            if let Some(members) = r.body.as_object_mut() {
                members.insert("com.example.extra".to_owned(), json!({ "nested": [null] }));
            }
            services(r, |service| service["com.example.extra"] = json!(1));
            plans(r, |plan| plan["com.example.extra"] = json!([]));
        },
    ),
    ("a warning of unknown fields", "EXT-01", "quick", |a, r| {
        if a.has("osb_check_unknown") {
            r.body["com.example.ignored"] = json!(["osb_check_unknown"]);
        }
    }),
    (
        "codes of its own",
        "ERR-02 ERR-12 HDR-09 PROV-15 BIND-11 BIND-15 PROV-14 UPD-13 UNB-02 DEP-03 GETI-05 GETB-03",
        "quick",
        |_, r| {
            if [400, 404, 409].contains(&r.status) {
                r.body["error"] = json!("QuotaExceeded2");
            }
        },
    ),
    ("errors without a description", "ERR-03 GETI-05 GETB-03 DEP-04 UNB-03", "quick", |_, r| codes_only(r)),
    ("errors of polls without a description", "ERR-03 LOI-06 LOB-01 LOI-07", "slow", |_, r| codes_only(r)),
    ("other words for AsyncRequired", "ERR-04 ERR-05 ASY-05 PROV-09 BIND-14 UNB-04 DEP-05", "slow", |_, r| {
        own_words(r);
    }),
    ("other words for RequiresApp", "ERR-06 BIND-12", "large", |_, r| own_words(r)),
    ("other words for MaintenanceInfoConflict", "ERR-07 PROV-08 UPD-10", "small", |_, r| own_words(r)),
    ("usable and repeatable, where that is allowed", "ERR-10 ERR-11 UPD-18 DEP-09", "quick", |a, r| {
        let (usable, repeatable) = match a.endpoint {
            Some(Update) => (json!(false), json!(true)),
            Some(Deprovision) => (json!(true), Value::Null),
            _ => (Value::Null, Value::Null),
        };
        if r.status >= 400 && r.body.is_object() {
            (r.body["instance_usable"], r.body["update_repeatable"]) = (usable, repeatable);
        }
    }),
    ("413 for a large body", "ERR-12", "quick", |a, r| {
        if a.length > 100_000 {
            r.become_(413, json!({ "description": "Too large." }));
        }
    }),
    ("422 for parameters that the schema refuses", "PROV-07 UPD-07 BIND-06 UPD-17 ERR-08", "quick", |a, r| {
        if is_bad(a) && r.status == 400 {
            r.become_(422, json!({ "description": "There is no such parameter." }));
        }
    }),
    ("404 and 403 for what does not exist", "PROV-03 PROV-04 UPD-05 UPD-14 BIND-02", "quick", |a, r| {
        if names_what_does_not_exist(a, r) {
            instead(a, r, Provision, 400, 404);
            instead(a, r, Update, 400, 403);
        }
        instead(a, r, Update, 404, 410);
        instead(a, r, Bind, 404, 400);
    }),
    ("410 that names the path", "DEP-04 UNB-03 URL-01", "quick", |a, r| {
        if [Some(Deprovision), Some(Unbind)].contains(&a.endpoint) && r.status == 410 {
            r.body = json!({ "description": format!("{} is gone.", a.path) });
        }
    }),
];
