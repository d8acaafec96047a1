//! `?` is used on an error type of the author's own, in a hook.

use osb_runtime::lifecycle::{Event, HookError, Hooks};

/// The error of the database.
pub struct Unreachable;

fn quota(_: &Event) -> Result<(), Unreachable> {
    Err(Unreachable)
}

/// Refuses what exceeds the quota.
pub struct Quota;

impl Hooks for Quota {
    async fn before(&self, event: &Event) -> Result<(), HookError> {
        quota(event)?;
        Ok(())
    }
}

fn main() {}
