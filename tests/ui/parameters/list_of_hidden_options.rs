//! An alias hides the `Option` of the elements of a list and of the values of a map.

use osb_runtime::prelude::*;

type Maybe = Option<String>;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// Zones of the replicas.
    pub zones: Vec<Maybe>,
}

/// The parameters of a new queue.
#[parameters(partial = QueueChanges)]
pub struct NewQueue {
    /// Labels of its consumers.
    pub labels: Option<std::collections::BTreeMap<String, Vec<Maybe>>>,
}

fn main() {}
