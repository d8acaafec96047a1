//! Properties of all requests and answers: content types, unknown fields, encoded ids, the order of fields.

use osb_lab::prelude::*;
use osb_runtime::json::{Json, Members};

/// Adds an unknown field to a body and to all objects in it.
fn with_unknown_fields(mut body: Value, with: &Value) -> Value {
    for (name, value) in body.as_object_mut().into_iter().flatten() {
        // Except parameters, which the plan's schema validates.
        if name != "parameters" && value.is_object() {
            *value = with_unknown_fields(value.take(), with);
        }
    }
    body["x-of-the-future"] = with.clone();
    body
}

#[tokio::test]
async fn hdr_09_a_body_that_is_not_an_object_is_400_for_any_content_type() {
    let (wire, lab) = lab().await;
    wire.put(I, new(ids::SMALL, json!({}))).await;
    let before = lab.inventory();
    for kind in ["application/json", "text/plain", "application/x-www-form-urlencoded"] {
        for body in [json!([]), json!("service_id=s"), json!(7), Value::Null] {
            for (method, path) in [("PUT", "/v2/service_instances/j"), ("PATCH", I), ("PUT", B)] {
                let reply = wire.send(method, path, &[("Content-Type", kind)], Some(&body)).await;
                assert_eq!(reply.status, 400, "HDR-09, ERR-12: {method} {path} of {body} as {kind}");
            }
        }
        for (method, path) in [("PUT", "/v2/service_instances/j"), ("PATCH", I), ("PUT", B)] {
            let reply = wire.send(method, path, &[("Content-Type", kind)], None).await;
            assert_eq!(reply.status, 400, "ERR-12: {method} {path} of nothing");
        }
    }
    assert_eq!(lab.inventory(), before, "ERR-08");
}

#[tokio::test]
async fn ext_01_unknown_fields_are_ignored() {
    let (wire, _) = lab().await;
    let mut create = new(ids::SMALL, json!({ "size": 2 }));
    create["maintenance_info"] = json!({ "version": "1.2.0" });
    let update = change(json!({
        "plan_id": ids::SMALL, "parameters": { "size": 3 }, "maintenance_info": { "version": "1.2.0" },
        "context": { "platform": "cloudfoundry" }, "previous_values": { "plan_id": ids::SMALL },
    }));
    let mut access = bind(ids::SMALL, json!({}));
    access["context"] = json!({ "platform": "cloudfoundry" });
    access["bind_resource"] = json!({ "app_guid": "a" });
    let values = [json!("text"), json!(1), Value::Null, json!({ "a": [{}] }), json!([[]])];
    for (number, value) in values.iter().enumerate() {
        let (i, b) = (instance(&number.to_string()), binding(&number.to_string(), "b"));
        assert_eq!(wire.put(&i, with_unknown_fields(create.clone(), value)).await.status, 201, "EXT-01, T25: {value}");
        assert_eq!(wire.put(&i, create.clone()).await.status, 200, "EXT-01: the same without it, {value}");
        assert_eq!(
            wire.patch(&i, with_unknown_fields(update.clone(), value)).await.status,
            200,
            "EXT-01, T25: {value}"
        );
        assert_eq!(wire.get(&i).await.body["parameters"], json!({ "size": 3 }), "EXT-01: processed all the same");
        assert_eq!(wire.put(&b, with_unknown_fields(access.clone(), value)).await.status, 201, "EXT-01, T25: {value}");
        assert_eq!(wire.put(&b, access.clone()).await.status, 200, "EXT-01: the same without it, {value}");
        let delete = format!("{DELETE}&x-of-the-future=1&x");
        assert_eq!(wire.get(&format!("{i}?x-of-the-future")).await.status, 200, "EXT-01");
        assert_eq!(wire.delete(&format!("{b}?{delete}")).await.status, 200, "EXT-01");
        assert_eq!(wire.delete(&format!("{i}?{delete}")).await.status, 200, "EXT-01");
    }
}

#[tokio::test]
async fn url_01_ids_may_contain_any_character() {
    let (wire, lab) = lab().await;
    for (id, encoded, otherwise) in [
        ("a/b", "a%2Fb", "%61%2fb"),
        ("a b+c", "a%20b+c", "a%20b%2Bc"),
        ("ü?#&=%", "%C3%BC%3F%23%26%3D%25", "%c3%bc%3f%23&=%25"),
        ("..", "%2E%2E", ".."),
        ("%2F", "%252F", "%25%32F"),
    ] {
        assert_eq!(wire.put(&instance(encoded), new(ids::SMALL, json!({}))).await.status, 201, "URL-01: {id}");
        assert_eq!(lab.inventory(), [format!("{id}=smallx1")], "URL-01: the handler gets it decoded");
        assert_eq!(wire.put(&instance(otherwise), new(ids::SMALL, json!({}))).await.status, 200, "URL-01: {id}");
        assert_eq!(wire.get(&instance(otherwise)).await.status, 200, "URL-01: {id}");

        let (b, next) = (binding(otherwise, encoded), binding(encoded, "next"));
        let bound = wire.put(&b, bind(ids::SMALL, json!({}))).await;
        assert_eq!((bound.status, &bound.body["credentials"]["user"]), (201, &json!(id)), "URL-01");
        let rotated = wire.put(&next, json!({ "predecessor_binding_id": id })).await;
        assert_eq!(rotated.status, 201, "URL-01: in a body it is not encoded, {id}");

        let encoded_query = DELETE.replace("6f", "%36f").replace('-', "%2D");
        assert_eq!(wire.delete(&format!("{}?{encoded_query}", binding(encoded, "next"))).await.status, 200, "URL-01");
        assert_eq!(wire.delete(&format!("{}?{encoded_query}", instance(otherwise))).await.status, 200, "URL-01");
    }
    assert!(lab.inventory().is_empty());
    for query in ["service_id=%ZZ&plan_id=p", "service_id=s&plan_id=%", "service_id=s&plan_id=%ff"] {
        assert_eq!(wire.delete(&format!("{I}?{query}")).await.status, 400, "URL-01, UNB-02, DEP-03: {query}");
    }
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
    lab.deletions_go(Behaviour::Refuse);
    delete(&wire, B).await;
    let failed = body(&wire.get(&format!("{B}/last_operation")).await);
    assert_eq!(names(&failed), ["state", "description"], "LOB-03: no `instance_usable`");
    let large = "/v2/service_instances/large";
    wire.put(large, new(ids::LARGE, json!({}))).await;
    let refused = wire.put(&format!("{large}/service_bindings/b"), bind(ids::LARGE, json!({}))).await;
    assert_eq!(names(&body(&refused)), ["error", "description"]);
}
