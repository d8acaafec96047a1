//! The traits that the attributes implement.

use super::{Offered, OfferedChange, Yes};
use crate::{
    catalog::{Offering, PlanSpec},
    schema::{Parameter, Parameters, Schema},
};

/// A plan. `#[plan]` implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a plan",
    label = "not a plan",
    note = "a plan is a struct of yours: put `#[plan(id = \"...\", name = \"...\")]` on it; if it is the type of parameters, name their plan",
    note = "where the plan is a type parameter `P`, write `P: Plan`"
)]
pub trait Plan: Sized + 'static {
    /// The parameters for creating an instance.
    type Create: Parameters;
    /// The parameters for updating an instance.
    type Update: Parameters;
    /// The parameters for creating a binding.
    type Bind: Parameters;
    /// The values that distinguish the plans of a family; [`NoParameters`](crate::schema::NoParameters) without `family`.
    type Family: Parameters;
    #[doc(hidden)]
    type Binding;
    #[doc(hidden)]
    type Updating;
    /// The arguments of the attribute.
    const SPEC: PlanSpec;
    #[doc(hidden)]
    const HAS_CREATE: bool = false;
    #[doc(hidden)]
    const HAS_UPDATE: bool = false;
    #[doc(hidden)]
    const HAS_BIND: bool = false;
    #[doc(hidden)]
    const HAS_FAMILY: bool = false;
    // A plan that narrows its parameters has schemas of its own.
    #[doc(hidden)]
    const CREATE_SCHEMA: &'static Schema = &<Self::Create as Parameter>::SCHEMA;
    #[doc(hidden)]
    const CREATE_JSON: &'static [u8] = <Self::Create as Parameters>::JSON;
    #[doc(hidden)]
    const UPDATE_SCHEMA: &'static Schema = &<Self::Update as Parameter>::SCHEMA;
    #[doc(hidden)]
    const UPDATE_JSON: &'static [u8] = <Self::Update as Parameters>::JSON;
    // A constant of the trait: the bounds of the associated types hold here, so a wrong type makes only one error.
    #[doc(hidden)]
    const UPDATE_AND_CREATE: [&'static Schema; 2] =
        [&<Self::Update as Parameter>::SCHEMA, &<Self::Create as Parameter>::SCHEMA];
}

/// A plan whose instances can be bound: `#[plan(bind = ...)]` or `#[plan(bindable)]`.
#[diagnostic::on_unimplemented(
    message = "plan `{Self}` is not bindable",
    label = "`Bind` is only for plans that are declared bindable",
    note = "declare it: `#[plan(..., bind = Parameters)]`, or `#[plan(..., bindable)]` if its bindings take no parameters",
    note = "where the plan is a type parameter `P`, write `P: Bindable`"
)]
pub trait Bindable: Plan {
    #[doc(hidden)] // the catalog has what the attribute declares, so an implementation by hand is a mistake
    const DECLARED_IN_THE_ATTRIBUTE: Yes;
}

/// A plan whose bindings can be rotated: `#[plan(rotatable)]`.
pub trait Rotatable: Bindable {
    #[doc(hidden)]
    const DECLARED_IN_THE_ATTRIBUTE: Yes;
}

/// A plan type whose plans a deployment lists: `#[plan(family = ...)]`.
#[diagnostic::on_unimplemented(
    message = "a change from plan `{Self}` to itself changes nothing, because it is not a family",
    label = "only a family has several plans that can be changed to each other",
    note = "take it out of `changes(...)`: changes of parameters are `update = ...` of the plan"
)]
pub trait Family: Plan {
    #[doc(hidden)]
    const DECLARED_IN_THE_ATTRIBUTE: Yes;
}

/// A plan whose instances can be updated: `#[plan(update = ...)]` or `#[plan(maintenance_info(...))]`.
#[diagnostic::on_unimplemented(
    message = "plan `{Self}` is not updatable",
    label = "`Update` is only for plans that are declared updatable",
    note = "declare it: `#[plan(..., update = Parameters)]`, or `maintenance_info(version = \"...\")`",
    note = "where the plan is a type parameter `P`, write `P: Updatable`"
)]
pub trait Updatable: Plan {
    #[doc(hidden)]
    const DECLARED_IN_THE_ATTRIBUTE: Yes;
}

/// A service offering. `#[service]` implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a service",
    label = "not a service",
    note = "a service is a struct of yours: put `#[service(id = \"...\", name = \"...\", plans(...))]` on it",
    note = "a service implements the handlers of its plans: `impl Provision<Plan> for Service`",
    note = "a broker's fields are its services: data goes into the service that uses it, a plan into its `plans(...)`"
)]
// Not `'static`: for a service with type parameters or lifetimes, by mistake, the compiler would report each handler.
pub trait Service: Sized {
    /// The arguments of the attribute.
    const OFFERING: Offering;
    #[doc(hidden)]
    fn handlers() -> (&'static [Offered<Self>], &'static [OfferedChange<Self>])
    where
        Self: 'static;
    /// The offering as JSON for the catalog.
    const JSON: &'static [u8];
    // True if the fields are `Send` and `Sync`. As bounds of the trait, each handler would repeat the error about a field.
    #[doc(hidden)]
    const IS_SHAREABLE: bool;
    /// `true`; its evaluation fails if the service lacks a handler that a plan requires.
    #[doc(hidden)]
    const HAS_HANDLERS: bool;
}

/// A plan of a service. `#[service]` implements it for each of its plans, so that no two services offer the same one.
pub trait OfferedByOneService {
    #[doc(hidden)] // a marker and not the service, which may be less visible than the plan
    type Offered;
    #[doc(hidden)]
    const ONCE: bool = true;
}

/// A change of plan that a service declares: `#[service(changes(Old => New))]`.
#[diagnostic::on_unimplemented(
    message = "service `{Self}` does not declare the change of plan `{Old} => {New}`",
    label = "`ChangePlan` is only for changes that are declared",
    note = "declare it: `#[service(..., changes({Old} => {New}))]`",
    note = "where the plans are type parameters, write `where {Self}: Changes<{Old}, {New}>`"
)]
pub trait Changes<Old, New>: Service {
    #[doc(hidden)]
    const DECLARED_IN_THE_ATTRIBUTE: Yes;
}
