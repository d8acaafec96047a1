//! The items that most brokers use: `use osb_runtime::prelude::*;`

pub use crate::{
    protocol::{BindingId, Context, InstanceId, Tenant},
    schema::{Change, Foreign, NoParameters, Parameter, Parameters},
    service::{
        Bind, BindError, BindRequest, Bindable, Bound, BoxError, Broker as _, ChangePlan, Changes, Credentials,
        DashboardUrl, DeprovisionError, DeprovisionRequest, Endpoint, Endpoints, ErrorCode, Failure, InstancePlan,
        InvalidUrl, LogDrain, MaintenanceUpgrade, Operation, Plan, Predecessor, Provision, ProvisionError,
        ProvisionRequest, Provisioned, RouteService, StoredParameters, StoredState, UnbindError, UnbindRequest,
        Updatable, Update, UpdateError, UpdateRequest, Updated, VolumeMount, VolumeMounts,
    },
};
#[cfg(feature = "macros")]
pub use osb_macros::{broker, credentials, parameters, plan, service};
// The attributes find this crate by it where another one re-exports it; the name is the error where they don't.
#[cfg(feature = "macros")]
#[doc(hidden)]
pub use crate as __osb_runtime_needs_crate_argument;
// Derives and attributes that only say which attribute is meant. Not `params`, a macro of crates for databases.
#[cfg(feature = "macros")]
#[doc(hidden)]
pub use osb_macros::{Broker, Credentials, Parameters, Plan, Service, credential, parameter};
