//! A broker with settings of its own, and requests as a test writes them.

use osb_lab::prelude::*;
use osb_runtime::http::Platforms;

/// The laboratory, served; it ends with this value.
pub(crate) struct Served(Wire);

impl Served {
    pub(crate) async fn start(platforms: impl Into<Platforms>, mut settings: HttpSettings) -> Self {
        settings.shutdown_grace = Duration::from_secs(1);
        let service = BrokerService::start(LabBroker { lab: Lab::default() }, platforms, settings).await;
        Self(Wire::serve_service(service.expect("the broker starts")).await)
    }

    /// One request on a connection of its own, with these headers and those that HTTP needs.
    pub(crate) async fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answered {
        let reply = self.0.exchange_text(method, path, headers, body).await;
        let mut lines: Vec<_> = reply.head.lines().filter(|line| !line.to_lowercase().starts_with("date:")).collect();
        lines.sort_unstable();
        Answered { status: reply.status, head: lines.join("\n"), body: reply.body }
    }
}

/// A response.
#[derive(Debug, PartialEq)]
pub(crate) struct Answered {
    pub(crate) status: u16,
    /// The lines of the head, sorted, without the date.
    pub(crate) head: String,
    pub(crate) body: Value,
}
