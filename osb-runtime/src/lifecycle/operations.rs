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
    waiting: Registry<watch::Sender<Option<Answer>>>,
    workers: Registry<CancellationToken>,
    pub(super) tasks: TaskTracker,
}

/// Entries by operation id, each with the number of its holders. It is removed with the last one.
type Registry<T> = Arc<Mutex<HashMap<String, (usize, T)>>>;

fn lock<T>(registry: &Registry<T>) -> MutexGuard<'_, HashMap<String, (usize, T)>> {
    registry.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A reference to an entry, which keeps it in the registry.
#[derive(Debug)]
struct Held<T> {
    registry: Registry<T>,
    operation: String,
}

impl<T> Held<T> {
    /// Adds a holder to an entry, which is created if it does not exist, and reads it with `take`.
    fn new<R>(
        registry: &Registry<T>,
        operation: &str,
        new: impl FnOnce() -> T,
        take: impl FnOnce(&T) -> R,
    ) -> (Self, R) {
        let mut entries = lock(registry);
        let (holders, entry) = entries.entry(operation.to_owned()).or_insert_with(|| (0, new()));
        *holders += 1;
        (Self { registry: Arc::clone(registry), operation: operation.to_owned() }, take(entry))
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
    held: Held<watch::Sender<Option<Answer>>>,
    ended: watch::Receiver<Option<Answer>>,
}

impl Waiting {
    pub(super) fn operation(&self) -> &str {
        &self.held.operation
    }

    /// Waits for the operation's response.
    pub(super) async fn ended(&mut self) -> Option<Answer> {
        self.ended.wait_for(Option::is_some).await.ok()?.clone()
    }
}

/// A worker's registration for an operation.
#[derive(Debug)]
pub(super) struct Working {
    _held: Held<CancellationToken>,
    /// Cancelled when a deletion cancels the operation.
    pub(super) stop: CancellationToken,
}

impl Operations {
    /// Registers for the end of an operation.
    pub(super) fn wait(&self, operation: &str) -> Waiting {
        let (held, ended) = Held::new(&self.waiting, operation, || watch::Sender::new(None), watch::Sender::subscribe);
        Waiting { held, ended }
    }

    /// Sends a response to the requests of this process that wait for the operation.
    pub(super) fn ended(&self, operation: &str, answer: Answer) {
        if let Some((_, sender)) = lock(&self.waiting).get(operation) {
            sender.send_replace(Some(answer));
        }
    }

    pub(super) fn working(&self, operation: &str) -> Working {
        let (held, stop) = Held::new(&self.workers, operation, CancellationToken::new, Clone::clone);
        Working { _held: held, stop }
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
pub(super) fn new_id() -> String {
    let mut bytes = [0; 16];
    // Ids have to differ, not to be secret: without randomness, the time is sufficient.
    if getrandom::fill(&mut bytes).is_err() {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        bytes = now.as_nanos().to_be_bytes();
    }
    format!("{:032x}", u128::from_be_bytes(bytes))
}
