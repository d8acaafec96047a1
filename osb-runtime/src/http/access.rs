//! The access log: one event for each request, with its route, instance and status, but never bodies or queries (T68).

use std::time::Instant;

use http::{Method, StatusCode};

use crate::{
    catalog::PlanNames,
    lifecycle::{Metrics, panics},
    protocol::{Ids, RequestIdentity, Tenant, TraceParent},
};

/// The facts about one request. They are logged on drop, so that a request is logged even if the client hangs up.
pub(super) struct Access {
    started: Instant,
    method: Method,
    pub(super) identity: Option<RequestIdentity>,
    pub(super) trace: Option<TraceParent>,
    /// The owner of the path, even if the request is not authenticated.
    pub(super) tenant: Tenant,
    /// The route's pattern, once it is known.
    pub(super) route: &'static str,
    /// The name of the endpoint in metrics, once the request has passed the gate.
    pub(super) operation: &'static str,
    /// The ids from the path, once the request has passed the gate.
    pub(super) ids: Ids,
    /// The service and plan, if the request names them.
    pub(super) named: PlanNames,
    /// The status of the answer, once there is one.
    pub(super) status: Option<StatusCode>,
}

impl Access {
    pub(super) fn begin(method: &Method, identity: Option<RequestIdentity>, trace: Option<TraceParent>) -> Self {
        Self {
            started: Instant::now(),
            method: method.clone(),
            identity,
            trace,
            tenant: Tenant::default(),
            route: "unknown",
            operation: "unknown",
            ids: Ids::default(),
            named: PlanNames::default(),
            status: None,
        }
    }

    /// Counts the request.
    pub(super) fn count(&self, metrics: &dyn Metrics, status: StatusCode) {
        if panics(|| metrics.request(self.operation, self.named, status, self.started.elapsed())) {
            let identity = self.identity.as_ref().map(AsRef::<str>::as_ref);
            tracing::error!(request = identity, route = self.route, "the receiver of metrics panicked");
        }
    }
}

impl Drop for Access {
    fn drop(&mut self) {
        tracing::info!(
            target: "osb_runtime::access",
            tenant = Some(self.tenant.as_str()).filter(|name| !name.is_empty()),
            method = self.method.as_str(),
            route = self.route,
            instance = self.ids.instance.as_ref().map(AsRef::<str>::as_ref),
            service = Some(self.named.service).filter(|name| !name.is_empty()),
            plan = Some(self.named.plan).filter(|name| !name.is_empty()),
            binding = self.ids.binding.as_ref().map(AsRef::<str>::as_ref),
            status = self.status.map(|status| status.as_u16()),
            seconds = self.started.elapsed().as_secs_f64(),
            request = self.identity.as_ref().map(AsRef::<str>::as_ref),
            trace_id = self.trace.as_ref().map(TraceParent::trace_id),
            "{}",
            if self.status.is_some() { "answered" } else { "not answered: the client closed the connection, or the broker stopped" },
        );
    }
}
