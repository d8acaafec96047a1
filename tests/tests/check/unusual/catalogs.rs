//! Unusual catalogs.

use http::header::ETAG;
use osb_check::judge::Endpoint::{Catalog, FetchBinding, FetchInstance};
use serde_json::{Value, json};

use super::{Unusual, plans, remove, services, set};
use crate::mutations::{catalog, instead};

const SCHEMA: &str = "/schemas/service_instance/create/parameters";

pub(super) const ALL: &[Unusual] = &[
    ("no services", "CAT-01", "quick", becomes!(Catalog, 200 => 200, { "services": [] })),
    ("a single plan", "CAT-22", "quick", |_, r| {
        services(r, |service| {
            if let Some(plans) = service["plans"].as_array_mut() {
                plans.retain(|plan| plan["name"] == "quick");
            }
        });
    }),
    (
        "another service whose name differs only in case, with a plan of the same name",
        "CAT-04 CAT-06 CAT-10 CAT-11 CAT-12 CAT-31 CAT-32 PROV-04 UPD-05",
        "quick",
        |_, r| {
            if let Some(services) = r.body.get_mut("services").and_then(Value::as_array_mut) {
                services.push(json!({
                    "id": "S", "name": "LAB", "description": "-", "bindable": false,
                    "plans": [
                        { "id": "s", "name": "closed", "description": "é".repeat(255) },
                        { "id": "~", "name": "a.B-1".repeat(51), "description": "One line,\nand\tanother." },
                    ],
                }));
            }
        },
    ),
    ("plans in another order, and new ones, later on", "CAT-03", "quick", |a, r| {
        r.headers.remove(ETAG);
        if a.before > 0
            && let Some(plans) = r.body.pointer_mut("/services/0/plans").and_then(Value::as_array_mut)
        {
            plans.reverse();
            let name = format!("new-{}", a.before);
            plans.push(json!({ "id": name, "name": name, "description": "A new plan." }));
        }
    }),
    ("empty parts", "CAT-13 CAT-14 CAT-19 CAT-33 CAT-34 CAT-50 PROF-10 PROF-11 PROF-20", "quick", |a, r| {
        if a.endpoint == Some(Catalog) {
            services(r, |service| {
                set(service, [("tags", json!([])), ("requires", json!([])), ("metadata", json!({}))]);
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
    (
        "null for each optional field",
        "CAT-13 CAT-14 CAT-16 CAT-17 CAT-18 CAT-19 CAT-33 CAT-36 CAT-37 CAT-39 CAT-40 UPD-03",
        "quick",
        |_, r| {
            services(r, |service| {
                let names = ["tags", "requires", "metadata", "instances_retrievable", "bindings_retrievable"];
                set(service, names.map(|name| (name, Value::Null)));
                service["allow_context_updates"] = Value::Null;
            });
            plans(r, |plan| {
                let names = ["metadata", "binding_rotatable", "maximum_polling_duration", "maintenance_info"];
                set(plan, names.map(|name| (name, Value::Null)));
                plan["plan_updateable"] = Value::Null;
            });
        },
    ),
    ("plan_updateable on the plans alone", "CAT-21 UPD-01", "small", |_, r| {
        services(r, |service| remove(service, &["plan_updateable"]));
    }),
    ("a service that is not bindable, with plans that are", "CAT-15 CAT-35", "quick", |_, r| {
        plans(r, |plan| plan["bindable"] = json!(plan["bindable"] != false));
        services(r, |service| service["bindable"] = json!(false));
    }),
    ("flags for what the broker does anyway", "CAT-16 CAT-17", "quick", |_, r| {
        services(r, |service| remove(service, &["instances_retrievable", "bindings_retrievable"]));
    }),
    ("nothing can be fetched", "CAT-16 CAT-17 GETI-01 GETB-01", "quick", |a, r| {
        services(r, |service| {
            set(service, [("instances_retrievable", json!(false)), ("bindings_retrievable", json!(false))]);
        });
        instead(a, r, FetchInstance, 200, 404);
        instead(a, r, FetchBinding, 200, 404);
    }),
    ("permissions that no binding uses", "CAT-14 BIND-18 BIND-19 BIND-20", "quick", |_, r| {
        services(r, |service| service["requires"] = json!(["syslog_drain", "route_forwarding", "volume_mount"]));
    }),
    ("tags with spaces, and twice", "CAT-13", "quick", |_, r| {
        services(r, |service| service["tags"] = json!(["", "key value", "key value", "Ключ"]));
    }),
    ("metadata of its own, and several currencies", "CAT-19 CAT-33 PROF-10 PROF-11", "quick", |_, r| {
        services(r, |service| {
            service["metadata"] = json!({ "displayName": "", "shareable": true, "com.example": { "a": [null] } });
        });
        plans(r, |plan| {
            let costs =
                json!([{ "amount": { "btc": 0.001, "eur": 0 }, "unit": "PER HOUR" }, { "amount": {}, "unit": "" }]);
            plan["metadata"] = json!({ "displayName": "☃", "bullets": ["", ""], "costs": costs, "com.example": 1 });
        });
    }),
    ("a dashboard client without a redirect_uri", "PROF-20", "quick", |_, r| {
        services(r, |service| service["dashboard_client"] = json!({ "id": " ", "secret": " ", "com.example": null }));
    }),
    ("a maintenance version with a pre-release and a build", "CAT-40", "quick", |_, r| {
        plans(r, |plan| {
            if plan["name"] == "small" {
                plan["maintenance_info"] = json!({ "version": "0.0.0-0.a-1.B+001.-" });
            }
        });
    }),
    ("a maximum_polling_duration with a decimal point", "CAT-39", "slow", |_, r| {
        plans(r, |plan| plan["maximum_polling_duration"] = json!(86_400.0));
    }),
    ("ids that are no guids", "CAT-30 URL-02", "quick", |a, r| {
        if a.endpoint == Some(Catalog) {
            plans(r, |plan| {
                if plan["name"] == "closed" {
                    plan["id"] = json!("a.B_c~1-");
                }
            });
        }
    }),
    ("a schema of a later dialect", "CAT-50 CAT-51 CAT-54", "quick", |_, r| {
        plans(r, |plan| {
            if let Some(schema) = plan.pointer_mut(SCHEMA) {
                schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
                schema["$defs"] = json!({ "unused": { "type": "integer", "exclusiveMinimum": 0 } });
            }
        });
    }),
    ("a schema of draft-06", "CAT-50 CAT-51 CAT-54", "quick", |_, r| {
        plans(r, |plan| {
            if let Some(schema) = plan.pointer_mut(SCHEMA) {
                schema["$schema"] = json!("http://json-schema.org/draft-06/schema#");
                schema["definitions"] = json!({ "unused": { "exclusiveMinimum": 0, "not": false } });
            }
        });
    }),
    ("a large schema with references within itself", "CAT-52 CAT-53", "quick", |_, r| {
        plans(r, |plan| {
            if let Some(schema) = plan.pointer_mut(SCHEMA) {
                schema["definitions"] = json!({ "note": { "type": "string", "description": "a".repeat(60_000) } });
                schema["properties"]["note"] = json!({ "$ref": "#/definitions/note" });
                schema["properties"]["notes"] = json!({ "type": "array", "items": { "$ref": "#/definitions/note" } });
            }
        });
    }),
    ("a schema without a type", "CAT-55", "quick", |_, r| {
        plans(r, |plan| {
            if let Some(schema) = plan.pointer_mut(SCHEMA) {
                remove(schema, &["type"]);
            }
        });
    }),
    ("a schema that allows everything", "CAT-50 CAT-55", "quick", |a, r| {
        let schema = json!({ "$schema": "http://json-schema.org/draft-04/schema#" });
        catalog(a, r, &format!("/services/0/plans/5{SCHEMA}"), schema);
    }),
];
