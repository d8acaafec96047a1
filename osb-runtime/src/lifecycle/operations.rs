//! The workers of this process, and the requests that wait for the end of an operation.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::watch;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::protocol::Answer;

#[derive(Debug, Default)]
pub(super) struct Operations {
    waiting: Registry<Ending>,
    workers: Registry<CancellationToken>,
    pub(super) tasks: TaskTracker,
    /// Cancelled when this process hands its operations over to others.
    pub(super) handed_over: CancellationToken,
}

/// The end of an operation, for the requests that wait for it.
#[derive(Debug, Default)]
struct Ending {
    ended: Arc<watch::Sender<Option<End>>>,
    /// True if a task of this process reads the record for all of them.
    is_observed: bool,
}

/// The response of an operation that has ended; `None` if the record no longer has the operation.
pub(super) type End = Option<Answer>;

/// Entries by operation id, each with the number of its holders. It is removed with the last one.
type Registry<T> = Arc<Mutex<HashMap<Arc<str>, (usize, T)>>>;

fn lock<T>(registry: &Registry<T>) -> MutexGuard<'_, HashMap<Arc<str>, (usize, T)>> {
    registry.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A reference to an entry, which keeps it in the registry.
#[derive(Debug)]
struct Held<T> {
    registry: Registry<T>,
    operation: Arc<str>,
}

impl<T> Held<T> {
    /// Adds a holder to an entry, which is created if it does not exist, and reads it with `take`.
    fn new<R>(registry: &Registry<T>, operation: &Arc<str>, take: impl FnOnce(&T) -> R) -> (Self, R)
    where
        T: Default,
    {
        let mut entries = lock(registry);
        let (holders, entry) = entries.entry(Arc::clone(operation)).or_default();
        *holders += 1;
        (Self { registry: Arc::clone(registry), operation: Arc::clone(operation) }, take(entry))
    }
}

impl<T> Drop for Held<T> {
    fn drop(&mut self) {
        let mut registry = lock(&self.registry);
        if let Some((holders, _)) = registry.get_mut(&self.operation) {
            *holders -= 1;
            if *holders == 0 {
                registry.remove(&self.operation);
            }
        }
    }
}

/// A request's registration for the end of an operation.
#[derive(Debug)]
pub(super) struct Waiting {
    held: Held<Ending>,
    ended: watch::Receiver<Option<End>>,
}

impl Waiting {
    pub(super) fn operation(&self) -> &Arc<str> {
        &self.held.operation
    }

    /// Waits for the operation's end.
    pub(super) async fn ended(&mut self) -> End {
        self.ended.wait_for(Option::is_some).await.ok()?.clone().flatten()
    }
}

/// A worker's registration for an operation. As long as it exists, this process does not take the operation over.
#[derive(Debug)]
pub(super) struct Working {
    _held: Held<CancellationToken>,
    /// Cancelled when a deletion cancels the operation.
    pub(super) stop: CancellationToken,
}

impl Operations {
    /// Registers for the end of an operation.
    pub(super) fn wait(&self, operation: &Arc<str>) -> Waiting {
        let (held, ended) = Held::new(&self.waiting, operation, |ending: &Ending| ending.ended.subscribe());
        Waiting { held, ended }
    }

    /// Returns the sender for the end of an operation of another process, unless there are no waiting requests, or another
    /// task has the sender already.
    pub(super) fn observe(&self, operation: &str) -> Option<Arc<watch::Sender<Option<End>>>> {
        let mut waiting = lock(&self.waiting);
        let (_, ending) = waiting.get_mut(operation)?;
        let is_first = !std::mem::replace(&mut ending.is_observed, true);
        is_first.then(|| Arc::clone(&ending.ended))
    }

    /// Sends a response to the requests of this process that wait for the operation.
    pub(super) fn ended(&self, operation: &str, answer: Answer) {
        if let Some((_, ending)) = lock(&self.waiting).get(operation) {
            ending.ended.send_replace(Some(Some(answer)));
        }
    }

    pub(super) fn working(&self, operation: &Arc<str>) -> Working {
        let (held, stop) = Held::new(&self.workers, operation, Clone::clone);
        Working { _held: held, stop }
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
    let digit = |half: u8| char::from_digit(half.into(), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect::<String>().into()
}
