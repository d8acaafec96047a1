//! Traits with which `#[service]` makes a missing `#[plan]` or a missing `Provision` one error, and names a field that isn't `Sync`.
//!
//! The handlers of a plan name the plan and the state of its instances, so that the compiler would report either for each of
//! them. `#[service]` therefore implements [`Plan`](super::Plan) and [`InstanceState`](super::InstanceState) itself where they
//! are missing, with types that have an error. Where they are not missing, the same code implements them for types that mean
//! nothing: [`Probe`] tells the two apart.

use std::marker::PhantomData;

use super::{Family, Plan, Provision};
use crate::schema::Parameters;

/// Finds out whether `S` implements `Provision<P>`, and whether `P` is under `#[plan]`: `Probe::<S, P>::PROVISIONS` and
/// `Probe::<S, P>::IS_PLAN`, with [`Otherwise`] in scope.
pub struct Probe<S, P>(PhantomData<(S, P)>);

impl<S: Provision<P>, P: Plan> Probe<S, P> {
    /// An inherent constant comes before one of a trait.
    pub const PROVISIONS: bool = true;
}

impl<S, P: Attributed> Probe<S, P> {
    /// As above.
    pub const IS_PLAN: bool = true;
}

/// The answers of [`Probe`] for what is missing.
pub trait Otherwise {
    /// See [`Probe`].
    const PROVISIONS: bool = false;
    /// See [`Probe`].
    const IS_PLAN: bool = false;
}

impl<S, P> Otherwise for Probe<S, P> {}

/// A plan under `#[plan]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a plan",
    label = "not a plan",
    note = "put `#[plan(id = \"...\", name = \"...\")]` on the struct `{Self}`"
)]
pub trait Attributed {}

/// Compiles only if `P` is under `#[plan]`. Returns `true`.
#[must_use]
pub const fn is_plan<P: Attributed>() -> bool {
    true
}

/// A plan of `plans(...)` that isn't under `#[plan]`, if `Missing` is [`Yes`](super::Yes).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a plan",
    label = "not a plan",
    note = "put `#[plan(id = \"...\", name = \"...\")]` on the struct `{Self}`"
)]
pub trait PlanFallback<Missing>: Send + Sync + 'static {
    /// A type with an error.
    type Unknown: Parameters;
}

/// rust-analyzer can't tell whether these apply, and would know nothing of any plan.
#[cfg(not(rust_analyzer))]
mod missing_plans {
    use super::PlanFallback;
    use crate::{
        catalog::PlanSpec,
        service::{Bindable, Family, Plan, Rotatable, Unchecked, Updatable, Yes},
    };

    #[diagnostic::do_not_recommend]
    impl<P: PlanFallback<Yes>> Plan for P {
        type Create = P::Unknown;
        type Update = P::Unknown;
        type Bind = P::Unknown;
        type Family = P::Unknown;
        type Binding = Unchecked;
        type Updating = Unchecked;
        const SPEC: PlanSpec = PlanSpec::INVALID;
        const HAS_CREATE: bool = false;
        const HAS_UPDATE: bool = false;
        const HAS_BIND: bool = false;
        const HAS_FAMILY: bool = false;
    }

    #[diagnostic::do_not_recommend]
    impl<P: PlanFallback<Yes>> Bindable for P {}
    #[diagnostic::do_not_recommend]
    impl<P: PlanFallback<Yes>> Rotatable for P {}
    #[diagnostic::do_not_recommend]
    impl<P: PlanFallback<Yes>> Updatable for P {}
    #[diagnostic::do_not_recommend]
    impl<P: PlanFallback<Yes>> Family for P {}
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

/// Compiles only if threads can share a `T`. Returns `true`.
#[must_use]
pub const fn is_shareable<T: Shareable + ?Sized>() -> bool {
    true
}

/// Compiles only if `S` implements `Provision<P>`. Returns `true`.
#[must_use]
pub const fn provisions<S: Provision<P>, P: Plan>() -> bool {
    true
}

/// Compiles only if `P` is a family. Returns `true`.
#[must_use]
pub const fn is_family<P: Family>() -> bool {
    true
}

/// The argument of the trait that a fallback implements: `T` if the original is missing, and otherwise the type itself, which
/// means nothing.
///
/// That type is of the author's crate: of others the compiler supposes that someone else implements this trait for them.
pub trait FallbackFor<T, const IS_THERE: bool> {
    /// See above.
    type Argument;
}

impl<T, Nothing> FallbackFor<T, true> for Nothing {
    type Argument = Nothing;
}

impl<T, Nothing> FallbackFor<T, false> for Nothing {
    type Argument = T;
}

/// The type itself, unless `CHECKED` has an error. Then the type has one, and the compiler finds no other fault with it.
pub trait Checked<const CHECKED: bool> {
    /// See above.
    type Itself;
}

impl<T> Checked<true> for T {
    type Itself = T;
}
