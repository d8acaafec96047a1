//! What handlers have saved, and how a release reads what another one has saved.

use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{Bind, Bindable, BoxError, Plan, Provision};

/// A state as it was saved, by whichever release.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Saved {
    /// What [`Provision::STATE_VERSION`] or [`Bind::STATE_VERSION`] was in the release that saved it.
    #[serde(default, skip_serializing_if = "is_first")]
    pub version: u32,
    /// The state as JSON.
    pub value: Value,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_first(version: &u32) -> bool {
    *version == 0
}

/// Without the value: nobody knows what of it is secret (T68).
impl fmt::Debug for Saved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Saved").field("version", &self.version).finish_non_exhaustive()
    }
}

/// How this release saves and reads a state.
pub(crate) struct StateType<T> {
    version: u32,
    migrate: fn(u32, Value) -> Result<T, BoxError>,
}

impl<T> StateType<T> {
    pub(super) fn of_instance<S: Provision<P, State = T>, P: Plan>() -> Self {
        Self { version: S::STATE_VERSION, migrate: S::migrate_state }
    }

    pub(super) fn of_binding<S: Bind<P, State = T>, P: Bindable>() -> Self {
        Self { version: <S as Bind<P>>::STATE_VERSION, migrate: <S as Bind<P>>::migrate_state }
    }
}

impl<T: Serialize> StateType<T> {
    pub(super) fn save(&self, state: &T) -> Result<Saved, serde_json::Error> {
        Ok(Saved { version: self.version, value: serde_json::to_value(state)? })
    }
}

impl<T: DeserializeOwned> StateType<T> {
    /// The state, migrated if need be, or why it can't be read. A panic of the author's is such a reason: whoever
    /// removes something goes on without the state.
    pub(super) fn read(&self, saved: &Saved, operation: &str) -> Result<T, String> {
        let (Saved { version: stored, value }, known) = (saved, self.version);
        if *stored > known {
            tracing::warn!(operation, stored, known, "a newer release has saved the state that is read here");
        }
        let read = || {
            if *stored == known {
                return T::deserialize(value).map_err(BoxError::from);
            }
            (self.migrate)(*stored, value.clone())
        };
        catch_unwind(AssertUnwindSafe(read))
            .map_err(|_| "reading it panicked".into())
            .flatten()
            .map_err(|error: BoxError| format!("a state of version {stored} is no state of version {known}: {error}"))
    }

    /// The same where it must not be in the way: the log has the reason.
    pub(super) fn read_if_possible(&self, saved: Option<&Saved>, operation: &str) -> Option<T> {
        let read = self.read(saved?, operation);
        read.inspect_err(|error| tracing::warn!(operation, error, "a handler gets no state, as it can't be read")).ok()
    }
}
