//! The insertion of imported records.

use std::fmt;

use osb_runtime::store::{Key, StoreError};

/// The reason why records can't be inserted. None has been inserted then.
#[derive(Debug)]
#[non_exhaustive]
pub enum InsertError {
    /// The store has a record with this key, perhaps of an instance or a binding that was deleted in the last days.
    Exists(Key),
    /// The store failed.
    Store(StoreError),
}

impl fmt::Display for InsertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exists(Key { instance, binding, .. }) => {
                let of = binding.as_ref().map(|binding| format!("binding {binding} of ")).unwrap_or_default();
                write!(f, "there is already a record of {of}instance {instance}")
            }
            Self::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for InsertError {}

impl From<StoreError> for InsertError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}
