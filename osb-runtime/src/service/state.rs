//! Saved states, and their migration between releases.

use std::{
    cmp::Ordering,
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{Bind, Bindable, BoxError, Failure, InstanceState, Plan, Storable};
use crate::{
    catalog::{Decoded, PlanInfo},
    json::{MAX_DEPTH, is_deeper_than},
    protocol::debug_fields,
};

/// A state as this release or another one saved it.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StateJson {
    /// The [`Provision::STATE_VERSION`](super::Provision::STATE_VERSION) or [`Bind::STATE_VERSION`] of the release that saved it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub version: u32,
    /// The state as JSON.
    pub value: Value,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
pub(crate) fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl StateJson {
    /// Decodes the value without regard to its version.
    ///
    /// # Errors
    ///
    /// If the value isn't a `T`. The error may quote a part of it.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        T::deserialize(&self.value)
    }
}

// Omits the value: it may contain secrets (T68).
debug_fields!(StateJson { version });

/// The state of an instance or binding that is being removed.
///
/// A handler that needs it writes `request.state.decoded()?`, which fails the operation if the state no longer decodes, so
/// that no resource is orphaned:
///
/// ```
/// # use osb_runtime::prelude::*;
/// # async fn remove(_: &str) {}
/// # async fn deprovision<P: Plan>(request: DeprovisionRequest<P, String>) -> Result<(), DeprovisionError> {
/// let Some(name) = request.state.decoded()? else { return Ok(()) }; // nothing was created
/// remove(&name).await;
/// # Ok(()) }
/// ```
pub enum StoredState<S> {
    /// No handler has saved a state, so none has created a resource that only the state names.
    NeverSaved,
    /// The state that was saved last.
    Saved(S),
    /// A state that the current type can't decode.
    Unreadable(UnreadableState),
}

impl<S> StoredState<S> {
    /// Returns the state; `None` if none was saved.
    ///
    /// # Errors
    ///
    /// If the state is unreadable. As the error of a handler it fails the operation, and the log has the reason. A handler
    /// that drops the error and returns `Ok` fails as well, unless it has read [`UnreadableState::saved`].
    pub fn decoded(self) -> Result<Option<S>, UnreadableState> {
        match self {
            Self::NeverSaved => Ok(None),
            Self::Saved(state) => Ok(Some(state)),
            Self::Unreadable(unreadable) => {
                unreadable.is_dropped.store(true, Relaxed);
                Err(unreadable)
            }
        }
    }

    /// Returns a flag that is set when an error of [`decoded`](Self::decoded) was dropped.
    pub(super) fn dropped_error(&self) -> Option<DroppedError> {
        match self {
            Self::Unreadable(unreadable) => Some(Arc::clone(&unreadable.is_dropped)),
            Self::NeverSaved | Self::Saved(_) => None,
        }
    }
}

type DroppedError = Arc<AtomicBool>;

/// Checks a handler that returned `Ok`: a record must not be removed while the resource that it names still exists.
pub(super) fn check_dropped(errors: [Option<DroppedError>; 2]) -> Result<(), Failure> {
    if errors.into_iter().flatten().any(|is_dropped| is_dropped.load(Relaxed)) {
        return Err(Failure::unexpected(
            "the handler returned `Ok` although a state is unreadable: write `.decoded()?`, or match on the `StoredState`",
        ));
    }
    Ok(())
}

/// Omits the state, since it may contain secrets (T68).
impl<S> fmt::Debug for StoredState<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NeverSaved => f.write_str("NeverSaved"),
            Self::Saved(_) => f.write_str("Saved(..)"),
            Self::Unreadable(unreadable) => f.debug_tuple("Unreadable").field(unreadable).finish(),
        }
    }
}

/// A saved state that doesn't decode as the current type, and that [`migrate_state`](super::Provision::migrate_state) did
/// not convert. As the error of a handler it fails the operation. Its text is the reason, without the state, which may be secret.
#[derive(thiserror::Error)]
#[error("{reason}")]
pub struct UnreadableState {
    saved: StateJson,
    reason: String,
    is_dropped: DroppedError,
}

debug_fields!(UnreadableState { saved, reason });

impl UnreadableState {
    fn new(saved: StateJson, reason: String) -> Self {
        Self { saved, reason, is_dropped: Arc::default() }
    }

    /// Returns the state as it was saved. A handler that has read it may return `Ok`.
    pub fn saved(&self) -> &StateJson {
        self.is_dropped.store(false, Relaxed);
        &self.saved
    }
}

/// The encoding of a state type in this release: its version, its JSON and its migration.
///
/// As it is a value, an [`Operation`](super::Operation) needs no bound on the type: an author's state without serde's
/// traits is one error, not another one for each checkpoint.
pub(crate) struct StateType<T> {
    version: u32,
    to_json: fn(&T) -> serde_json::Result<Value>,
    from_json: fn(&Value) -> serde_json::Result<T>,
    migrate: fn(u32, Value) -> Result<T, BoxError>,
}

impl<T> StateType<T> {
    pub(super) fn of_instance<S: InstanceState<P, State = T>, P: Plan>() -> Self
    where
        T: Storable,
    {
        Self::new(S::VERSION, S::migrate)
    }

    pub(super) fn of_binding<S: Bind<P, BindingState = T>, P: Bindable>() -> Self
    where
        T: Storable,
    {
        Self::new(<S as Bind<P>>::STATE_VERSION, <S as Bind<P>>::migrate_state)
    }

    pub(super) fn new(version: u32, migrate: fn(u32, Value) -> Result<T, BoxError>) -> Self
    where
        T: Storable,
    {
        Self { version, to_json: T::to_json, from_json: T::from_json, migrate }
    }

    pub(super) fn save(&self, state: &T) -> Result<StateJson, serde_json::Error> {
        let value = (self.to_json)(state)?;
        if is_deeper_than(MAX_DEPTH, &value) {
            return Err(serde::ser::Error::custom(format!("it is nested deeper than {MAX_DEPTH} levels")));
        }
        Ok(StateJson { version: self.version, value })
    }

    /// Decodes a state and migrates it if necessary. A panic in the author's code is an error too.
    pub(super) fn read(&self, saved: &StateJson, operation: &str) -> Result<T, String> {
        let (stored, known) = (saved.version, self.version);
        if stored > known {
            tracing::warn!(operation, stored, known, "reading a state that a newer release saved");
        }
        self.decode(saved)
    }

    fn decode(&self, StateJson { version: stored, value }: &StateJson) -> Result<T, String> {
        let known = self.version;
        let read = || {
            if *stored == known {
                return (self.from_json)(value).map_err(BoxError::from);
            }
            (self.migrate)(*stored, value.clone())
        };
        catch_unwind(AssertUnwindSafe(read)).map_err(|_| "decoding it panicked".into()).flatten().map_err(
            |error: BoxError| {
                let why = error.downcast_ref().map_or_else(|| error.to_string(), without_value);
                let remedy = match stored.cmp(&known) {
                    Ordering::Less => "convert it in migrate_state",
                    Ordering::Equal => "raise STATE_VERSION and convert it in migrate_state",
                    Ordering::Greater => {
                        "a later release saved it: start that one again, or convert it in migrate_state"
                    }
                };
                let known = if *stored == known { String::new() } else { format!(" as one of version {known}") };
                format!("a state of version {stored} can't be read{known}: {why}; {remedy}")
            },
        )
    }

    /// Decodes a state of another release.
    pub(super) fn decoded(&self, version: u32, value: &Value) -> Result<Decoded, String>
    where
        T: Storable,
    {
        Ok(Box::new(self.decode(&StateJson { version, value: value.clone() })?))
    }

    /// Decodes the state of an instance or binding that is being removed.
    pub(super) fn read_for_removal(&self, saved: Option<StateJson>, operation: &str) -> StoredState<T> {
        let Some(saved) = saved else { return StoredState::NeverSaved };
        match self.read(&saved, operation) {
            Ok(state) => StoredState::Saved(state),
            Err(reason) => StoredState::Unreadable(UnreadableState::new(saved, reason)),
        }
    }
}

/// Decodes the state of an instance for a handler of plan `P`, which it may have had when it was bound. The instance's current
/// plan saved the state, so its type decodes it.
pub(super) fn of_present_plan<T: Storable>(saved: Option<StateJson>, plan: &PlanInfo) -> StoredState<T> {
    let Some(saved) = saved else { return StoredState::NeverSaved };
    let unreadable = |saved, reason| StoredState::Unreadable(UnreadableState::new(saved, reason));
    match (plan.states.instance.decode)(saved.version, &saved.value) {
        Ok(state) => match state.downcast() {
            Ok(state) => StoredState::Saved(*state),
            Err(_) => {
                let name = plan.spec.name;
                let reason = format!(
                    "the instance has plan `{name}` now, whose state has another type than that of the binding's plan; where the \
                     plans of a service have different states, match on `instance_state`, and decode `saved`"
                );
                unreadable(saved, reason)
            }
        },
        Err(reason) => unreadable(saved, reason),
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
