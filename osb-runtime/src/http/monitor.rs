//! Health checks and metrics.

use std::sync::{Arc, atomic::Ordering};

use bytes::Bytes;
use http::{
    HeaderMap, HeaderValue, Method, Request, Response, StatusCode,
    header::{ACCEPT, ALLOW, CACHE_CONTROL, CONTENT_TYPE},
    request::Parts,
};
use http_body_util::Full;

use super::service::{Answering, Shared};
use crate::{lifecycle::MetricsFormat, protocol::debug_fields};

/// Health checks and metrics. They need no credentials; metrics contain only numbers and names from the catalog:
///
/// * `GET /healthz`: 200 as long as the process responds;
/// * `GET /readyz`: 200 if the broker is ready, 503 if the record store is unavailable, the
///   [check of the author](crate::lifecycle::Settings::readiness) fails, or the broker is shutting down;
/// * `GET /metrics`: the numbers that [`lifecycle::Settings::metrics`](crate::lifecycle::Settings::metrics) exports; 404 if
///   metrics are turned off. The format is OpenMetrics, or the older one of Prometheus for a client whose `Accept` prefers
///   `text/plain`.
///
/// [`BrokerService::monitor`](super::BrokerService::monitor) creates one. It is a [`tower_service::Service`] and a
/// [`hyper::service::Service`], to be served on its own address by [`serve_monitor`](super::serve_monitor), or mounted
/// elsewhere. With [`HttpSettings::monitor`](super::HttpSettings::monitor) the broker serves these paths itself.
#[derive(Clone)]
pub struct Monitor {
    shared: Arc<Shared>,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum MonitorEndpoint {
    Health,
    Ready,
    Metrics,
}

impl MonitorEndpoint {
    pub(super) fn find(path: &str) -> Option<Self> {
        match path {
            "/healthz" => Some(Self::Health),
            "/readyz" => Some(Self::Ready),
            "/metrics" => Some(Self::Metrics),
            _ => None,
        }
    }

    pub(super) async fn answer(self, shared: &Shared, parts: &Parts) -> Response<Full<Bytes>> {
        if !matches!(parts.method, Method::GET | Method::HEAD) {
            let mut refused = text(StatusCode::METHOD_NOT_ALLOWED, "method not allowed; use GET\n");
            refused.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
            return refused;
        }
        match self {
            Self::Health => text(StatusCode::OK, "ok\n"),
            Self::Ready if shared.fails_readiness.load(Ordering::Relaxed) => {
                text(StatusCode::SERVICE_UNAVAILABLE, "the broker is shutting down\n")
            }
            // Boxed, because nearly all requests are others.
            Self::Ready => match Box::pin(shared.lifecycle.not_ready()).await {
                None => text(StatusCode::OK, "ok\n"),
                Some(why) => text(StatusCode::SERVICE_UNAVAILABLE, format!("{why}; see the broker's log\n")),
            },
            Self::Metrics => metrics(shared, accepted_format(&parts.headers)).await,
        }
    }
}

/// Returns the plain format if the client prefers it (RFC 9110, section 12.5.1).
fn accepted_format(headers: &HeaderMap) -> MetricsFormat {
    let values = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let ranges: Vec<_> = values.flat_map(|value| value.split(',')).map(range).collect();
    // The most specific range counts.
    let quality = |names: [&str; 3]| {
        let of = |name| {
            let named = ranges.iter().filter(|(range, _)| range.eq_ignore_ascii_case(name));
            named.map(|(_, quality)| *quality).reduce(f32::max)
        };
        names.into_iter().find_map(of).unwrap_or_default()
    };
    let plain = quality(["text/plain", "text/*", "*/*"]);
    let open = quality(["application/openmetrics-text", "application/*", "*/*"]);
    if plain > open { MetricsFormat::PlainText } else { MetricsFormat::OpenMetrics }
}

/// Returns a media range with its quality.
fn range(element: &str) -> (&str, f32) {
    let mut parts = element.split(';').map(str::trim);
    let range = parts.next().unwrap_or_default();
    let quality = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
    (range, quality.and_then(|text| text.parse().ok()).unwrap_or(1.0))
}

async fn metrics(shared: &Shared, format: MetricsFormat) -> Response<Full<Bytes>> {
    match Box::pin(shared.lifecycle.export_metrics(format)).await {
        None => text(StatusCode::NOT_FOUND, "Metrics are turned off.\n"),
        Some(Ok(export)) => {
            let mut response = text(StatusCode::OK, export.text);
            response.headers_mut().insert(CONTENT_TYPE, export.content_type);
            response
        }
        Some(Err(error)) => {
            tracing::error!(%error, "collecting the metrics failed");
            text(StatusCode::SERVICE_UNAVAILABLE, "The metrics are unavailable at the moment; see the broker's log.\n")
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
        let (shared, (parts, _)) = (Arc::clone(&self.shared), request.into_parts());
        Box::pin(async move {
            Ok(match MonitorEndpoint::find(parts.uri.path()) {
                Some(probe) => probe.answer(&shared, &parts).await,
                None => text(StatusCode::NOT_FOUND, "path not found; available: /healthz, /readyz, /metrics\n"),
            })
        })
    }
}

debug_fields!(Monitor {});
