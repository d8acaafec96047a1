//! The insertion of imported records.

use osb_runtime::store::{Key, StoreError};

/// The reason why records can't be inserted. None has been inserted then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InsertError {
    /// The store has a record with this key, perhaps of an instance or a binding that was deleted in the last days.
    #[error("there is already a record of {0}")]
    Exists(Key),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
