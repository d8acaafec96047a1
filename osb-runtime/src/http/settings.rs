//! What an operator can set.

use std::time::Duration;

use super::{DocsPage, HtmlPage, docs::RenderDocs};
use crate::{
    catalog::Offering,
    protocol::{ApiVersion, Policies},
};

/// Limits and policies of the HTTP side. `HttpSettings::default()` suits a broker behind a platform; change what differs:
///
/// ```
/// use osb_runtime::http::HttpSettings;
/// let mut settings = HttpSettings::default();
/// settings.max_connections = 256;
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HttpSettings {
    /// The largest body taken, in bytes; a larger one is answered 413. Default: 1 MiB. A schema is at most 64 kB, and so
    /// parameters that satisfy one are rarely larger; the rest is room for contexts with many annotations.
    pub max_body: usize,
    /// The largest request line and headers taken together, in bytes; larger ones are answered 431, and so are more than
    /// 100 headers, without a body (see [`serve`](super::serve)). Default: 64 KiB; less than 8 KiB counts as 8 KiB.
    pub max_head: usize,
    /// How long a client may take to send the headers of a request, and how long a connection may be idle between two.
    /// Then the connection is closed. Default: 10 s.
    pub head_timeout: Duration,
    /// How long a client may take to send a body. Then it is answered 400 and the connection is closed: never 408, for
    /// which older platforms delete what they were about to create (S36). Default: 10 s.
    pub body_timeout: Duration,
    /// How long a client may take none of the answer's bytes before the connection is closed. Default: 30 s.
    pub write_timeout: Duration,
    /// How long each custom way to authenticate may take for a request. Then the request is answered 500, unless another
    /// way admits it. Default: 10 s.
    pub authentication_timeout: Duration,
    /// How many connections may be open; more wait to be accepted. Default: 1024.
    pub max_connections: usize,
    /// How long requests, and operations that platforms poll for, may go on after the signal to shut down. Default: 30 s.
    pub shutdown_grace: Duration,
    /// Who gets the documentation at `/docs`. Default: whoever has credentials.
    pub docs: DocsPage,
    /// Renders the page at `/docs`, such as `osb_docs::page`. Default: nothing does, and the path does not exist.
    pub render_docs: Option<fn(&[&Offering]) -> HtmlPage>,
    /// What to do with a request that says no version. Default: refuse it with 400.
    pub missing_version: MissingVersion,
    /// The oldest version served; older ones are answered 412. Default: 2.2.
    pub minimum_version: ApiVersion,
    /// Whether `/healthz`, `/readyz` and `/metrics` are answered here, without credentials; [`Monitor`](super::Monitor) has
    /// what they say, and can be served elsewhere instead. Default: false.
    pub monitor: bool,
    /// How requests are read where there is more than one good way.
    pub policies: Policies,
}

impl HttpSettings {
    /// Renders the page at `/docs`, if there is one.
    pub(super) fn docs_page(&self) -> Option<RenderDocs> {
        self.render_docs.filter(|_| self.docs != DocsPage::Off)
    }
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            max_body: 1 << 20,
            max_head: 64 << 10,
            head_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(10),
            write_timeout: Duration::from_secs(30),
            authentication_timeout: Duration::from_secs(10),
            max_connections: 1024,
            shutdown_grace: Duration::from_secs(30),
            docs: DocsPage::default(),
            render_docs: None,
            missing_version: MissingVersion::default(),
            minimum_version: ApiVersion::new(2, 2),
            monitor: false,
            policies: Policies::default(),
        }
    }
}

/// What to do with a request whose `X-Broker-API-Version` is missing or empty (HDR-03, S02, T39c).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum MissingVersion {
    /// Answer 400, as the specification says since 2.16.
    #[default]
    Refuse400,
    /// Answer 412, as the known conformance checkers expect.
    Refuse412,
    /// Take it for a request of the oldest version served.
    AssumeOldest,
}
