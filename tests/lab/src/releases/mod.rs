//! One broker in two releases with different types and the same records.

pub mod first;
pub mod second;

use std::sync::{Arc, Mutex, PoisonError};

/// The arguments of handlers, one line for each call.
#[derive(Debug, Clone, Default)]
pub struct Heard(Arc<Mutex<Vec<String>>>);

impl Heard {
    fn note(&self, line: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }

    /// Takes the lines since the last call.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The ids, for requests.
pub mod ids {
    /// The service.
    pub const STORES: &str = "9b0d5c1e-54a5-4a3c-9e0a-6b1c4f6f5a01";
    /// A plan whose parameters get other names and tighter bounds.
    pub const BASIC: &str = "9b0d5c1e-54a5-4a3c-9e0a-6b1c4f6f5a02";
    /// A plan that gets a required parameter.
    pub const PLUS: &str = "9b0d5c1e-54a5-4a3c-9e0a-6b1c4f6f5a03";
    /// A plan that the second release retires.
    pub const LEGACY: &str = "9b0d5c1e-54a5-4a3c-9e0a-6b1c4f6f5a04";
}
