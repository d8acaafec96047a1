//! An earlier release of the lab broker, with only the small plan, whose maintenance version is older.

use osb_runtime::prelude::*;

use crate::lab::{Setup, SetupChanges};

/// A laboratory.
#[service(id = "6f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "lab", plans(Small))]
#[derive(Debug)]
pub struct Lab;

/// A small plan.
#[plan(
    id = "6f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a02",
    name = "small",
    create = Setup,
    update = SetupChanges,
    maintenance_info(version = "1.1.0")
)]
#[derive(Debug)]
pub struct Small;

crate::provision_nothing!(Lab: Small => String = |_new| Provisioned::new("of the previous release".to_owned()));
crate::update_nothing!(Lab: Small);

/// The broker of the previous release.
#[broker]
#[derive(Debug)]
pub struct PreviousBroker {
    /// Its only service.
    pub lab: Lab,
}
