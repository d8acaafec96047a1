//! What answers parsed requests.

use std::{pin::Pin, sync::Arc};

use bytes::Bytes;
use http::HeaderValue;

use crate::{
    catalog::Named,
    lifecycle::{Export, Metrics},
    protocol::{Answer, BindRequest, DeleteRequest, FetchRequest, Page, PollRequest, ProvisionRequest, UpdateRequest},
    service::BoxError,
};

/// An answer to come. Whoever gives it keeps its own work alive: a reply is dropped when the platform hangs up (T62).
pub(super) type Reply = Pin<Box<dyn Future<Output = Answer> + Send>>;

/// Numbers to come, if anything is counted.
pub(super) type Numbers = Pin<Box<dyn Future<Output = Option<Result<Export, BoxError>>> + Send>>;

/// The end of all work.
pub(super) type Idle = Pin<Box<dyn Future<Output = ()> + Send>>;

/// What happens behind the gate: one method for each endpoint.
pub(super) trait Handle: Send + Sync + 'static {
    /// The catalog's JSON and its `ETag`.
    fn catalog(&self) -> (Bytes, HeaderValue);
    /// The documentation, if it is served.
    fn page(&self) -> Option<Arc<Page>>;
    fn provision(&self, request: ProvisionRequest) -> Reply;
    fn fetch_instance(&self, request: FetchRequest) -> Reply;
    fn update(&self, request: UpdateRequest) -> Reply;
    fn deprovision(&self, request: DeleteRequest) -> Reply;
    fn bind(&self, request: BindRequest) -> Reply;
    fn fetch_binding(&self, request: FetchRequest) -> Reply;
    fn unbind(&self, request: DeleteRequest) -> Reply;
    fn last_operation(&self, request: PollRequest) -> Reply;
    /// The names of a service and a plan that a request names by id.
    fn names(&self, service_id: Option<&str>, plan_id: Option<&str>) -> Named;
    /// Whether requests can be answered.
    fn is_ready(&self) -> Pin<Box<dyn Future<Output = bool> + Send>>;
    /// What counts requests, if anything does.
    fn metrics(&self) -> Option<&dyn Metrics>;
    /// The numbers of now.
    fn export_metrics(&self) -> Numbers;
    /// Ready when nothing runs that was asked for, whether or not somebody waits for the answer.
    fn idle(&self) -> Idle;
}
