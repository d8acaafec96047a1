//! The traits that an author implements, one for each operation of a service, with their requests, results and errors.
//!
//! A handler runs on a task of the runtime, not on that of the connection, once the runtime has claimed the instance or
//! binding. It runs **at least once**, so it must be idempotent.
//!
//! # When types change
//!
//! Instances outlive the release of the broker that created them. The running release decodes the stored records with
//! its own types: the parameters as the users sent them, the states as the handlers saved them. The broker refuses to start
//! while its types can't decode all of them, unless
//! [`Settings::allow_unreadable_state`](crate::lifecycle::Settings::allow_unreadable_state) is set. In that case,
//! [`deprovision`](Provision::deprovision) and [`unbind`](Bind::unbind) get the [saved value](StoredState) in place of the
//! state, and fail unless they handle it. For everything else:
//!
//! | Change | Effect on existing instances | Remedy |
//! | --- | --- | --- |
//! | A parameter is renamed. | It keeps its value, and users can still send the old name. | `#[param(alias = "old_name")]` |
//! | A parameter is added that is optional or has a default. | It is absent, or has the default. | |
//! | A required parameter is added. | The broker starts only with `allow_unreadable_state`. The instance can be deleted, but not bound or maintained until an update sets the parameter; until then, the answer is 400 and says so. | Give it a default instead, or at least don't make it `immutable`. |
//! | A schema becomes narrower: bounds, a pattern, a length. | Accepted values stay in use. An update that sends parameters has to correct these too (400), unless they are `immutable`. | |
//! | A parameter is removed. | It is ignored when parameters are decoded; the log names it. Updates keep it for a rollback, until the plan changes. | |
//! | A parameter's type changes, or a value of an enum is removed. | The same as for a new required parameter, for instances that use the old type or value. | Add a new parameter instead; keep the value. |
//! | The type of credentials changes. | Bindings keep the credentials that they have; new ones, also rotated ones, have the new form. | Keep an old member beside its replacement. |
//! | A default changes. | The new default applies wherever the parameter was not set. | |
//! | The state gets a field that may be absent. | It is absent. | `#[serde(default)]` |
//! | The state gets a different shape. | It is [migrated](Provision::migrate_state) when it is read. | Raise [`STATE_VERSION`](Provision::STATE_VERSION) and write `migrate_state`. |
//! | A plan is no longer sold. | Its instances can be fetched, updated, bound and deleted; new ones can't be created. | `retired` |
//! | A plan or a service is removed, or its id changes. | The broker refuses to start while instances or bindings of it exist, and prints their number. | Restore it as `retired`, or delete them first. |
//! | A plan is no longer bindable. | The broker refuses to start while bindings of it exist. | Keep it bindable, or unbind them first. |
//! | An update or a change of plan is no longer offered. | A running one fails, and the instance stays unchanged. | |
//!
//! This table is about instances. The lock file of `osb-docs` finds the changes in a release that would
//! break platforms and users, before it is released.
//!
//! A **rollback** to an older release has the same problems in reverse: the older release reads states of a later
//! version, which it can't migrate, and parameters with names that it doesn't know, which it ignores and keeps. To keep rollbacks
//! possible, teach one release to read the new form before the next one writes it: introduce a new name as an `alias`
//! of the old one, and a new state as a version that `migrate_state` can read.

mod binding;
mod broker;
mod calls;
mod error;
mod fallback;
mod guesses;
mod mode;
mod offered;
mod operation;
mod plan;
mod requests;
mod state;
mod traits;
mod url;

pub(crate) use binding::read_timestamp;
pub use binding::{
    BindingOutput, Bound, Credentials, Endpoint, Endpoints, LogDrain, RouteService, VolumeMount, VolumeMounts,
    timestamp,
};
pub use broker::Broker;
#[doc(hidden)]
pub use broker::{Field, ServicePart, mount};
#[doc(hidden)]
pub use calls::{BindCall, DeprovisionCall, ProvisionCall, UnbindCall, UpdateCall};
#[doc(hidden)]
pub use calls::{BindingResult, Common, Handler, InstanceResult};
pub use error::{ASYNC_REQUIRED, CONCURRENCY, REQUIRES_APP};
pub use error::{
    BindError, BoxError, DeprovisionError, Description, ErrorCode, Failure, HandlerError, InvalidErrorCode,
    ProvisionError, UnbindError, UpdateError,
};
pub(crate) use error::{FailureKind, Refusal};
#[doc(hidden)]
pub use fallback::{
    ChangeFallback, Checked, Fallback, FallbackFor, HasPlanAttribute, HasServiceAttribute, OfferFallback, OfferedPlan,
    Once, PlanFallback, PlanOfThisService, Probe, ServiceFallback, Shareable, changes_plan, has_handlers, is_family,
    is_offered, is_parameters, is_plan, is_service, is_shareable, place, provisions,
};
#[doc(hidden)]
pub use mode::{BindHandlers, Binding, BindingMode, No, Unchecked, UpdateHandler, UpdatingMode, Yes};
#[doc(hidden)]
pub use offered::{Mounted, MountedPlan, Offered, OfferedChange, parameters_info};
#[doc(hidden)]
pub use operation::OperationHandle;
pub use operation::{CheckpointError, Operation};
pub(crate) use operation::{Journal, Saving};
pub use plan::{Bindable, Changes, Family, OfferedByOneService, Plan, Rotatable, Service, Updatable};
pub use requests::{
    BindRequest, DeprovisionRequest, InstancePlan, IntoAttribute, MaintenanceUpgrade, Predecessor, ProvisionRequest,
    Provisioned, StoredParameters, UnbindRequest, UnfinishedChange, UpdateRequest, Updated,
};
pub use state::{StateJson, StoredState, UnreadableState};
pub use traits::{AsyncHandler, Bind, ChangePlan, InstanceState, Provision, Storable, Update};
pub use url::{DashboardUrl, InvalidUrl, Validated};
pub(crate) use {requests::Extras, state::is_zero};
