//! One log event for each request: who asked what of which instance, and what came of it. Never bodies, never queries (T68).

use std::time::Instant;

use http::{Method, StatusCode};

use super::route::Endpoint;
use crate::{
    catalog::Named,
    lifecycle::Metrics,
    protocol::{RequestIdentity, Tenant},
};

/// Gathers what is known of a request and logs it when dropped: also if the platform hangs up before the answer.
pub(super) struct Access {
    started: Instant,
    method: Method,
    pub(super) identity: Option<RequestIdentity>,
    /// Whose path it is, also of somebody without the credentials.
    pub(super) tenant: Tenant,
    /// The route's pattern; set once it is known.
    pub(super) route: &'static str,
    /// Set once the request has passed the gate.
    pub(super) endpoint: Option<Endpoint>,
    /// The service and the plan, as far as the request names them.
    pub(super) named: Named,
    /// Set when there is an answer.
    pub(super) status: Option<StatusCode>,
}

impl Access {
    pub(super) fn begin(method: &Method, identity: Option<RequestIdentity>) -> Self {
        Self {
            started: Instant::now(),
            method: method.clone(),
            identity,
            tenant: Tenant::default(),
            route: "unknown",
            endpoint: None,
            named: Named::default(),
            status: None,
        }
    }

    /// Counts the request.
    pub(super) fn count(&self, metrics: &dyn Metrics, status: StatusCode) {
        let operation = self.endpoint.as_ref().map_or("unknown", Endpoint::name);
        metrics.request(operation, self.named, status, self.started.elapsed());
    }
}

impl Drop for Access {
    fn drop(&mut self) {
        let (instance, binding) = self.endpoint.as_ref().map_or((None, None), Endpoint::ids);
        tracing::info!(
            target: "osb_runtime::access",
            tenant = Some(self.tenant.as_str()).filter(|name| !name.is_empty()),
            method = self.method.as_str(),
            route = self.route,
            instance = instance.map(AsRef::<str>::as_ref),
            service = Some(self.named.service).filter(|name| !name.is_empty()),
            plan = Some(self.named.plan).filter(|name| !name.is_empty()),
            binding = binding.map(AsRef::<str>::as_ref),
            status = self.status.map(|status| status.as_u16()),
            seconds = self.started.elapsed().as_secs_f64(),
            request = self.identity.as_ref().map(AsRef::<str>::as_ref),
            "{}",
            if self.status.is_some() { "answered" } else { "the platform hung up" },
        );
    }
}
