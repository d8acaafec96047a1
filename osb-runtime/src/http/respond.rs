//! Guarantees for all responses: the body is a JSON object, the response echoes the request identity (G5, T60), and a
//! panic is a 500 (T65).

use std::{pin::pin, sync::Weak, sync::atomic::Ordering};

use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, Request, Response, StatusCode, Version,
    header::{CONNECTION, CONTENT_TYPE, ETAG, RETRY_AFTER},
    request::Parts,
};
use http_body::Body as HttpBody;
use http_body_util::Full;
use tracing::{Instrument, Span, field::Empty};

use super::{
    BoxError, access::Access, body::Payload, dispatch::dispatch, refusal::Refusal, service, service::Shared,
    slots::Slot,
};
use crate::{
    failpoint,
    lifecycle::{catch_panic, new_id},
    protocol::{Answer, AnswerHeader, BindingId, Body, InstanceId, TraceParent, headers},
};

/// Answers a request. What the future awaits is pinned in it once, since it is moved before it is polled.
pub(super) async fn respond<B>(shared: &Shared, parts: &Parts, body: B, slot: Weak<Slot>) -> service::Answered
where
    B: HttpBody<Error: Into<BoxError>>,
{
    let (body, platforms) = (pin!(Some(body)), shared.platforms.get());
    let mut payload = Payload::new(body, &shared.settings);
    let mut access = Access::begin(&parts.method, &parts.headers);

    let begins = access.headers.trace.is_none() && shared.settings.begins_traces;
    if begins {
        access.headers.trace = format!("00-{}-{}-01", new_id(), &new_id()[..16]).parse().ok();
    }
    let span = match (&access.headers.identity, &access.headers.trace) {
        (None, None) => Span::none(),
        (identity, trace) => tracing::info_span!(
            "request",
            request = identity,
            trace_id = trace.as_ref().map(TraceParent::trace_id),
            // That of this request if it begins the trace.
            span_id = trace.as_ref().filter(|_| begins).map(TraceParent::span_id),
            parent_span_id = trace.as_ref().filter(|_| !begins).map(TraceParent::span_id),
            sampled = trace.as_ref().map(TraceParent::is_sampled),
            // Recorded at the end, for exporters.
            method = Empty,
            route = Empty,
            status = Empty,
            instance = Empty,
            binding = Empty,
        ),
    };
    let answer =
        catch_panic(pin!(dispatch(shared, &platforms, parts, &mut payload, &mut access).instrument(span.clone())))
            .await;
    let (answer, more) = match answer {
        Ok(Ok(answer)) => (answer, Vec::new()),
        Ok(Err(refusal)) => refusal.into_answer(),
        Err(_) => {
            tracing::error!(request = access.headers.identity, route = access.route, "a request panicked");
            Refusal::Panicked.into_answer()
        }
    };
    // A body that is not needed keeps no other client out. The answer to an error can get lost, and the page, which may be public.
    if (answer.status.is_client_error() || access.operation == "docs")
        && let Some(slot) = slot.upgrade()
    {
        slot.end_request();
    }
    let all_read = payload.discard(&parts.headers).await;

    access.status = Some(answer.status);
    span.record("method", parts.method.as_str()).record("route", access.route).record("status", answer.status.as_u16());
    span.record("instance", access.target.instance().map(InstanceId::as_str));
    span.record("binding", access.target.binding().map(BindingId::as_str));
    if let Some(metrics) = shared.lifecycle.metrics() {
        access.count(metrics, answer.status);
    }
    // The rest of a body would be taken for the next request; in a shutdown, another process can answer that one.
    let closes = !all_read || shared.fails_readiness.load(Ordering::Relaxed);
    let response = finish(answer, more, &access, closes && parts.version <= Version::HTTP_11);
    failpoint::reach("answer.ready");
    Ok(response)
}

/// Refuses a request before it reaches the broker, and closes its connection.
pub(super) fn refuse<B>(request: &Request<B>, refusal: Refusal) -> Response<Full<Bytes>> {
    let (answer, more) = refusal.into_answer();
    let mut access = Access::begin(request.method(), request.headers());
    access.status = Some(answer.status);
    finish(answer, more, &access, true)
}

fn finish(
    answer: Answer,
    more: Vec<(HeaderName, HeaderValue)>,
    access: &Access<'_>,
    closes: bool,
) -> Response<Full<Bytes>> {
    let mut response = write(answer);
    let headers = response.headers_mut();
    for (name, value) in more {
        headers.append(name, value);
    }
    if let Some(echo) = access.headers.echo {
        headers.insert(headers::REQUEST_IDENTITY, echo.clone());
    }
    if closes {
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

pub(super) fn write(answer: Answer) -> Response<Full<Bytes>> {
    // Room for the other headers: a map that grows costs more than writing them.
    let json = |content| (HeaderMap::with_capacity(6), const { HeaderValue::from_static("application/json") }, content);
    let html = || HeaderValue::from_static("text/html; charset=utf-8");
    let (mut headers, media_type, mut content) = match answer.body {
        Body::Ready(bytes) => json(bytes),
        Body::Object(fields) if fields.is_empty() => json(Bytes::from_static(b"{}")),
        Body::Object(fields) => json(serde_json::to_vec(&fields).map_or(Bytes::from_static(b"{}"), Bytes::from)),
        Body::Html(page) => (page.headers.clone(), html(), page.content.clone()),
    };
    if answer.status == StatusCode::NOT_MODIFIED {
        content = Bytes::new();
    } else {
        headers.insert(CONTENT_TYPE, media_type);
    }
    match answer.header {
        Some(AnswerHeader::ETag(etag)) => drop(headers.insert(ETAG, etag)),
        Some(AnswerHeader::RetryAfter(seconds)) => drop(headers.insert(RETRY_AFTER, seconds.into())),
        None => {}
    }
    let mut response = Response::new(Full::new(content));
    *response.status_mut() = answer.status;
    *response.headers_mut() = headers;
    response
}
