//! Type-erased handlers. The runtime stores JSON; this module decodes it, calls the author's handler, and encodes the result.

use std::{future::Future, pin::Pin, sync::Arc};

use serde_json::Value;

use super::{
    Bind, BindRequest, Bindable, ChangePlan, DeprovisionRequest, Failure, InstancePlan, MaintenanceUpgrade, Operation,
    OperationHandle, Plan, Predecessor, Provision, ProvisionRequest, StateJson, UnbindRequest, Update, UpdateRequest,
    requests::{Extras, StoredParameters, UnfinishedChange},
    state::{StateType, check_dropped, of_present_plan},
};
use crate::{
    catalog::{Decoded, PlanInfo},
    json::{MAX_DEPTH, Members, SharedValue, is_deeper_than},
    protocol::{BindResource, BindingId, InstanceId, LazyContext, Origin, Tenant},
    schema::{self, DecodedParameters, Parameters, Violation},
};

/// A running handler.
pub type Handler<'a, T> = Pin<Box<dyn Future<Output = Result<T, Failure>> + Send + 'a>>;

/// The arguments that every call has.
#[derive(Clone)]
pub struct Common {
    pub(crate) tenant: Tenant,
    pub(crate) instance: InstanceId,
    /// The plan before the call.
    pub(crate) plan: &'static PlanInfo,
    pub(crate) context: LazyContext,
    pub(crate) origin: Option<Arc<Origin>>,
    pub(crate) handle: Arc<OperationHandle>,
}

/// The arguments of [`Provision::provision`].
pub struct ProvisionCall {
    pub(crate) common: Common,
    pub(crate) parameters: SharedValue,
    /// The parameters, if the request that contained them was decoded in this process.
    pub(crate) decoded: Option<Decoded>,
}

/// The arguments of [`Provision::deprovision`].
pub struct DeprovisionCall {
    pub(crate) common: Common,
    pub(crate) parameters: SharedValue,
    pub(crate) state: Option<StateJson>,
    pub(crate) unfinished_change: Option<UnfinishedChange>,
}

/// The arguments of [`Update::update`] and [`ChangePlan::change_plan`].
pub struct UpdateCall {
    pub(crate) common: Common,
    pub(crate) new_plan: &'static PlanInfo,
    pub(crate) state: StateJson,
    pub(crate) changes: Option<SharedValue>,
    pub(crate) before: SharedValue,
    pub(crate) after: SharedValue,
    pub(crate) bindings: u64,
    pub(crate) maintenance: Option<MaintenanceUpgrade>,
    pub(crate) unfinished_change: Option<UnfinishedChange>,
}

/// The arguments of [`Bind::bind`].
pub struct BindCall {
    pub(crate) common: Common,
    pub(crate) binding: BindingId,
    pub(crate) state: StateJson,
    pub(crate) instance_parameters: SharedValue,
    pub(crate) parameters: SharedValue,
    /// The parameters, if the request that contained them was decoded in this process.
    pub(crate) decoded: Option<Decoded>,
    pub(crate) resource: BindResource,
    /// The predecessor of a rotation, with its state, and with its plan if that differs from the instance's.
    pub(crate) predecessor: Option<(BindingId, StateJson, Option<&'static PlanInfo>)>,
}

/// The arguments of [`Bind::unbind`].
pub struct UnbindCall {
    pub(crate) common: Common,
    pub(crate) binding: BindingId,
    pub(crate) state: Option<StateJson>,
    pub(crate) instance_state: Option<StateJson>,
    /// The plan that the instance has now, and that has saved its state; `None` if it is the binding's.
    pub(crate) instance_plan: Option<&'static PlanInfo>,
    pub(crate) parameters: SharedValue,
}

/// The result of a creation or an update.
#[derive(Clone)]
pub struct InstanceResult {
    pub(crate) state: StateJson,
    pub(crate) extras: Extras,
}

/// The result of a bind.
#[derive(Clone)]
pub struct BindingResult {
    pub(crate) state: StateJson,
    /// The fields of the answer, or the reason why the output can't be written. In that case the binding exists all the
    /// same, and has to be removed.
    pub(crate) fields: Result<Members, String>,
}

/// Decodes parameters that this release or an earlier one accepted. The error lists the places that prevent it.
fn decode<T: Parameters>(value: &Value, common: &Common) -> Result<T, String> {
    let DecodedParameters { parameters, unknown } = schema::decode_stored(value);
    if !unknown.is_empty() {
        let (tenant, instance) = (common.tenant.non_empty(), common.instance.as_str());
        let (operation, parameters) = (&*common.handle.operation, unknown.join(" "));
        tracing::info!(
            tenant,
            instance,
            operation,
            parameters,
            "ignored stored parameters that this release does not know"
        );
    }
    parameters.map_err(|violations| violations.iter().map(Violation::place).collect::<Vec<_>>().join(", "))
}

fn decode_required<T: Parameters>(value: &Value, common: &Common) -> Result<T, Failure> {
    decode(value, common).map_err(|list| Failure::unexpected(format!("stored parameters can't be decoded: {list}")))
}

/// Returns the parameters of a request if it has decoded them in this process, and decodes the stored ones otherwise.
fn decoded_or_stored<T: Parameters>(decoded: Option<Decoded>, stored: &Value, common: &Common) -> Result<T, Failure> {
    match decoded.map(Decoded::downcast) {
        Some(Ok(decoded)) => Ok(*decoded),
        _ => decode_required(stored, common),
    }
}

/// Decodes the parameters of an instance. A user can repair them with an update, so the error is the user's.
fn decode_instance<T: Parameters>(value: &Value, common: &Common) -> Result<T, Failure> {
    decode(value, common).map_err(|list| {
        let text = format!("Some parameters of this service instance are missing or no longer valid; update the instance first: {list}.");
        match common.handle.attempt {
            1 => Failure::invalid(text),
            // A refusal promises that nothing was created, but an earlier attempt may have created the binding.
            _ => Failure::unexpected(text),
        }
    })
}

fn restore<T>(of: &StateType<T>, saved: &StateJson, common: &Common) -> Result<T, Failure> {
    of.read(saved, &common.handle.operation).map_err(Failure::unexpected)
}

fn save<T>(of: &StateType<T>, state: &T) -> Result<StateJson, Failure> {
    of.save(state).map_err(|error| Failure::unexpected(format!("the state can't be written as JSON: {error}")))
}

fn finish<T>(of: &StateType<T>, state: &T, extras: Extras) -> Result<InstanceResult, Failure> {
    match extras.attributes.iter().find(|(_, attribute)| is_deeper_than(MAX_DEPTH, attribute)) {
        Some((name, _)) => {
            Err(Failure::unexpected(format!("the attribute `{name}` is nested deeper than {MAX_DEPTH} levels")))
        }
        None => Ok(InstanceResult { state: save(of, state)?, extras }),
    }
}

pub(super) fn provision<S: Provision<P> + Sync, P: Plan>(
    service: &S,
    call: ProvisionCall,
) -> Handler<'_, InstanceResult> {
    Box::pin(async move {
        let parameters = decoded_or_stored(call.decoded, &call.parameters, &call.common)?;
        let Common { tenant, instance, plan, context, origin, handle } = call.common;
        let plan = InstancePlan::of(plan)?;
        let request = ProvisionRequest { instance_id: instance, plan, parameters, tenant, context, origin };
        let operation = Operation::begin(handle, StateType::of_instance::<S, P>())?;
        let made = service.provision(request, &operation).await.map_err(super::ProvisionError::into_failure)?;
        finish(&StateType::of_instance::<S, P>(), &made.state, made.extras)
    })
}

pub(super) fn deprovision<S: Provision<P> + Sync, P: Plan>(service: &S, call: DeprovisionCall) -> Handler<'_, ()> {
    Box::pin(async move {
        let Common { tenant, instance, plan, context, origin, handle } = call.common;
        let state = StateType::of_instance::<S, P>().read_for_removal(call.state, &handle.operation);
        let dropped = [state.dropped_error(), None];
        let request = DeprovisionRequest {
            instance_id: instance,
            plan: InstancePlan::of(plan)?,
            state,
            parameters: StoredParameters::new(call.parameters),
            unfinished_change: call.unfinished_change,
            tenant,
            context,
            origin,
        };
        let operation = Operation::new(handle, StateType::of_instance::<S, P>());
        service.deprovision(request, &operation).await.map_err(super::DeprovisionError::into_failure)?;
        check_dropped(dropped)
    })
}

fn update_request<Old: Plan, New: Plan, T>(
    call: UpdateCall,
    state: &StateType<T>,
) -> Result<UpdateRequest<Old, New, T>, Failure> {
    let common = &call.common;
    let state = restore(state, &call.state, common)?;
    let changes = call.changes.map(|changes| decode_required(&changes, common)).transpose()?;
    let parameters = decode_instance(&call.after, common)?;
    let Common { tenant, instance, plan, context, origin, .. } = call.common;
    Ok(UpdateRequest {
        instance_id: instance,
        plan: InstancePlan::of(call.new_plan)?,
        old_plan: InstancePlan::of(plan)?,
        parameters,
        old_parameters: StoredParameters::new(call.before),
        changes,
        state,
        maintenance: call.maintenance,
        bindings: call.bindings,
        unfinished_change: call.unfinished_change,
        tenant,
        context,
        origin,
    })
}

pub(super) fn update<S: Update<P> + Sync, P: super::Updatable>(
    service: &S,
    call: UpdateCall,
) -> Handler<'_, InstanceResult> {
    Box::pin(async move {
        let operation = Operation::begin(Arc::clone(&call.common.handle), StateType::of_instance::<S, P>())?;
        let update = update_request::<P, P, _>(call, &StateType::of_instance::<S, P>())?;
        let updated = service.update(update, &operation).await.map_err(super::UpdateError::into_failure)?;
        finish(&StateType::of_instance::<S, P>(), &updated.state, updated.extras)
    })
}

pub(super) fn change_plan<S: ChangePlan<Old, New> + Sync, Old: Plan, New: Plan>(
    service: &S,
    call: UpdateCall,
) -> Handler<'_, InstanceResult> {
    Box::pin(async move {
        let operation = Operation::begin(Arc::clone(&call.common.handle), StateType::of_instance::<S, New>())?;
        let update = update_request::<Old, New, _>(call, &StateType::of_instance::<S, Old>())?;
        let updated = service.change_plan(update, &operation).await.map_err(super::UpdateError::into_failure)?;
        finish(&StateType::of_instance::<S, New>(), &updated.state, updated.extras)
    })
}

/// Decodes the state of the predecessor of a rotation. `plan`: that of the predecessor, if it is another one. An error is the
/// user's, because a 500 would make platforms delete the binding.
fn predecessor_state<S: Bind<P>, P: Bindable>(
    saved: &StateJson,
    plan: Option<&PlanInfo>,
    operation: &str,
) -> Result<S::BindingState, Failure> {
    let Some(plan) = plan else {
        return StateType::of_binding::<S, P>().read(saved, operation).map_err(|reason| {
            tracing::error!(operation, reason, "the state of the predecessor binding can't be read");
            Failure::invalid(
                "The state of the predecessor binding can't be read; create a binding without a predecessor.",
            )
        });
    };
    // The plan that saved it decodes it.
    let decoded = (plan.states.binding.decode)(saved.version, &saved.value).ok();
    decoded.and_then(|state| state.downcast().ok()).map(|state| *state).ok_or_else(|| {
        Failure::invalid("The predecessor binding was created under a different plan and can't be rotated; create a binding without a predecessor.")
    })
}

pub(super) fn bind<S: Bind<P> + Sync, P: Bindable>(service: &S, call: BindCall) -> Handler<'_, BindingResult> {
    Box::pin(async move {
        let predecessor = match call.predecessor {
            Some((binding, saved, plan)) => {
                let state = predecessor_state::<S, P>(&saved, plan, &call.common.handle.operation)?;
                Some(Predecessor { binding_id: binding, state })
            }
            None => None,
        };
        let instance_state = restore(&StateType::of_instance::<S, P>(), &call.state, &call.common)?;
        let instance_parameters = decode_instance(&call.instance_parameters, &call.common)?;
        let parameters = decoded_or_stored(call.decoded, &call.parameters, &call.common)?;
        let Common { tenant, instance, plan, context, origin, handle } = call.common;
        let request = BindRequest {
            binding_id: call.binding,
            instance_id: instance,
            plan: InstancePlan::of(plan)?,
            instance_state,
            parameters,
            instance_parameters,
            bind_resource: call.resource,
            predecessor,
            tenant,
            context,
            origin,
        };
        let operation = Operation::begin(handle, StateType::of_binding::<S, P>())?;
        let bound = service.bind(request, &operation).await.map_err(super::BindError::into_failure)?;
        let state = save(&StateType::of_binding::<S, P>(), &bound.state)?;
        let mut fields = Members::default();
        let written = bound.write(&mut fields).map_err(|error| error.to_string());
        let is_too_deep = fields.iter().any(|(_, field)| field.is_deeper_than(MAX_DEPTH));
        let too_deep = || format!("the binding's output is nested deeper than {MAX_DEPTH} levels");
        let fields = written.and_then(|()| if is_too_deep { Err(too_deep()) } else { Ok(fields) });
        Ok(BindingResult { state, fields })
    })
}

pub(super) fn unbind<S: Bind<P> + Sync, P: Bindable>(service: &S, call: UnbindCall) -> Handler<'_, ()> {
    Box::pin(async move {
        let Common { tenant, instance, plan, context, origin, handle, .. } = call.common;
        let instance_state = match call.instance_plan {
            None => StateType::of_instance::<S, P>().read_for_removal(call.instance_state, &handle.operation),
            Some(plan) => of_present_plan(call.instance_state, plan),
        };
        let state = StateType::of_binding::<S, P>().read_for_removal(call.state, &handle.operation);
        let dropped = [state.dropped_error(), instance_state.dropped_error()];
        let request = UnbindRequest {
            binding_id: call.binding,
            instance_id: instance,
            plan: InstancePlan::of(plan)?,
            state,
            parameters: StoredParameters::new(call.parameters),
            instance_state,
            tenant,
            context,
            origin,
        };
        let operation = Operation::new(handle, StateType::of_binding::<S, P>());
        service.unbind(request, &operation).await.map_err(super::UnbindError::into_failure)?;
        check_dropped(dropped)
    })
}
