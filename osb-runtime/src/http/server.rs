//! The server: connections in, and all of them out again at the end.

use std::{pin::pin, sync::Arc, time::Duration};

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
    task::JoinSet,
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{BrokerService, stream::Patient};

/// The smallest buffer that hyper takes.
const SMALLEST_HEAD: usize = 8 << 10;

/// Serves a broker over HTTP/1.1 until `shutdown` is ready. Then it stops listening, lets running requests end within
/// [`shutdown_grace`](super::HttpSettings::shutdown_grace), and returns.
///
/// What never becomes a request is answered by hyper itself, with an empty body and without the request's identity, and
/// ends the connection: 400 for what is not HTTP, 414 for a path of more than 65,534 bytes, 431 for a head that is larger
/// than [`max_head`](super::HttpSettings::max_head) or has more than 100 headers. hyper 1.12 has no hook for these; every
/// other answer is a JSON object.
///
/// ```no_run
/// # async fn example(broker: osb_runtime::http::BrokerService) -> std::io::Result<()> {
/// let listener = tokio::net::TcpListener::bind("127.0.0.1:8080").await?;
/// osb_runtime::http::serve(listener, broker, osb_runtime::http::shutdown_signal()).await;
/// # Ok(()) }
/// ```
pub async fn serve(listener: TcpListener, broker: BrokerService, shutdown: impl Future<Output = ()>) {
    let settings = broker.settings().clone();
    let mut http = http1::Builder::new();
    // The timer is what makes the timeout count.
    http.timer(TokioTimer::new()).header_read_timeout(settings.head_timeout);
    http.max_buf_size(settings.max_head.max(SMALLEST_HEAD));

    let room = Arc::new(Semaphore::new(settings.max_connections.clamp(1, Semaphore::MAX_PERMITS)));
    let stop = CancellationToken::new();
    let mut connections = JoinSet::new();
    let mut shutdown = pin!(shutdown);
    loop {
        tokio::select! {
            () = &mut shutdown => break,
            (stream, permit) = accept(&listener, &room) => {
                let stream = Patient::new(stream, settings.write_timeout);
                let connection = http.serve_connection(TokioIo::new(stream), broker.clone());
                let stop = stop.clone();
                connections.spawn(async move {
                    let _permit = permit;
                    let mut connection = pin!(connection);
                    let ended = tokio::select! {
                        ended = &mut connection => ended,
                        () = stop.cancelled() => {
                            connection.as_mut().graceful_shutdown();
                            connection.await
                        }
                    };
                    if let Err(error) = ended {
                        tracing::debug!(%error, "a connection ended early");
                    }
                });
            }
            Some(_) = connections.join_next() => {}
        }
    }

    drop(listener);
    stop.cancel();
    let all_ended = async {
        while connections.join_next().await.is_some() {}
        // Platforms hang up, and their work goes on.
        broker.idle().await;
    };
    if timeout(settings.shutdown_grace, all_ended).await.is_err() {
        tracing::warn!(open = connections.len(), "leaving behind what did not end in time");
        connections.shutdown().await;
    }
}

/// The next connection, once there is room for it.
async fn accept(listener: &TcpListener, room: &Arc<Semaphore>) -> (TcpStream, OwnedSemaphorePermit) {
    loop {
        let accepted = match Arc::clone(room).acquire_owned().await {
            Ok(permit) => listener.accept().await.map(|(stream, _)| (stream, permit)),
            Err(closed) => Err(std::io::Error::other(closed)),
        };
        match accepted {
            Ok((stream, permit)) => {
                // Answers are written whole; a failure costs time only.
                let _ = stream.set_nodelay(true);
                return (stream, permit);
            }
            Err(error) => {
                // The process may be out of file descriptors: some connection has to end first.
                tracing::warn!(%error, "accepting a connection failed");
                sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

/// Ready when the process is asked to end: SIGTERM, or SIGINT (Ctrl-C).
pub async fn shutdown_signal() {
    let interrupted = async {
        if let Err(error) = tokio::signal::ctrl_c().await {
            tracing::error!(%error, "Ctrl-C can't be listened for");
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
            tracing::error!(%error, "SIGTERM can't be listened for");
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(not(unix))]
async fn terminated() {
    std::future::pending::<()>().await;
}
