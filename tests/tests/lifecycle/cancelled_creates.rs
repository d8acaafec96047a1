//! Responses to requests that wait for a creation when a deletion cancels it.

use osb_lab::prelude::*;
use tokio::time::{Instant, sleep};

use crate::directed::{Ending, World};

fn is_busy(answer: &Reply) -> bool {
    answer.status == 422 && answer.body["error"] == "ConcurrencyError"
}

#[tokio::test(start_paused = true)]
async fn a_binding_that_is_deleted_with_its_instance_has_not_failed() {
    let (broker, lab) = Direct::lab(|_| ()).await;
    assert_eq!(broker.send("PUT", I, Some(&new(ids::SMALL, json!({})))).await.status, 201);
    let unbind = format!("{B}?{DELETE}");
    lab.deletions_go(Behaviour::Fail);
    let asked = bind(ids::SMALL, json!({ "mood": "dawdle" }));
    let (bound, unbound) = tokio::join!(broker.send("PUT", B, Some(&asked)), broker.send("DELETE", &unbind, None));
    assert!(is_busy(&bound), "T17: {bound:?}");
    assert_eq!(unbound.status, 500, "its resources are left");

    lab.deletions_go(Behaviour::Succeed);
    assert_eq!(broker.send("DELETE", &format!("{I}?{DELETE}"), None).await.status, 200, "T22");
    let poll = broker.send("GET", &format!("{B}/last_operation"), None).await;
    assert_eq!(poll.status, 410, "LOB-01: the deletion of the instance is the newest operation: {poll:?}");
}

#[tokio::test]
async fn t17_the_poll_of_a_cancelled_create_says_so_after_later_operations_too() {
    let (wire, lab) = lab().await;
    let created = wire.put(&accepting(I), new(ids::SLOW, json!({ "mood": "wait" }))).await;
    let operation = created.body["operation"].as_str().expect("an operation").to_owned();
    let poll = format!("{I}/last_operation?operation={operation}");
    let deletion = format!("{I}?service_id={}&plan_id={}&accepts_incomplete=true", ids::LAB, ids::SLOW);
    let mut last = Value::Null;
    for behaviour in [Behaviour::Fail, Behaviour::Succeed] {
        lab.deletions_go(behaviour);
        last = wire.delete(&deletion).await.has_status(202).body["operation"].take();
        wire.settled(I).await;
        let seen = wire.get(&poll).await;
        assert_eq!((seen.status, &seen.body["state"]), (200, &json!("failed")), "{behaviour:?}: {seen:?}");
    }

    let deleted = wire.delete(&deletion).await;
    assert_eq!(deleted.status, 410);
    let again = wire.put(&accepting(I), new(ids::SLOW, json!({ "mood": "wait" }))).await;
    assert_eq!(again.status, 202, "{again:?}");
    let seen = wire.get(&poll).await;
    assert_eq!((seen.status, &seen.body["state"]), (200, &json!("failed")), "the id is used again: {seen:?}");
    let deleted = wire.get(&format!("{I}/last_operation?operation={}", last.as_str().expect("an operation"))).await;
    assert_eq!(deleted.status, 410, "LOI-07: {deleted:?}");
}

/// The deletion, which another process was asked for, ends with the rollback.
#[tokio::test(start_paused = true)]
async fn a_create_whose_rollback_ends_a_deletion_does_not_report_its_success() {
    let mut world = World::new();
    let (a, b) = (world.process("a").await, world.process("b").await);
    let work = async {
        world.call("a provision i 1").await.end(Ending::Failed).await;
        let rollback = world.call("a deprovision i 2").await;
        b.delete("i").await;
        rollback.end(Ending::Done("")).await;
    };
    let (created, ()) = tokio::join!(a.ask_with("i", ""), work);
    assert!(is_busy(&created), "T17, T18: {created:?}");
    assert_eq!(b.end("i").await.status, 410);
}

/// Another process was asked for it.
#[tokio::test(start_paused = true)]
async fn a_create_that_is_cancelled_is_answered_when_its_handler_has_ended() {
    let mut world = World::new();
    let (a, b) = (world.process("a").await, world.process("b").await);
    let created = async { (a.ask_with("i", "").await, Instant::now()) };
    let work = async {
        let cancelled = world.call("a provision i 1").await;
        b.delete("i").await;
        cancelled.end(Ending::Failed).await;
        let (ended_at, removal) = (Instant::now(), world.call("a deprovision i 1").await);
        sleep(Duration::from_secs(10)).await;
        removal.end(Ending::Done("")).await;
        ended_at
    };
    let ((created, answered_at), ended_at) = tokio::join!(created, work);
    assert!(is_busy(&created), "T17, T18: {created:?}");
    assert_eq!(answered_at, ended_at);
}

/// Its handler ignores the cancellation.
#[tokio::test(start_paused = true)]
async fn a_create_that_is_cancelled_in_its_process_is_answered_at_once() {
    let (mut world, a) = World::of_a_process().await;
    let created = async { (a.ask_with("i", "").await, Instant::now()) };
    let work = async {
        let (cancelled, deleted_at) = (world.call("a provision i 1").await, Instant::now());
        a.delete("i").await;
        sleep(Duration::from_secs(10)).await;
        cancelled.end(Ending::Failed).await;
        world.call("a deprovision i 1").await.end_deletion(&a).await;
        deleted_at
    };
    let ((created, answered_at), deleted_at) = tokio::join!(created, work);
    assert!(is_busy(&created), "T17, T18: {created:?}");
    assert_eq!(answered_at, deleted_at);
}

#[tokio::test(start_paused = true)]
async fn asy_06_a_deletion_that_cancels_a_create_is_answered_202_although_the_store_fails_then() {
    let (mut world, a) = World::of_a_process().await;
    let cancelled = world.begin(&a, "i").await;
    let fails = async {
        // The deletion waits for its end.
        sleep(Duration::from_millis(10)).await;
        a.refuse_commits(true);
    };
    tokio::join!(a.delete("i"), fails);
    a.refuse_commits(false);
    cancelled.end(Ending::Failed).await;
    world.call("a deprovision i 1").await.end_deletion(&a).await;
}

/// The resources that a stopped rollback has not removed would stay.
#[tokio::test(start_paused = true)]
async fn a_deletion_does_not_stop_a_rollback() {
    for is_elsewhere in [false, true] {
        let mut world = World::new();
        let brief = |settings: &mut Settings| settings.cancel_grace = Duration::from_secs(1);
        let (a, b) = (world.process_with("a", brief).await, world.process_with("b", brief).await);
        world.begin(&a, "i").await.end(Ending::Failed).await;
        let rollback = world.call("a deprovision i 2").await;
        (if is_elsewhere { &b } else { &a }).delete("i").await;
        // The next renewal tells of it.
        sleep(Settings::default().lease / 2).await;
        rollback.end(Ending::Done("")).await;
        assert_eq!(b.end("i").await.status, 410, "{is_elsewhere}");
        world.is_quiet().await;
    }
}

/// The platform polls the create, and has got the response to the deletion.
#[tokio::test]
async fn dep_07_a_poll_after_a_synchronous_deletion_is_about_the_create_that_it_has_cancelled() {
    let (wire, _) = lab_with(|settings| settings.sync_wait = Duration::ZERO).await;
    assert_eq!(wire.put(&accepting(I), new(ids::SMALL, json!({ "mood": "wait" }))).await.status, 202);
    assert_eq!(delete(&wire, I).await.status, 200);
    let polled = wire.get(&format!("{I}/last_operation")).await;
    assert_eq!((polled.status, &polled.body["state"]), (200, &json!("failed")), "{polled:?}");
}
