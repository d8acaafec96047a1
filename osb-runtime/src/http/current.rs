//! A value that is replaced while requests use it.

use std::sync::{Arc, PoisonError, RwLock};

/// The current value. A request keeps the one that it has got.
pub(super) struct Current<T>(RwLock<Arc<T>>);

impl<T> Current<T> {
    pub(super) fn new(value: T) -> Self {
        Self(RwLock::new(Arc::new(value)))
    }

    pub(super) fn get(&self) -> Arc<T> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn set(&self, value: T) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(value);
    }
}
