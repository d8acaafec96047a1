//! A fork of the Cloud Foundry service broker API 2.9 (2016), played by its platform.
//!
//! As 2.9 was released it added `operation` and the hints of polls. In this fork `organization_guid` and `space_guid` have
//! given way to a `context` that is required, and `previous_values` has a `context` instead of their ids; volumes are an
//! experiment. Its examples have fields that no other document has, and commas that JSON does not.

use osb_lab::{
    crossing::{Crossing, CrossingBroker, ids as crossing},
    lab::{Lab, ids},
    platform::{Incomplete, ORGANIZATION, Place, Platform, SPACE, Session, V2_9_FORK, only},
    promises,
    wire::AUTHORIZATION,
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

async fn session() -> (Session, Lab) {
    Session::with_lab(V2_9_FORK).await
}

async fn at_the_crossing() -> Session {
    Session::with(V2_9_FORK, crossing::CROSSING, CrossingBroker { crossing: Crossing }).await
}

fn none() -> Value {
    json!({})
}

fn parameters(parameters: Value) -> Value {
    json!({ "parameters": parameters })
}

/// Section "Catalog Management": fields that other documents don't have.
#[tokio::test]
async fn the_catalog_may_have_fields_of_its_own() {
    let cc = at_the_crossing().await;
    let catalog = cc.catalog().await;
    let service = &catalog.body["services"][0];
    assert_eq!(service["max_db_per_node"], json!(5), "S26, EXT-02");
    assert_eq!(service["metadata"]["displayName"], "The Crossing", "PROF-10");
    let plan = &service["plans"][0];
    assert_eq!((&plan["max_storage_tb"], &plan["free"]), (&json!(5), &json!(false)), "S27, CAT-34");
    assert_eq!(plan["metadata"]["cost"], json!(0), "S28: as it is written there");
    assert_eq!(plan["metadata"]["bullets"], json!(["40 concurrent connections"]), "S28: as it has been since 2.13");
    assert_eq!(service["plan_updateable"], json!(true), "S24");
    assert!(service["dashboard_client"]["redirect_uri"].is_string(), "S29");
    let (cc, _) = session().await;
    let catalog = cc.catalog().await;
    assert_eq!(catalog.body["services"][0]["requires"], json!(["syslog_drain", "volume_mount"]), "S25, BIND-20");
}

/// Section "Provisioning": where the instance is to be, is in the context.
#[tokio::test]
async fn a_context_takes_the_place_of_guids() {
    let cc = at_the_crossing().await;
    let created = cc.create("i", crossing::PROXIED, none()).await;
    assert_eq!(created.status, 201, "S12");
    let labels = json!({ "platform": "not told", "organization": ORGANIZATION, "space": SPACE });
    assert_eq!(created.body["metadata"]["labels"], labels, "S12: the author sees the context");
    assert_eq!(cc.create("i", crossing::PROXIED, none()).await.status, 200, "S07");
    let moved = json!({ "context": { "organization_guid": ORGANIZATION, "space_guid": "another" } });
    assert_eq!(cc.create("i", crossing::PROXIED, moved).await.status, 409, "S07, T04: another space");
    let renamed = json!({ "context": { "organization_guid": ORGANIZATION, "space_guid": SPACE, "some_field": "new" } });
    assert_eq!(cc.create("i", crossing::PROXIED, renamed).await.status, 200, "T04: the rest of it may change");

    let example = json!({ "context": { "some_field": "some-contextual-data" } });
    assert_eq!(cc.create("e", crossing::PROXIED, example).await.status, 201, "S12: as in the example");
    let named = json!({ "context": { "platform": "cloudfoundry", "organization_guid": "o", "space_guid": "s" } });
    let created = cc.create("n", crossing::PROXIED, named).await;
    assert_eq!(created.body["metadata"]["labels"]["platform"], "cloudfoundry", "PROF-01");
    for context in [Value::Null, json!({})] {
        let refused = cc.create("x", crossing::PROXIED, json!({ "context": context })).await;
        assert_eq!(refused.status, 400, "S12: neither context nor guids");
        assert!(refused.description().contains("organization_guid"), "{refused:?}");
    }
}

/// The released 2.9 and its older relatives have guids alone, and 2.12 has both.
#[tokio::test]
async fn the_guids_are_as_good_and_come_back() {
    let cc = at_the_crossing().await;
    let released = cc.speaking(Platform { place: Place::Guids, ..V2_9_FORK });
    let created = released.create("r", crossing::PROXIED, none()).await;
    let labels = json!({ "platform": "cloudfoundry", "organization": ORGANIZATION, "space": SPACE });
    assert_eq!((created.status, &created.body["metadata"]["labels"]), (201, &labels), "2.12: a context made of them");
    for (version, status) in [("2.8", 201), ("2.11", 201), ("2.12", 400), ("2.17", 400)] {
        let cc = cc.speaking(Platform { version, ..V2_9_FORK });
        assert_eq!(cc.create(version, crossing::PROXIED, none()).await.status, status, "S12: {version}");
    }
}

/// Section "Updating a Service Instance": the context is among the previous values.
#[tokio::test]
async fn an_update_finds_the_context_among_the_previous_values() {
    let cc = at_the_crossing().await;
    let before = |space: &str| json!({ "plan_id": crossing::PROXIED, "context": { "space_guid": space } });
    for (instance, fields, space) in [
        ("a", json!({}), SPACE),
        ("b", json!({ "previous_values": before("before") }), "before"),
        ("c", json!({ "previous_values": before("before"), "context": { "space_guid": "now" } }), "now"),
    ] {
        cc.create(instance, crossing::PROXIED, none()).await;
        let mut fields = fields;
        fields["plan_id"] = crossing::INLINE.into();
        let changed = cc.update(instance, crossing::PROXIED, fields).await;
        assert_eq!(changed.status, 200, "S13, S23");
        assert_eq!(changed.body["metadata"]["labels"]["space"], space, "S13");
    }
    let back = cc.update("a", crossing::INLINE, json!({ "plan_id": crossing::PROXIED })).await;
    assert_eq!(back.status, 422, "S23");
    assert!(!back.description().is_empty(), "UPD-02");
}

/// Section "Polling Last Operation": the operation is echoed, and service and plan are named.
#[tokio::test]
async fn an_operation_is_polled_by_its_name() {
    let (cc, lab) = session().await;
    let created = cc.create("i", ids::SLOW, parameters(json!({ "mood": "wait" }))).await;
    assert_eq!((created.status, &created.body["dashboard_url"]), (202, &json!("https://lab.example.com/i")), "S15");
    let operation = created.body["operation"].as_str().expect("PROV-17: an operation").to_owned();
    assert_eq!(cc.poll("i", ids::SLOW, &created).await.body["state"], "in progress", "LOI-02");
    let again = cc.create("i", ids::SLOW, parameters(json!({ "mood": "wait" }))).await;
    assert_eq!((again.status, again.body), (202, created.body.clone()), "T02");
    lab.gate.open();
    assert_eq!(cc.end("i", ids::SLOW, &created).await.body["state"], "succeeded");

    let updated = cc.update("i", ids::SLOW, parameters(json!({ "mood": "succeed", "size": 2 }))).await;
    assert_eq!(updated.status, 202, "UPD-12");
    assert_ne!(updated.body["operation"], operation.as_str(), "T02: another one");
    assert_eq!(cc.end("i", ids::SLOW, &updated).await.body["state"], "succeeded");

    // Whatever a poll asks with, the newest operation is meant.
    let path = "/v2/service_instances/i/last_operation";
    for query in
        ["", "?operation=", "?operation=task_10", "?operation=a%20b+c%2F", "?plan_id=&service_id=", "?plan_id=old"]
    {
        let headers = [("Authorization", AUTHORIZATION), ("X-Broker-Api-Version", "2.9")];
        let reply = cc.wire.exchange("GET", &format!("{path}{query}"), &headers, None).await;
        assert_eq!((reply.status, &reply.body["state"]), (200, &json!("succeeded")), "T39, T39a: {query}");
    }

    let deleted = cc.delete("i", ids::SLOW).await;
    assert!(deleted.status == 202 && only(&deleted.body, &["operation"]), "DEP-08: {deleted:?}");
    let told = cc.end("i", ids::SLOW, &deleted).await;
    assert_eq!((told.status, told.body), (410, none()), "S06");
}

/// The same section: the plan that a poll names is a hint, and after a change of plan the old one is named.
#[tokio::test]
async fn a_poll_may_name_the_old_plan() {
    let (cc, lab) = session().await;
    cc.create("i", ids::SMALL, none()).await;
    let fields = parameters(json!({ "mood": "wait", "size": 2 }));
    let changing = cc.update("i", ids::SMALL, fields).await;
    assert_eq!(changing.status, 202, "S11: this plan is asynchronous if it takes long");
    for plan in [ids::SMALL, ids::LARGE] {
        assert_eq!(cc.poll("i", plan, &changing).await.body["state"], "in progress", "T15");
    }
    lab.gate.open();
    assert_eq!(cc.end("i", ids::SMALL, &changing).await.body["state"], "succeeded");
    let changed = cc.update("i", ids::SMALL, json!({ "plan_id": ids::LARGE })).await;
    assert_eq!((changed.status, lab.inventory()), (200, vec!["i=largex2".to_owned()]), "S23");
    assert_eq!(cc.poll("i", ids::SMALL, &changing).await.body["state"], "succeeded", "LOI-01, T15");
}

/// Section "Asynchronous Operations": the expected bodies.
#[tokio::test]
async fn what_is_refused_has_the_expected_body() {
    let (cc, _) = session().await;
    let hasty = cc.speaking(Platform { incomplete: Incomplete::Never, ..V2_9_FORK });
    let expected = json!({
        "error": "AsyncRequired",
        "description": "This service plan requires client support for asynchronous service operations.",
    });
    let refused = hasty.create("i", ids::SLOW, none()).await;
    assert_eq!((refused.status, &refused.body), (422, &expected), "S21");
    let accepted = cc.create("i", ids::SLOW, none()).await;
    cc.end("i", ids::SLOW, &accepted).await;
    assert_eq!(hasty.delete("i", ids::SLOW).await.body, expected, "S21");
    assert_eq!(cc.bind("i", "b", ids::SLOW, none()).await.body, expected, "G3: bindings can't be asynchronous");

    cc.create("l", ids::LARGE, none()).await;
    let expected = json!({
        "error": "RequiresApp",
        "description": "This service supports generation of credentials through binding an application only.",
    });
    let refused = cc.key("l", "k", ids::LARGE, none()).await;
    assert_eq!((refused.status, refused.body), (422, expected), "S21, S22");
    let taken = cc.create("l", ids::SMALL, none()).await;
    assert!(taken.status == 409 && only(&taken.body, &["description"]), "S05: {taken:?}");
    let failed = cc.create("f", ids::SLOW, parameters(json!({ "mood": "refuse" }))).await;
    let told = cc.end("f", ids::SLOW, &failed).await;
    assert_eq!(told.body, json!({ "state": "failed", "description": "The lab is full." }), "S18, S41");
    assert_eq!(cc.delete("f", ids::SLOW).await.status, 410, "T12");
}

/// Section "Volume Services (Experimental)".
#[tokio::test]
async fn a_volume_is_an_instruction_to_mount() {
    let (cc, _) = session().await;
    cc.create("i", ids::LARGE, none()).await;
    for status in [201, 200] {
        let bound = cc.bind("i", "b", ids::LARGE, none()).await;
        let mounts = json!([{
            "container_path": "/data", "mode": "r", "private": { "driver": "nfs", "group_id": "v1", "config": "" },
        }]);
        assert_eq!((bound.status, &bound.body["volume_mounts"]), (status, &mounts), "S34");
    }
    let later = cc.speaking(Platform { version: "2.10", ..V2_9_FORK });
    let bound = later.bind("i", "b", ids::LARGE, none()).await;
    assert!(bound.body["volume_mounts"][0].get("device").is_some(), "2.10: {bound:?}");
}

/// Sections "Route Services" and "Application Log Streaming".
#[tokio::test]
async fn routes_and_applications_are_bound() {
    let cc = at_the_crossing().await;
    let route = json!({ "bind_resource": { "route": "shop.example.com" }, "parameters": {} });
    cc.create("p", crossing::PROXIED, none()).await;
    let bound = cc.key("p", "b", crossing::PROXIED, route.clone()).await;
    let given = json!({ "route_service_url": "https://crossing.example.com/shop.example.com" });
    assert_eq!((bound.status, bound.body), (201, given), "S32");
    cc.create("i", crossing::INLINE, none()).await;
    let bound = cc.key("i", "b", crossing::INLINE, route).await;
    assert_eq!((bound.status, bound.body), (201, none()), "S32");
    cc.create("t", crossing::TAP, none()).await;
    assert!(cc.bind("t", "b", crossing::TAP, none()).await.body["syslog_drain_url"].is_string(), "S33");
    assert!(cc.key("t", "k", crossing::TAP, none()).await.body.get("syslog_drain_url").is_none(), "S33");
    for (instance, plan) in [("p", crossing::PROXIED), ("i", crossing::INLINE), ("t", crossing::TAP)] {
        let gone = cc.unbind(instance, "b", plan).await;
        assert_eq!((gone.status, gone.body), (200, none()), "UNB-03");
        assert_eq!(cc.unbind(instance, "b", plan).await.status, 410, "S06");
        let gone = cc.delete(instance, plan).await;
        assert_eq!((gone.status, gone.body), (200, none()), "DEP-04, T22");
    }
}

/// The examples of an update end their objects with a comma, which JSON does not allow.
#[tokio::test]
async fn the_examples_are_not_json() {
    let (cc, lab) = session().await;
    cc.create("i", ids::SMALL, none()).await;
    for body in [
        format!(
            r#"{{ "service_id": "{}", "previous_values": {{ "context": {{ "some_field": "data" }}, }} }}"#,
            ids::LAB
        ),
        r#"["service_id"]"#.to_owned(),
        String::new(),
    ] {
        let request = format!(
            "PATCH /v2/service_instances/i HTTP/1.1\r\nHost: broker\r\nConnection: close\r\n\
             Authorization: {AUTHORIZATION}\r\nX-Broker-Api-Version: 2.9\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut stream = TcpStream::connect(cc.wire.address()).await.expect("the broker listens");
        stream.write_all(request.as_bytes()).await.expect("the broker reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.expect("the broker answers");
        assert!(answer.starts_with("HTTP/1.1 400 ") && answer.contains("description"), "S46, HDR-09: {answer}");
    }
    assert_eq!(lab.calls(), 1, "ERR-08");
}

/// S01, S03: section "API Version Header".
#[tokio::test]
async fn versions_are_read_and_refused() {
    promises::versions(V2_9_FORK).await;
}

/// AUTH-01: section "Authentication".
#[tokio::test]
async fn whoever_may_not_ask_is_told_401() {
    promises::credentials(V2_9_FORK).await;
}

/// S25, S30, S31: section "Catalog Management".
#[tokio::test]
async fn the_catalog_has_what_is_required() {
    promises::catalog(V2_9_FORK).await;
}

/// S37, T49: what becomes of a plan that is no longer in the catalog.
#[tokio::test]
async fn instances_outlive_their_plan() {
    promises::retired_plans(V2_9_FORK).await;
}

/// S04, G5: every section's "Body".
#[tokio::test]
async fn every_body_is_an_object() {
    promises::objects(V2_9_FORK).await;
}

/// S19: how often and how long it polls.
#[tokio::test]
async fn the_end_is_remembered_for_as_long_as_platforms_poll() {
    promises::polls_of_a_week(V2_9_FORK).await;
}

/// S35: section "Orphans".
#[tokio::test]
async fn orphans_are_deleted_until_it_works() {
    promises::orphans(V2_9_FORK).await;
}

/// S36: the same section's table of statuses.
#[tokio::test]
async fn a_slow_client_is_not_told_408() {
    promises::slow_clients(V2_9_FORK).await;
}
