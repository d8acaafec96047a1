//! Saved states, and their migration between releases.

use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{Bind, Bindable, BoxError, Plan, Provision};

/// A state as this release or another one saved it.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Saved {
    /// The [`Provision::STATE_VERSION`] or [`Bind::STATE_VERSION`] of the release that saved it.
    #[serde(default, skip_serializing_if = "is_first")]
    pub version: u32,
    /// The state as JSON.
    pub value: Value,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_first(version: &u32) -> bool {
    *version == 0
}

/// Omits the value: it may contain secrets (T68).
impl fmt::Debug for Saved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Saved").field("version", &self.version).finish_non_exhaustive()
    }
}

/// The encoding of a state type in this release: its version and its migration.
pub(crate) struct StateType<T> {
    version: u32,
    migrate: fn(u32, Value) -> Result<T, BoxError>,
}

impl<T> StateType<T> {
    pub(super) fn of_instance<S: Provision<P, State = T>, P: Plan>() -> Self {
        Self { version: S::STATE_VERSION, migrate: S::migrate_state }
    }

    pub(super) fn of_binding<S: Bind<P, BindingState = T>, P: Bindable>() -> Self {
        Self { version: <S as Bind<P>>::STATE_VERSION, migrate: <S as Bind<P>>::migrate_state }
    }
}

impl<T: Serialize> StateType<T> {
    pub(super) fn save(&self, state: &T) -> Result<Saved, serde_json::Error> {
        Ok(Saved { version: self.version, value: serde_json::to_value(state)? })
    }
}

impl<T: DeserializeOwned> StateType<T> {
    /// Decodes a state and migrates it if necessary. A panic in the author's code is an error too, so that a deletion
    /// can continue without the state.
    pub(super) fn read(&self, saved: &Saved, operation: &str) -> Result<T, String> {
        let (Saved { version: stored, value }, known) = (saved, self.version);
        if *stored > known {
            tracing::warn!(operation, stored, known, "reading a state that a newer release saved");
        }
        let read = || {
            if *stored == known {
                return T::deserialize(value).map_err(BoxError::from);
            }
            (self.migrate)(*stored, value.clone())
        };
        catch_unwind(AssertUnwindSafe(read)).map_err(|_| "decoding it panicked".into()).flatten().map_err(
            |error: BoxError| {
                let why = error.downcast_ref().map_or_else(|| error.to_string(), without_value);
                format!("a state of version {stored} can't be read as one of version {known}: {why}")
            },
        )
    }

    /// Decodes a state for an operation that can continue without it. The log has the error.
    pub(super) fn read_if_possible(&self, saved: Option<&Saved>, operation: &str) -> Option<T> {
        let read = self.read(saved?, operation);
        read.inspect_err(|error| {
            tracing::warn!(operation, error, "the handler gets no state, because it can't be read");
        })
        .ok()
    }
}

/// Returns the text of a serde error without the offending value, which may be secret (T68).
fn without_value(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(", expected ") {
        Some((_, expected)) => format!("a value in it is not {expected}"),
        None if text.starts_with("missing field") => text,
        None => "it can't be decoded".to_owned(),
    }
}

#[cfg(test)]
#[path = "../../tests/unit/state.rs"]
mod tests;
