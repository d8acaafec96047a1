//! The catalog as constants: its model, the checks across items, and its JSON.

pub(crate) mod check;
mod complete;
mod defaults;
#[cfg(test)]
#[path = "../../tests/unit/catalog_fixture.rs"]
mod fixture;
pub(crate) mod json;
pub(crate) mod lints;
pub(crate) mod model;
mod overrides;
pub(crate) mod warnings;

pub use complete::StartError;
pub use model::{
    Asynchronous, DashboardClient, Decoded, Hashes, Maintenance, Member, Mode, Offering, OfferingJson, ParametersInfo,
    PlanChange, PlanInfo, PlanJson, PlanNames, PlanSpec, Requires, StateInfo, StateTypes,
};
pub use overrides::{EffectiveCatalog, Overrides};
