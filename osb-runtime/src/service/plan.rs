//! What the attributes implement, and the bounds they stand for.

use super::{Offered, OfferedChange};
use crate::{
    catalog::{Offering, PlanSpec},
    schema::{Parameter, Parameters, Schema},
};

/// A plan: implemented by `#[plan]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a plan",
    label = "not a plan",
    note = "put `#[plan(id = \"...\", name = \"...\")]` on the struct `{Self}`"
)]
pub trait Plan: Sized + Send + Sync + 'static {
    /// The parameters of a new instance.
    type Create: Parameters;
    /// The parameters of an update.
    type Update: Parameters;
    /// The parameters of a binding.
    type Bind: Parameters;
    #[doc(hidden)]
    type Binding;
    #[doc(hidden)]
    type Updating;
    /// What the attribute says.
    const SPEC: PlanSpec;
    #[doc(hidden)]
    const HAS_CREATE: bool;
    #[doc(hidden)]
    const HAS_UPDATE: bool;
    #[doc(hidden)]
    const HAS_BIND: bool;
    // Here the parameters' bounds are known to hold, so that a type without them makes one error and not two.
    #[doc(hidden)]
    const UPDATE_AND_CREATE: [&'static Schema; 2] =
        [&<Self::Update as Parameter>::SCHEMA, &<Self::Create as Parameter>::SCHEMA];
}

/// A plan whose instances can be bound: `#[plan(bind = ...)]` or `#[plan(bindable)]`.
#[diagnostic::on_unimplemented(
    message = "plan `{Self}` is not bindable",
    label = "`Bind` is for plans that the catalog calls bindable",
    note = "declare it: `#[plan(..., bind = Parameters)]`, or `#[plan(..., bindable)]` if its bindings take no parameters"
)]
pub trait Bindable: Plan {}

/// A plan whose bindings can be succeeded by others: `#[plan(rotatable)]`.
pub trait Rotatable: Bindable {}

/// A plan whose instances can be updated: `#[plan(update = ...)]` or `#[plan(maintenance_info(...))]`.
#[diagnostic::on_unimplemented(
    message = "nothing of plan `{Self}` can be updated",
    label = "`Update` is for plans that the catalog gives something to update",
    note = "declare it: `#[plan(..., update = Parameters)]`, or `maintenance_info(version = \"...\")`"
)]
pub trait Updatable: Plan {}

/// A service offering: implemented by `#[service]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a service",
    label = "not a service",
    note = "put `#[service(id = \"...\", name = \"...\", plans(...))]` on the struct `{Self}`"
)]
pub trait Service: Sized + Send + Sync + 'static {
    /// What the attribute says.
    const OFFERING: Offering;
    #[doc(hidden)]
    const PLANS: &'static [Offered<Self>];
    #[doc(hidden)]
    const CHANGES: &'static [OfferedChange<Self>];
    /// The offering as the catalog has it.
    const JSON: &'static [u8];
}

/// A plan that a service offers, one service at most: implemented by `#[service]` for each of its `plans(...)`.
#[diagnostic::on_unimplemented(
    message = "no service offers plan `{Self}`",
    label = "not in the `plans(...)` of any service",
    note = "list it in its service: `#[service(..., plans({Self}))]`"
)]
pub trait Offer {
    #[doc(hidden)] // not the service itself: it may be less visible than the plan
    type Offered;
}

/// A change of plan that a service declares: `#[service(changes(From => To))]`.
#[diagnostic::on_unimplemented(
    message = "service `{Self}` does not declare the change of plan `{From} => {To}`",
    label = "`ChangePlan` is for changes that the catalog promises",
    note = "declare it: `#[service(..., changes({From} => {To}))]`"
)]
pub trait Changes<From, To>: Service {}
