//! Notes of handlers and audits, for tests to read.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A list of notes, which clones share.
#[derive(Debug, Clone)]
pub struct Notes<T = String>(Arc<Mutex<Vec<T>>>);

impl<T> Default for Notes<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T: Clone> Notes<T> {
    /// Adds a note.
    pub fn add(&self, note: T) {
        self.lock().push(note);
    }

    /// Returns the notes that were not taken.
    pub fn all(&self) -> Vec<T> {
        self.lock().clone()
    }

    /// Takes the notes since the last call.
    pub fn take(&self) -> Vec<T> {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, Vec<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
