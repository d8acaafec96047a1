//! Parsed requests, with all fields of any 2.x version. Mandatory fields are present.

use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};

use super::{
    ApiVersion, BindingId, InstanceId, Names, RequestIdentity, Tenant, TraceParent, debug_fields, debug_text,
    parse::Malformed,
};
use crate::json::{LazyObject, SharedValue};

/// The user who caused a request, as sent by the platform (`X-Broker-API-Originating-Identity`, HDR-04).
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Origin {
    /// The platform's name, such as `cloudfoundry` or `kubernetes`.
    pub platform: String,
    /// The properties of the user: `user_id` on Cloud Foundry; `username`, `uid`, `groups` on Kubernetes.
    #[serde(serialize_with = "as_object")]
    pub user: LazyObject,
}

/// Writes an object, where a [`LazyObject`] of a record writes its text.
fn as_object<S: Serializer>(object: &LazyObject, serializer: S) -> Result<S::Ok, S::Error> {
    (**object).serialize(serializer)
}

// Prints the names of the user's properties, without their values.
debug_text!(Origin, Self { platform, user } => "Origin {{ platform: {platform:?}, user: {:?} }}", Names(user));

/// The properties that all requests have.
#[derive(Debug, Clone)]
pub(crate) struct RequestMeta {
    /// The platform that sent the request and owns the resource.
    pub(crate) tenant: Tenant,
    pub(crate) version: ApiVersion,
    pub(crate) origin: Option<Arc<Origin>>,
    pub(crate) request_identity: Option<RequestIdentity>,
    pub(crate) trace: Option<TraceParent>,
    pub(crate) accepts_incomplete: bool,
}

/// `PUT /v2/service_instances/{id}`
#[derive(Clone)]
pub(crate) struct PutInstance {
    pub(crate) meta: RequestMeta,
    pub(crate) instance: InstanceId,
    pub(crate) service_id: String,
    pub(crate) plan_id: String,
    pub(crate) organization_guid: Option<String>,
    pub(crate) space_guid: Option<String>,
    pub(crate) context: LazyObject,
    /// An object; empty if absent or `null`.
    pub(crate) parameters: SharedValue,
    pub(crate) maintenance_version: Option<String>,
}

debug_fields!(PutInstance { meta, instance, service_id, plan_id, context, maintenance_version });

/// `PATCH /v2/service_instances/{id}`
#[derive(Clone)]
pub(crate) struct PatchInstance {
    pub(crate) meta: RequestMeta,
    pub(crate) instance: InstanceId,
    /// Mandatory since 2.6.
    pub(crate) service_id: Option<String>,
    pub(crate) plan_id: Option<String>,
    pub(crate) context: Option<LazyObject>,
    /// `None` if absent or `null`, which leaves the parameters unchanged (UPD-06).
    pub(crate) parameters: Option<Map<String, Value>>,
    pub(crate) maintenance_version: Option<String>,
    pub(crate) previous: PreviousValues,
}

debug_fields!(PatchInstance { meta, instance, service_id, plan_id, context, maintenance_version, previous });

/// The attributes before an update, as the platform knows them. They are hints (UPD-09).
#[derive(Debug, Clone, Default)]
pub(crate) struct PreviousValues {
    pub(crate) service_id: Option<String>,
    pub(crate) plan_id: Option<String>,
}

/// The resource that a binding is for (BIND-05, PROF-05).
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BindResource {
    /// The application. Older platforms send it at the top level of the body, newer ones in `bind_resource`.
    pub app_guid: Option<String>,
    /// The route, for route services.
    pub route: Option<String>,
    /// The application's space.
    pub space_guid: Option<String>,
    /// The UAA client that needs read access if the credentials are CredHub references.
    pub credential_client_id: Option<String>,
    /// The complete object, including the fields above.
    pub fields: Map<String, Value>,
}

debug_text!(BindResource, resource => "BindResource({:?})", Names(&resource.fields));

/// `PUT /v2/service_instances/{id}/service_bindings/{id}`
#[derive(Clone)]
pub(crate) struct PutBinding {
    pub(crate) meta: RequestMeta,
    pub(crate) instance: InstanceId,
    pub(crate) binding: BindingId,
    /// Absent only if there is a `predecessor` (T32).
    pub(crate) service_id: Option<String>,
    pub(crate) plan_id: Option<String>,
    pub(crate) context: Option<LazyObject>,
    pub(crate) bind_resource: BindResource,
    /// An object; empty if absent or `null`.
    pub(crate) parameters: SharedValue,
    pub(crate) predecessor: Option<BindingId>,
}

debug_fields!(PutBinding { meta, instance, binding, service_id, plan_id, context, bind_resource, predecessor });

/// `DELETE` of an instance or a binding.
#[derive(Debug, Clone)]
pub(crate) struct DeleteResource {
    pub(crate) meta: RequestMeta,
    pub(crate) instance: InstanceId,
    pub(crate) service_id: String,
    pub(crate) plan_id: String,
    /// The error in a malformed request, which is answered after a check for 410 (X02). The other fields are then unusable.
    pub(crate) malformed: Option<Malformed>,
}

/// `GET` of an instance or a binding.
#[derive(Debug, Clone)]
pub(crate) struct GetResource {
    pub(crate) meta: RequestMeta,
    pub(crate) instance: InstanceId,
    /// A hint; never empty (GETI-03).
    pub(crate) service_id: Option<String>,
    /// A hint; never empty (GETI-03).
    pub(crate) plan_id: Option<String>,
}

/// `GET` of the `last_operation` of an instance or a binding.
#[derive(Debug, Clone)]
pub(crate) struct GetLastOperation {
    pub(crate) meta: RequestMeta,
    pub(crate) instance: InstanceId,
    /// The binding, if the request is about one.
    pub(crate) binding: Option<BindingId>,
    /// The operation id from the 202, if the platform sends it; never empty. It may be unknown to this broker (T39a).
    pub(crate) operation: Option<String>,
    /// A hint; never empty (LOI-01).
    pub(crate) service_id: Option<String>,
    /// A hint; never empty. During a change of plan it is the old plan (LOI-01).
    pub(crate) plan_id: Option<String>,
}

/// The resource that a path names.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) enum Target<I = InstanceId, B = BindingId> {
    #[default]
    Catalog,
    Instance(I),
    Binding(I, B),
}

impl Target {
    pub(crate) fn instance(&self) -> Option<&InstanceId> {
        match self {
            Self::Catalog => None,
            Self::Instance(instance) | Self::Binding(instance, _) => Some(instance),
        }
    }

    pub(crate) fn binding(&self) -> Option<&BindingId> {
        if let Self::Binding(_, binding) = self { Some(binding) } else { None }
    }
}

/// A parsed request for an instance or a binding.
#[derive(Debug, Clone)]
pub(crate) enum Request {
    FetchInstance(GetResource),
    Provision(Box<PutInstance>),
    Update(Box<PatchInstance>),
    Deprovision(DeleteResource),
    FetchBinding(BindingId, GetResource),
    Bind(Box<PutBinding>),
    Unbind(BindingId, DeleteResource),
    Poll(GetLastOperation),
}

impl Request {
    /// Returns the ids of the service and the plan, if the request names them.
    pub(crate) fn catalog_ids(&self) -> (Option<&str>, Option<&str>) {
        let (service_id, plan_id) = match self {
            Self::Provision(request) => return (Some(&request.service_id), Some(&request.plan_id)),
            Self::Deprovision(request) | Self::Unbind(_, request) => {
                return (Some(&request.service_id), Some(&request.plan_id));
            }
            Self::FetchInstance(request) | Self::FetchBinding(_, request) => (&request.service_id, &request.plan_id),
            Self::Update(request) => (&request.service_id, &request.plan_id),
            Self::Bind(request) => (&request.service_id, &request.plan_id),
            Self::Poll(request) => (&request.service_id, &request.plan_id),
        };
        (service_id.as_deref(), plan_id.as_deref())
    }
}
