//! The time that an operation has.

use osb_lab::prelude::*;
use osb_runtime::{
    lifecycle::{AnyHooks, Event, HookError, Hooks},
    service::Failure,
    store::Pending,
};
use tokio::time::{Instant, sleep, timeout};

use crate::{
    directed::{Call, Ending, LATER, Process, World},
    hooked_store::{Around, Hooked, Request},
};

/// The platform of an operation that was synchronous repeats its request, and polls from then on.
#[tokio::test(start_paused = true)]
async fn asy_06_an_operation_that_becomes_asynchronous_has_the_time_of_one() {
    // The handler ignores its cancellation, and would be dropped soon after it.
    let (mut world, a) = World::with(|settings| settings.cancel_grace = Duration::from_secs(2)).await;
    let work = async {
        let handler = world.call("a provision i 1").await;
        a.ask("i").await.has_status(202);
        sleep(Duration::from_mins(30)).await;
        assert_eq!(a.poll("i").await.body["state"], "in progress");
        assert!(handler.save("half").await);
        handler.end(Ending::Done("made")).await;
    };
    let (first, ()) = tokio::join!(a.ask_with("i", ""), work);
    // A 500 would make the platform delete what the repeated request was promised.
    let expected = (422, &json!("ConcurrencyError"));
    assert_eq!((first.status, &first.body["error"]), expected, "it does not wait for so long: {first:?}");
    assert_eq!(a.end("i").await.body["state"], "succeeded");
}

/// Each renewal of the lease reads the later deadline, which counts once. A request that is repeated later leaves it as it is.
#[tokio::test(start_paused = true)]
async fn asy_06_an_operation_that_becomes_asynchronous_ends_at_its_new_deadline() {
    let (limit, grace) = (Duration::from_mins(10), Duration::from_secs(1));
    let world = World::with(|settings| (settings.max_operation_time, settings.cancel_grace) = (limit, grace));
    let (mut world, a) = world.await;
    let work = async {
        let hangs = world.call("a provision i 1").await;
        sleep(Duration::from_secs(5)).await;
        a.put("i").await;
        let accepted_at = Instant::now();
        sleep(limit / 2).await;
        a.put("i").await;
        timeout(2 * limit, hangs.ended()).await.expect("it has a deadline");
        let lasted = accepted_at.elapsed();
        assert!(lasted.abs_diff(limit + grace) < Duration::from_secs(1), "{lasted:?}");
        world.call("a deprovision i 2").await.end(Ending::Done("")).await;
    };
    tokio::join!(a.ask_with("i", ""), work);
    assert_eq!(a.end("i").await.body["state"], "failed");
}

/// The request that has begun it has already got its 202.
#[tokio::test(start_paused = true)]
async fn asy_06_a_request_that_joins_an_asynchronous_operation_late_does_not_wait() {
    let (mut world, a) = World::of_a_process().await;
    let handler = world.begin(&a, "i").await;
    let joined_at = Instant::now();
    a.put("i").await;
    assert_eq!(joined_at.elapsed(), Duration::ZERO);
    handler.end_creation("made", &a).await;
}

/// A request that joins an operation waits no longer than one that begins it, however long the rollback takes.
#[tokio::test(start_paused = true)]
async fn a_request_that_has_joined_an_operation_ends_at_the_deadline() {
    let (mut world, a) = World::of_a_process().await;
    let deadline = Settings::default().sync_deadline;
    let joined = async {
        let handler = world.call("a provision i 1").await;
        let joined_at = Instant::now();
        let joined = a.ask_with("i", "").await;
        assert_eq!((joined.status, &joined.body["error"]), (422, &json!("ConcurrencyError")), "{joined:?}");
        assert_eq!(joined_at.elapsed(), deadline);
        handler.end(Ending::Done("made")).await;
    };
    tokio::join!(a.ask_with("i", ""), joined).0.has_status(201);
}

/// The instance that a request waits for is deleted meanwhile, so that the request makes a new one.
#[tokio::test(start_paused = true)]
async fn a_request_does_not_get_the_end_of_a_later_operation() {
    // The request waits as long as that of process `a`, and a moment more, or until it reads of the end.
    for sync_wait in [Settings::default().sync_wait + Duration::from_millis(100), Duration::from_hours(1)] {
        let (mut world, a) = World::of_a_process().await;
        let b = world.process_with("b", |settings| settings.sync_wait = sync_wait).await;
        let first = world.begin(&a, "i").await;
        let meanwhile = async {
            sleep(Duration::from_millis(1)).await;
            b.stall();
            first.end_creation("made", &a).await;
            a.delete("i").await;
            world.call("a deprovision i 1").await.end_deletion(&a).await;
            b.wake();
            world.call("b provision i 1").await.end(Ending::Done("made")).await;
        };
        let (made, ()) = tokio::join!(b.ask("i"), meanwhile);
        assert!([201, 202].contains(&made.status), "{sync_wait:?}: {made:?}");
        assert_eq!(b.end("i").await.body["state"], "succeeded");
    }
}

/// The platform that has deleted the instance doesn't expect a new one.
#[tokio::test(start_paused = true)]
async fn dep_06_a_request_that_waits_for_a_cancelled_create_does_not_repeat_it() {
    for sync_wait in [Settings::default().sync_wait + Duration::from_millis(100), Duration::from_hours(1)] {
        let (mut world, a) = World::of_a_process().await;
        let b = world.process_with("b", |settings| settings.sync_wait = sync_wait).await;
        let cancelled = world.begin(&a, "i").await;
        let meanwhile = async {
            sleep(Duration::from_millis(1)).await;
            b.stall();
            a.delete("i").await;
            cancelled.end(Ending::Failed).await;
            world.call("a deprovision i 1").await.end_deletion(&a).await;
            b.wake();
        };
        let (joined, ()) = tokio::join!(b.ask("i"), meanwhile);
        assert_eq!((joined.status, &joined.body["error"]), (422, &json!("ConcurrencyError")), "{joined:?}");
        world.is_quiet().await;
    }
}

/// As after a failover to a database whose clock is behind.
#[tokio::test(start_paused = true)]
async fn a_deadline_does_not_move_with_the_clock_of_the_store() {
    let (mut world, a) = World::with(|settings| settings.cancel_grace = Duration::from_secs(2)).await;
    a.set_ahead(Duration::from_hours(2));
    let work = async {
        let abandoned = world.call("a provision i 1").await;
        let began = Instant::now();
        a.set_ahead(Duration::ZERO);
        let rollback = world.call("a deprovision i 2").await;
        assert!(began.elapsed() < Settings::default().sync_deadline + Duration::from_secs(5), "{:?}", began.elapsed());
        assert!(abandoned.has_ended());
        rollback.end(Ending::Done("")).await;
    };
    tokio::join!(a.ask_with("i", ""), work).0.has_status(500);
}

#[tokio::test(start_paused = true)]
async fn a_retry_that_would_come_after_the_deadline_is_not_waited_for() {
    let (mut world, a) = World::with(|settings| settings.retry.initial_delay = Duration::from_mins(1)).await;
    let work = async {
        world.call("a provision i 1").await.end(Ending::Temporary).await;
        let failed_at = Instant::now();
        world.call("a deprovision i 2").await.end(Ending::Done("")).await;
        assert_eq!(failed_at.elapsed(), Duration::ZERO);
    };
    tokio::join!(a.ask_with("i", ""), work).0.has_status(500);
}

/// The store did not answer until the deadline.
#[tokio::test(start_paused = true)]
async fn an_interrupted_operation_does_not_continue_after_its_deadline() {
    let (mut world, a) = World::of_a_process().await;
    let work = async {
        let _interrupted = world.call("a provision i 1").await;
        a.stall();
        sleep(2 * Settings::default().sync_deadline).await;
        a.wake();
        world.call("a deprovision i 2").await.end(Ending::Done("")).await;
    };
    tokio::join!(a.ask_with("i", ""), work).0.has_status(500);
}

#[tokio::test(start_paused = true)]
async fn a_handler_ends_at_its_deadline_while_the_store_stalls() {
    let (mut world, a, hangs) = a_create_that_hangs().await;
    let began = Instant::now();
    a.stall();
    hangs.ended().await;
    a.wake();
    assert!(began.elapsed() < Settings::default().lease, "{:?}", began.elapsed());
    world.call("a deprovision i 2").await.end(Ending::Done("")).await;
    assert_eq!(a.end("i").await.body["state"], "failed");
}

/// It waited for the handlers of other instances.
#[tokio::test]
async fn err_09_a_deletion_whose_handler_was_not_called_changes_nothing() {
    let (wire, lab) = lab_with(|settings| {
        settings.concurrency = 1;
        settings.sync_deadline = Duration::from_millis(300);
        settings.cancel_grace = Duration::from_millis(100);
    })
    .await;
    let (waits, busy) = (instance("waits"), accepting(I));
    assert_eq!(wire.put(&waits, new(ids::SMALL, json!({}))).await.status, 201);
    assert_eq!(wire.put(&busy, new(ids::SLOW, json!({ "mood": "wait" }))).await.status, 202);
    lab.called(2).await;
    assert_eq!(delete(&wire, &waits).await.status, 500);
    lab.gate.open();
    assert_eq!(wire.settled(I).await.body["state"], "succeeded");
    assert_eq!(wire.put(&binding("waits", "b"), bind(ids::SMALL, json!({}))).await.status, 201);
}

/// The handler of an earlier attempt was called, which may have deleted a part.
#[tokio::test(start_paused = true)]
async fn err_10_a_deletion_whose_retry_waited_too_long_has_failed() {
    let (mut world, a) = World::with(|settings| settings.concurrency = 1).await;
    world.create(&a, "made").await;
    let path = format!("i?{}", LATER.replace("accepts_incomplete=true&", ""));
    let work = async {
        world.call("a deprovision i 1").await.end(Ending::Temporary).await;
        a.put("j").await;
        world.call("a provision j 1").await
    };
    let (failed, other) = tokio::join!(a.send("DELETE", &path, None), work);
    assert_eq!((failed.status, &failed.body["instance_usable"]), (500, &json!(false)), "{failed:?}");
    assert_eq!(a.ask("i").await.status, 409);
    other.end(Ending::Done("made")).await;
}

#[tokio::test(start_paused = true)]
async fn the_pause_before_a_retry_doubles_up_to_its_limit() {
    let (mut world, a) = World::with(|settings| {
        (settings.retry.initial_delay, settings.retry.max_delay) = (Duration::from_secs(1), Duration::from_secs(3));
    })
    .await;
    a.put("i").await;
    let mut call = world.call("a provision i 1").await;
    for (attempt, pause) in [(2, 1), (3, 2), (4, 3), (5, 3)] {
        call.end(Ending::Temporary).await;
        let failed_at = Instant::now();
        call = world.call(&format!("a provision i {attempt}")).await;
        assert_eq!(failed_at.elapsed().as_secs(), pause, "before attempt {attempt}");
    }
}

/// Fails temporarily when it is called first.
#[derive(Default)]
struct FailsOnce(AtomicBool);

impl Hooks for FailsOnce {
    async fn before(&self, _: &Event) -> Result<(), HookError> {
        if self.0.swap(true, Ordering::Relaxed) {
            Ok(())
        } else {
            Err(Failure::temporary("the quotas can't be read").into())
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_handler_follows_at_once_when_the_hook_before_it_is_repeated() {
    let (mut world, a) = World::with(|settings| settings.hooks = Some(AnyHooks::of(FailsOnce::default()))).await;
    let began = Instant::now();
    let called = async {
        let call = world.call("a provision i 2").await;
        assert_eq!(began.elapsed(), Settings::default().retry.initial_delay);
        call
    };
    let ((), call) = tokio::join!(a.put("i"), called);
    call.end_creation("made", &a).await;
}

#[tokio::test(start_paused = true)]
async fn an_operation_that_waits_longer_than_a_lease_for_a_permit_is_run() {
    let (mut world, a) = World::with(|settings| settings.concurrency = 1).await;
    let first = world.begin(&a, "i").await;
    a.put("j").await;
    sleep(Settings::default().lease * 3).await;
    first.end(Ending::Done("made")).await;
    world.call("a provision j 1").await.end_creation("made", &a).await;
}

#[tokio::test(start_paused = true)]
async fn a_synchronous_operation_ends_at_its_deadline_and_its_rollback_has_its_own_time() {
    let (mut world, a) = World::with(|settings| settings.cancel_grace = Duration::from_secs(1)).await;
    let work = async {
        let hangs = world.call("a provision i 1").await;
        assert!(hangs.save("half").await);
        let rollback = world.call("a deprovision i 2").await;
        assert_eq!(rollback.state.as_deref(), Some("half"));
        sleep(Duration::from_secs(20)).await;
        assert!(!rollback.has_ended(), "it is not cancelled");
        rollback.end(Ending::Done("")).await;
    };
    let (failed, ()) = tokio::join!(a.ask_with("i", ""), work);
    assert_eq!(failed.status, 500, "{failed:?}");
    assert!(failed.description().contains("did not finish in time"), "{failed:?}");
    assert_eq!(a.send("DELETE", &format!("i?{LATER}"), None).await.status, 410, "nothing is left");
}

/// Returns a process, and the handler of a create there, which ignores its deadline.
async fn a_create_that_hangs() -> (World, Process, Call) {
    let (mut world, a) = World::with(|settings| {
        (settings.max_operation_time, settings.cancel_grace) = (Duration::from_secs(5), Duration::from_secs(1));
    })
    .await;
    let call = world.begin(&a, "i").await;
    (world, a, call)
}

/// The deadline of the create has passed, and the rollback has its own.
#[tokio::test(start_paused = true)]
async fn a_rollback_after_the_deadline_is_retried() {
    let (mut world, a, _hangs) = a_create_that_hangs().await;
    world.call("a deprovision i 2").await.end(Ending::Temporary).await;
    world.call("a deprovision i 3").await.end(Ending::Done("")).await;
    assert_eq!(a.end("i").await.body["state"], "failed");
    assert_eq!(a.send("DELETE", &format!("i?{LATER}"), None).await.status, 410, "nothing is left");
}

/// It has waited for the handler of another instance, and its time counts from its call.
#[tokio::test(start_paused = true)]
async fn a_rollback_that_hangs_ends_at_its_deadline() {
    let (mut world, a) = World::with(|settings| {
        (settings.concurrency, settings.cancel_grace) = (1, Duration::from_secs(1));
        settings.sync_deadline = Duration::from_secs(2);
    })
    .await;
    let first = world.begin(&a, "i").await;
    a.put("j").await;
    assert!(first.save("half").await, "it has made something");
    first.end(Ending::Failed).await;
    let other = world.call("a provision j 1").await;
    // Until just after a renewal of the lease, the last occasion to look at the deadline for long.
    sleep(Settings::default().lease.mul_f32(0.7)).await;
    other.end(Ending::Done("made")).await;
    let rollback = world.call("a deprovision i 2").await;
    let called_at = Instant::now();
    rollback.ended().await;
    assert!(called_at.elapsed() < Duration::from_secs(4), "{:?}", called_at.elapsed());
    assert_eq!(a.end("i").await.body["state"], "failed");
}

/// The platform asked for the create, and not for its rollback.
#[tokio::test(start_paused = true)]
async fn loi_04_a_create_whose_rollback_fails_too_has_failed_for_its_own_reason() {
    let (mut world, a, _hangs) = a_create_that_hangs().await;
    world.call("a deprovision i 2").await.end(Ending::Failed).await;
    let failed = a.end("i").await;
    assert_eq!(failed.body["state"], "failed");
    assert!(failed.description().contains("did not finish in time"), "{failed:?}");
}

#[tokio::test(start_paused = true)]
async fn a_create_whose_rollback_takes_long_is_answered_before_its_end() {
    let (mut world, a) = World::with(|settings| settings.rollback_wait = Duration::from_secs(3)).await;
    let created = async { (a.ask_with("i", "").await, Instant::now()) };
    let work = async {
        world.call("a provision i 1").await.end(Ending::Failed).await;
        (Instant::now(), world.call("a deprovision i 2").await)
    };
    let ((created, answered_at), (failed_at, rollback)) = tokio::join!(created, work);
    assert_eq!(created.status, 500, "{created:?}");
    assert_eq!((answered_at - failed_at).as_secs(), 3);
    rollback.end(Ending::Done("")).await;
    assert_eq!(a.end("i").await.body["state"], "failed");
}

#[tokio::test(start_paused = true)]
async fn the_time_of_a_rollback_does_not_pass_while_other_handlers_have_the_permits() {
    let (mut world, a) = World::with(|settings| {
        (settings.concurrency, settings.cancel_grace) = (1, Duration::from_secs(1));
    })
    .await;
    let first = world.begin(&a, "i").await;
    a.put("j").await;
    assert!(first.save("half").await, "it has made something");
    first.end(Ending::Failed).await;
    let other = world.call("a provision j 1").await;
    sleep(Duration::from_mins(5)).await;
    other.end(Ending::Done("made")).await;
    let rollback = world.call("a deprovision i 2").await;
    sleep(Duration::from_secs(20)).await;
    rollback.end(Ending::Done("")).await;
    assert_eq!(a.end("i").await.body["state"], "failed");
}

/// Begins the rollback of a create, whose call waits for another handler until its deadline in the record has passed.
async fn a_late_rollback() -> (World, Process, Call) {
    let (mut world, a) = World::with(|settings| settings.concurrency = 1).await;
    let first = world.begin(&a, "i").await;
    a.put("j").await;
    assert!(first.save("half").await, "it has made something");
    first.end(Ending::Failed).await;
    let other = world.call("a provision j 1").await;
    sleep(Settings::default().sync_deadline * 2).await;
    other.end(Ending::Done("made")).await;
    let rollback = world.call("a deprovision i 2").await;
    (world, a, rollback)
}

#[tokio::test(start_paused = true)]
async fn a_rollback_that_has_waited_for_other_handlers_is_retried() {
    let (mut world, a, rollback) = a_late_rollback().await;
    rollback.end(Ending::Temporary).await;
    world.call("a deprovision i 3").await.end(Ending::Done("")).await;
    assert_eq!(a.end("i").await.body["state"], "failed");
    assert_eq!(a.send("DELETE", &format!("i?{LATER}"), None).await.status, 410, "nothing is left");
}

#[tokio::test(start_paused = true)]
async fn the_retries_of_a_rollback_end_with_its_time() {
    let (mut world, a, mut rollback) = a_late_rollback().await;
    let (called_at, limit) = (Instant::now(), Settings::default().sync_deadline);
    for attempt in 3.. {
        sleep(limit / 4).await;
        rollback.end(Ending::Temporary).await;
        if a.poll("i").await.body["state"] == "failed" {
            break;
        }
        rollback = world.call(&format!("a deprovision i {attempt}")).await;
    }
    assert!(called_at.elapsed() < limit * 2, "{:?}", called_at.elapsed());
    a.delete("i").await;
    world.call("a deprovision i 1").await.end_deletion(&a).await;
}

/// The store does not confirm the claim, so that the handler is cancelled.
#[tokio::test(start_paused = true)]
async fn a_rollback_that_was_interrupted_for_long_is_continued() {
    let (mut world, a) = World::of_a_process().await;
    let create = world.begin(&a, "i").await;
    assert!(create.save("half").await, "it has made something");
    create.end(Ending::Failed).await;
    let rollback = world.call("a deprovision i 2").await;
    a.stall();
    rollback.ended().await;
    sleep(Settings::default().sync_deadline).await;
    a.wake();
    world.call("a deprovision i 3").await.end(Ending::Done("")).await;
    assert_eq!(a.end("i").await.body["state"], "failed");
    assert_eq!(a.send("DELETE", &format!("i?{LATER}"), None).await.status, 410, "nothing is left");
}

/// Answers each request after some time.
struct Slow;

impl Around for Slow {
    fn before(&self, _: Request) -> Pending<'_, ()> {
        Box::pin(async {
            sleep(Duration::from_millis(5)).await;
            Ok(())
        })
    }
}

#[tokio::test(start_paused = true)]
async fn asy_06_that_needs_no_grace_period() {
    let (lab, mut settings) = (Lab::default(), Settings::default());
    settings.clock = Clock::of_runtime();
    settings.cancel_grace = Duration::ZERO;
    settings.store = Hooked::records(Slow);
    let broker = Direct::start(LabBroker { lab: lab.clone() }, settings).await;
    let body = new(ids::SMALL, json!({ "mood": "wait" }));
    let first = broker.send("PUT", I, Some(&body));
    let path = accepting(I);
    let second = async {
        sleep(Duration::from_secs(45)).await;
        assert_eq!(broker.send("PUT", &path, Some(&body)).await.status, 202);
        sleep(Duration::from_mins(5)).await;
        lab.gate.open();
        sleep(Duration::from_secs(1)).await;
    };
    let (_, ()) = tokio::join!(first, second);
    let poll = broker.send("GET", &format!("{I}/last_operation"), None).await;
    assert_eq!(poll.body["state"], "succeeded", "{poll:?}");
}
