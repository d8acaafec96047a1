//! The path of a request from its headers to the broker's reply. The order matters: an unauthenticated client learns
//! only that it is unauthenticated, and a malformed request reaches no handler.

use std::sync::atomic::Ordering;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header::IF_NONE_MATCH, request::Parts};
use http_body::Body as HttpBody;

use super::{
    BoxError, Platforms, access::Access, body::Payload, docs, gate, refusal::Refusal, route::Route, service::Shared,
};
use crate::protocol::{Answer, AnswerHeader, Body, MalformedIdentity, Query, RequestMeta, parse::Unparsed};

pub(super) async fn dispatch<'a, B>(
    shared: &Shared,
    platforms: &'a Platforms,
    parts: &'a Parts,
    payload: &mut Payload<'_, B>,
    access: &mut Access<'a>,
) -> Result<Answer, Refusal>
where
    B: HttpBody,
    B::Error: Into<BoxError>,
{
    let platform = platforms.find(parts.uri.path());
    access.tenant = platform.tenant.as_str();
    let route = Route::find(platform.path);
    access.route = route.map_or(access.route, Route::pattern);

    if let (Some(Route::Docs), Some(page)) = (route, shared.handle.page()) {
        let answer = docs::answer(page, parts, &platform, shared).await?;
        access.operation = "docs";
        return Ok(answer);
    }
    gate::admit(parts, &platform, &shared.settings).await?;
    let version = gate::version(access.headers.version, &shared.settings)?;
    let (endpoint, target) = route.ok_or(Refusal::NotFound)?.endpoint(&parts.method)?;
    (access.operation, access.target) = (endpoint.name(), target.clone());
    let is_read = parts.method == Method::GET;
    if !is_read && shared.refuses_changes.load(Ordering::Relaxed) {
        return Err(Refusal::Unavailable("The service broker is shutting down; repeat the request."));
    }

    let policies = &shared.settings.policies;
    let reply = {
        let meta = RequestMeta {
            tenant: platform.tenant.clone(),
            version,
            // Reads have no use for the identities, but a policy may require this one to be well-formed.
            origin: match policies.malformed_identity {
                MalformedIdentity::Ignore if is_read => None,
                _ => access.headers.origin(policies)?,
            },
            request_identity: access.headers.identity.filter(|_| !is_read).map(Into::into),
            trace: access.headers.trace.clone(),
            accepts_incomplete: false,
        };
        let (body, memory) =
            if endpoint.has_body() { payload.read(&shared.body_memory).await? } else { (Bytes::new(), None) };
        let query = Query::of(parts.uri.query().unwrap_or_default());
        let Some(request) = (Unparsed { policies, meta, query, body: &body }).parse(endpoint, target)? else {
            return Ok(catalog(shared.handle.catalog(), &parts.headers));
        };
        let (service_id, plan_id) = request.catalog_ids();
        access.named = shared.lifecycle.names(service_id, plan_id);
        shared.handle.answer(request, memory)
    };
    Ok(reply.await)
}

/// Returns the catalog, or 304 if the platform already holds it (HDR-11).
fn catalog((json, etag): (Bytes, HeaderValue), headers: &HeaderMap) -> Answer {
    let status = if is_not_modified(headers, Some(&etag)) { StatusCode::NOT_MODIFIED } else { StatusCode::OK };
    Answer { status, body: Body::Ready(json), header: Some(AnswerHeader::ETag(etag)) }
}

/// Returns whether the client already holds this version (same `ETag`).
pub(super) fn is_not_modified(headers: &HeaderMap, etag: Option<&HeaderValue>) -> bool {
    let mut sent = headers.get_all(IF_NONE_MATCH).iter();
    etag.is_some_and(|etag| sent.any(|value| matches_etag(value.as_bytes(), etag.as_bytes())))
}

/// Returns whether the value of an `If-None-Match` contains an entity tag or is `*`. The comparison is weak: it ignores `W/`.
fn matches_etag(list: &[u8], etag: &[u8]) -> bool {
    let etag = etag.strip_prefix(b"W/").unwrap_or(etag);
    let mut rest = list.trim_ascii();
    // Most clients send the one tag that they have.
    if rest == b"*" || rest == etag {
        return true;
    }
    // Splitting at commas would be wrong, because a tag may contain commas.
    loop {
        let start = rest.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b',')).unwrap_or(rest.len());
        rest = &rest[start..];
        rest = rest.strip_prefix(b"W/").unwrap_or(rest);
        let Some(end) = rest.iter().skip(1).position(|byte| *byte == b'"').filter(|_| rest[0] == b'"') else {
            return false;
        };
        let (tag, others) = rest.split_at(end + 2);
        if tag == etag {
            return true;
        }
        rest = others;
    }
}
