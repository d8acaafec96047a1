//! A broker with settings of its own, and requests as a test writes them.

use std::{net::SocketAddr, time::Duration};

use osb_lab::{
    lab::{Lab, LabBroker},
    messages,
    wire::Reply,
};
use osb_runtime::http::{BrokerService, HttpSettings, Platforms, serve};
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::oneshot,
};

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
        let mut head = format!(
            "{method} {path} HTTP/1.1\r\nHost: broker\r\nConnection: close\r\nContent-Length: {}\r\n",
            body.len()
        );
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        let mut stream = TcpStream::connect(self.address).await.expect("the broker listens");
        stream.write_all(format!("{head}\r\n{body}").as_bytes()).await.expect("the broker reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.expect("the broker answers in UTF-8");
        let (head, body) = answer.split_once("\r\n\r\n").expect("an answer has a head");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("an answer has a status");
        let mut lines: Vec<_> = head.lines().filter(|line| !line.to_lowercase().starts_with("date:")).collect();
        lines.sort_unstable();
        let body: Value = serde_json::from_str(body).expect("a body is JSON");
        let version = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("X-Broker-API-Version"));
        let reply = Reply { status, head: head.to_owned(), body: body.clone() };
        let wrong = messages::wrong(method, path, version.map_or("", |(_, version)| version), &reply);
        assert!(wrong.is_empty(), "{method} {path}: {}\n{reply:#?}", wrong.join("\n"));
        Answered { status, head: lines.join("\n"), body }
    }
}

/// What came back.
#[derive(Debug, PartialEq)]
pub(crate) struct Answered {
    pub(crate) status: u16,
    /// The lines of the head, sorted, without the date.
    pub(crate) head: String,
    pub(crate) body: Value,
}
