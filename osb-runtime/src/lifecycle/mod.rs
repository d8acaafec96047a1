//! What the runtime does with requests: claim, run, finish, clean up.
//!
//! A handler runs on a task of its own under a claim in the store, so that of two equal requests one runs it and the
//! other waits for the answer, and so that a platform which hangs up stops nothing.

mod answers;
mod bindings;
mod instances;
mod operation;
mod update;

use std::{sync::Arc, time::Duration};

use serde_json::Value;

use crate::{
    catalog::{Offering, ParametersInfo, PlanInfo},
    protocol::{Answer, InstanceId, PollRequest},
    service::{Broker, MountedPlan},
    store::{Memory, Phase},
};
use operation::Operations;

/// How long work may take.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Limits {
    /// How long a handler may run before it is cancelled: 50 s, because platforms hang up after 60 s.
    pub deadline: Duration,
    /// How long a cancelled handler has to come to an end before it is dropped: 2 s.
    pub grace: Duration,
    /// How long the answer to a failed request waits for what it left behind to be removed, which goes on
    /// regardless: 5 s.
    pub cleanup: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { deadline: Duration::from_secs(50), grace: Duration::from_secs(2), cleanup: Duration::from_secs(5) }
    }
}

/// A broker at work.
pub(crate) struct Lifecycle {
    services: Vec<MountedService>,
    store: Memory,
    operations: Operations,
    limits: Limits,
}

struct MountedService {
    offering: &'static Offering,
    plans: Vec<Arc<dyn MountedPlan>>,
}

/// A plan, and the offering that it belongs to.
#[derive(Clone)]
struct Route {
    offering: &'static Offering,
    plan: Arc<dyn MountedPlan>,
}

impl Route {
    fn info(&self) -> &'static PlanInfo {
        self.plan.info()
    }
}

impl Lifecycle {
    pub(crate) fn new<B: Broker>(broker: B, limits: Limits) -> Arc<Self> {
        let plans = Arc::new(broker).mount();
        let services = B::OFFERINGS.iter().zip(plans).map(|(offering, plans)| MountedService { offering, plans });
        Arc::new(Self { services: services.collect(), store: Memory::new(), operations: Operations::default(), limits })
    }

    /// Ends when no handler is running.
    pub(crate) async fn idle(&self) {
        self.operations.idle().await;
    }

    /// Every operation has ended by the time that it is answered, so there is none to ask after.
    pub(crate) async fn last_operation(&self, request: PollRequest) -> Answer {
        let PollRequest { meta, instance, binding, operation, service_id, plan_id } = request;
        tracing::debug!(
            tenant = ?meta.tenant, ?instance, ?binding, operation, service_id, plan_id, request = ?meta.request_identity,
            "asked after an operation"
        );
        if self.see(&instance, |record| record.is_some()).await {
            answers::not_found("There is no such operation.")
        } else {
            answers::no_instance()
        }
    }

    fn offering(&self, service_id: &str) -> Option<&MountedService> {
        self.services.iter().find(|service| service.offering.id == service_id)
    }

    /// The plan that a request names: one of the offering that it names (PROV-03, PROV-04).
    fn route(&self, service_id: &str, plan_id: &str) -> Result<Route, Answer> {
        let service = self.offering(service_id).ok_or_else(|| answers::unknown("service_id", service_id))?;
        let plan = service.plans.iter().find(|plan| plan.info().spec.id == plan_id);
        let plan = plan.ok_or_else(|| answers::unknown("plan_id", plan_id))?;
        Ok(Route { offering: service.offering, plan: Arc::clone(plan) })
    }
}

/// Tells the log where a hint of the platform differs from what is known here, which wins (S14, T21).
fn note_stale(instance: &InstanceId, field: &str, hint: &str, known: &str) {
    if hint != known {
        tracing::info!(instance = instance.as_str(), field, hint, known, "the platform believes something else");
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

/// What becomes of something that was not deleted: it is as it was `before` if the author refused (ERR-08), and half
/// gone otherwise.
fn not_deleted(before: &Phase, answer: &Answer) -> Phase {
    match before {
        Phase::Ready if !answer.status.is_client_error() => Phase::DeleteFailed,
        before => before.clone(),
    }
}

/// What is wrong with the parameters of a request: an answer with all of it (PROV-07, UPD-07, BIND-06).
fn check_parameters(plan: &PlanInfo, parameters: Option<&ParametersInfo>, value: &Value) -> Result<(), Answer> {
    match parameters {
        Some(parameters) => (parameters.check)(value).map_err(|violations| answers::violations(&violations)),
        None if value.as_object().is_none_or(serde_json::Map::is_empty) => Ok(()),
        None => Err(answers::no_parameters(plan)),
    }
}
