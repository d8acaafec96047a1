//! How far things are.

use serde::{Deserialize, Serialize};

/// How far an instance or a binding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Nothing is known of it.
    None,
    /// It is being made.
    Creating,
    /// It is there.
    Ready,
    /// Making it failed, and what that left behind could not be removed yet.
    CreateFailed,
    /// It is being changed. Bindings never are.
    Updating,
    /// It is being removed.
    Deleting,
    /// Removing it failed half-way.
    DeleteFailed,
    /// It is no longer there, and what became of it is remembered for a while (LOI-09).
    Gone,
}

impl Phase {
    /// All of them, in the order of the tables' columns.
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
}
