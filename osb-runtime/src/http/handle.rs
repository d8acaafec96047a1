//! The interface between HTTP and the broker.

use std::{pin::Pin, sync::Arc};

use bytes::Bytes;
use http::HeaderValue;

use super::body::Reservation;
use crate::{
    catalog::PlanNames,
    lifecycle::{Export, Metrics, MetricsFormat},
    protocol::{Answer, HtmlBody, Request},
    service::BoxError,
};

/// A pending answer. It is dropped if the platform hangs up. A mutation then continues in its own task (T62).
pub(super) type Reply = Pin<Box<dyn Future<Output = Answer> + Send>>;

/// Pending metrics, if they are enabled.
pub(super) type PendingExport = Pin<Box<dyn Future<Output = Option<Result<Export, BoxError>>> + Send>>;

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
    /// Returns the names of a service and a plan.
    fn names(&self, service_id: Option<&str>, plan_id: Option<&str>) -> PlanNames;
    /// Returns the reason why the broker is not ready for requests.
    fn not_ready(&self) -> Pin<Box<dyn Future<Output = Option<&'static str>> + Send>>;
    /// Returns the metrics, if they are enabled.
    fn metrics(&self) -> Option<&dyn Metrics>;
    /// Returns the current metrics.
    fn export_metrics(&self, format: MetricsFormat) -> PendingExport;
    /// Waits until no handler is running.
    fn idle(&self) -> Idle;
    /// Cancels the handlers, and releases their operations for other processes.
    fn hand_over(&self) -> Idle;
}
