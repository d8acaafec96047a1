//! The Open Service Broker API between 2.14 and 2.15 (January 2019), played by a platform that goes by it.
//!
//! After 2.14 as released: instances and bindings can be fetched, bindings can be asynchronous, and errors have codes. It has
//! `endpoints`, a plan's own `plan_updateable`, a limit for `operation` and 200 for an update without effect from what
//! became 2.15, but neither `maintenance_info` nor `Retry-After`. A create that a deletion cancels is to be told as failed.

use osb_lab::{
    crossing::{Crossing, CrossingBroker, ids as crossing},
    lab::{Lab, LabBroker, Mood, ids},
    platform::{APP, Incomplete, Platform, Session, V2_14, only},
    promises,
    requests::{binding, instance},
    wire::{AUTHORIZATION, Reply, Wire},
};
use osb_runtime::{
    http::{HttpSettings, MissingVersion},
    lifecycle::Settings,
};
use serde_json::{Value, json};

/// The same with clients that can't wait.
const HASTY: Platform = Platform { incomplete: Incomplete::Never, ..V2_14 };

async fn session() -> (Session, Lab) {
    Session::with_lab(V2_14).await
}

fn none() -> Value {
    json!({})
}

fn mood(mood: &str) -> Value {
    json!({ "parameters": { "mood": mood } })
}

/// Creates an instance and waits for it, however it is created.
async fn created(platform: &Session, id: &str, plan: &str) {
    let reply = platform.create(id, plan, none()).await;
    if reply.status == 202 {
        assert_eq!(platform.end(id, plan, &reply).await.body["state"], "succeeded");
    }
}

fn is_error(reply: &Reply, status: u16, error: &str) -> bool {
    reply.status == status && reply.body["error"] == error
}

/// Section "Headers".
#[tokio::test]
async fn headers_are_read_as_they_should_be() {
    let (platform, lab) = session().await;
    let body = platform.platform.provision(ids::LAB, ids::QUICK, &none());
    let put = |number: usize, more: Vec<(&'static str, &'static str)>| {
        let (wire, body) = (platform.wire.clone(), body.clone());
        async move {
            let known = vec![("Authorization", AUTHORIZATION), ("X-Broker-API-Version", "2.14")];
            wire.exchange("PUT", &instance(&number.to_string()), &[known, more].concat(), Some(&body)).await
        }
    };
    for (number, identity) in [
        "cloudfoundry eyANCiAgInVzZXJfaWQiOiAiNjgzZWE3NDgtMzA5Mi00ZmY0LWI2NTYtMzljYWNjNGQ1MzYwIg0KfQ==",
        "cloudfoundry e30",
        "cloudfoundry",
        "cloudfoundry !",
        "",
    ]
    .into_iter()
    .enumerate()
    {
        let reply = put(number, vec![("X-Broker-API-Originating-Identity", identity)]).await;
        assert_eq!(reply.status, 201, "HDR-04, T41: it is optional: {identity:?}");
    }
    for (number, kind) in [None, Some("application/json; charset=utf-8"), Some("text/plain")].into_iter().enumerate() {
        let reply = put(10 + number, kind.map(|kind| ("Content-Type", kind)).into_iter().collect()).await;
        assert_eq!(reply.status, 201, "HDR-08: {kind:?}");
    }
    assert_eq!(lab.calls(), 8);
    for (version, status) in [("2.14", 201), ("1.14", 412), ("two", 400), ("", 400)] {
        let headers = [("Authorization", AUTHORIZATION), ("X-Broker-API-Version", version)];
        let reply = platform.wire.exchange("PUT", &instance("v"), &headers, Some(&body)).await;
        assert_eq!(reply.status, status, "HDR-01 to 03, T39c: {version:?}");
        assert!(status != 412 || reply.description().contains("2.17"), "HDR-02: the version to use: {reply:?}");
    }
}

/// Section "URL Properties".
#[tokio::test]
async fn ids_have_any_characters() {
    let (platform, lab) = session().await;
    for (sent, meant) in [("a%2Fb%20c%3Fd", "a/b c?d"), ("%C3%A9", "\u{e9}"), ("A-Z.a_z~0", "A-Z.a_z~0")] {
        assert_eq!(platform.create(sent, ids::SMALL, none()).await.status, 201, "URL-01: {sent}");
        assert_eq!(lab.inventory(), [format!("{meant}=smallx1")], "URL-01, T37");
        assert_eq!(platform.fetch(sent).await.status, 200);
        assert_eq!(platform.delete(sent, ids::SMALL).await.status, 200);
    }
}

/// Section "Vendor Extension Fields".
#[tokio::test]
async fn unknown_fields_are_ignored() {
    let (platform, _) = session().await;
    let more = json!({ "acme:new": { "a": [1] }, "maintenance_info": {}, "previous_values": {}, "bind_resource": {} });
    assert_eq!(platform.create("i", ids::SMALL, more.clone()).await.status, 201, "EXT-01, T25");
    assert_eq!(platform.update("i", ids::SMALL, more.clone()).await.status, 200, "EXT-01, T39b");
    assert_eq!(platform.key("i", "b", ids::SMALL, more).await.status, 201, "EXT-01");
    let resource = json!({ "bind_resource": { "app_guid": APP, "acme:new": 1 } });
    assert_eq!(platform.key("i", "c", ids::SMALL, resource).await.status, 201, "EXT-01");
}

/// Section "Catalog Management".
#[tokio::test]
async fn the_catalog_says_what_can_be_done() {
    let (platform, _) = session().await;
    let catalog = platform.catalog().await;
    let service = &catalog.body["services"][0];
    for name in ["bindable", "instances_retrievable", "bindings_retrievable", "plan_updateable"] {
        assert_eq!(service[name], json!(true), "CAT-15 to 17, CAT-21: {name}");
    }
    let mut schemas = 0;
    for plan in service["plans"].as_array().expect("CAT-22") {
        assert!(plan["bindable"].is_boolean() && plan["plan_updateable"].is_boolean(), "CAT-35, CAT-37, S24: {plan}");
        for pointer in ["/service_instance/create", "/service_instance/update", "/service_binding/create"] {
            let Some(schema) = plan["schemas"].pointer(pointer) else { continue };
            let schema = &schema["parameters"];
            assert_eq!(schema["$schema"], "http://json-schema.org/draft-04/schema#", "CAT-51, CAT-54");
            assert_eq!(schema["type"], "object", "CAT-55");
            let text = schema.to_string();
            assert!(text.len() <= 64_000 && !text.contains("\"$ref\":\"http"), "S45, CAT-52, CAT-53");
            schemas += 1;
        }
    }
    assert!(schemas > 8);
    assert!(longest(&catalog.body) <= 255, "S45, CAT-04");
}

fn longest(value: &Value) -> usize {
    match value {
        Value::String(text) => text.chars().count(),
        Value::Array(items) => items.iter().map(longest).max().unwrap_or(0),
        Value::Object(fields) => fields.values().map(longest).max().unwrap_or(0),
        _ => 0,
    }
}

/// Section "Provisioning".
#[tokio::test]
async fn an_instance_is_created_in_the_background() {
    let (platform, lab) = session().await;
    let accepted = platform.create("i", ids::SLOW, mood("wait")).await;
    assert_eq!(accepted.status, 202, "PROV-12");
    assert_eq!(accepted.body["dashboard_url"], "https://lab.example.com/i", "PROV-16: with the first answer");
    for _ in 0..2 {
        let again = platform.create("i", ids::SLOW, mood("wait")).await;
        assert_eq!((again.status, again.body), (202, accepted.body.clone()), "PROV-13: the same operation");
    }
    assert_eq!(platform.create("i", ids::SLOW, none()).await.status, 409, "S43, PROV-14");
    assert_eq!(platform.fetch("i").await.status, 404, "GETI-05: not yet");
    assert!(is_error(&platform.bind("i", "b", ids::SLOW, none()).await, 422, "ConcurrencyError"), "BLK-02");
    assert!(is_error(&platform.update("i", ids::SLOW, none()).await, 422, "ConcurrencyError"), "BLK-02");
    assert_eq!(platform.poll("i", ids::SLOW, &accepted).await.body["state"], "in progress", "LOI-03");
    lab.gate.open();
    assert_eq!(platform.end("i", ids::SLOW, &accepted).await.body, json!({ "state": "succeeded" }), "S44");
    let fetched = platform.fetch("i").await;
    assert_eq!(fetched.status, 200, "GETI-02: at once");
    assert_eq!(
        (&fetched.body["service_id"], &fetched.body["plan_id"]),
        (&json!(ids::LAB), &json!(ids::SLOW)),
        "GETI-04"
    );
    assert_eq!(fetched.body["dashboard_url"], "https://lab.example.com/i", "GETI-04");
    assert_eq!(fetched.body["parameters"], json!({ "mood": "wait" }), "GETI-04");
    assert_eq!(platform.bind("i", "b", ids::SLOW, none()).await.status, 202, "S40: what was refused can be sent again");

    let hasty = platform.speaking(HASTY);
    assert!(is_error(&hasty.create("j", ids::SLOW, none()).await, 422, "AsyncRequired"), "PROV-09");
    assert_eq!(hasty.create("i", ids::SLOW, mood("wait")).await.status, 200, "PROV-11, T07");
    for name in ["service_id", "plan_id", "organization_guid", "space_guid"] {
        assert_eq!(platform.create("x", ids::SMALL, json!({ name: null })).await.status, 400, "S12, ERR-12: {name}");
    }
    assert_eq!(platform.create("x", ids::SMALL, json!({ "context": null })).await.status, 201, "PROV-06");
}

/// Section "Updating a Service Instance".
#[tokio::test]
async fn an_instance_is_updated_in_the_background() {
    let (platform, lab) = session().await;
    created(&platform, "i", ids::SLOW).await;
    let change = json!({ "parameters": { "mood": "wait", "size": 9 } });
    let accepted = platform.update("i", ids::SLOW, change.clone()).await;
    assert_eq!(accepted.status, 202, "UPD-12");
    let again = platform.update("i", ids::SLOW, change).await;
    assert_eq!((again.status, again.body), (202, accepted.body.clone()), "UPD-12: the same operation");
    assert!(is_error(&platform.update("i", ids::SLOW, mood("fail")).await, 422, "ConcurrencyError"), "BLK-02");
    assert!(is_error(&platform.fetch("i").await, 422, "ConcurrencyError"), "GETI-06");
    assert!(is_error(&platform.delete("i", ids::SLOW).await, 422, "ConcurrencyError"), "DEP-05");
    lab.gate.open();
    assert_eq!(platform.end("i", ids::SLOW, &accepted).await.body["state"], "succeeded");
    assert_eq!(platform.fetch("i").await.body["parameters"], json!({ "mood": "wait", "size": 9 }), "T16");

    let accepted = platform.update("i", ids::SLOW, json!({ "parameters": { "mood": "refuse", "size": 3 } })).await;
    let told = platform.end("i", ids::SLOW, &accepted).await;
    assert_eq!((&told.body["state"], told.description()), (&json!("failed"), "Not now."), "S18");
    assert_eq!(platform.fetch("i").await.body["parameters"], json!({ "mood": "wait", "size": 9 }), "S42, T16");
    for (fields, status) in [
        (json!({ "parameters": { "size": 0 } }), 400),
        (json!({ "plan_id": ids::CLOSED }), 422),
        (json!({ "plan_id": "no-plan" }), 400),
        (json!({ "service_id": "no-service" }), 400),
        (json!({ "service_id": null }), 400),
        (json!({ "parameters": { "size": 9 } }), 200),
        (json!({ "plan_id": ids::SLOW }), 200),
        (json!({}), 200),
    ] {
        let reply = platform.update("i", ids::SLOW, fields.clone()).await;
        assert_eq!(reply.status, status, "UPD-11, UPD-13, UPD-14, T27: {fields}");
    }
    assert_eq!(platform.fetch("i").await.body["parameters"], json!({ "mood": "wait", "size": 9 }), "S42");
    let refused = platform.speaking(HASTY).update("i", ids::SLOW, mood("dawdle")).await;
    assert!(is_error(&refused, 422, "AsyncRequired"), "UPD-14");

    created(&platform, "s", ids::SMALL).await;
    let moved = platform.update("s", ids::SMALL, json!({ "plan_id": ids::LARGE })).await;
    assert_eq!((moved.status, &moved.body["dashboard_url"]), (200, &json!("https://lab.example.com/large")), "UPD-15");
    assert_eq!(platform.fetch("s").await.body["dashboard_url"], "https://lab.example.com/large", "GETI-04");
}

/// Section "Binding", in the background, and "Fetching a Service Binding".
#[tokio::test]
async fn a_binding_is_created_in_the_background() {
    let (platform, lab) = session().await;
    created(&platform, "i", ids::SLOW).await;
    let accepted = platform.bind("i", "b", ids::SLOW, mood("wait")).await;
    assert_eq!(accepted.status, 202, "BIND-09");
    assert!(only(&accepted.body, &["operation"]), "BIND-10: nothing but the operation: {accepted:?}");
    let again = platform.bind("i", "b", ids::SLOW, mood("wait")).await;
    assert_eq!((again.status, again.body), (202, accepted.body.clone()), "BIND-09: the same operation");
    assert_eq!(platform.bind("i", "b", ids::SLOW, none()).await.status, 409, "S43, BIND-11");
    assert_eq!(platform.fetch_binding("i", "b").await.status, 404, "GETB-03: not yet");
    assert_eq!(platform.poll_binding("i", "b", ids::SLOW, &accepted).await.body["state"], "in progress", "LOB-01");
    lab.gate.open();
    assert_eq!(platform.end_binding("i", "b", ids::SLOW, &accepted).await.body["state"], "succeeded", "LOB-01");
    let fetched = platform.fetch_binding("i", "b").await;
    let given =
        json!({ "credentials": { "user": "b", "password": "password of b" }, "parameters": { "mood": "wait" } });
    assert_eq!((fetched.status, fetched.body), (200, given), "LOB-05, GETB-02, GETB-04");

    let refused = platform.speaking(HASTY).bind("i", "c", ids::SLOW, none()).await;
    assert!(is_error(&refused, 422, "AsyncRequired"), "BIND-14");
    let refused = platform.speaking(HASTY).unbind("i", "b", ids::SLOW).await;
    assert!(is_error(&refused, 422, "AsyncRequired"), "UNB-04");

    let failed = platform.bind("i", "f", ids::SLOW, mood("fail")).await;
    assert_eq!(platform.end_binding("i", "f", ids::SLOW, &failed).await.body["state"], "failed", "S18");
    assert_eq!(platform.fetch_binding("i", "f").await.status, 404);
    assert_eq!(platform.unbind("i", "f", ids::SLOW).await.status, 410, "S41, ORP-03: removed already");

    lab.gate.close();
    lab.deletions_go(Mood::Wait);
    let accepted = platform.unbind("i", "b", ids::SLOW).await;
    assert!(accepted.status == 202 && only(&accepted.body, &["operation"]), "UNB-03: {accepted:?}");
    let again = platform.unbind("i", "b", ids::SLOW).await;
    assert_eq!((again.status, again.body), (202, accepted.body.clone()), "UNB-03: the same operation");
    lab.gate.open();
    let told = platform.end_binding("i", "b", ids::SLOW, &accepted).await;
    assert_eq!((told.status, told.body), (410, none()), "LOB-01");
    assert_eq!(platform.unbind("i", "b", ids::SLOW).await.status, 410, "UNB-03");
    assert_eq!(platform.fetch_binding("i", "b").await.status, 404, "GETB-03");
}

/// The same section: the example of a poll has neither query nor version.
#[tokio::test]
async fn a_bindings_poll_needs_nothing_but_the_ids() {
    let mut http = HttpSettings::default();
    http.missing_version = MissingVersion::AssumeOldest;
    let wire = Wire::serve_http(LabBroker { lab: Lab::default() }, http, Settings::default()).await;
    let platform = Session::over(V2_14, ids::LAB, wire);
    created(&platform, "i", ids::SLOW).await;
    let accepted = platform.bind("i", "b", ids::SLOW, none()).await;
    platform.end_binding("i", "b", ids::SLOW, &accepted).await;
    let path = format!("{}/last_operation", binding("i", "b"));
    let bare = platform.wire.exchange("GET", &path, &[("Authorization", AUTHORIZATION)], None).await;
    assert_eq!((bare.status, bare.body), (200, json!({ "state": "succeeded" })), "S02");
}

/// Section "Types of Binding".
#[tokio::test]
async fn a_binding_gives_what_its_type_has() {
    let (platform, _) = session().await;
    created(&platform, "l", ids::LARGE).await;
    let volumes = json!([{
        "driver": "nfs", "container_dir": "/data", "mode": "r", "device_type": "shared", "device": { "volume_id": "v1" },
    }]);
    for status in [201, 200] {
        let bound = platform.bind("l", "b", ids::LARGE, none()).await;
        assert_eq!((bound.status, &bound.body["volume_mounts"]), (status, &volumes), "BIND-21");
        assert_eq!(bound.body["syslog_drain_url"], format!("syslog://lab.example.com/{APP}"), "BIND-18");
    }
    assert_eq!(platform.fetch_binding("l", "b").await.body["volume_mounts"], volumes, "GETB-04");
    let refused = platform.key("l", "k", ids::LARGE, none()).await;
    assert!(is_error(&refused, 422, "RequiresApp"), "S22, BIND-12");
    assert_eq!(platform.key("l", "t", ids::LARGE, json!({ "app_guid": APP })).await.status, 201, "T35: deprecated");

    created(&platform, "t", ids::TWIN).await;
    let endpoints = json!([{ "host": "lab.example.com", "ports": ["443"], "protocol": "tcp" }]);
    let bound = platform.bind("t", "b", ids::TWIN, none()).await;
    assert_eq!((bound.status, &bound.body["endpoints"]), (201, &endpoints), "BIND-22, BIND-23");
    assert_eq!(platform.fetch_binding("t", "b").await.body["endpoints"], endpoints, "GETB-04");

    let platform = Session::with(V2_14, crossing::CROSSING, CrossingBroker { crossing: Crossing }).await;
    let route = json!({ "bind_resource": { "route": "some-address.com" } });
    for (id, plan, given) in [
        ("p", crossing::PROXIED, json!({ "route_service_url": "https://crossing.example.com/some-address.com" })),
        ("i", crossing::INLINE, none()),
    ] {
        created(&platform, id, plan).await;
        assert_eq!(platform.key(id, "b", plan, route.clone()).await.body, given, "S32, BIND-19");
        assert_eq!(platform.fetch_binding(id, "b").await.body, given, "GETB-04");
    }
    created(&platform, "t", crossing::TAP).await;
    assert!(
        platform.key("t", "k", crossing::TAP, none()).await.body["syslog_drain_url"].is_string(),
        "S33: since 2.12"
    );
}

/// Sections "Unbinding" and "Deprovisioning": a deletion stops the creation, which is told as failed.
#[tokio::test]
async fn a_deletion_cancels_a_creation() {
    let (platform, lab) = session().await;
    let creating = platform.create("i", ids::SLOW, mood("wait")).await;
    while lab.calls() == 0 {
        tokio::task::yield_now().await;
    }
    let deleting = platform.delete("i", ids::SLOW).await;
    assert_eq!(deleting.status, 202, "DEP-06");
    assert_ne!(deleting.body["operation"], creating.body["operation"], "T17");
    assert_eq!(platform.end("i", ids::SLOW, &deleting).await.status, 410, "DEP-07");
    let told = platform.poll("i", ids::SLOW, &creating).await;
    assert_eq!((told.status, &told.body["state"]), (200, &json!("failed")), "S39");
    assert!(told.description().contains("deletion"), "S39: it names the deletion: {told:?}");
    assert!(lab.inventory().is_empty(), "DEP-06");

    created(&platform, "j", ids::SLOW).await;
    let calls = lab.calls();
    let binding = platform.bind("j", "b", ids::SLOW, mood("wait")).await;
    while lab.calls() == calls {
        tokio::task::yield_now().await;
    }
    let unbinding = platform.unbind("j", "b", ids::SLOW).await;
    assert_eq!(unbinding.status, 202, "UNB-05");
    assert_eq!(platform.end_binding("j", "b", ids::SLOW, &unbinding).await.status, 410, "UNB-06");
    let told = platform.poll_binding("j", "b", ids::SLOW, &binding).await;
    assert_eq!((told.status, &told.body["state"]), (200, &json!("failed")), "S39");
    assert!(told.description().contains("deletion"), "S39: {told:?}");
    assert_eq!(lab.inventory(), ["j=slowx1"], "UNB-05");
}

/// Section "Polling Last Operation": after a failure the platform must delete, and the broker may have done so.
#[tokio::test]
async fn a_failure_is_told_until_it_is_deleted() {
    let (platform, lab) = session().await;
    for (how, left) in [("fail", false), ("fail_half_way", true)] {
        lab.deletions_go(if left { Mood::Fail } else { Mood::Succeed });
        let accepted = platform.create("i", ids::SLOW, mood(how)).await;
        let told = platform.end("i", ids::SLOW, &accepted).await;
        assert_eq!(told.body["state"], "failed", "S41, LOI-11");
        assert_eq!(platform.poll("i", ids::SLOW, &accepted).await.body, told.body, "S41: it is remembered");
        assert_eq!(lab.inventory().is_empty(), !left);
        lab.deletions_go(Mood::Succeed);
        let deleted = platform.delete("i", ids::SLOW).await;
        assert_eq!(deleted.status, if left { 202 } else { 410 }, "S41, T12");
        if left {
            assert_eq!(platform.end("i", ids::SLOW, &deleted).await.status, 410);
        }
        assert!(lab.inventory().is_empty(), "ORP-01");
    }
}

/// Section "Deprovisioning".
#[tokio::test]
async fn an_instance_is_deleted_in_the_background() {
    let (platform, lab) = session().await;
    created(&platform, "i", ids::SLOW).await;
    lab.deletions_go(Mood::Wait);
    let accepted = platform.delete("i", ids::SLOW).await;
    assert!(accepted.status == 202 && only(&accepted.body, &["operation"]), "DEP-04: {accepted:?}");
    let again = platform.delete("i", ids::SLOW).await;
    assert_eq!((again.status, again.body), (202, accepted.body.clone()), "DEP-04: the same operation");
    for busy in [
        platform.create("i", ids::SLOW, none()).await,
        platform.update("i", ids::SLOW, none()).await,
        platform.bind("i", "b", ids::SLOW, none()).await,
        platform.fetch("i").await,
    ] {
        assert!(is_error(&busy, 422, "ConcurrencyError"), "BLK-02, T24, X06: {busy:?}");
    }
    lab.gate.open();
    let told = platform.end("i", ids::SLOW, &accepted).await;
    assert_eq!((told.status, told.body), (410, none()), "LOI-07");
    assert_eq!(platform.delete("i", ids::SLOW).await.status, 410, "DEP-04");
    assert_eq!(platform.fetch("i").await.status, 404, "GETI-05");
}

/// Section "Service Broker Errors": 4xx changes nothing.
#[tokio::test]
async fn what_is_refused_changes_nothing() {
    let (platform, lab) = session().await;
    created(&platform, "i", ids::SMALL).await;
    let before = platform.fetch("i").await.body;
    let refusals = [
        platform.create("i", ids::LARGE, none()).await,
        platform.create("j", ids::SMALL, mood("refuse")).await,
        platform.update("i", ids::SMALL, mood("refuse")).await,
        platform.update("i", ids::SMALL, json!({ "plan_id": ids::LARGE, "parameters": { "size": 99 } })).await,
        platform.bind("i", "b", ids::SMALL, mood("refuse")).await,
        platform.bind("i", "b", ids::LARGE, none()).await,
        platform.unbind("i", "b", ids::SMALL).await,
        platform.delete("j", ids::SMALL).await,
    ];
    for (refusal, status) in refusals.iter().zip([409, 400, 422, 400, 400, 400, 410, 410]) {
        assert_eq!(refusal.status, status, "ERR-01: {refusal:?}");
    }
    assert_eq!((platform.fetch("i").await.body, lab.inventory()), (before, vec!["i=smallx1".to_owned()]), "ERR-08");
    assert_eq!(refusals[1].body["error"], "LabFull", "ERR-02: a code of the author's own");
}

/// S01, S03: section "API Version Header".
#[tokio::test]
async fn versions_are_read_and_refused() {
    promises::versions(V2_14).await;
}

/// AUTH-01: section "Authentication".
#[tokio::test]
async fn whoever_may_not_ask_is_told_401() {
    promises::credentials(V2_14).await;
}

/// S25, S30, S31: section "Catalog Management".
#[tokio::test]
async fn the_catalog_has_what_is_required() {
    promises::catalog(V2_14).await;
}

/// S37, T49: what becomes of a plan that is no longer in the catalog.
#[tokio::test]
async fn instances_outlive_their_plan() {
    promises::retired_plans(V2_14).await;
}

/// S04, G5: every section's "Body".
#[tokio::test]
async fn every_body_is_an_object() {
    promises::objects(V2_14).await;
}

/// S19: how often and how long it polls.
#[tokio::test]
async fn the_end_is_remembered_for_as_long_as_platforms_poll() {
    promises::polls_of_a_week(V2_14).await;
}

/// S35: section "Orphans".
#[tokio::test]
async fn orphans_are_deleted_until_it_works() {
    promises::orphans(V2_14).await;
}
