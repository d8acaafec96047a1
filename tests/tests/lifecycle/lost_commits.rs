//! Commits that have succeeded although the store reports an error, as when the connection to a database breaks.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use osb_lab::{
    lab::{Behaviour, Lab, LabBroker, ids},
    requests::{DELETE, I, new},
    wire::Wire,
};
use osb_runtime::{
    lifecycle::Settings,
    store::{Decision, Due, Key, Look, Memory, Pending, PlanUsage, Record, Records, Store, StoreError, Timestamp},
};
use serde_json::json;

/// A store in memory that loses the answers to some transactions.
struct Forgetful {
    memory: Memory,
    /// The number of answers to lose.
    losing: Arc<AtomicUsize>,
}

impl Store for Forgetful {
    fn transact<'a>(&'a self, keys: &'a [Key], decide: Decision<'a>) -> Pending<'a, ()> {
        Box::pin(async move {
            self.memory.transact(keys, decide).await?;
            let lost = self.losing.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
            lost.map_or(Ok(()), |_| Err(StoreError::new("the connection was closed")))
        })
    }

    fn read<'a>(&'a self, key: &'a Key, look: Look<'a>) -> Pending<'a, ()> {
        self.memory.read(key, look)
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
    let losing = Arc::<AtomicUsize>::default();
    let mut settings = Settings::default();
    settings.store = Records::new(Forgetful { memory: Memory::new(), losing: Arc::clone(&losing) });
    (Wire::serve_with(LabBroker { lab: lab.clone() }, settings).await, losing)
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
