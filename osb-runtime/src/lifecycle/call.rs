//! The call of a handler, on a task of its own.

use std::{future::poll_fn, sync::Arc, task::Poll, time::Duration};

use tokio::time::{Instant, sleep};

use super::{
    job::Run,
    probe::{Made, Probe, ProbePoint},
    worker::with_sources,
};
use crate::{
    failpoint,
    service::{Failure, FailureKind, Handler, OperationHandle},
};

/// A handler on its task; the result is `None` if it was cancelled before it started.
pub(super) type Ending<T> = Result<Option<Result<T, Failure>>, tokio::task::JoinError>;

/// Runs a handler after a delay, as soon as it has a permit. After a stall of the process, the claim has to be confirmed
/// first: another process may have taken the operation over.
pub(super) fn run<T: Made + Send + Sync>(
    handler: Handler<'static, T>,
    handle: Arc<OperationHandle>,
    run: &Run,
    pause: Duration,
    probe: Option<Arc<dyn Probe>>,
) -> impl Future<Output = Option<Result<T, Failure>>> + Send + use<T> {
    let (permits, held_until) = (Arc::clone(&run.permits), Arc::clone(&run.held_until));
    async move {
        let _permit = tokio::select! {
            biased;
            permit = async {
                if !pause.is_zero() {
                    sleep(pause).await;
                }
                let permit = permits.acquire_owned().await.ok()?;
                held_until.wait_for(|until| (Instant::now() < *until).then_some(())).await;
                Some(permit)
            } => permit?,
            () = handle.cancelled.cancelled() => return None,
        };
        failpoint::reach("handler.call");
        let ended = match probe {
            Some(probe) => run_probed(handler, &*probe).await,
            None => handler.await,
        };
        failpoint::reach("handler.ended");
        Some(ended)
    }
}

async fn run_probed<T: Made>(mut handler: Handler<'static, T>, probe: &dyn Probe) -> Result<T, Failure> {
    probe.reached(ProbePoint::Started).await;
    let mut continues = true;
    let ended = poll_fn(|cx| {
        let polled = if continues { handler.as_mut().poll(cx) } else { Poll::Pending };
        continues = continues && (polled.is_ready() || probe.waits());
        polled
    });
    let ended = ended.await;
    match &ended {
        Ok(made) => probe.reached(ProbePoint::Succeeded(made.state())).await,
        Err(Failure(FailureKind::Refused(refusal))) => {
            let text = format!("the request was refused: {}", refusal.description);
            probe.reached(ProbePoint::Failed(&text)).await;
        }
        Err(Failure(FailureKind::Unexpected(error) | FailureKind::Temporary(error))) => {
            probe.reached(ProbePoint::Failed(&with_sources(error.as_ref()))).await;
        }
    }
    ended
}

/// Returns the message of a panic, or an empty string.
pub(super) fn message(error: tokio::task::JoinError) -> String {
    let Ok(said) = error.try_into_panic() else { return String::new() };
    let said = said.downcast::<String>().map(|text| *text);
    said.or_else(|said| said.downcast::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
}
