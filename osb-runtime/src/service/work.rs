//! What a handler knows about its own run.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
};

use serde::{Serialize, de::DeserializeOwned};
use tokio::{sync::Notify, time::Instant};
use tokio_util::sync::CancellationToken;

use super::state::{Saved, StateType};

/// The run of a handler: its operation, its deadline, and the way to tell how far it has come.
///
/// `S` is the state of the thing being worked on, the instance's or the binding's.
///
/// A handler may run more than once for the same operation: again after an error that it called temporary, and from
/// the start when the process died. What an earlier run has saved is there then:
///
/// ```
/// # use osb_runtime::service::{CheckpointError, Work};
/// # use serde::{Deserialize, Serialize};
/// # async fn make_volume() -> u64 { 1 }
/// # async fn fill(volume: u64, from: u32) {}
/// #[derive(Serialize, Deserialize, Default)]
/// struct Store { volume: Option<u64>, filled: u32 }
///
/// async fn make(work: &Work<Store>) -> Result<Store, CheckpointError> {
///     let mut store = work.checkpointed().unwrap_or_default();
///     let volume = match store.volume {
///         Some(volume) => volume,
///         None => make_volume().await,
///     };
///     store.volume = Some(volume);
///     while store.filled < 100 {
///         work.checkpoint(&store).await?;
///         work.progress(format!("{} % filled", store.filled));
///         fill(volume, store.filled).await;
///         store.filled += 1;
///     }
///     Ok(store)
/// }
/// ```
pub struct Work<S = ()> {
    handle: Arc<WorkHandle>,
    state: StateType<S>,
}

impl<S> Work<S> {
    pub(super) fn new(handle: Arc<WorkHandle>, state: StateType<S>) -> Self {
        Self { handle, state }
    }

    /// The operation's id: the same for every attempt at it, and of unreserved characters only. Good for naming what is
    /// made, so that the next attempt finds it.
    pub fn operation_id(&self) -> &str {
        &self.handle.operation
    }

    /// Which attempt at the operation this is; the first is 1.
    pub fn attempt(&self) -> u32 {
        self.handle.attempt
    }

    /// When the work has to be done: then the runtime cancels it, and cleans up what was made. It moves away when a
    /// platform that waits for the answer agrees to poll for it instead.
    pub fn deadline(&self) -> Instant {
        *self.handle.deadline.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the work is no longer wanted. A handler that goes on regardless is dropped a moment later.
    pub fn is_cancelled(&self) -> bool {
        self.handle.cancelled.is_cancelled()
    }

    /// Ends when the work is no longer wanted.
    pub async fn cancelled(&self) {
        self.handle.cancelled.cancelled().await;
    }

    /// Tells users how far the work has come, in words that `last_operation` shows (ASY-07).
    pub fn progress(&self, text: impl Into<String>) {
        self.handle.tell(text.into());
    }
}

impl<S: Serialize> Work<S> {
    /// Saves the state as far as it has come. The next attempt gets it from [`checkpointed`](Self::checkpointed), and
    /// a clean-up after a failure as the state of what there is to remove.
    ///
    /// Save *before* making something that only the state leads to.
    ///
    /// # Errors
    ///
    /// If the state can't be written as JSON, or if this attempt no longer holds the operation: another one has been
    /// begun, and nothing of this one counts any more.
    pub async fn checkpoint(&self, state: &S) -> Result<(), CheckpointError> {
        let saved = self.state.save(state).map_err(|error| CheckpointError(error.to_string()))?;
        self.handle.journal.save(saved).await
    }
}

impl<S: DeserializeOwned> Work<S> {
    /// The newest state that an earlier attempt has saved; `None` on the first attempt, if there was none, or if it
    /// was saved by another release and can't be [migrated](super::Provision::migrate_state).
    ///
    /// When the plan changes it is also what an earlier, failed change to the same plan has saved.
    pub fn checkpointed(&self) -> Option<S> {
        self.state.read_if_possible(self.handle.earlier.as_ref(), &self.handle.operation)
    }
}

impl<S> fmt::Debug for Work<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.handle.fmt(f)
    }
}

/// The state could not be saved.
#[derive(Debug)]
pub struct CheckpointError(pub(crate) String);

impl fmt::Display for CheckpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the state could not be saved: {}", self.0)
    }
}

impl std::error::Error for CheckpointError {}

/// A checkpoint on its way.
pub(crate) type Saving<'a> = Pin<Box<dyn Future<Output = Result<(), CheckpointError>> + Send + 'a>>;

/// Where checkpoints go.
pub(crate) trait Journal: Send + Sync {
    fn save(&self, state: Saved) -> Saving<'_>;
}

/// The runtime's side of a [`Work`].
pub struct WorkHandle {
    pub(crate) operation: String,
    pub(crate) attempt: u32,
    pub(crate) deadline: Mutex<Instant>,
    pub(crate) cancelled: CancellationToken,
    /// What an earlier attempt has saved.
    pub(crate) earlier: Option<Saved>,
    pub(crate) journal: Box<dyn Journal>,
    said: Mutex<Option<String>>,
    /// Something was said.
    pub(crate) told: Notify,
}

impl WorkHandle {
    pub(crate) fn new(
        operation: String,
        attempt: u32,
        deadline: Instant,
        earlier: Option<Saved>,
        journal: impl Journal + 'static,
    ) -> Arc<Self> {
        Arc::new(Self {
            operation,
            attempt,
            deadline: Mutex::new(deadline),
            cancelled: CancellationToken::new(),
            earlier,
            journal: Box::new(journal),
            said: Mutex::default(),
            told: Notify::new(),
        })
    }

    fn tell(&self, text: String) {
        *self.said.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
        self.told.notify_one();
    }

    /// The newest thing that was said, once.
    pub(crate) fn said(&self) -> Option<String> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl fmt::Debug for WorkHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Work")
            .field("operation", &self.operation)
            .field("attempt", &self.attempt)
            .finish_non_exhaustive()
    }
}
