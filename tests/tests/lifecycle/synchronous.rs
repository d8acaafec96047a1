//! The synchronous lifecycle over HTTP: statuses, repeated requests, conflicts, failures and rollbacks.

use std::{sync::Arc, time::Duration};

use osb_lab::{
    lab::{Lab, LabBroker, ids},
    requests::{B, I, bind, change, delete, lab, new},
    wire::Wire,
};
use osb_runtime::lifecycle::Settings;
use serde_json::{Value, json};

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
async fn a_hundred_equal_requests_run_one_handler() {
    let (wire, lab) = lab().await;
    let wire = Arc::new(wire);
    let mut all = tokio::task::JoinSet::new();
    for _ in 0..100 {
        let wire = Arc::clone(&wire);
        all.spawn(async move { wire.put(I, new(ids::SMALL, json!({ "mood": "dawdle" }))).await.status });
    }
    let mut statuses = all.join_all().await;
    statuses.sort_unstable();
    assert_eq!((statuses[99], statuses[98], statuses[0]), (201, 200, 200));
    assert_eq!(lab.calls(), 1, "T63");

    let mut all = tokio::task::JoinSet::new();
    for _ in 0..100 {
        let wire = Arc::clone(&wire);
        all.spawn(async move { delete(&wire, I).await.status });
    }
    let statuses = all.join_all().await;
    assert!(statuses.iter().all(|status| [200, 410].contains(status)) && statuses.contains(&200), "{statuses:?}");
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
async fn maintenance_info_is_compared_with_the_catalog() {
    let (wire, _) = lab().await;
    let mut body = new(ids::SMALL, json!({}));
    body["maintenance_info"] = json!({ "version": "1.1.9" });
    let reply = wire.put(I, body.clone()).await;
    assert_eq!((reply.status, &reply.body["error"]), (422, &json!("MaintenanceInfoConflict")), "PROV-08");
    body["maintenance_info"] = json!({ "version": "1.2.0", "description": "ignored" });
    assert_eq!(wire.put(I, body.clone()).await.status, 201);
    body["maintenance_info"] = json!({ "version": "0.0.1" });
    assert_eq!(wire.put(I, body).await.status, 200, "X08: the repeat comes first");
    let mut closed = new(ids::CLOSED, json!({}));
    closed["maintenance_info"] = json!({ "version": "Invalid" });
    assert_eq!(wire.put("/v2/service_instances/j", closed).await.status, 422, "T30");
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
async fn a_handler_that_hangs_is_cancelled_and_rolled_back() {
    let lab = Lab::default();
    let mut settings = Settings::default();
    (settings.sync_deadline, settings.cancel_grace) = (Duration::from_millis(50), Duration::from_millis(20));
    let wire = Wire::serve_with(LabBroker { lab: lab.clone() }, settings).await;
    assert_eq!(wire.put(I, new(ids::SMALL, json!({ "mood": "hang" }))).await.status, 500);
    assert!(lab.inventory().is_empty());
    assert_eq!(wire.get(I).await.status, 404);
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
async fn during_a_create_other_requests_wait_or_are_refused() {
    let (wire, lab) = lab().await;
    let wire = Arc::new(wire);
    let running = {
        let wire = Arc::clone(&wire);
        tokio::spawn(async move { wire.put(I, new(ids::SMALL, json!({ "mood": "wait" }))).await.status })
    };
    while lab.calls() == 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(wire.get(I).await.status, 404, "GETI-05");
    assert_eq!(wire.put(I, new(ids::SMALL, json!({}))).await.status, 409, "PROV-14");
    for reply in [
        wire.put(B, bind(ids::SMALL, json!({}))).await,
        wire.patch(I, change(json!({ "parameters": { "size": 2 } }))).await,
    ] {
        assert_eq!((reply.status, &reply.body["error"]), (422, &json!("ConcurrencyError")), "BLK-02");
    }
    lab.gate.open();
    assert_eq!(running.await.expect("no panic"), 201);
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
async fn a_failed_update_changes_nothing() {
    let (wire, lab) = lab().await;
    wire.put(I, new(ids::SMALL, json!({ "size": 3 }))).await;
    for mood in ["fail", "panic"] {
        let reply = wire.patch(I, change(json!({ "parameters": { "mood": mood, "size": 9 } }))).await;
        assert_eq!(reply.status, 500, "{mood}");
    }
    let reply = wire.patch(I, change(json!({ "parameters": { "mood": "refuse" } }))).await;
    assert_eq!(reply.status, 422, "UPD-14");
    assert_eq!(reply.body, json!({ "description": "Not now.", "update_repeatable": false }), "UPD-18, ERR-11");
    assert_eq!(wire.get(I).await.body["parameters"], json!({ "size": 3 }), "UPD-17");
    assert_eq!(lab.inventory(), ["i=smallx3"]);
}

#[tokio::test]
async fn only_declared_plan_changes_are_allowed() {
    let (wire, lab) = lab().await;
    wire.put(I, new(ids::SMALL, json!({ "size": 3 }))).await;
    let reply = wire.patch(I, change(json!({ "plan_id": ids::CLOSED }))).await;
    assert_eq!(reply.status, 422, "UPD-14");
    assert!(reply.description().contains("large"), "UPD-02: {}", reply.description());
    assert_eq!(wire.patch(I, change(json!({ "plan_id": "no-plan" }))).await.status, 400, "UPD-05");
    let reply = wire.patch(I, change(json!({ "plan_id": ids::LARGE, "parameters": { "size": 8 } }))).await;
    assert_eq!((reply.status, &reply.body["dashboard_url"]), (200, &json!("https://lab.example.com/large")), "UPD-15");
    assert_eq!(lab.inventory(), ["i=largex8"]);
    let fetched = wire.get(I).await;
    assert_eq!((&fetched.body["plan_id"], &fetched.body["parameters"]["size"]), (&json!(ids::LARGE), &json!(8)));
    assert_eq!(wire.patch(I, change(json!({ "plan_id": ids::SMALL }))).await.status, 422, "no way back");
}

#[tokio::test]
async fn maintenance_runs_once() {
    let (wire, lab) = lab().await;
    wire.put(I, new(ids::SMALL, json!({}))).await;
    let info = |version: &str| change(json!({ "maintenance_info": { "version": version } }));
    let reply = wire.patch(I, info("1.3.0")).await;
    assert_eq!((reply.status, &reply.body["error"]), (422, &json!("MaintenanceInfoConflict")), "UPD-10");
    let before = lab.calls();
    assert_eq!(wire.patch(I, info("1.2.0")).await.status, 200, "it has that version already");
    assert_eq!(lab.calls(), before);
    assert_eq!(wire.patch(I, change(json!({ "maintenance_info": {} }))).await.status, 200, "T39b");
}

#[tokio::test]
async fn an_update_of_the_context_alone_is_stored() {
    let (wire, lab) = lab().await;
    wire.put(I, new(ids::SMALL, json!({}))).await;
    let before = lab.calls();
    let reply = wire.patch(I, change(json!({ "context": { "platform": "cloudfoundry", "space_name": "new" } }))).await;
    assert_eq!((reply.status, reply.body, lab.calls()), (200, json!({}), before), "UPD-03, T28");
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
    assert_eq!(wire.put(&B.replace("/b", "/c").replace("/c/", "/"), bind(ids::LARGE, json!({}))).await.status, 400);
    let gone = delete(&wire, B).await;
    assert_eq!((gone.status, gone.body), (200, json!({})), "UNB-03");
    assert_eq!(delete(&wire, B).await.status, 410, "UNB-03");
    assert_eq!(wire.get(B).await.status, 404, "GETB-03");
    assert_eq!(lab.inventory(), ["i=smallx1"], "UNB-01");
    assert_eq!(delete(&wire, "/v2/service_instances/x/service_bindings/y").await.status, 410, "X16");
}

#[tokio::test]
async fn a_failed_bind_is_rolled_back() {
    let (wire, lab) = lab().await;
    wire.put(I, new(ids::SMALL, json!({}))).await;
    for (mood, status) in [("fail", 500), ("fail_half_way", 500), ("panic", 500), ("refuse", 400)] {
        assert_eq!(wire.put(B, bind(ids::SMALL, json!({ "mood": mood }))).await.status, status, "{mood}");
        assert_eq!(lab.inventory(), ["i=smallx1"], "{mood}");
        assert_eq!(wire.get(B).await.status, 404, "{mood}");
        assert_eq!(delete(&wire, B).await.status, 410, "S10: {mood}");
    }
    assert_eq!(wire.put(B, bind(ids::SMALL, json!({ "mood": "loud" }))).await.status, 400, "BIND-06");
}

#[tokio::test]
async fn a_binding_can_be_rotated() {
    let (wire, lab) = lab().await;
    wire.put(I, new(ids::SMALL, json!({}))).await;
    wire.put(B, bind(ids::SMALL, json!({}))).await;
    let next = "/v2/service_instances/i/service_bindings/next";
    let unknown = wire.put(next, json!({ "predecessor_binding_id": "unknown" })).await;
    assert_eq!(unknown.status, 400, "T34");
    let rotation = json!({ "predecessor_binding_id": "b" });
    let rotated = wire.put(next, rotation.clone()).await;
    assert_eq!((rotated.status, &rotated.body["credentials"]["user"]), (201, &json!("next")), "ROT-03, T32, T33");
    assert_eq!(wire.put(next, rotation).await.status, 200, "ROT-04");
    assert_eq!(lab.inventory(), ["b=key", "i=smallx1", "next=key after b"], "both are valid");
    assert_eq!(delete(&wire, B).await.status, 200);
    assert_eq!(wire.get(next).await.status, 200);

    let j = "/v2/service_instances/j";
    wire.put(j, new(ids::LARGE, json!({}))).await;
    let reply = wire.put(&format!("{j}/service_bindings/k"), json!({ "predecessor_binding_id": "b" })).await;
    assert_eq!(reply.status, 400, "ROT-01");
}

#[tokio::test]
async fn a_plan_can_require_an_application() {
    let (wire, _) = lab().await;
    wire.put(I, new(ids::LARGE, json!({}))).await;
    let reply = wire.put(B, bind(ids::LARGE, json!({}))).await;
    assert_eq!((reply.status, &reply.body["error"]), (422, &json!("RequiresApp")), "BIND-12");
    let exact = "This service supports generation of credentials through binding an application only.";
    assert_eq!(reply.description(), exact, "S21");
    let mut body = bind(ids::LARGE, json!({}));
    body["app_guid"] = json!("app");
    let bound = wire.put(B, body).await;
    assert_eq!(bound.status, 201, "T35, S09");
    assert_eq!(
        bound.body,
        json!({
            "syslog_drain_url": "syslog://lab.example.com/app",
            "volume_mounts": [{
                "driver": "nfs", "container_dir": "/data", "mode": "r", "device_type": "shared",
                "device": { "volume_id": "v1" },
            }],
        }),
        "BIND-18, BIND-21"
    );
    wire.put("/v2/service_instances/c", new(ids::CLOSED, json!({}))).await;
    let reply = wire.put("/v2/service_instances/c/service_bindings/x", bind(ids::CLOSED, json!({}))).await;
    assert_eq!(reply.status, 400, "not bindable");
}

#[tokio::test]
async fn an_instance_is_deleted_with_its_bindings() {
    let (wire, lab) = lab().await;
    wire.put(I, new(ids::SMALL, json!({}))).await;
    wire.put(B, bind(ids::SMALL, json!({}))).await;
    assert_eq!(delete(&wire, I).await.status, 200, "T22");
    assert!(lab.inventory().is_empty());
    assert_eq!(delete(&wire, B).await.status, 410);
}

#[tokio::test]
async fn a_refused_deletion_leaves_the_instance() {
    let (wire, lab) = lab().await;
    wire.put(I, new(ids::SMALL, json!({ "name": "sticky" }))).await;
    let reply = delete(&wire, I).await;
    assert_eq!(
        (reply.status, reply.body),
        (422, json!({ "description": "It sticks.", "instance_usable": false })),
        "DEP-09"
    );
    assert_eq!(wire.get(I).await.status, 200);
    assert_eq!(lab.inventory(), ["i=smallx1"]);
}

#[tokio::test]
async fn the_catalog_matches_the_implemented_traits() {
    let (wire, _) = lab().await;
    let catalog = wire.get("/v2/catalog").await;
    let service = &catalog.body["services"][0];
    assert_eq!(service["requires"], json!(["syslog_drain", "volume_mount"]), "T53");
    assert_eq!((&service["bindable"], &service["plan_updateable"]), (&json!(true), &json!(true)), "S24");
    let plans = service["plans"].as_array().expect("plans");
    let names: Vec<_> = plans.iter().map(|plan| plan["name"].as_str().unwrap_or_default()).collect();
    assert_eq!(names, ["small", "large", "closed", "twin", "slow", "quick"], "T49: retired plans are hidden");
    for (plan, updateable, bindable) in [(0, true, true), (1, false, true), (2, false, false)] {
        assert_eq!(plans[plan]["plan_updateable"], json!(updateable), "S24");
        assert_eq!(plans[plan]["bindable"], json!(bindable), "T45");
        assert_eq!(plans[plan]["free"], json!(true), "T45");
    }
    let etag = catalog.head.lines().find_map(|line| line.strip_prefix("etag: ")).expect("an ETag").to_owned();
    let same = wire.send("GET", "/v2/catalog", &[("If-None-Match", &etag)], None).await;
    assert_eq!((same.status, same.body), (304, Value::Null), "HDR-11");
}
