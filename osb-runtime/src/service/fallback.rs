//! Traits that reduce a missing `#[plan]`, `#[service]` or handler, or a field that isn't `Sync`, to one compiler error.
//!
//! Each handler names its plan, its service and the state, so the compiler would report a missing one for each handler.
//! `#[service]` and `#[broker]` therefore require each in a constant of its own, whose error is the only one: a type that
//! depends on the constant through [`Checked`] is an error as well, and the compiler reports nothing else about it. An
//! implementation for such a type, or of a trait for it, applies to all types: it takes the place of the missing one.

use std::marker::PhantomData;

use super::{BindingMode, ChangePlan, Family, OfferedByOneService, Plan, Provision, Service, UpdatingMode};
use crate::{catalog::Hashes, schema::Parameters};

/// Finds out whether `S` implements `Provision<P>`, whether it implements the other handlers that `P` requires, and whether a
/// service offers `P`: `Probe::<S, P>::PROVISIONS`, `HANDLES` and `IS_OFFERED`, with [`Fallback`] in scope.
pub struct Probe<S, P>(PhantomData<(S, P)>);

impl<S: Provision<P>, P: Plan> Probe<S, P> {
    /// `true`: an inherent constant takes precedence over one of a trait.
    pub const PROVISIONS: bool = true;
}

impl<S, P: Plan<Binding: BindingMode<S, P>, Updating: UpdatingMode<S, P>>> Probe<S, P> {
    /// `true`: an inherent constant takes precedence over one of a trait.
    pub const HANDLES: bool = true;
}

impl<S, P: OfferedByOneService> Probe<S, P> {
    /// `true`: an inherent constant takes precedence over one of a trait.
    pub const IS_OFFERED: bool = true;
}

/// Types for which each trait has one implementation. Once a trait is implemented twice for a type, its constants have an error for
/// every type: with these, a check can be silent then, because the compiler reports the two implementations.
pub struct Once;

impl OfferedByOneService for Once {
    type Offered = Once;
}

/// The answers of [`Probe`] for a trait that isn't implemented.
pub trait Fallback {
    /// `true` if `S` implements `Provision<P>`.
    const PROVISIONS: bool = false;
    /// `true` if `S` implements `Bind<P>` and `Update<P>` where `P` requires them.
    const HANDLES: bool = false;
    /// `true` if a service offers `P`.
    const IS_OFFERED: bool = false;
}

impl<S, P> Fallback for Probe<S, P> {}

/// A plan under `#[plan]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a plan",
    label = "not a plan",
    note = "a plan is a struct of yours: put `#[plan(id = \"...\", name = \"...\")]` on it"
)]
pub trait HasPlanAttribute {}

/// Compiles only if `P` is under `#[plan]`. Returns `true`.
pub const fn is_plan<P: HasPlanAttribute>() -> bool {
    true
}

/// Compiles only if `T` can be the parameters of a plan. Returns `true`.
pub const fn is_parameters<T: Parameters>() -> bool {
    true
}

/// A type that counts as a plan if `Missing` has an error.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a plan",
    label = "not a plan",
    note = "a plan is a struct of yours: put `#[plan(id = \"...\", name = \"...\")]` on it",
    note = "where the plan is a type parameter `P`, write `P: Plan`"
)]
pub trait PlanFallback<Missing>: 'static {
    /// The parameters type used while the attribute is missing.
    type Unknown: Parameters;
}

/// A service under `#[service]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a service",
    label = "not a service",
    note = "a service is a struct of yours: put `#[service(id = \"...\", name = \"...\", plans(...))]` on it",
    note = "a broker's fields are its services: data goes into the service that uses it, a plan into its `plans(...)`"
)]
pub trait HasServiceAttribute {}

/// Compiles only if `S` is under `#[service]`. Returns `true`.
pub const fn is_service<S: HasServiceAttribute>() -> bool {
    true
}

/// A type that counts as a service if `Missing` and `PLACE` have an error. Without one, `PLACE` is not 0 and says who writes the
/// implementation: several crates can have a broker with the same service, and the compiler doesn't look into `Missing` of other
/// crates to tell their implementations apart.
pub trait ServiceFallback<Missing, const PLACE: u64> {}

/// A service that counts as one that declares a change if `Missing` has an error: the reverse of a change without its handler,
/// which is probably written the wrong way round.
pub trait ChangeFallback<Missing, Old, New>: Service {}

/// Returns the number of a place in the source code, which is not 0.
pub const fn place(file: &str, module: &str) -> u64 {
    let Hashes { id, name } = Hashes::of(file, module);
    (id ^ name.rotate_left(1)) | 1
}

/// A plan that may lack a service. No type is one, unless `Broker` has a service without attribute, which would list its plans.
pub trait OfferFallback<Broker> {}

/// A plan for which [`Probe`] says whether a service offers it.
#[diagnostic::on_unimplemented(
    message = "no service offers plan `{Self}`",
    label = "not in the `plans(...)` of any service",
    note = "list it in its service: `#[service(..., plans({Self}))]`"
)]
pub trait OfferedPlan<const IS_OFFERED: bool, Broker> {}

impl<P> OfferedPlan<true, ()> for P {}

#[diagnostic::do_not_recommend]
impl<P: OfferFallback<Broker>, Broker> OfferedPlan<false, Broker> for P {}

/// Compiles only if a service offers `P`.
pub const fn is_offered<P: OfferedPlan<IS_OFFERED, Broker>, const IS_OFFERED: bool, Broker>() {}

/// rust-analyzer can't tell whether these apply, and would know nothing of any plan or service.
#[cfg(not(rust_analyzer))]
mod missing {
    use super::{ChangeFallback, Once, PlanFallback, ServiceFallback};
    use crate::{
        catalog::{Offering, PlanSpec},
        schema::NoParameters,
        service::{
            Bindable, Changes, DeprovisionError, DeprovisionRequest, Family, Offered, OfferedChange, Operation, Plan,
            Provision, ProvisionError, ProvisionRequest, Provisioned, Rotatable, Service, Unchecked, Updatable, Yes,
        },
    };

    impl PlanFallback<Yes> for Once {
        type Unknown = NoParameters;
    }

    impl ServiceFallback<Yes, 0> for Once {}

    #[diagnostic::do_not_recommend]
    impl Provision<Self> for Once {
        type State = ();

        async fn provision(&self, _: ProvisionRequest<Self>, _: &Operation) -> Result<Provisioned, ProvisionError> {
            Ok(Provisioned::new(()))
        }

        async fn deprovision(&self, _: DeprovisionRequest<Self>, _: &Operation) -> Result<(), DeprovisionError> {
            Ok(())
        }
    }

    #[diagnostic::do_not_recommend]
    impl<P: PlanFallback<Yes>> Plan for P {
        type Create = P::Unknown;
        type Update = P::Unknown;
        type Bind = P::Unknown;
        type Family = P::Unknown;
        type Binding = Unchecked;
        type Updating = Unchecked;
        const SPEC: PlanSpec = PlanSpec::INVALID;
    }

    macro_rules! declared {
        ($($name:ident)+) => {$(
            #[diagnostic::do_not_recommend]
            impl<P: PlanFallback<Yes>> $name for P {
                const DECLARED_IN_THE_ATTRIBUTE: Yes = Yes;
            }
        )+};
    }
    declared!(Bindable Rotatable Updatable Family);

    #[diagnostic::do_not_recommend]
    impl<S: ServiceFallback<Yes, 0>> Service for S {
        const OFFERING: Offering = Offering::INVALID;
        const JSON: &'static [u8] = b"{}";
        const IS_SHAREABLE: bool = true;
        const HAS_HANDLERS: bool = true;

        fn handlers() -> (&'static [Offered<S>], &'static [OfferedChange<S>])
        where
            S: 'static,
        {
            (&[], &[])
        }
    }

    impl<S: ServiceFallback<Yes, 0>, Old, New> ChangeFallback<Yes, Old, New> for S {}

    #[diagnostic::do_not_recommend]
    impl<S: ChangeFallback<Yes, Old, New>, Old, New> Changes<Old, New> for S {
        const DECLARED_IN_THE_ATTRIBUTE: Yes = Yes;
    }
}

/// A type that threads can share. Every one is; the trait is there for the compiler's message about a field of a service.
#[diagnostic::on_unimplemented(
    message = "handlers run in parallel, so a service has to be `Send` and `Sync`, and `{Self}` isn't",
    label = "can't be shared between threads",
    note = "something in it isn't: a `Cell`, a `RefCell`, an `Rc`, a raw pointer, or a `dyn Trait` without `+ Send + Sync`",
    note = "a type that is `Send` can be put into a `std::sync::Mutex`"
)]
pub trait Shareable {}

#[diagnostic::do_not_recommend]
impl<T: Send + Sync + 'static + ?Sized> Shareable for T {}

/// Compiles only if threads can share a `T`.
pub const fn is_shareable<T: Shareable + ?Sized>() {}

/// Compiles only if `S` implements `Provision<P>`. Returns `true`.
pub const fn provisions<S: Provision<P>, P: Plan>() -> bool {
    true
}

/// Compiles only if `S` implements `Bind<P>` and `Update<P>` where `P` requires them. Returns `true`.
pub const fn has_handlers<S, P: Plan<Binding: BindingMode<S, P>, Updating: UpdatingMode<S, P>>>() -> bool {
    true
}

/// Compiles only if `S` implements `ChangePlan<Old, New>`. Returns `true`.
pub const fn changes_plan<S: ChangePlan<Old, New>, Old: Plan, New: Plan>() -> bool {
    true
}

/// No type is one: it is for a plan that `changes(...)` names, and that isn't `Listed`. If that has an error, the plan has none.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a plan of this service",
    label = "not in its `plans(...)`",
    note = "add it: `plans(..., {Self})`; an instance can't change to a plan of another service"
)]
pub trait PlanOfThisService<Listed> {
    /// `true`.
    const IS_LISTED: bool;
}

/// Compiles only if `P` is a family. Returns `true`.
pub const fn is_family<P: Family>() -> bool {
    true
}

/// The argument of the trait that a fallback implements: `T` if the original is missing, otherwise a placeholder.
///
/// The placeholder is the type itself, which is of the author's crate: the compiler assumes that a later version of another
/// crate can implement this trait for its types.
pub trait FallbackFor<T, const IS_THERE: bool> {
    /// `T` or the placeholder.
    type Argument;
}

impl<T, Placeholder> FallbackFor<T, true> for Placeholder {
    type Argument = Placeholder;
}

impl<T, Placeholder> FallbackFor<T, false> for Placeholder {
    type Argument = T;
}

/// The type itself, unless `CHECKED` has an error. Then the type has one, and the compiler finds no other fault with it.
pub trait Checked<const CHECKED: bool> {
    /// The type that this trait is implemented for.
    type Itself;
}

#[cfg(not(rust_analyzer))]
impl<T> Checked<true> for T {
    type Itself = T;
}

/// rust-analyzer doesn't evaluate the constants, and would not know the type.
#[cfg(rust_analyzer)]
impl<T, const CHECKED: bool> Checked<CHECKED> for T {
    type Itself = T;
}
