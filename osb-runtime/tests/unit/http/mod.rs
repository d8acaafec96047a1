//! Tests with a broker that records its requests, in process and over real connections.

mod answers;
mod docs;
mod gate;
mod limits;
mod mounted;
mod platforms;
mod properties;
mod shutdown;
mod slots;
mod stream;
#[cfg(feature = "tls")]
mod tls;

use std::{
    net::SocketAddr,
    pin::Pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use http::{HeaderValue, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::{Semaphore, oneshot},
    task::JoinHandle,
    time::timeout,
};
use tower_service::Service as _;

use super::{
    AcceptedCredentials, BrokerService, HttpSettings, Platforms,
    body::Reservation,
    handle::{Handle, Idle, Reply},
    serve,
};
use crate::{
    lifecycle::{Lifecycle, Settings},
    protocol::{Answer, HtmlBody, Request as ApiRequest},
};

/// `platform:secret`
const BASIC: &str = "Basic cGxhdGZvcm06c2VjcmV0";
/// A timeout for events that are expected much sooner.
const SOON: Duration = Duration::from_secs(20);
/// A timeout that a test waits for until it expires.
const SHORT: Duration = Duration::from_millis(100);

/// A recorded request.
#[derive(Debug)]
enum Received {
    Catalog,
    Api(ApiRequest),
}

/// A broker that answers `{}` to all requests, with `Retry-After` to polls. The instances `panic`, `panic-later` and
/// `wait` are special.
struct Recorder {
    asked: Mutex<Vec<Received>>,
    catalog: Bytes,
    page: Option<Arc<HtmlBody>>,
    /// Has a permit for each request that has begun to wait.
    waiting: Semaphore,
    /// Has a permit for each waiting request that may continue.
    go_on: Arc<Semaphore>,
    /// Has a permit unless a background operation is running.
    idle_permit: Arc<Semaphore>,
    is_handed_over: AtomicBool,
}

impl Recorder {
    fn new() -> Arc<Self> {
        Self::with_catalog(Bytes::from_static(b"{\"services\":[]}"))
    }

    fn without_page() -> Arc<Self> {
        Arc::new(Self { page: None, ..Arc::into_inner(Self::new()).expect("there is one reference") })
    }

    fn with_catalog(catalog: Bytes) -> Arc<Self> {
        Arc::new(Self {
            asked: Mutex::default(),
            catalog,
            page: Some(Arc::new(
                super::HtmlPage {
                    html: "<!doctype html>".to_owned(),
                    policy: "default-src 'none'; script-src 'sha256-x'".to_owned(),
                }
                .into(),
            )),
            waiting: Semaphore::new(0),
            go_on: Arc::new(Semaphore::new(0)),
            idle_permit: Arc::new(Semaphore::new(1)),
            is_handed_over: AtomicBool::new(false),
        })
    }

    fn asked(&self) -> Vec<Received> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }
}

impl Handle for Recorder {
    fn catalog(&self) -> (Bytes, HeaderValue) {
        self.asked.lock().unwrap().push(Received::Catalog);
        (self.catalog.clone(), HeaderValue::from_static("\"abc,1\""))
    }

    fn page(&self) -> Option<Arc<HtmlBody>> {
        self.page.clone()
    }

    fn answer(&self, request: ApiRequest, memory: Reservation) -> Reply {
        let instance = match &request {
            ApiRequest::FetchInstance(request) => request.instance.as_str(),
            ApiRequest::Poll(request) => request.instance.as_str(),
            ApiRequest::Provision(request) => request.instance.as_str(),
            _ => "",
        }
        .to_owned();
        let poll = matches!(request, ApiRequest::Poll(_));
        self.asked.lock().unwrap().push(Received::Api(request));
        assert_ne!(instance, "panic", "as requested");
        if instance == "wait" {
            self.waiting.add_permits(1);
        }
        let go_on = Arc::clone(&self.go_on);
        Reply::new(async move {
            let _memory = memory;
            match instance.as_str() {
                "panic-later" => {
                    tokio::task::yield_now().await;
                    panic!("as requested");
                }
                "wait" => drop(go_on.acquire().await),
                _ => {}
            }
            let answer = Answer::empty(StatusCode::OK);
            if poll { answer.retry_after(7) } else { answer }
        })
    }

    fn idle(&self) -> Idle {
        let idle_permit = Arc::clone(&self.idle_permit);
        Box::pin(async move { drop(idle_permit.acquire().await) })
    }

    fn hand_over(&self) -> Idle {
        self.is_handed_over.store(true, Ordering::SeqCst);
        let idle_permit = Arc::clone(&self.idle_permit);
        Box::pin(async move { drop(idle_permit.acquire().await) })
    }
}

fn credentials() -> AcceptedCredentials {
    AcceptedCredentials::basic("platform", "secret").unwrap()
}

impl BrokerService {
    fn new(handle: Arc<dyn Handle>, platforms: Platforms, settings: HttpSettings) -> Self {
        let lifecycle = Settings { cancel_grace: Duration::ZERO, ..Settings::default() };
        Self::over(handle, Lifecycle::new(&[], &[], lifecycle), platforms, settings)
    }
}

fn service(recorder: &Arc<Recorder>, settings: HttpSettings) -> BrokerService {
    BrokerService::new(Arc::<Recorder>::clone(recorder), credentials().into(), settings)
}

/// A request that passes the gate.
fn request(method: &str, path: &str) -> http::request::Builder {
    Request::builder()
        .method(method)
        .uri(path)
        .header("Authorization", BASIC)
        .header("X-Broker-Api-Version", "2.17")
        .header("X-Broker-Api-Request-Identity", "identity-1")
}

fn provision_body() -> Value {
    json!({"service_id": "s", "plan_id": "p", "organization_guid": "o", "space_guid": "sp"})
}

/// An answer, after checks that apply to all answers.
struct Answered {
    status: StatusCode,
    headers: http::HeaderMap,
    body: Value,
}

impl Answered {
    async fn of(response: Response<Full<Bytes>>) -> Self {
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        // Only an answer to HEAD has a length of its own, that of the content that it leaves out.
        let body = if parts.status == StatusCode::NOT_MODIFIED || parts.headers.contains_key("content-length") {
            assert!(bytes.is_empty());
            Value::Null
        } else {
            assert_eq!(parts.headers["content-type"], "application/json");
            let body: Value = serde_json::from_slice(&bytes).unwrap();
            assert!(body.is_object(), "{body}");
            body
        };
        Self { status: parts.status, headers: parts.headers, body }
    }

    fn description(&self) -> &str {
        self.body["description"].as_str().unwrap_or_default()
    }
}

/// Sends a request in process.
async fn ask(service: &BrokerService, request: Request<impl Into<Bytes>>) -> Answered {
    let request = request.map(|body| Full::new(body.into()));
    Answered::of(service.clone().call(request).await.unwrap()).await
}

/// Sends a request without a body in process.
async fn get(service: &BrokerService, request: http::request::Builder) -> Answered {
    ask(service, request.body(Bytes::new()).unwrap()).await
}

/// A broker that listens.
struct Server {
    address: SocketAddr,
    recorder: Arc<Recorder>,
    stop: oneshot::Sender<()>,
    running: JoinHandle<()>,
}

impl Server {
    async fn start(change: impl FnOnce(&mut HttpSettings)) -> Self {
        Self::start_with(Recorder::new(), change).await
    }

    async fn start_with(recorder: Arc<Recorder>, change: impl FnOnce(&mut HttpSettings)) -> Self {
        let mut settings = HttpSettings::default();
        change(&mut settings);
        Self::run(recorder, settings).await
    }

    async fn run(recorder: Arc<Recorder>, settings: HttpSettings) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        let broker = service(&recorder, settings);
        let running = tokio::spawn(serve(listener, broker, async {
            let _ = stopped.await;
        }));
        Self { address, recorder, stop, running }
    }

    async fn connect(&self) -> Client {
        Client::connect(self.address).await
    }

    /// Connects, and sends raw bytes.
    async fn sent(&self, text: &str) -> Client {
        let mut client = self.connect().await;
        client.send(text).await;
        client
    }

    /// Connects, and sends a request that waits.
    async fn busy(&self) -> Client {
        let client = self.sent(&head("GET /v2/service_instances/wait", "\r\n")).await;
        self.recorder.waiting.acquire().await.unwrap().forget();
        client
    }
}

/// A client that sends raw bytes.
struct Client {
    stream: TcpStream,
    read: Vec<u8>,
}

/// Returns the head of a request that passes the gate, without the empty line at its end.
fn head(request_line: &str, more: &str) -> String {
    format!("{request_line} HTTP/1.1\r\nHost: b\r\nAuthorization: {BASIC}\r\nX-Broker-Api-Version: 2.17\r\n{more}")
}

impl Client {
    async fn connect(address: SocketAddr) -> Self {
        Self { stream: TcpStream::connect(address).await.unwrap(), read: Vec::new() }
    }

    /// Sends a request that passes the gate, and returns the status of its response.
    async fn get(&mut self, path: &str) -> u16 {
        self.send(&head(&format!("GET {path}"), "\r\n")).await;
        self.status().await
    }

    async fn send(&mut self, text: &str) {
        self.stream.write_all(text.as_bytes()).await.unwrap();
    }

    /// Reads one response and returns its head and body, or `None` at the end of the connection.
    async fn answer(&mut self) -> Option<(String, String)> {
        loop {
            if let Some(end) = self.read.windows(4).position(|window| window == b"\r\n\r\n") {
                let head = String::from_utf8(self.read[..end].to_vec()).unwrap().to_lowercase();
                let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
                let length: usize = length.map_or(0, |length| length.parse().unwrap());
                if self.read.len() >= end + 4 + length {
                    let body = self.read.drain(..end + 4 + length).skip(end + 4).collect();
                    return Some((head, String::from_utf8(body).unwrap()));
                }
            }
            let mut chunk = [0; 4096];
            match timeout(SOON, self.stream.read(&mut chunk)).await.expect("an answer or an end") {
                Ok(1..) if self.read.len() > 1 << 20 => panic!("the answer is too long"),
                Ok(count @ 1..) => self.read.extend_from_slice(&chunk[..count]),
                // The server may have reset the connection because it left bytes unread.
                Ok(0) | Err(_) => return None,
            }
        }
    }

    /// Reads a response and returns its status.
    async fn status(&mut self) -> u16 {
        let (head, _) = self.answer().await.expect("an answer");
        head["http/1.1 ".len()..][..3].parse().unwrap()
    }

    /// Waits for the server to close the connection, without another answer.
    async fn closed(&mut self) {
        assert_eq!(self.answer().await, None);
        assert!(self.read.is_empty(), "{:?}", String::from_utf8_lossy(&self.read));
    }
}
