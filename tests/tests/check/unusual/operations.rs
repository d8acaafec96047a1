//! Unusual operations, and unusual requests during them.

use http::header;
use osb_check::judge::Endpoint::{
    Bind, Deprovision, FetchBinding, FetchInstance, PollBinding, PollInstance, Provision, Unbind, Update,
};
use serde_json::{Value, json};

use super::{Unusual, remove, set_header};
use crate::{
    mutated::{Asked, Reply},
    mutations::{field, instead},
};

fn is_poll(asked: &Asked) -> bool {
    [Some(PollInstance), Some(PollBinding)].contains(&asked.endpoint)
}

/// Replaces the name of each operation.
fn names(reply: &mut Reply, name: &str) {
    if let Some(operation) = reply.body.get_mut("operation") {
        *operation = json!(name);
    }
}

fn blocked(asked: &Asked, reply: &mut Reply, of: osb_check::judge::Endpoint, status: u16) {
    if asked.endpoint == Some(of) && reply.status == status {
        reply.become_(422, json!({ "error": "ConcurrencyError", "description": "Another one is in progress." }));
    }
}

fn is_change(body: &Value) -> bool {
    body.get("plan_id").is_some() && body.get("parameters").is_none()
}

/// Accepts changes of the plan during other updates.
fn changes_meanwhile(asked: &Asked, reply: &mut Reply) {
    if reply.body["error"] == "ConcurrencyError" && is_change(&asked.body) {
        instead(asked, reply, Update, 422, 200);
    }
    if let Some(update) = asked.last(Update)
        && is_change(&update.asked)
        && update.status == 200
    {
        field(asked, reply, FetchInstance, 200, "plan_id", update.asked["plan_id"].clone());
    }
}

pub(super) const ALL: &[Unusual] = &[
    (
        "an operation without a name",
        "PROV-12 PROV-13 PROV-17 UPD-12 UPD-16 DEP-08 BIND-09 BIND-26 UNB-07 LOI-01 LOB-01",
        "slow",
        |_, r| {
            if r.status == 202 {
                remove(&mut r.body, &["operation"]);
            }
        },
    ),
    ("an operation with special characters", "PROV-13 UPD-12 BIND-09 UPD-16", "slow", |_, r| {
        names(r, "a/b c+d=é?&%41");
    }),
    ("an operation of 10,000 characters", "PROV-17 DEP-08 BIND-26 UNB-07", "slow", |_, r| {
        names(r, &"é".repeat(10_000));
    }),
    (
        "null in place of absent members, asynchronously",
        "PROV-17 DEP-08 BIND-10 BIND-26 UNB-07 LOI-04 LOI-08 LOB-03",
        "slow",
        |a, r| {
            if r.status == 202 && a.endpoint != Some(Update) {
                r.body["operation"] = Value::Null;
            }
            if a.endpoint == Some(Bind) && r.status == 202 {
                for name in ["credentials", "syslog_drain_url", "route_service_url", "volume_mounts", "endpoints"] {
                    r.body[name] = Value::Null;
                }
            }
            if is_poll(a) && r.status == 200 {
                for name in ["description", "instance_usable", "update_repeatable"] {
                    r.body[name] = Value::Null;
                }
            }
        },
    ),
    ("slow polls", "LOI-03 LOB-01 HDR-10", "slow", |a, r| {
        if is_poll(a) && a.before < 4 && r.status == 200 {
            r.body = json!({ "state": "in progress", "description": "0 %" });
            set_header(r, header::RETRY_AFTER, "0");
        }
    }),
    ("AsyncRequired before the body is looked at", "HDR-04 HDR-05 ERR-04 ASY-05", "slow", |a, r| {
        let is_sync = !a.query.contains("accepts_incomplete=true");
        if [Some(Provision), Some(Update), Some(Deprovision)].contains(&a.endpoint) && is_sync && r.status == 400 {
            r.become_(422, json!({ "error": "AsyncRequired", "description": "Only asynchronously." }));
        }
    }),
    ("a poll that fails once", "LOI-03 LOB-01", "slow", |a, r| {
        if is_poll(a) && a.before == 3 && r.status == 200 {
            r.become_(503, json!({}));
        }
    }),
    ("429 for every second poll", "LOI-03 LOB-01", "slow", |a, r| {
        if is_poll(a) && a.before % 2 == 1 && [200, 410].contains(&r.status) {
            r.become_(429, json!({ "description": "Too many requests." }));
            set_header(r, header::RETRY_AFTER, "0");
        }
    }),
    ("a description that changes after the end", "LOI-04 LOI-09 LOB-04", "slow", |a, r| {
        if is_poll(a) && r.status == 200 {
            r.body["description"] = json!(format!("{} polls", a.before));
        }
    }),
    ("a deletion that ends with `succeeded`", "LOI-07 LOB-01 DEP-06", "slow", |a, r| {
        if is_poll(a) && r.status == 410 {
            r.become_(200, json!({ "state": "succeeded" }));
        }
    }),
    ("asynchronous bindings that cannot be fetched", "GETB-02 GETB-03 GETB-04", "slow", |a, r| {
        super::services(r, |service| service["bindings_retrievable"] = json!(false));
        instead(a, r, FetchBinding, 200, 404);
    }),
    ("an instance that is shown during its update", "GETI-06", "slow", |a, r| {
        if r.body["error"] == "ConcurrencyError" {
            instead(a, r, FetchInstance, 422, 200);
        }
    }),
    ("ConcurrencyError for other attributes during the creation", "PROV-14 BIND-11 ERR-05", "slow", |a, r| {
        let polled = |earlier: &std::sync::Arc<crate::mutated::Answered>| {
            earlier.path.strip_prefix(&a.path).is_some_and(|rest| rest == "/last_operation")
        };
        if a.minor() >= 14 && !a.earlier.iter().any(polled) {
            blocked(a, r, Provision, 409);
            blocked(a, r, Bind, 409);
        }
    }),
    (
        "ConcurrencyError for equal requests at the same time",
        "BLK-02 PROV-10 BIND-07 BIND-09 PROV-13",
        "quick",
        |a, r| {
            // A request that is repeated later is answered 200.
            if (10..20).contains(&a.before) {
                for (endpoint, status) in [(Provision, 200), (Bind, 200), (Deprovision, 410), (Unbind, 410)] {
                    blocked(a, r, endpoint, status);
                }
            }
        },
    ),
    ("changes of the plan during other updates", "BLK-02 UPD-11", "slow", changes_meanwhile),
    ("changes of the plan during other updates, of instances without a plan", "BLK-02 UPD-11", "slow", |a, r| {
        changes_meanwhile(a, r);
        if a.endpoint == Some(FetchInstance) {
            remove(&mut r.body, &["plan_id"]);
        }
    }),
    ("failing changes of the plan during other updates, and deletions that name the plan", "DEP-04", "slow", |a, r| {
        if r.body["error"] == "ConcurrencyError" && is_change(&a.body) {
            r.become_(202, json!({ "operation": "change" }));
        }
        if is_poll(a) && a.query.contains("operation=change") {
            r.become_(200, json!({ "state": "failed" }));
        }
        let change = a.last(Update).filter(|update| update.status == 202 && is_change(&update.asked));
        let plan = change.and_then(|change| change.asked["plan_id"].as_str());
        if a.endpoint == Some(Deprovision) && plan.is_some_and(|plan| a.query.contains(&format!("plan_id={plan}"))) {
            r.become_(400, json!({ "description": "The instance has another plan." }));
        }
    }),
    ("another operation for each repeated request before 2.14", "PROV-13 UPD-12 BIND-09 DEP-04", "slow", |a, r| {
        if a.minor() < 14 {
            names(r, if a.before == 0 { "first" } else { "again" });
        }
    }),
    ("blocked requests before the code for them", "BLK-02 ERR-05 DEP-05 UNB-04", "slow", |a, r| {
        if r.body["error"] == "ConcurrencyError" && a.minor() < 14 {
            r.become_(
                if a.minor() < 12 { 409 } else { 422 },
                json!({ "description": "Another operation is in progress." }),
            );
        }
    }),
];
