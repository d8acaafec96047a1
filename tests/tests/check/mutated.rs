//! A correct broker with some kinds of its responses changed.

use std::{
    collections::BTreeMap,
    future, io,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode, header::CONTENT_LENGTH};
use http_body_util::{BodyExt, Full};
use osb_check::judge::Endpoint;
use osb_lab::prelude::*;
use tower_service::Service;

/// A request as it was received.
pub(crate) struct Asked {
    /// The endpoint.
    pub(crate) endpoint: Option<Endpoint>,
    /// The raw path.
    pub(crate) path: String,
    /// The raw query.
    pub(crate) query: String,
    /// The headers.
    pub(crate) headers: HeaderMap,
    /// The body; `null` if it is empty or not JSON.
    pub(crate) body: Value,
    /// The length of the body.
    pub(crate) length: usize,
    /// The number of earlier requests with the same method and path.
    pub(crate) before: usize,
    /// `true` if an earlier response has reported success of the operation.
    pub(crate) ended: bool,
    /// The earlier requests that were answered, in their order.
    pub(crate) earlier: Arc<Vec<Arc<Answered>>>,
}

/// A request and its response, as the platform has seen it.
pub(crate) struct Answered {
    pub(crate) endpoint: Option<Endpoint>,
    pub(crate) path: String,
    pub(crate) asked: Value,
    pub(crate) status: u16,
}

impl Asked {
    /// Returns whether the request accepts an asynchronous operation.
    pub(crate) fn waits(&self) -> bool {
        self.query.contains("accepts_incomplete=true")
    }

    /// Returns the minor version of the platform; the latest if the header is missing or invalid.
    pub(crate) fn minor(&self) -> u32 {
        let version = self.headers.get("x-broker-api-version").and_then(|version| version.to_str().ok());
        version.and_then(|version| version.strip_prefix("2.")?.parse().ok()).unwrap_or(17)
    }

    /// Returns whether the body has a field.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.body.get(name).is_some()
    }

    /// Returns the last earlier request of an endpoint for the same path.
    pub(crate) fn last(&self, of: Endpoint) -> Option<&Arc<Answered>> {
        self.earlier.iter().rev().find(|earlier| earlier.endpoint == Some(of) && earlier.path == self.path)
    }

    /// Returns whether the query has the ids of service and plan.
    pub(crate) fn is_whole(&self) -> bool {
        self.query.contains("service_id=") && self.query.contains("plan_id=")
    }
}

/// A response to be changed.
#[derive(Clone, PartialEq)]
pub(crate) struct Reply {
    /// The status.
    pub(crate) status: u16,
    /// The headers.
    pub(crate) headers: HeaderMap,
    /// The body; `null` for an empty one.
    pub(crate) body: Value,
    /// The way in which it arrives, or does not.
    pub(crate) fate: Fate,
}

/// The delivery of a response.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Fate {
    Arrives,
    IsLate,
    /// The operation that the response hides has ended when it arrives.
    FollowsTheEnd,
    /// The connection is closed before the response.
    IsLost,
    NeverComes,
}

impl Reply {
    /// Replaces status and body.
    pub(crate) fn become_(&mut self, status: u16, body: Value) {
        (self.status, self.body) = (status, body);
    }
}

/// More than the equal requests that a check sends at the same time. A deletion that is repeated more often is refused because
/// of an operation that is not polled.
const SIMULTANEOUS: usize = 30;

/// A function that changes responses.
pub(crate) type Mutate = fn(&Asked, &mut Reply);

#[derive(Clone)]
pub(crate) struct Mutated {
    inner: BrokerService,
    /// In this order.
    mutations: Arc<[Mutate]>,
    /// Ends the operations that wait at its gate.
    lab: Lab,
    answered: Arc<Mutex<Arc<Vec<Arc<Answered>>>>>,
    /// The number of requests by method and path, and whether success was reported.
    seen: Arc<Mutex<BTreeMap<String, (usize, bool)>>>,
    /// `true` once a response was changed.
    pub(crate) has_changed: Arc<AtomicBool>,
}

impl Mutated {
    /// Wraps a lab. Operations that wait at its gate are in progress until they are polled the first time, however long the
    /// requests in between take.
    pub(crate) fn new((lab, inner): (Lab, BrokerService), mutations: impl Into<Arc<[Mutate]>>) -> Self {
        let mutations = mutations.into();
        Self { inner, mutations, lab, answered: Arc::default(), seen: Arc::default(), has_changed: Arc::default() }
    }

    /// Waits until no operation of the instance runs.
    async fn ended(&mut self, asked: &Asked) {
        self.lab.gate.open();
        loop {
            let mut poll = Request::new(Full::<Bytes>::default());
            *poll.uri_mut() = format!("{}/last_operation", asked.path).parse().expect("a path");
            *poll.headers_mut() = asked.headers.clone();
            poll.headers_mut().remove(CONTENT_LENGTH);
            let Ok(response) = self.inner.call(poll).await;
            let Ok(body) = response.into_body().collect().await;
            let body: Value = serde_json::from_slice(&body.to_bytes()).unwrap_or_default();
            if body["state"] != "in progress" {
                return;
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    fn asked(&self, request: &Request<Full<Bytes>>, body: &[u8]) -> Asked {
        let (method, uri) = (request.method().as_str(), request.uri());
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if method != "GET" {
            seen.entry(format!("GET {}/last_operation", uri.path())).or_default().1 = false;
        }
        let (times, ended) = seen.entry(format!("{method} {}", uri.path())).or_default();
        *times += 1;
        Asked {
            endpoint: Endpoint::of(method, uri.path()),
            path: uri.path().to_owned(),
            query: uri.query().unwrap_or_default().to_owned(),
            headers: request.headers().clone(),
            body: serde_json::from_slice(body).unwrap_or_default(),
            length: body.len(),
            before: *times - 1,
            ended: *ended,
            earlier: Arc::clone(&self.answered.lock().unwrap_or_else(PoisonError::into_inner)),
        }
    }
}

impl Service<Request<Full<Bytes>>> for Mutated {
    type Response = Response<Full<Bytes>>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Self::Response>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Full<Bytes>>) -> Self::Future {
        let mut spoilt = self.clone();
        Box::pin(async move {
            let (parts, body) = request.into_parts();
            let Ok(body) = body.collect().await;
            let body = body.to_bytes();
            let request = Request::from_parts(parts, Full::new(body.clone()));
            let mut asked = spoilt.asked(&request, &body);
            let is_poll = matches!(asked.endpoint, Some(Endpoint::PollInstance | Endpoint::PollBinding));
            let waits_for_another = asked.endpoint == Some(Endpoint::Deprovision) && asked.before > SIMULTANEOUS;
            if !is_poll && !waits_for_another {
                spoilt.lab.gate.close();
            }
            let Ok(response) = spoilt.inner.call(request).await;
            if is_poll || waits_for_another {
                spoilt.lab.gate.open();
            }
            let (parts, body) = response.into_parts();
            let Ok(body) = body.collect().await;
            let body = body.to_bytes();
            let mut reply = Reply {
                status: parts.status.as_u16(),
                headers: parts.headers,
                body: serde_json::from_slice(&body).unwrap_or_default(),
                fate: Fate::Arrives,
            };
            let unchanged = reply.clone();
            spoilt.mutations.iter().for_each(|mutate| mutate(&asked, &mut reply));
            let has_changed = reply != unchanged;
            spoilt.has_changed.fetch_or(has_changed, Ordering::Relaxed);
            let answered = Answered {
                endpoint: asked.endpoint,
                path: asked.path.clone(),
                asked: asked.body.take(),
                status: reply.status,
            };
            // Otherwise the list would be copied for each request.
            asked.earlier = Arc::default();
            Arc::make_mut(&mut spoilt.answered.lock().unwrap_or_else(PoisonError::into_inner)).push(Arc::new(answered));
            if reply.body["state"] == "succeeded" {
                let mut seen = spoilt.seen.lock().unwrap_or_else(PoisonError::into_inner);
                seen.entry(format!("GET {}", asked.path)).or_default().1 = true;
            }
            match reply.fate {
                Fate::Arrives => {}
                Fate::FollowsTheEnd => spoilt.ended(&asked).await,
                Fate::IsLate => tokio::time::sleep(Duration::from_millis(50)).await,
                Fate::IsLost => return Err(io::ErrorKind::ConnectionReset.into()),
                Fate::NeverComes => future::pending().await,
            }
            let body = match reply.body {
                _ if !has_changed => body,
                Value::Null => Bytes::new(),
                changed => Bytes::from(changed.to_string()),
            };
            reply.headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
            let mut response = Response::new(Full::new(body));
            *response.status_mut() = StatusCode::from_u16(reply.status).expect("a status");
            *response.headers_mut() = reply.headers;
            Ok(response)
        })
    }
}
