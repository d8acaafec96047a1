//! How a broker is: for probes and for Prometheus.

use std::{
    fmt,
    sync::{Arc, atomic::Ordering},
};

use bytes::Bytes;
use http::{
    HeaderValue, Method, Request, Response, StatusCode,
    header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE},
};
use http_body_util::Full;

use super::service::{Answering, Shared};

/// Answers without credentials, and nothing but numbers and names of the catalog:
///
/// * `GET /healthz`: 200 as long as the process answers;
/// * `GET /readyz`: 200 if the broker can do its work, 503 if its records can't be read or it has been asked to end;
/// * `GET /metrics`: the numbers that [`lifecycle::Settings::metrics`](crate::lifecycle::Settings::metrics) exports; 404 if
///   nothing is counted.
///
/// [`BrokerService::monitor`](super::BrokerService::monitor) has it. It is a [`tower_service::Service`] and a
/// [`hyper::service::Service`], to be served at an address of its own by [`serve_monitor`](super::serve_monitor), or mounted
/// elsewhere. With [`HttpSettings::monitor`](super::HttpSettings::monitor) the broker answers these paths itself.
#[derive(Clone)]
pub struct Monitor {
    shared: Arc<Shared>,
}

/// What a probe asks.
#[derive(Debug, Clone, Copy)]
pub(super) enum Probe {
    Health,
    Ready,
    Metrics,
}

impl Probe {
    pub(super) fn find(path: &str) -> Option<Self> {
        match path {
            "/healthz" => Some(Self::Health),
            "/readyz" => Some(Self::Ready),
            "/metrics" => Some(Self::Metrics),
            _ => None,
        }
    }

    pub(super) async fn answer(self, shared: &Shared, method: &Method) -> Response<Full<Bytes>> {
        if !matches!(*method, Method::GET | Method::HEAD) {
            let mut refused = text(StatusCode::METHOD_NOT_ALLOWED, "only GET\n");
            refused.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
            return refused;
        }
        match self {
            Self::Health => text(StatusCode::OK, "ok\n"),
            Self::Ready if shared.is_ending.load(Ordering::Relaxed) => {
                text(StatusCode::SERVICE_UNAVAILABLE, "the broker has been asked to end\n")
            }
            Self::Ready if shared.handle.is_ready().await => text(StatusCode::OK, "ok\n"),
            Self::Ready => text(StatusCode::SERVICE_UNAVAILABLE, "the records can't be read; the log says why\n"),
            Self::Metrics => metrics(shared).await,
        }
    }
}

async fn metrics(shared: &Shared) -> Response<Full<Bytes>> {
    match shared.handle.export_metrics().await {
        None => text(StatusCode::NOT_FOUND, "nothing is counted\n"),
        Some(Ok(export)) => {
            let mut response = text(StatusCode::OK, export.text);
            response.headers_mut().insert(CONTENT_TYPE, export.content_type);
            response
        }
        Some(Err(error)) => {
            tracing::error!(%error, "there are no metrics");
            text(StatusCode::SERVICE_UNAVAILABLE, "there are no metrics now; the log says why\n")
        }
    }
}

fn text(status: StatusCode, text: impl Into<Bytes>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(text.into()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

impl Monitor {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    pub(super) fn answer<B>(&self, request: Request<B>) -> Answering {
        let shared = Arc::clone(&self.shared);
        let (probe, method) = (Probe::find(request.uri().path()), request.method().clone());
        Box::pin(async move {
            Ok(match probe {
                Some(probe) => probe.answer(&shared, &method).await,
                None => text(StatusCode::NOT_FOUND, "there are /healthz, /readyz and /metrics here\n"),
            })
        })
    }
}

impl fmt::Debug for Monitor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Monitor").finish_non_exhaustive()
    }
}
