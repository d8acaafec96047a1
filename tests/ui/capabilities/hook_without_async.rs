//! A hook lacks `async`.

use osb_runtime::lifecycle::{Event, HookError, Hooks};

/// Refuses changes on Sundays.
pub struct Freeze;

impl Hooks for Freeze {
    fn before(&self, _: &Event) -> Result<(), HookError> {
        Ok(())
    }
}

fn main() {}
