//! Mandatory fields of requests, and the fields of answers.

use osb_lab::{
    lab::ids,
    requests::{B, DELETE, I, bind, change, lab, new},
    wire::Reply,
};
use osb_runtime::{
    json::{Json, Members},
    prelude::*,
    service::Broker,
};
use serde_json::{Value, json};

/// Returns `body` without a field.
fn without(mut body: Value, field: &str) -> Value {
    body.as_object_mut().expect("an object").remove(field);
    body
}

fn is_error(reply: &Reply, status: u16) {
    assert_eq!(reply.status, status, "ERR-01: {reply:?}");
    assert!(reply.head.contains("content-type: application/json"), "HDR-07: {}", reply.head);
    assert!(!reply.description().is_empty(), "ERR-03: {reply:?}");
    if let Some(code) = reply.body.get("error") {
        let code = code.as_str().expect("ERR-02: a code is a word");
        assert!(code.starts_with(|c: char| c.is_ascii_uppercase()), "ERR-02: {code}");
        assert!(code.chars().all(|c| c.is_ascii_alphanumeric()), "ERR-02: {code}");
    }
}

#[tokio::test]
async fn requests_without_a_mandatory_field_are_rejected() {
    let (wire, lab) = lab().await;
    for field in ["service_id", "plan_id", "organization_guid", "space_guid"] {
        for body in [without(new(ids::SMALL, json!({})), field), {
            let mut body = new(ids::SMALL, json!({}));
            body[field] = json!("");
            body
        }] {
            let reply = wire.put(I, body).await;
            is_error(&reply, 400);
            assert!(reply.description().contains(field), "PROV-15, ERR-12: {}", reply.description());
        }
    }
    for (service, plan, description) in [
        ("unknown", ids::SMALL, "service_id \"unknown\" is not a service of this broker."),
        (ids::LAB, "unknown", "plan_id \"unknown\" is not a plan of this service."),
    ] {
        let mut body = new(plan, json!({}));
        body["service_id"] = json!(service);
        let reply = wire.put(I, body).await;
        is_error(&reply, 400);
        assert_eq!(reply.description(), description);
    }
    assert_eq!(lab.calls(), 0, "PROV-03, PROV-04");

    assert_eq!(wire.put(I, new(ids::SMALL, json!({ "size": 2 }))).await.status, 201, "PROV-01");
    assert_eq!(lab.inventory(), ["i=smallx2"], "PROV-01");
    is_error(&wire.patch(I, json!({ "parameters": {} })).await, 400);
    is_error(&wire.patch(I, json!({ "service_id": "", "parameters": {} })).await, 400);
    is_error(&wire.patch(I, json!({ "service_id": ids::LAB, "plan_id": "" })).await, 400);
    let reply = wire.patch(I, json!({ "service_id": "another" })).await;
    assert_eq!(reply.status, 400, "UPD-13, UPD-04");

    for field in ["service_id", "plan_id"] {
        is_error(&wire.put(B, without(bind(ids::SMALL, json!({})), field)).await, 400);
    }
    let reply = wire.put(B, bind(ids::LARGE, json!({}))).await;
    assert_eq!(reply.status, 400, "BIND-03: not the plan of this instance; BIND-15");
    for query in ["", "?service_id=x", "?plan_id=x", "?service_id=&plan_id="] {
        is_error(&wire.delete(&format!("{I}{query}")).await, 400);
    }
    assert_eq!(lab.inventory(), ["i=smallx2"], "ERR-08");
}

#[tokio::test]
async fn errors_of_the_specification_have_their_codes() {
    let (wire, _) = lab().await;
    wire.put(I, new(ids::LARGE, json!({}))).await;
    let reply = wire.put(B, bind(ids::LARGE, json!({}))).await;
    is_error(&reply, 422);
    assert_eq!(reply.body["error"], "RequiresApp", "ERR-06, BIND-12");
    assert_eq!(
        reply.description(),
        "This service supports generation of credentials through binding an application only.",
        "S21"
    );

    let mut other = new(ids::SMALL, json!({}));
    other["maintenance_info"] = json!({ "version": "9.9.9" });
    let reply = wire.put("/v2/service_instances/j", other).await;
    is_error(&reply, 422);
    assert_eq!(reply.body["error"], "MaintenanceInfoConflict", "ERR-07, PROV-08");

    wire.put("/v2/service_instances/k", new(ids::SMALL, json!({}))).await;
    let path = "/v2/service_instances/k?accepts_incomplete=true";
    let operation = wire.patch(path, change(json!({ "parameters": { "mood": "wait" } }))).await;
    let id = operation.body["operation"].as_str().expect("UPD-16: it has an id");
    assert!(!id.is_empty() && id.len() <= 10_000, "UPD-16, BIND-26: all ids are made the same way");
    let reply = wire.put("/v2/service_instances/k/service_bindings/b", bind(ids::SMALL, json!({}))).await;
    is_error(&reply, 422);
    assert_eq!(reply.body["error"], "ConcurrencyError", "BIND-13");
    assert_eq!(
        reply.description(),
        "The Service Broker does not support concurrent requests that mutate the same resource.",
        "S21"
    );
}

#[tokio::test]
async fn members_of_a_response_come_in_the_order_of_the_specification() {
    fn names(json: &Json) -> Vec<&str> {
        json.as_object().into_iter().flat_map(Members::iter).map(|(name, _)| name).collect()
    }
    let body = |reply: &Reply| Json::read(reply.text.as_bytes()).expect("a body is JSON");
    let (wire, lab) = lab().await;
    wire.put(I, new(ids::SMALL, json!({}))).await;
    let instance = body(&wire.get(I).await);
    let expected = ["service_id", "plan_id", "parameters", "dashboard_url", "metadata", "maintenance_info"];
    assert_eq!(names(&instance), expected);
    let bound = wire.put(B, bind(ids::SMALL, json!({}))).await;
    for binding in [bound, wire.get(B).await] {
        assert_eq!(names(&body(&binding)["credentials"]), ["user", "password"], "as the struct's fields: {binding:?}");
    }
    lab.deletions_go(osb_lab::lab::Behaviour::Refuse);
    wire.delete(&format!("{B}?{DELETE}")).await;
    assert_eq!(names(&body(&wire.get(&format!("{B}/last_operation")).await)), ["state", "description"]);
    let large = "/v2/service_instances/large";
    wire.put(large, new(ids::LARGE, json!({}))).await;
    let refused = wire.put(&format!("{large}/service_bindings/b"), bind(ids::LARGE, json!({}))).await;
    assert_eq!(names(&body(&refused)), ["error", "description"]);
}

#[tokio::test]
async fn absent_fields_of_an_update_do_not_change() {
    let (wire, lab) = lab().await;
    wire.put(I, new(ids::SMALL, json!({ "size": 3 }))).await;
    for body in [json!({}), json!({ "parameters": null }), json!({ "plan_id": ids::SMALL }), json!({ "context": {} })] {
        assert_eq!(wire.patch(I, change(body)).await.status, 200);
        let instance = wire.get(I).await;
        assert_eq!(instance.body["parameters"]["size"], 3, "UPD-06");
        assert_eq!(instance.body["plan_id"], ids::SMALL, "UPD-05");
    }
    assert_eq!(lab.calls(), 1);
}

#[tokio::test]
async fn a_failed_unbind_has_no_instance_usable() {
    let (wire, lab) = lab().await;
    wire.put(I, new(ids::SMALL, json!({}))).await;
    wire.put(B, bind(ids::SMALL, json!({}))).await;
    lab.deletions_go(osb_lab::lab::Behaviour::Refuse);
    assert_eq!(wire.delete(&format!("{B}?{DELETE}")).await.status, 422);
    let reply = wire.get(&format!("{B}/last_operation")).await;
    assert_eq!(reply.body, json!({ "state": "failed", "description": "It is in use." }), "LOB-03");
}

#[tokio::test]
async fn an_endpoint_has_a_host_and_ports_as_strings() {
    let (wire, _) = lab().await;
    wire.put(I, new(ids::TWIN, json!({}))).await;
    let reply = wire.put(B, bind(ids::TWIN, json!({}))).await;
    let endpoint = json!({ "host": "lab.example.com", "ports": ["443"], "protocol": "tcp" });
    assert_eq!(reply.body["endpoints"], json!([endpoint]), "BIND-22, BIND-23, T51");
    assert_eq!(wire.get(B).await.body["endpoints"], json!([endpoint]), "GETB-04");
}

#[test]
fn times_have_the_format_that_platforms_parse() {
    use std::time::{Duration, SystemTime};
    let at = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
    let write = |bound: Bound<Endpoints, ()>| {
        let mut fields = Members::default();
        bound.write(&mut fields).map(|()| Value::from(Json::from(fields)))
    };
    let bound = || Bound::new(Endpoints(Vec::new()), ());
    let written = write(bound().expires_at(at(1_577_836_799)).renew_before(at(1_577_750_399))).expect("in order");
    assert_eq!(
        written["metadata"],
        json!({ "expires_at": "2019-12-31T23:59:59.0Z", "renew_before": "2019-12-30T23:59:59.0Z" }),
        "BIND-24, BIND-25, T50"
    );
    assert!(write(bound().expires_at(at(1)).renew_before(at(2))).is_err(), "BIND-25: renewed too late");
}

#[tokio::test]
async fn the_broker_behaves_as_its_catalog_declares() {
    let (wire, _) = lab().await;
    let catalog = wire.get("/v2/catalog").await;
    let service = &catalog.body["services"][0];
    let plans = service["plans"].as_array().expect("plans");
    for name in
        ["plan_updateable", "bindable", "instances_retrievable", "bindings_retrievable", "allow_context_updates"]
    {
        assert!(service[name].is_boolean(), "EXT-03, T46: {name}");
    }
    assert!(service["description"].as_str().is_some_and(|text| !text.is_empty()), "CAT-12");
    for plan in plans {
        assert!(plan["description"].as_str().is_some_and(|text| !text.is_empty()), "CAT-32");
        let id = plan["id"].as_str().expect("an id");
        let path = format!("/v2/service_instances/{id}?accepts_incomplete=true");
        assert!([201, 202].contains(&wire.put(&path, new(id, json!({}))).await.status));
        let path = format!("/v2/service_instances/{id}");
        while wire.get(&path).await.status != 200 {
            tokio::time::sleep(std::time::Duration::from_millis(2)).await;
        }
        let mut body = bind(id, json!({}));
        body["app_guid"] = json!("app");
        let binding = format!("{path}/service_bindings/{id}");
        let reply = wire.put(&format!("{binding}?accepts_incomplete=true"), body).await;
        let bindable = plan["bindable"].as_bool().expect("BIND-01: present");
        assert_eq!([201, 202].contains(&reply.status), bindable, "BIND-01: {reply:?}");
        while bindable && wire.get(&binding).await.status != 200 {
            tokio::time::sleep(std::time::Duration::from_millis(2)).await;
        }
        let other = if id == ids::LARGE { ids::TWIN } else { ids::LARGE };
        let reply = wire.patch(&format!("{path}?accepts_incomplete=true"), change(json!({ "plan_id": other }))).await;
        let updateable = plan["plan_updateable"].as_bool().expect("UPD-01: present");
        assert_eq!(reply.status == 200, updateable, "UPD-01: {reply:?}");

        let schemas = [
            &plan["schemas"]["service_instance"]["create"]["parameters"],
            &plan["schemas"]["service_instance"]["update"]["parameters"],
            &plan["schemas"]["service_binding"]["create"]["parameters"],
        ];
        for schema in schemas.into_iter().filter(|schema| !schema.is_null()) {
            assert_eq!(schema["$schema"], "http://json-schema.org/draft-04/schema#", "CAT-51, CAT-54");
            assert_eq!(schema["type"], "object", "CAT-55");
            assert!(!schema.to_string().contains("\"$ref\""), "CAT-52: everything is in place");
        }
    }
    assert!(plans.len() > 5, "GETI-01, GETB-01: all of them were fetched");
}

/// Two plans whose names differ in case.
#[service(id = "0b0c5d0e-54a5-4a3c-9e0a-6b1c4f6f5b01", name = "cased", plans(Upper, Lower))]
#[derive(Debug)]
#[allow(deprecated, reason = "the compiler warns of such names, and this is about what it allows")]
struct Cased;

/// One.
#[plan(id = "0b0c5d0e-54a5-4a3c-9e0a-6b1c4f6f5b02", name = "One")]
#[derive(Debug)]
struct Upper;

/// Another.
#[plan(id = "0b0c5d0e-54a5-4a3c-9e0a-6b1c4f6f5b03", name = "one")]
#[derive(Debug)]
struct Lower;

osb_lab::provision_nothing!(Cased);

/// The broker of these services.
#[broker]
#[derive(Debug)]
#[allow(deprecated, reason = "as above")]
struct CasedBroker(Cased);

#[test]
fn names_that_differ_in_case_differ() {
    let catalog: Value = serde_json::from_str(CasedBroker::CATALOG_JSON).expect("JSON");
    let names: Vec<_> = catalog["services"][0]["plans"].as_array().into_iter().flatten().map(|p| &p["name"]).collect();
    assert_eq!(names, ["One", "one"], "CAT-05");
}
