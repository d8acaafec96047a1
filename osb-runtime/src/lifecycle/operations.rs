//! The workers of this process, and the requests that wait for the end of an operation.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::watched::Watched;
use crate::protocol::Answer;

#[derive(Default)]
pub(super) struct Operations {
    waiting: Registry<Arc<PendingEnd>>,
    workers: Registry<CancellationToken>,
    pub(super) tasks: TaskTracker,
    /// Cancelled when this process hands its operations over to others.
    pub(super) handed_over: CancellationToken,
}

/// A cell for the end of an operation, which requests wait for.
#[derive(Default)]
pub(super) struct PendingEnd {
    end: Watched<Option<OperationEnd>>,
    /// True if a task of this process reads the record for all of them.
    is_observed: AtomicBool,
}

impl PendingEnd {
    /// Sets the end unless it is known.
    pub(super) fn set(&self, end: OperationEnd) {
        self.end.change(|known| _ = known.get_or_insert(end));
    }

    /// Waits until the end is known.
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

/// Entries by operation id, each with the number of its holders. It is removed with the last one.
type Registry<T> = Arc<Mutex<Entries<T>>>;
type Entries<T> = BTreeMap<Arc<str>, (usize, T)>;

fn lock<T>(registry: &Registry<T>) -> MutexGuard<'_, Entries<T>> {
    registry.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An entry of a registry.
trait Registered: Clone + Default {
    /// Called when its last holder has left.
    fn removed(self) {}
}

impl Registered for CancellationToken {}

impl Registered for Arc<PendingEnd> {
    /// Tells the task that reads the record that no request waits any more.
    fn removed(self) {
        self.set(OperationEnd::Replaced);
    }
}

/// A reference to an entry, which keeps it in the registry.
struct Held<T: Registered> {
    registry: Registry<T>,
    operation: Arc<str>,
    entry: T,
}

impl<T: Registered> Held<T> {
    /// Adds a holder to an entry, which is created if it does not exist.
    fn new(registry: &Registry<T>, operation: &Arc<str>) -> Self {
        let mut entries = lock(registry);
        let (holders, entry) = entries.entry(Arc::clone(operation)).or_default();
        *holders += 1;
        Self { registry: Arc::clone(registry), operation: Arc::clone(operation), entry: entry.clone() }
    }
}

impl<T: Registered> Drop for Held<T> {
    fn drop(&mut self) {
        let mut entries = lock(&self.registry);
        if let Entry::Occupied(mut entry) = entries.entry(Arc::clone(&self.operation)) {
            entry.get_mut().0 -= 1;
            if entry.get().0 == 0 {
                let (_, last) = entry.remove();
                drop(entries);
                last.removed();
            }
        }
    }
}

/// A request's registration for the end of an operation.
pub(super) struct Waiting(Held<Arc<PendingEnd>>);

impl Waiting {
    pub(super) fn operation(&self) -> &Arc<str> {
        &self.0.operation
    }

    /// Waits for the operation's end.
    pub(super) async fn ended(&self) -> OperationEnd {
        self.0.entry.wait().await
    }
}

/// A worker's registration for an operation. As long as it exists, this process does not take the operation over.
pub(super) struct Working(Held<CancellationToken>);

impl Working {
    /// Returns the token that a deletion cancels when it cancels the operation.
    pub(super) fn stop(&self) -> &CancellationToken {
        &self.0.entry
    }
}

impl Operations {
    /// Registers for the end of an operation.
    pub(super) fn wait(&self, operation: &Arc<str>) -> Waiting {
        Waiting(Held::new(&self.waiting, operation))
    }

    /// Returns the end of an operation of another process, for a task that finds it out, unless there are no waiting requests,
    /// or another task does that already.
    pub(super) fn observe(&self, operation: &str) -> Option<Arc<PendingEnd>> {
        let waiting = lock(&self.waiting);
        let (_, ending) = waiting.get(operation)?;
        let is_first = !ending.is_observed.swap(true, Ordering::Relaxed);
        is_first.then(|| Arc::clone(ending))
    }

    /// Sends a response to the requests of this process that wait for the operation.
    pub(super) fn answer_waiting(&self, operation: &str, answer: Answer) {
        self.notify_waiting(operation, OperationEnd::Answered(answer));
    }

    /// Tells the requests of this process that wait for the operation how it has ended.
    pub(super) fn notify_waiting(&self, operation: &str, end: OperationEnd) {
        if let Some((_, ending)) = lock(&self.waiting).get(operation) {
            ending.end.change(|known| *known = Some(end));
        }
    }

    pub(super) fn working(&self, operation: &Arc<str>) -> Working {
        Working(Held::new(&self.workers, operation))
    }

    /// Returns true if this process works on an operation. Then its end will be sent to every request that has registered
    /// before this call.
    pub(super) fn is_working(&self, operation: &str) -> bool {
        lock(&self.workers).contains_key(operation)
    }

    /// Returns the number of operations that this process works on.
    pub(super) fn running(&self) -> usize {
        lock(&self.workers).len()
    }

    /// Cancels the work on an operation in this process.
    pub(super) fn stop(&self, operation: &str) {
        if let Some((_, token)) = lock(&self.workers).get(operation) {
            token.cancel();
        }
    }

    /// Waits until no worker is left.
    pub(super) async fn idle(&self) {
        self.tasks.close();
        self.tasks.wait().await;
        self.tasks.reopen();
    }
}

/// Returns an operation id: 128 random bits as 32 hexadecimal digits, which are unreserved characters (URL-02).
pub(super) fn new_id() -> Arc<str> {
    let mut bytes = [0; 16];
    // Ids have to differ, not to be secret: without randomness, the time is sufficient.
    if getrandom::fill(&mut bytes).is_err() {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        bytes = now.as_nanos().to_be_bytes();
    }
    let digits = bytes.map(|byte| [byte >> 4, byte & 15].map(|half| b"0123456789abcdef"[usize::from(half)]));
    std::str::from_utf8(digits.as_flattened()).unwrap_or_default().into()
}
