//! Requests after parsing: every field that any 2.x platform sends, mandatory ones checked.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{ApiVersion, BindingId, Context, InstanceId, RequestIdentity, Tenant, parse::Malformed};

/// Who caused a request, as the platform says (`X-Broker-API-Originating-Identity`, HDR-04).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Origin {
    /// The platform: `cloudfoundry`, `kubernetes`, or another one's name.
    pub platform: String,
    /// What it says about the user: `user_id` on Cloud Foundry; `username`, `uid`, `groups` on Kubernetes.
    pub user: Map<String, Value>,
}

/// What comes with every request.
#[derive(Debug, Clone)]
pub(crate) struct RequestMeta {
    /// Whose request it is, and whose instances it is about.
    pub(crate) tenant: Tenant,
    pub(crate) version: ApiVersion,
    pub(crate) origin: Option<Origin>,
    pub(crate) request_identity: Option<RequestIdentity>,
    pub(crate) accepts_incomplete: bool,
}

/// `PUT /v2/service_instances/{id}`
#[derive(Debug, Clone)]
pub(crate) struct ProvisionRequest {
    pub(crate) meta: RequestMeta,
    pub(crate) instance: InstanceId,
    pub(crate) service_id: String,
    pub(crate) plan_id: String,
    pub(crate) organization_guid: Option<String>,
    pub(crate) space_guid: Option<String>,
    pub(crate) context: Context,
    /// An object; empty if absent or `null`.
    pub(crate) parameters: Value,
    pub(crate) maintenance_version: Option<String>,
}

/// `PATCH /v2/service_instances/{id}`
#[derive(Debug, Clone)]
pub(crate) struct UpdateRequest {
    pub(crate) meta: RequestMeta,
    pub(crate) instance: InstanceId,
    /// Mandatory since 2.6.
    pub(crate) service_id: Option<String>,
    pub(crate) plan_id: Option<String>,
    pub(crate) context: Option<Context>,
    /// `None` if absent or `null`: nothing is to change (UPD-06).
    pub(crate) parameters: Option<Map<String, Value>>,
    pub(crate) maintenance_version: Option<String>,
    pub(crate) previous: PreviousValues,
}

/// What the platform believes to be true before an update: hints (UPD-09).
#[derive(Debug, Clone, Default)]
pub(crate) struct PreviousValues {
    pub(crate) service_id: Option<String>,
    pub(crate) plan_id: Option<String>,
}

/// What a binding is for, as the platform says (BIND-05, PROF-05).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BindResource {
    /// The application to bind; read from `bind_resource` or, as older platforms send it, from the top level.
    pub app_guid: Option<String>,
    /// The route to bind, for route services.
    pub route: Option<String>,
    /// The application's space.
    pub space_guid: Option<String>,
    /// The UAA client to give read access when credentials are CredHub references.
    pub credential_client_id: Option<String>,
    /// Everything that was sent, the fields above included.
    pub fields: Map<String, Value>,
}

/// `PUT /v2/service_instances/{id}/service_bindings/{id}`
#[derive(Debug, Clone)]
pub(crate) struct BindRequest {
    pub(crate) meta: RequestMeta,
    pub(crate) instance: InstanceId,
    pub(crate) binding: BindingId,
    /// Absent only where `predecessor` is given (T32).
    pub(crate) service_id: Option<String>,
    pub(crate) plan_id: Option<String>,
    pub(crate) context: Option<Context>,
    pub(crate) bind_resource: BindResource,
    /// An object; empty if absent or `null`.
    pub(crate) parameters: Map<String, Value>,
    pub(crate) predecessor: Option<BindingId>,
}

/// `DELETE` of an instance or a binding.
#[derive(Debug, Clone)]
pub(crate) struct DeleteRequest {
    pub(crate) meta: RequestMeta,
    pub(crate) instance: InstanceId,
    /// The binding, if the request is an unbind.
    pub(crate) binding: Option<BindingId>,
    pub(crate) service_id: String,
    pub(crate) plan_id: String,
    /// What is wrong with it, where something unknown is to be 410 all the same (X02). Then the fields mean nothing.
    pub(crate) malformed: Option<Malformed>,
}

/// `GET` of an instance or a binding.
#[derive(Debug, Clone)]
pub(crate) struct FetchRequest {
    pub(crate) meta: RequestMeta,
    pub(crate) instance: InstanceId,
    /// The binding, if the request is for one.
    pub(crate) binding: Option<BindingId>,
    /// A hint; never empty (GETI-03).
    pub(crate) service_id: Option<String>,
    /// A hint; never empty (GETI-03).
    pub(crate) plan_id: Option<String>,
}

/// `GET` of the `last_operation` of an instance or a binding.
#[derive(Debug, Clone)]
pub(crate) struct PollRequest {
    pub(crate) meta: RequestMeta,
    pub(crate) instance: InstanceId,
    /// The binding, if the request is about one.
    pub(crate) binding: Option<BindingId>,
    /// What the 202 said, if the platform still knows; never empty. It may be something never given out (T39a).
    pub(crate) operation: Option<String>,
    /// A hint; never empty (LOI-01).
    pub(crate) service_id: Option<String>,
    /// A hint, of the old plan after a change of plans; never empty (LOI-01).
    pub(crate) plan_id: Option<String>,
}

/// What a request is about, as far as it says.
pub(crate) trait About {
    /// The ids of the service and of the plan.
    fn ids(&self) -> (Option<&str>, Option<&str>);
}

impl About for ProvisionRequest {
    fn ids(&self) -> (Option<&str>, Option<&str>) {
        (Some(&self.service_id), Some(&self.plan_id))
    }
}

impl About for DeleteRequest {
    fn ids(&self) -> (Option<&str>, Option<&str>) {
        (Some(&self.service_id), Some(&self.plan_id))
    }
}

macro_rules! about {
    ($($request:ty),*) => {
        $(impl About for $request {
            fn ids(&self) -> (Option<&str>, Option<&str>) {
                (self.service_id.as_deref(), self.plan_id.as_deref())
            }
        })*
    };
}

about!(UpdateRequest, BindRequest, FetchRequest, PollRequest);
