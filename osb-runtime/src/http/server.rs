//! The HTTP/1.1 server, with limits on connections and a graceful shutdown.

#[cfg(feature = "tls")]
use std::io::ErrorKind;
use std::{
    convert::Infallible,
    net::SocketAddr,
    pin::{Pin, pin},
    sync::{Arc, Weak, atomic::Ordering},
    task::{Context, Poll},
    time::{Duration, Instant},
};

use bytes::Bytes;
use http::{
    Request, Response, StatusCode, Version,
    header::{AUTHORIZATION, HOST, TRANSFER_ENCODING},
    uri::Authority,
};
use http_body::Body;
use http_body_util::Full;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use pin_project_lite::pin_project;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    task::JoinSet,
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{
    Admin, BrokerService, HttpService, HttpSettings, Listener, Monitor,
    listener::Transport,
    monitor::MonitorEndpoint,
    mounted::Mounted,
    refusal::Refusal,
    respond::refuse,
    service::Answered,
    slots::{Slot, Slots},
    stream::WriteTimeoutStream,
};
use crate::{protocol::parse::Malformed, service::BoxError};

/// The smallest buffer that hyper accepts.
const SMALLEST_BUFFER: usize = 8 << 10;

/// Serves a broker over HTTP/1.1 until `shutdown` is ready, and for [`shutdown_delay`](super::HttpSettings::shutdown_delay)
/// after that, while `/readyz` fails; then until running requests and operations have ended, at most for
/// [`shutdown_grace`](super::HttpSettings::shutdown_grace). During the grace period, requests that change something get a 503 with
/// `Retry-After`; others, such as polls, are answered. In its [last part](BrokerService::hand_over_time), operations that still run
/// are [handed over](BrokerService::hand_over).
///
/// hyper itself answers requests that it can't parse, and closes the connection: 400 if it is not HTTP, 414 for a path
/// of more than 65,534 bytes, 431 for a head that is larger than [`max_head`](super::HttpSettings::max_head) or has
/// more than 100 headers. These answers have an empty body and no request identity, since hyper 1.12 has no hook for
/// them. Every other answer is a JSON object.
///
/// ```no_run
/// # async fn example(broker: osb_runtime::http::BrokerService) -> std::io::Result<()> {
/// let listener = tokio::net::TcpListener::bind("127.0.0.1:8080").await?;
/// osb_runtime::http::serve(listener, broker, osb_runtime::http::shutdown_signal()).await;
/// # Ok(()) }
/// ```
pub async fn serve(listener: impl Into<Listener>, broker: BrokerService, shutdown: impl Future<Output = ()> + Send) {
    serve_service(listener.into(), broker.clone(), broker, pin!(shutdown)).await;
}

/// Serves an HTTP service that contains the broker, such as an axum `Router` with dashboards, like [`serve`]: with the limits for
/// connections and heads, and the same shutdown. It can't upgrade connections, for example to WebSocket. If the service contains
/// other brokers too, the program itself calls their [`fail_readiness`](BrokerService::fail_readiness) and
/// [`refuse_changes`](BrokerService::refuse_changes) when the shutdown begins, and [`hand_over`](BrokerService::hand_over) at its end.
pub async fn serve_mounted(
    listener: impl Into<Listener>,
    service: impl HttpService,
    broker: BrokerService,
    shutdown: impl Future<Output = ()> + Send,
) {
    serve_service(listener.into(), Mounted(service), broker, pin!(shutdown)).await;
}

/// Serves health checks and metrics until `shutdown` is ready. Stop it after the broker, so that `/readyz` shows that
/// the broker is shutting down.
pub async fn serve_monitor(listener: impl Into<Listener>, monitor: Monitor, shutdown: impl Future<Output = ()> + Send) {
    serve_operators(listener.into(), Mounted(monitor), pin!(shutdown)).await;
}

/// Serves the interface for operators until `shutdown` is ready.
pub async fn serve_admin(listener: impl Into<Listener>, admin: Admin, shutdown: impl Future<Output = ()> + Send) {
    let listener = listener.into();
    let admin = admin.at(listener.tcp.local_addr().ok());
    serve_operators(listener, Mounted(admin), pin!(shutdown)).await;
}

/// The end of a phase. Its type isn't known, so that there is one server, not one for each phase and each kind of shutdown.
type End<'a> = Pin<&'a mut (dyn Future<Output = ()> + Send + 'a)>;

/// Serves a few clients, without waiting for them on shutdown.
async fn serve_operators(listener: Listener, service: impl Answers, shutdown: End<'_>) {
    let settings = HttpSettings { max_connections: 64, ..HttpSettings::default() };
    let mut server = Server::new(listener, &settings, service, false);
    server.accept_until(shutdown).await;
    server.end(settings.head_timeout, pin!(std::future::ready(()))).await;
}

async fn serve_service(listener: Listener, service: impl Answers, broker: BrokerService, shutdown: End<'_>) {
    let settings = broker.settings();
    let mut server = Server::new(listener, settings, service, settings.monitor);
    server.accept_until(shutdown).await;
    broker.fail_readiness();
    // A timer takes a millisecond even for no delay, in which changes would be accepted.
    if !settings.shutdown_delay.is_zero() {
        server.accept_until(pin!(sleep(settings.shutdown_delay))).await;
    }
    broker.refuse_changes();
    let started = Instant::now();
    let until_hand_over = settings.shutdown_grace.saturating_sub(broker.hand_over_time());
    let _ = timeout(until_hand_over, server.accept_until(pin!(broker.idle()))).await;
    let rest = settings.shutdown_grace.saturating_sub(started.elapsed());
    let _ = timeout(rest, server.accept_until(pin!(broker.hand_over()))).await;
    // Operations continue after their platform has closed the connection.
    server.end(settings.shutdown_grace.saturating_sub(started.elapsed()), pin!(broker.idle())).await;
}

/// A listener with its connections.
struct Server<S> {
    listener: Listener,
    http: http1::Builder,
    service: S,
    write_timeout: Duration,
    slots: Arc<Slots>,
    /// Evicts connections until it is dropped.
    _evictor: JoinSet<()>,
    /// A connection that waits for a slot, or for the next phase of a shutdown.
    accepted: Option<(TcpStream, SocketAddr)>,
    open: JoinSet<()>,
    stop: CancellationToken,
}

impl<S: Answers> Server<S> {
    fn new(listener: Listener, settings: &HttpSettings, service: S, has_monitor: bool) -> Self {
        let mut http = http1::Builder::new();
        http.max_header_size(settings.max_head).max_buf_size(settings.max_head.max(SMALLEST_BUFFER));
        let (slots, mut evictor) = (Slots::new(settings, has_monitor), JoinSet::new());
        evictor.spawn(Arc::clone(&slots).keep_evicting());
        Self {
            listener,
            http,
            service,
            write_timeout: settings.write_timeout,
            slots,
            _evictor: evictor,
            accepted: None,
            open: JoinSet::new(),
            stop: CancellationToken::new(),
        }
    }

    /// Accepts connections until `end` is ready.
    async fn accept_until(&mut self, mut end: End<'_>) {
        loop {
            tokio::select! {
                () = &mut end => return,
                one = accept(&self.listener.tcp, &self.slots), if self.accepted.is_none() => self.accepted = Some(one),
                slot = self.slots.take(), if self.accepted.is_some() => {
                    let Some((stream, peer)) = self.accepted.take() else { continue };
                    let stream = WriteTimeoutStream::new(stream, self.write_timeout, Arc::clone(&slot.state));
                    let (service, slot) = (self.service.clone(), Arc::new(slot));
                    let service = OnConnection { service, slot, peer, is_http_on_tls_port: false };
                    let one = Connection { http: self.http.clone(), service, stop: self.stop.clone() };
                    self.open.spawn(one.serve(stream, self.listener.transport.clone()));
                }
                Some(_) = self.open.join_next() => {}
            }
        }
    }

    /// Waits for the open connections and for `more`, at most for `grace`.
    async fn end(mut self, grace: Duration, more: End<'_>) {
        drop(self.listener);
        self.stop.cancel();
        let all_ended = async {
            while self.open.join_next().await.is_some() {}
            more.await;
        };
        if timeout(grace, all_ended).await.is_err() {
            tracing::warn!(open = self.open.len(), "shutting down although requests or operations are still running");
            self.open.shutdown().await;
        }
    }
}

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
struct OnConnection<S> {
    service: S,
    slot: Arc<Slot>,
    peer: SocketAddr,
    /// True for plain HTTP on a port for TLS: every request is answered with an error that says so.
    is_http_on_tls_port: bool,
}

impl<S: Answers> OnConnection<S> {
    fn respond(
        &self,
        request: Request<Incoming>,
    ) -> impl Future<Output = Result<Response<S::Body>, S::Error>> + Send + use<S> {
        let refuse = |refusal| Pending::Refused { response: Some(refuse(&request, refusal).map(S::own)) };
        let pending = if !self.slot.begin_request() {
            Pending::Evicted
        } else if let Some(why) = self.is_http_on_tls_port.then_some(NO_TLS).or_else(|| invalid_head(&request)) {
            refuse(Refusal::Malformed(Malformed::new(why)))
        } else if MonitorEndpoint::find(request.uri().path()).is_none() && !self.slot.serves_requests() {
            refuse(Refusal::Unavailable("The service broker has too many connections; repeat the request."))
        } else {
            Pending::Answering { future: self.service.clone().respond(request, Arc::downgrade(&self.slot)) }
        };
        Serving { pending, slot: Arc::clone(&self.slot), peer: self.peer }
    }
}

pin_project! {
    /// The answer to a request on a connection.
    struct Serving<F, B> {
        #[pin]
        pending: Pending<F, B>,
        slot: Arc<Slot>,
        peer: SocketAddr,
    }
}

pin_project! {
    #[project = PendingProjection]
    enum Pending<F, B> {
        Evicted,
        Refused { response: Option<Response<B>> },
        Answering { #[pin] future: F },
    }
}

impl<F: Future<Output = Result<Response<B>, E>>, B, E> Future for Serving<F, B> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let serving = self.project();
        let polled = match serving.pending.project() {
            PendingProjection::Evicted => Poll::Pending,
            PendingProjection::Refused { response } => response.take().map_or(Poll::Pending, |it| Poll::Ready(Ok(it))),
            PendingProjection::Answering { future } => future.poll(cx),
        };
        if let Poll::Ready(answered) = &polled {
            serving.slot.end_request();
            if answered.as_ref().is_ok_and(|answer| answer.status() == StatusCode::UNAUTHORIZED) {
                tracing::info!(target: "osb_runtime::access", peer = %serving.peer, "the credentials are missing or wrong");
            }
        }
        polled
    }
}

const NO_TLS: &str = "this port speaks TLS; use https:// in place of http://";

/// Returns why a request head is ambiguous: another server could understand it differently (RFC 9110, section 5.3; RFC 9112,
/// sections 3.2 and 6.1).
fn invalid_head<B>(request: &Request<B>) -> Option<&'static str> {
    // One pass takes less time than a search for each.
    let mut found = [(0, None); 3];
    for (name, value) in request.headers() {
        if let Some(at) = [AUTHORIZATION, HOST, TRANSFER_ENCODING].iter().position(|one| one == name) {
            found[at] = (found[at].0 + 1, Some(value.as_bytes()));
        }
    }
    let is_host = |host: &[u8]| {
        // Most hosts are names, maybe with a port: for them, parsing takes longer than the rest of this function.
        let name = host.iter().position(|byte| *byte == b':').map_or(host, |at| &host[..at]);
        let is_name = |name: &[u8]| name.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'));
        (is_name(name) && host[name.len()..].iter().skip(1).all(u8::is_ascii_digit))
            || !host.contains(&b'@') && Authority::try_from(host).is_ok()
    };
    match found {
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

struct Connection<S> {
    http: http1::Builder,
    service: OnConnection<S>,
    stop: CancellationToken,
}

impl<S: Answers> Connection<S> {
    #[cfg_attr(not(feature = "tls"), expect(unused_mut, reason = "only a connection with TLS is changed"))]
    async fn serve(mut self, stream: WriteTimeoutStream<TcpStream>, transport: Transport) {
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
        let service = service_fn(move |request| self.service.respond(request));
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

/// Accepts the next connection.
async fn accept(listener: &TcpListener, slots: &Slots) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => {
                // Answers are written in one piece. Without this option they are only slower.
                let _ = stream.set_nodelay(true);
                return (stream, peer);
            }
            Err(error) => {
                // The process may have run out of file descriptors. The wait ends early if a connection does.
                tracing::warn!(%error, "accepting a connection failed");
                sleep(Duration::from_millis(50)).await;
                slots.evict();
            }
        }
    }
}

/// Waits for a signal to shut down: SIGTERM or SIGINT (Ctrl-C).
pub async fn shutdown_signal() {
    let interrupted = async {
        if let Err(error) = tokio::signal::ctrl_c().await {
            tracing::error!(%error, "installing the handler for SIGINT (Ctrl-C) failed");
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        () = interrupted => {}
        () = terminated() => {}
    }
}

#[cfg(unix)]
async fn terminated() {
    match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
        Ok(mut signal) => {
            signal.recv().await;
        }
        Err(error) => {
            tracing::error!(%error, "installing the handler for SIGTERM failed");
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(not(unix))]
async fn terminated() {
    std::future::pending::<()>().await;
}
