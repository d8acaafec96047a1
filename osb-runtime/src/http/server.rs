//! The HTTP/1.1 server, with limits on connections and a graceful shutdown.

use std::{
    net::SocketAddr,
    pin::{Pin, pin},
    sync::Arc,
    time::{Duration, Instant},
};

use hyper::server::conn::http1;
use tokio::{
    net::{TcpListener, TcpStream},
    task::JoinSet,
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{
    Admin, BrokerService, HttpService, HttpSettings, Listener, Monitor,
    connection::{Answers, Connection, OnConnection},
    mounted::{IntoBrokerService, IntoListener, Mounted},
    slots::Slots,
    stream::WriteTimeoutStream,
};

/// The smallest buffer that hyper accepts.
const SMALLEST_BUFFER: usize = 8 << 10;

/// Serves a broker over HTTP/1.1 until `shutdown` is ready, and for [`shutdown_delay`](super::HttpSettings::shutdown_delay)
/// after that, while `/readyz` fails; then until running requests and operations have ended, at most for
/// [`shutdown_grace`](super::HttpSettings::shutdown_grace). During the grace period, requests that change something get a 503 with
/// `Retry-After`; others, such as polls, are answered. In its [last part](BrokerService::hand_over_time), operations that still run
/// are [handed over](BrokerService::hand_over).
///
/// hyper itself answers requests that it can't parse, and closes the connection: 400 if it is not HTTP, 414 for a path of more than
/// 65,534 bytes, 431 for a head that is larger than [`max_head`](super::HttpSettings::max_head) or has more than 100 headers. These
/// answers have an empty body and no request identity, since hyper 1.12 has no hook for them. Every other answer is a JSON object.
///
/// ```no_run
/// # async fn example(broker: osb_runtime::http::BrokerService) -> std::io::Result<()> {
/// let listener = tokio::net::TcpListener::bind("127.0.0.1:8080").await?;
/// osb_runtime::http::serve(listener, broker, osb_runtime::http::shutdown_signal()).await;
/// # Ok(()) }
/// ```
pub fn serve<'a>(
    listener: impl IntoListener,
    broker: impl IntoBrokerService,
    shutdown: impl Future<Output = ()> + Send + 'a,
) -> Serving<'a> {
    let (listener, broker) = (listener.into(), broker.into());
    Box::pin(async { serve_service(listener, broker.clone(), broker, pin!(shutdown)).await })
}

/// Serves an HTTP service that contains the broker, such as an axum `Router` with dashboards, like [`serve`]: with the limits for
/// connections and heads, and the same shutdown. It can't upgrade connections, for example to WebSocket. If the service contains
/// other brokers too, the program itself calls their [`fail_readiness`](BrokerService::fail_readiness) and
/// [`refuse_changes`](BrokerService::refuse_changes) when the shutdown begins, and [`hand_over`](BrokerService::hand_over) at its end.
pub fn serve_mounted<'a>(
    listener: impl IntoListener,
    service: impl HttpService,
    broker: BrokerService,
    shutdown: impl Future<Output = ()> + Send + 'a,
) -> Serving<'a> {
    let listener = listener.into();
    Box::pin(async { serve_service(listener, Mounted(service), broker, pin!(shutdown)).await })
}

/// Serves health checks and metrics until `shutdown` is ready. Stop it after the broker, so that `/readyz` shows that
/// the broker is shutting down.
pub fn serve_monitor<'a>(
    listener: impl IntoListener,
    monitor: Monitor,
    shutdown: impl Future<Output = ()> + Send + 'a,
) -> Serving<'a> {
    let listener = listener.into();
    Box::pin(async { serve_operators(listener, Mounted(monitor), pin!(shutdown)).await })
}

/// Serves the interface for operators until `shutdown` is ready.
pub fn serve_admin<'a>(
    listener: impl IntoListener,
    admin: Admin,
    shutdown: impl Future<Output = ()> + Send + 'a,
) -> Serving<'a> {
    let listener = listener.into();
    let admin = admin.at(listener.tcp.local_addr().ok());
    Box::pin(async { serve_operators(listener, Mounted(admin), pin!(shutdown)).await })
}

/// A server that runs until its shutdown. It doesn't name the arguments' types: a wrong one would have an error at `.await` too.
pub type Serving<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

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
            tracing::warn!(connections = self.open.len(), "shutting down although requests or operations still run");
            self.open.shutdown().await;
        }
    }
}

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
