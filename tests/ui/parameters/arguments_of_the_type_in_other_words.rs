//! Words that `#[parameters]` doesn't have; the type of the update is there all the same.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters(update = StoreChanges)]
pub struct NewStore {
    /// The label.
    pub label: Option<String>,
}

/// A number.
#[parameters(try_from = "u16")]
pub struct Count(pub u16);

pub fn changes(changes: StoreChanges) -> Change<String> {
    changes.label
}

fn main() {}
