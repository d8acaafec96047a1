//! The requests that handlers get, and the results that they return.

use std::{any::Any, fmt, marker::PhantomData, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{DashboardUrl, Failure, Plan, StoredState, Validated, state::StateJson};
use crate::{
    catalog::{Maintenance, PlanInfo},
    json::SharedValue,
    protocol::{BindResource, BindingId, InstanceId, LazyContext, Names, Origin, Tenant, debug_fields, debug_text},
    schema::{NoParameters, Parameters, decode_stored},
};

/// The plan of an instance, with the name that the platform shows.
///
/// A plan of a [family](macro@crate::plan#families) has the values that the deployment lists for it:
///
/// ```
/// # use osb_runtime::prelude::*;
/// # #[service(id = "0f7b1a3e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "db", description = "Databases.", plans(BySize))]
/// # struct Databases;
/// /// A database.
/// #[plan(family = Size, name = "sized")]
/// struct BySize;
///
/// /// The size of a database.
/// #[parameters]
/// struct Size {
///     /// Storage in GB.
///     #[param(range(min = 1))]
///     storage: u32,
/// }
///
/// # impl Provision<BySize> for Databases {
/// #     type State = ();
/// async fn provision(&self, request: ProvisionRequest<BySize>, _: &Operation) -> Result<Provisioned, ProvisionError> {
///     println!("plan {}: {} GB", request.plan.name, request.plan.values.storage);
///     Ok(Provisioned::new(()))
/// }
/// #     async fn deprovision(&self, _: DeprovisionRequest<BySize>, _: &Operation) -> Result<(), DeprovisionError> { Ok(()) }
/// # }
/// ```
#[non_exhaustive]
pub struct InstancePlan<P: Plan> {
    /// The plan's id.
    pub id: &'static str,
    /// The plan's name.
    pub name: &'static str,
    /// The values of the plan, if it belongs to a family; otherwise [`NoParameters`].
    pub values: &'static P::Family,
}

debug_fields!(InstancePlan<P: Plan> { id, name });

impl<P: Plan> Clone for InstancePlan<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: Plan> Copy for InstancePlan<P> {}

impl<P: Plan> InstancePlan<P> {
    /// Returns the plan as handlers of `P` get it.
    pub(crate) fn of(plan: &PlanInfo) -> Result<Self, Failure> {
        let values: &'static (dyn Any + Send + Sync) = match plan.member {
            Some(member) => member.values,
            None => &NoParameters {},
        };
        let values = values.downcast_ref().ok_or_else(|| {
            Failure::unexpected(format!("plan {:?} ({}) has no values of its family", plan.spec.name, plan.spec.id))
        })?;
        Ok(Self { id: plan.spec.id, name: plan.spec.name, values })
    }
}

/// The request to create an instance.
#[non_exhaustive]
pub struct ProvisionRequest<P: Plan> {
    /// The instance's id.
    pub instance_id: InstanceId,
    /// The instance's plan.
    pub plan: InstancePlan<P>,
    /// The user's parameters, with defaults filled in.
    pub parameters: P::Create,
    /// The platform that owns it, if the broker serves several: ids are unique within a tenant only.
    pub tenant: Tenant,
    /// The location on the platform.
    pub context: LazyContext,
    /// The user who sent the request, if the platform says so.
    pub origin: Option<Arc<Origin>>,
}

/// The dashboard URL and the metadata in an answer about an instance.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Extras {
    pub(crate) dashboard_url: Option<String>,
    pub(crate) labels: Map<String, Value>,
    pub(crate) attributes: Map<String, Value>,
}

// Prints the names of the labels and attributes. The URL and the values may contain secrets (T68).
debug_text!(
    Extras, Self { labels, attributes, .. } => "Extras {{ labels: {:?}, attributes: {:?}, .. }}", Names(labels), Names(attributes)
);

osb_catalog::__private::arguments! {
    /// The value of an attribute: JSON, or a text, number or truth value.
    IntoAttribute(Value): "the value of an attribute is JSON, not `{Self}`", "write `serde_json::json!(...)`, or `serde_json::to_value(value)?` for a struct";
}

macro_rules! results {
    ($($(#[$doc:meta])* $name:ident, $new_doc:literal;)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub struct $name<S = ()> {
            pub(crate) state: S,
            pub(crate) extras: Extras,
        }

        debug_fields!($name<S> { extras });

        impl<S> $name<S> {
            #[doc = $new_doc]
            pub fn new(state: S) -> Self {
                Self { state, extras: Extras::default() }
            }

            /// Sets the URL of the instance's dashboard. Platforms read it from the first answer only (PROV-16); for an
            /// asynchronous operation see [`dashboard_url`](crate::service::Provision::dashboard_url).
            pub fn dashboard(mut self, url: impl Validated<DashboardUrl>) -> Self {
                self.extras.dashboard_url = Some(url.into().as_str().to_owned());
                self
            }

            /// Adds a label, which is informational. Platforms replace all labels with those of the latest answer
            /// (META-01): an update names all of them, or none to keep them.
            pub fn label(mut self, name: impl Into<String>, value: impl fmt::Display) -> Self {
                self.extras.labels.insert(name.into(), Value::String(value.to_string()));
                self
            }

            /// Adds an attribute, which may change how the platform treats the instance (META-02). An update keeps the
            /// attributes that it doesn't name, and `null` removes one.
            pub fn attribute(mut self, name: impl Into<String>, value: impl IntoAttribute) -> Self {
                self.extras.attributes.insert(name.into(), value.into());
                self
            }
        }

        impl<S> From<S> for $name<S> {
            fn from(state: S) -> Self {
                Self::new(state)
            }
        }
    )*};
}

results! {
    /// The result of a successful [`provision`](super::Provision::provision).
    Provisioned, "Reports that the instance exists. The runtime stores `state` for later operations.";

    /// The result of a successful [`update`](super::Update::update) or [`change_plan`](super::ChangePlan::change_plan).
    Updated, "Reports that the instance is changed. `state` replaces the stored state.";
}

/// The request to delete an instance, or to roll back its creation.
///
/// An unreadable state is distinct from no state: see [`StoredState`].
#[non_exhaustive]
pub struct DeprovisionRequest<P: Plan, S = ()> {
    /// The instance's id.
    pub instance_id: InstanceId,
    /// The instance's plan.
    pub plan: InstancePlan<P>,
    /// The instance's state. `StoredState` says that none was saved if the creation failed before its first checkpoint.
    pub state: StoredState<S>,
    /// The instance's parameters.
    pub parameters: StoredParameters<P::Create>,
    /// The checkpoint of the last failed change to another plan, if its handler saved one: resources that it made for that plan may
    /// still exist. A later change of plan, which [gets it too](UpdateRequest::unfinished_change), removes or replaces it.
    pub unfinished_change: Option<UnfinishedChange>,
    /// The platform that owns it, if the broker serves several: ids are unique within a tenant only.
    pub tenant: Tenant,
    /// The location on the platform.
    pub context: LazyContext,
    /// The user who sent the request, if the platform says so.
    pub origin: Option<Arc<Origin>>,
}

/// The parameters of an instance or a binding before the operation, as the user sent them. They are decoded on demand: few handlers
/// need them, and those that this release can't decode must prevent neither a removal nor an update, which may repair them.
pub struct StoredParameters<T>(SharedValue, PhantomData<fn() -> T>);

impl<T: Parameters> StoredParameters<T> {
    pub(super) fn new(parameters: SharedValue) -> Self {
        Self(parameters, PhantomData)
    }

    /// Decodes the parameters. Returns `None` if this release can't decode them.
    pub fn decoded(&self) -> Option<T> {
        decode_stored(&self.0).parameters.ok()
    }

    /// Returns the parameters as the user sent them.
    pub fn raw(&self) -> &Value {
        &self.0
    }
}

debug_fields!(StoredParameters<T> {});

/// The checkpoint of a failed change of plan.
#[derive(Clone)]
#[non_exhaustive]
pub struct UnfinishedChange {
    /// The id of the plan that the change would have led to.
    pub plan_id: String,
    /// The handler's last checkpoint: a state of that plan.
    pub checkpoint: StateJson,
}

// Omits the checkpoint, since it may contain secrets (T68).
debug_fields!(UnfinishedChange { plan_id });

/// The request to update an instance: everything in one PATCH. `OldPlan` and `NewPlan` are the same unless the plan changes.
// The state has no default: if an author forgot a plan, the compiler would take the state for it, with an error at each use.
#[non_exhaustive]
pub struct UpdateRequest<OldPlan: Plan, NewPlan: Plan, State> {
    /// The instance's id.
    pub instance_id: InstanceId,
    /// The instance's plan after the update.
    pub plan: InstancePlan<NewPlan>,
    /// The instance's plan before the update.
    pub old_plan: InstancePlan<OldPlan>,
    /// The parameters after the update, with defaults filled in: the old ones merged with the sent ones (RFC 7386).
    pub parameters: NewPlan::Create,
    /// The parameters before the update.
    pub old_parameters: StoredParameters<OldPlan::Create>,
    /// The parameters that the user sent, without defaults; `None` if the PATCH has none.
    pub changes: Option<NewPlan::Update>,
    /// The instance's state.
    pub state: State,
    /// The maintenance to perform, if the platform requests it.
    pub maintenance: Option<MaintenanceUpgrade>,
    /// The number of the instance's bindings, whose credentials have to remain valid. It can't change during a change of plan.
    pub bindings: u64,
    /// The checkpoint of a failed change to a third plan, whose resources may still exist. It is kept until a change succeeds, or
    /// fails after a checkpoint. That of a failed change to the same plan is in [`checkpointed`](super::Operation::checkpointed).
    pub unfinished_change: Option<UnfinishedChange>,
    /// The platform that owns it, if the broker serves several: ids are unique within a tenant only.
    pub tenant: Tenant,
    /// The location on the platform.
    pub context: LazyContext,
    /// The user who sent the request, if the platform says so.
    pub origin: Option<Arc<Origin>>,
}

/// The request to bring an instance to the catalog's maintenance version.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct MaintenanceUpgrade {
    /// The instance's version, if it is known.
    pub from: Option<String>,
    /// The version to upgrade to.
    pub to: Maintenance,
}

/// The request to create a binding.
#[non_exhaustive]
pub struct BindRequest<P: Plan, I = (), B = ()> {
    /// The binding's id.
    pub binding_id: BindingId,
    /// The instance's id.
    pub instance_id: InstanceId,
    /// The instance's plan.
    pub plan: InstancePlan<P>,
    /// The instance's state.
    pub instance_state: I,
    /// The user's parameters for the binding, with defaults filled in.
    pub parameters: P::Bind,
    /// The instance's parameters.
    pub instance_parameters: P::Create,
    /// The resource to bind to: an application, a route.
    pub bind_resource: BindResource,
    /// The binding to replace, on a rotation.
    pub predecessor: Option<Predecessor<B>>,
    /// The platform that owns it, if the broker serves several: ids are unique within a tenant only.
    pub tenant: Tenant,
    /// The location of the application, or of the instance if the request has none.
    pub context: LazyContext,
    /// The user who sent the request, if the platform says so.
    pub origin: Option<Arc<Origin>>,
}

/// A binding that a new one replaces.
#[non_exhaustive]
pub struct Predecessor<B = ()> {
    /// The binding's id.
    pub binding_id: BindingId,
    /// The binding's state.
    pub state: B,
}

debug_fields!(Predecessor<B> { binding_id });

/// The request to delete a binding, or to roll back its creation. See [`DeprovisionRequest`] for the cases of the states.
#[non_exhaustive]
pub struct UnbindRequest<P: Plan, I = (), B = ()> {
    /// The binding's id.
    pub binding_id: BindingId,
    /// The instance's id.
    pub instance_id: InstanceId,
    /// The binding's plan: that of the instance when it was bound. The instance may have another plan now.
    pub plan: InstancePlan<P>,
    /// The binding's state. `StoredState` says that none was saved if the creation failed before its first checkpoint.
    pub state: StoredState<B>,
    /// The binding's parameters.
    pub parameters: StoredParameters<P::Bind>,
    /// The state that the instance has now. It is [`Unreadable`](StoredState::Unreadable) after a change to a plan whose state
    /// has another type; [`StateJson::decode`](super::StateJson::decode) then decodes the saved value.
    pub instance_state: StoredState<I>,
    /// The platform that owns it, if the broker serves several: ids are unique within a tenant only.
    pub tenant: Tenant,
    /// The location of the instance on the platform.
    pub context: LazyContext,
    /// The user who sent the request, if the platform says so.
    pub origin: Option<Arc<Origin>>,
}

/// Writes the parts that all requests share: the id, and a `Debug` without parameters and states, which may be secret (T68).
macro_rules! requests {
    ($($name:ident<$($generic:ident $(: $bound:ident)?),*> of $id:ident { $($field:ident),* })*) => {$(
        impl<$($generic $(: $bound)?),*> $name<$($generic),*> {
            #[doc = concat!("Returns [`", stringify!($id), "`](Self::", stringify!($id), ") as text.")]
            pub fn id(&self) -> &str {
                self.$id.as_str()
            }
        }

        debug_fields!($name<$($generic $(: $bound)?),*> { $($field),* });
    )*};
}

requests! {
    ProvisionRequest<P: Plan> of instance_id { tenant, instance_id, plan, context, origin }
    DeprovisionRequest<P: Plan, S> of instance_id { tenant, instance_id, plan, context, origin }
    UpdateRequest<OldPlan: Plan, NewPlan: Plan, S> of instance_id { tenant, instance_id, plan, old_plan, maintenance, context, origin }
    BindRequest<P: Plan, I, B> of binding_id { tenant, binding_id, instance_id, plan, bind_resource, predecessor, context, origin }
    UnbindRequest<P: Plan, I, B> of binding_id { tenant, binding_id, instance_id, plan, context, origin }
}
