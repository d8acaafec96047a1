//! The phases of instances and bindings.

use serde::{Deserialize, Serialize};

/// The phase of an instance or a binding in its lifecycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// There is no record of it.
    None,
    /// It is being created, or a failed creation is being rolled back.
    Creating,
    /// It exists.
    Ready,
    /// Creating it failed, and so did the rollback.
    CreateFailed,
    /// It is being updated. Bindings never are.
    Updating,
    /// It is being deleted.
    Deleting,
    /// Deleting it failed.
    DeleteFailed,
    /// It does not exist any more. Its tombstone still answers polls for a while (LOI-09).
    Gone,
}

impl Phase {
    /// All phases, in the order of the columns of the transition tables.
    pub const ALL: [Self; 8] = [
        Self::None,
        Self::Creating,
        Self::Ready,
        Self::CreateFailed,
        Self::Updating,
        Self::Deleting,
        Self::DeleteFailed,
        Self::Gone,
    ];

    /// Returns the name in JSON, such as `create_failed`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Creating => "creating",
            Self::Ready => "ready",
            Self::CreateFailed => "create_failed",
            Self::Updating => "updating",
            Self::Deleting => "deleting",
            Self::DeleteFailed => "delete_failed",
            Self::Gone => "gone",
        }
    }
}
