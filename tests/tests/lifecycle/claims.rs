//! A worker that has lost its claim changes nothing, and one that is cancelled keeps its claim until its handler has ended.

use std::{sync::Arc, time::Duration};

use osb_runtime::lifecycle::{AnyHooks, Event, HookError, Hooks, Settings};
use tokio::{
    sync::Notify,
    time::{Instant, advance, sleep, sleep_until, timeout},
};

use crate::directed::{Ending, LATER, World};

/// More than a lease.
pub(crate) const AHEAD: Duration = Duration::from_mins(1);

/// The settings of a process that looks for expired leases every second.
pub(crate) fn eager(settings: &mut Settings) {
    settings.lease = Duration::from_secs(4);
}

#[tokio::test(start_paused = true)]
async fn prov_13_a_worker_that_was_taken_over_changes_nothing() {
    let (mut world, a, b) = World::of_two().await;
    let old = world.begin(&a, "i").await;
    assert!(old.save("old").await);
    b.set_ahead(AHEAD);
    let new = world.call("b provision i 2").await;
    assert_eq!(new.earlier.as_deref(), Some("old"));
    assert!(new.save("new").await);

    assert!(!old.save("late").await, "the checkpoint of a worker without a claim");
    old.end(Ending::Done("late")).await;
    world.is_quiet().await;
    assert_eq!(b.poll("i").await.body["state"], "in progress", "the second attempt decides");
    new.end(Ending::Temporary).await;
    let retried = world.call("b provision i 3").await;
    assert_eq!(retried.earlier.as_deref(), Some("new"), "the first attempt changed nothing");
    retried.end_creation("made", &b).await;

    b.delete("i").await;
    world.call("b deprovision i 1").await.end_deletion_of("made", &b).await;
}

#[tokio::test(start_paused = true)]
async fn prov_13_a_claim_that_was_committed_late_is_renewed_before_its_lease_ends() {
    let (mut world, a, _b) = World::of_two().await;
    a.stall();
    let lease = Settings::default().lease;
    let late = async {
        sleep(lease.mul_f32(0.9)).await;
        a.wake();
    };
    tokio::join!(a.put("i"), late);
    let call = world.call("a provision i 1").await;
    world.is_quiet().await;
    call.end_creation("made", &a).await;
}

#[tokio::test(start_paused = true)]
async fn dep_06_t67_the_last_state_of_a_cancelled_create_reaches_its_deletion() {
    for (path, create, remove) in
        [("i", "provision i", "deprovision i"), ("i/service_bindings/b", "bind b", "unbind b")]
    {
        for (ending, state) in [
            (Ending::Failed, "more"),
            (Ending::Refused, "more"),
            (Ending::Temporary, "more"),
            (Ending::Done("whole"), "whole"),
        ] {
            let (mut world, a) = World::of_a_process().await;
            if path != "i" {
                world.create(&a, "made").await;
            }
            a.put(path).await;
            let cancelled = world.call(&format!("a {create} 1")).await;
            assert!(cancelled.save("half").await);
            a.delete(path).await;
            assert!(cancelled.save("more").await, "it holds its claim until it has ended");
            cancelled.end(ending).await;
            world.call(&format!("a {remove} 1")).await.end_deletion_of(state, &a).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn dep_06_a_deletion_cancels_a_handler_of_its_process_at_once() {
    let (mut world, a) = World::with(|settings| settings.cancel_grace = Duration::from_secs(2)).await;
    for attempts in [1, 2] {
        let mut cancelled = world.begin(&a, "i").await;
        if attempts == 2 {
            cancelled.end(Ending::Temporary).await;
            cancelled = world.call("a provision i 2").await;
        }
        let deleted_at = Instant::now();
        tokio::join!(a.delete("i"), async {
            cancelled.ended().await;
            assert_eq!(deleted_at.elapsed(), Duration::from_secs(2), "before the next renewal tells of it");
        });
        world.call("a deprovision i 1").await.end_deletion(&a).await;
    }
}

#[tokio::test(start_paused = true)]
async fn dep_06_a_cancelled_create_is_released_by_the_takeover_of_its_deletion() {
    let (mut world, a, b) = World::of_two().await;
    let cancelled = world.begin(&a, "i").await;
    assert!(cancelled.save("half").await);
    b.delete("i").await;
    b.set_ahead(AHEAD);
    let removal = world.call("b deprovision i 1").await;
    assert_eq!(removal.state.as_deref(), Some("half"), "the checkpoint of the create");

    assert!(!cancelled.save("late").await, "its claim is released");
    cancelled.end(Ending::Done("late")).await;
    world.is_quiet().await;
    assert_eq!(b.poll("i").await.body["state"], "in progress");
    removal.end(Ending::Failed).await;
    assert_eq!(b.end("i").await.body["state"], "failed");
    b.delete("i").await;
    world.call("b deprovision i 1").await.end_deletion_of("half", &b).await;
}

#[tokio::test(start_paused = true)]
async fn dep_06_a_cancelled_create_is_not_released_by_a_worker_that_was_taken_over() {
    let (mut world, a, b) = World::of_two().await;
    let old = world.begin(&a, "i").await;
    b.set_ahead(AHEAD);
    let cancelled = world.call("b provision i 2").await;
    a.delete("i").await;

    assert!(!old.save("late").await, "the second attempt was cancelled, and not this one");
    old.end(Ending::Done("late")).await;
    world.is_quiet().await;
    assert!(cancelled.save("half").await, "it holds its claim until it has ended");
    cancelled.end(Ending::Failed).await;
    world.call("b deprovision i 1").await.end_deletion_of("half", &b).await;
}

#[tokio::test(start_paused = true)]
async fn dep_06_a_cancelled_handler_keeps_its_claim_while_it_runs() {
    for path in ["i", "i/service_bindings/b"] {
        let (mut world, a) = World::of_a_process().await;
        let b = world.process_with("b", |settings| settings.lease = Duration::from_secs(1)).await;
        // Both begin to look for expired leases, at times that differ: the process that works finds its own expired later.
        for process in [&a, &b] {
            process.send("DELETE", &format!("none?{LATER}"), None).await;
            sleep(Duration::from_millis(100)).await;
        }
        let (create, remove) = if path == "i" {
            ("a provision i 1", "a deprovision i 1")
        } else {
            world.create(&a, "made").await;
            ("a bind b 1", "a unbind b 1")
        };
        a.put(path).await;
        let cancelled = world.call(create).await;
        b.delete(path).await;
        world.is_quiet().await;
        assert!(cancelled.save("half").await, "other processes see that it runs");
        cancelled.end(Ending::Failed).await;
        world.call(remove).await.end_deletion_of("half", &b).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_retried_deletion_gets_its_checkpoint() {
    for path in ["i", "i/service_bindings/b"] {
        let (mut world, a) = World::of_a_process().await;
        world.create(&a, "whole").await;
        let remove = if path == "i" {
            "a deprovision i"
        } else {
            world.bind(&a, "b", "whole").await;
            "a unbind b"
        };
        a.delete(path).await;
        let first = world.call(&format!("{remove} 1")).await;
        assert_eq!((first.state.as_deref(), first.earlier.as_deref()), (Some("whole"), None));
        assert!(first.save("half").await);
        first.end(Ending::Temporary).await;
        let second = world.call(&format!("{remove} 2")).await;
        assert_eq!((second.state.as_deref(), second.earlier.as_deref()), (Some("half"), Some("half")), "{path}");
        second.end(Ending::Failed).await;
        assert_eq!(a.end(path).await.body["state"], "failed");
        a.delete(path).await;
        let again = world.call(&format!("{remove} 1")).await;
        assert_eq!((again.state.as_deref(), again.earlier.as_deref()), (Some("half"), None), "{path}");
        again.end_deletion(&a).await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_expired_claim_is_taken_over_within_a_quarter_of_the_lease() {
    let lease = Duration::from_secs(4);
    let (mut world, a) = World::with(|settings| settings.lease = lease).await;
    let b = world.process_with("b", |settings| settings.lease = lease).await;
    b.send("DELETE", &format!("none?{LATER}"), None).await;
    let _abandoned = world.begin(&a, "i").await;
    a.stall();
    let stalled = Instant::now();
    world.call("b provision i 2").await.end(Ending::Done("made")).await;
    assert!(stalled.elapsed() <= lease + lease / 4, "{:?}", stalled.elapsed());
    assert_eq!(b.end("i").await.body["state"], "succeeded");
}

/// The list of expired claims is old when a process decides about one of them.
#[tokio::test(start_paused = true)]
async fn a_claim_that_was_renewed_in_time_is_not_taken_over() {
    let (mut world, a) = World::of_a_process().await;
    // It lists the expired claims every 10 s.
    let b = world.process_with("b", |settings| settings.lease = Duration::from_secs(40)).await;
    b.send("DELETE", &format!("none?{LATER}"), None).await;
    let start = Instant::now();
    let after = |seconds| sleep_until(start + Duration::from_secs(seconds));
    after(5).await;
    let worker = world.begin(&a, "i").await;
    // To this process, the lease of 30 s ends at 8 s; the worker renews it at 15 s.
    b.set_ahead(Duration::from_secs(27));
    b.stall();
    after(16).await;
    b.wake();
    after(17).await;
    b.set_ahead(Duration::ZERO);
    world.is_quiet().await;
    worker.end_creation("made", &a).await;
}

/// After the end of a lease another process may call the handler, so that it may not run until then if the store doesn't
/// confirm the claim, however long its grace period is.
#[tokio::test(start_paused = true)]
async fn a_handler_ends_with_a_lease_that_is_not_renewed() {
    let mut world = World::new();
    let (a, b) = (world.process("a").await, world.process("b").await);
    let old = world.begin(&a, "i").await;
    a.stall();
    let new = world.call("b provision i 2").await;
    assert!(old.has_ended(), "two handlers of one operation run");
    a.wake();
    new.end_creation("made", &b).await;
}

/// The lease counts from the time at which the store has renewed it.
#[tokio::test(start_paused = true)]
async fn a_handler_ends_with_a_lease_whose_renewal_was_answered_late() {
    let lease = Settings::default().lease;
    let (mut world, a, b) = World::of_two().await;
    // Neither looks for expired leases at the time at which one ends.
    sleep(Duration::from_millis(500)).await;
    let old = world.begin(&a, "i").await;
    // A third of the lease is over when it is renewed, and two thirds when the worker stops waiting.
    a.hold_answers();
    sleep(lease.mul_f32(0.6)).await;
    a.stall();
    a.release_answers();
    let new = world.call("b provision i 2").await;
    assert!(old.has_ended(), "two handlers of one operation run");
    a.wake();
    new.end_creation("made", &b).await;
}

/// Another process may have taken the operation over while this one was stalled.
#[tokio::test(start_paused = true)]
async fn a_checkpoint_that_is_answered_after_the_lease_is_no_proof_of_the_claim() {
    let (mut world, a, b) = World::of_two().await;
    let old = world.begin(&a, "i").await;
    a.hold_answers();
    let stalled = async {
        // The checkpoint is stored before the others look for expired leases.
        sleep(Duration::from_millis(1)).await;
        b.set_ahead(AHEAD);
        let new = world.call("b provision i 2").await;
        assert_eq!(new.earlier.as_deref(), Some("old"));
        // All that was due meanwhile happens at once.
        advance(Settings::default().lease + Duration::from_secs(1)).await;
        a.release_answers();
        new
    };
    let (saved, new) = tokio::join!(old.save("old"), stalled);
    assert!(!saved, "the handler would go on beside the other one");
    new.end_creation("made", &b).await;
}

/// The store has refused the next attempt that a worker wanted, and another process has claimed one with the same number.
#[tokio::test(start_paused = true)]
async fn prov_13_a_worker_does_not_make_the_attempt_of_another_one() {
    let mut world = World::new();
    let (a, b) = (world.process("a").await, world.process("b").await);
    let first = world.begin(&a, "i").await;
    a.refuse_commits(true);
    first.end(Ending::Temporary).await;
    let second = world.call("b provision i 2").await;
    a.refuse_commits(false);
    world.is_quiet().await;
    second.end_creation("made", &b).await;
}

#[tokio::test(start_paused = true)]
async fn a_renewal_that_fails_is_repeated_before_the_handler_is_interrupted() {
    let lease = Settings::default().lease;
    let (mut world, a) = World::with(|settings| settings.cancel_grace = Duration::from_secs(1)).await;
    let call = world.begin(&a, "i").await;
    a.refuse_commits(true);
    sleep(lease.mul_f32(0.85)).await;
    a.refuse_commits(false);
    sleep(lease).await;
    call.end_creation("made", &a).await;
}

#[tokio::test(start_paused = true)]
async fn a_handler_ends_with_a_lease_whose_renewals_fail() {
    let (mut world, a) = World::with(|settings| settings.cancel_grace = Duration::from_secs(1)).await;
    let began = Instant::now();
    let call = world.begin(&a, "i").await;
    a.refuse_commits(true);
    timeout(Settings::default().lease * 2, call.ended()).await.expect("another process may call the handler");
    assert!(began.elapsed() <= Settings::default().lease, "{:?}", began.elapsed());
    a.refuse_commits(false);
    world.call("a provision i 2").await.end_creation("made", &a).await;
}

/// A renewed lease leaves a handler the same time as the first one.
#[tokio::test(start_paused = true)]
async fn a_handler_has_its_grace_period_before_the_end_of_a_renewed_lease() {
    let (lease, grace) = (Settings::default().lease, Duration::from_secs(2));
    let (mut world, a) = World::with(|settings| settings.cancel_grace = grace).await;
    let began = Instant::now();
    let call = world.begin(&a, "i").await;
    // It was renewed at a third of the lease.
    sleep(lease / 2).await;
    a.stall();
    call.cancelled().await;
    let (cancelled_after, expected) = (began.elapsed(), (lease / 3 + lease).saturating_sub(grace));
    assert!(cancelled_after.abs_diff(expected) < Duration::from_secs(1), "{cancelled_after:?}");
    a.wake();
    call.end_creation("made", &a).await;
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_was_stalled_together_with_its_claim_goes_on_once_it_is_confirmed() {
    let lease = Settings::default().lease;
    let (mut world, a) = World::with(|settings| settings.cancel_grace = Duration::from_secs(1)).await;
    let call = world.begin(&a, "i").await;
    a.hold_answers();
    // A renewal is on the way, and is answered soon after the stall.
    sleep(lease / 2).await;
    advance(lease * 2).await;
    sleep(Duration::from_secs(1)).await;
    a.release_answers();
    sleep(lease).await;
    call.end_creation("made", &a).await;
}

/// It has waited for a handler of another instance that ends when the process goes on.
#[tokio::test(start_paused = true)]
async fn a_handler_is_not_called_after_a_stall_before_its_claim_is_confirmed() {
    let (mut world, a) = World::with(|settings| settings.concurrency = 1).await;
    let b = world.process_with("b", eager).await;
    let first = world.begin(&a, "i").await;
    a.put("j").await;
    b.set_ahead(AHEAD);
    let others = [world.call("b provision i 2").await, world.call("b provision j 2").await];
    a.hold_answers();
    // All that was due meanwhile happens at once.
    advance(Settings::default().lease + Duration::from_secs(1)).await;
    first.end(Ending::Done("late")).await;
    sleep(Duration::from_secs(1)).await;
    a.release_answers();
    world.is_quiet().await;
    for other in others {
        other.end_creation("made", &b).await;
    }
}

/// Its process was stalled until the claim had to be confirmed, and the store doesn't answer.
#[tokio::test(start_paused = true)]
async fn a_handler_is_dropped_with_its_lease_after_a_stall_of_its_process() {
    let (mut world, a) = World::of_a_process().await;
    let began = Instant::now();
    let handler = world.begin(&a, "i").await;
    a.stall();
    let lease = Settings::default().lease;
    advance(lease * 4 / 5).await;
    handler.ended().await;
    assert!(began.elapsed() <= lease, "{:?}", began.elapsed());
}

/// Waits until the test lets it go.
#[derive(Clone, Default)]
pub(crate) struct WaitingHook {
    pub(crate) is_called: Arc<Notify>,
    goes_on: Arc<Notify>,
}

impl Hooks for WaitingHook {
    async fn before(&self, _: &Event) -> Result<(), HookError> {
        self.is_called.notify_one();
        self.goes_on.notified().await;
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn a_handler_is_not_called_if_its_claim_was_lost_during_the_hook_before_it() {
    let (mut world, hook) = (World::new(), WaitingHook::default());
    let a = world.process_with("a", |settings| settings.hooks = Some(AnyHooks::of(hook.clone()))).await;
    let b = world.process_with("b", eager).await;
    a.put("i").await;
    hook.is_called.notified().await;
    b.set_ahead(AHEAD);
    let call = world.call("b provision i 2").await;
    // Before the next renewal tells of it.
    hook.goes_on.notify_one();
    world.is_quiet().await;
    call.end_creation("made", &b).await;
}

#[tokio::test(start_paused = true)]
async fn a_handler_is_not_called_if_its_process_shuts_down_during_the_hook_before_it() {
    let (mut world, hook) = (World::new(), WaitingHook::default());
    let a = world.process_with("a", |settings| settings.hooks = Some(AnyHooks::of(hook.clone()))).await;
    a.put("i").await;
    hook.is_called.notified().await;
    let admits = async {
        sleep(Duration::from_secs(1)).await;
        hook.goes_on.notify_one();
    };
    tokio::join!(a.hand_over(), admits);
    let b = world.process("b").await;
    world.call("b provision i 3").await.end_creation("made", &b).await;
}

/// A worker that is told of its lost claim ends its handler at once.
#[tokio::test(start_paused = true)]
async fn a_handler_ends_when_its_claim_is_lost() {
    let (mut world, a, b) = World::of_two().await;
    let old = world.begin(&a, "i").await;
    b.set_ahead(AHEAD);
    let new = world.call("b provision i 2").await;
    let taken_over_at = Instant::now();
    old.ended().await;
    assert!(taken_over_at.elapsed() <= Duration::from_secs(10), "the next renewal tells it");
    new.end_creation("made", &b).await;
}

/// The worker of the create that it has cancelled, for which it waits, loses its claim.
#[tokio::test(start_paused = true)]
async fn dep_06_a_deletion_that_waits_learns_of_its_end_in_another_process() {
    let (mut world, a, b) = World::of_two().await;
    let cancelled = world.begin(&a, "i").await;
    assert!(cancelled.save("half").await);
    let path = format!("i?{}", LATER.replace("accepts_incomplete=true&", ""));
    let takeover = async {
        sleep(Duration::from_secs(1)).await;
        b.set_ahead(AHEAD);
        world.call("b deprovision i 1").await.end(Ending::Done("")).await;
    };
    tokio::join!(a.send("DELETE", &path, None), takeover).0.has_status(200);
}

/// A refusal says that nothing was created, which its attempt can't know of an earlier one.
#[tokio::test(start_paused = true)]
async fn err_08_a_refusal_of_a_later_attempt_is_rolled_back() {
    let (mut world, a) = World::of_a_process().await;
    world.begin(&a, "i").await.end(Ending::Temporary).await;
    world.call("a provision i 2").await.end(Ending::Refused).await;
    world.call("a deprovision i 3").await.end(Ending::Done("")).await;
    assert_eq!(a.end("i").await.body["description"], "Not now.");
    world.begin(&a, "i").await.end(Ending::Refused).await;
    assert_eq!(a.end("i").await.body["state"], "failed");
    world.is_quiet().await;
}

/// The rollback's deadline has passed while no process was there.
#[tokio::test(start_paused = true)]
async fn orp_02_a_rollback_that_is_taken_over_late_has_its_time() {
    let (mut world, a) = World::of_a_process().await;
    world.begin(&a, "i").await.end(Ending::Failed).await;
    let _late = world.call("a deprovision i 2").await;
    a.stall();
    let b = world.process_with("b", |settings| settings.cancel_grace = Duration::from_secs(1)).await;
    b.set_ahead(2 * AHEAD);
    let rollback = world.call("b deprovision i 3").await;
    sleep(Duration::from_secs(20)).await;
    assert!(!rollback.has_ended(), "it is not cancelled");
    rollback.end(Ending::Done("")).await;
    assert_eq!(b.end("i").await.body["state"], "failed");
    assert_eq!(b.send("DELETE", &format!("i?{LATER}"), None).await.status, 410, "nothing is left");
}
