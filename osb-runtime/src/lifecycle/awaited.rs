//! A value that tasks wait for.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// A value that tasks wait for. A channel of `tokio::sync::watch` is made for more waiting tasks, and costs a request more than
/// the rest of its bookkeeping.
#[derive(Default)]
pub(super) struct Awaited<T> {
    value: Mutex<T>,
    changed: Notify,
}

impl<T: Clone> Awaited<T> {
    pub(super) fn new(value: T) -> Self {
        Self { value: Mutex::new(value), changed: Notify::new() }
    }

    fn lock(&self) -> MutexGuard<'_, T> {
        self.value.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn get(&self) -> T {
        self.lock().clone()
    }

    /// Changes the value, and wakes the tasks that wait.
    pub(super) fn change(&self, change: impl FnOnce(&mut T)) {
        change(&mut self.lock());
        self.changed.notify_waiters();
    }

    /// Waits until `find` returns a result for the value.
    pub(super) async fn wait_for<R>(&self, mut find: impl FnMut(&T) -> Option<R>) -> R {
        loop {
            // Registered before the look, so that no change is missed.
            let changed = self.changed.notified();
            if let Some(found) = find(&self.lock()) {
                return found;
            }
            changed.await;
        }
    }
}
