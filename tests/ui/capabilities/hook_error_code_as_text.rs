//! The error code of a hook is a string.

use osb_runtime::lifecycle::{Event, HookError, Hooks};

struct MaintenanceWindow;

impl Hooks for MaintenanceWindow {
    async fn before(&self, _: &Event) -> Result<(), HookError> {
        Err(HookError::refused("There is maintenance until 6:00 UTC.").code("Maintenance"))
    }
}

fn main() {}
