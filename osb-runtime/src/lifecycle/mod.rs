//! The lifecycle of instances and bindings: claims, handlers, retries, cancellation, takeover, responses.
//!
//! Of two equal requests, one runs the handler and the other joins its operation. A handler runs on the task of
//! its operation's worker, so it continues if the platform closes the connection. The worker holds a lease in the record, which
//! a watch on another task renews. If the lease expires, because the process has died, another worker takes over: it calls the
//! handler with the next attempt number and the last checkpoint. Operation id and attempt number are the fencing token of a claim:
//! a worker whose claim was taken over can't write to the record any more. A process never takes over an operation for which one
//! of its own workers is registered, however long the process was stalled.
//!
//! A request that waits for an operation of this process is notified by its worker. For an operation of another process, one
//! task reads the record whenever the store reports a [change](crate::store::Store::changed).
//!
//! Every operation is reported to the log and to an [`Audit`], and [`Hooks`] can refuse it before its handler is called.
//!
//! [`Settings`] holds the configuration; [`transitions`] defines the meaning of each request in each phase.

pub mod admin;
mod answers;
mod audit;
mod awaited;
mod bindings;
mod call;
mod cascade;
mod checkpoints;
mod clock;
mod commit;
mod events;
mod group;
mod hooks;
mod instances;
mod job;
mod metrics;
mod mutation;
mod observer;
mod operations;
mod outcome;
mod parameters;
mod polling;
mod readiness;
mod reaper;
mod settings;
mod start;
mod stored;
mod supervisor;
pub mod transfer;
pub mod transitions;
mod update;
mod wait;
mod watch;
mod worker;

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, OnceLock},
};

use tokio::sync::Semaphore;

pub use self::{
    audit::{Action, Actor, Audit, Event, Stage},
    clock::Clock,
    hooks::{AnyHooks, HookError, Hooks},
    metrics::{Export, Measured, Metrics, MetricsFormat},
    observer::{HandlerObserver, HandlerPoint},
    readiness::{AnyReadiness, Readiness},
    settings::{CredentialReads, DeletedPoll, RemainingBindings, RetryPolicy, Settings},
};
pub(crate) use self::{call::catch_panic, metrics::panics, operations::new_id};
use self::{metrics::LastUsage, operations::Operations};
pub use self::{start::check_records, stored::StoredValues};
use crate::{
    catalog::{Offering, PlanInfo, PlanNames},
    protocol::{Answer, BindingId, InstanceId, PutBinding, RequestMeta},
    service::{BoxError, MountedPlan},
    store::Key,
};

/// A mounted broker with its settings and the operations that run in this process.
pub(crate) struct Lifecycle {
    offerings: &'static [&'static Offering],
    services: Vec<MountedService>,
    operations: Operations,
    pub(crate) settings: Settings,
    sweeping: OnceLock<()>,
    last_usage: LastUsage,
}

struct MountedService {
    offering: &'static Offering,
    /// The plans, in the order of `offering.plans`.
    plans: Vec<Arc<dyn MountedPlan>>,
    /// One permit for each handler that may run concurrently.
    permits: Arc<Semaphore>,
    /// One permit for each operation that may run or wait for a handler.
    queue: Arc<Semaphore>,
}

#[derive(Clone)]
struct ResolvedPlan {
    offering: &'static Offering,
    info: &'static PlanInfo,
    plan: Arc<dyn MountedPlan>,
}

impl Lifecycle {
    /// Mounts a broker. `offerings` are its offerings in the same order, with the overrides applied.
    pub(crate) fn new(
        types: &[Vec<Arc<dyn MountedPlan>>],
        offerings: &'static [&'static Offering],
        settings: Settings,
    ) -> Arc<Self> {
        let services = offerings.iter().zip(types).map(|(offering, types)| MountedService {
            offering,
            plans: mounted(offering, types),
            permits: semaphore(settings.concurrency),
            queue: semaphore(settings.concurrency.saturating_add(settings.queue_limit)),
        });
        let (operations, sweeping, last_usage) = Default::default();
        let this =
            Arc::new(Self { offerings, services: services.collect(), operations, settings, sweeping, last_usage });
        this.start_sweeps();
        this
    }

    /// Waits until no worker is left.
    pub(crate) async fn idle(&self) {
        self.operations.idle().await;
    }

    /// Cancels the handlers, and releases the claims of operations that have not ended then, so that another process, or the
    /// next one, can continue them at once.
    pub(crate) async fn hand_over(&self) {
        self.operations.handed_over.cancel();
        self.operations.idle().await;
    }

    pub(crate) fn metrics(&self) -> Option<&dyn Metrics> {
        self.settings.metrics.as_deref()
    }

    /// Exports the current metrics; returns `None` without an implementation of [`Metrics`].
    pub(crate) async fn export_metrics(&self, format: MetricsFormat) -> Option<Result<Export, BoxError>> {
        let metrics = self.metrics()?;
        let uses = self.last_usage.get(self.settings.store.store()).await;
        let (running, began) = self.operations.running();
        let oldest = began.map(|began| self.settings.now().since(began)).unwrap_or_default();
        let measured = Measured { offerings: self.offerings, running, oldest, uses: uses.as_deref() };
        let export = AssertUnwindSafe(|| metrics.export(&measured, format));
        Some(catch_unwind(export).unwrap_or_else(|_| Err("collecting them panicked".into())))
    }

    /// Returns the names of the service and the plan with these ids.
    pub(crate) fn names(&self, service_id: Option<&str>, plan_id: Option<&str>) -> PlanNames {
        PlanNames::find(self.offerings, service_id, plan_id)
    }

    fn service(&self, service_id: &str) -> Option<&MountedService> {
        self.services.iter().find(|service| service.offering.id == service_id)
    }

    /// Finds a plan by the ids of its service and of the plan (PROV-03, PROV-04).
    fn route(&self, service_id: &str, plan_id: &str) -> Result<ResolvedPlan, Answer> {
        let service = self.service(service_id).ok_or_else(|| answers::unknown("service_id", service_id))?;
        let mut plans = service.offering.plans.iter().zip(&service.plans);
        let found = plans.find(|(info, _)| info.spec.id == plan_id);
        let (info, plan) = found.ok_or_else(|| answers::unknown("plan_id", plan_id))?;
        Ok(ResolvedPlan { offering: service.offering, info, plan: Arc::clone(plan) })
    }
}

/// Returns the handlers of each plan of an offering. A plan that a deployment lists uses the handlers of its family.
fn mounted(offering: &Offering, types: &[Arc<dyn MountedPlan>]) -> Vec<Arc<dyn MountedPlan>> {
    let of = |plan: &PlanInfo| types.iter().find(|mounted| mounted.type_id() == plan.type_id());
    offering.plans.iter().filter_map(of).map(Arc::clone).collect()
}

fn semaphore(permits: usize) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(permits.clamp(1, Semaphore::MAX_PERMITS)))
}

fn key(meta: &RequestMeta, instance: &InstanceId, binding: Option<&BindingId>) -> Key {
    Key { tenant: meta.tenant.clone(), instance: instance.clone(), binding: binding.cloned() }
}

/// Returns the key of the binding of a request.
pub(crate) fn binding_key(request: &PutBinding) -> Key {
    key(&request.meta, &request.instance, Some(&request.binding))
}

/// Logs a hint in a request that differs from the record. The record wins (S14, T21).
fn note_stale(key: &Key, field: &str, hint: Option<&str>, known: &str) {
    if let Some(hint) = hint.filter(|hint| *hint != known) {
        let (tenant, instance, binding) = key.ids();
        let why = "the platform sent a stale value; the record wins";
        tracing::warn!(tenant, instance, binding, field, hint, known, "{why}");
    }
}
