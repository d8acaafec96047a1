//! An error code is not one word in CamelCase.

use osb_runtime::prelude::*;

const QUOTA: ErrorCode = ErrorCode::from_static("quota exceeded");

fn main() {
    let _ = ProvisionError::refused("10 stores are the limit.").code(QUOTA);
}
