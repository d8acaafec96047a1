//! The interface for operators of a running broker.

mod page;

use std::{
    borrow::Cow,
    net::{IpAddr, SocketAddr},
    sync::{Arc, atomic::Ordering},
};

use bytes::Bytes;
use http::{
    HeaderValue, Method, Request, Response, StatusCode,
    header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, WWW_AUTHENTICATE},
    request::Parts,
    uri::Authority,
};
use http_body_util::Full;

use super::{
    AcceptedCredentials,
    current::Current,
    service::{Answering, Shared},
};
use crate::{
    json::json,
    lifecycle::{Lifecycle, admin, catch_panic},
    protocol::{Answer, BindingId, Body, InstanceId, Query, debug_fields, parse::Malformed, path_id},
    store::Key,
};

/// The description of a 500 after a panic.
const FAILED: &str = "The broker failed unexpectedly.";

/// The default `limit` of a list.
const DEFAULT_LIMIT: usize = 100;

/// The HTTP interface for operators: shows the records, and repairs them. Its answers contain no parameters, credentials
/// or state; a refusal's message is shown as the handler wrote it.
///
/// | request | effect |
/// | --- | --- |
/// | `GET /` | A page for browsers, with the lists, and with retry, purge and cancel. Browsers can sign in with user and password only. |
/// | `GET /instances`, `/bindings`, `/operations` | Lists them. The query filters by `tenant`, `instance`, `service`, `plan`, `phase` and `state` (of the latest operation), and by the words in `search`; an unknown phase or state is answered 400. Deleted ones are listed only with `phase=gone`. `limit` is the size of a page; `after`, `after_tenant` and `after_binding` are taken from `next` of the previous page. |
/// | `GET /instances/ID` | Shows an instance with its bindings; needs `?tenant=` if its platform is behind a prefix. |
/// | `POST /instances/ID/retry` | Retries a failed deletion or rollback. |
/// | `POST /instances/ID/abandon` | Gives up a failed deletion and forgets the instance, even if resources remain in the backend. |
/// | `POST /instances/ID/purge` | Deletes an instance that its platform no longer knows, with its bindings. |
/// | `POST /instances/ID/cancel` | Ends the running operation, as its deadline would. |
/// | `POST /instances/ID/bindings/ID/retry`, `abandon`, `purge`, `cancel` | The same for a binding. |
/// | `POST /reseal` | Re-encrypts the records that are encrypted with an older key; 409 if the broker has no keys. |
///
/// Actions use the same code as a platform's requests. Handlers see the operator's user name and the platform `admin`. The answer
/// is that of a DELETE: 200, or 202 if the operation continues in the background. Errors are objects with a `description`.
///
/// A `POST` needs the content type `application/json`. It is answered 403 if its `Sec-Fetch-Site` or `Origin` says that a browser
/// sends it for a page of another site, because browsers add an operator's credentials. If `serve_admin` serves it at a loopback
/// address, a request is also answered 403 if its `Host` isn't `localhost` or a loopback address.
///
/// [`BrokerService::admin`](super::BrokerService::admin) creates one. It is a [`tower_service::Service`] and a
/// [`hyper::service::Service`]; [`serve_admin`](super::serve_admin) serves it on its own address.
#[derive(Clone)]
pub struct Admin {
    shared: Arc<Shared>,
    credentials: Arc<Current<AcceptedCredentials>>,
    /// `true` if it is served at a loopback address.
    is_local: bool,
}

enum AdminRequest {
    Page,
    List(admin::RecordKind),
    Show(InstanceId),
    Act(admin::AdminAction, InstanceId, Option<BindingId>),
    Reseal,
}

impl Admin {
    pub(super) fn new(shared: Arc<Shared>, credentials: AcceptedCredentials) -> Self {
        Self { shared, credentials: Arc::new(Current::new(credentials)), is_local: false }
    }

    /// Accepts these credentials from now on, in all clones.
    pub fn set_credentials(&self, credentials: AcceptedCredentials) {
        self.credentials.set(credentials);
    }

    /// Refuses requests for other hosts if this address is a loopback address.
    pub(super) fn at(self, address: Option<SocketAddr>) -> Self {
        Self { is_local: address.is_some_and(|address| address.ip().is_loopback()), ..self }
    }

    pub(super) fn answer<B>(&self, request: Request<B>) -> Answering {
        let (this, (parts, _)) = (self.clone(), request.into_parts());
        Box::pin(async move {
            let answered = catch_panic(this.respond(&parts)).await;
            Ok(answered.unwrap_or_else(|_| {
                tracing::error!(path = parts.uri.path(), "an operator's request panicked");
                write(error(StatusCode::INTERNAL_SERVER_ERROR, FAILED))
            }))
        })
    }

    async fn respond(&self, parts: &Parts) -> Response<Full<Bytes>> {
        let refused = if self.is_local && !host(parts).is_some_and(is_loopback) {
            Some("This address answers only requests for localhost or a loopback address; send that as the Host.")
        } else if is_cross_site(parts) {
            Some("The request was sent by a page of another site.")
        } else {
            None
        };
        if let Some(why) = refused {
            tracing::warn!(method = parts.method.as_str(), path = parts.uri.path(), "refused a request: {why}");
            return write(error(StatusCode::FORBIDDEN, why));
        }
        let (credentials, within) = (self.credentials.get(), self.shared.settings.authentication_timeout);
        match credentials.admit(parts, within).await {
            Ok(true) => {}
            Ok(false) => {
                let mut refused = write(error(StatusCode::UNAUTHORIZED, "The credentials are missing or wrong."));
                for challenge in credentials.challenges() {
                    refused.headers_mut().append(WWW_AUTHENTICATE, challenge);
                }
                log(parts, refused.status());
                return refused;
            }
            Err(problem) => {
                tracing::error!(error = problem, "checking an operator's credentials failed");
                let why = "The broker can't check credentials at the moment.";
                return write(error(StatusCode::INTERNAL_SERVER_ERROR, why));
            }
        }
        let refuses_changes = self.shared.refuses_changes.load(Ordering::Relaxed);
        let answer = if parts.method == Method::POST && refuses_changes {
            error(StatusCode::SERVICE_UNAVAILABLE, "The broker is shutting down.")
        } else {
            answer(&self.shared.lifecycle, parts).await.unwrap_or_else(|malformed| malformed.answer())
        };
        log(parts, answer.status);
        write(answer)
    }
}

fn log(parts: &Parts, status: StatusCode) {
    tracing::info!(
        target: "osb_runtime::access",
        method = parts.method.as_str(),
        path = parts.uri.path(),
        status = status.as_u16(),
        user = user(parts),
        "answered an operator's request"
    );
}

async fn answer(lifecycle: &Arc<Lifecycle>, parts: &Parts) -> Result<Answer, Malformed> {
    let query = Query::of(parts.uri.query().unwrap_or_default());
    let Some(request) = find(&parts.method, parts.uri.path())? else {
        return Ok(error(StatusCode::NOT_FOUND, "Path not found, or method not allowed."));
    };
    if parts.method == Method::POST && !is_json(parts) {
        let help = "Send this request with Content-Type: application/json.";
        return Ok(error(StatusCode::UNSUPPORTED_MEDIA_TYPE, help));
    }
    match request {
        AdminRequest::Page => {
            Ok(Answer { status: StatusCode::OK, body: Body::Html(Arc::clone(&page::PAGE)), header: None })
        }
        AdminRequest::List(kind) => list(lifecycle, kind, &query).await,
        AdminRequest::Show(instance) => show(lifecycle, instance, &query).await,
        AdminRequest::Act(action, instance, binding) => {
            let key = Key { binding, ..key(&query, "tenant", instance)? };
            let (lifecycle, user) = (Arc::clone(lifecycle), user(parts));
            Ok(in_task(async move { lifecycle.administer(action, &key, &user).await }).await)
        }
        AdminRequest::Reseal if !lifecycle.view().is_sealed() => {
            let why = "The broker was started without keys, and encrypts nothing. Stop it, and run `reseal` with keys in OSB_STORE_KEYS.";
            Ok(Answer::error(StatusCode::CONFLICT, None, why))
        }
        AdminRequest::Reseal => {
            let (lifecycle, user) = (Arc::clone(lifecycle), user(parts));
            let resealing = async move {
                match lifecycle.view().reseal().await {
                    Ok((records, unreadable)) => {
                        tracing::info!(records, unreadable, user, "resealed the records");
                        Answer::object(StatusCode::OK, json!({ "records": records, "unreadable": unreadable }))
                    }
                    Err(error) => {
                        tracing::error!(%error, user, "resealing the records failed");
                        unreadable(&error)
                    }
                }
            };
            Ok(in_task(resealing).await)
        }
    }
}

/// Runs an action in a task of its own: a client that hangs up must not leave a claim without a worker (T62).
async fn in_task(action: impl Future<Output = Answer> + Send + 'static) -> Answer {
    tokio::spawn(action).await.unwrap_or_else(|_| error(StatusCode::INTERNAL_SERVER_ERROR, FAILED))
}

fn find(method: &Method, path: &str) -> Result<Option<AdminRequest>, Malformed> {
    let segments: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    let action = |word: &str| admin::AdminAction::ALL.iter().find(|(name, _)| *name == word).map(|(_, action)| *action);
    Ok(match (method, &*segments) {
        (&Method::GET, [""]) => Some(AdminRequest::Page),
        (&Method::GET, ["instances"]) => Some(AdminRequest::List(admin::RecordKind::Instances)),
        (&Method::GET, ["bindings"]) => Some(AdminRequest::List(admin::RecordKind::Bindings)),
        (&Method::GET, ["operations"]) => Some(AdminRequest::List(admin::RecordKind::Operations)),
        (&Method::GET, ["instances", instance]) => Some(AdminRequest::Show(path_id(instance, "instance id")?)),
        (&Method::POST, ["instances", instance, word]) => {
            let instance = path_id(instance, "instance id")?;
            action(word).map(|action| AdminRequest::Act(action, instance, None))
        }
        (&Method::POST, ["instances", instance, "bindings", binding, word]) => {
            let (instance, binding) = (path_id(instance, "instance id")?, path_id(binding, "binding id")?);
            action(word).map(|action| AdminRequest::Act(action, instance, Some(binding)))
        }
        (&Method::POST, ["reseal"]) => Some(AdminRequest::Reseal),
        _ => None,
    })
}

async fn list(lifecycle: &Lifecycle, kind: admin::RecordKind, query: &Query<'_>) -> Result<Answer, Malformed> {
    let wanted = |name| Ok::<_, Malformed>(query.get(name)?.map(Cow::into_owned));
    // A misspelt word would find nothing, as if all were well.
    let one_of = |name, words: &[&str]| match wanted(name)? {
        Some(word) if !words.contains(&&*word) => {
            Err(Malformed::new(format!("the query parameter `{name}` must be one of: {}", words.join(", "))))
        }
        wanted => Ok(wanted),
    };
    let filter = admin::Filter {
        tenant: wanted("tenant")?,
        instance: wanted("instance")?,
        service: wanted("service")?,
        plan: wanted("plan")?,
        phase: one_of("phase", &admin::Filter::PHASES)?,
        state: one_of("state", &admin::Filter::STATES)?,
        search: wanted("search")?,
    };
    let limit = wanted("limit")?.map_or(Ok(DEFAULT_LIMIT), |text| {
        let limit = text.parse().ok().filter(|limit| (1..=10_000).contains(limit));
        limit.ok_or_else(|| Malformed::new("the query parameter `limit` must be a number from 1 to 10000".to_owned()))
    })?;
    let binding = wanted("after_binding")?.map(Into::into);
    let after = wanted("after")?.map(|instance| key(query, "after_tenant", instance.as_str().into())).transpose()?;
    let after = after.map(|key| Key { binding, ..key });
    Ok(match lifecycle.view().list(kind, &filter, after, limit).await {
        Ok(page) => admin::listed(kind, page),
        Err(problem) => unreadable(&problem),
    })
}

async fn show(lifecycle: &Lifecycle, instance: InstanceId, query: &Query<'_>) -> Result<Answer, Malformed> {
    let key = key(query, "tenant", instance)?;
    Ok(match lifecycle.view().show(&key).await {
        Ok(Some(shown)) => Answer::object(StatusCode::OK, shown),
        Ok(None) => error(StatusCode::NOT_FOUND, "Instance not found."),
        Err(problem) => unreadable(&problem),
    })
}

/// Returns the key of an instance of the tenant in the query parameter `name`.
fn key(query: &Query<'_>, name: &str, instance: InstanceId) -> Result<Key, Malformed> {
    let tenant = query.get(name)?.unwrap_or_default();
    let tenant = tenant
        .parse()
        .map_err(|error| Malformed::new(format!("the query parameter `{name}` is not a valid tenant: {error}")))?;
    Ok(Key { tenant, instance, binding: None })
}

fn header<'a>(parts: &'a Parts, name: &str) -> Option<&'a str> {
    parts.headers.get(name).map(|value| value.to_str().unwrap_or_default())
}

/// Returns the host and port that a request is for.
fn host(parts: &Parts) -> Option<&str> {
    header(parts, "host").or_else(|| parts.uri.authority().map(Authority::as_str))
}

fn is_loopback(host: &str) -> bool {
    let Ok(authority) = host.parse::<Authority>() else { return false };
    let name = authority.host();
    let is_whole = host.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'));
    let address = name.trim_matches(['[', ']']).parse::<IpAddr>();
    is_whole && (name.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback()))
}

/// Returns whether a browser sends this request for a page of another site, and the request may change something.
fn is_cross_site(parts: &Parts) -> bool {
    let site = header(parts, "sec-fetch-site").is_some_and(|site| !matches!(site, "same-origin" | "none"));
    let origin = header(parts, "origin").is_some_and(|origin| {
        let origin = origin.split_once("://").map(|(_, origin)| origin);
        !origin.zip(host(parts)).is_some_and(|(origin, host)| origin.eq_ignore_ascii_case(host))
    });
    !parts.method.is_safe() && (site || origin)
}

fn is_json(parts: &Parts) -> bool {
    let sent = header(parts, CONTENT_TYPE.as_str()).and_then(|sent| sent.split(';').next()).unwrap_or_default();
    sent.trim().eq_ignore_ascii_case("application/json")
}

/// Returns the operator's user name, for the log and for handlers.
fn user(parts: &Parts) -> String {
    let sent = parts.headers.get(AUTHORIZATION).map(HeaderValue::as_bytes);
    super::auth::user(sent.unwrap_or_default()).unwrap_or_else(|| "operator".to_owned())
}

fn error(status: StatusCode, description: &str) -> Answer {
    Answer::error(status, None, description)
}

fn unreadable(problem: &crate::store::StoreError) -> Answer {
    tracing::error!(%problem, "the record store is unavailable");
    error(StatusCode::SERVICE_UNAVAILABLE, "The record store is unavailable at the moment; see the broker's log.")
}

fn write(answer: Answer) -> Response<Full<Bytes>> {
    let mut response = super::respond::write(answer);
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

debug_fields!(Admin {});
