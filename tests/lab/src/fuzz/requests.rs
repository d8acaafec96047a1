//! Requests to the lab broker, in process. There is no panic, and no 5xx unless a handler was told to fail. All answers
//! are JSON objects with a status that the specification allows, and contain no secrets.

use bytes::Bytes;
use http::{
    HeaderName, HeaderValue, Method, Request, Uri,
    header::{AUTHORIZATION, CONTENT_TYPE, WWW_AUTHENTICATE},
};
use http_body_util::{BodyExt, Full};
use osb_runtime::{
    http::{AcceptedCredentials, BrokerService, HttpSettings},
    lifecycle::{Clock, Settings},
};
use serde_json::{Value, json};
use tokio::runtime::Builder;

use crate::{
    lab::{Lab, LabBroker, ids},
    requests::{DELETE, bind, binding, change, instance, new},
};

const USER: &str = "platform";
const PASSWORD: &str = "p4ssw0rd-of-the-lab";
/// User and password, as HTTP Basic encodes them.
const PAIR: &str = "cGxhdGZvcm06cDRzc3cwcmQtb2YtdGhlLWxhYg==";

const VERSION: &str = "X-Broker-API-Version";
const REQUEST_IDENTITY: &str = "X-Broker-API-Request-Identity";
/// A text that no answer may contain if it was sent as a secret.
const SECRET: &str = "s3cr3t";

/// A platform with its own lab broker.
struct Platform(BrokerService);

#[derive(Debug)]
struct Answer {
    status: u16,
    identity: Option<HeaderValue>,
    body: Bytes,
}

impl Platform {
    async fn new() -> Self {
        let credentials = AcceptedCredentials::basic(USER, PASSWORD).expect("they are good credentials");
        let mut settings = Settings::default();
        settings.clock = Clock::of_runtime();
        let broker = LabBroker { lab: Lab::default() };
        let service = BrokerService::start_with(broker, credentials, HttpSettings::default(), settings);
        Self(service.await.expect("it starts"))
    }

    /// Sends a request and checks the properties of all answers.
    async fn send(&self, request: Request<Full<Bytes>>) -> Answer {
        let is_head = request.method() == Method::HEAD;
        let Ok(answer) = tower_service::Service::call(&mut self.0.clone(), request).await;
        let (mut head, body) = answer.into_parts();
        let Ok(body) = body.collect().await;
        let body = body.to_bytes();
        let status = head.status.as_u16();
        if status == 304 || is_head {
            assert!(body.is_empty(), "{status} has no content");
        } else {
            let parsed = serde_json::from_slice::<Value>(&body);
            assert!(parsed.is_ok_and(|body| body.is_object()), "{status} {body:?}");
            assert_eq!(head.headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes), Some(&b"application/json"[..]));
        }
        assert_eq!(head.headers.contains_key(WWW_AUTHENTICATE), status == 401);
        // The request identity is echoed, even if it is the secret.
        let identity = head.headers.remove(REQUEST_IDENTITY);
        let said = format!("{:?} {}", head.headers, String::from_utf8_lossy(&body));
        for secret in [PASSWORD, PAIR.trim_end_matches('=')] {
            assert!(!said.contains(secret), "credentials in the answer: {said}");
        }
        Answer { status, identity, body }
    }

    /// Sends a request with valid headers.
    async fn ask(&self, method: &str, target: &str, version: &str, body: Vec<u8>) -> Answer {
        let request = Request::builder().method(method).uri(target).header(VERSION, version);
        let request = request.header(AUTHORIZATION, format!("Basic {PAIR}")).body(Full::from(body));
        self.send(request.expect("it is a request")).await
    }

    /// Creates an instance `i` and its binding `b`.
    async fn prepare(&self) {
        let made = self.ask("PUT", &instance("i"), "2.17", json(&new(ids::SMALL, json!({ "size": 3 })))).await;
        assert_eq!(made.status, 201, "{made:?}");
        let bound = self.ask("PUT", &binding("i", "b"), "2.17", json(&bind(ids::SMALL, json!({})))).await;
        assert_eq!(bound.status, 201, "{bound:?}");
    }
}

impl Answer {
    fn has(&self, allowed: &[u16]) {
        assert!(allowed.contains(&self.status), "{self:?}");
    }
}

fn json(value: &Value) -> Vec<u8> {
    value.to_string().into_bytes()
}

/// Runs a test with a paused clock, which advances when there is nothing else to do.
fn run(test: impl Future<Output = ()>) {
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.expect("a runtime starts").block_on(test);
}

/// Sends a request with a method and a target, as in the first line of a request: `GET /v2/catalog`. There is an
/// instance `i` with a binding `b`; bodies are valid.
///
/// # Panics
///
/// If an answer is invalid.
pub fn path_and_query(data: &[u8]) {
    let line = data.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let mut words = line.splitn(2, |byte| *byte == b' ');
    let (Some(method), Some(target)) = (words.next(), words.next()) else { return };
    let (Ok(method), Ok(target)) = (Method::from_bytes(method), Uri::try_from(target)) else { return };
    let body = match method {
        Method::PUT if target.path().contains("service_bindings") => json(&bind(ids::SMALL, json!({}))),
        Method::PUT => json(&new(ids::SMALL, json!({ "size": 3 }))),
        Method::PATCH => json(&change(json!({ "parameters": { "size": 4 } }))),
        _ => Vec::new(),
    };
    run(async {
        let platform = Platform::new().await;
        platform.prepare().await;
        let request = Request::builder().method(method).uri(target).header(VERSION, "2.17");
        let request = request.header(AUTHORIZATION, format!("Basic {PAIR}")).body(Full::from(body));
        let Ok(request) = request else { return };
        platform.send(request).await.has(&[200, 201, 202, 400, 404, 405, 409, 410, 422]);
    });
}

/// Sends two requests with headers, one in each line: `X-Broker-API-Version: 2.17`.
///
/// # Panics
///
/// If an answer is invalid.
pub fn headers(data: &[u8]) {
    let mut headers = http::HeaderMap::new();
    for line in data.split(|byte| *byte == b'\n') {
        let mut parts = line.splitn(2, |byte| *byte == b':');
        let (Some(name), Some(value)) = (parts.next(), parts.next()) else { continue };
        // hyper does the same.
        let value = value.trim_ascii();
        if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name), HeaderValue::from_bytes(value)) {
            headers.append(name, value);
        }
    }
    let admitted = headers.get(AUTHORIZATION).is_some_and(|value| {
        let sent = value.as_bytes().split_at_checked(6);
        let pair = sent.filter(|(scheme, _)| scheme.eq_ignore_ascii_case(b"basic ")).map(|(_, pair)| pair.trim_ascii());
        // Padding is optional.
        pair.and_then(|pair| PAIR.as_bytes().strip_prefix(pair)).is_some_and(|rest| b"==".ends_with(rest))
    });
    let identity = headers.get(REQUEST_IDENTITY).cloned().filter(|identity| {
        let text = identity.as_bytes().trim_ascii();
        (1..=256).contains(&text.len()) && text.iter().all(|byte| (b' '..=b'~').contains(byte))
    });
    let made = json(&new(ids::SMALL, json!({})));
    let requests: [(&str, String, _, &[u16]); 2] = [
        ("GET", "/v2/catalog".to_owned(), Vec::new(), &[200, 304, 400, 412]),
        ("PUT", instance("n"), made, &[201, 400, 412]),
    ];
    run(async {
        let platform = Platform::new().await;
        for (method, target, body, allowed) in requests {
            let mut request =
                Request::builder().method(method).uri(target).body(Full::from(body)).expect("it is a request");
            request.headers_mut().clone_from(&headers);
            let answer = platform.send(request).await;
            answer.has(if admitted { allowed } else { &[401] });
            assert_eq!(answer.identity, identity);
        }
    });
}

/// Sends a request with a body. The first byte selects the request: 0 to 2 are PUT and PATCH of an instance and PUT of
/// a binding, 3 to 5 the same with `accepts_incomplete`. The second byte selects the version, and the rest is the body.
///
/// # Panics
///
/// If an answer is invalid.
pub fn bodies(data: &[u8]) {
    let [which, version, body @ ..] = data else { return };
    let parsed = serde_json::from_slice::<Value>(body).unwrap_or_default();
    let mood = parsed["parameters"]["mood"].as_str();
    if matches!(mood, Some("panic" | "unspeakable")) {
        // The fuzzer counts every panic as an error, even if it is caught.
        return;
    }
    let told_to_fail = mood.is_some_and(|mood| !matches!(mood, "succeed" | "refuse"));
    let is_secret = String::from_utf8_lossy(body).matches(SECRET).count() == 1
        && parsed["parameters"]["token"].as_str().is_some_and(|token| token.contains(SECRET));
    let query = if which % 6 < 3 { "" } else { "?accepts_incomplete=true" };
    let (method, id, target) = match which % 3 {
        0 => ("PUT", "n", instance("n")),
        1 => ("PATCH", "i", instance("i")),
        _ => ("PUT", "i", binding("i", "n")),
    };
    let version = ["2.17", "2.2", "2.5", "2.9", "2.11", "2.13"][usize::from(*version) % 6];
    run(async {
        let platform = Platform::new().await;
        platform.prepare().await;
        let answer = platform.ask(method, &format!("{target}{query}"), version, body.to_vec()).await;
        if !told_to_fail || answer.status < 500 {
            answer.has(&[200, 201, 202, 400, 404, 409, 422]);
        }
        let fetched = platform.ask("GET", &instance(id), "2.17", Vec::new()).await;
        fetched.has(&[200, 404, 422]);
        let polled = platform.ask("GET", &format!("{}/last_operation", instance(id)), "2.17", Vec::new()).await;
        polled.has(&[200, 404, 410]);
        let deleted = platform.ask("DELETE", &format!("{}?{DELETE}", instance(id)), "2.17", Vec::new()).await;
        deleted.has(&[200, 400, 410, 422]);
        for answer in [answer, fetched, polled, deleted] {
            assert!(!is_secret || !String::from_utf8_lossy(&answer.body).contains(SECRET), "{answer:?}");
        }
    });
}
