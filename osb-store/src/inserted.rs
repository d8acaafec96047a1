//! The insertion of imported records.

use osb_runtime::store::{Key, StoreError};

/// The reason why records can't be inserted. None has been inserted then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InsertError {
    /// The store has a record with this key, perhaps of an instance or a binding that was deleted in the last days.
    #[error("there is already a record of {}", name(.0))]
    Exists(Key),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

fn name(Key { instance, binding, .. }: &Key) -> String {
    let of = binding.as_ref().map(|binding| format!("binding {binding} of ")).unwrap_or_default();
    format!("{of}instance {instance}")
}
