//! What the runtime does with requests: claim, run, answer, finish, cancel, resume.
//!
//! Of two equal requests one runs the handler and the other joins it; a handler runs on a task of its own, so that a
//! platform which hangs up stops nothing. Whoever works on an operation holds a lease in the record: if the lease ends,
//! because the process has died, another worker calls the handler again, with the next attempt number and what the
//! handler saved last.
//!
//! Every operation is told of to the log and to an [`Audit`], and can be stopped by [`Hooks`] before it begins.
//!
//! [`Settings`] has everything that can be decided; [`table`] says what each request means in each phase.

pub mod admin;
mod answers;
mod audit;
mod bindings;
mod clock;
mod decide;
mod hooks;
mod instances;
mod jobs;
mod keeper;
mod metrics;
mod operations;
mod polling;
mod probe;
mod settings;
mod settle;
mod start;
pub mod table;
mod update;
mod worker;

use std::sync::{Arc, OnceLock};

use serde_json::Value;
use tokio::sync::Semaphore;

pub use self::start::check_records;
pub use self::{
    audit::{Action, Audit, Event, Stage, Who},
    clock::Clock,
    hooks::{AnyHooks, HookError, Hooks},
    metrics::{Export, Measured, Metrics},
    probe::{Probe, ProbePoint},
    settings::{BindingsLeft, Deleted, HandOut, Retries, Settings},
};
use self::{operations::Operations, table::Phase};
use crate::{
    catalog::{Named, Offering, ParametersInfo, PlanInfo},
    protocol::{Answer, InstanceId, RequestMeta, Tenant},
    service::{BoxError, Broker, MountedPlan},
    store::{Key, Record, Timestamp},
};

/// A broker at work.
pub(crate) struct Lifecycle {
    offerings: &'static [&'static Offering],
    services: Vec<MountedService>,
    operations: Operations,
    settings: Settings,
    watched: OnceLock<()>,
    /// When it began: claims of its own are younger.
    born: Timestamp,
}

struct MountedService {
    offering: &'static Offering,
    /// In the order of the offering's.
    plans: Vec<Arc<dyn MountedPlan>>,
    /// How many handlers may run at once.
    room: Arc<Semaphore>,
}

/// A plan, and the offering that it belongs to.
#[derive(Clone)]
struct Route {
    offering: &'static Offering,
    info: &'static PlanInfo,
    plan: Arc<dyn MountedPlan>,
}

impl Route {
    fn info(&self) -> &'static PlanInfo {
        self.info
    }
}

impl Lifecycle {
    /// `offerings` are those of the broker, in their order, as they are shown.
    pub(crate) fn new<B: Broker>(broker: B, offerings: &'static [&'static Offering], settings: Settings) -> Arc<Self> {
        let plans = Arc::new(broker).mount();
        let services = offerings.iter().zip(plans).map(|(offering, plans)| MountedService {
            offering,
            plans,
            room: Arc::new(Semaphore::new(settings.concurrency.clamp(1, Semaphore::MAX_PERMITS))),
        });
        let (operations, watched, born) = (Operations::default(), OnceLock::new(), settings.clock.now());
        let this = Arc::new(Self { offerings, services: services.collect(), operations, settings, watched, born });
        this.watch_over();
        this
    }

    /// Ends when no handler is running.
    pub(crate) async fn idle(&self) {
        self.operations.idle().await;
    }

    /// Whether requests can be answered: the store can be read.
    pub(crate) async fn is_ready(&self) -> bool {
        let nothing = Key { tenant: Tenant::default(), instance: "".into() };
        self.read(&nothing, |_| ()).await.is_ok()
    }

    /// What counts requests and operations, if anything does.
    pub(crate) fn metrics(&self) -> Option<&dyn Metrics> {
        self.settings.metrics.as_deref()
    }

    /// Writes the numbers of now; `None` if nothing is counted.
    pub(crate) async fn export_metrics(&self) -> Option<Result<Export, BoxError>> {
        let metrics = self.metrics()?;
        Some(match self.settings.store.store().uses().await {
            Ok(uses) => {
                let running = self.operations.running();
                metrics.export(&Measured { offerings: self.offerings, running, uses: &uses })
            }
            Err(error) => Err(error.into()),
        })
    }

    /// The names of a service and a plan that a request names by id.
    pub(crate) fn names(&self, service_id: Option<&str>, plan_id: Option<&str>) -> Named {
        Named::find(self.offerings, service_id, plan_id)
    }

    fn service(&self, service_id: &str) -> Option<&MountedService> {
        self.services.iter().find(|service| service.offering.id == service_id)
    }

    /// The plan that a request names: one of the offering that it names (PROV-03, PROV-04).
    fn route(&self, service_id: &str, plan_id: &str) -> Result<Route, Answer> {
        let service = self.service(service_id).ok_or_else(|| answers::unknown("service_id", service_id))?;
        let mut plans = service.offering.plans.iter().zip(&service.plans);
        let found = plans.find(|(info, _)| info.spec.id == plan_id);
        let (info, plan) = found.ok_or_else(|| answers::unknown("plan_id", plan_id))?;
        Ok(Route { offering: service.offering, info, plan: Arc::clone(plan) })
    }
}

/// Where the record of an instance is found.
fn key(meta: &RequestMeta, instance: &InstanceId) -> Key {
    Key { tenant: meta.tenant.clone(), instance: instance.clone() }
}

/// How far an instance is.
fn phase(record: Option<&Record>) -> Phase {
    record.map_or(Phase::None, |record| record.life.phase)
}

/// Tells the log where a hint of the platform differs from what is known here, which wins (S14, T21).
fn note_stale(instance: &InstanceId, field: &str, hint: &str, known: &str) {
    if hint != known {
        tracing::info!(instance = instance.as_str(), field, hint, known, "the platform believes something else");
    }
}

/// The same for the hints of a request that needs none.
fn note_stale_hints(instance: &InstanceId, hints: [&Option<String>; 2], known: [&str; 2]) {
    for ((field, hint), known) in ["service_id", "plan_id"].into_iter().zip(hints).zip(known) {
        note_stale(instance, field, hint.as_deref().unwrap_or(known), known);
    }
}

/// Whether two values mean the same as parameters: equal, or equal once defaults are filled in. To JSON 1 and 1.0 are
/// the same number.
fn same_parameters(parameters: Option<&ParametersInfo>, a: &Value, b: &Value) -> bool {
    use crate::schema::{canonical, with_defaults};
    let filled = |value| match parameters {
        Some(parameters) => canonical(&with_defaults(parameters.schema, value)),
        None => canonical(value),
    };
    a == b || filled(a) == filled(b)
}

/// What is wrong with the parameters of a request: an answer with all of it (PROV-07, UPD-07, BIND-06).
fn check_parameters(plan: &PlanInfo, parameters: Option<&ParametersInfo>, value: &Value) -> Result<(), Answer> {
    match parameters {
        Some(parameters) => (parameters.check)(value).map_err(|violations| answers::violations(&violations)),
        None if value.as_object().is_none_or(serde_json::Map::is_empty) => Ok(()),
        None => Err(answers::no_parameters(plan)),
    }
}
