//! What a handler knows about its own run.

use std::{
    fmt,
    marker::PhantomData,
    sync::{Arc, Mutex, PoisonError},
};

use serde::Serialize;
use serde_json::Value;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// The run of a handler: its operation, its deadline, and the way to save what was done so far.
///
/// `S` is the state of the thing being worked on, the instance's or the binding's.
pub struct Work<S = ()> {
    handle: Arc<WorkHandle>,
    state: PhantomData<fn(S)>,
}

impl<S: Serialize> Work<S> {
    pub(crate) fn new(handle: Arc<WorkHandle>) -> Self {
        Self { handle, state: PhantomData }
    }

    /// The operation's id: the same for every attempt at it, and of unreserved characters only.
    pub fn operation_id(&self) -> &str {
        &self.handle.operation
    }

    /// When the runtime stops waiting: then it cancels, and cleans up what was made.
    pub fn deadline(&self) -> Instant {
        self.handle.deadline
    }

    /// Whether the work is no longer wanted. A handler that goes on regardless is dropped a moment later.
    pub fn is_cancelled(&self) -> bool {
        self.handle.cancelled.is_cancelled()
    }

    /// Ends when the work is no longer wanted.
    pub async fn cancelled(&self) {
        self.handle.cancelled.cancelled().await;
    }

    /// Saves the state as far as it has come, so that a clean-up after a failure knows what there is to remove.
    ///
    /// Save *before* making something that only the state leads to.
    ///
    /// # Errors
    ///
    /// If the state can't be written as JSON.
    #[expect(clippy::unused_async, reason = "a store on disk waits here")]
    pub async fn checkpoint(&self, state: &S) -> Result<(), CheckpointError> {
        let value = serde_json::to_value(state).map_err(|error| CheckpointError(error.to_string()))?;
        self.handle.save(value);
        Ok(())
    }
}

impl<S> fmt::Debug for Work<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Work").field("operation", &self.handle.operation).finish_non_exhaustive()
    }
}

/// The state could not be saved.
#[derive(Debug)]
pub struct CheckpointError(String);

impl fmt::Display for CheckpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the state could not be saved: {}", self.0)
    }
}

impl std::error::Error for CheckpointError {}

/// The runtime's side of a [`Work`].
#[derive(Debug)]
pub struct WorkHandle {
    pub(crate) operation: String,
    pub(crate) deadline: Instant,
    pub(crate) cancelled: CancellationToken,
    checkpoint: Mutex<Option<Value>>,
}

impl WorkHandle {
    pub(crate) fn new(operation: String, deadline: Instant) -> Arc<Self> {
        Arc::new(Self { operation, deadline, cancelled: CancellationToken::new(), checkpoint: Mutex::new(None) })
    }

    pub(super) fn save(&self, state: Value) {
        *self.checkpoint.lock().unwrap_or_else(PoisonError::into_inner) = Some(state);
    }

    /// The newest state that was saved.
    pub(crate) fn saved(&self) -> Option<Value> {
        self.checkpoint.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
