//! The synchronous lifecycle over HTTP: statuses, repeated requests, conflicts, failures and rollbacks.

use osb_lab::prelude::*;

#[tokio::test]
async fn an_instance_is_created_fetched_and_deleted() {
    let (wire, lab) = lab().await;
    assert_eq!(wire.get(I).await.status, 404, "GETI-05");
    let created = wire.put(I, new(ids::SMALL, json!({ "size": 3, "token": "0123456789" }))).await;
    assert_eq!(created.status, 201, "PROV-10");
    let url = json!({ "dashboard_url": "https://lab.example.com/i", "metadata": { "labels": { "kind": "lab" } } });
    assert_eq!(created.body, url, "PROV-16, PROV-18");
    assert_eq!(lab.inventory(), ["i=smallx3"]);

    let fetched = wire.get(I).await;
    assert_eq!(fetched.status, 200, "GETI-04");
    assert_eq!(fetched.body["plan_id"], ids::SMALL);
    assert_eq!(fetched.body["parameters"], json!({ "size": 3 }), "GETI-07: no secrets");
    assert_eq!(fetched.body["maintenance_info"], json!({ "version": "1.2.0" }), "GETI-08");

    let gone = delete(&wire, I).await;
    assert_eq!((gone.status, gone.body), (200, json!({})), "DEP-04");
    assert!(lab.inventory().is_empty(), "DEP-01");
    assert_eq!(delete(&wire, I).await.status, 410, "DEP-04");
    assert_eq!(wire.get(I).await.status, 404);
}

#[tokio::test]
async fn a_repeated_request_is_200_and_a_different_one_409() {
    let (wire, lab) = lab().await;
    let first = wire.put(I, new(ids::SMALL, json!({ "size": 1 }))).await;
    for same in [json!({ "size": 1 }), json!({}), Value::Null, json!({ "mood": "succeed" })] {
        let again = wire.put(I, new(ids::SMALL, same)).await;
        assert_eq!((again.status, &again.body), (200, &first.body), "PROV-11");
    }
    assert_eq!(lab.calls(), 1);
    for other in [new(ids::SMALL, json!({ "size": 2 })), new(ids::LARGE, json!({})), new("no-plan", json!({}))] {
        assert_eq!(wire.put(I, other).await.status, 409, "PROV-14");
    }
    let mut elsewhere = new(ids::SMALL, json!({}));
    elsewhere["space_guid"] = json!("another");
    assert_eq!(wire.put(I, elsewhere).await.status, 409, "PROV-14, T04");
    let mut renamed = new(ids::SMALL, json!({}));
    renamed["context"]["space_name"] = json!("renamed");
    assert_eq!(wire.put(I, renamed).await.status, 200, "T04: context may change");
}

#[tokio::test]
async fn invalid_requests_create_nothing_and_report_all_errors() {
    let (wire, lab) = lab().await;
    let reply =
        wire.put(I, new(ids::SMALL, json!({ "size": 65, "name": "UPPER", "colour": 1, "token": "hush" }))).await;
    assert_eq!(reply.status, 400, "PROV-07, T55");
    for part in ["/size", "64", "/name", "/colour", "/token"] {
        assert!(reply.description().contains(part), "{part}: {}", reply.description());
    }
    assert!(!reply.description().contains("hush"), "secrets are not echoed");
    assert_eq!(wire.put(I, new(ids::CLOSED, json!({ "size": 1 }))).await.status, 400);
    assert_eq!(wire.put(I, new(ids::OLD, json!({}))).await.status, 400, "retired");
    assert_eq!(wire.put(I, new("no-plan", json!({}))).await.status, 400, "PROV-04");
    let mut elsewhere = new(ids::SMALL, json!({}));
    elsewhere["service_id"] = json!("no-service");
    assert_eq!(wire.put(I, elsewhere).await.status, 400, "PROV-03");
    assert_eq!((lab.calls(), delete(&wire, I).await.status), (0, 410), "ERR-08");
}

#[tokio::test]
async fn a_failed_create_is_rolled_back() {
    let (wire, lab) = lab().await;
    for mood in ["fail", "fail_half_way", "panic"] {
        let reply = wire.put(I, new(ids::SMALL, json!({ "mood": mood }))).await;
        assert_eq!(reply.status, 500, "{mood}");
        assert!(!reply.description().contains("secret reason"), "the detail is for the log");
        assert!(lab.inventory().is_empty(), "{mood}");
        assert_eq!(wire.get(I).await.status, 404, "{mood}");
        assert_eq!(delete(&wire, I).await.status, 410, "ORP-02, T12: {mood}");
    }
    let reply = wire.put(I, new(ids::SMALL, json!({ "mood": "refuse" }))).await;
    assert_eq!((reply.status, &reply.body["error"]), (400, &json!("LabFull")), "T56");
    assert_eq!(reply.description(), "The lab is full.");
    assert_eq!(wire.put(I, new(ids::SMALL, json!({}))).await.status, 201, "X09");
}

#[tokio::test]
async fn a_platform_that_disconnects_cancels_nothing() {
    let (wire, _) = lab().await;
    let request = wire.put(I, new(ids::SMALL, json!({ "mood": "dawdle" })));
    assert!(tokio::time::timeout(Duration::from_millis(30), request).await.is_err(), "it takes longer");
    let again = wire.put(I, new(ids::SMALL, json!({ "mood": "dawdle" }))).await;
    assert_eq!(again.status, 200, "T62: the other request's work went on, and this one joined it");
}

#[tokio::test]
async fn parameters_are_updated_and_merged() {
    let (wire, lab) = lab().await;
    assert_eq!(wire.patch(I, change(json!({ "parameters": {} }))).await.status, 404, "T20");
    wire.put(I, new(ids::SMALL, json!({ "size": 3, "name": "first", "token": "0123456789" }))).await;
    let reply = wire.patch(I, change(json!({ "plan_id": ids::SMALL, "parameters": { "size": 5 } }))).await;
    assert_eq!((reply.status, &reply.body["metadata"]["labels"]), (200, &json!({ "kind": "lab" })), "UPD-11, META-01");
    assert_eq!(lab.inventory(), ["i=smallx5"]);
    assert_eq!(wire.get(I).await.body["parameters"], json!({ "size": 5, "name": "first" }), "T26");

    let before = lab.calls();
    for nothing in
        [json!({}), json!({ "parameters": null }), json!({ "parameters": {} }), json!({ "parameters": { "size": 5 } })]
    {
        assert_eq!(wire.patch(I, change(nothing)).await.status, 200, "UPD-11");
    }
    assert_eq!(lab.calls(), before, "nothing to do, nothing done");

    for (bad, part) in
        [(json!({ "size": 0 }), "/size"), (json!({ "name": "second" }), "name"), (json!({ "x": 1 }), "/x")]
    {
        let reply = wire.patch(I, change(json!({ "parameters": bad }))).await;
        assert_eq!(reply.status, 400, "UPD-07");
        assert!(reply.description().contains(part), "{}", reply.description());
    }
    wire.patch(I, change(json!({ "parameters": { "size": null } }))).await;
    assert_eq!(lab.inventory(), ["i=smallx1"], "null resets to the default (RFC 7386)");
    assert_eq!(wire.get(I).await.body["parameters"], json!({ "name": "first" }));
}

#[tokio::test]
async fn a_binding_is_created_fetched_and_deleted() {
    let (wire, lab) = lab().await;
    assert_eq!(wire.put(B, bind(ids::SMALL, json!({}))).await.status, 404, "T20");
    wire.put(I, new(ids::SMALL, json!({}))).await;
    let bound = wire.put(B, bind(ids::SMALL, json!({}))).await;
    let given = json!({ "credentials": { "user": "b", "password": "password of b" } });
    assert_eq!((bound.status, &bound.body), (201, &given), "BIND-07, BIND-16");
    let again = wire.put(B, bind(ids::SMALL, json!({ "mood": "succeed" }))).await;
    assert_eq!((again.status, &again.body), (200, &given), "BIND-08, X04");
    let fetched = wire.get(B).await;
    assert_eq!((fetched.status, &fetched.body["credentials"]), (200, &given["credentials"]), "GETB-03, X05");
    assert_eq!(fetched.body["parameters"], json!({}));
    assert_eq!(wire.put(B, bind(ids::SMALL, json!({ "mood": "dawdle" }))).await.status, 409, "BIND-11");
    assert_eq!(wire.put(B, bind(ids::LARGE, json!({}))).await.status, 409, "BIND-11");
    assert_eq!(wire.put(&binding("i", "c"), bind(ids::LARGE, json!({}))).await.status, 400);
    assert_eq!(wire.put(&binding("i", "c"), bind(ids::SMALL, json!({ "mood": "loud" }))).await.status, 400, "BIND-06");
    let gone = delete(&wire, B).await;
    assert_eq!((gone.status, gone.body), (200, json!({})), "UNB-03");
    assert_eq!(delete(&wire, B).await.status, 410, "UNB-03");
    assert_eq!(wire.get(B).await.status, 404, "GETB-03");
    assert_eq!(lab.inventory(), ["i=smallx1"], "UNB-01");
    assert_eq!(delete(&wire, "/v2/service_instances/x/service_bindings/y").await.status, 410, "X16");
}
