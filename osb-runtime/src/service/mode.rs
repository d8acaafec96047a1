//! What a plan declares decides which traits its service has to implement: bounds, asked for through these.

use super::{
    Bind, BindCall, Bindable, BindingOutput, MadeBinding, Plan, UnbindCall, Updatable, Update, UpdateCall,
    UpdatedInstance,
    calls::{self, Handler},
};
use crate::{catalog::Requires, schema::Schema};

/// The plan declares it.
#[derive(Debug)]
pub struct Yes;
/// The plan does not declare it.
#[derive(Debug)]
pub struct No;
/// The plan's attribute has a mistake: nothing is asked for until it is mended.
#[derive(Debug)]
pub struct Unchecked;

/// What is known of the bindings of a plan.
pub struct Binding<S> {
    pub(crate) handlers: Option<BindHandlers<S>>,
    pub(crate) requires: Requires,
    pub(crate) credentials: Option<&'static Schema>,
}

/// The handlers of a plan's bindings.
pub struct BindHandlers<S> {
    pub(crate) bind: for<'a> fn(&'a S, BindCall) -> Handler<'a, MadeBinding>,
    pub(crate) unbind: for<'a> fn(&'a S, UnbindCall) -> Handler<'a, ()>,
}

/// Whether the bindings of plan `P` have handlers.
pub trait BindingMode<S, P> {
    /// What is known of them.
    const BINDING: Binding<S>;
}

impl<S: Bind<P>, P: Bindable> BindingMode<S, P> for Yes {
    const BINDING: Binding<S> = Binding {
        handlers: Some(BindHandlers { bind: calls::bind::<S, P>, unbind: calls::unbind::<S, P> }),
        requires: <S::Output as BindingOutput>::REQUIRES,
        credentials: <S::Output as BindingOutput>::CREDENTIALS,
    };
}

macro_rules! without_bindings {
    ($($mode:ident)*) => {$(
        impl<S, P> BindingMode<S, P> for $mode {
            const BINDING: Binding<S> = Binding { handlers: None, requires: Requires::NONE, credentials: None };
        }
    )*};
}

without_bindings! { No Unchecked }

/// The handler of an update.
pub type UpdateHandler<S> = for<'a> fn(&'a S, UpdateCall) -> Handler<'a, UpdatedInstance>;

/// Whether the updates of plan `P` have a handler.
pub trait UpdatingMode<S, P> {
    /// The handler.
    const UPDATE: Option<UpdateHandler<S>>;
}

impl<S: Update<P>, P: Updatable> UpdatingMode<S, P> for Yes {
    const UPDATE: Option<UpdateHandler<S>> = Some(calls::update::<S, P>);
}

impl<S, P: Plan> UpdatingMode<S, P> for No {
    const UPDATE: Option<UpdateHandler<S>> = None;
}

impl<S, P: Plan> UpdatingMode<S, P> for Unchecked {
    const UPDATE: Option<UpdateHandler<S>> = None;
}
