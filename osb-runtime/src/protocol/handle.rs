//! What answers parsed requests.

use std::{pin::Pin, sync::Arc};

use bytes::Bytes;
use http::HeaderValue;

use super::{Answer, BindRequest, DeleteRequest, FetchRequest, Page, PollRequest, ProvisionRequest, UpdateRequest};

/// An answer to come. Whoever gives it keeps its own work alive: a reply is dropped when the platform hangs up (T62).
pub(crate) type Reply = Pin<Box<dyn Future<Output = Answer> + Send>>;

/// The end of all work.
pub(crate) type Idle = Pin<Box<dyn Future<Output = ()> + Send>>;

/// What happens behind the gate: one method for each endpoint.
pub(crate) trait Handle: Send + Sync + 'static {
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
    /// Ready when nothing runs that was asked for, whether or not somebody waits for the answer.
    fn idle(&self) -> Idle;
}
