//! `?` is used on an error type without a conversion.

use osb_runtime::prelude::*;

enum StoreError {
    Full,
}

fn provision() -> Result<Provisioned, ProvisionError> {
    Err(StoreError::Full)?
}

fn main() {
    let _ = provision();
}
