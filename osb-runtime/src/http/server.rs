//! The HTTP/1.1 server, with limits on connections and a graceful shutdown.

use std::{convert::Infallible, pin::pin, sync::Arc, time::Duration};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::{body::Incoming, server::conn::http1};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
    task::JoinSet,
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{Admin, BrokerService, HttpSettings, Monitor, stream::WriteTimeoutStream};

/// The smallest buffer that hyper accepts.
const SMALLEST_HEAD: usize = 8 << 10;

/// Serves a broker over HTTP/1.1 until `shutdown` is ready. Then it stops listening, lets running requests and
/// operations end within [`shutdown_grace`](super::HttpSettings::shutdown_grace), and returns.
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
pub async fn serve(listener: TcpListener, broker: BrokerService, shutdown: impl Future<Output = ()>) {
    serve_broker(listener, Encryption::Plain, broker, shutdown).await;
}

/// Serves a broker like [`serve`], over TLS. A connection is closed if its handshake takes longer than
/// [`head_timeout`](super::HttpSettings::head_timeout).
#[cfg(feature = "tls")]
pub async fn serve_tls(
    listener: TcpListener,
    tls: super::Tls,
    broker: BrokerService,
    shutdown: impl Future<Output = ()>,
) {
    let patience = broker.settings().head_timeout;
    serve_broker(listener, Encryption::Tls(tls, patience), broker, shutdown).await;
}

/// Serves health checks and metrics until `shutdown` is ready. Stop it after the broker, so that `/readyz` shows that
/// the broker is shutting down.
pub async fn serve_monitor(listener: TcpListener, monitor: Monitor, shutdown: impl Future<Output = ()>) {
    serve_operators(listener, Encryption::Plain, monitor, shutdown).await;
}

/// Serves the interface for operators until `shutdown` is ready.
pub async fn serve_admin(listener: TcpListener, admin: Admin, shutdown: impl Future<Output = ()>) {
    let admin = admin.at(listener.local_addr().ok());
    serve_operators(listener, Encryption::Plain, admin, shutdown).await;
}

/// Serves the interface for operators like [`serve_admin`], over TLS.
#[cfg(feature = "tls")]
pub async fn serve_admin_tls(listener: TcpListener, tls: super::Tls, admin: Admin, shutdown: impl Future<Output = ()>) {
    let (patience, admin) = (HttpSettings::default().head_timeout, admin.at(listener.local_addr().ok()));
    serve_operators(listener, Encryption::Tls(tls, patience), admin, shutdown).await;
}

/// Serves a few clients, without waiting for them on shutdown.
async fn serve_operators<S>(
    listener: TcpListener,
    transport: Encryption,
    service: S,
    shutdown: impl Future<Output = ()>,
) where
    S: Answers,
    S::Future: Send,
{
    let settings = HttpSettings { max_connections: 64, ..HttpSettings::default() };
    let mut connections = Connections::default();
    connections.accept_until(shutdown, listener, transport, &settings, service).await;
    connections.end(settings.head_timeout, std::future::ready(())).await;
}

async fn serve_broker(
    listener: TcpListener,
    transport: Encryption,
    broker: BrokerService,
    shutdown: impl Future<Output = ()>,
) {
    let settings = broker.settings().clone();
    let mut connections = Connections::default();
    connections.accept_until(shutdown, listener, transport, &settings, broker.clone()).await;
    broker.begin_to_end();
    // Operations continue after their platform has closed the connection.
    connections.end(settings.shutdown_grace, broker.idle()).await;
}

/// The transport of a connection.
#[derive(Clone)]
enum Encryption {
    Plain,
    #[cfg(feature = "tls")]
    /// With the timeout of a handshake.
    Tls(super::Tls, Duration),
}

#[derive(Default)]
struct Connections {
    open: JoinSet<()>,
    stop: CancellationToken,
}

impl Connections {
    async fn accept_until<S>(
        &mut self,
        shutdown: impl Future<Output = ()>,
        listener: TcpListener,
        transport: Encryption,
        settings: &HttpSettings,
        service: S,
    ) where
        S: Answers,
        S::Future: Send,
    {
        let mut http = http1::Builder::new();
        // Without a timer hyper ignores the timeout.
        http.timer(TokioTimer::new()).header_read_timeout(settings.head_timeout);
        http.max_buf_size(settings.max_head.max(SMALLEST_HEAD));

        let permits = Arc::new(Semaphore::new(settings.max_connections.clamp(1, Semaphore::MAX_PERMITS)));
        let mut shutdown = pin!(shutdown);
        loop {
            tokio::select! {
                () = &mut shutdown => return,
                (stream, permit) = accept(&listener, &permits) => {
                    let stream = WriteTimeoutStream::new(stream, settings.write_timeout);
                    let one = Connection { http: http.clone(), service: service.clone(), stop: self.stop.clone() };
                    let transport = transport.clone();
                    self.open.spawn(async move {
                        let _permit = permit;
                        one.serve(stream, transport).await;
                    });
                }
                Some(_) = self.open.join_next() => {}
            }
        }
    }

    /// Waits for the open connections and for `more`, at most for `grace`.
    async fn end(mut self, grace: Duration, more: impl Future<Output = ()>) {
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

/// The bounds of a service that this server can run.
trait Answers:
    hyper::service::Service<Request<Incoming>, Response = Response<Full<Bytes>>, Error = Infallible>
    + Clone
    + Send
    + 'static
{
}

impl<S> Answers for S where
    S: hyper::service::Service<Request<Incoming>, Response = Response<Full<Bytes>>, Error = Infallible>
        + Clone
        + Send
        + 'static
{
}

struct Connection<S> {
    http: http1::Builder,
    service: S,
    stop: CancellationToken,
}

impl<S: Answers> Connection<S> {
    async fn serve(self, stream: WriteTimeoutStream<TcpStream>, transport: Encryption) {
        match transport {
            Encryption::Plain => self.serve_http(stream).await,
            #[cfg(feature = "tls")]
            Encryption::Tls(tls, patience) => match timeout(patience, tls.accept(stream)).await {
                Ok(Ok(stream)) => self.serve_http(stream).await,
                Ok(Err(error)) => tracing::debug!(%error, "a TLS handshake failed"),
                Err(_) => tracing::debug!("a TLS handshake timed out"),
            },
        }
    }

    async fn serve_http<I: AsyncRead + AsyncWrite + Unpin>(self, stream: I) {
        let mut connection = pin!(self.http.serve_connection(TokioIo::new(stream), self.service));
        let ended = tokio::select! {
            ended = &mut connection => ended,
            () = self.stop.cancelled() => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(error) = ended {
            tracing::debug!(%error, "a connection failed");
        }
    }
}

/// Accepts the next connection, once the number of connections permits it.
async fn accept(listener: &TcpListener, permits: &Arc<Semaphore>) -> (TcpStream, OwnedSemaphorePermit) {
    loop {
        let accepted = match Arc::clone(permits).acquire_owned().await {
            Ok(permit) => listener.accept().await.map(|(stream, _)| (stream, permit)),
            Err(closed) => Err(std::io::Error::other(closed)),
        };
        match accepted {
            Ok((stream, permit)) => {
                // Answers are written in one piece. Without this option they are only slower.
                let _ = stream.set_nodelay(true);
                return (stream, permit);
            }
            Err(error) => {
                // The process may have run out of file descriptors; wait until a connection has been closed.
                tracing::warn!(%error, "accepting a connection failed");
                sleep(Duration::from_millis(50)).await;
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
