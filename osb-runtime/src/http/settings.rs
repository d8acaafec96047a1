//! The settings of the HTTP side.

use std::time::Duration;

use super::{DocsPage, HtmlPage};
use crate::{
    catalog::Offering,
    protocol::{ApiVersion, Policies},
};

/// Limits and policies of the HTTP side. The defaults suit a broker behind a platform:
///
/// ```
/// use osb_runtime::http::HttpSettings;
/// let mut settings = HttpSettings::default();
/// settings.max_connections = 256;
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HttpSettings {
    /// Maximum size of a request body in bytes. Larger bodies get a 413; up to 16 MiB are read and discarded so that the client
    /// sees it. Default: 1 MiB. A schema is at most 64 kB, so valid parameters are rarely larger; the rest leaves room for
    /// contexts with many annotations.
    pub max_body: usize,
    /// Memory for the bodies of running requests, in bytes: 4 for each byte, and 128 for each JSON value outside of the context.
    /// Requests beyond it get a 503 with `Retry-After`. Default: 256 MiB, enough for 64 bodies of 1 MiB with a large context.
    pub body_memory: usize,
    /// Maximum size of the request line and headers together, in bytes. Larger ones, and more than 100 headers, get a
    /// 431 without a body (see [`serve`](super::serve)). Default: 64 KiB.
    pub max_head: usize,
    /// Closes a connection when the client has not sent the complete headers of a request within this time after it has
    /// connected, or after their first byte. Default: 10 s.
    pub head_timeout: Duration,
    /// Closes a connection that is idle between two requests for this long. Default: 620 s, longer than load balancers reuse
    /// connections (60 to 600 s): a request on one that the broker is just closing fails with 502.
    pub idle_timeout: Duration,
    /// Maximum time for the client to send a body. After that it gets a 400 and the connection is closed. The status is
    /// not 408, because that makes older platforms delete the resource (S36). Default: 10 s.
    pub body_timeout: Duration,
    /// Closes a connection when the client reads no response data for this long. Default: 30 s.
    pub write_timeout: Duration,
    /// Maximum time for each custom authentication method. After that the request gets a 500, unless another method
    /// admits it. Default: 10 s.
    pub authentication_timeout: Duration,
    /// Maximum number of open connections. Beyond it, a new connection replaces the one that has waited longest for a complete
    /// request head, or takes more than 2 s to read its last response; if each has a running request, further ones wait. With
    /// [`monitor`](Self::monitor), 16 more are accepted, in which health checks and metrics are answered, and other requests get a
    /// 503 with `Retry-After`. Default: 1024.
    pub max_connections: usize,
    /// Time after the signal to shut down in which everything is served as before, while `/readyz` fails, so that a load
    /// balancer sends requests to other replicas before this one refuses them. Default: zero.
    pub shutdown_delay: Duration,
    /// Maximum time after the delay for running requests and asynchronous operations to end. In its
    /// [last part](super::BrokerService::hand_over_time), those that still run are handed over: they continue in another process,
    /// or in the next one. Default: 30 s.
    pub shutdown_grace: Duration,
    /// Access to the documentation page at `/docs`. Default: with credentials.
    pub docs: DocsPage,
    /// Renders the page at `/docs`, such as `osb_docs::page`. Default: nothing does, and the path does not exist.
    pub render_docs: Option<fn(&[&Offering]) -> HtmlPage>,
    /// Response to a request without the `X-Broker-API-Version` header. Default: 400.
    pub missing_version: MissingVersion,
    /// The oldest supported API version; requests with an older one get 412. Default: 2.2.
    pub minimum_version: ApiVersion,
    /// `true` to serve `/healthz`, `/readyz` and `/metrics` here, without credentials. [`Monitor`](super::Monitor)
    /// describes them; it can be served on its own address instead. Default: `false`.
    pub monitor: bool,
    /// `true` to begin a trace for each request without `traceparent`, for programs that export spans. Default: `false`.
    pub begins_traces: bool,
    /// Decisions where the specification leaves several possibilities.
    pub policies: Policies,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            max_body: 1 << 20,
            body_memory: 256 << 20,
            max_head: 64 << 10,
            head_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(620),
            body_timeout: Duration::from_secs(10),
            write_timeout: Duration::from_secs(30),
            authentication_timeout: Duration::from_secs(10),
            max_connections: 1024,
            shutdown_delay: Duration::ZERO,
            shutdown_grace: Duration::from_secs(30),
            docs: DocsPage::default(),
            render_docs: None,
            missing_version: MissingVersion::default(),
            minimum_version: ApiVersion::new(2, 2),
            monitor: false,
            begins_traces: false,
            policies: Policies::default(),
        }
    }
}

/// Response to a request whose `X-Broker-API-Version` header is missing or empty (HDR-03, S02, T39c).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum MissingVersion {
    /// Answer 400, as the specification requires since 2.16.
    #[default]
    Refuse400,
    /// Answer 412, as the known conformance checkers expect.
    Refuse412,
    /// Treat it as a request of the oldest supported version.
    AssumeOldest,
}
