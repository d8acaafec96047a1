//! Metrics for Prometheus.

mod plain_text;

use std::{
    fmt,
    sync::{Arc, atomic::AtomicU64},
    time::Duration,
};

use http::{HeaderValue, StatusCode};
use osb_runtime::{
    catalog::PlanNames,
    lifecycle::{self as runtime, Action, Event, Export, Measured, MetricsFormat},
    service::BoxError,
};
use prometheus_client::{
    encoding::{EncodeLabelSet, text::encode},
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::{Registry, Unit},
};

use plain_text::plain_text;

const OPEN_METRICS: HeaderValue =
    HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");

const PLAIN_TEXT: HeaderValue = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");

/// The stages that alerts are about. They are exported from the start, as 0: Prometheus sees no increase of a series that begins
/// with 1.
const FAULTS: [&str; 3] = ["failed", "retried", "taken over"];

/// From a millisecond, which a catalog takes, to the minute after which platforms hang up.
const SECONDS: [f64; 13] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 15.0, 60.0];

/// Metrics of a broker for Prometheus, as OpenMetrics or in the older text format. Clones share the same counters. Each broker of a
/// program needs metrics of its own, to be scraped at its own [`Monitor`](osb_runtime::http::Monitor): the numbers of instances,
/// bindings and running operations are those of the broker that exports them.
///
/// | metric | labels | meaning |
/// | --- | --- | --- |
/// | `osb_requests_total` | `operation`, `service`, `plan`, `status` | requests with a response |
/// | `osb_request_duration_seconds` | `operation`, `service`, `plan`, `status` | their duration, a histogram |
/// | `osb_operations_total` | `action`, `service`, `plan`, `stage` | events of operations, by [`Stage`](osb_runtime::lifecycle::Stage) |
/// | `osb_operations_running` | | operations that are running in this process |
/// | `osb_oldest_operation_age_seconds` | | time since the oldest of them began; 0 if there are none |
/// | `osb_build_info` | `version`, `runtime` | always 1; the versions of the [broker](osb_runtime::service::Broker::VERSION) and of the framework; only a [`Program`](super::Program) has it |
/// | `osb_instances`, `osb_bindings` | `service`, `plan` | number of instances and bindings; one that changes its plan counts for both; absent while the records can't be read; a count, or an attempt, that took more than 20 ms is repeated for ten times as long |
///
/// Services and plans have their names in the catalog; the label is empty if a request names none or an unknown one.
/// `operation` is `docs` for the documentation page, and `unknown` for a request that is not part of the API or has no valid
/// credentials. No label contains the id of an instance, so the catalog limits the number of series.
///
/// [`lifecycle::Settings::metrics`](osb_runtime::lifecycle::Settings::metrics) enables them; `serve` does, and
/// exports them at `/metrics`.
#[derive(Clone)]
pub struct Metrics(Arc<Counted>);

struct Counted {
    registry: Registry,
    requests: Family<Answered, Counter>,
    durations: Family<Answered, Histogram>,
    operations: Family<Happened, Counter>,
    running: Gauge,
    oldest: Gauge<f64, AtomicU64>,
    instances: Family<Plan, Gauge>,
    bindings: Family<Plan, Gauge>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Answered {
    operation: &'static str,
    service: &'static str,
    plan: &'static str,
    status: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Happened {
    action: &'static str,
    service: &'static str,
    plan: &'static str,
    stage: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Plan {
    service: &'static str,
    plan: &'static str,
}

impl Metrics {
    /// Creates metrics that have counted nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::in_registry(Registry::default())
    }

    /// Adds the metrics to a registry, which may have others; all of them are exported together.
    ///
    /// ```
    /// use osb_runtime::lifecycle::Settings;
    /// use osb_tool::Metrics;
    /// use osb_tool::prometheus_client::{metrics::counter::Counter, registry::Registry};
    /// use std::sync::Arc;
    ///
    /// let mut registry = Registry::default();
    /// let backups = Counter::<u64>::default();
    /// registry.register("backups", "Backups that were made", backups.clone());
    ///
    /// let mut settings = Settings::default();
    /// settings.metrics = Some(Arc::new(Metrics::in_registry(registry)));
    /// backups.inc(); // `/metrics` of the broker has `backups_total`
    /// ```
    #[must_use]
    pub fn in_registry(registry: Registry) -> Self {
        let mut counted = Counted {
            registry,
            requests: Family::default(),
            durations: Family::new_with_constructor(|| Histogram::new(SECONDS)),
            operations: Family::default(),
            running: Gauge::default(),
            oldest: Gauge::default(),
            instances: Family::default(),
            bindings: Family::default(),
        };
        let registry = counted.registry.sub_registry_with_prefix("osb");
        registry.register("requests", "Answered requests", counted.requests.clone());
        let (took, seconds) = ("How long requests took", Unit::Seconds);
        registry.register_with_unit("request_duration", took, seconds, counted.durations.clone());
        registry.register("operations", "Events of operations", counted.operations.clone());
        registry.register("operations_running", "Operations that this process works on", counted.running.clone());
        let (help, age) = ("Time since the oldest operation of this process began", counted.oldest.clone());
        registry.register_with_unit("oldest_operation_age", help, Unit::Seconds, age);
        registry.register("instances", "Service instances", counted.instances.clone());
        registry.register("bindings", "Service bindings", counted.bindings.clone());
        Self(Arc::new(counted))
    }
}

impl runtime::Metrics for Metrics {
    fn request(&self, operation: &'static str, named: PlanNames, status: StatusCode, duration: Duration) {
        let PlanNames { service, plan } = named;
        let answered = Answered { operation, service, plan, status: status.as_u16().into() };
        self.0.requests.get_or_create(&answered).inc();
        self.0.durations.get_or_create(&answered).observe(duration.as_secs_f64());
    }

    fn operation(&self, event: &Event, named: PlanNames) {
        let PlanNames { service, plan } = named;
        let (action, stage) = (event.action.as_str(), event.stage.as_str());
        self.0.operations.get_or_create(&Happened { action, service, plan, stage }).inc();
    }

    fn export(&self, measured: &Measured<'_>, format: MetricsFormat) -> Result<Export, BoxError> {
        let counted = &self.0;
        counted.running.set(i64::try_from(measured.running).unwrap_or(i64::MAX));
        counted.oldest.set(measured.oldest.as_secs_f64());
        let plans =
            measured.offerings.iter().flat_map(|offering| offering.plans.iter().map(move |plan| (offering, plan)));
        // Numbers that can't be read are left out: neither the last ones nor 0 need be true.
        counted.instances.clear();
        counted.bindings.clear();
        for (offering, info) in plans {
            let (service, plan) = (offering.name, info.spec.name);
            if let Some(uses) = measured.uses {
                // A plan without instances counts 0, even if it had some before.
                let found = uses.iter().find(|one| one.service_id == offering.id && one.plan_id == info.spec.id);
                let (instances, bindings) = found.map_or((0, 0), |one| (one.instances, one.bindings));
                let labels = Plan { service, plan };
                counted.instances.get_or_create(&labels).set(instances.cast_signed());
                counted.bindings.get_or_create(&labels).set(bindings.cast_signed());
            }
            for (action, stage) in Action::ALL.iter().flat_map(|action| FAULTS.map(|stage| (action.as_str(), stage))) {
                drop(counted.operations.get_or_create(&Happened { action, service, plan, stage }));
            }
        }
        let mut text = String::new();
        encode(&mut text, &counted.registry)?;
        Ok(match format {
            MetricsFormat::PlainText => Export { content_type: PLAIN_TEXT, text: plain_text(&text) },
            _ => Export { content_type: OPEN_METRICS, text },
        })
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}
