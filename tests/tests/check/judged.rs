//! Single responses at the edges of rules: what differs a little breaks the rule, or does not yet.

use http::{HeaderMap, HeaderValue, StatusCode};
use osb_check::judge::{JudgedRequest, breaches, catalog_findings};
use osb_client::Answer;
use serde_json::{Value, json};

const INSTANCE: &str = "/v2/service_instances/i";
const BINDING: &str = "/v2/service_instances/i/service_bindings/b";

/// Returns the rules that a response breaks for a platform of this version.
fn judged((method, path, body): (&str, &str, Value), minor: u32, answer: &Answer) -> Vec<&'static str> {
    let mut headers = HeaderMap::new();
    headers.insert("x-broker-api-version", format!("2.{minor}").parse().expect("a value"));
    let asked = JudgedRequest { method, path, headers: &headers, body: &body };
    breaches(asked, answer).into_iter().map(|breach| breach.rule).collect()
}

/// Returns a response with the content type of JSON.
fn answer(status: u16, body: &Value) -> Answer {
    with_header(status, body, "content-type", "application/json")
}

fn with_header(status: u16, body: &Value, name: &'static str, value: &'static str) -> Answer {
    let mut headers = HeaderMap::new();
    headers.insert("content-type", HeaderValue::from_static("application/json"));
    headers.insert(name, HeaderValue::from_static(value));
    Answer::new(StatusCode::from_u16(status).expect("a status"), headers, body.to_string().as_bytes())
}

#[test]
fn err_03_every_error_has_the_body_of_an_error() {
    for status in [400, 404, 409, 422, 500] {
        let found = judged(("GET", INSTANCE, Value::Null), 17, &answer(status, &json!({ "description": 5 })));
        assert_eq!(found, ["ERR-03"], "{status}");
    }
    assert_eq!(judged(("DELETE", INSTANCE, Value::Null), 17, &answer(410, &json!({}))), [""; 0], "it is no error");
}

#[test]
fn hdr_10_a_pause_is_a_number_or_a_date() {
    let pause = |value| judged(("GET", INSTANCE, Value::Null), 17, &with_header(200, &json!({}), "retry-after", value));
    for wrong in ["-1", "1:30"] {
        assert_eq!(pause(wrong), ["HDR-10"], "{wrong}");
    }
    for right in ["0", "1", "Sun, 06 Nov 1994 08:49:37 GMT"] {
        assert_eq!(pause(right), [""; 0], "{right}");
    }
}

#[test]
fn bind_20_volume_mounts_have_their_shape_since_2_10() {
    let mounts = answer(201, &json!({ "volume_mounts": 1 }));
    let found = |minor| judged(("PUT", BINDING, json!({})), minor, &mounts);
    assert_eq!(found(9), [""; 0]);
    assert_eq!(found(10), ["BIND-20"]);
}

#[test]
fn bind_23_ports_are_numbers_or_ranges_of_them() {
    for (ports, is_right) in [
        ("0", false),
        ("1", true),
        ("65535", true),
        ("65536", false),
        ("0-9", false),
        ("8-8", true),
        ("8-9", true),
        ("9-8", false),
    ] {
        let body = json!({ "endpoints": [{ "host": "db.example", "ports": [ports] }] });
        for (method, status) in [("PUT", 201), ("GET", 200)] {
            let found = judged((method, BINDING, json!({})), 17, &answer(status, &body));
            assert_eq!(found.is_empty(), is_right, "{method}, {ports}: {found:?}");
            assert!(found.iter().all(|rule| *rule == "BIND-23"), "{method}, {ports}: {found:?}");
        }
    }
}

#[test]
fn bind_25_a_binding_is_renewed_before_it_expires_or_when_it_does() {
    let found = |renew: &str| {
        let body = json!({ "metadata": { "expires_at": "2030-01-01T00:00:00.0Z", "renew_before": renew } });
        ["PUT", "GET"].map(|method| {
            judged((method, BINDING, json!({})), 17, &answer(if method == "GET" { 200 } else { 201 }, &body))
        })
    };
    for right in ["2029-12-31T23:59:59.0Z", "2030-01-01T00:00:00.0Z"] {
        assert_eq!(found(right).concat(), [""; 0], "{right}");
    }
    assert_eq!(found("2030-01-01T00:00:00.1Z").concat(), ["BIND-25"; 2]);
}

/// S11, G3
#[test]
fn asy_05_each_version_has_its_way_to_accept_an_operation() {
    let accepted = answer(202, &json!({}));
    let in_the_body = |minor| judged(("PUT", INSTANCE, json!({ "accepts_incomplete": true })), minor, &accepted);
    for (minor, is_accepted) in [(7, true), (11, true), (12, false), (16, false), (17, false)] {
        assert_eq!(in_the_body(minor).is_empty(), is_accepted, "2.{minor}: {:?}", in_the_body(minor));
    }

    let bound = |minor| {
        let query = format!("{BINDING}?accepts_incomplete=true");
        judged(("PUT", &query, json!({})), minor, &accepted)
    };
    assert!(bound(13).contains(&"BIND-07"), "{:?}", bound(13));
    assert_eq!(bound(14), [""; 0]);
}

/// The limits of the specification and of Cloud Foundry belong to what they allow.
#[test]
fn values_at_the_limits_of_a_catalog_break_no_rule() {
    let schema = json!({ "$schema": "http://json-schema.org/draft-06/schema#", "type": "object" });
    let rules = |more: usize| {
        let catalog = json!({ "services": [{
            "id": "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5e01",
            "name": "n".repeat(255 + more),
            "description": "d".repeat(10_000 + more),
            "bindable": false,
            "tags": ["t".repeat(2_048 + more)],
            "plans": [{
                "id": "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5e02",
                "name": "small",
                "description": "d",
                "maximum_polling_duration": 60 - more,
                "schemas": { "service_instance": { "create": { "parameters": schema } } },
            }, {
                "id": "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5e03",
                "name": "large",
                "description": "d",
                "maximum_polling_duration": 2_147_483_647 + more,
                // Beside the text, its JSON has 36 characters.
                "maintenance_info": { "version": "1.0.0", "description": "d".repeat(1_964 + more) },
            }],
        }] });
        catalog_findings(&catalog).into_iter().map(|finding| finding.rule).collect::<Vec<_>>()
    };
    assert_eq!(rules(0), ["CAT-04"], "a shorter description is recommended");
    assert_eq!(rules(1), ["CF-02", "CAT-04", "CAT-04", "CF-09", "CF-07", "CF-21", "CF-03"]);
}

#[test]
fn each_plan_and_service_is_compared_with_all_others() {
    let plan = |number: usize, name: &str, id: &str, kind: &str| {
        let schema = json!({
            "$schema": "http://json-schema.org/draft-04/schema#", "id": id, "type": "object",
            "properties": { "size": { "$ref": "#/definitions/size" } }, "definitions": { "size": { "type": kind } },
        });
        json!({
            "id": format!("8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5e{number:02}"), "name": name, "description": "d",
            "schemas": { "service_instance": { "create": { "parameters": schema } } },
        })
    };
    let catalog = json!({ "services": [{
        "id": "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5e01", "name": "kv", "description": "d", "bindable": false,
        "plans": [
            plan(2, "small", "urn:first", "string"),
            plan(3, "large", "urn:second", "string"),
            plan(4, "largest", "urn:first", "string"),
            plan(5, "SMALL", "urn:second", "integer"),
            plan(6, "other", "#local", "integer"),
            plan(7, "another", "#local", "string"),
        ],
    }, {
        "id": "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5e08", "name": "sql", "description": "d", "bindable": false,
        "allow_context_updates": null, "plans": [plan(9, "small", "urn:third", "string")],
    }] });
    let found: Vec<_> = catalog_findings(&catalog).into_iter().map(|found| (found.rule, found.pointer)).collect();
    let found: Vec<_> = found.iter().map(|(rule, pointer)| (*rule, &**pointer)).collect();
    let schema = "/services/0/plans/3/schemas/service_instance/create/parameters";
    let expected =
        [("CF-21", "/services/0/plans/3/name"), ("CF-20", schema), ("CF-21", "/services/1/allow_context_updates")];
    assert_eq!(found, expected);
}

/// An empty text breaks a rule of the specification already, and one that is no type is named for each place.
#[test]
fn a_mistake_in_a_catalog_is_found_once() {
    let found = |about: &str, types: Value| {
        let parameters = json!({ "$schema": "http://json-schema.org/draft-04/schema#", "type": types });
        let catalog = json!({ "services": [{
            "id": "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5e01", "name": "kv", "description": about, "bindable": false,
            "plans": [{
                "id": "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5e02", "name": "small", "description": "d",
                "schemas": { "service_instance": { "create": { "parameters": parameters } } },
            }],
        }] });
        catalog_findings(&catalog)
    };
    let empty = found("", json!("object"));
    assert!(matches!(&*empty, [found] if found.rule == "CAT-12"), "{empty:?}");
    let mut wrong = found("d", json!(["object", "text", "text"]));
    wrong.retain(|found| found.what.contains("is not a type"));
    assert!(matches!(&*wrong, [found] if found.rule == "CAT-54"), "{wrong:?}");
}
