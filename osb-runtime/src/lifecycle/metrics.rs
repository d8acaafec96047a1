//! The interface for metrics of requests and operations.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    time::{Duration, Instant},
};

use http::{HeaderValue, StatusCode};
use tokio::{sync::Mutex, time::timeout};

use super::{Event, mutation::log_store_error};
use crate::{
    catalog::{Offering, PlanNames},
    service::BoxError,
    store::{PlanUsage, Store, StoreError},
};

/// Counts requests and operations. `osb-tool` has an implementation for Prometheus; [`Settings::metrics`] turns it on.
///
/// A panic of `request` or `operation` is logged, and the request or operation continues.
///
/// [`Settings::metrics`]: super::Settings::metrics
pub trait Metrics: Send + Sync + 'static {
    /// Counts an answered request. `operation` is the name of the endpoint, such as `provision`; `unknown` for requests
    /// outside the API, and for requests without valid credentials; `docs` for the documentation page.
    fn request(&self, operation: &'static str, named: PlanNames, status: StatusCode, duration: Duration);

    /// Counts an event of an operation.
    fn operation(&self, event: &Event, named: PlanNames);

    /// Exports all metrics, including the values measured at the time of the call.
    ///
    /// # Errors
    ///
    /// If the metrics can't be exported; `/metrics` then answers 503, and the reason is logged.
    fn export(&self, measured: &Measured<'_>, format: MetricsFormat) -> Result<Export, BoxError>;
}

/// Calls an author's receiver, and returns true if it panics: the event that it receives has happened all the same.
pub(crate) fn panics(receive: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(receive)).is_err()
}

/// The text format that a client of `/metrics` asks for with its `Accept` header. An implementation may support only one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum MetricsFormat {
    /// OpenMetrics 1.0, also for clients that don't ask for any.
    #[default]
    OpenMetrics,
    /// The older format of Prometheus, version 0.0.4, for clients that prefer `text/plain`.
    PlainText,
}

/// The values that are measured at the time of an export.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Measured<'a> {
    /// The offerings, with the overrides applied.
    pub offerings: &'a [&'static Offering],
    /// The number of operations that this process works on.
    pub running: usize,
    /// The time since the oldest of them began, here or in a process from which it was taken over; 0 if there are none.
    pub oldest: Duration,
    /// The number of instances and bindings of each plan in use; `None` while the records can't be read. Numbers that took more
    /// than 20 ms to count are reused for ten times as long.
    pub uses: Option<&'a [PlanUsage]>,
}

/// Numbers that take longer are kept.
const SLOW: Duration = Duration::from_millis(20);

/// The numbers of instances and bindings, if they could be read, and the time until which they are reported. A database counts
/// all its records for them, and anyone may scrape: that is done once at a time, and for at most a tenth of the time.
#[derive(Default)]
pub(super) struct LastUsage(Mutex<Option<(Instant, Option<Vec<PlanUsage>>)>>);

impl LastUsage {
    pub(super) async fn get(&self, store: &dyn Store) -> Option<Vec<PlanUsage>> {
        let (mut last, began) = (self.0.lock().await, Instant::now());
        if let Some((_, uses)) = last.as_ref().filter(|(end, _)| began < *end) {
            return uses.clone();
        }
        // The counters matter most while the records can't be read. Prometheus waits for ten seconds.
        let read = timeout(Duration::from_secs(5), store.plan_usage()).await;
        let read = read.unwrap_or_else(|_| Err(StoreError::new("no answer in 5 s")));
        let uses = read.inspect_err(log_store_error).ok();
        let took = began.elapsed();
        *last = (took > SLOW).then(|| (began + took * 10, uses.clone()));
        uses
    }
}

/// The response of `/metrics`.
#[derive(Debug, Clone)]
pub struct Export {
    /// Its media type.
    pub content_type: HeaderValue,
    /// Its body.
    pub text: String,
}
