//! The schemas that every answer in these tests is held against refuse what platforms refuse.

use osb_lab::{
    messages::{SCHEMAS, violations, wrong},
    wire::Reply,
};
use serde_json::{Value, json};

/// Messages that are good, by their definition.
fn good() -> Vec<(&'static str, Value)> {
    vec![
        ("instance", json!({})),
        ("instance", json!({ "dashboard_url": "https://a.example/x", "metadata": { "labels": { "a": "b" } } })),
        ("instance_accepted", json!({ "operation": "a-1_b.~", "dashboard_url": "http://a" })),
        ("accepted", json!({ "operation": "1" })),
        ("nothing", json!({})),
        ("poll_instance", json!({ "state": "in progress", "description": "half of it" })),
        ("poll_instance", json!({ "state": "failed", "description": "no", "instance_usable": false })),
        ("poll_binding", json!({ "state": "succeeded" })),
        ("binding", json!({ "credentials": { "a": null } })),
        ("binding", json!({ "metadata": { "expires_at": "2019-12-31T23:59:59.0Z" } })),
        ("binding", json!({ "endpoints": [{ "host": "h", "ports": ["1", "9000-9010"], "protocol": "udp" }] })),
        ("error", json!({ "description": "It is not.", "error": "NotSo2" })),
        ("error_of_update", json!({ "description": "no", "update_repeatable": false, "instance_usable": true })),
    ]
}

/// Messages that a platform refuses or that the specification forbids, and why.
fn bad() -> Vec<(&'static str, Value, &'static str)> {
    let mount = |change: Value| {
        let mut mount = json!({
            "driver": "d", "container_dir": "/d", "mode": "r", "device_type": "shared", "device": { "volume_id": "v" },
        });
        for (name, value) in change.as_object().into_iter().flatten() {
            mount[name] = value.clone();
        }
        json!({ "volume_mounts": [mount] })
    };
    let endpoint = |ports: Value| json!({ "endpoints": [{ "host": "h", "ports": ports, "protocol": "tcp" }] });
    vec![
        ("instance_accepted", json!({ "operation": null }), "T38"),
        ("instance_accepted", json!({ "operation": "" }), "UPD-16"),
        ("instance_accepted", json!({ "operation": "a b" }), "URL-02"),
        ("instance_accepted", json!({ "operation": "a".repeat(10_001) }), "PROV-17"),
        ("instance_accepted", json!({}), "without it platforms poll without"),
        ("instance", json!({ "dashboard_url": null }), "T52"),
        ("instance", json!({ "metadata": { "labels": { "a": 1 } } }), "META-01"),
        ("instance", json!({ "credentials": {} }), "no such field"),
        ("instance_fetched", json!({ "service_id": "s", "plan_id": "p", "context": {} }), "X15"),
        ("accepted", json!({ "operation": "1", "credentials": {} }), "BIND-10, T43"),
        ("nothing", json!({ "description": "gone" }), "S06"),
        ("poll_instance", json!({ "state": "in_progress" }), "S17"),
        ("poll_instance", json!({ "state": "in progress", "description": "" }), "LOI-04, S44"),
        ("poll_instance", json!({ "state": "succeeded", "instance_usable": true }), "LOI-08"),
        ("poll_binding", json!({ "state": "failed", "instance_usable": true }), "LOB-03"),
        ("binding", json!({ "credentials": null }), "BIND-16"),
        ("binding", json!({ "syslog_drain_url": "" }), "BIND-18"),
        ("binding", json!({ "route_service_url": "http://a" }), "T53"),
        ("binding", json!({ "metadata": { "expires_at": "2019-12-31T23:59:59+00:00" } }), "T50"),
        ("binding", json!({ "metadata": { "renew_before": "2019-12-31T23:59:59.0Z" } }), "BIND-25"),
        ("binding", endpoint(json!([443])), "T51"),
        ("binding", endpoint(json!([])), "BIND-23"),
        ("binding", endpoint(json!(["https"])), "BIND-23"),
        ("binding", mount(json!({ "mode": "w" })), "BIND-21"),
        ("binding", mount(json!({ "device_type": "local" })), "BIND-21"),
        ("binding", mount(json!({ "device": {} })), "BIND-21"),
        ("binding", mount(json!({ "device": { "volume_id": "v", "mount_config": null } })), "BIND-21"),
        ("binding_before_2_10", mount(json!({})), "S34"),
        ("error", json!({}), "G6"),
        ("error", json!({ "description": "" }), "ERR-03"),
        ("error", json!({ "description": "no", "error": "" }), "T48"),
        ("error", json!({ "description": "no", "error": "Not So" }), "ERR-02"),
        ("error", json!({ "description": "no", "error": "not_so" }), "ERR-02"),
        ("error", json!({ "description": "no", "instance_usable": true }), "ERR-10, T47"),
        ("error_of_deprovision", json!({ "description": "no", "update_repeatable": true }), "ERR-11"),
        ("error", json!({ "description": "Later.", "error": "ConcurrencyError" }), "S21"),
        ("unprocessable_provision", json!({ "description": "no", "error": "QuotaExceeded" }), "T55"),
        ("unprocessable_provision", json!({ "description": "no" }), "T55"),
        ("unprocessable_bind", json!({ "description": "no", "error": "MaintenanceInfoConflict" }), "BIND-12"),
        ("catalog", json!({ "services": null }), "CAT-01"),
        ("catalog", json!({ "services": [] }), "Cloud Foundry wants one"),
    ]
}

#[test]
fn the_schemas_are_schemas() {
    assert!(jsonschema::meta::is_valid(&SCHEMAS));
}

#[test]
fn good_messages_are_accepted() {
    for (definition, message) in good() {
        assert_eq!(violations(definition, &message), [""; 0], "{definition}: {message}");
    }
    let catalog = include_str!("../golden/lab.json");
    let catalog = serde_json::from_str(catalog).expect("JSON");
    assert_eq!(violations("catalog", &catalog), [""; 0]);
}

#[test]
fn bad_messages_are_refused() {
    for (definition, message, why) in bad() {
        assert!(!violations(definition, &message).is_empty(), "{why}: {definition}: {message}");
    }
}

#[test]
fn a_catalog_without_what_platforms_need_is_refused() {
    let catalog: Value = serde_json::from_str(include_str!("../golden/lab.json")).expect("JSON");
    for pointer in ["/services/0/bindable", "/services/0/plans/0/free", "/services/0/id", "/services/0/plans"] {
        let (parent, field) = pointer.rsplit_once('/').expect("a pointer");
        let mut lacking = catalog.clone();
        lacking.pointer_mut(parent).and_then(Value::as_object_mut).expect("an object").shift_remove(field);
        assert!(!violations("catalog", &lacking).is_empty(), "T45, CAT-15: {pointer}");
        let mut null = catalog.clone();
        *null.pointer_mut(pointer).expect("it is there") = Value::Null;
        assert!(!violations("catalog", &null).is_empty(), "{pointer}");
    }
}

#[test]
fn statuses_and_headers_are_held_against_the_endpoint() {
    let reply = |status, headers: &str, body: Value| Reply {
        status,
        head: format!("HTTP/1.1 {status} X\r\ncontent-type: application/json\r\n{headers}"),
        body,
    };
    let (i, b) = ("/v2/service_instances/i", "/v2/service_instances/i/service_bindings/b");
    let poll = format!("{i}/last_operation?operation=x");
    let progress = json!({ "state": "in progress" });
    let error = json!({ "description": "no" });
    assert!(wrong("GET", &poll, "2.17", &reply(200, "retry-after: 5\r\n", progress.clone())).is_empty());
    for (method, path, reply, why) in [
        ("GET", poll.as_str(), reply(200, "retry-after: soon\r\n", progress), "HDR-10"),
        ("GET", &poll, reply(200, "retry-after: 5\r\n", json!({ "state": "succeeded" })), "HDR-10"),
        ("PUT", i, reply(204, "", json!({})), "T57"),
        ("PUT", i, reply(410, "", json!({})), "ERR-01"),
        ("PUT", b, reply(410, "", json!({})), "T20"),
        ("DELETE", i, reply(201, "", json!({})), "DEP-04"),
        ("GET", b, reply(422, "", error.clone()), "GETB-03"),
        ("GET", i, reply(401, "", error.clone()), "T58"),
        ("POST", i, reply(405, "", error.clone()), "T58"),
        ("GET", "/v2/catalog", reply(304, "", json!({})), "HDR-11"),
        ("GET", i, Reply { status: 404, head: "HTTP/1.1 404 X\r\n".to_owned(), body: error }, "HDR-07"),
    ] {
        assert!(!wrong(method, path, "2.17", &reply).is_empty(), "{why}: {method} {path}: {reply:?}");
    }
}
