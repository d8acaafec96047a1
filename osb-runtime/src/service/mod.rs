//! What an author implements: one trait for each thing a service can do.
//!
//! A handler runs on a task of its own, after the runtime has claimed the instance or binding, and **at least once**:
//! write it so that running it again for the same id does no harm.

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
pub(crate) use error::{ASYNC_REQUIRED, CONCURRENCY, REQUIRES_APP, is_code};
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
