//! `?` is used on errors that are not converted: the author's own, one that threads can't share, and that of another operation; or one is converted twice.

use osb_runtime::lifecycle::{Event, HookError, Hooks};
use osb_runtime::prelude::*;

enum StoreError {
    Full,
}

// Mistake: `?` is used on an error type without a conversion.
pub fn full() -> Result<Provisioned, ProvisionError> {
    Err(StoreError::Full)?
}

fn create() -> Result<(), Box<dyn std::error::Error>> {
    Err("no space".into())
}

// Mistake: `?` is used on a boxed error that threads can't share.
pub fn boxed() -> Result<Provisioned, ProvisionError> {
    create()?;
    Ok(Provisioned::new(()))
}

fn reserve() -> Result<u64, BindError> {
    Err(BindError::refused("All addresses are in use."))
}

// Mistake: `?` is used on the error of another operation.
pub fn other() -> Result<Provisioned<u64>, ProvisionError> {
    Ok(Provisioned::new(reserve()?))
}

/// The error of the database.
pub struct Unreachable;

fn quota(_: &Event) -> Result<(), Unreachable> {
    Err(Unreachable)
}

/// Refuses what exceeds the quota.
pub struct Quota;

// Mistake: `?` is used on an error type of the author's own, in a hook.
impl Hooks for Quota {
    async fn before(&self, event: &Event) -> Result<(), HookError> {
        quota(event)?;
        Ok(())
    }
}

#[derive(Debug)]
struct Full;

impl std::fmt::Display for Full {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the disk is full")
    }
}

impl std::error::Error for Full {}

// Mistake: An error type that implements `std::error::Error` is converted into a handler's error.
impl From<Full> for Failure {
    fn from(error: Full) -> Self {
        Failure::refused(error.to_string())
    }
}

fn main() {}
