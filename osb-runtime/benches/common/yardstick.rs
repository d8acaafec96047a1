//! The broker by hand: a hyper server for this one plan, written from the specification without this crate. It does per
//! request the same work as the runtime, and no more.

use std::{
    collections::HashMap,
    convert::Infallible,
    hash::{BuildHasher, RandomState},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode,
    header::{ALLOW, AUTHORIZATION, CONTENT_TYPE, ETAG, IF_NONE_MATCH, WWW_AUTHENTICATE},
    request::Parts,
};
use http_body_util::{BodyExt, Full, Limited};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use osb_runtime::service::Broker;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use tokio::{net::TcpListener, time::timeout};

use super::{
    PASSWORD, USER,
    broker::{Bench, PLAN, SERVICE},
};

const VERSION: HeaderName = HeaderName::from_static("x-broker-api-version");
const REQUEST_IDENTITY: HeaderName = HeaderName::from_static("x-broker-api-request-identity");
const ORIGINATING_IDENTITY: HeaderName = HeaderName::from_static("x-broker-api-originating-identity");

const LARGEST_BODY: usize = 1 << 20;
const BODY_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum duration of a handler; platforms hang up after 60 s.
const DEADLINE: Duration = Duration::from_secs(50);
/// Lifetime of tombstones.
const REMEMBER: Duration = Duration::from_hours(8 * 24);
const SHARDS: usize = 256;

pub(crate) struct Yardstick {
    /// Hashed, so that a comparison does not reveal the length either.
    digest: [u8; 32],
    catalog: Bytes,
    etag: HeaderValue,
    shards: Vec<Mutex<HashMap<String, Record>>>,
    hasher: RandomState,
}

struct Record {
    organization_guid: String,
    space_guid: String,
    context: Option<Map<String, Value>>,
    parameters: Parameters,
    origin: Option<Origin>,
    phase: Phase,
}

enum Phase {
    Creating,
    Ready,
    Deleting,
    Gone { _forget_at: Instant },
}

/// The originating identity, for handlers. Unused here.
struct Origin {
    _platform: String,
    _user: Map<String, Value>,
}

/// The body of PUT.
#[derive(Deserialize)]
struct New {
    service_id: String,
    plan_id: String,
    organization_guid: String,
    space_guid: String,
    context: Option<Map<String, Value>>,
    parameters: Option<Parameters>,
}

#[derive(Serialize, Deserialize, Clone, PartialEq)]
#[serde(deny_unknown_fields)]
struct Parameters {
    #[serde(default = "Parameters::size_mb")]
    size_mb: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(default)]
    when_full: WhenFull,
    #[serde(skip_serializing_if = "Option::is_none")]
    backup: Option<Backup>,
}

#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Default)]
#[serde(rename_all = "snake_case")]
enum WhenFull {
    #[default]
    Refuse,
    Forget,
}

#[derive(Serialize, Deserialize, Clone, PartialEq)]
#[serde(deny_unknown_fields)]
struct Backup {
    #[serde(default = "Backup::keep_days")]
    keep_days: u16,
    #[serde(default = "Backup::encrypted")]
    encrypted: bool,
}

impl Parameters {
    fn size_mb() -> u32 {
        64
    }

    fn wrong(&self) -> Option<&'static str> {
        if !(1..=65536).contains(&self.size_mb) {
            return Some("/size_mb: it has to be from 1 to 65536");
        }
        let fits = |name: &String| {
            let mut bytes = name.bytes();
            name.len() <= 40
                && bytes.next().is_some_and(|byte| byte.is_ascii_lowercase())
                && bytes.all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
        };
        if !self.name.as_ref().is_none_or(fits) {
            return Some("/name: it has to match ^[a-z][a-z0-9-]*$ and to have at most 40 characters");
        }
        if self.backup.as_ref().is_some_and(|backup| !(1..=365).contains(&backup.keep_days)) {
            return Some("/backup/keep_days: it has to be from 1 to 365");
        }
        None
    }
}

impl Default for Parameters {
    fn default() -> Self {
        Self { size_mb: Self::size_mb(), name: None, when_full: WhenFull::default(), backup: None }
    }
}

impl Backup {
    fn keep_days() -> u16 {
        7
    }

    fn encrypted() -> bool {
        true
    }
}

/// The body of a fetch.
#[derive(Serialize)]
struct Shown<'a> {
    service_id: &'a str,
    plan_id: &'a str,
    parameters: &'a Parameters,
}

/// The handler, which does nothing.
#[expect(clippy::unused_async, reason = "one that did something would wait for it")]
async fn make(parameters: Parameters) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    std::hint::black_box(parameters);
    Ok(())
}

#[expect(clippy::unused_async, reason = "one that did something would wait for it")]
async fn unmake(parameters: Parameters) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    std::hint::black_box(parameters);
    Ok(())
}

type Answer = Response<Full<Bytes>>;

fn answer(status: StatusCode, body: impl Into<Bytes>) -> Answer {
    let mut answer = Response::new(Full::new(body.into()));
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    answer
}

fn empty(status: StatusCode) -> Answer {
    answer(status, Bytes::from_static(b"{}"))
}

fn error(status: StatusCode, description: &str) -> Answer {
    answer(status, serde_json::json!({ "description": description }).to_string())
}

fn busy() -> Answer {
    let body = r#"{"error":"ConcurrencyError","description":"Another operation is in progress; try again later."}"#;
    answer(StatusCode::UNPROCESSABLE_ENTITY, Bytes::from_static(body.as_bytes()))
}

impl Yardstick {
    pub(crate) fn new() -> Arc<Self> {
        let catalog = Bytes::from_static(Bench::CATALOG);
        let tag: String = Sha256::digest(&catalog).iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        Arc::new(Self {
            digest: Sha256::digest(format!("{USER}:{PASSWORD}")).into(),
            catalog,
            etag: HeaderValue::try_from(format!("\"{tag}\"")).expect("it is ASCII"),
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            hasher: RandomState::new(),
        })
    }

    pub(crate) async fn serve(self: Arc<Self>, listener: TcpListener) {
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(Duration::from_secs(10)).max_buf_size(64 << 10);
        loop {
            let (stream, _) = listener.accept().await.expect("there are file descriptors");
            stream.set_nodelay(true).expect("it is a TCP connection");
            let this = Arc::clone(&self);
            let service = service_fn(move |request| {
                let this = Arc::clone(&this);
                async move { Ok::<_, Infallible>(this.respond(request).await) }
            });
            tokio::spawn(http.serve_connection(TokioIo::new(stream), service));
        }
    }

    async fn respond(self: &Arc<Self>, request: Request<Incoming>) -> Answer {
        let started = Instant::now();
        let (parts, body) = request.into_parts();
        let mut answer = self.dispatch(&parts, body).await.unwrap_or_else(|refusal| refusal);
        let identity = parts.headers.get(REQUEST_IDENTITY).filter(|identity| identity.len() <= 256);
        if let Some(identity) = identity {
            answer.headers_mut().insert(REQUEST_IDENTITY, identity.clone());
        }
        tracing::info!(
            method = parts.method.as_str(),
            path = parts.uri.path(),
            status = answer.status().as_u16(),
            seconds = started.elapsed().as_secs_f64(),
            request = identity.and_then(|identity| identity.to_str().ok()),
            "answered"
        );
        answer
    }

    async fn dispatch(self: &Arc<Self>, parts: &Parts, body: Incoming) -> Result<Answer, Answer> {
        if let Some(refusal) = self.unauthorized(&parts.headers).or_else(|| wrong_version(&parts.headers)) {
            return Err(refusal);
        }
        let mut segments = parts.uri.path().trim_start_matches('/').split('/');
        let path = [segments.next(), segments.next(), segments.next(), segments.next()];
        let query = parts.uri.query().unwrap_or_default();
        match path {
            [Some("v2"), Some("catalog"), None, _] => match parts.method {
                Method::GET => Ok(self.catalog(&parts.headers)),
                _ => Err(method("GET")),
            },
            [Some("v2"), Some("service_instances"), Some(id), None] => {
                let id = decode(id).filter(|id| !id.is_empty());
                let id = id.ok_or_else(|| error(StatusCode::BAD_REQUEST, "the instance id is malformed"))?;
                match parts.method {
                    Method::GET => Ok(self.fetch(&id)),
                    Method::PUT => {
                        let body = timeout(BODY_TIMEOUT, Limited::new(body, LARGEST_BODY).collect()).await;
                        let body = body.ok().and_then(Result::ok);
                        let body = body.ok_or_else(|| error(StatusCode::BAD_REQUEST, "the body did not come"))?;
                        if let Some(refusal) = wrong_query(query) {
                            return Err(refusal);
                        }
                        self.provision(id, &body.to_bytes(), origin(&parts.headers)).await
                    }
                    Method::DELETE => {
                        if let Some(refusal) = wrong_query(query) {
                            return Err(refusal);
                        }
                        for name in ["service_id", "plan_id"] {
                            if parameter(query, name).is_none_or(|value| value.is_empty()) {
                                return Err(error(StatusCode::BAD_REQUEST, "service_id and plan_id are mandatory"));
                            }
                        }
                        // As the runtime: a deletion for another service deletes nothing.
                        if parameter(query, "service_id").is_none_or(|value| value != SERVICE) {
                            return Err(error(StatusCode::BAD_REQUEST, "service_id is not the one of this instance"));
                        }
                        self.deprovision(id, origin(&parts.headers)).await
                    }
                    _ => Err(method("GET, PUT, DELETE")),
                }
            }
            _ => Err(error(StatusCode::NOT_FOUND, "There is no such path.")),
        }
    }

    fn unauthorized(&self, headers: &HeaderMap) -> Option<Answer> {
        let sent = headers.get(AUTHORIZATION).map_or(&b""[..], HeaderValue::as_bytes);
        let pair = sent.split_at_checked(6).filter(|(scheme, _)| scheme.eq_ignore_ascii_case(b"Basic "));
        let pair = pair.and_then(|(_, encoded)| STANDARD.decode(encoded).ok());
        let known = pair.is_some_and(|pair| Sha256::digest(pair)[..].ct_eq(&self.digest).into());
        if known {
            return None;
        }
        let mut refusal = error(StatusCode::UNAUTHORIZED, "The user or the password is missing or wrong.");
        refusal.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Basic realm=\"broker\""));
        Some(refusal)
    }

    fn catalog(&self, headers: &HeaderMap) -> Answer {
        let known = headers.get_all(IF_NONE_MATCH).iter().any(|value| {
            value.to_str().is_ok_and(|list| list.split(',').any(|tag| tag.trim().as_bytes() == self.etag.as_bytes()))
        });
        let mut answer = if known {
            let mut answer = Response::new(Full::default());
            *answer.status_mut() = StatusCode::NOT_MODIFIED;
            answer
        } else {
            answer(StatusCode::OK, self.catalog.clone())
        };
        answer.headers_mut().insert(ETAG, self.etag.clone());
        answer
    }

    fn shard(&self, id: &str) -> MutexGuard<'_, HashMap<String, Record>> {
        let index = usize::try_from(self.hasher.hash_one(id) % SHARDS as u64).unwrap_or_default();
        self.shards[index].lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fetch(&self, id: &str) -> Answer {
        let shard = self.shard(id);
        match shard.get(id) {
            Some(record) if matches!(record.phase, Phase::Ready) => {
                let shown = Shown { service_id: SERVICE, plan_id: PLAN, parameters: &record.parameters };
                answer(StatusCode::OK, serde_json::to_vec(&shown).expect("it is plain data"))
            }
            Some(record) if matches!(record.phase, Phase::Deleting) => busy(),
            _ => error(StatusCode::NOT_FOUND, "There is no such service instance."),
        }
    }

    async fn provision(self: &Arc<Self>, id: String, body: &[u8], origin: Option<Origin>) -> Result<Answer, Answer> {
        let malformed = |why: &str| error(StatusCode::BAD_REQUEST, why);
        let new: New = serde_json::from_slice(body).map_err(|error| malformed(&error.to_string()))?;
        if new.service_id != SERVICE || new.plan_id != PLAN {
            return Err(malformed("service_id or plan_id is unknown"));
        }
        if new.organization_guid.is_empty() || new.space_guid.is_empty() {
            return Err(malformed("organization_guid and space_guid must not be empty"));
        }
        let parameters = new.parameters.unwrap_or_default();
        if let Some(why) = parameters.wrong() {
            return Err(malformed(why));
        }
        {
            let mut shard = self.shard(&id);
            if let Some(record) = shard.get(&id)
                && !matches!(record.phase, Phase::Gone { .. })
            {
                let same = record.organization_guid == new.organization_guid
                    && record.space_guid == new.space_guid
                    && record.parameters == parameters;
                return match record.phase {
                    Phase::Ready if same => Ok(empty(StatusCode::OK)),
                    Phase::Creating if same => Err(busy()),
                    Phase::Deleting => Err(busy()),
                    _ => Err(error(
                        StatusCode::CONFLICT,
                        "A service instance with this id already exists with different attributes.",
                    )),
                };
            }
            shard.insert(
                id.clone(),
                Record {
                    organization_guid: new.organization_guid,
                    space_guid: new.space_guid,
                    context: new.context,
                    parameters: parameters.clone(),
                    origin,
                    phase: Phase::Creating,
                },
            );
        }
        // On a separate task, so that a platform that hangs up leaves no stale claim.
        let claim = Claim { yardstick: Arc::clone(self), id, otherwise: None };
        let made = tokio::spawn(async move {
            let made = timeout(DEADLINE, make(parameters)).await;
            matches!(made, Ok(Ok(()))).then(|| claim.end(Phase::Ready))
        });
        match made.await {
            Ok(Some(())) => Ok(empty(StatusCode::CREATED)),
            _ => Err(error(StatusCode::INTERNAL_SERVER_ERROR, "The service broker failed unexpectedly.")),
        }
    }

    async fn deprovision(self: &Arc<Self>, id: String, origin: Option<Origin>) -> Result<Answer, Answer> {
        let parameters = {
            let mut shard = self.shard(&id);
            let Some(record) = shard.get_mut(&id) else { return Err(empty(StatusCode::GONE)) };
            match record.phase {
                Phase::Gone { .. } => return Err(empty(StatusCode::GONE)),
                Phase::Creating | Phase::Deleting => return Err(busy()),
                Phase::Ready => {}
            }
            record.phase = Phase::Deleting;
            record.origin = origin;
            record.parameters.clone()
        };
        let claim = Claim { yardstick: Arc::clone(self), id, otherwise: Some(Phase::Ready) };
        let removed = tokio::spawn(async move {
            let removed = timeout(DEADLINE, unmake(parameters)).await;
            matches!(removed, Ok(Ok(()))).then(|| claim.end(Phase::Gone { _forget_at: Instant::now() + REMEMBER }))
        });
        match removed.await {
            Ok(Some(())) => Ok(empty(StatusCode::OK)),
            _ => Err(error(StatusCode::INTERNAL_SERVER_ERROR, "The service broker failed unexpectedly.")),
        }
    }
}

/// The claim to work on an instance. If the work fails, the instance becomes `otherwise` again.
struct Claim {
    yardstick: Arc<Yardstick>,
    id: String,
    otherwise: Option<Phase>,
}

impl Claim {
    fn end(mut self, phase: Phase) {
        self.otherwise = Some(phase);
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let mut shard = self.yardstick.shard(&self.id);
        match self.otherwise.take() {
            None => drop(shard.remove(&self.id)),
            Some(phase) => {
                if let Some(record) = shard.get_mut(&self.id) {
                    if matches!(phase, Phase::Gone { .. }) {
                        (record.context, record.parameters) = (None, Parameters::default());
                    }
                    record.phase = phase;
                }
            }
        }
    }
}

fn method(allowed: &'static str) -> Answer {
    let mut answer = error(StatusCode::METHOD_NOT_ALLOWED, "This path has no such method.");
    answer.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
    answer
}

fn wrong_version(headers: &HeaderMap) -> Option<Answer> {
    let version = headers.get(VERSION).and_then(|version| version.to_str().ok()).unwrap_or_default();
    let parts = version
        .trim()
        .split_once('.')
        .and_then(|(major, minor)| Some((major.parse::<u32>().ok()?, minor.parse::<u32>().ok()?)));
    match parts {
        Some((2, 2..)) => None,
        Some(_) => Some(error(StatusCode::PRECONDITION_FAILED, "This broker serves 2.2 to 2.17.")),
        None => Some(error(StatusCode::BAD_REQUEST, "X-Broker-API-Version is missing or no version.")),
    }
}

fn origin(headers: &HeaderMap) -> Option<Origin> {
    let (platform, user) = headers.get(ORIGINATING_IDENTITY)?.to_str().ok()?.split_once(' ')?;
    let user = serde_json::from_slice(&STANDARD.decode(user).ok()?).ok()?;
    Some(Origin { _platform: platform.to_owned(), _user: user })
}

/// Parses `accepts_incomplete`, which has no effect here.
fn wrong_query(query: &str) -> Option<Answer> {
    match parameter(query, "accepts_incomplete").as_deref() {
        None | Some("true" | "false") => None,
        Some(_) => Some(error(StatusCode::BAD_REQUEST, "accepts_incomplete has to be true or false")),
    }
}

fn parameter(query: &str, name: &str) -> Option<String> {
    query.split('&').find_map(|pair| {
        let (key, value) = pair.split_once('=')?;
        (key == name).then(|| decode(value))?
    })
}

fn decode(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_owned());
    }
    let mut decoded = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        decoded.push(if byte == b'%' {
            let digits = [bytes.next()?, bytes.next()?];
            u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
        } else {
            byte
        });
    }
    String::from_utf8(decoded).ok()
}
