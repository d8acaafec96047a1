//! Unusual instances and bindings.

use std::sync::Arc;

use osb_check::judge::Endpoint::{Bind, Catalog, Deprovision, FetchBinding, FetchInstance, Provision, Unbind, Update};
use serde_json::{Value, json};

use super::{Unusual, remove};
use crate::{
    mutated::{Answered, Asked, Fate},
    mutations::{field, instead},
};

/// Returns the number of bindings below this path that were created and not deleted.
fn bindings(asked: &Asked, path: &str) -> usize {
    let count = |of, status| {
        let is_one = |earlier: &&Arc<Answered>| {
            earlier.endpoint == Some(of) && earlier.status == status && earlier.path.starts_with(path)
        };
        asked.earlier.iter().filter(is_one).count()
    };
    count(Bind, 201).saturating_sub(count(Unbind, 200))
}

pub(super) const ALL: &[Unusual] = &[
    (
        "null in place of absent members",
        "PROV-16 PROV-18 UPD-15 META-01 META-02 BIND-16 BIND-18 BIND-19 BIND-20 BIND-23 BIND-24",
        "quick",
        |a, r| {
            if [Some(Provision), Some(Update)].contains(&a.endpoint) && r.status < 300 {
                r.body["dashboard_url"] = r.body.get("dashboard_url").cloned().unwrap_or_default();
                r.body["metadata"] = json!({ "labels": null, "attributes": null });
            }
            if [Some(Bind), Some(FetchBinding)].contains(&a.endpoint) && r.status < 300 {
                for name in ["syslog_drain_url", "route_service_url", "volume_mounts", "endpoints", "metadata"] {
                    r.body[name] = Value::Null;
                }
            }
        },
    ),
    ("no volume mounts in a list", "BIND-20", "quick", |a, r| {
        if [Some(Bind), Some(FetchBinding)].contains(&a.endpoint) && r.status < 300 {
            r.body["volume_mounts"] = json!([]);
        }
        if a.endpoint == Some(Catalog) && r.status == 200 {
            r.body["services"][0]["requires"] = json!([]);
        }
    }),
    ("labels and attributes of any kind", "PROV-18 META-01 META-02", "quick", |a, r| {
        let metadata = json!({ "labels": { "a": "", "b": 1 }, "attributes": {}, "com.example": true });
        for (endpoint, status) in [(Provision, 201), (Update, 200), (FetchInstance, 200)] {
            field(a, r, endpoint, status, "metadata", metadata.clone());
        }
    }),
    ("a dashboard that moves, and is shown once", "PROV-11 PROV-16 UPD-15", "quick", |a, r| {
        field(a, r, Provision, 201, "dashboard_url", json!("https://example.com/1"));
        field(a, r, Update, 200, "dashboard_url", json!("https://example.com/2"));
        if [Some(Provision), Some(FetchInstance)].contains(&a.endpoint) && r.status == 200 {
            remove(&mut r.body, &["dashboard_url"]);
        }
    }),
    ("a context that is compared", "PROV-06", "quick", instead!(Provision, 200, 409, |a, _| !a.has("context"))),
    ("fetched instances without a member", "GETI-03 GETI-04 GETI-08 UPD-05", "small", |a, r| {
        if a.endpoint == Some(FetchInstance) && r.status == 200 {
            r.body = json!({});
        }
    }),
    ("fetched instances without parameters", "GETI-04 UPD-06 UPD-11 UPD-17", "quick", |a, r| {
        if a.endpoint == Some(FetchInstance) {
            remove(&mut r.body, &["parameters"]);
        }
    }),
    ("parameters that are shown in another form", "UPD-06 UPD-11 UPD-17", "quick", |a, r| {
        if a.endpoint == Some(FetchInstance) && r.status == 200 {
            let size = r.body["parameters"]["size"].clone();
            r.body["parameters"] = json!({ "size": format!("{size} GB") });
        }
    }),
    ("changes of the plan that are all refused", "UPD-01 UPD-14", "small", |a, r| {
        if a.body.get("plan_id").is_some_and(|plan| plan != "6f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a02") {
            instead(a, r, Update, 200, 422);
            if a.endpoint == Some(Update) && r.status == 202 {
                r.fate = Fate::FollowsTheEnd;
            }
            instead(a, r, Update, 202, 422);
        }
    }),
    ("bindings without credentials", "BIND-08 BIND-16 GETB-04", "quick", |_, r| {
        remove(&mut r.body, &["credentials"]);
    }),
    ("bindings with the same host and their own user", "BIND-16", "quick", |_, r| {
        if r.body.get("credentials").is_some() {
            r.body["credentials"]["host"] = json!("db.example.com");
        }
    }),
    ("bindings with nothing but an address in common", "BIND-16", "quick", |_, r| {
        if r.body.get("credentials").is_some() {
            r.body["credentials"] = json!({ "uri": "https://db.example.com/path", "port": 443 });
        }
    }),
    ("fetched bindings without parameters", "GETB-05", "quick", |a, r| {
        if a.endpoint == Some(FetchBinding) {
            remove(&mut r.body, &["parameters"]);
        }
    }),
    ("a binding that expires", "BIND-24 BIND-25 ROT-03 ROT-04", "small", |a, r| {
        if a.endpoint == Some(Bind) && [200, 201].contains(&r.status) {
            let time = "2099-12-31T23:59:59.123456Z";
            r.body["metadata"] = json!({ "expires_at": time, "renew_before": time, "com.example": 1 });
        }
    }),
    ("times with fractions of different lengths, on a leap day", "BIND-24 BIND-25", "quick", |a, r| {
        if a.endpoint == Some(Bind) && [200, 201].contains(&r.status) {
            let (renew, end) = ("2096-02-29T00:00:00.50Z", "2096-02-29T00:00:00.5Z");
            let renew = if a.path.len() % 2 == 0 { renew } else { "2096-02-29T00:00:00.4999999999999Z" };
            r.body["metadata"] = json!({ "renew_before": renew, "expires_at": end });
        }
    }),
    ("a successor with the user of its predecessor", "BIND-16 ROT-03 ROT-04", "small", |_, r| {
        if r.body.get("credentials").is_some() {
            r.body["credentials"]["user"] = json!("app");
        }
    }),
    ("404 for an unknown predecessor", "ROT-02", "small", |a, r| {
        if a.has("predecessor_binding_id") {
            instead(a, r, Bind, 400, 404);
        }
    }),
    ("endpoints of every kind", "BIND-23", "twin", |a, r| {
        let endpoints = json!([
            { "host": "::1", "ports": ["1", "2-2", "65535"], "protocol": null },
            { "host": "*.example.com", "ports": ["1-65535"], "protocol": "all", "com.example": 1 },
        ]);
        field(a, r, Bind, 201, "endpoints", endpoints);
    }),
    ("no endpoints, and no volumes", "BIND-20 BIND-23", "quick", |a, r| {
        field(a, r, Bind, 201, "endpoints", json!([]));
        field(a, r, Bind, 201, "volume_mounts", json!([]));
    }),
    ("a volume with more than the required members", "BIND-21", "large", |a, r| {
        if a.endpoint == Some(Bind) && r.status == 201 {
            let volume = &mut r.body["volume_mounts"][0];
            volume["com.example"] = json!([]);
            volume["device"]["mount_config"] = Value::Null;
        }
    }),
    ("bindings limited to one", "BIND-12 UNB-01", "quick", instead!(Bind, 201, 400, |a, _| bindings(a, "/") > 0)),
    ("an instance that is kept while it has bindings", "ORP-02", "quick", |a, r| {
        if a.endpoint == Some(Deprovision) && bindings(a, &a.path) > 0 {
            instead(a, r, Deprovision, 200, 422);
        }
    }),
];
