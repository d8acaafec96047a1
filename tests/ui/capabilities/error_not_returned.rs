//! An error is made and not returned, in a statement of its own.
#![deny(unused_must_use)]

use osb_runtime::prelude::*;

/// Refuses what exceeds the quota.
pub async fn provision(size: u32) -> Result<Provisioned, ProvisionError> {
    if size > 10 {
        ProvisionError::refused("The quota is 10 GB.");
    }
    Ok(Provisioned::new(()))
}

fn main() {}
