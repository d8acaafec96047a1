//! `?` is used on a boxed error that threads can't share.

use osb_runtime::prelude::*;

fn create() -> Result<(), Box<dyn std::error::Error>> {
    Err("no space".into())
}

fn provision() -> Result<Provisioned, ProvisionError> {
    create()?;
    Ok(Provisioned::new(()))
}

fn main() {
    let _ = provision();
}
