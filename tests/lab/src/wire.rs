//! A platform that sends HTTP requests over real connections.

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use osb_runtime::{
    catalog::StartError,
    http::{AcceptedCredentials, BrokerService, HttpSettings, serve},
    lifecycle::Settings,
    service::Broker,
};
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::oneshot,
    task::JoinHandle,
    time::sleep,
};

use crate::messages::{self, Asked};

/// The `Authorization` header with valid credentials.
pub const AUTHORIZATION: &str = "Basic dXNlcjpwYXNz";

/// Returns the credentials in [`AUTHORIZATION`].
///
/// # Panics
///
/// Never: they are valid.
pub fn credentials() -> AcceptedCredentials {
    AcceptedCredentials::basic("user", "pass").expect("a user without colon")
}

/// Starts a broker for a platform with these credentials.
///
/// # Errors
///
/// If the broker does not start.
pub async fn start<B: Broker>(broker: B, settings: Settings) -> Result<BrokerService, StartError> {
    BrokerService::start_with(broker, credentials(), HttpSettings::default(), settings).await
}

/// Maximum time to wait for an operation.
const PATIENCE: Duration = Duration::from_secs(20);
/// The time between two polls.
const BETWEEN_POLLS: Duration = Duration::from_millis(5);

/// A running broker, as a platform knows it.
#[derive(Debug)]
pub struct Wire {
    address: SocketAddr,
    version: String,
    stop: oneshot::Sender<()>,
    served: JoinHandle<()>,
}

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// The raw head.
    pub head: String,
    /// The body: an object, or `null` if there is none.
    pub body: Value,
    /// The text of the body, with members in order.
    pub text: String,
}

impl Wire {
    /// Serves a broker until this value is dropped.
    pub async fn serve<B: Broker>(broker: B) -> Self {
        Self::serve_with(broker, Settings::default()).await
    }

    /// Serves a broker with lifecycle settings.
    ///
    /// # Panics
    ///
    /// If it does not start.
    pub async fn serve_with<B: Broker>(broker: B, settings: Settings) -> Self {
        Self::serve_http(broker, HttpSettings::default(), settings).await
    }

    /// Serves a broker with HTTP and lifecycle settings.
    ///
    /// # Panics
    ///
    /// If it does not start.
    pub async fn serve_http<B: Broker>(broker: B, mut http: HttpSettings, settings: Settings) -> Self {
        http.shutdown_grace = Duration::from_secs(1);
        let service = BrokerService::start_with(broker, credentials(), http, settings).await;
        Self::serve_service(service.expect("the broker starts")).await
    }

    /// Serves a broker that has started.
    ///
    /// # Panics
    ///
    /// If no port is free.
    pub async fn serve_service(service: BrokerService) -> Self {
        messages::prepare();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let address = listener.local_addr().expect("it is bound");
        let (stop, stopped) = oneshot::channel::<()>();
        let served = tokio::spawn(serve(listener, service, async {
            let _ = stopped.await;
        }));
        Self { address, version: "2.17".to_owned(), stop, served }
    }

    /// Shuts the broker down and waits for its end.
    ///
    /// # Panics
    ///
    /// If it panicked.
    pub async fn end(self) {
        drop(self.stop);
        self.served.await.expect("it ends");
    }

    /// Returns the broker's address, for tests that send raw bytes.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Changes the version that the platform sends.
    pub fn speak(&mut self, version: &str) {
        version.clone_into(&mut self.version);
    }

    /// Sends a request on a new connection.
    ///
    /// # Panics
    ///
    /// If the answer is invalid.
    pub async fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: Option<&Value>) -> Reply {
        let known = [("Authorization", AUTHORIZATION), ("X-Broker-API-Version", self.version.as_str())];
        self.exchange(method, path, &[&known, headers].concat(), body).await
    }

    /// Sends a request with only these headers and those of HTTP itself: no credentials and no version.
    ///
    /// # Panics
    ///
    /// If the answer is invalid.
    pub async fn exchange(&self, method: &str, path: &str, headers: &[(&str, &str)], body: Option<&Value>) -> Reply {
        self.exchange_text(method, path, headers, &body.map(Value::to_string).unwrap_or_default()).await
    }

    /// Sends a request like [`exchange`](Self::exchange), with any text as body.
    ///
    /// # Panics
    ///
    /// If the answer is invalid.
    pub async fn exchange_text(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        exchange(self.address, method, path, headers, body).await
    }

    /// Polls until the last operation on this path is no longer in progress, and returns the last answer, which may be an error.
    ///
    /// # Panics
    ///
    /// If the operation takes too long.
    pub async fn settled(&self, path: &str) -> Reply {
        self.settled_at(&format!("{path}/last_operation")).await
    }

    /// Like [`settled`](Self::settled), with the whole path of the polls.
    ///
    /// # Panics
    ///
    /// If the operation takes too long.
    pub async fn settled_at(&self, poll: &str) -> Reply {
        let started = Instant::now();
        loop {
            let reply = self.get(poll).await;
            if reply.body["state"] != "in progress" {
                return reply;
            }
            assert!(started.elapsed() < PATIENCE, "{poll} does not end: {}", reply.body);
            sleep(BETWEEN_POLLS).await;
        }
    }

    /// `GET`
    pub async fn get(&self, path: &str) -> Reply {
        self.send("GET", path, &[], None).await
    }

    /// `PUT`
    pub async fn put(&self, path: &str, body: Value) -> Reply {
        self.send("PUT", path, &[], Some(&body)).await
    }

    /// `PATCH`
    pub async fn patch(&self, path: &str, body: Value) -> Reply {
        self.send("PATCH", path, &[], Some(&body)).await
    }

    /// `DELETE`
    pub async fn delete(&self, path: &str) -> Reply {
        self.send("DELETE", path, &[], None).await
    }
}

/// Sends a request on a new connection, with these headers and those of HTTP itself.
///
/// # Panics
///
/// If the answer is invalid.
pub async fn exchange(address: SocketAddr, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
    let mut head =
        format!("{method} {path} HTTP/1.1\r\nHost: broker\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    let mut stream = TcpStream::connect(address).await.expect("the broker listens");
    stream.write_all(format!("{head}\r\n{body}").as_bytes()).await.expect("the broker reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("the broker answers in UTF-8");
    let (head, got) = answer.split_once("\r\n\r\n").expect("an answer has a head");
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("an answer has a status");
    let (head, text) = (head.to_owned(), got.to_owned());
    let body_of = |text: &str| serde_json::from_str(text).expect("a body is JSON");
    let reply = Reply { status, head, body: if got.is_empty() { Value::Null } else { body_of(got) }, text };
    let sent = serde_json::from_str(body).unwrap_or_default();
    messages::hold(Asked { method, path, headers, body: &sent }, &reply);
    reply
}

impl Reply {
    /// Checks the status, and returns the reply.
    ///
    /// # Panics
    ///
    /// If the status is another one; the message contains the reply.
    #[track_caller]
    pub fn has_status(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{self:?}");
        self
    }

    /// Returns a header by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers(name).next()
    }

    /// Returns all headers with this name in lower case.
    pub fn headers(&self, name: &str) -> impl Iterator<Item = &str> {
        let headers = self.head.lines().filter_map(|line| line.split_once(": "));
        headers.filter(move |(header, _)| *header == name).map(|(_, value)| value)
    }

    /// Returns the `description` of an error.
    pub fn description(&self) -> &str {
        self.body["description"].as_str().unwrap_or_default()
    }
}
