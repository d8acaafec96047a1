//! A view of running handlers for test kits.

use std::pin::Pin;

use serde_json::Value;

use crate::service::{MadeBinding, MadeInstance};

/// Follows handlers, and can hold them: a test kit interrupts a process by never letting the future end.
/// [`Settings::probe`](super::Settings::probe) takes one; `osb-testing` replays handlers with it.
pub trait Probe: Send + Sync + 'static {
    /// Is called when a handler reaches a point. The handler goes on when the future ends.
    fn reached<'a>(&'a self, point: ProbePoint<'a>) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>>;
}

/// A point in the run of a handler.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum ProbePoint<'a> {
    /// The handler is about to be called.
    Started,
    /// The handler's checkpoint is about to be saved.
    SavingCheckpoint,
    /// The handler's checkpoint is saved, or could not be.
    SavedCheckpoint,
    /// The handler has returned; the state is not stored yet. It is `null` for handlers that return none.
    Succeeded(&'a Value),
    /// The handler has returned an error, with this text.
    Failed(&'a str),
}

/// The state in a handler's result.
pub(super) trait Made {
    fn state(&self) -> &Value;
}

impl Made for () {
    fn state(&self) -> &Value {
        &Value::Null
    }
}

impl Made for MadeInstance {
    fn state(&self) -> &Value {
        &self.state.value
    }
}

impl Made for MadeBinding {
    fn state(&self) -> &Value {
        &self.state.value
    }
}
