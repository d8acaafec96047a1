//! The records of a broker, wherever they are.

use std::{fmt, sync::Arc};

use super::{Memory, Store};

/// The records of a broker's instances and bindings. Clones are the same records.
#[derive(Clone)]
pub struct Records(Arc<dyn Store>);

impl Records {
    /// Records that end with the process. Brokers that have clones of them work on the same instances, as replicas do.
    #[must_use]
    pub fn in_memory() -> Self {
        Self(Arc::new(Memory::new()))
    }

    /// Where they are.
    pub(crate) fn store(&self) -> &dyn Store {
        self.0.as_ref()
    }
}

impl fmt::Debug for Records {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Records").finish_non_exhaustive()
    }
}
