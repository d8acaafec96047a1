//! A handle to the records of a broker.

use std::sync::Arc;

use super::{Memory, Store};
use crate::protocol::debug_fields;

/// The records of a broker's instances and bindings, in any [`Store`]. Clones share the store.
///
/// ```
/// use osb_runtime::{lifecycle::Settings, store::Records};
///
/// let mut settings = Settings::default();
/// settings.store = Records::in_memory();
/// ```
#[derive(Clone)]
pub struct Records(Arc<dyn Store>);

impl Records {
    /// Keeps the records in a store.
    pub fn new(store: impl Store) -> Self {
        Self(Arc::new(store))
    }

    /// Keeps the records in memory, until the process ends. Brokers that have clones of them work on the same instances,
    /// as replicas do.
    pub fn in_memory() -> Self {
        Self::new(Memory::new())
    }

    /// Writes pending changes and closes the store, so that another process can open it. Requests that still need the
    /// records fail. Handlers must have ended by then, because the next process to open the store calls them again.
    pub async fn close(&self) {
        if let Err(error) = self.0.close().await {
            tracing::error!(%error, "the record store can't be closed");
        }
    }

    /// The store.
    pub fn store(&self) -> &dyn Store {
        self.0.as_ref()
    }
}

impl<S: Store> From<S> for Records {
    fn from(store: S) -> Self {
        Self::new(store)
    }
}

debug_fields!(Records {});
