//! Failures leave no resources that the platform does not know of, and none that no request can delete.

use std::time::Instant;

use osb_lab::prelude::*;
use osb_runtime::prelude::*;

#[tokio::test]
async fn a_refused_deletion_changes_nothing() {
    let (wire, lab) = lab().await;
    wire.put(I, new(ids::SMALL, json!({}))).await;
    wire.put(B, bind(ids::SMALL, json!({}))).await;
    lab.deletions_go(Behaviour::Refuse);
    assert_eq!(delete(&wire, B).await.status, 422);
    assert_eq!(wire.put(B, bind(ids::SMALL, json!({}))).await.status, 200, "ERR-08, BIND-08");
    let next = wire.put(&binding("i", "next"), json!({ "predecessor_binding_id": "b" })).await;
    assert_eq!(next.status, 201, "ERR-08, ROT-02");

    let empty = "/v2/service_instances/empty";
    wire.put(empty, new(ids::SMALL, json!({}))).await;
    assert_eq!(delete(&wire, empty).await.status, 422);
    assert_eq!(wire.put(empty, new(ids::SMALL, json!({}))).await.status, 200, "ERR-08, PROV-11");
    assert_eq!(wire.patch(empty, change(json!({ "parameters": { "size": 2 } }))).await.status, 200, "ERR-08");
    assert_eq!(wire.put(&binding("empty", "x"), bind(ids::SMALL, json!({}))).await.status, 201, "ERR-08");
}

#[tokio::test]
async fn a_refusal_is_a_4xx_only_if_nothing_is_left() {
    let (wire, lab) = lab().await;
    assert_eq!(wire.put(I, new(ids::SMALL, json!({ "mood": "refuse_half_way" }))).await.status, 400);
    assert!(lab.inventory().is_empty(), "ERR-08");

    lab.deletions_go(Behaviour::Fail);
    let reply = wire.put(I, new(ids::SMALL, json!({ "mood": "refuse_half_way" }))).await;
    assert_eq!(reply.status, 500, "ERR-08, ORP-04: a 4xx would tell the platform that there is nothing to delete");
    lab.deletions_go(Behaviour::Succeed);
    assert_eq!(delete(&wire, I).await.status, 200, "ORP-02");
    assert!(lab.inventory().is_empty());

    wire.put(I, new(ids::SMALL, json!({}))).await;
    lab.deletions_go(Behaviour::Fail);
    assert_eq!(wire.put(B, bind(ids::SMALL, json!({ "mood": "refuse_half_way" }))).await.status, 500, "ERR-08");
    lab.deletions_go(Behaviour::Succeed);
    assert_eq!(delete(&wire, B).await.status, 200, "ORP-02");
    assert_eq!(lab.inventory(), ["i=smallx1"]);
}

/// A fetch must not return it: its platform has never learned that it exists.
#[tokio::test]
async fn a_failed_create_stays_one_when_its_deletion_fails() {
    let (wire, lab) = lab().await;
    assert_eq!(wire.put(I, new(ids::SMALL, json!({}))).await.status, 201);
    lab.deletions_go(Behaviour::Fail);
    for (path, request) in [
        (instance("half"), new(ids::SMALL, json!({ "mood": "refuse_half_way" }))),
        (B.to_owned(), bind(ids::SMALL, json!({ "mood": "refuse_half_way" }))),
    ] {
        assert_eq!(wire.put(&path, request.clone()).await.status, 500);
        for _ in 0..2 {
            let deleted = delete(&wire, &path).await;
            assert_eq!((deleted.status, &deleted.body["instance_usable"]), (500, &json!(null)), "ERR-10: {deleted:?}");
            assert_eq!(wire.get(&path).await.status, 404, "GETI-05: {path}");
            assert_eq!(wire.put(&path, request.clone()).await.status, 409, "PROV-14: {path}");
        }
    }
}

#[tokio::test]
async fn a_deletion_with_an_error_whose_display_panics_is_a_500() {
    let (wire, lab) = lab().await;
    wire.put(I, new(ids::SMALL, json!({}))).await;
    wire.put(B, bind(ids::SMALL, json!({}))).await;
    lab.deletions_go(Behaviour::Unspeakable);
    assert_eq!(delete(&wire, B).await.status, 500);
    assert_eq!(delete(&wire, I).await.status, 500);
    lab.deletions_go(Behaviour::Succeed);
    assert_eq!(delete(&wire, I).await.status, 200);
    assert!(lab.inventory().is_empty());
}

#[tokio::test]
async fn infinite_limits_are_accepted() {
    let mut settings = Settings::default();
    (settings.sync_deadline, settings.cancel_grace, settings.rollback_wait) =
        (Duration::MAX, Duration::MAX, Duration::MAX);
    let mut http = HttpSettings::default();
    (http.head_timeout, http.body_timeout, http.write_timeout) = (Duration::MAX, Duration::MAX, Duration::MAX);
    let wire = Wire::serve_http(LabBroker { lab: Lab::default() }, http, settings).await;
    assert_eq!(wire.put(I, new(ids::SMALL, json!({}))).await.status, 201);
    assert_eq!(wire.put(B, bind(ids::SMALL, json!({}))).await.status, 201);
    assert_eq!(delete(&wire, I).await.status, 200);
}

#[tokio::test]
async fn a_deletion_of_many_bindings_continues_with_the_next_request() {
    let (wire, lab) = lab_with(|settings| {
        (settings.sync_deadline, settings.cancel_grace) = (Duration::from_millis(400), Duration::from_millis(20));
        settings.concurrency = 1;
    })
    .await;
    wire.put(I, new(ids::SMALL, json!({}))).await;
    for id in 0..5 {
        wire.put(&binding("i", &id.to_string()), bind(ids::SMALL, json!({}))).await;
    }
    lab.deletions_go(Behaviour::Dawdle);
    let (begin, mut answers) = (Instant::now(), Vec::new());
    while answers.last() != Some(&200) && answers.len() < 6 {
        answers.push(delete(&wire, I).await.status);
        let most = Duration::from_millis(600) * u32::try_from(answers.len()).expect("a few");
        assert!(begin.elapsed() < most, "ASY-01: {:?}", begin.elapsed());
    }
    assert_eq!((answers[0], answers.last()), (500, Some(&200)), "each attempt deletes more: {answers:?}");
    assert!(lab.inventory().is_empty());
}

#[tokio::test]
async fn the_bindings_of_a_deleted_instance_are_unbound_concurrently() {
    let (wire, lab) = lab().await;
    wire.put(I, new(ids::SMALL, json!({}))).await;
    for id in 0..40 {
        assert_eq!(wire.put(&binding("i", &id.to_string()), bind(ids::SMALL, json!({}))).await.status, 201);
    }
    lab.deletions_go(Behaviour::Wait);
    let all_run = async {
        until(async || lab.busy.lock().expect("a lock").len() >= 40).await;
        lab.gate.open();
    };
    let (deleted, ()) = tokio::join!(delete(&wire, I), all_run);
    assert_eq!((deleted.status, lab.inventory()), (200, Vec::new()));
}

#[tokio::test]
async fn a_checkpoint_outlives_a_failed_operation() {
    let (wire, lab) = lab().await;
    wire.put(I, new(ids::SMALL, json!({}))).await;
    wire.patch(I, change(json!({ "parameters": { "mood": "fail_half_way" } }))).await.has_status(500);
    delete(&wire, I).await;
    let [remains] = &lab.remains()[..] else { panic!("one deletion") };
    assert!(remains.contains("half changed i"), "the deletion needs it: {remains}");
}

/// The rollback of a refused create takes longer than the platform waits.
#[tokio::test]
async fn err_08_a_refusal_that_is_still_rolled_back_is_a_500_with_its_description() {
    let (wire, lab) = lab_with(|settings| settings.rollback_wait = Duration::from_millis(1)).await;
    lab.deletions_go(Behaviour::Wait);
    let reply = wire.put(I, new(ids::SMALL, json!({ "mood": "refuse_half_way" }))).await;
    assert_eq!((reply.status, reply.description()), (500, "The lab is full."), "{reply:?}");
    assert_eq!(reply.body.get("error"), None, "{reply:?}");
    lab.gate.open();
}

#[test]
fn validation_errors_have_limited_length() {
    #[parameters]
    #[derive(Debug)]
    struct Labels {
        labels: std::collections::BTreeMap<String, Label>,
    }

    #[parameters]
    #[derive(Debug)]
    struct Label {
        text: String,
    }

    let bad: serde_json::Map<_, _> = (0..100).map(|n| (format!("bad{n}"), json!(1))).collect();
    let value = json!({ "labels": { "x".repeat(10_000): bad } });
    let found = osb_runtime::schema::check(&Labels::SCHEMA, &value);
    let length: usize = found.iter().map(|violation| violation.to_string().len()).sum();
    assert!(length < 40_000, "not a hundred times the input: {length}");
}

#[tokio::test]
async fn a_refusal_after_bindings_were_deleted_is_a_500() {
    let (wire, lab) = lab().await;
    wire.put(I, new(ids::SMALL, json!({ "name": "sticky" }))).await;
    wire.put(B, bind(ids::SMALL, json!({}))).await;
    let reply = delete(&wire, I).await;
    assert_eq!((reply.status, reply.description()), (500, "It sticks."), "ERR-08, DEP-02: a binding is gone");
    assert_eq!(lab.inventory(), ["i=smallx1"]);
    assert_eq!(wire.get(B).await.status, 404);
    assert_eq!(
        wire.put(I, new(ids::SMALL, json!({ "name": "sticky" }))).await.status,
        200,
        "ERR-09: the rest is there"
    );
    assert_eq!(delete(&wire, I).await.status, 422, "nothing was deleted this time");
}

/// Its handler may have changed a part.
#[tokio::test]
async fn the_old_parameters_are_set_again_after_a_failed_update() {
    let (wire, lab) = lab().await;
    wire.put(I, new(ids::SMALL, json!({ "size": 1 }))).await;
    let update = |parameters: Value| change(json!({ "parameters": parameters }));
    for (mood, status, is_called) in [("fail", 500, true), ("refuse", 422, false)] {
        assert_eq!(wire.patch(I, update(json!({ "size": 2, "mood": mood }))).await.status, status);
        let calls = lab.calls();
        assert_eq!(wire.patch(I, update(json!({ "size": 1 }))).await.status, 200);
        assert_eq!(lab.calls() > calls, is_called, "{mood}");
    }
}

/// Its handler has saved a checkpoint, so it may have changed a part before it refused.
#[tokio::test]
async fn the_old_parameters_are_set_again_after_an_update_that_was_refused_half_way() {
    let (wire, lab) = lab().await;
    wire.put(I, new(ids::SMALL, json!({ "size": 1 }))).await;
    let update = |parameters: Value| change(json!({ "parameters": parameters }));
    assert_eq!(wire.patch(I, update(json!({ "size": 2, "mood": "refuse_half_way" }))).await.status, 422);
    for is_called in [true, false] {
        let calls = lab.calls();
        assert_eq!(wire.patch(I, update(json!({ "size": 1 }))).await.status, 200);
        assert_eq!(lab.calls() > calls, is_called);
    }
}

/// They follow the failed update, and each replaces the newest operation.
#[tokio::test]
async fn refused_operations_do_not_hide_a_failed_update() {
    let (wire, lab) = lab().await;
    wire.put(I, new(ids::SMALL, json!({ "size": 1, "name": "sticky" }))).await;
    let update = |parameters: Value| change(json!({ "parameters": parameters }));
    assert_eq!(wire.patch(I, update(json!({ "size": 2, "mood": "fail" }))).await.status, 500);
    for _ in 0..9 {
        assert_eq!(wire.patch(I, update(json!({ "size": 2, "mood": "refuse" }))).await.status, 422);
    }
    assert_eq!(delete(&wire, I).await.status, 422);
    for is_called in [true, false] {
        let calls = lab.calls();
        assert_eq!(wire.patch(I, update(json!({ "size": 1 }))).await.status, 200);
        assert_eq!(lab.calls() > calls, is_called);
    }
}

#[tokio::test]
async fn the_next_plan_change_gets_the_checkpoint_of_a_failed_one() {
    let (wire, lab) = lab().await;
    wire.put(I, new(ids::SMALL, json!({}))).await;
    let to_large = |mood: &str| change(json!({ "plan_id": ids::LARGE, "parameters": { "mood": mood } }));
    assert_eq!(wire.patch(I, to_large("fail_half_way")).await.status, 500);
    assert_eq!(wire.get(I).await.body["plan_id"], ids::SMALL, "UPD-17");
    assert_eq!(wire.patch(I, change(json!({ "parameters": { "size": 2 } }))).await.status, 200);
    assert_eq!(wire.patch(I, to_large("fail")).await.status, 500, "it saves no checkpoint");
    // Its third attempt succeeds.
    assert_eq!(wire.patch(I, to_large("temporary")).await.status, 200);
    let runs = lab.runs();
    let saved: Vec<_> = runs.iter().map(|run| run.splitn(3, ' ').nth(2).unwrap_or_default()).collect();
    assert_eq!(saved, ["", "", "", "half moved", "half moved", "moved 1", "moved 2"], "its own is newer");
}
