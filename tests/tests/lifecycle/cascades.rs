//! The deletion of an instance with bindings unbinds them first.

use osb_lab::prelude::*;
use osb_runtime::lifecycle::RemainingBindings;
use tokio::time::Instant;

use crate::{
    claims::{AHEAD, eager},
    directed::{Ending, LATER, Process, World},
    hooked_store::{FailsLists, Hooked, SlowCommits},
};

/// Makes an instance with bindings, and begins its deletion in process `a`.
async fn begin(bindings: &[&'static str]) -> (World, Process, Process) {
    let (mut world, a, b) = World::of_two().await;
    world.create(&a, "made").await;
    for binding in bindings {
        world.bind(&a, binding, binding).await;
    }
    a.delete("i").await;
    (world, a, b)
}

#[tokio::test(start_paused = true)]
async fn t22_an_unbind_that_was_taken_over_changes_nothing() {
    for ending in [Ending::Done(""), Ending::Failed] {
        let (mut world, _a, b) = begin(&["x"]).await;
        let old = world.call("a unbind x 1").await;
        assert!(old.save("old").await);
        b.set_ahead(AHEAD);
        let new = world.call("b unbind x 2").await;
        assert_eq!(new.state.as_deref(), Some("old"), "the checkpoint of the first attempt");
        assert!(new.save("new").await);

        assert!(!old.save("late").await, "the checkpoint of a worker without a claim");
        old.end(ending.clone()).await;
        world.is_quiet().await;
        new.end(Ending::Refused).await;
        assert_eq!(b.end("i").await.body["state"], "failed");
        assert_eq!(b.ask("i/service_bindings/x").await.status, 200, "ERR-08: the binding is as it was: {ending:?}");

        b.delete("i/service_bindings/x").await;
        world.call("b unbind x 1").await.end_deletion_of("new", &b).await;
    }
}

/// The worker waits for the store, to record the end of one of them.
#[tokio::test(start_paused = true)]
async fn t22_the_handlers_of_a_cascade_end_with_its_lease_while_the_store_does_not_answer() {
    let (mut world, a, b) = begin(&["x", "y"]).await;
    let (x, y) = (world.call("a unbind x 1").await, world.call("a unbind y 1").await);
    a.stall();
    x.end(Ending::Done("")).await;
    let others = [world.call("b unbind x 2").await, world.call("b unbind y 2").await];
    assert!(y.has_ended(), "another process calls it");
    a.wake();
    for other in others {
        other.end(Ending::Done("")).await;
    }
    world.call("b deprovision i 2").await.end_deletion(&b).await;
}

/// The end of one handler tells the worker that another process has taken over, before the next renewal does.
#[tokio::test(start_paused = true)]
async fn t22_a_cascade_that_was_taken_over_ends_its_other_handlers() {
    let (mut world, _a, b) = begin(&["x", "y"]).await;
    let (x, y) = (world.call("a unbind x 1").await, world.call("a unbind y 1").await);
    b.set_ahead(AHEAD);
    let others = [world.call("b unbind x 2").await, world.call("b unbind y 2").await];
    let told_at = Instant::now();
    x.end(Ending::Done("")).await;
    y.ended().await;
    assert!(told_at.elapsed() < Duration::from_secs(1), "{:?}", told_at.elapsed());
    for other in others {
        other.end(Ending::Done("")).await;
    }
    world.call("b deprovision i 2").await.end_deletion(&b).await;
}

#[tokio::test(start_paused = true)]
async fn t22_a_cascade_that_was_taken_over_begins_no_further_handler() {
    let (mut world, a) = World::with(|settings| settings.concurrency = 1).await;
    let b = world.process_with("b", eager).await;
    world.create(&a, "made").await;
    for id in ["x", "y", "z"] {
        world.bind(&a, id, id).await;
    }
    a.delete("i").await;
    let old = world.call("a unbind x 1").await;
    b.set_ahead(AHEAD);
    let mut others = Vec::new();
    for id in ["x", "y", "z"] {
        others.push(world.call(&format!("b unbind {id} 2")).await);
    }
    old.end(Ending::Done("")).await;
    world.is_quiet().await;
    for other in others {
        other.end(Ending::Done("")).await;
    }
    world.call("b deprovision i 2").await.end_deletion(&b).await;
}

#[tokio::test(start_paused = true)]
async fn t22_a_retried_cascade_continues_with_what_is_left() {
    let (mut world, a, _) = begin(&["x", "y"]).await;
    let (x, y) = (world.call("a unbind x 1").await, world.call("a unbind y 1").await);
    x.end(Ending::Done("")).await;
    assert!(y.save("half").await);
    y.end(Ending::Temporary).await;
    let failed_at = Instant::now();
    let y = world.call("a unbind y 2").await;
    assert!(failed_at.elapsed() >= Settings::default().retry.initial_delay, "{:?}", failed_at.elapsed());
    assert_eq!(y.state.as_deref(), Some("half"));
    y.end(Ending::Done("")).await;
    let unbound_at = Instant::now();
    world.call("a deprovision i 2").await.end(Ending::Done("")).await;
    assert_eq!(unbound_at.elapsed(), Duration::ZERO, "the pause was that of the bindings");
    assert_eq!(a.end("i").await.status, 410);
}

#[tokio::test(start_paused = true)]
async fn t22_the_bindings_of_an_interrupted_cascade_have_not_failed() {
    let (mut world, a) = World::with(|settings| settings.cancel_grace = Duration::from_secs(1)).await;
    world.create(&a, "made").await;
    world.bind(&a, "x", "x").await;
    a.delete("i").await;
    let interrupted = world.call("a unbind x 1").await;
    a.stall();
    tokio::time::sleep(Settings::default().lease * 3).await;
    a.wake();
    let unbind = world.call("a unbind x 2").await;
    drop(interrupted);
    let repeated = a.ask("i/service_bindings/x").await;
    assert_eq!((repeated.status, &repeated.body["error"]), (422, &json!("ConcurrencyError")), "{repeated:?}");
    unbind.end(Ending::Done("")).await;
    world.call("a deprovision i 2").await.end_deletion(&a).await;
}

#[tokio::test(start_paused = true)]
async fn t22_the_bindings_of_a_cascade_that_is_handed_over_have_not_failed() {
    let (mut world, a) = World::of_an_instance().await;
    world.bind(&a, "x", "x").await;
    a.delete("i").await;
    let unbind = world.call("a unbind x 1").await;
    tokio::join!(a.hand_over(), unbind.end(Ending::Failed));
    let b = world.process("b").await;
    world.call("b unbind x 2").await.end(Ending::Refused).await;
    assert_eq!(b.end("i").await.body["state"], "failed");
    assert_eq!(b.ask("i/service_bindings/x").await.status, 200, "ERR-08: the binding is as it was");
}

#[tokio::test(start_paused = true)]
async fn asy_07_the_progress_of_an_unbind_is_that_of_the_deletion() {
    let (mut world, a, _) = begin(&["x"]).await;
    let unbind = world.call("a unbind x 1").await;
    unbind.say("half of the user is deleted");
    let seen = async {
        until(async || a.poll("i").await.body["description"] == "half of the user is deleted").await;
    };
    tokio::time::timeout(Settings::default().lease, seen).await.expect("the platform is told");
}

/// In the order of the records, the bindings of `j` follow those of `i`.
#[tokio::test]
async fn t22_the_bindings_of_other_instances_stay() {
    let (wire, lab) = lab().await;
    for id in ["i", "j"] {
        assert_eq!(wire.put(&instance(id), new(ids::SMALL, json!({}))).await.status, 201);
        assert_eq!(wire.put(&binding(id, &format!("of-{id}")), bind(ids::SMALL, json!({}))).await.status, 201);
    }
    assert_eq!(delete(&wire, &instance("i")).await.status, 200);
    assert_eq!(lab.inventory(), ["j=smallx1", "of-j=key"]);
    assert_eq!(wire.get(&binding("j", "of-j")).await.status, 200);
}

#[tokio::test(start_paused = true)]
async fn blk_03_an_instance_is_not_deleted_while_a_binding_is() {
    let (mut world, a) = World::of_an_instance().await;
    world.bind(&a, "x", "x").await;
    a.delete("i/service_bindings/x").await;
    let unbind = world.call("a unbind x 1").await;
    let refused = a.send("DELETE", &format!("i?{LATER}"), None).await;
    assert_eq!((refused.status, &refused.body["error"]), (422, &json!("ConcurrencyError")), "{refused:?}");
    unbind.end_deletion(&a).await;
    a.delete("i").await;
    world.call("a deprovision i 1").await.end_deletion(&a).await;
}

#[tokio::test(start_paused = true)]
async fn t22_only_bindings_that_exist_prevent_a_deletion() {
    let (mut world, a) = World::of_a_process().await;
    let b = world.process_with("b", |settings| settings.remaining_bindings = RemainingBindings::Refuse).await;
    world.create(&a, "made").await;
    for binding in ["x", "y", "z"] {
        world.bind(&a, binding, binding).await;
    }
    let refused = async |number: usize| {
        let reply = b.send("DELETE", &format!("i?{LATER}"), None).await.has_status(422);
        let bindings =
            if number == 1 { "1 service binding;".to_owned() } else { format!("{number} service bindings;") };
        assert!(reply.description().contains(&format!(" has {bindings}")), "{reply:?}");
    };
    refused(3).await;
    b.delete("i/service_bindings/z").await;
    world.call("b unbind z 1").await.end_deletion(&b).await;
    refused(2).await;
    // The other process removes bindings with their instance.
    a.delete("i").await;
    let (x, y) = (world.call("a unbind x 1").await, world.call("a unbind y 1").await);
    x.end(Ending::Done("")).await;
    y.end(Ending::Refused).await;
    assert_eq!(a.end("i").await.body["state"], "failed");
    refused(1).await;
    b.delete("i/service_bindings/y").await;
    world.call("b unbind y 1").await.end_deletion(&b).await;
    b.delete("i").await;
    world.call("b deprovision i 1").await.end_deletion(&b).await;
}

/// Sends a deletion that waits for its end, and returns its status after these handlers.
async fn status(bindings: &[&'static str], handlers: &[(&str, Ending)]) -> u16 {
    let (mut world, a) = World::of_an_instance().await;
    for binding in bindings {
        world.bind(&a, binding, binding).await;
    }
    let deletion = async {
        let query = "service_id=2b1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01&plan_id=2b1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02";
        a.send("DELETE", &format!("i?{query}"), None).await
    };
    let direct = async {
        for (name, ending) in handlers {
            world.call(name).await.end(ending.clone()).await;
        }
    };
    let reply = tokio::join!(deletion, direct).0;
    // The code of the refusal would say the same as its status.
    assert_eq!(reply.body["error"] == "NotNow", reply.status == 422, "{reply:?}");
    reply.status
}

#[tokio::test(start_paused = true)]
async fn err_08_a_refusal_after_a_binding_was_removed_is_not_a_4xx() {
    use Ending::{Done, Refused, Temporary};
    let refused = ("a unbind y 1", Refused);
    assert_eq!(status(&["y"], std::slice::from_ref(&refused)).await, 422, "nothing was removed");
    assert_eq!(status(&["x", "y"], &[("a unbind x 1", Done("")), refused]).await, 500);
    assert_eq!(status(&["x"], &[("a unbind x 1", Done("")), ("a deprovision i 1", Refused)]).await, 500);
    assert_eq!(status(&[], &[("a deprovision i 1", Refused)]).await, 422);
    let later = [("a unbind x 1", Done("")), ("a unbind y 1", Temporary), ("a unbind y 2", Refused)];
    assert_eq!(status(&["x", "y"], &later).await, 500, "an earlier attempt has removed one");
    let later = [("a unbind x 1", Done("")), ("a deprovision i 1", Temporary), ("a deprovision i 2", Refused)];
    assert_eq!(status(&["x"], &later).await, 500, "an earlier attempt has removed it");
}

#[tokio::test(start_paused = true)]
async fn t22_a_cascade_with_a_temporary_and_a_permanent_failure_is_not_retried() {
    use Ending::{Failed, Temporary};
    for (x, y) in [(Temporary, Failed), (Failed, Temporary)] {
        let (mut world, a, _) = begin(&["x", "y"]).await;
        world.call("a unbind x 1").await.end(x).await;
        world.call("a unbind y 1").await.end(y).await;
        assert_eq!(a.end("i").await.body["state"], "failed");
        world.is_quiet().await;
    }
}

/// With one permit, a pause before each binding would take 4.2 seconds.
#[tokio::test]
async fn a_retried_cascade_waits_once_however_many_bindings_there_are() {
    let (wire, lab) = lab_with(|settings| {
        settings.concurrency = 1;
        settings.retry.max_attempts = 4;
        settings.retry.initial_delay = Duration::from_millis(100);
    })
    .await;
    assert_eq!(wire.put(I, new(ids::SMALL, json!({}))).await.status, 201);
    for id in 0..6 {
        assert_eq!(wire.put(&binding("i", &format!("b{id}")), bind(ids::SMALL, json!({}))).await.status, 201);
    }
    lab.deletions_go(Behaviour::Temporary);
    let began = std::time::Instant::now();
    assert_eq!(delete(&wire, I).await.status, 500);
    assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
    assert_eq!(lab.remains().len(), 24, "each of four attempts called each handler");
}

/// A store that commits them one by one would take five seconds.
#[tokio::test]
async fn the_unbound_bindings_of_a_cascade_are_recorded_together() {
    let slow = Arc::<AtomicBool>::default();
    let (wire, lab) = lab_with(|settings| settings.store = Hooked::records(SlowCommits(Arc::clone(&slow)))).await;
    assert_eq!(wire.put(I, new(ids::SMALL, json!({}))).await.status, 201);
    for id in 0..50 {
        assert_eq!(wire.put(&binding("i", &format!("b{id}")), bind(ids::SMALL, json!({}))).await.status, 201);
    }
    slow.store(true, Ordering::SeqCst);
    let began = Instant::now();
    assert_eq!(delete(&wire, I).await.status, 200);
    assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
    assert_eq!((lab.remains().len(), lab.inventory()), (51, vec![]));
}

#[tokio::test]
async fn err_09_bindings_whose_handlers_were_not_called_have_not_failed() {
    let (wire, lab) = lab_with(|settings| {
        settings.concurrency = 2;
        settings.sync_deadline = Duration::from_millis(400);
        settings.cancel_grace = Duration::from_millis(100);
    })
    .await;
    let full = instance("j");
    assert_eq!(wire.put(&full, new(ids::SMALL, json!({}))).await.status, 201);
    for id in ["b1", "b2"] {
        assert_eq!(wire.put(&binding("j", id), bind(ids::SMALL, json!({}))).await.status, 201);
    }
    for id in ["x", "y"] {
        let path = accepting(&instance(id));
        assert_eq!(wire.put(&path, new(ids::SLOW, json!({ "mood": "wait" }))).await.status, 202);
    }
    lab.called(5).await;
    assert_eq!(delete(&wire, &full).await.status, 500, "it waits for the handlers of other instances");
    lab.gate.open();
    assert_eq!(wire.put(&binding("j", "b1"), bind(ids::SMALL, json!({}))).await.status, 200);
    assert_eq!(wire.put(&binding("j", "b3"), bind(ids::SMALL, json!({}))).await.status, 201);
    assert_eq!(delete(&wire, &full).await.status, 200);
}

#[tokio::test(start_paused = true)]
async fn err_10_an_instance_whose_bindings_were_not_unbound_in_time_is_not_usable() {
    let (mut world, a) = World::with(|settings| {
        (settings.max_operation_time, settings.cancel_grace) = (Duration::from_secs(5), Duration::from_secs(1));
    })
    .await;
    world.create(&a, "made").await;
    world.bind(&a, "x", "x").await;
    a.delete("i").await;
    let _hangs = world.call("a unbind x 1").await;
    let failed = a.end("i").await;
    assert_eq!((&failed.body["state"], &failed.body["instance_usable"]), (&json!("failed"), &json!(false)));
}

#[tokio::test]
async fn a_cascade_that_cannot_list_its_bindings_ends_at_its_deadline() {
    let fails = Arc::<AtomicBool>::default();
    let (wire, _) = lab_with(|settings| {
        settings.max_operation_time = Duration::from_millis(500);
        settings.cancel_grace = Duration::from_millis(100);
        settings.sync_wait = Duration::from_millis(50);
        settings.store = Hooked::records(FailsLists(Arc::clone(&fails)));
    })
    .await;
    assert_eq!(wire.put(I, new(ids::SMALL, json!({}))).await.status, 201);
    assert_eq!(wire.put(B, bind(ids::SMALL, json!({}))).await.status, 201);
    fails.store(true, Ordering::SeqCst);
    assert_eq!(wire.delete(&format!("{I}?{DELETE}&accepts_incomplete=true")).await.status, 202);
    assert_eq!(wire.settled(I).await.body["state"], "failed");
    fails.store(false, Ordering::SeqCst);
    assert_eq!(wire.put(B, bind(ids::SMALL, json!({}))).await.status, 200, "no handler was called");
}
