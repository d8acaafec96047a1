//! A plan in its service: its catalog entry and its handlers.

use std::sync::Arc;

use serde_json::Value;

use super::{
    BindCall, BindingResult, BoxError, ChangePlan, DashboardUrl, DeprovisionCall, InstanceResult, Plan, Provision,
    ProvisionCall, Service, UnbindCall, UpdateCall,
    calls::{self, Handler},
    mode::{Binding, BindingMode, UpdateHandler, UpdatingMode},
    state::StateType,
};
use crate::{
    catalog::{Decoded, ParametersInfo, PlanInfo, StateInfo, StateTypes},
    protocol::Tenant,
    schema::{self, Parameters, Schema, Violation},
};

/// A plan of the service `S`. The trait bounds for all declared capabilities are here and nowhere else.
pub struct Offered<S> {
    #[doc(hidden)]
    pub info: PlanInfo,
    provision: for<'a> fn(&'a S, ProvisionCall) -> Handler<'a, InstanceResult>,
    dashboard_url: fn(&S, &Tenant, &str) -> Result<Option<DashboardUrl>, BoxError>,
    deprovision: for<'a> fn(&'a S, DeprovisionCall) -> Handler<'a, ()>,
    update: Option<UpdateHandler<S>>,
    binding: Binding<S>,
}

impl<S: Service + Sync> Offered<S> {
    /// Creates the entry of plan `P`; `updateable` says whether the service declares a change from it to another plan.
    pub const fn of<P>(updateable: bool) -> Self
    where
        P: Plan,
        S: Provision<P>,
        P::Binding: BindingMode<S, P>,
        P::Updating: UpdatingMode<S, P>,
    {
        let binding = <P::Binding as BindingMode<S, P>>::BINDING;
        Self {
            info: PlanInfo {
                spec: P::SPEC,
                create: if P::HAS_CREATE { Some(info_of::<P::Create>(P::CREATE_SCHEMA, P::CREATE_JSON)) } else { None },
                update: if P::HAS_UPDATE { Some(info_of::<P::Update>(P::UPDATE_SCHEMA, P::UPDATE_JSON)) } else { None },
                bind: if P::HAS_BIND { Some(parameters_info::<P::Bind>()) } else { None },
                updateable,
                requires: binding.requires,
                credentials: binding.credentials,
                states: StateTypes {
                    instance: StateInfo {
                        version: S::STATE_VERSION,
                        decode: |version, value| StateType::of_instance::<S, P>().decoded(version, value),
                    },
                    binding: binding.state,
                },
                family: if P::HAS_FAMILY { Some(parameters_info::<P::Family>()) } else { None },
                member: None,
            },
            provision: calls::provision::<S, P>,
            dashboard_url: <S as Provision<P>>::dashboard_url,
            deprovision: calls::deprovision::<S, P>,
            update: <P::Updating as UpdatingMode<S, P>>::UPDATE,
            binding,
        }
    }
}

/// Returns the schema of a parameters type and its validation.
pub const fn parameters_info<T: Parameters>() -> ParametersInfo {
    info_of::<T>(&T::SCHEMA, T::JSON)
}

/// [`parameters_info`], with the schema that a plan has narrowed.
const fn info_of<T: Parameters>(schema: &'static Schema, json: &'static [u8]) -> ParametersInfo {
    ParametersInfo { schema, json, decode: decode_as::<T>, check_stored: check_stored::<T> }
}

fn decode_as<T: Parameters>(schema: &Schema, value: &Value) -> Result<Decoded, Vec<Violation>> {
    schema::decode_as::<T>(schema, value).map(|decoded| Box::new(decoded) as Decoded)
}

fn check_stored<T: Parameters>(value: &Value) -> Result<(), Vec<Violation>> {
    schema::decode_stored::<T>(value).parameters.map(drop)
}

/// A change of plan of the service `S`.
pub struct OfferedChange<S> {
    #[doc(hidden)]
    pub from: &'static str,
    #[doc(hidden)]
    pub to: &'static str,
    change: UpdateHandler<S>,
}

impl<S: Service + Sync> OfferedChange<S> {
    /// Creates the entry for the change from `Old` to `New`.
    pub const fn of<Old: Plan, New: Plan>() -> Self
    where
        S: ChangePlan<Old, New>,
    {
        Self { from: Old::SPEC.id, to: New::SPEC.id, change: calls::change_plan::<S, Old, New> }
    }
}

/// The handlers of a plan or a family, without the types of its service and broker.
pub trait MountedPlan: Send + Sync {
    /// Returns the id of the plan in the program.
    fn type_id(&self) -> &'static str;
    /// Returns the dashboard URL of an instance if it is known before the instance is created.
    fn dashboard_url(&self, tenant: &Tenant, instance: &str) -> Result<Option<DashboardUrl>, BoxError>;
    /// Creates an instance.
    fn provision(&self, call: ProvisionCall) -> Handler<'_, InstanceResult>;
    /// Deletes an instance.
    fn deprovision(&self, call: DeprovisionCall) -> Handler<'_, ()>;
    /// Updates an instance within its plan; `None` if the plan is not updatable.
    fn update(&self, call: UpdateCall) -> Option<Handler<'_, InstanceResult>>;
    /// Moves an instance to another plan; `None` if the service does not declare that change.
    fn change_plan(&self, call: UpdateCall) -> Option<Handler<'_, InstanceResult>>;
    /// Creates a binding; `None` if the plan is not bindable.
    fn bind(&self, call: BindCall) -> Option<Handler<'_, BindingResult>>;
    /// Deletes a binding; `None` if the plan is not bindable.
    fn unbind(&self, call: UnbindCall) -> Option<Handler<'_, ()>>;
}

/// A plan of a service in a running broker.
pub struct Mounted<B: 'static, S: Service + 'static> {
    broker: Arc<B>,
    service: fn(&B) -> &S,
    plan: &'static Offered<S>,
}

impl<B: Send + Sync + 'static, S: Service + Sync + 'static> Mounted<B, S> {
    /// Returns all plans of the service that `service` selects from `broker`.
    pub fn all(broker: &Arc<B>, service: fn(&B) -> &S) -> Vec<Arc<dyn MountedPlan>> {
        let mount = |plan| Arc::new(Self { broker: Arc::clone(broker), service, plan }) as Arc<dyn MountedPlan>;
        S::handlers().0.iter().map(mount).collect()
    }

    fn service(&self) -> &S {
        (self.service)(&self.broker)
    }
}

impl<B: Send + Sync + 'static, S: Service + Sync + 'static> MountedPlan for Mounted<B, S> {
    fn type_id(&self) -> &'static str {
        self.plan.info.spec.id
    }

    fn dashboard_url(&self, tenant: &Tenant, instance: &str) -> Result<Option<DashboardUrl>, BoxError> {
        (self.plan.dashboard_url)(self.service(), tenant, instance)
    }

    fn provision(&self, call: ProvisionCall) -> Handler<'_, InstanceResult> {
        (self.plan.provision)(self.service(), call)
    }

    fn deprovision(&self, call: DeprovisionCall) -> Handler<'_, ()> {
        (self.plan.deprovision)(self.service(), call)
    }

    fn update(&self, call: UpdateCall) -> Option<Handler<'_, InstanceResult>> {
        self.plan.update.map(|update| update(self.service(), call))
    }

    fn change_plan(&self, call: UpdateCall) -> Option<Handler<'_, InstanceResult>> {
        let (from, to) = (self.type_id(), call.new_plan.type_id());
        let change = S::handlers().1.iter().find(|change| change.from == from && change.to == to)?;
        Some((change.change)(self.service(), call))
    }

    fn bind(&self, call: BindCall) -> Option<Handler<'_, BindingResult>> {
        self.plan.binding.handlers.as_ref().map(|handlers| (handlers.bind)(self.service(), call))
    }

    fn unbind(&self, call: UnbindCall) -> Option<Handler<'_, ()>> {
        self.plan.binding.handlers.as_ref().map(|handlers| (handlers.unbind)(self.service(), call))
    }
}
