//! Modes: they turn the declarations of a plan into the trait bounds that its service has to satisfy.

use super::{
    Bind, BindCall, Bindable, BindingOutput, BindingResult, InstanceResult, UnbindCall, Updatable, Update, UpdateCall,
    calls::{self, Handler},
    state::StateType,
};
use crate::{
    catalog::{Requires, StateInfo, StateTypes},
    schema::Schema,
};

/// The plan declares the capability.
#[derive(Debug)]
pub struct Yes;
/// The plan does not declare the capability.
#[derive(Debug)]
pub struct No;
/// The plan's attribute has an error; nothing is required until it is fixed.
#[derive(Debug)]
pub struct Unchecked;

/// The handlers, permissions and credentials schema of a plan's bindings.
pub struct Binding<S> {
    pub(crate) handlers: Option<BindHandlers<S>>,
    pub(crate) requires: Requires,
    pub(crate) credentials: Option<&'static Schema>,
    pub(crate) state: StateInfo,
}

/// The handlers for the bindings of a plan.
pub struct BindHandlers<S> {
    pub(crate) bind: for<'a> fn(&'a S, BindCall) -> Handler<'a, BindingResult>,
    pub(crate) unbind: for<'a> fn(&'a S, UnbindCall) -> Handler<'a, ()>,
}

/// Selects the binding handlers of service `S` for plan `P`.
pub trait BindingMode<S, P> {
    /// The handlers, if the plan is bindable.
    const BINDING: Binding<S>;
}

impl<S: Bind<P> + Sync, P: Bindable> BindingMode<S, P> for Yes {
    const BINDING: Binding<S> = Binding {
        handlers: Some(BindHandlers { bind: calls::bind::<S, P>, unbind: calls::unbind::<S, P> }),
        requires: <S::Output as BindingOutput>::REQUIRES,
        credentials: <S::Output as BindingOutput>::CREDENTIALS,
        state: StateInfo {
            version: <S as Bind<P>>::STATE_VERSION,
            decode: |version, value| StateType::of_binding::<S, P>().decoded(version, value),
        },
    };
}

/// The handler of an update.
pub type UpdateHandler<S> = for<'a> fn(&'a S, UpdateCall) -> Handler<'a, InstanceResult>;

/// Selects the update handler of service `S` for plan `P`.
pub trait UpdatingMode<S, P> {
    /// The handler, if the plan is updatable.
    const UPDATE: Option<UpdateHandler<S>>;
}

impl<S: Update<P> + Sync, P: Updatable> UpdatingMode<S, P> for Yes {
    const UPDATE: Option<UpdateHandler<S>> = Some(calls::update::<S, P>);
}

// `do_not_recommend`, because the error should name the missing handler, and no other mode. The implementations for `Yes` have
// none: with it, an implementation whose bounds a plan doesn't meet would count as a missing one.
macro_rules! without_handlers {
    ($($mode:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<S, P> BindingMode<S, P> for $mode {
            const BINDING: Binding<S> = Binding {
                handlers: None,
                requires: Requires::NONE,
                credentials: None,
                state: StateTypes::ANY.binding,
            };
        }

        #[diagnostic::do_not_recommend]
        impl<S, P> UpdatingMode<S, P> for $mode {
            const UPDATE: Option<UpdateHandler<S>> = None;
        }
    )*};
}

without_handlers! { No Unchecked }
