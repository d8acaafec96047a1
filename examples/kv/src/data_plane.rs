//! The HTTP/1.1 server for applications, on a separate port in the same process as the broker.

use std::{convert::Infallible, pin::pin, sync::Arc, time::Duration};

use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    time::{sleep, timeout},
};

use crate::{requests, stores::Stores};

/// Maximum number of connections; further ones wait.
const MAX_CONNECTIONS: usize = 512;
/// Maximum time between two requests, including the headers of the second.
const HEAD: Duration = Duration::from_secs(30);
/// Time after which a connection is shut down, so that no client occupies it forever.
const MAX_LIFETIME: Duration = Duration::from_mins(5);
/// Time for the shutdown of a connection.
const GRACE: Duration = Duration::from_secs(30);

/// Serves the stores until the future is dropped.
pub async fn serve(listener: TcpListener, stores: Stores) {
    let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok(permit) = Arc::clone(&permits).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => {
                let stores = stores.clone();
                tokio::spawn(async move {
                    serve_connection(stream, stores).await;
                    drop(permit);
                });
            }
            Err(error) => {
                // Without free file descriptors, another connection has to end first.
                tracing::warn!(%error, "accepting a connection failed");
                sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

async fn serve_connection(stream: TcpStream, stores: Stores) {
    // Responses are written as a whole, so waiting for more data only adds latency.
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request| async { Ok::<_, Infallible>(requests::answer(&stores, request).await) });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD);
    let mut connection = pin!(http.serve_connection(TokioIo::new(stream), service));
    let ended = tokio::select! {
        ended = &mut connection => ended,
        () = sleep(MAX_LIFETIME) => {
            connection.as_mut().graceful_shutdown();
            timeout(GRACE, connection).await.unwrap_or(Ok(()))
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended early");
    }
}
