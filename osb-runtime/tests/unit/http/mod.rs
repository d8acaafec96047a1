//! Tests with a broker that notes what it is asked, in process and over real connections.

mod answers;
mod docs;
mod gate;
mod limits;
mod platforms;
mod properties;
mod shutdown;
#[cfg(feature = "tls")]
mod tls;

use std::{
    net::SocketAddr,
    pin::Pin,
    sync::{Arc, Mutex},
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
    BrokerService, Credentials, HttpSettings,
    handle::{Handle, Idle, Numbers, Reply},
    serve,
};
use crate::{
    catalog::Named,
    lifecycle::Metrics,
    protocol::{Answer, BindRequest, DeleteRequest, FetchRequest, Page, PollRequest, ProvisionRequest, UpdateRequest},
};

/// `platform:secret`
const BASIC: &str = "Basic cGxhdGZvcm06c2VjcmV0";
/// Longer than any test takes; what is awaited within it comes much sooner.
const SOON: Duration = Duration::from_secs(20);
/// A timeout that a test waits for.
const SHORT: Duration = Duration::from_millis(100);

/// What the broker was asked.
#[derive(Debug)]
enum Asked {
    Catalog,
    Provision(ProvisionRequest),
    FetchInstance(FetchRequest),
    Update(UpdateRequest),
    Deprovision(DeleteRequest),
    Bind(BindRequest),
    FetchBinding(FetchRequest),
    Unbind(DeleteRequest),
    Poll(PollRequest),
}

/// Answers `{}` to everything, except for the instances `panic`, `panic-later` and `wait`. Polls it sends back later.
struct Recorder {
    asked: Mutex<Vec<Asked>>,
    catalog: Bytes,
    page: Option<Arc<Page>>,
    /// A permit for each request that has begun to wait.
    waiting: Semaphore,
    /// A permit for each that may go on.
    go_on: Arc<Semaphore>,
    /// Has a permit unless something goes on that nobody waits for.
    at_rest: Arc<Semaphore>,
}

impl Recorder {
    fn new() -> Arc<Self> {
        Self::with_catalog(Bytes::from_static(b"{\"services\":[]}"))
    }

    fn without_page() -> Arc<Self> {
        Arc::new(Self { page: None, ..Arc::into_inner(Self::new()).expect("nobody else has it") })
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
            at_rest: Arc::new(Semaphore::new(1)),
        })
    }

    fn asked(&self) -> Vec<Asked> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }

    fn note(&self, asked: Asked) -> Reply {
        let instance = match &asked {
            Asked::FetchInstance(request) => request.instance.as_str(),
            Asked::Poll(request) => request.instance.as_str(),
            Asked::Provision(request) => request.instance.as_str(),
            _ => "",
        }
        .to_owned();
        let poll = matches!(asked, Asked::Poll(_));
        self.asked.lock().unwrap().push(asked);
        assert_ne!(instance, "panic", "as asked");
        if instance == "wait" {
            self.waiting.add_permits(1);
        }
        let go_on = Arc::clone(&self.go_on);
        Box::pin(async move {
            match instance.as_str() {
                "panic-later" => {
                    tokio::task::yield_now().await;
                    panic!("as asked");
                }
                "wait" => drop(go_on.acquire().await),
                _ => {}
            }
            let answer = Answer::empty(StatusCode::OK);
            if poll { answer.retry_after(7) } else { answer }
        })
    }
}

impl Handle for Recorder {
    fn catalog(&self) -> (Bytes, HeaderValue) {
        self.asked.lock().unwrap().push(Asked::Catalog);
        (self.catalog.clone(), HeaderValue::from_static("\"abc,1\""))
    }

    fn page(&self) -> Option<Arc<Page>> {
        self.page.clone()
    }

    fn provision(&self, request: ProvisionRequest) -> Reply {
        self.note(Asked::Provision(request))
    }

    fn fetch_instance(&self, request: FetchRequest) -> Reply {
        self.note(Asked::FetchInstance(request))
    }

    fn update(&self, request: UpdateRequest) -> Reply {
        self.note(Asked::Update(request))
    }

    fn deprovision(&self, request: DeleteRequest) -> Reply {
        self.note(Asked::Deprovision(request))
    }

    fn bind(&self, request: BindRequest) -> Reply {
        self.note(Asked::Bind(request))
    }

    fn fetch_binding(&self, request: FetchRequest) -> Reply {
        self.note(Asked::FetchBinding(request))
    }

    fn unbind(&self, request: DeleteRequest) -> Reply {
        self.note(Asked::Unbind(request))
    }

    fn last_operation(&self, request: PollRequest) -> Reply {
        self.note(Asked::Poll(request))
    }

    fn names(&self, _: Option<&str>, _: Option<&str>) -> Named {
        Named::default()
    }

    fn is_ready(&self) -> Pin<Box<dyn Future<Output = bool> + Send>> {
        Box::pin(async { true })
    }

    fn metrics(&self) -> Option<&dyn Metrics> {
        None
    }

    fn export_metrics(&self) -> Numbers {
        Box::pin(async { None })
    }

    fn idle(&self) -> Idle {
        let at_rest = Arc::clone(&self.at_rest);
        Box::pin(async move { drop(at_rest.acquire().await) })
    }
}

fn credentials() -> Credentials {
    Credentials::basic("platform", "secret").unwrap()
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

/// An answer that keeps what every answer has to.
struct Answered {
    status: StatusCode,
    headers: http::HeaderMap,
    body: Value,
}

impl Answered {
    async fn of(response: Response<Full<Bytes>>) -> Self {
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        let body = if parts.status == StatusCode::NOT_MODIFIED {
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

/// Asks in process.
async fn ask(service: &BrokerService, request: Request<impl Into<Bytes>>) -> Answered {
    let request = request.map(|body| Full::new(body.into()));
    Answered::of(service.clone().call(request).await.unwrap()).await
}

/// Asks in process, without a body.
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
        Client { stream: TcpStream::connect(self.address).await.unwrap(), read: Vec::new() }
    }
}

/// A client that sends bytes as they are.
struct Client {
    stream: TcpStream,
    read: Vec<u8>,
}

/// The lines of a request that passes the gate, without the empty one.
fn head(request_line: &str, more: &str) -> String {
    format!("{request_line} HTTP/1.1\r\nHost: b\r\nAuthorization: {BASIC}\r\nX-Broker-Api-Version: 2.17\r\n{more}")
}

impl Client {
    async fn send(&mut self, text: &str) {
        self.stream.write_all(text.as_bytes()).await.unwrap();
    }

    /// One response: its head and its body. `None` at the end.
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
                Ok(1..) if self.read.len() > 1 << 20 => panic!("too long an answer"),
                Ok(count @ 1..) => self.read.extend_from_slice(&chunk[..count]),
                // The server may have reset it, having left something unread.
                Ok(0) | Err(_) => return None,
            }
        }
    }

    /// The status of the next response, which has to be there.
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
