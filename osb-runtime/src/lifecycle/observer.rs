//! Observation of running handlers, for test kits.

use std::pin::Pin;

use serde_json::Value;

use crate::service::{BindingResult, InstanceResult};

/// An observer of handlers that can also suspend them: a test kit simulates a crash with a future that never completes.
/// It is set as [`Settings::observer`](super::Settings::observer); `osb-testing` replays handlers with it.
pub trait HandlerObserver: Send + Sync + 'static {
    /// Called when a handler reaches a point. The handler continues when the future completes.
    fn reached<'a>(&'a self, point: HandlerPoint<'a>) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

    /// Called each time the handler has to wait. If it returns `false`, the handler never continues. Default: `true`.
    fn waits(&self) -> bool {
        true
    }
}

/// A point in the run of a handler.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum HandlerPoint<'a> {
    /// The handler is about to be called.
    Started,
    /// The handler's checkpoint is about to be saved.
    SavingCheckpoint,
    /// The attempt to save the checkpoint has ended, successfully or not.
    SavedCheckpoint,
    /// The handler has succeeded with this state, which is not stored yet; `null` for handlers without a state.
    Succeeded(&'a Value),
    /// The handler has returned an error, with this text.
    Failed(&'a str),
}

/// Omits the state, since it may contain secrets (T68).
impl std::fmt::Debug for HandlerPoint<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Started => "Started",
            Self::SavingCheckpoint => "SavingCheckpoint",
            Self::SavedCheckpoint => "SavedCheckpoint",
            Self::Succeeded(_) => "Succeeded(..)",
            Self::Failed(text) => return f.debug_tuple("Failed").field(text).finish(),
        })
    }
}

/// A handler's result that may contain a state.
pub(super) trait Made {
    fn state(&self) -> &Value;
}

impl Made for () {
    fn state(&self) -> &Value {
        &Value::Null
    }
}

impl Made for InstanceResult {
    fn state(&self) -> &Value {
        &self.state.value
    }
}

impl Made for BindingResult {
    fn state(&self) -> &Value {
        &self.state.value
    }
}
