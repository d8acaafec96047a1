//! The workers of this process, and the requests that wait for the end of an operation.

use std::{
    cell::RefCell,
    collections::{BTreeMap, btree_map::Entry},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use tokio::sync::{Notify, futures::Notified};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::awaited::Awaited;
use crate::{protocol::Answer, store::Timestamp};

#[derive(Default)]
pub(super) struct Operations {
    entries: Registry,
    pub(super) tasks: TaskTracker,
    /// Cancelled when this process hands its operations over to others.
    pub(super) handed_over: CancellationToken,
    transacted: Notify,
    /// True if a worker may wait for `transacted`, whose lock all transactions would contend for.
    is_awaited: AtomicBool,
}

/// A cell for the end of an operation, which requests wait for.
#[derive(Default)]
pub(super) struct PendingEnd {
    end: Awaited<Option<OperationEnd>>,
    /// True if a task of this process reads the record for all of them.
    is_observed: AtomicBool,
}

impl PendingEnd {
    /// Sets the end unless it is known.
    pub(super) fn set(&self, end: OperationEnd) {
        self.end.change(|known| _ = known.get_or_insert(end));
    }

    pub(super) async fn wait(&self) -> OperationEnd {
        self.end.wait_for(Clone::clone).await
    }
}

/// The end of an operation, as a waiting request learns it.
#[derive(Clone)]
pub(super) enum OperationEnd {
    /// It has ended with this response.
    Answered(Answer),
    /// This process is shutting down, and another one continues with the operation.
    HandedOver,
    /// The record no longer has the operation.
    Replaced,
}

/// The operations that requests of this process wait for, or that it works on, by their ids.
type Registry = Arc<Mutex<BTreeMap<Arc<str>, Held>>>;

/// An operation of the registry. It is removed with the last request and the last worker.
#[derive(Default)]
struct Held {
    /// The number of requests that wait.
    waiting: usize,
    /// The end that they wait for.
    end: Option<Arc<PendingEnd>>,
    workers: usize,
    /// The time at which the operation began, if it has workers, and the store has confirmed its claim.
    began: Option<Timestamp>,
    /// Cancelled when a deletion cancels the operation, and made when it is needed.
    stop: Option<CancellationToken>,
}

fn lock(registry: &Registry) -> MutexGuard<'_, BTreeMap<Arc<str>, Held>> {
    registry.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lets a request or a worker leave an operation.
fn leave<R>(registry: &Registry, operation: &Arc<str>, leave: impl FnOnce(&mut Held) -> R) -> Option<R> {
    let mut entries = lock(registry);
    let Entry::Occupied(mut entry) = entries.entry(Arc::clone(operation)) else { return None };
    let left = leave(entry.get_mut());
    if (entry.get().waiting, entry.get().workers) == (0, 0) {
        entry.remove();
    }
    Some(left)
}

/// A request's registration for the end of an operation.
pub(super) struct Waiting {
    registry: Registry,
    pub(super) operation: Arc<str>,
    pub(super) end: Arc<PendingEnd>,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let last = leave(&self.registry, &self.operation, |held| {
            held.waiting -= 1;
            if held.waiting == 0 { held.end.take() } else { None }
        });
        // Tells the task that reads the record that no request waits any more.
        if let Some(Some(end)) = last {
            end.set(OperationEnd::Replaced);
        }
    }
}

/// A worker's registration for an operation. As long as it exists, this process does not take the operation over.
pub(super) struct Working {
    registry: Registry,
    operation: Arc<str>,
}

impl Drop for Working {
    fn drop(&mut self) {
        leave(&self.registry, &self.operation, |held| {
            held.workers -= 1;
            held.stop.take_if(|_| held.workers == 0)
        });
    }
}

impl Operations {
    /// Registers for the end of an operation.
    pub(super) fn wait(&self, operation: &Arc<str>) -> Waiting {
        let mut entries = lock(&self.entries);
        let held = entries.entry(Arc::clone(operation)).or_default();
        held.waiting += 1;
        let end = Arc::clone(held.end.get_or_insert_default());
        Waiting { registry: Arc::clone(&self.entries), operation: Arc::clone(operation), end }
    }

    /// Returns the end of an operation of another process, for a task that watches for it, unless there are no waiting
    /// requests, or another task does that already.
    pub(super) fn observe(&self, operation: &str) -> Option<Arc<PendingEnd>> {
        let entries = lock(&self.entries);
        let end = entries.get(operation)?.end.as_ref()?;
        let is_first = !end.is_observed.swap(true, Ordering::Relaxed);
        is_first.then(|| Arc::clone(end))
    }

    /// Sends a response to the requests of this process that wait for the operation.
    pub(super) fn answer_waiting(&self, operation: &str, answer: Answer) {
        self.notify_waiting(operation, OperationEnd::Answered(answer));
    }

    /// Tells the requests of this process that wait for the operation how it has ended.
    pub(super) fn notify_waiting(&self, operation: &str, end: OperationEnd) {
        if let Some(ending) = lock(&self.entries).get(operation).and_then(|held| held.end.as_ref()) {
            ending.end.change(|known| *known = Some(end));
        }
    }

    pub(super) fn working(&self, operation: &Arc<str>, began: Option<Timestamp>) -> Working {
        let mut entries = lock(&self.entries);
        let held = entries.entry(Arc::clone(operation)).or_default();
        (held.workers, held.began) = (held.workers + 1, began);
        Working { registry: Arc::clone(&self.entries), operation: Arc::clone(operation) }
    }

    /// Returns true if this process works on an operation. Then its end will be sent to every request that has registered
    /// before this call.
    pub(super) fn is_working(&self, operation: &str) -> bool {
        lock(&self.entries).get(operation).is_some_and(|held| held.workers > 0)
    }

    /// Returns the number of operations that this process works on, without unconfirmed claims, and when the oldest began.
    pub(super) fn running(&self) -> (usize, Option<Timestamp>) {
        let entries = lock(&self.entries);
        let running = entries.values().filter(|held| held.workers > 0).filter_map(|held| held.began);
        (running.clone().count(), running.min())
    }

    /// Returns the token that is cancelled when a deletion cancels an operation that this process works on.
    pub(super) fn stop(&self, operation: &str) -> CancellationToken {
        let mut entries = lock(&self.entries);
        let held = entries.get_mut(operation).filter(|held| held.workers > 0);
        held.map(|held| held.stop.get_or_insert_default().clone()).unwrap_or_default()
    }

    /// Waits until a transaction succeeds after this call.
    pub(super) fn transacted(&self) -> Notified<'_> {
        let transacted = self.transacted.notified();
        self.is_awaited.store(true, Ordering::Relaxed);
        transacted
    }

    /// Ends the pauses of workers, because a transaction has succeeded.
    pub(super) fn end_pauses(&self) {
        if self.is_awaited.load(Ordering::Relaxed) {
            self.is_awaited.store(false, Ordering::Relaxed);
            self.transacted.notify_waiters();
        }
    }

    pub(super) async fn idle(&self) {
        self.tasks.close();
        self.tasks.wait().await;
        self.tasks.reopen();
    }
}

/// Returns an operation id: 128 random bits as 32 hexadecimal digits, which are unreserved characters (URL-02).
pub(crate) fn new_id() -> Arc<str> {
    let bytes = RANDOM.with_borrow_mut(|random| random.pop().unwrap_or_else(|| refill(random)));
    let digits = bytes.map(|byte| [byte >> 4, byte & 15].map(|half| b"0123456789abcdef"[usize::from(half)]));
    std::str::from_utf8(digits.as_flattened()).unwrap_or_default().into()
}

thread_local! {
    /// Random numbers for the next ids: reading each one from the system takes longer than the rest of the work for an id.
    static RANDOM: RefCell<Vec<[u8; 16]>> = const { RefCell::new(Vec::new()) };
}

fn refill(random: &mut Vec<[u8; 16]>) -> [u8; 16] {
    let mut numbers = [[0; 16]; 32];
    // Ids have to differ, not to be secret: without randomness, the time is sufficient.
    if getrandom::fill(numbers.as_flattened_mut()).is_err() {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        return now.as_nanos().to_be_bytes();
    }
    let [first, others @ ..] = numbers;
    random.extend_from_slice(&others);
    first
}

#[cfg(test)]
#[path = "../../tests/unit/operation_ids.rs"]
mod tests;
