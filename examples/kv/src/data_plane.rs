//! How applications reach the stores: HTTP/1.1 on a port of its own, in the same process as the broker.

use std::{convert::Infallible, pin::pin, sync::Arc, time::Duration};

use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    time::{sleep, timeout},
};

use crate::{requests, stores::Stores};

/// The most connections at a time; more wait.
const MAX_CONNECTIONS: usize = 512;
/// How long the head of a request may take to come, and how long a connection may idle.
const HEAD: Duration = Duration::from_secs(30);
/// After how long a connection is asked to end, so that nobody keeps a place for ever ...
const LONGEST: Duration = Duration::from_mins(5);
/// ... and how long it has for that.
const GRACE: Duration = Duration::from_secs(30);

/// Serves the stores, for as long as the returned future is awaited.
pub async fn serve(listener: TcpListener, stores: Stores) {
    let room = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok(permit) = Arc::clone(&room).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => {
                let stores = stores.clone();
                tokio::spawn(async move {
                    talk(stream, stores).await;
                    drop(permit);
                });
            }
            Err(error) => {
                // The process may be out of file descriptors: some connection has to end first.
                tracing::warn!(%error, "accepting a connection failed");
                sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

async fn talk(stream: TcpStream, stores: Stores) {
    // Answers are written whole; a failure costs time only.
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request| async { Ok::<_, Infallible>(requests::answer(&stores, request).await) });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD);
    let mut connection = pin!(http.serve_connection(TokioIo::new(stream), service));
    let ended = tokio::select! {
        ended = &mut connection => ended,
        () = sleep(LONGEST) => {
            connection.as_mut().graceful_shutdown();
            timeout(GRACE, connection).await.unwrap_or(Ok(()))
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended early");
    }
}
