//! The access log: one event for each request, with its route, instance and status, but never bodies or queries (T68).

use std::time::Instant;

use http::{HeaderMap, Method, StatusCode};

use crate::{
    catalog::PlanNames,
    lifecycle::{Metrics, panics},
    protocol::{BindingId, InstanceId, Target, TraceParent, headers::RequestHeaders},
};

/// The facts about one request. They are logged on drop, so that a request is logged even if the client hangs up.
pub(super) struct Access<'a> {
    started: Instant,
    method: &'a Method,
    pub(super) headers: RequestHeaders<'a>,
    /// The name of the owner of the path, even if the request is not authenticated.
    pub(super) tenant: &'a str,
    /// The route's pattern, once it is known.
    pub(super) route: &'static str,
    /// The name of the endpoint in metrics, once the request has passed the gate.
    pub(super) operation: &'static str,
    /// The target of the path, once the request has passed the gate.
    pub(super) target: Target,
    /// The service and plan, if the request names them.
    pub(super) named: PlanNames,
    /// The status of the answer, once there is one.
    pub(super) status: Option<StatusCode>,
}

impl<'a> Access<'a> {
    pub(super) fn begin(method: &'a Method, headers: &'a HeaderMap) -> Self {
        Self {
            started: Instant::now(),
            method,
            headers: RequestHeaders::of(headers),
            tenant: "",
            route: "unknown",
            operation: "unknown",
            target: Target::default(),
            named: PlanNames::default(),
            status: None,
        }
    }

    pub(super) fn count(&self, metrics: &dyn Metrics, status: StatusCode) {
        if panics(|| metrics.request(self.operation, self.named, status, self.started.elapsed())) {
            tracing::error!(request = self.headers.identity, route = self.route, "the receiver of metrics panicked");
        }
    }
}

impl Drop for Access<'_> {
    fn drop(&mut self) {
        tracing::info!(
            target: "osb_runtime::access",
            tenant = Some(self.tenant).filter(|name| !name.is_empty()),
            method = self.method.as_str(),
            route = self.route,
            instance = self.target.instance().map(InstanceId::as_str),
            service = Some(self.named.service).filter(|name| !name.is_empty()),
            plan = Some(self.named.plan).filter(|name| !name.is_empty()),
            binding = self.target.binding().map(BindingId::as_str),
            status = self.status.map(|status| status.as_u16()),
            seconds = self.started.elapsed().as_secs_f64(),
            request = self.headers.identity,
            trace_id = self.headers.trace.as_ref().map(TraceParent::trace_id),
            "{}",
            if self.status.is_some() { "answered" } else { "not answered: the client closed the connection, or the broker stopped" },
        );
    }
}
