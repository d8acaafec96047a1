//! The items that most brokers use: `use osb_runtime::prelude::*;`

pub use crate::{
    protocol::Tenant,
    schema::{Change, Foreign, NoParameters, Parameter, Parameters},
    service::{
        Bind, BindError, Bindable, BindingRemains, Bound, BoxError, Broker as _, ChangePlan, Credentials, DashboardUrl,
        DeprovisionError, Endpoint, Endpoints, ErrorCode, Failure, InvalidUrl, LogDrain, Maintained, New, NewBinding,
        Plan, PlanUpdate, Predecessor, Provision, ProvisionError, Provisioned, Remains, RouteService, UnbindError,
        Update, UpdateError, Updated, VolumeMount, VolumeMounts, Work,
    },
};
#[cfg(feature = "macros")]
pub use osb_macros::{broker, credentials, parameters, plan, service};
