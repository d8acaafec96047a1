//! The descriptions in responses to platforms: each says what is wrong, and what to do.

use osb_lab::prelude::*;

/// Maximum length of a description, which Cloud Foundry can store.
const LONGEST: usize = 10_000;

async fn with_binding() -> (Wire, Lab) {
    let (wire, lab) = lab().await;
    assert_eq!(wire.put(&instance("i"), new(ids::SMALL, json!({}))).await.status, 201);
    assert_eq!(wire.put(&binding("i", "b"), bind(ids::SMALL, json!({}))).await.status, 201);
    (wire, lab)
}

/// The service of an instance never changes, so a request with another one is about something else.
#[tokio::test]
async fn t21_s38_a_deletion_with_another_service_deletes_nothing() {
    let (wire, lab) = with_binding().await;
    let all = lab.inventory();
    for path in [instance("i"), binding("i", "b")] {
        for other in ["another", "6f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a09"] {
            let reply = wire.delete(&format!("{path}?service_id={other}&plan_id={}", ids::SMALL)).await;
            assert_eq!(reply.status, 400, "{path} {other}");
            assert!(reply.description().contains("Nothing was deleted"), "{reply:?}");
        }
    }
    assert_eq!(lab.inventory(), all);
    lab.deletions_go(Behaviour::Wait);
    assert_eq!(wire.delete(&format!("{}?{DELETE}&accepts_incomplete=true", instance("i"))).await.status, 202);
    let other = format!("{}?service_id=another&plan_id={}", instance("i"), ids::SMALL);
    assert_eq!(wire.delete(&other).await.status, 400, "it does not join the deletion");
    lab.gate.open();
    until(async || wire.get(&format!("{}/last_operation", instance("i"))).await.status == 410).await;
    assert_eq!(wire.delete(&other).await.status, 410, "DEP-04");
}

#[tokio::test]
async fn t21_a_deletion_with_a_stale_plan_proceeds() {
    let (wire, lab) = with_binding().await;
    for path in [binding("i", "b"), instance("i")] {
        let reply = wire.delete(&format!("{path}?service_id={}&plan_id={}", ids::LAB, ids::LARGE)).await;
        assert_eq!(reply.status, 200, "{path}");
    }
    assert!(lab.inventory().is_empty());
}

#[tokio::test]
async fn after_a_failed_deletion_requests_are_told_to_repeat_it() {
    let told = |reply: &Reply, status: u16, what: &str| {
        let expected = format!("The deletion of this {what} failed earlier; delete it again.");
        assert_eq!((reply.status, reply.description(), &reply.body["error"]), (status, &*expected, &json!(null)));
    };
    for mood in [Behaviour::Fail, Behaviour::Panic] {
        let (wire, lab) = with_binding().await;
        lab.deletions_go(mood);
        assert_eq!(delete(&wire, &binding("i", "b")).await.status, 500);
        told(&wire.put(&binding("i", "b"), bind(ids::SMALL, json!({}))).await, 409, "service binding");
        told(&wire.put(&binding("i", "b"), bind(ids::TWIN, json!({}))).await, 409, "service binding");
        assert_eq!(delete(&wire, &instance("i")).await.status, 500);
        told(&wire.put(&binding("i", "b"), bind(ids::SMALL, json!({}))).await, 409, "service binding");
        told(&wire.put(&instance("i"), new(ids::SMALL, json!({}))).await, 409, "service instance");
        told(&wire.put(&instance("i"), new(ids::SMALL, json!({ "size": 2 }))).await, 409, "service instance");
        let update = change(json!({ "parameters": { "size": 2 } }));
        told(&wire.patch(&instance("i"), update).await, 422, "service instance");
        told(&wire.put(&binding("i", "c"), bind(ids::SMALL, json!({}))).await, 400, "service instance");
        lab.deletions_go(Behaviour::Succeed);
        assert_eq!(delete(&wire, &instance("i")).await.status, 200, "DEP-04");
        assert!(lab.inventory().is_empty(), "DEP-01");
    }
}

#[tokio::test]
async fn a_bind_with_the_plan_from_before_a_change_is_told_the_new_one() {
    let (wire, _) = lab().await;
    assert_eq!(wire.put(&instance("i"), new(ids::SMALL, json!({}))).await.status, 201);
    assert_eq!(wire.patch(&instance("i"), change(json!({ "plan_id": ids::TWIN }))).await.status, 200);
    let reply = wire.put(&binding("i", "b"), bind(ids::SMALL, json!({}))).await.has_status(400);
    let expected = format!("The instance has plan \"twin\" ({}); repeat the request with that plan.", ids::TWIN);
    assert!(reply.description().ends_with(&expected), "{reply:?}");
}

#[tokio::test]
async fn descriptions_have_a_length_that_platforms_can_store() {
    let (wire, _) = lab().await;
    let long = "é".repeat(200_000);
    let mut unknown_service = new(ids::SMALL, json!({}));
    unknown_service["service_id"] = json!(long);
    let mut replies = vec![
        wire.put(&instance("i"), unknown_service).await,
        wire.put(&instance("i"), new(&long, json!({}))).await,
        wire.put(&instance("i"), new(ids::SMALL, json!({ long.clone(): 1 }))).await,
        wire.put(&instance("i"), new(ids::SMALL, json!({ "mood": long }))).await,
    ];
    assert_eq!(wire.put(&instance("i"), new(ids::SMALL, json!({}))).await.status, 201);
    replies.push(wire.put(&binding("i", "b"), bind(&long, json!({}))).await);
    replies.push(wire.patch(&instance("i"), change(json!({ "plan_id": long }))).await);
    replies.push(wire.patch(&instance("i"), change(json!({ "maintenance_info": { "version": long } }))).await);
    for reply in &replies {
        let length = reply.description().chars().count();
        assert!(reply.status >= 400 && length <= LONGEST, "{}: {length}", reply.status);
        assert!(length < LONGEST || reply.description().ends_with('…'), "it is cut");
    }
    assert_eq!(replies[0].description().chars().count(), LONGEST);
}

#[tokio::test]
async fn a_500_names_its_operation() {
    let (wire, lab) = lab().await;
    for mood in ["fail", "panic", "fail_half_way"] {
        let reply = wire.put(&instance(mood), new(ids::SMALL, json!({ "mood": mood }))).await;
        let operation = lab.runs().pop().expect("a handler ran");
        let operation = operation.split(' ').next().expect("the id of the operation").to_owned();
        assert_eq!(reply.status, 500);
        assert!(reply.description().contains(&operation), "{operation}: {reply:?}");
    }
}

#[tokio::test]
async fn all_requests_are_told_the_same_about_an_instance_that_is_not_there_yet() {
    let (wire, lab) = lab().await;
    let other = || new(ids::TWIN, json!({}));
    let told = |reply: &Reply, status: u16, text: &str| {
        assert_eq!((reply.status, reply.description()), (status, text));
    };
    let waiting = new(ids::SMALL, json!({ "mood": "wait" }));
    let path = accepting(&instance("i"));
    assert_eq!(wire.put(&path, waiting).await.status, 202);
    told(&wire.get(&instance("i")).await, 404, "This service instance is still being created.");
    let creating = "A service instance with this id is being created with different attributes.";
    told(&wire.put(&instance("i"), other()).await, 409, creating);

    lab.deletions_go(Behaviour::Fail);
    let failing = || new(ids::SMALL, json!({ "mood": "fail_half_way" }));
    assert_eq!(wire.put(&instance("j"), failing()).await.status, 500);
    let failed =
        "The creation of this service instance failed, and so did its rollback; delete the service instance first.";
    told(&wire.get(&instance("j")).await, 404, failed);
    told(&wire.put(&instance("j"), failing()).await, 409, failed);
    told(&wire.put(&instance("j"), other()).await, 409, failed);
    told(&wire.patch(&instance("j"), change(json!({ "parameters": { "size": 2 } }))).await, 404, failed);
    told(&wire.put(&binding("j", "b"), bind(ids::SMALL, json!({}))).await, 404, failed);
    lab.deletions_go(Behaviour::Succeed);
    assert_eq!(delete(&wire, &instance("j")).await.status, 200);
    told(&wire.get(&instance("j")).await, 404, "There is no such service instance.");
}

/// `serde_json` reads `-0` as a float.
#[tokio::test]
async fn negative_zero_is_an_integer() {
    let (wire, _) = lab().await;
    let headers = [("Authorization", AUTHORIZATION), ("X-Broker-API-Version", "2.17")];
    let body = new(ids::SMALL, json!({ "size": 77_777 })).to_string();
    for (size, said) in [("-0", "0 is less than the minimum 1"), ("-0.0", "-0.0 is less than the minimum 1")] {
        let reply = wire.exchange_text("PUT", &instance("i"), &headers, &body.replace("77777", size)).await;
        assert_eq!(reply.status, 400, "{reply:?}");
        assert!(reply.description().contains(said), "{reply:?}");
    }
}

/// A later release may have another default.
#[tokio::test]
async fn upd_06_null_resets_a_parameter_that_has_the_value_of_its_default() {
    let (wire, lab) = lab().await;
    let made = new(ids::SMALL, json!({ "size": 1, "ratio": 2 }));
    assert_eq!(wire.put(&instance("i"), made).await.status, 201);
    let calls = lab.calls();
    assert_eq!(wire.patch(&instance("i"), change(json!({ "parameters": { "size": null } }))).await.status, 200);
    assert_eq!(lab.calls(), calls, "nothing changes now");
    assert_eq!(wire.get(&instance("i")).await.body["parameters"], json!({ "ratio": 2 }));
}
