//! The operation that a handler runs for.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use tokio::{sync::Notify, time::Instant};
use tokio_util::sync::CancellationToken;

use super::{
    Failure,
    state::{StateJson, StateType},
};
use crate::protocol::{TraceParent, debug_fields, debug_text};

/// The operation that a handler runs for: its id and deadline, cancellation, progress and checkpoints.
///
/// `S` is the state of the instance or binding.
///
/// A handler may run more than once for the same operation: after a temporary error, and after the process has died. A
/// later attempt can continue from the checkpoint of an earlier one:
///
/// ```
/// # use osb_runtime::service::{CheckpointError, Operation};
/// # use serde::{Deserialize, Serialize};
/// # async fn create_volume(name: &str) {}
/// # async fn fill(volume: &str, from: u32) {}
/// #[derive(Serialize, Deserialize)]
/// struct Store { volume: String, filled: u32 }
///
/// async fn create(operation: &Operation<Store>) -> Result<Store, CheckpointError> {
///     let new = || Store { volume: format!("volume-{}", operation.id()), filled: 0 };
///     let mut store = operation.checkpointed().unwrap_or_else(new);
///     // Saved before the volume exists, so that a rollback knows its name.
///     operation.checkpoint(&store).await?;
///     create_volume(&store.volume).await; // nothing to do if it exists
///     while store.filled < 100 {
///         fill(&store.volume, store.filled).await;
///         store.filled += 1;
///         operation.checkpoint(&store).await?;
///         operation.progress(format!("{} % filled", store.filled));
///     }
///     Ok(store)
/// }
/// ```
pub struct Operation<S = ()> {
    handle: Arc<OperationHandle>,
    state: StateType<S>,
}

impl<S> Operation<S> {
    pub(super) fn new(handle: Arc<OperationHandle>, state: StateType<S>) -> Self {
        Self { handle, state }
    }

    /// Returns the operation's id: 32 lower-case hexadecimal digits, such as `8a5f1e0efc8a4f2cb11982be20fbf662`. It is unique,
    /// and the same for all attempts. Use it to name the resources that you create, so that the next attempt finds them.
    pub fn id(&self) -> &str {
        &self.handle.operation
    }

    /// Returns the number of this attempt; the first is 1.
    pub fn attempt(&self) -> u32 {
        self.handle.attempt
    }

    /// Returns the time at which the runtime cancels the operation and rolls it back. The deadline moves later if a
    /// platform that waits for the answer repeats the request and agrees to poll.
    pub fn deadline(&self) -> Instant {
        self.handle.deadline()
    }

    /// Returns whether the operation is cancelled. A handler that does not return soon after that is dropped.
    pub fn is_cancelled(&self) -> bool {
        self.handle.is_cancelled()
    }

    /// Waits until the operation is cancelled.
    pub async fn cancelled(&self) {
        self.handle.cancelled().cancelled().await;
    }

    /// Returns the [`traceparent`](TraceParent) of the request, to pass it on to the services that the handler calls.
    pub fn trace(&self) -> Option<&TraceParent> {
        self.handle.trace.as_ref()
    }

    /// Reports progress to users: the text is the `description` in answers to `last_operation` (ASY-07). It is stored at most
    /// five times a second, and cut after 10,000 characters.
    pub fn progress(&self, text: impl fmt::Display) {
        let whole = self.handle.whole();
        *whole.progress.lock().unwrap_or_else(PoisonError::into_inner) = Some(text.to_string());
        whole.progress_changed.notify_one();
    }

    /// Saves the current state. The next attempt gets it from [`checkpointed`](Self::checkpointed), and a rollback gets
    /// it as the state of the instance or binding.
    ///
    /// Save *before* you create a resource that can only be found through the state. While the store fails, for example because
    /// its database restarts, this waits, and tries again until the operation is cancelled.
    ///
    /// # Errors
    ///
    /// If the state can't be written as JSON, if the operation is cancelled while the store fails, or if this attempt no longer
    /// holds the operation because another one has begun. In the last case, the result of this attempt is ignored.
    pub fn checkpoint(&self, state: &S) -> impl Future<Output = Result<(), CheckpointError>> {
        let saved = self.state.save(state).map_err(|error| CheckpointError(error.to_string()));
        async { self.handle.journal.save(saved?, self.handle.cancelled()).await }
    }

    /// Creates the operation of an attempt. An error if the latest checkpoint can't be decoded: without it, a handler would
    /// create everything a second time.
    pub(super) fn begin(handle: Arc<OperationHandle>, state: StateType<S>) -> Result<Self, Failure> {
        let operation = Self::new(handle, state);
        operation.earlier().map_err(|error| Failure::unexpected(format!("the checkpoint can't be used: {error}")))?;
        Ok(operation)
    }

    /// Returns the latest checkpoint of earlier attempts; `None` on the first attempt, or if there is none. A create, bind
    /// or update fails before its handler is called if another release saved a checkpoint that can't be
    /// [migrated](super::Provision::migrate_state).
    ///
    /// On a change of plan it may also be the checkpoint of an earlier, failed change to the same plan.
    pub fn checkpointed(&self) -> Option<S> {
        self.earlier().ok().flatten()
    }

    fn earlier(&self) -> Result<Option<S>, String> {
        self.handle.earlier.as_ref().map(|saved| self.state.read(saved, &self.handle.operation)).transpose()
    }
}

debug_text!(Operation<S> where S, Self { handle, .. } => "{handle:?}");

/// The error of [`Operation::checkpoint`].
#[derive(Debug, thiserror::Error)]
#[error("the checkpoint could not be saved: {0}")]
pub struct CheckpointError(pub(crate) String);

/// A checkpoint that is being saved.
pub(crate) type Saving<'a> = Pin<Box<dyn Future<Output = Result<(), CheckpointError>> + Send + 'a>>;

/// The destination of checkpoints.
pub trait Journal: Send + Sync {
    fn save<'a>(&'a self, state: StateJson, cancelled: &'a CancellationToken) -> Saving<'a>;
}

/// The runtime's side of an [`Operation`].
pub struct OperationHandle<J: ?Sized = dyn Journal> {
    pub(crate) operation: Arc<str>,
    pub(crate) attempt: u32,
    deadline: Mutex<Instant>,
    /// It is made when it is needed: by a handler that looks, or to cancel it.
    cancelled: OnceLock<CancellationToken>,
    /// The latest checkpoint of earlier attempts.
    pub(crate) earlier: Option<StateJson>,
    /// The trace of the request.
    pub(crate) trace: Option<TraceParent>,
    progress: Mutex<Option<String>>,
    /// Notified of each new progress text.
    pub(crate) progress_changed: Notify,
    /// The operation that the handler is a part of, such as the deletion of the instance whose bindings are unbound.
    whole: Option<Arc<OperationHandle>>,
    journal: J,
}

impl<J: Journal> OperationHandle<J> {
    pub(crate) fn new(
        (operation, attempt): (Arc<str>, u32),
        deadline: Instant,
        earlier: Option<StateJson>,
        trace: Option<TraceParent>,
        journal: J,
    ) -> Self {
        Self {
            operation,
            attempt,
            deadline: Mutex::new(deadline),
            cancelled: OnceLock::new(),
            earlier,
            trace,
            progress: Mutex::default(),
            progress_changed: Notify::new(),
            whole: None,
            journal,
        }
    }
}

impl OperationHandle {
    /// Returns the handle of a handler that is a part of the operation, and is cancelled with it.
    pub(crate) fn part(self: &Arc<Self>, journal: impl Journal + 'static) -> Arc<Self> {
        let attempt = (self.operation.clone(), self.attempt);
        let mut part = OperationHandle::new(attempt, self.deadline(), None, self.trace.clone(), journal);
        (part.cancelled, part.whole) = (self.cancelled().child_token().into(), Some(Arc::clone(self)));
        Arc::new(part)
    }

    /// Returns the token that is cancelled with the operation.
    pub(crate) fn cancelled(&self) -> &CancellationToken {
        self.cancelled.get_or_init(CancellationToken::new)
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.get().is_some_and(CancellationToken::is_cancelled)
    }

    fn whole(&self) -> &Self {
        self.whole.as_deref().unwrap_or(self)
    }

    pub(crate) fn deadline(&self) -> Instant {
        *self.whole().deadline.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn extend(&self, deadline: Instant) {
        *self.deadline.lock().unwrap_or_else(PoisonError::into_inner) = deadline;
    }

    /// Returns the latest progress text that is not stored yet.
    pub(crate) fn progress(&self) -> Option<String> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn progress_stored(&self, text: &str) {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner).take_if(|latest| latest == text);
    }
}

debug_fields!(OperationHandle { operation, attempt });
