//! What happens to a request between its headers and the broker's reply. Plain code in the order that matters: whoever may
//! not ask learns nothing else, and what is malformed reaches no handler.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header::IF_NONE_MATCH, request::Parts};
use http_body::Body as HttpBody;

use super::{
    BoxError,
    access::Access,
    body::Payload,
    docs, gate,
    handle::Handle,
    refusal::Refusal,
    route::{Endpoint, Route},
    service::Shared,
};
use crate::{
    catalog::Named,
    protocol::{About, Answer, AnswerHeader, Body, MalformedOrigin, Query, RequestMeta, headers, parse},
};

pub(super) async fn dispatch<B>(
    shared: &Shared,
    parts: &Parts,
    payload: &mut Payload<B>,
    access: &mut Access,
) -> Result<Answer, Refusal>
where
    B: HttpBody,
    B::Error: Into<BoxError>,
{
    let place = shared.platforms.find(parts.uri.path());
    access.tenant = place.tenant.clone();
    let route = Route::find(place.path);
    access.route = route.map_or(access.route, Route::pattern);

    if let (Some(Route::Docs), Some(page)) = (route, shared.handle.page()) {
        return docs::answer(page, parts, &place, shared).await;
    }
    let version = gate::pass(parts, &place, &shared.platforms, &shared.settings).await?;
    let endpoint = route.ok_or(Refusal::NotFound)?.endpoint(&parts.method)?;
    access.endpoint = Some(endpoint.clone());

    let policies = &shared.settings.policies;
    let meta = RequestMeta {
        tenant: access.tenant.clone(),
        version,
        // Nobody asks who looks, unless it has to be well-formed.
        origin: match (&parts.method, policies.malformed_origin) {
            (&Method::GET, MalformedOrigin::Ignore) => None,
            _ => headers::origin(policies, &parts.headers)?,
        },
        request_identity: access.identity.clone(),
        accepts_incomplete: false,
    };
    let query = Query(parts.uri.query().unwrap_or_default());
    let handle = &shared.handle;
    let named = &mut access.named;
    let reply = match endpoint {
        Endpoint::Catalog => return Ok(catalog(handle.catalog(), &parts.headers)),
        Endpoint::FetchInstance(instance) => {
            handle.fetch_instance(noted(parse::fetch(meta, instance, None, query)?, handle, named))
        }
        Endpoint::Provision(instance) => {
            let request = parse::provision(policies, meta, instance, query, &payload.read().await?)?;
            handle.provision(noted(request, handle, named))
        }
        Endpoint::Update(instance) => {
            let request = parse::update(policies, meta, instance, query, &payload.read().await?)?;
            handle.update(noted(request, handle, named))
        }
        Endpoint::Deprovision(instance) => {
            handle.deprovision(noted(parse::delete(policies, meta, instance, None, query)?, handle, named))
        }
        Endpoint::FetchBinding(instance, binding) => {
            handle.fetch_binding(noted(parse::fetch(meta, instance, Some(binding), query)?, handle, named))
        }
        Endpoint::Bind(instance, binding) => {
            let request = parse::bind(policies, meta, (instance, binding), query, &payload.read().await?)?;
            handle.bind(noted(request, handle, named))
        }
        Endpoint::Unbind(instance, binding) => {
            handle.unbind(noted(parse::delete(policies, meta, instance, Some(binding), query)?, handle, named))
        }
        Endpoint::PollInstance(instance) => {
            handle.last_operation(noted(parse::poll(meta, instance, None, query)?, handle, named))
        }
        Endpoint::PollBinding(instance, binding) => {
            handle.last_operation(noted(parse::poll(meta, instance, Some(binding), query)?, handle, named))
        }
    };
    Ok(reply.await)
}

/// Notes what a request is about.
fn noted<R: About>(request: R, handle: &Arc<dyn Handle>, named: &mut Named) -> R {
    let (service_id, plan_id) = request.ids();
    *named = handle.names(service_id, plan_id);
    request
}

/// The catalog, or 304 if the platform has it (HDR-11).
fn catalog((json, etag): (Bytes, HeaderValue), headers: &HeaderMap) -> Answer {
    let (status, body) = if is_known(headers, Some(&etag)) {
        (StatusCode::NOT_MODIFIED, Body::Empty)
    } else {
        (StatusCode::OK, Body::Ready(json))
    };
    Answer { status, body, header: Some(AnswerHeader::ETag(etag)) }
}

/// Whether whoever asks has what has this entity tag.
pub(super) fn is_known(headers: &HeaderMap, etag: Option<&HeaderValue>) -> bool {
    let mut sent = headers.get_all(IF_NONE_MATCH).iter();
    etag.is_some_and(|etag| sent.any(|value| names(value.as_bytes(), etag.as_bytes())))
}

/// Whether an `If-None-Match` names an entity tag: `*`, or a list with it in. The comparison is weak: `W/` doesn't count.
fn names(list: &[u8], etag: &[u8]) -> bool {
    let etag = etag.strip_prefix(b"W/").unwrap_or(etag);
    let mut rest = list.trim_ascii();
    if rest == b"*" {
        return true;
    }
    // Not split at commas: a tag may contain some.
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
