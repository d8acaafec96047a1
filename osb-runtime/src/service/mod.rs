//! What an author implements: one trait for each thing a service can do.
//!
//! A handler runs on a task of its own, after the runtime has claimed the instance or binding, and **at least once**:
//! write it so that running it again for the same id does no harm.
//!
//! # When types change
//!
//! Instances outlive the release of a broker that made them. Whichever release runs reads what is stored with its own
//! types: parameters as the users gave them, states as the handlers saved them. Nothing becomes undeletable by that:
//! [`deprovision`](Provision::deprovision) and [`unbind`](Bind::unbind) are called whatever can't be read, and get
//! what is stored [as it is](Remains::raw_state). For the rest:
//!
//! | What changes | What happens to what is there | What to do |
//! | --- | --- | --- |
//! | A parameter gets another name. | It keeps its value, and can still be sent under the old name. | `#[param(alias = "old_name")]` |
//! | A parameter is new, and optional or with a default. | It is absent, or has the default. | |
//! | A parameter is new and required. | The instance can be deleted, but not bound or maintained until an update has set it; the answer says so (400). | Better give it a default. If not, it can't be `immutable`. |
//! | The schema gets tighter: bounds, a pattern, a length. | What was accepted stays in use. An update with parameters has to set these too (400), unless they are `immutable`. | |
//! | A parameter goes away. | It is left out where parameters are read; the log says which. | |
//! | A parameter is of another type, or a value of an enum goes away. | As with a new required one, where it was used. | Better a new parameter; better keep the value. |
//! | A default changes. | It counts for all that have not set the parameter. | |
//! | The state has a field more that may be absent. | It is absent. | `#[serde(default)]` |
//! | The state is another one. | It is [migrated](Provision::migrate_state) when it is read. | Raise [`STATE_VERSION`](Provision::STATE_VERSION), write `migrate_state`. |
//! | A plan is no longer sold. | It can be fetched, updated, bound and deleted; nobody can order it. | `retired` |
//! | A plan or a service is taken out, or gets another id. | The broker does not start while there are instances or bindings of it, and says how many. | Bring it back, as `retired`; or delete them first. |
//! | A plan is no longer bindable. | The broker does not start while there are bindings of it. | Keep it bindable, or unbind them first. |
//! | An update or a change of plan is no longer offered. | One that is under way fails, and the instance stays as it was. | |
//!
//! That table is about instances; the platform and its users have their own view. [`catalog::lock`](crate::catalog::lock)
//! finds what a release would break of it, before it is released.
//!
//! A **rollback** is the same the other way round: the older release meets states of a later version, which it can't
//! migrate, and parameters by names that it doesn't know, which it leaves out. To be able to go back, teach a release
//! to read the new form before another one writes it: a new name begins as the `alias` of the old one, a new state as
//! a version that `migrate_state` understands.

mod binding;
mod broker;
mod calls;
mod error;
mod mode;
mod offered;
mod plan;
mod requests;
mod state;
mod traits;
mod work;

pub(crate) use binding::timestamp;
pub use binding::{
    BindingOutput, Bound, Credentials, Endpoint, Endpoints, LogDrain, NotHttps, RouteService, VolumeMount, VolumeMounts,
};
pub use broker::Broker;
#[doc(hidden)]
pub use broker::{Field, Part, mount};
#[doc(hidden)]
pub use calls::{BindCall, ChangeCall, ProvisionCall, RemoveCall, UnbindCall, UpdateCall};
#[doc(hidden)]
pub use calls::{Common, Handler, MadeBinding, MadeInstance, UpdatedInstance};
pub(crate) use error::is_code;
pub use error::{ASYNC_REQUIRED, CONCURRENCY, REQUIRES_APP};
pub use error::{BindError, BoxError, DeprovisionError, ProvisionError, UnbindError, UpdateError};
#[doc(hidden)]
pub use error::{Failure, Refusal};
#[doc(hidden)]
pub use mode::{BindHandlers, Binding, BindingMode, No, Unchecked, UpdateHandler, UpdatingMode, Yes};
#[doc(hidden)]
pub use offered::{Mounted, MountedPlan, Offered, OfferedChange, parameters_info, update_info};
pub use plan::{Bindable, Changes, Offer, Plan, Rotatable, Service, Updatable};
pub(crate) use requests::Extras;
pub use requests::{
    BindingRemains, Maintained, New, NewBinding, PlanUpdate, Predecessor, Provisioned, Remains, Updated,
};
pub use state::Saved;
pub use traits::{Bind, ChangePlan, Provision, Update};
#[doc(hidden)]
pub use work::WorkHandle;
pub use work::{CheckpointError, Work};
pub(crate) use work::{Journal, Saving};
