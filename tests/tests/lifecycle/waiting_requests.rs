//! Requests that wait for the end of an operation.

use std::{future::ready, pin::Pin};

use osb_lab::{prelude::*, wire::exchange};
use osb_runtime::store::{Memory, Pending, Store as _, StoreError, Timestamp};
use tokio::{
    sync::Notify,
    time::{sleep, timeout},
};

use crate::{
    claims::AHEAD,
    directed::{Ending, World},
    hooked_store::{Around, Hooked, Request},
};

/// Delays the second transaction until the test lets it go.
struct HoldsSecond {
    begun: AtomicUsize,
    go: Arc<Notify>,
}

impl Around for HoldsSecond {
    fn before(&self, request: Request) -> Pending<'_, ()> {
        Box::pin(async move {
            if request == Request::Transact && self.begun.fetch_add(1, Ordering::SeqCst) == 1 {
                self.go.notified().await;
            }
            Ok(())
        })
    }
}

#[tokio::test]
async fn asy_06_an_accepted_request_whose_operation_has_ended_is_answered_202() {
    for is_followed_by_another in [false, true] {
        let go = Arc::<Notify>::default();
        let around = HoldsSecond { begun: AtomicUsize::default(), go: Arc::clone(&go) };
        let (wire, _) = lab_with(|settings| settings.store = Hooked::records(around)).await;
        let path = accepting(I);
        let others = async {
            let poll = format!("{I}/last_operation");
            until(async || wire.get(&poll).await.body["state"] == "succeeded").await;
            if is_followed_by_another {
                let update = change(json!({ "parameters": { "size": 2 } }));
                wire.patch(&path, update).await.has_status(202);
            }
            go.notify_one();
        };
        let (made, ()) = tokio::join!(wire.put(&path, new(ids::SLOW, json!({}))), others);
        assert_eq!(made.status, 202, "{made:?}");
        let operation = made.body["operation"].as_str().expect("an operation");
        let polled = wire.get(&format!("{I}/last_operation?operation={operation}")).await;
        assert_eq!((polled.status, &polled.body["state"]), (200, &json!("succeeded")), "{polled:?}");
    }
}

/// Fails some reads.
struct FailsReads(Arc<AtomicUsize>);

impl Around for FailsReads {
    fn after(&self, request: Request) -> Pending<'_, ()> {
        let lost = request == Request::Read
            && self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok();
        Box::pin(ready(if lost { Err(StoreError::new("the connection was closed")) } else { Ok(()) }))
    }
}

/// Waits until the reads that were to fail have failed: then a request waits.
async fn all_failed(failing: &AtomicUsize) {
    until(async || failing.load(Ordering::SeqCst) == 0).await;
}

/// Two replicas; the second one fails reads.
async fn replicas(lab: &Lab) -> (Wire, Wire, Arc<AtomicUsize>) {
    let (memory, failing) = (Arc::<Memory>::default(), Arc::<AtomicUsize>::default());
    let replica = async |failing: &Arc<AtomicUsize>| {
        let mut settings = Settings::default();
        settings.sync_wait = Duration::from_millis(300);
        settings.store = Records::new(Hooked::new(Arc::clone(&memory), FailsReads(Arc::clone(failing))));
        Wire::serve_with(LabBroker { lab: lab.clone() }, settings).await
    };
    (replica(&Arc::default()).await, replica(&failing).await, failing)
}

#[tokio::test]
async fn a_read_that_fails_while_a_deletion_waits_for_another_replica_does_not_hide_its_202() {
    let lab = Lab::default();
    let (first, second, failing) = replicas(&lab).await;
    let path = accepting(I);
    assert_eq!(first.put(&path, new(ids::SMALL, json!({ "mood": "wait_stubbornly" }))).await.status, 202);
    failing.store(1, Ordering::SeqCst);
    let deleted = second.delete(&format!("{path}&{DELETE}")).await;
    assert_eq!(failing.load(Ordering::SeqCst), 0);
    assert_eq!(deleted.status, 202, "{deleted:?}");
}

#[tokio::test]
async fn a_read_that_fails_while_a_request_waits_for_another_replica_is_repeated() {
    let lab = Lab::default();
    let (first, second, failing) = replicas(&lab).await;
    let body = new(ids::SMALL, json!({ "mood": "wait" }));
    assert_eq!(first.put(&accepting(I), body.clone()).await.status, 202);
    failing.store(1, Ordering::SeqCst);
    let later = async {
        all_failed(&failing).await;
        lab.gate.open();
    };
    tokio::join!(second.put(I, body), later).0.has_status(200);
}

/// Tells of the end of an operation right after it was read as running, and never again.
struct TellsOnce {
    lab: Lab,
    memory: Arc<Memory>,
    is_read: AtomicBool,
    changed: Notify,
}

impl Around for TellsOnce {
    fn after(&self, request: Request) -> Pending<'_, ()> {
        Box::pin(async move {
            if request == Request::Read && !self.is_read.swap(true, Ordering::SeqCst) {
                self.lab.gate.open();
                while !self.memory.due(Timestamp::MAX, None, 1).await?.is_empty() {
                    sleep(Duration::from_millis(1)).await;
                }
                self.changed.notify_waiters();
            }
            Ok(())
        })
    }

    fn changed(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(self.changed.notified())
    }
}

#[tokio::test]
async fn a_request_that_waits_for_another_replica_misses_no_change() {
    let (lab, memory) = (Lab::default(), Arc::<Memory>::default());
    let replica = async |records: Records| {
        let mut settings = Settings::default();
        (settings.sync_wait, settings.store) = (Duration::from_millis(10), records);
        Wire::serve_with(LabBroker { lab: lab.clone() }, settings).await
    };
    let silent = FailsReads(Arc::default());
    let first = replica(Records::new(Hooked::new(Arc::clone(&memory), silent))).await;
    let (is_read, changed) = (AtomicBool::new(false), Notify::new());
    let tells = TellsOnce { lab: lab.clone(), memory: Arc::clone(&memory), is_read, changed };
    let second = replica(Records::new(Hooked::new(memory, tells))).await;
    let body = new(ids::SMALL, json!({ "mood": "wait" }));
    assert_eq!(first.put(&accepting(I), body.clone()).await.status, 202);
    timeout(Duration::from_secs(20), second.put(I, body)).await.expect("it is told").has_status(200);
}

#[tokio::test]
async fn a_request_that_waits_for_another_replica_is_answered_at_a_shutdown() {
    let lab = Lab::default();
    let (first, second, failing) = replicas(&lab).await;
    let body = new(ids::SMALL, json!({ "mood": "wait" }));
    assert_eq!(first.put(&accepting(I), body.clone()).await.status, 202);
    let (headers, text) = ([("Authorization", AUTHORIZATION), ("X-Broker-API-Version", "2.17")], body.to_string());
    failing.store(1, Ordering::SeqCst);
    let waiting = exchange(second.address(), "PUT", I, &headers, &text);
    let shutdown = async {
        all_failed(&failing).await;
        second.end().await;
    };
    timeout(Duration::from_secs(5), async { tokio::join!(waiting, shutdown) }).await.expect("it is answered");
}

/// Another process has deleted the instance before this one reads that it was created.
#[tokio::test(start_paused = true)]
async fn a_request_that_has_joined_an_operation_of_the_past_is_decided_again() {
    let mut world = World::new();
    let (a, b) = (world.process("a").await, world.process("b").await);
    let call = world.begin(&a, "i").await;
    let work = async {
        sleep(Duration::from_secs(1)).await;
        b.stall();
        call.end_creation("made", &a).await;
        a.delete("i").await;
        world.call("a deprovision i 1").await.end_deletion(&a).await;
        b.wake();
        world.call("b provision i 1").await.end(Ending::Done("again")).await;
    };
    tokio::join!(b.ask_with("i", ""), work).0.has_status(201);
}

#[tokio::test(start_paused = true)]
async fn a_request_whose_own_operation_is_gone_is_not_decided_again() {
    let (mut world, a) = World::of_a_process().await;
    let work = async {
        let call = world.call("a provision i 1").await;
        world.forget("i").await;
        call.end(Ending::Done("made")).await;
        world.is_quiet().await;
    };
    tokio::join!(a.ask_with("i", ""), work).0.has_status(500);
}

#[tokio::test(start_paused = true)]
async fn a_request_whose_operation_was_taken_over_learns_of_its_end() {
    let (mut world, a, b) = World::of_two().await;
    let work = async {
        let _lost = world.call("a provision i 1").await;
        b.set_ahead(AHEAD);
        let rollback = world.call("b deprovision i 2").await;
        // The worker of the first process learns meanwhile that it has lost its claim.
        sleep(Duration::from_secs(30)).await;
        rollback.end(Ending::Done("")).await;
    };
    let answered = timeout(Duration::from_mins(2), async { tokio::join!(a.ask_with("i", ""), work).0 }).await;
    let failed = answered.expect("it is answered soon");
    assert!(failed.status == 500 && failed.description().contains("interrupted"), "{failed:?}");
}
