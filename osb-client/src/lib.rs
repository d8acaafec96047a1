//! A client for any Open Service Broker API broker, which sends the requests a platform would send.
//!
//! A [`Call`] is a request as data, with a constructor for each endpoint. A [`Client`] sends it and returns the
//! [`Answer`]; [`Client::complete`] also polls asynchronous operations and reports their progress.
//!
//! ```no_run
//! use osb_client::{Call, Client};
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Client::new("http://127.0.0.1:8080")?.basic("platform", "secret");
//! let catalog = client.catalog().await?;
//! let (service, plan) = catalog.find("kv", "free").ok_or("there is no such plan")?;
//! let create = Call::provision("my-store", &service.id, &plan.id)
//!     .parameters(serde_json::json!({ "ttl": 60 }))
//!     .accepts_incomplete();
//! let made = client.complete(&create, |progress| eprintln!("{progress}")).await?;
//! println!("{}", made.answer.body["dashboard_url"]);
//! # Ok(()) }
//! ```
//!
//! The client connects over HTTP ([`Client::new`]), through an HTTP client of the program's own ([`Client::through`]), or calls a
//! broker in the same process ([`Client::over`]). The command `client` of every broker program uses it.

mod answer;
mod call;
mod catalog;
mod error;
mod follow;
mod platform;
#[cfg(test)]
mod tests;
#[cfg(feature = "tls")]
mod tls;
mod transport;

use std::{fmt, time::Duration};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, Uri, header};
use http_body::Body;
use http_body_util::Full;
use serde_json::Value;
use tower_service::Service as Tower;

pub use answer::{Answer, SECRET_MEMBERS};
pub use call::{Call, Payload, encode};
pub use catalog::{Catalog, CatalogPlan, CatalogService, Schemas};
pub use error::ClientError;
pub use follow::{Outcome, Polling, Progress, State};
pub use platform::{Platform, guid};
#[cfg(feature = "tls")]
pub use tls::Tls;

use osb_runtime::{
    protocol::{
        ApiVersion, TRACEPARENT, TraceParent,
        headers::{ORIGINATING_IDENTITY, REQUEST_IDENTITY, VERSION},
    },
    service::BoxError,
};
use transport::{Scheme, Transport};

/// The time after which platforms give up on a request.
const TIMEOUT: Duration = Duration::from_mins(1);

/// A client of a broker. Cloning it is cheap.
///
/// By default it uses version 2.17 of the API, sends neither credentials nor a user, and waits 60 s for a response. It
/// never follows redirects.
#[derive(Clone)]
pub struct Client {
    transport: Transport,
    /// Scheme, host and path prefix, without a trailing slash.
    base: String,
    headers: HeaderMap,
    /// The headers whose values can't be sent.
    invalid: Vec<HeaderName>,
    identifies_requests: bool,
    timeout: Duration,
    polling: Polling,
}

impl Client {
    /// Creates a client of the broker at a URL such as `https://broker.example.com/prefix`: the URL with which it is
    /// registered at a platform, without `/v2`.
    ///
    /// `https://` needs the feature `tls`, and trusts the certificate authorities of the operating system.
    ///
    /// # Errors
    ///
    /// If the URL is not valid for a broker.
    pub fn new(url: &str) -> Result<Self, ClientError> {
        Self::reach(url, Transport::http)
    }

    /// Creates a client of the broker at an `https://` URL that uses these certificates: the authorities to trust, and its own. An
    /// `http://` URL is refused: it would send the credentials to anyone.
    ///
    /// # Errors
    ///
    /// If the URL is not valid for a broker, the key of the client does not match its certificate, or the operating system has no
    /// authorities and `tls` has none either.
    #[cfg(feature = "tls")]
    pub fn with_tls(url: &str, tls: Tls) -> Result<Self, ClientError> {
        let transport = Transport::connecting(tls.connector()?);
        Self::reach(url, |scheme| match scheme {
            Scheme::Https => Ok(transport),
            Scheme::Http => Err("certificates are given, which need https://".to_owned()),
        })
    }

    fn reach(url: &str, transport: impl FnOnce(Scheme) -> Result<Transport, String>) -> Result<Self, ClientError> {
        let reached = base(url).and_then(|(scheme, base)| Ok(Self::with(transport(scheme)?, base)));
        reached.map_err(|why| ClientError::Url { url: without_credentials(url), why })
    }

    /// Creates a client of a broker in the same process, such as a [`BrokerService`](osb_runtime::http::BrokerService).
    ///
    /// ```
    /// # use osb_client::{Call, Client};
    /// # use osb_runtime::{http::{BrokerService, AcceptedCredentials, HttpSettings}, service::Broker};
    /// # async fn example<B: Broker>(broker: B) -> Result<(), Box<dyn std::error::Error>> {
    /// let credentials = AcceptedCredentials::basic("platform", "secret")?;
    /// let service = BrokerService::start(broker, credentials, HttpSettings::default()).await?;
    /// let client = Client::over(service).basic("platform", "secret");
    /// assert_eq!(client.send(&Call::catalog()).await?.status, 200);
    /// # Ok(()) }
    /// ```
    pub fn over<S, B>(service: S) -> Self
    where
        S: Tower<Request<Full<Bytes>>, Response = Response<B>, Error: Into<BoxError>, Future: Send + 'static>
            + Clone
            + Send
            + Sync
            + 'static,
        B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
    {
        Self::with(Transport::over(service), "http://broker".to_owned())
    }

    /// Creates a client of the broker at a URL, whose requests go through this service: an HTTP client of the program's own, with a
    /// proxy, for example. The service decides how it connects, so `https://` needs no feature.
    ///
    /// ```
    /// use hyper_util::{client::legacy, rt::TokioExecutor};
    /// use osb_client::Client;
    ///
    /// # fn example(connector: legacy::connect::HttpConnector) -> Result<Client, osb_client::ClientError> {
    /// // A connector to a proxy, for example.
    /// let own = legacy::Client::builder(TokioExecutor::new()).pool_max_idle_per_host(0).build(connector);
    /// Ok(Client::through("https://broker.example.com", own)?.basic("platform", "secret"))
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If the URL is not valid for a broker.
    pub fn through<S, B>(url: &str, service: S) -> Result<Self, ClientError>
    where
        S: Tower<Request<Full<Bytes>>, Response = Response<B>, Error: Into<BoxError>, Future: Send + 'static>
            + Clone
            + Send
            + Sync
            + 'static,
        B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
    {
        Self::reach(url, |_| Ok(Transport::over(service)))
    }

    fn with(transport: Transport, base: String) -> Self {
        let client = Self {
            transport,
            base,
            headers: HeaderMap::from_iter([(header::ACCEPT, HeaderValue::from_static("application/json"))]),
            invalid: Vec::new(),
            identifies_requests: false,
            timeout: TIMEOUT,
            polling: Polling::default(),
        };
        client.version(ApiVersion::LATEST)
    }

    /// Adds a prefix such as `/cf-prod` to the paths of the requests, after that of the URL: one that a broker has for each
    /// platform.
    #[must_use]
    pub fn prefix(mut self, prefix: &str) -> Self {
        let prefix = prefix.trim_matches('/');
        if !prefix.is_empty() {
            self.base += "/";
            self.base += prefix;
        }
        self
    }

    /// Authenticates with HTTP Basic.
    #[must_use]
    pub fn basic(self, user: &str, password: &str) -> Self {
        let credentials = STANDARD.encode(format!("{user}:{password}"));
        self.header(&header::AUTHORIZATION, Some(&format!("Basic {credentials}")))
    }

    /// Authenticates with a bearer token, as [`header`](Self::header) does.
    #[must_use]
    pub fn bearer(self, token: &str) -> Self {
        self.header(&header::AUTHORIZATION, Some(&format!("Bearer {token}")))
    }

    /// Sets the version of the API. From 2.15 on, every request has a unique request identity.
    #[must_use]
    pub fn version(mut self, version: ApiVersion) -> Self {
        self.identifies_requests = version >= ApiVersion::new(2, 15);
        self.header(&VERSION, Some(&version.to_string()))
    }

    /// Sets the originating identity of the requests: a platform, and its properties of the user.
    #[must_use]
    pub fn user(self, platform: &str, user: &Value) -> Self {
        self.header(&ORIGINATING_IDENTITY, Some(&format!("{platform} {}", STANDARD.encode(user.to_string()))))
    }

    /// Sends a `traceparent` with the requests, such as that of the operation that a handler works on, so that they belong to the
    /// same trace.
    #[must_use]
    pub fn trace(self, parent: Option<&TraceParent>) -> Self {
        self.header(&TRACEPARENT, parent.map(TraceParent::as_str))
    }

    /// Sets the time to wait for a response.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets how asynchronous operations are polled.
    #[must_use]
    pub fn polling(mut self, polling: Polling) -> Self {
        self.polling = polling;
        self
    }

    /// Returns the `Authorization` header, if it authenticates.
    pub fn credentials(&self) -> Option<&HeaderValue> {
        self.headers.get(header::AUTHORIZATION)
    }

    /// Sets or removes a header of all requests. With a value that is not valid in a header, such as one with a line end, all
    /// requests fail with [`ClientError::Header`]. `Debug` doesn't show the values
    /// of `Authorization` and of the originating identity.
    #[must_use]
    pub fn header(mut self, name: &HeaderName, value: Option<&str>) -> Self {
        self.headers.remove(name);
        self.invalid.retain(|invalid| invalid != name);
        match value.map(HeaderValue::from_str) {
            Some(Ok(mut value)) => {
                value.set_sensitive([header::AUTHORIZATION, ORIGINATING_IDENTITY].contains(name));
                self.headers.insert(name, value);
            }
            Some(Err(_)) => self.invalid.push(name.clone()),
            None => {}
        }
        self
    }

    /// Sends a request and returns the response, even if it is an error or not JSON.
    ///
    /// # Errors
    ///
    /// If the broker cannot be reached, or does not respond in time.
    pub async fn send(&self, call: &Call) -> Result<Answer, ClientError> {
        self.exchange(self.request(call)?).await
    }

    /// Returns the request as it is sent.
    ///
    /// # Errors
    ///
    /// If a header, the method, the path or the query can't be sent.
    pub fn request(&self, call: &Call) -> Result<Request<Full<Bytes>>, ClientError> {
        if let Some(name) = self.invalid.first() {
            return Err(ClientError::Header { name: name.clone() });
        }
        let url = format!("{}{}", self.base, call.target());
        let invalid = |why: http::Error| ClientError::Url { url: url.clone(), why: why.to_string() };
        let mut request = Request::builder().method(call.method.clone()).uri(&url);
        let body = call.payload.bytes();
        if !body.is_empty() {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        let mut request = request.body(Full::new(body)).map_err(invalid)?;
        request.headers_mut().extend(self.headers.clone());
        if self.identifies_requests
            && let Ok(identity) = HeaderValue::from_str(&guid())
        {
            request.headers_mut().insert(REQUEST_IDENTITY, identity);
        }
        Ok(request)
    }

    /// Sends any request, as it is.
    ///
    /// # Errors
    ///
    /// If there is no answer.
    pub async fn exchange(&self, request: Request<Full<Bytes>>) -> Result<Answer, ClientError> {
        let identity = request.headers().get(REQUEST_IDENTITY).and_then(|identity| identity.to_str().ok());
        let request_identity = identity.map(str::to_owned);
        match tokio::time::timeout(self.timeout, self.transport.send(request)).await {
            Err(_) => Err(ClientError::TimedOut { url: self.base.clone(), after: self.timeout }),
            Ok(Err(error)) => Err(ClientError::of_failure(&self.base, &*error)),
            Ok(Ok(response)) => {
                let (parts, body) = response.into_parts();
                Ok(Answer { request_identity, ..Answer::new(parts.status, parts.headers, &body) })
            }
        }
    }

    /// Fetches the catalog.
    ///
    /// # Errors
    ///
    /// If there is no response, or if it is not a catalog.
    pub async fn catalog(&self) -> Result<Catalog, ClientError> {
        let answer = self.send(&Call::catalog()).await?.success()?;
        let catalog = Catalog::read(answer.body).ok_or(ClientError::NoCatalog { url: self.base.clone() })?;
        Ok(Catalog { text: answer.text, ..catalog })
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("base", &self.base).field("headers", &self.headers).finish_non_exhaustive()
    }
}

/// Validates a broker's URL, and returns it without a trailing slash.
fn base(url: &str) -> Result<(Scheme, String), String> {
    // `localhost:8080/prefix` would be refused without the reason.
    if !url.contains("://") {
        let host = url.rsplit_once('@').map_or(url, |(_, host)| host);
        let is_here = ["localhost", "127.", "[::1]"].iter().any(|here| host.starts_with(here));
        let scheme = if is_here { "http" } else { "https" };
        let host = if host.is_empty() { "broker.example.com" } else { host };
        return Err(format!("it has no scheme; write {scheme}://{host}"));
    }
    let uri: Uri =
        url.parse().map_err(|error| format!("{error}; a valid URL looks like https://broker.example.com"))?;
    let scheme = uri.scheme_str().unwrap_or_default();
    let host = uri.authority().ok_or("it has no host")?;
    let known = match scheme {
        "http" => Scheme::Http,
        "https" => Scheme::Https,
        other => return Err(format!("the scheme {other} is not supported; use http:// or https://")),
    };
    // The part of a password before `/`, `?` or `#` looks like a port.
    if url.contains('@') {
        return Err("it contains a user or password, which logs would show".to_owned());
    }
    // Otherwise the request, with its password, would go to the scheme's default port.
    if let Some((_, port)) = host.as_str().rsplit_once(':')
        && !port.is_empty()
        && !port.ends_with(']')
        && uri.port_u16().is_none()
    {
        return Err("its port is not a number from 0 to 65535".to_owned());
    }
    if uri.query().is_some() {
        return Err("it has a query, which is not allowed in a broker's URL".to_owned());
    }
    let path = uri.path().trim_end_matches('/');
    if path.ends_with("/v2") || path.ends_with("/v2/catalog") {
        let without = path.trim_end_matches("/catalog").trim_end_matches("/v2");
        return Err(format!("requests add /v2 to it; use {scheme}://{host}{without}"));
    }
    Ok((known, format!("{scheme}://{host}{path}")))
}

/// Hides user and password of a URL for use in a message.
fn without_credentials(url: &str) -> String {
    match (url.split_once("://"), url.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, host))) => format!("{scheme}://...@{host}"),
        // The scheme is missing or mistyped.
        (None, Some((_, host))) => format!("...@{host}"),
        _ => url.to_owned(),
    }
}
