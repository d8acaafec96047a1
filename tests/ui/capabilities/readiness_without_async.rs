//! A readiness check lacks `async`.

use osb_runtime::{http::BoxError, lifecycle::Readiness};

/// A database.
pub struct IsUp;

impl Readiness for IsUp {
    fn check(&self) -> Result<(), BoxError> {
        Ok(())
    }
}

fn main() {}
