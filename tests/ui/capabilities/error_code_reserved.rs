//! An error code is one that the specification defines.

use osb_runtime::prelude::*;

const BUSY: ErrorCode = ErrorCode::from_static("ConcurrencyError");

fn main() {
    let _ = ProvisionError::refused("Another update is running.").code(BUSY);
}
