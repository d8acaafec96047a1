//! `?` is used on the error of another operation.

use osb_runtime::prelude::*;

fn reserve() -> Result<u64, BindError> {
    Err(BindError::refused("All addresses are in use."))
}

fn provision() -> Result<Provisioned<u64>, ProvisionError> {
    Ok(Provisioned::new(reserve()?))
}

fn main() {
    let _ = provision();
}
