//! Operations without their types: what the runtime keeps is JSON, and handlers are called through these.

use std::{future::Future, pin::Pin, sync::Arc};

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use super::{
    Bind, Bindable, BindingRemains, ChangePlan, Failure, Maintained, New, NewBinding, Plan, PlanUpdate, Predecessor,
    Provision, Remains, Update, Work, WorkHandle, requests::Extras,
};
use crate::{
    protocol::{BindResource, BindingId, Context, InstanceId, Origin},
    schema::{self, Parameters, Violation},
};

/// A running handler.
pub type Handler<'a, T> = Pin<Box<dyn Future<Output = Result<T, Failure>> + Send + 'a>>;

/// What every call has.
pub struct Common {
    pub(crate) instance: InstanceId,
    pub(crate) context: Context,
    pub(crate) origin: Option<Origin>,
    pub(crate) work: Arc<WorkHandle>,
}

/// An instance to make.
pub struct ProvisionCall {
    pub(crate) common: Common,
    pub(crate) parameters: Value,
}

/// An instance to remove.
pub struct RemoveCall {
    pub(crate) common: Common,
    pub(crate) parameters: Value,
    pub(crate) state: Option<Value>,
}

/// An instance to change.
pub struct UpdateCall {
    pub(crate) common: Common,
    pub(crate) state: Value,
    pub(crate) changes: Option<Value>,
    pub(crate) before: Value,
    pub(crate) after: Value,
    pub(crate) maintenance: Option<Maintained>,
}

/// The same as an [`UpdateCall`]; the plan changes too.
pub type ChangeCall = UpdateCall;

/// A binding to make.
pub struct BindCall {
    pub(crate) common: Common,
    pub(crate) binding: BindingId,
    pub(crate) state: Value,
    pub(crate) instance_parameters: Value,
    pub(crate) parameters: Value,
    pub(crate) resource: BindResource,
    pub(crate) predecessor: Option<(BindingId, Value)>,
}

/// A binding to remove.
pub struct UnbindCall {
    pub(crate) common: Common,
    pub(crate) binding: BindingId,
    pub(crate) state: Option<Value>,
    pub(crate) instance_state: Option<Value>,
    pub(crate) parameters: Value,
}

/// An instance that a handler made.
#[derive(Clone)]
pub struct MadeInstance {
    pub(crate) state: Value,
    pub(crate) extras: Extras,
}

/// An instance that a handler changed.
pub type UpdatedInstance = MadeInstance;

/// A binding that a handler made.
#[derive(Clone)]
pub struct MadeBinding {
    pub(crate) state: Value,
    /// What it gives, or why that can't be written: then the binding is there all the same, and has to be removed.
    pub(crate) fields: Result<Map<String, Value>, String>,
}

/// Stored parameters were accepted once; if they no longer decode, the release that stored them was another one.
fn decode<T: Parameters>(value: Value) -> Result<T, Failure> {
    schema::decode_owned(value).map_err(|violations| {
        let list = violations.iter().map(Violation::to_string).collect::<Vec<_>>().join("; ");
        Failure::Unexpected(format!("parameters do not decode: {list}").into())
    })
}

fn restore<T: DeserializeOwned>(state: Value) -> Result<T, Failure> {
    T::deserialize(state)
        .map_err(|error| Failure::Unexpected(format!("the stored state does not decode: {error}").into()))
}

fn store<T: Serialize>(state: &T) -> Result<Value, Failure> {
    serde_json::to_value(state)
        .map_err(|error| Failure::Unexpected(format!("the state cannot be stored as JSON: {error}").into()))
}

pub(super) fn provision<S: Provision<P>, P: Plan>(service: &S, call: ProvisionCall) -> Handler<'_, MadeInstance> {
    Box::pin(async move {
        let Common { instance, context, origin, work } = call.common;
        let new = New { instance, parameters: decode(call.parameters)?, context, origin };
        let made = service.provision(new, &Work::new(work)).await.map_err(super::ProvisionError::into_failure)?;
        Ok(MadeInstance { state: store(&made.state)?, extras: made.extras })
    })
}

pub(super) fn deprovision<S: Provision<P>, P: Plan>(service: &S, call: RemoveCall) -> Handler<'_, ()> {
    Box::pin(async move {
        let Common { instance, context, origin, work } = call.common;
        let gone = Remains {
            instance,
            state: call
                .state
                .as_ref()
                .and_then(|state| <<S as Provision<P>>::State as Deserialize>::deserialize(state).ok()),
            raw_state: call.state,
            parameters: schema::decode(&call.parameters).ok(),
            raw_parameters: call.parameters,
            context,
            origin,
        };
        service.deprovision(gone, &Work::new(work)).await.map_err(super::DeprovisionError::into_failure)
    })
}

fn plan_update<From: Plan, To: Plan, T: DeserializeOwned>(
    call: UpdateCall,
) -> Result<PlanUpdate<From, To, T>, Failure> {
    let Common { instance, context, origin, .. } = call.common;
    Ok(PlanUpdate {
        instance,
        state: restore(call.state)?,
        changes: call.changes.map(decode).transpose()?,
        before: decode(call.before)?,
        parameters: decode(call.after)?,
        maintenance: call.maintenance,
        context,
        origin,
    })
}

pub(super) fn update<S: Update<P>, P: super::Updatable>(service: &S, call: UpdateCall) -> Handler<'_, UpdatedInstance> {
    Box::pin(async move {
        let work = Work::new(Arc::clone(&call.common.work));
        let update = plan_update::<P, P, _>(call)?;
        let updated = service.update(update, &work).await.map_err(super::UpdateError::into_failure)?;
        Ok(MadeInstance { state: store(&updated.state)?, extras: updated.extras })
    })
}

pub(super) fn change_plan<S: ChangePlan<From, To>, From: Plan, To: Plan>(
    service: &S,
    call: ChangeCall,
) -> Handler<'_, UpdatedInstance> {
    Box::pin(async move {
        let work = Work::new(Arc::clone(&call.common.work));
        let update = plan_update::<From, To, _>(call)?;
        let updated = service.change_plan(update, &work).await.map_err(super::UpdateError::into_failure)?;
        Ok(MadeInstance { state: store(&updated.state)?, extras: updated.extras })
    })
}

const NO_SUCCESSOR: &str = "The predecessor was made for another plan and cannot be succeeded under this one; make a binding without predecessor.";

pub(super) fn bind<S: Bind<P>, P: Bindable>(service: &S, call: BindCall) -> Handler<'_, MadeBinding> {
    Box::pin(async move {
        let Common { instance, context, origin, work } = call.common;
        let predecessor = match call.predecessor {
            Some((binding, state)) => match restore(state) {
                Ok(state) => Some(Predecessor { binding, state }),
                // Made under another plan, or by another release: no reason to start deleting.
                Err(_) => return Err(super::BindError::invalid(NO_SUCCESSOR).into_failure()),
            },
            None => None,
        };
        let new = NewBinding {
            binding: call.binding,
            instance,
            state: restore(call.state)?,
            instance_parameters: decode(call.instance_parameters)?,
            parameters: decode(call.parameters)?,
            resource: call.resource,
            predecessor,
            context,
            origin,
        };
        let bound = service.bind(new, &Work::new(work)).await.map_err(super::BindError::into_failure)?;
        let state = store(&bound.state)?;
        let mut fields = Map::new();
        let written = bound.write(&mut fields).map_err(|error| error.to_string());
        Ok(MadeBinding { state, fields: written.map(|()| fields) })
    })
}

pub(super) fn unbind<S: Bind<P>, P: Bindable>(service: &S, call: UnbindCall) -> Handler<'_, ()> {
    Box::pin(async move {
        let Common { instance, origin, work, .. } = call.common;
        let gone = BindingRemains {
            binding: call.binding,
            instance,
            state: call
                .state
                .as_ref()
                .and_then(|state| <<S as Bind<P>>::State as Deserialize>::deserialize(state).ok()),
            raw_state: call.state,
            instance_state: call.instance_state.and_then(|state| serde_json::from_value(state).ok()),
            parameters: schema::decode(&call.parameters).ok(),
            raw_parameters: call.parameters,
            origin,
        };
        service.unbind(gone, &Work::new(work)).await.map_err(super::UnbindError::into_failure)
    })
}
