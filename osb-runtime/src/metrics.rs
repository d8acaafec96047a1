//! Numbers for Prometheus: how many requests of which kind there were and how long they took, what became of operations,
//! and how much there is of each plan.
//!
//! | metric | labels | what it is |
//! | --- | --- | --- |
//! | `osb_requests_total` | `operation`, `service`, `plan`, `status` | answered requests |
//! | `osb_request_duration_seconds` | `operation`, `service`, `plan`, `status` | how long they took, a histogram |
//! | `osb_operations_total` | `action`, `service`, `plan`, `stage` | events of operations, by [`Stage`](crate::lifecycle::Stage) |
//! | `osb_operations_running` | | operations that this process works on |
//! | `osb_instances`, `osb_bindings` | `service`, `plan` | how many there are; one that changes its plan counts for both |
//!
//! Services and plans are named as in the catalog; the label is empty where a request says none, or one that is not in
//! it. `operation` is `unknown` for what is no request of the API, or is not let in. Nothing has the id of an instance in
//! it, so that there are never more series than the catalog has plans for.
//!
//! [`lifecycle::Settings::metrics`](crate::lifecycle::Settings::metrics) turns them on; `serve` does, and shows them at
//! `/metrics`.

use std::{fmt, sync::Arc, time::Duration};

use http::StatusCode;
use prometheus_client::{
    encoding::{EncodeLabelSet, text::encode},
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::{Registry, Unit},
};

use crate::{
    catalog::{Named, Offering},
    lifecycle::Event,
    store::Use,
};

/// The media type of [`Metrics::text`].
pub(crate) const MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// From a millisecond, which a catalog takes, to the minute after which platforms hang up.
const SECONDS: [f64; 13] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 15.0, 60.0];

/// What is counted for a broker. Clones count together.
#[derive(Clone)]
pub struct Metrics(Arc<Counted>);

struct Counted {
    registry: Registry,
    requests: Family<Answered, Counter>,
    durations: Family<Answered, Histogram>,
    operations: Family<Happened, Counter>,
    running: Gauge,
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
    /// Nothing counted yet.
    #[must_use]
    pub fn new() -> Self {
        let mut counted = Counted {
            registry: Registry::with_prefix("osb"),
            requests: Family::default(),
            durations: Family::new_with_constructor(|| Histogram::new(SECONDS)),
            operations: Family::default(),
            running: Gauge::default(),
            instances: Family::default(),
            bindings: Family::default(),
        };
        let registry = &mut counted.registry;
        registry.register("requests", "Answered requests", counted.requests.clone());
        let (took, seconds) = ("How long requests took", Unit::Seconds);
        registry.register_with_unit("request_duration", took, seconds, counted.durations.clone());
        registry.register("operations", "Events of operations", counted.operations.clone());
        registry.register("operations_running", "Operations that this process works on", counted.running.clone());
        registry.register("instances", "Service instances", counted.instances.clone());
        registry.register("bindings", "Service bindings", counted.bindings.clone());
        Self(Arc::new(counted))
    }

    /// A request was answered.
    pub(crate) fn answered(&self, operation: &'static str, named: Named, status: StatusCode, took: Duration) {
        let Named { service, plan } = named;
        let status = status.as_u16().into();
        let answered = Answered { operation, service, plan, status };
        self.0.requests.get_or_create(&answered).inc();
        self.0.durations.get_or_create(&answered).observe(took.as_secs_f64());
    }

    /// Something happened to an operation.
    pub(crate) fn happened(&self, offerings: &[&'static Offering], event: &Event) {
        let Named { service, plan } = Named::find(offerings, Some(&event.service_id), Some(&event.plan_id));
        let (action, stage) = (event.action.as_str(), event.stage.as_str());
        self.0.operations.get_or_create(&Happened { action, service, plan, stage }).inc();
    }

    /// All of it as OpenMetrics, with what is not counted as it happens: how many operations run, and what there is.
    pub(crate) fn text(
        &self,
        offerings: &[&'static Offering],
        running: usize,
        uses: &[Use],
    ) -> Result<String, fmt::Error> {
        let counted = &self.0;
        counted.running.set(i64::try_from(running).unwrap_or(i64::MAX));
        for (family, count) in [(&counted.instances, instances as fn(&Use) -> u64), (&counted.bindings, bindings)] {
            // What there is no more of is 0, and not what it was.
            for (offering, plan) in
                offerings.iter().flat_map(|offering| offering.plans.iter().map(move |plan| (offering, plan)))
            {
                let found = uses.iter().find(|one| one.service_id == offering.id && one.plan_id == plan.spec.id);
                let labels = Plan { service: offering.name, plan: plan.spec.name };
                family.get_or_create(&labels).set(found.map(count).unwrap_or_default().cast_signed());
            }
        }
        let mut out = String::new();
        encode(&mut out, &counted.registry)?;
        Ok(out)
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

fn instances(one: &Use) -> u64 {
    one.instances
}

fn bindings(one: &Use) -> u64 {
    one.bindings
}
