//! What travels: versions, identities, requests, answers, and the platforms' contexts.

mod answer;
mod context;
mod id;
mod request;
mod version;

pub use answer::{Answer, Body};
pub use context::{CloudFoundry, Context, Kubernetes};
pub use id::{BindingId, InstanceId, RequestIdentity};
pub(crate) use request::{
    BindRequest, DeleteRequest, FetchRequest, PreviousValues, ProvisionRequest, RequestMeta, UpdateRequest,
};
pub use request::{BindResource, Origin};
pub use version::ApiVersion;
