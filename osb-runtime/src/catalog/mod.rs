//! The catalog as constants: its model, the checks across items, and its JSON.

mod check;
mod defaults;
#[cfg(test)]
#[path = "../../tests/unit/catalog.rs"]
mod fixture;
mod json;
mod model;
mod overrides;
mod served;

#[doc(hidden)]
pub use check::{
    Silent, Warning, binds, check_change, credentials_can_be_fetched, distinct_offering, distinct_plan,
    lint_lowercase_names, lint_one_way_changes, lint_required_parameters, mixes_ids, names_alike, no_foreign_types,
    shows_a_plan,
};
#[doc(hidden)]
pub use json::{measure_catalog, measure_offering, render_catalog, render_offering};
pub use model::{
    Asynchronous, DashboardClient, Decoded, Hashes, Maintenance, Mode, Offering, OfferingJson, ParametersInfo,
    PlanChange, PlanInfo, PlanJson, PlanNames, PlanSpec, Requires, StateTypes,
};
pub use overrides::{EffectiveCatalog, Overrides, join};
pub use served::{Served, StartError};
