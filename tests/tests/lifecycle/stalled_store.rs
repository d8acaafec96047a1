//! Deadlines, cancellation, claims and responses while the record store does not answer, or answers late.

use std::future::ready;

use osb_lab::{direct::exchange, prelude::*, wire::start};
use osb_runtime::{
    lifecycle::{
        admin::View,
        transfer::{self, Values},
    },
    service::Broker,
    store::{Key, Memory, Pending, Record, Store, StoreError, Timestamp},
};
use tokio::sync::watch;

use crate::hooked_store::{Around, Hooked, Request, Written};

/// Stops the answers of a store while a flag is set.
pub(crate) struct Stalls {
    /// Requests have no effect meanwhile.
    pub(crate) stops: watch::Receiver<bool>,
    /// Transactions have had their effect.
    pub(crate) holds: watch::Receiver<bool>,
    /// Transactions fail instead, and have no effect.
    pub(crate) refuses: watch::Receiver<bool>,
    pub(crate) undone: Written,
    /// Returns the store's time.
    pub(crate) now: Box<dyn Fn() -> Option<Timestamp> + Send + Sync>,
}

/// Waits until the flag is not set.
async fn pass(flag: &watch::Receiver<bool>) -> Result<(), StoreError> {
    let _ = flag.clone().wait_for(|is_set| !is_set).await;
    Ok(())
}

impl Around for Stalls {
    fn before(&self, request: Request) -> Pending<'_, ()> {
        if request == Request::Due { Box::pin(ready(Ok(()))) } else { Box::pin(pass(&self.stops)) }
    }

    fn after(&self, request: Request) -> Pending<'_, ()> {
        match request {
            Request::Due => Box::pin(pass(&self.stops)),
            Request::Transact => Box::pin(pass(&self.holds)),
            Request::Read | Request::Count => Box::pin(ready(Ok(()))),
        }
    }

    fn delayed(&self) -> Option<&Written> {
        self.refuses.borrow().then_some(&self.undone)
    }

    fn now(&self) -> Option<Timestamp> {
        (self.now)()
    }
}

/// Returns records in a store that stops answering while the flag is set.
fn stalling(memory: &Arc<Memory>, stalls: watch::Receiver<bool>) -> Records {
    let never = || watch::channel(false).1;
    let (holds, refuses, undone, now) = (never(), never(), Written::default(), Box::new(|| None));
    let around = Stalls { stops: stalls, holds, refuses, undone, now };
    Records::new(Hooked::new(Arc::clone(memory), around))
}

/// A request that is dropped while its decision waits for the store: if the store has made it, the operation needs a worker (T62).
#[tokio::test]
async fn a_platform_that_hangs_up_before_the_decision_leaves_no_operation_without_a_worker() {
    let (lab, (stalls, stalled)) = (Lab::default(), watch::channel(false));
    let mut settings = Settings::default();
    settings.store = stalling(&Arc::default(), stalled);
    let service = start(LabBroker { lab: lab.clone() }, settings).await;
    let service = service.expect("it starts");
    stalls.send_replace(true);
    let (headers, body) =
        ([("Authorization", AUTHORIZATION), ("X-Broker-API-Version", "2.17")], new(ids::SMALL, json!({})));
    let body = body.to_string();
    let answer = exchange(&service, "PUT", I, &headers, &body);
    assert!(tokio::time::timeout(Duration::ZERO, answer).await.is_err(), "the store stalls");
    assert_eq!(lab.calls(), 0);
    stalls.send_replace(false);
    until(async || lab.calls() == 1).await;
}

/// A store whose commits take a while, and in which a tenth of the records is damaged.
#[derive(Default)]
struct Slow {
    running: AtomicUsize,
    most: AtomicUsize,
}

impl Around for Arc<Slow> {
    fn before(&self, request: Request) -> Pending<'_, ()> {
        if request == Request::Transact {
            self.most.fetch_max(self.running.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
        }
        Box::pin(async {
            tokio::time::sleep(Duration::from_millis(5)).await;
            Ok(())
        })
    }

    fn after(&self, request: Request) -> Pending<'_, ()> {
        self.running.fetch_sub(usize::from(request == Request::Transact), Ordering::Relaxed);
        Box::pin(ready(Ok(())))
    }

    fn damages(&self, key: &Key) -> bool {
        key.instance.as_str().ends_with('7')
    }
}

#[tokio::test]
async fn readable_records_are_resealed_many_at_a_time() {
    let memory = Arc::new(Memory::new());
    for number in 0..300 {
        let line = json!({
            "instance_id": format!("i{number}"), "service_id": ids::LAB, "plan_id": ids::SMALL, "state": "whole i",
        });
        let read = transfer::read(&line.to_string(), LabBroker::OFFERINGS, Values::New, Timestamp::from_millis(1));
        for (key, record) in read.expect("it is valid") {
            let mut put = |records: &mut [Option<Record>]| records[0] = Some(record.clone());
            memory.transact(std::slice::from_ref(&key), &mut put).await.expect("it is stored");
        }
    }
    let slow = Arc::<Slow>::default();
    let store = Hooked::new(memory, Arc::clone(&slow));
    let view = View { store: &store, offerings: LabBroker::OFFERINGS };
    assert_eq!(view.reseal().await.expect("the store works"), (270, 30));
    assert_eq!(slow.most.load(Ordering::Relaxed), 64);
}
