//! A connection: its TLS handshake, its requests, and its end.

#[cfg(feature = "tls")]
use std::io::ErrorKind;
use std::{
    convert::Infallible,
    future::pending,
    net::SocketAddr,
    pin::pin,
    sync::{Arc, Weak, atomic::Ordering},
    time::Duration,
};

use bytes::Bytes;
use http::{HeaderValue, Request, Response, StatusCode, Version, uri::Authority};
use http_body::Body;
use http_body_util::Full;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    time::timeout,
};
use tokio_util::sync::CancellationToken;

use super::{
    BrokerService, listener::Transport, monitor::MonitorEndpoint, refusal::Refusal, respond::refuse, service::Answered,
    slots::Slot, stream::WriteTimeoutStream,
};
use crate::{
    protocol::{headers, parse::Malformed},
    service::BoxError,
};

/// A service that this server can run.
pub(super) trait Answers: Clone + Send + Sync + 'static {
    type Body: Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static;
    type Error: Into<BoxError>;

    /// Answers a request. The future needs no box, since hyper has a place for one on each connection.
    fn respond(
        self,
        request: Request<Incoming>,
        slot: Weak<Slot>,
    ) -> impl Future<Output = Result<Response<Self::Body>, Self::Error>> + Send;

    /// Returns the body of a response by the server itself.
    fn own(body: Full<Bytes>) -> Self::Body;
}

impl Answers for BrokerService {
    type Body = Full<Bytes>;
    type Error = Infallible;

    fn respond(self, request: Request<Incoming>, slot: Weak<Slot>) -> impl Future<Output = Answered> + Send {
        Self::respond(self, request, slot)
    }

    fn own(body: Full<Bytes>) -> Full<Bytes> {
        body
    }
}

/// A service on one connection. It refuses requests whose head is ambiguous, and tells the slot when one begins and ends.
#[derive(Clone)]
pub(super) struct OnConnection<S> {
    pub(super) service: S,
    pub(super) slot: Arc<Slot>,
    pub(super) peer: SocketAddr,
    /// True for plain HTTP on a port for TLS: every request is answered with an error that says so.
    pub(super) is_http_on_tls_port: bool,
}

impl<S: Answers> OnConnection<S> {
    async fn respond(self, request: Request<Incoming>) -> Result<Response<S::Body>, S::Error> {
        let refuse = |refusal| Ok(refuse(&request, refusal).map(S::own));
        let answered = if !self.slot.begin_request() {
            // A connection that has been evicted gives no answer.
            pending().await
        } else if let Some(why) = self.is_http_on_tls_port.then_some(NO_TLS).or_else(|| invalid_head(&request)) {
            refuse(Refusal::Malformed(Malformed::new(why)))
        } else if MonitorEndpoint::find(request.uri().path()).is_none() && !self.slot.serves_requests() {
            refuse(Refusal::Unavailable("The service broker has too many connections; repeat the request."))
        } else {
            self.service.respond(request, Arc::downgrade(&self.slot)).await
        };
        self.slot.end_request();
        if answered.as_ref().is_ok_and(|answer| answer.status() == StatusCode::UNAUTHORIZED) {
            tracing::info!(target: "osb_runtime::access", peer = %self.peer, "the credentials are missing or wrong");
        }
        answered
    }
}

const NO_TLS: &str = "this port speaks TLS; use https:// in place of http://";

/// Returns why a request head is ambiguous: another server could understand it differently (RFC 9110, section 5.3; RFC 9112,
/// sections 3.2 and 6.1).
fn invalid_head<B>(request: &Request<B>) -> Option<&'static str> {
    let found = headers::find(request.headers(), ["authorization", "host", "transfer-encoding"]);
    let is_host = |host: &[u8]| {
        // Most hosts are names, maybe with a port: for them, parsing takes longer than the rest of this function.
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() | matches!(byte, b'.' | b'-');
        // Without an early return, so that the compiler looks at many bytes at once.
        let is_name = |name: &[u8]| name.iter().fold(true, |all, byte| all & is_part(byte));
        let port = host.iter().position(|byte| *byte == b':').unwrap_or(host.len());
        is_name(&host[..port]) && host[port..].iter().skip(1).all(u8::is_ascii_digit)
            || !host.contains(&b'@') && Authority::try_from(host).is_ok()
    };
    match found.map(|(count, value)| (count, value.map(HeaderValue::as_bytes))) {
        [(2.., _), ..] => Some("there is more than one Authorization header"),
        [_, (0, _), _] if request.version() == Version::HTTP_11 => Some("the header Host is missing"),
        [_, (2.., _), _] => Some("there is more than one Host header"),
        [_, (_, Some(host)), _] if !is_host(host) => Some("the header Host is not a host with an optional port"),
        [.., (2.., _)] => Some(NOT_CHUNKED),
        [.., (_, Some(encoding))] if !encoding.trim_ascii().eq_ignore_ascii_case(b"chunked") => Some(NOT_CHUNKED),
        _ => None,
    }
}

const NOT_CHUNKED: &str = "the only supported Transfer-Encoding is chunked";

pub(super) struct Connection<S> {
    pub(super) http: http1::Builder,
    pub(super) service: OnConnection<S>,
    pub(super) stop: CancellationToken,
}

impl<S: Answers> Connection<S> {
    #[cfg_attr(not(feature = "tls"), expect(unused_mut, reason = "only a connection with TLS is changed"))]
    pub(super) async fn serve(mut self, stream: WriteTimeoutStream<TcpStream>, transport: Transport) {
        match transport {
            Transport::Plain => self.serve_http(stream).await,
            #[cfg(feature = "tls")]
            Transport::Tls(tls) => {
                let (slot, peer) = (Arc::clone(&self.service.slot), self.service.peer);
                let accept = async {
                    if stream.begins_with_letter().await? {
                        return Ok(Err(stream));
                    }
                    tls.accept(stream).await.map(Ok)
                };
                let accepted = tokio::select! {
                    accepted = accept => accepted,
                    () = slot.state.evicted.notified() => return,
                    () = self.stop.cancelled() => return,
                };
                match accepted {
                    Ok(Ok(stream)) => self.serve_http(stream).await,
                    Ok(Err(stream)) => {
                        self.service.is_http_on_tls_port = true;
                        self.serve_http(stream).await;
                    }
                    // A real handshake failure; disconnecting health checks and scanners are logged at debug level.
                    Err(error) if error.kind() == ErrorKind::InvalidData => {
                        tracing::info!(%peer, %error, "a TLS handshake failed");
                    }
                    Err(error) => tracing::debug!(%peer, %error, "a client hung up in the TLS handshake"),
                }
            }
        }
    }

    async fn serve_http<I: AsyncRead + AsyncWrite + Unpin>(self, stream: I) {
        let (slot, peer) = (Arc::clone(&self.service.slot), self.service.peer);
        let service = service_fn(move |request| self.service.clone().respond(request));
        let mut connection = pin!(self.http.serve_connection(TokioIo::new(stream), service));
        let mut is_shutting_down = false;
        let ended = loop {
            tokio::select! {
                biased;
                ended = &mut connection => break ended,
                () = self.stop.cancelled(), if !is_shutting_down => {}
                () = slot.state.evicted.notified() => {
                    if !slot.state.is_writing.load(Ordering::Relaxed) {
                        return tracing::debug!("closed a connection without a request");
                    }
                    // The client has not yet read the last answer. Another one that waits for the slot does not wait for long.
                    slot.keep_open();
                    connection.as_mut().graceful_shutdown();
                    break timeout(Duration::from_secs(2), connection).await.unwrap_or(Ok(()));
                }
            }
            is_shutting_down = true;
            connection.as_mut().graceful_shutdown();
        };
        match ended {
            Err(error) if error.is_parse() => tracing::info!(%peer, %error, "a client sent no valid HTTP/1.1"),
            Err(error) => tracing::debug!(%peer, %error, "a connection failed"),
            Ok(()) => {}
        }
    }
}
