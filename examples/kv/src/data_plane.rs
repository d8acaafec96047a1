//! The HTTP/1.1 server for applications, on a separate port in the same process as the broker.

use std::{
    convert::Infallible,
    future::ready,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{Notify, OwnedSemaphorePermit, Semaphore},
    time::{sleep, timeout},
};

use crate::{requests, stores::Stores};

/// Maximum number of connections of the program; for a further one, the oldest gives way.
pub const MAX_CONNECTIONS: usize = 512;
/// Time between two connections that give way.
const NEXT: Duration = Duration::from_millis(50);
/// Maximum time between two requests, including the headers of the second.
const HEAD: Duration = Duration::from_secs(30);
/// Time after which a connection is shut down, so that no client occupies it forever.
const MAX_LIFETIME: Duration = Duration::from_mins(5);
/// Time for the shutdown of a connection.
const GRACE: Duration = Duration::from_secs(30);

/// Serves the stores until the future is dropped.
pub async fn serve(listener: TcpListener, stores: Stores, max_connections: usize) {
    let (permits, crowded) = (Arc::new(Semaphore::new(max_connections)), Arc::new(Notify::new()));
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let Some(permit) = permit(&permits, &crowded).await else { return };
                let (stores, crowded) = (stores.clone(), Arc::clone(&crowded));
                tokio::spawn(async move {
                    serve_connection(stream, stores, &crowded).await;
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

/// Waits for a free place. Otherwise clients that connect and send nothing would keep all others out.
async fn permit(permits: &Arc<Semaphore>, crowded: &Notify) -> Option<OwnedSemaphorePermit> {
    let mut acquired = pin!(Arc::clone(permits).acquire_owned());
    let permit = loop {
        tokio::select! {
            biased;
            acquired = &mut acquired => break acquired.ok(),
            // The connection that has waited for this the longest is the oldest one.
            () = async { crowded.notify_one(); sleep(NEXT).await } => {}
        }
    };
    // If all others were giving way already, this is left for the new connection.
    tokio::select! {
        biased;
        () = crowded.notified() => {}
        () = ready(()) => {}
    }
    permit
}

async fn serve_connection(stream: TcpStream, stores: Stores, crowded: &Notify) {
    // Responses are written as a whole, so waiting for more data only adds latency.
    let _ = stream.set_nodelay(true);
    let has_request = AtomicBool::new(false);
    let service = service_fn(|request| async {
        has_request.store(true, Ordering::Relaxed);
        let answer = requests::answer(&stores, request).await;
        has_request.store(false, Ordering::Relaxed);
        Ok::<_, Infallible>(answer)
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD);
    let mut connection = pin!(http.serve_connection(TokioIo::new(stream), service));
    let ended = tokio::select! {
        ended = &mut connection => ended,
        () = async { tokio::select! { () = sleep(MAX_LIFETIME) => {}, () = crowded.notified() => {} } } => {
            connection.as_mut().graceful_shutdown();
            // The client may still read an answer, but a request that has not arrived by now is not waited for.
            let grace = if has_request.load(Ordering::Relaxed) { GRACE } else { NEXT };
            timeout(grace, connection).await.unwrap_or(Ok(()))
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended early");
    }
}
