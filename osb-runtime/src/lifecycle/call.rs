//! The call of a handler.

use std::{
    any::Any,
    future::poll_fn,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::{Pin, pin},
    sync::Arc,
    task::Poll,
    time::Duration,
};

use futures_util::FutureExt as _;
use tokio::time::{Instant, sleep};

use super::{
    job::Attempt,
    observer::{HandlerObserver, HandlerPoint, Made},
    worker::with_sources,
};
use crate::{
    failpoint,
    service::{Failure, FailureKind, Handler, OperationHandle},
};

/// Longest time for which a handler may block its thread without a warning.
const LONG_BLOCK: Duration = Duration::from_secs(1);

/// The end of a handler call: its result, or `None` if it was cancelled before it started. The error is the message of a panic, or
/// `None` if the call was aborted.
pub(super) type CallResult<T> = Result<Option<Result<T, Failure>>, Option<String>>;

/// Awaits a handler call, and drops it if the attempt is aborted. A panic ends only this call.
pub(super) async fn isolated<T>(
    call: impl Future<Output = Option<Result<T, Failure>>>,
    attempt: &Attempt,
) -> CallResult<T> {
    let mut call = pin!(Some(call));
    let Some(running) = call.as_mut().as_pin_mut() else { return Err(None) };
    let ended = tokio::select! {
        biased;
        ended = catch_panic(running) => ended.map_err(|payload| Some(panic_message(payload))),
        () = attempt.aborted.notified() => Err(None),
    };
    catch_unwind(AssertUnwindSafe(|| call.set(None))).map_err(|payload| Some(panic_message(payload))).and(ended)
}

/// Awaits a future, and catches a panic. After one the future can only be dropped.
pub(crate) fn catch_panic<F: Future>(future: F) -> impl Future<Output = std::thread::Result<F::Output>> {
    AssertUnwindSafe(future).catch_unwind()
}

/// Returns the message of a panic, or an empty string.
pub(super) fn panic_message(payload: Box<dyn Any + Send>) -> String {
    let text = payload.downcast::<String>().map(|text| *text);
    text.or_else(|payload| payload.downcast::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
}

/// Runs a handler after a delay, as soon as it has a permit. After a stall of the process, the claim has to be confirmed
/// first: another process may have taken the operation over.
pub(super) async fn call_handler<T: Made>(
    handler: Handler<'_, T>,
    handle: Arc<OperationHandle>,
    attempt: Arc<Attempt>,
    pause: Duration,
    observer: Option<Arc<dyn HandlerObserver>>,
) -> Option<Result<T, Failure>> {
    let _permit = tokio::select! {
        biased;
        permit = async {
            if !pause.is_zero() {
                sleep(pause).await;
            }
            let permit = attempt.permits.acquire().await.ok()?;
            attempt.held_until.wait_for(|until| (Instant::now() < *until).then_some(())).await;
            Some(permit)
        } => permit?,
        // In a block, so that a call that need not wait makes no token.
        () = async { handle.cancelled().cancelled().await } => return None,
    };
    attempt.begin();
    failpoint::reach("handler.call");
    let ended = match observer {
        Some(observer) => report_blocking(pin!(run_observed(handler, &*observer))).await,
        None => report_blocking(handler).await,
    };
    if let Err(Failure(FailureKind::Unexpected(_) | FailureKind::Temporary(_))) = ended {
        tracing::Span::current().record("otel.status_code", "ERROR");
    }
    failpoint::reach("handler.ended");
    Some(ended)
}

/// Logs if a handler keeps its thread from other requests, and maybe from the watch over this attempt.
async fn report_blocking<F: Future + Unpin>(mut handler: F) -> F::Output {
    poll_fn(|cx| {
        let began = std::time::Instant::now();
        let polled = Pin::new(&mut handler).poll(cx);
        let blocked = began.elapsed();
        if blocked >= LONG_BLOCK {
            let seconds = blocked.as_secs_f64();
            tracing::warn!(seconds, "a handler blocked its thread; run such code in `tokio::task::spawn_blocking`");
        }
        polled
    })
    .await
}

async fn run_observed<T: Made>(mut handler: Handler<'_, T>, observer: &dyn HandlerObserver) -> Result<T, Failure> {
    observer.reached(HandlerPoint::Started).await;
    let mut continues = true;
    let ended = poll_fn(|cx| {
        let polled = if continues { handler.as_mut().poll(cx) } else { Poll::Pending };
        continues = continues && (polled.is_ready() || observer.waits());
        polled
    });
    let ended = ended.await;
    match &ended {
        Ok(made) => observer.reached(HandlerPoint::Succeeded(made.state())).await,
        Err(Failure(FailureKind::Refused(refusal))) => {
            let text = format!("the request was refused: {}", refusal.description);
            observer.reached(HandlerPoint::Failed(&text)).await;
        }
        Err(Failure(FailureKind::Unexpected(error) | FailureKind::Temporary(error))) => {
            observer.reached(HandlerPoint::Failed(&with_sources(error.as_ref()))).await;
        }
    }
    ended
}
