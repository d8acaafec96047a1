//! The checks that these tests apply to all answers reject the answers that platforms reject.

use osb_lab::{
    messages::{Asked, violations, wrong},
    prelude::*,
};

/// Returns valid messages with their definitions.
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
        ("binding_fetched", json!({ "credentials": {}, "parameters": {} })),
        ("binding_before_2_10", json!({ "route_service_url": "https://a" })),
        (
            "instance_fetched",
            json!({ "service_id": "s", "plan_id": "p", "maintenance_info": { "version": "1.0.0-rc.1+a" } }),
        ),
        (
            "binding",
            json!({ "metadata": { "renew_before": "2020-01-01T00:00:00.0Z", "expires_at": "2020-01-01T00:00:00.0Z" } }),
        ),
        ("binding", json!({ "metadata": { "expires_at": "2019-12-31T23:59:59.0Z" } })),
        ("binding", json!({ "endpoints": [{ "host": "h", "ports": ["1", "9000-9010"], "protocol": "udp" }] })),
        ("error", json!({ "description": "It is not.", "error": "NotSo2" })),
        ("error_of_update", json!({ "description": "no", "update_repeatable": false, "instance_usable": true })),
    ]
}

/// Returns messages that a platform rejects or that the specification forbids, with the violated rule.
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
    let timed = |time: &str| json!({ "metadata": { "expires_at": time } });
    let fetched = |name: &str, value: Value| json!({ "service_id": "s", "plan_id": "p", name: value });
    vec![
        ("instance_accepted", json!({ "operation": null }), "PROV-17"),
        ("instance_accepted", json!({ "operation": "" }), "PROV-17"),
        ("instance_accepted", json!({ "operation": "a b" }), "URL-02"),
        ("instance_accepted", json!({ "operation": "a".repeat(10_001) }), "PROV-17"),
        ("instance_accepted", json!({}), "PROV-12"),
        ("instance", json!({ "operation": "1" }), "PROV-10"),
        ("instance", json!({ "dashboard_url": null }), "T52"),
        ("instance", json!({ "metadata": {} }), "META-01"),
        ("instance", json!({ "metadata": { "labels": { "a": 1 } } }), "META-01"),
        ("instance", json!({ "metadata": { "attributes": null } }), "META-02"),
        ("instance", json!({ "credentials": {} }), "PROV-10"),
        ("instance_fetched", fetched("context", json!({})), "X15"),
        ("instance_fetched", fetched("parameters", Value::Null), "GETI-04"),
        ("instance_fetched", fetched("maintenance_info", json!({ "version": "1" })), "CAT-40"),
        ("accepted", json!({ "operation": "1", "credentials": {} }), "BIND-10"),
        ("nothing", json!({ "description": "gone" }), "S06"),
        ("poll_instance", json!({ "state": "in_progress" }), "LOI-03"),
        ("poll_instance", json!({ "state": "in progress", "description": "" }), "LOI-04"),
        ("poll_instance", json!({ "state": "succeeded", "instance_usable": true }), "LOI-08"),
        ("poll_binding", json!({ "state": "failed", "description": "no", "instance_usable": true }), "LOB-03"),
        ("binding", json!({ "credentials": null }), "BIND-16"),
        ("binding", json!({ "parameters": {} }), "BIND-16"),
        ("binding_fetched", json!({ "service_id": "s" }), "GETB-04"),
        ("binding", json!({ "syslog_drain_url": "" }), "BIND-18"),
        ("binding", json!({ "route_service_url": "http://a" }), "T53"),
        ("binding", json!({ "route_service_url": "https://.a" }), "T53"),
        ("binding_before_2_8", json!({ "route_service_url": "https://a" }), "BIND-19"),
        ("binding", timed("2019-12-31T23:59:59+00:00"), "T50"),
        ("binding", timed("2019-12-31T23:59:59.00Z"), "T50"),
        ("binding", timed("2019-13-31T23:59:59.0Z"), "BIND-25"),
        ("binding", json!({ "metadata": { "renew_before": "2019-12-31T23:59:59.0Z" } }), "BIND-24"),
        ("binding", json!({ "endpoints": [] }), "BIND-22"),
        ("binding", endpoint(json!([443])), "T51"),
        ("binding", endpoint(json!([])), "BIND-23"),
        ("binding", endpoint(json!(["https"])), "BIND-23"),
        ("binding", json!({ "volume_mounts": [] }), "BIND-20"),
        ("binding", mount(json!({ "mode": "w" })), "BIND-21"),
        ("binding", mount(json!({ "device_type": "local" })), "BIND-21"),
        ("binding", mount(json!({ "driver": "" })), "BIND-21"),
        ("binding", mount(json!({ "device": {} })), "BIND-21"),
        ("binding", mount(json!({ "device": { "volume_id": "v", "mount_config": null } })), "BIND-21"),
        ("binding_before_2_10", mount(json!({})), "S34"),
        ("error", json!({}), "G6"),
        ("error", json!({ "description": "" }), "ERR-03"),
        ("error", json!({ "description": "no", "error": "" }), "T48"),
        ("error", json!({ "description": "no", "error": "Not So" }), "ERR-02"),
        ("error", json!({ "description": "no", "error": "not_so" }), "ERR-02"),
        ("error", json!({ "description": "no", "instance_usable": true }), "ERR-10"),
        ("error_of_deprovision", json!({ "description": "no", "update_repeatable": true }), "ERR-11"),
    ]
}

/// Returns the catalog of the lab broker.
fn lab() -> Value {
    serde_json::from_str(include_str!("../../golden/lab.json")).expect("JSON")
}

#[test]
fn valid_messages_are_accepted() {
    for (definition, message) in good() {
        assert_eq!(violations(definition, &message), [""; 0], "{definition}: {message}");
    }
    assert_eq!(violations("catalog", &lab()), [""; 0]);
}

#[test]
fn invalid_messages_are_rejected() {
    for (definition, message, rule) in bad() {
        let wrong = violations(definition, &message);
        assert!(wrong.iter().any(|wrong| wrong.contains(rule)), "{rule}: {definition}: {message}: {wrong:#?}");
    }
}

#[test]
fn a_catalog_without_a_required_field_is_rejected() {
    for pointer in [
        "/services",
        "/services/0/bindable",
        "/services/0/plan_updateable",
        "/services/0/id",
        "/services/0/plans",
        "/services/0/plans/0/free",
        "/services/0/plans/0/bindable",
        "/services/0/plans/0/binding_rotatable",
        "/services/0/plans/0/maintenance_info/version",
        "/services/0/plans/0/schemas/service_instance/create/parameters/$schema",
    ] {
        let (parent, field) = pointer.rsplit_once('/').expect("a pointer");
        let mut lacking = lab();
        lacking.pointer_mut(parent).and_then(Value::as_object_mut).expect("an object").remove(field);
        assert!(!violations("catalog", &lacking).is_empty(), "T45, CAT-15: {pointer}");
        let mut null = lab();
        *null.pointer_mut(pointer).expect("the field exists") = Value::Null;
        assert!(!violations("catalog", &null).is_empty(), "{pointer}");
    }
}

#[test]
fn a_catalog_with_an_invalid_field_is_rejected() {
    let (plan, parameters) = ("/services/0/plans/0", "/services/0/plans/0/schemas/service_instance/create/parameters");
    for (parent, field, value, rule) in [
        ("", "extra", json!(1), "CAT-01"),
        ("", "services", json!([]), "CAT-01"),
        ("/services/0", "name", json!(" "), "CAT-10"),
        ("/services/0", "requires", json!(["log_drain"]), "CAT-14"),
        ("/services/0", "acme:field", Value::Null, "EXT-02"),
        ("/services/0", "dashboard_client", json!({ "id": "a", "secret": "b" }), "PROF-20"),
        ("/services/0", "metadata", json!({ "shareable": "true" }), "PROF-10"),
        (plan, "bindable", json!("true"), "CAT-30"),
        (plan, "bindable", json!(false), "ROT-01"),
        (plan, "bindable", json!(false), "CAT-50"),
        (plan, "maximum_polling_duration", json!("60"), "CAT-39"),
        (plan, "maintenance_info", json!({ "version": "1.0" }), "CAT-40"),
        (plan, "maintenance_info", json!({ "version": "1.0.0", "since": "today" }), "CAT-40"),
        (parameters, "$schema", json!("http://json-schema.org/draft-07/schema#"), "CAT-51"),
        (parameters, "required", json!([]), "CF-08"),
        (parameters, "type", json!("array"), "CAT-55"),
        (parameters, "properties", json!({ "a": true }), "CF-08"),
    ] {
        let mut catalog = lab();
        catalog.pointer_mut(parent).expect("the parent exists")[field] = value.clone();
        let wrong = violations("catalog", &catalog);
        assert!(wrong.iter().any(|wrong| wrong.contains(rule)), "{rule}: {parent}/{field}: {wrong:#?}");
    }
    let mut own = lab();
    own["services"][0]["acme:field"] = json!({ "a": 1 });
    own["services"][0]["plans"][0]["acme:field"] = json!([]);
    assert_eq!(violations("catalog", &own), [""; 0], "EXT-02");
}

const TYPE: &str = "content-type: application/json\r\n";

/// Checks an answer to `METHOD path` with this status, headers and body, and returns the problems.
fn judged(request: &str, sent: &[(&str, &str)], status: u16, headers: &str, body: &Value) -> Vec<String> {
    let (method, path) = request.split_once(' ').expect("a method and a path");
    let reply =
        Reply { status, head: format!("HTTP/1.1 {status} X\r\n{headers}"), body: body.clone(), text: body.to_string() };
    wrong(Asked { method, path, headers: sent, body: &Value::Null }, &reply)
}

#[test]
fn statuses_and_headers_are_checked_for_the_endpoint() {
    let (get, put, patch, delete) =
        (format!("GET {I}"), format!("PUT {I}"), format!("PATCH {I}"), format!("DELETE {I}"));
    let (bind, fetch, poll) = (format!("PUT {B}"), format!("GET {B}"), format!("GET {I}/last_operation?operation=x"));
    let (post, catalog) = (format!("POST {B}"), "GET /v2/catalog".to_owned());
    let (no, none, progress) = (json!({ "description": "no" }), Value::Null, json!({ "state": "in progress" }));
    let with = |headers: &str| format!("{TYPE}{headers}\r\n");
    // The last element is the rule that an invalid answer violates; it is empty for a valid one.
    for (request, status, headers, body, rule) in [
        (&put, 200, with(""), &json!({}), ""),
        (&put, 204, with(""), &none, "ERR-01"),
        (&put, 201, with(""), &none, "PROV-10"),
        (&put, 410, with(""), &json!({}), "ERR-01"),
        (&bind, 410, with(""), &json!({}), "ERR-01"),
        (&delete, 201, with(""), &json!({}), "ERR-01"),
        (&delete, 404, with(""), &no, "ERR-01"),
        (&fetch, 422, with(""), &no, "ERR-01"),
        (&patch, 422, with(""), &no, ""),
        (&put, 422, with(""), &no, "T55"),
        (&get, 404, with(""), &no, ""),
        (&get, 404, String::new(), &no, "HDR-07"),
        (&get, 404, with("content-type: text/plain"), &no, "HDR-07"),
        (&poll, 200, with("retry-after: 5"), &progress, ""),
        (&poll, 200, with("retry-after: soon"), &progress, "HDR-10"),
        (&poll, 200, with("retry-after: 5"), &json!({ "state": "succeeded" }), "HDR-10"),
        (&get, 401, with("www-authenticate: Basic\r\nwww-authenticate: Bearer"), &no, ""),
        (&get, 401, with(""), &no, "T58"),
        (&get, 400, with("www-authenticate: Basic"), &no, "T58"),
        (&post, 405, with("allow: GET, PUT, DELETE"), &no, ""),
        (&post, 405, with(""), &no, "T58"),
        (&post, 405, with("allow: GET, PUT"), &no, "T58"),
        (&post, 404, with(""), &no, "ERR-01"),
        (&get, 405, with("allow: GET"), &no, "ERR-01"),
        (&get, 404, with("allow: GET"), &no, "T58"),
        (&catalog, 200, with("etag: a"), &lab(), ""),
        (&catalog, 200, with(""), &lab(), "HDR-11"),
        (&catalog, 304, "etag: a\r\n".to_owned(), &none, ""),
        (&catalog, 304, "etag: a\r\n".to_owned(), &no, "HDR-11"),
        (&catalog, 304, with("etag: a"), &none, "HDR-07"),
        (&get, 404, with("etag: a"), &no, "HDR-11"),
        (&"GET /a//v2/catalog".to_owned(), 200, with("etag: a"), &lab(), ""),
        (&"GET /v2/service_instances".to_owned(), 404, with(""), &no, ""),
    ] {
        expect(rule, &judged(request, &[], status, &headers, body), &format!("{status} to {request}: {headers}{body}"));
    }
}

/// Checks that a valid answer violates no rule, and an invalid one the given rule.
#[track_caller]
fn expect(rule: &str, wrong: &[String], what: &str) {
    let met = if rule.is_empty() { wrong.is_empty() } else { wrong.iter().any(|wrong| wrong.contains(rule)) };
    assert!(met, "{rule}: {what}: {wrong:#?}");
}

#[test]
fn error_codes_are_allowed_only_for_their_endpoints() {
    let says = |code: &str, description: &str| json!({ "error": code, "description": description });
    let (sync, busy) = (
        "This service plan requires client support for asynchronous service operations.",
        "The Service Broker does not support concurrent requests that mutate the same resource.",
    );
    for (method, path, status, body, rule) in [
        ("PUT", I, 422, says("AsyncRequired", sync), ""),
        ("PUT", &accepting(I), 422, says("AsyncRequired", sync), "ERR-04"),
        ("PUT", I, 400, says("AsyncRequired", sync), "ERR-04"),
        ("PATCH", I, 422, says("AsyncRequired", "no"), "S21"),
        ("GET", I, 422, says("ConcurrencyError", busy), ""),
        ("GET", I, 422, says("Own", busy), "GETI-06"),
        ("DELETE", I, 422, says("MaintenanceInfoConflict", "no"), "ERR-07"),
        ("PATCH", I, 422, says("MaintenanceInfoConflict", "no"), ""),
        ("PATCH", I, 422, says("RequiresApp", "no"), "ERR-07"),
        ("PUT", B, 422, says("RequiresApp", "no"), "S21"),
        ("PUT", B, 422, says("QuotaExceeded", "no"), "T55"),
        ("PUT", B, 400, says("QuotaExceeded", "no"), ""),
        ("DELETE", B, 422, says("QuotaExceeded", "no"), ""),
    ] {
        let request = format!("{method} {path}");
        expect(rule, &judged(&request, &[], status, TYPE, &body), &format!("{status} to {request}: {body}"));
    }
}

#[test]
fn an_answer_depends_on_the_headers_of_its_request() {
    let (identity, version) = ("X-Broker-API-Request-Identity", "X-Broker-API-Version");
    let echo = |identity| format!("{TYPE}x-broker-api-request-identity: {identity}\r\n");
    let (get, bind, no) = (format!("GET {I}"), format!("PUT {B}"), json!({ "description": "no" }));
    let route = json!({ "route_service_url": "https://a" });
    let mounts = json!({ "volume_mounts": [{
        "driver": "d", "container_dir": "/d", "mode": "r", "device_type": "shared", "device": { "volume_id": "v" },
    }] });
    for (request, (name, value), status, headers, body, rule) in [
        (&get, (identity, "a b"), 404, echo("a b"), &no, ""),
        (&get, (identity, "a"), 404, TYPE.to_owned(), &no, "HDR-05"),
        (&get, (identity, "a"), 404, echo("b"), &no, "HDR-05"),
        (&get, (version, "2.17"), 404, echo("b"), &no, "HDR-05"),
        (&bind, (version, "2.10"), 201, TYPE.to_owned(), &mounts, ""),
        (&bind, (version, "2.9"), 201, TYPE.to_owned(), &mounts, "S34"),
        (&bind, (version, "2.8"), 201, TYPE.to_owned(), &route, ""),
        (&bind, (version, "2.7"), 201, TYPE.to_owned(), &route, "BIND-19"),
    ] {
        let what = format!("{status} to {request} with {name}: {value}: {headers}{body}");
        expect(rule, &judged(request, &[(name, value)], status, &headers, body), &what);
    }
}
