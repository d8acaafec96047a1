//! A broker with settings of its own, and requests as a test writes them.

use std::{net::SocketAddr, time::Duration};

use osb_lab::{
    bodies,
    lab::{Lab, LabBroker},
    wire::exchange,
};
use osb_runtime::http::{BrokerService, HttpSettings, Platforms, serve};
use serde_json::Value;
use tokio::{net::TcpListener, sync::oneshot};

/// The laboratory, served; it ends with this value.
pub(crate) struct Served {
    address: SocketAddr,
    _stop: oneshot::Sender<()>,
}

impl Served {
    pub(crate) async fn start(platforms: impl Into<Platforms>, mut settings: HttpSettings) -> Self {
        settings.shutdown_grace = Duration::from_secs(1);
        let broker = LabBroker { lab: Lab::default() };
        let service = BrokerService::start(broker, platforms, settings).await.expect("the broker starts");
        bodies::prepare();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let address = listener.local_addr().expect("it is bound");
        let (stop, stopped) = oneshot::channel::<()>();
        tokio::spawn(serve(listener, service, async {
            let _ = stopped.await;
        }));
        Self { address, _stop: stop }
    }

    /// One request on a connection of its own, with these headers and those that HTTP needs.
    pub(crate) async fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answered {
        let reply = exchange(self.address, method, path, headers, body).await;
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
