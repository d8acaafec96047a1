//! Requests to the store that fail, and commits that have succeeded although the store reports an error, as when the connection
//! to a database breaks.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use osb_lab::{
    lab::{Behaviour, Lab, LabBroker, ids},
    requests::{DELETE, I, change, new},
    wire::Wire,
};
use osb_runtime::{
    lifecycle::Settings,
    store::{Decision, Due, Key, Look, Memory, Pending, PlanUsage, Record, Records, Store, StoreError, Timestamp},
};
use serde_json::json;

/// A store in memory that loses the answers to some transactions, and to some reads.
struct Forgetful {
    memory: Memory,
    /// The number of answers to lose.
    losing: Arc<AtomicUsize>,
    losing_reads: Arc<AtomicUsize>,
}

/// Fails as long as there are answers to lose.
fn lose(left: &AtomicUsize) -> Result<(), StoreError> {
    let lost = left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
    lost.map_or(Ok(()), |_| Err(StoreError::new("the connection was closed")))
}

impl Store for Forgetful {
    fn transact<'a>(&'a self, keys: &'a [Key], decide: Decision<'a>) -> Pending<'a, ()> {
        Box::pin(async move {
            self.memory.transact(keys, decide).await?;
            lose(&self.losing)
        })
    }

    fn read<'a>(&'a self, key: &'a Key, look: Look<'a>) -> Pending<'a, ()> {
        Box::pin(async move {
            lose(&self.losing_reads)?;
            self.memory.read(key, look).await
        })
    }

    fn due<'a>(&'a self, now: Timestamp, after: Option<&'a Due>, most: usize) -> Pending<'a, Vec<Due>> {
        self.memory.due(now, after, most)
    }

    fn list<'a>(&'a self, after: Option<&'a Key>, most: usize) -> Pending<'a, Vec<(Key, Record)>> {
        self.memory.list(after, most)
    }

    fn uses(&self) -> Pending<'_, Vec<PlanUsage>> {
        self.memory.uses()
    }

    fn forget(&self, now: Timestamp) -> Pending<'_, ()> {
        self.memory.forget(now)
    }
}

async fn start(lab: &Lab) -> (Wire, Arc<AtomicUsize>) {
    let losing = Arc::default();
    (serve(lab, Arc::clone(&losing), Arc::default()).await, losing)
}

async fn serve(lab: &Lab, losing: Arc<AtomicUsize>, losing_reads: Arc<AtomicUsize>) -> Wire {
    let mut settings = Settings::default();
    settings.store = Records::new(Forgetful { memory: Memory::new(), losing, losing_reads });
    Wire::serve_with(LabBroker { lab: lab.clone() }, settings).await
}

/// Waits until a handler runs, lets the answers to the next transactions get lost, and lets the handler end.
async fn end_handler(lab: &Lab, losing: &AtomicUsize) {
    while lab.calls() == 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    losing.store(2, Ordering::SeqCst);
    lab.gate.open();
}

#[tokio::test]
async fn the_end_of_a_create_is_answered() {
    let lab = Lab::default();
    let (wire, losing) = start(&lab).await;
    let body = new(ids::SMALL, json!({ "mood": "wait_stubbornly" }));
    let (made, ()) = tokio::join!(wire.put(I, body.clone()), end_handler(&lab, &losing));
    assert_eq!(made.status, 201, "{made:?}");
    assert_eq!(losing.load(Ordering::SeqCst), 0);
    assert_eq!(wire.put(I, body).await.status, 200);
    assert_eq!((lab.calls(), lab.overlaps()), (1, 0));
}

#[tokio::test]
async fn the_end_of_a_deletion_is_answered() {
    let lab = Lab::default();
    let (wire, losing) = start(&lab).await;
    assert_eq!(wire.put(I, new(ids::SMALL, json!({ "mood": "succeed" }))).await.status, 201);
    lab.deletions_go(Behaviour::WaitStubbornly);
    let ends = async {
        while wire.get(&format!("{I}/last_operation")).await.body["state"] != "in progress" {}
        losing.store(2, Ordering::SeqCst);
        lab.gate.open();
    };
    let path = format!("{I}?{DELETE}");
    let (deleted, ()) = tokio::join!(wire.delete(&path), ends);
    assert_eq!(deleted.status, 200, "{deleted:?}");
    assert_eq!((losing.load(Ordering::SeqCst), lab.inventory().len()), (0, 0));
    assert_eq!(wire.delete(&path).await.status, 410);
}

#[tokio::test]
async fn a_change_of_plan_whose_record_cannot_be_read_is_unavailable() {
    let (lab, losing_reads) = (Lab::default(), Arc::<AtomicUsize>::default());
    let wire = serve(&lab, Arc::default(), Arc::clone(&losing_reads)).await;
    assert_eq!(wire.put(I, new(ids::SMALL, json!({ "mood": "succeed" }))).await.status, 201);
    losing_reads.store(1, Ordering::SeqCst);
    let refused = wire.patch(I, change(json!({ "plan_id": ids::TWIN }))).await;
    assert_eq!(refused.status, 503, "{refused:?}");
    assert!(refused.header("retry-after").is_some(), "{refused:?}");
    assert_eq!(losing_reads.load(Ordering::SeqCst), 0);
    assert_eq!(wire.patch(I, change(json!({ "plan_id": ids::TWIN }))).await.status, 200);
}
