//! A broker with its data plane, a platform, and an HTTP application.

use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, SystemTime},
};

use bytes::Bytes;
use http::{HeaderMap, Request, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper_util::rt::TokioIo;
use kv_broker::{
    data_plane,
    import::Imports,
    service::{Broker, Kv},
    stores::{Owner, Stores},
};
use osb_runtime::lifecycle::Settings;
use osb_testing::Client;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};

/// Fewer than those of the program, so that tests need few file descriptors.
pub(crate) const MAX_CONNECTIONS: usize = 16;

/// A directory with the file of the stores, their clock, and files to import.
pub(crate) struct World {
    pub(crate) directory: tempfile::TempDir,
    pub(crate) stores: Stores,
    elapsed: Arc<AtomicU64>,
}

impl World {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let (elapsed, start) = (Arc::new(AtomicU64::new(0)), SystemTime::now());
        let seconds = Arc::clone(&elapsed);
        let clock = Arc::new(move || start + Duration::from_secs(seconds.load(Ordering::SeqCst)));
        let stores = Stores::with_clock(directory.path().join("kv.redb"), clock).expect("a file");
        Self { directory, stores, elapsed }
    }

    /// Advances the clock of the stores.
    pub(crate) fn pass(&self, seconds: u64) {
        self.elapsed.fetch_add(seconds, Ordering::SeqCst);
    }

    /// Writes a file to import.
    pub(crate) fn import(&self, name: &str, lines: impl IntoIterator<Item = Value>) {
        let lines: String = lines.into_iter().map(|line| format!("{line}\n")).collect();
        fs::write(self.directory.path().join(name), lines).expect("a file");
    }

    pub(crate) fn service(&self, url: &str) -> Kv {
        Kv::new(self.stores.clone(), Imports::new(self.directory.path()), url)
    }

    /// Serves the stores, and registers the broker with a platform.
    pub(crate) async fn served(&self) -> Client {
        self.served_after(Settings::default().sync_wait).await
    }

    /// The same, with a 202 after `moment`.
    pub(crate) async fn served_after(&self, moment: Duration) -> Client {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("its address"));
        tokio::spawn(data_plane::serve(listener, self.stores.clone(), MAX_CONNECTIONS));
        let mut settings = Settings::default();
        settings.sync_wait = moment;
        Client::with(Broker { kv: self.service(&url) }, settings).await
    }
}

/// Returns the owner of an instance of the only platform.
pub(crate) fn owner(instance: &str) -> Owner {
    Owner { platform: String::new(), instance: instance.to_owned() }
}

/// Returns a line of a file to import.
pub(crate) fn entry(number: u32) -> Value {
    json!({ "key": format!("key-{number:06}"), "value": format!("value {number}") })
}

/// An application with the credentials of a binding.
pub(crate) struct App {
    pub(crate) uri: String,
    pub(crate) token: String,
}

/// A response of the data plane.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("it is JSON: {self:?}"))
    }
}

impl App {
    /// Creates a binding, and uses its credentials.
    pub(crate) async fn bound(platform: &Client, instance: &str, binding: &str, parameters: Value) -> Self {
        let mut answer = platform.bind(instance, binding, parameters).await;
        while answer.status == 202 || answer.status == 404 {
            tokio::time::sleep(Duration::from_millis(1)).await;
            answer = platform.fetch_binding(instance, binding).await;
        }
        Self::with(&answer.body["credentials"])
    }

    pub(crate) fn with(credentials: &Value) -> Self {
        let text =
            |name: &str| credentials[name].as_str().unwrap_or_else(|| panic!("{name}: {credentials}")).to_owned();
        Self { uri: text("uri"), token: text("token") }
    }

    pub(crate) async fn put(&self, key: &str, value: impl Into<Bytes>) -> Reply {
        self.send("PUT", &format!("/keys/{key}"), value).await
    }

    pub(crate) async fn get(&self, key: &str) -> Reply {
        self.send("GET", &format!("/keys/{key}"), "").await
    }

    pub(crate) async fn send(&self, method: &str, path: &str, body: impl Into<Bytes>) -> Reply {
        let request = Request::builder().method(method).header("Authorization", format!("Bearer {}", self.token));
        send(request, &format!("{}{path}", self.uri), body).await
    }
}

/// Sends any request.
pub(crate) async fn send(request: http::request::Builder, url: &str, body: impl Into<Bytes>) -> Reply {
    let (host, path) = url.strip_prefix("http://").and_then(|rest| rest.split_once('/')).expect("a URL with a path");
    let stream = TcpStream::connect(host).await.expect("it listens");
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.expect("a connection");
    tokio::spawn(connection);
    let request = request.uri(format!("/{path}")).header("Host", host).body(Full::new(body.into()));
    let answer = sender.send_request(request.expect("a good request")).await.expect("an answer");
    let (parts, body) = answer.into_parts();
    let body = body.collect().await.expect("a whole body").to_bytes();
    Reply { status: parts.status, headers: parts.headers, body }
}
