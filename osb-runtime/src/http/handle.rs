//! The interface between HTTP and the broker.

use std::{pin::Pin, sync::Arc};

use bytes::Bytes;
use http::HeaderValue;

use super::body::Reservation;
use crate::protocol::{Answer, HtmlBody, Request};

/// A pending answer. It is dropped if the platform hangs up. A mutation then continues in its own task (T62).
pub(super) type Reply = Pin<Box<dyn Future<Output = Answer> + Send>>;

/// A future that completes when no handler is running.
pub(super) type Idle = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A broker that answers parsed requests.
pub(super) trait Handle: Send + Sync + 'static {
    /// Returns the catalog's JSON and its `ETag`.
    fn catalog(&self) -> (Bytes, HeaderValue);
    /// Returns the documentation page, if it is turned on.
    fn page(&self) -> Option<Arc<HtmlBody>>;
    /// Answers a request, and then releases the memory for its body.
    fn answer(&self, request: Request, memory: Reservation) -> Reply;
    /// Waits until no handler is running.
    fn idle(&self) -> Idle;
    /// Cancels the handlers, and releases their operations for other processes.
    fn hand_over(&self) -> Idle;
}
