//! The supervision of handlers: they run on tasks of their own, while the worker renews the lease of the claim and watches for
//! the deadline and for cancellation.

use std::{
    future::poll_fn,
    pin::{Pin, pin},
    sync::Arc,
    task::Poll,
    time::Duration,
};

use tokio::{
    sync::Semaphore,
    time::{Instant, sleep, sleep_until},
};
use tracing::Instrument;

use super::{
    Lifecycle, answers,
    clock::{MAX_DURATION, within},
    job::Run,
    operations::Working,
    outcome::{HandlerError, HandlerResult},
    probe::{Made, Probe, ProbePoint},
    watched::Watched,
    worker::with_sources,
};
use crate::{
    failpoint,
    protocol::{RequestIdentity, TraceParent},
    service::{Failure, FailureKind, Handler, OperationHandle},
    store::{Claim, ClaimStatus, Record, Timestamp},
};

/// Deadlines are stored in milliseconds, so one that was not extended can seem to be this much later.
const CLOCK_TOLERANCE: Duration = Duration::from_millis(1);

/// The reason why a handler is cancelled.
#[derive(Debug, Clone, Copy)]
pub(super) enum CancelReason {
    TooSlow,
    /// A deletion has cancelled the operation, or another worker has taken it over.
    Stopped,
    /// This process is shutting down.
    HandedOver,
    /// The store has not confirmed the claim, and its lease is about to end: then another process takes the operation over.
    Unconfirmed,
}

/// A request to the store to renew a claim: the time of the request, and the status and the deadline in the record, or
/// `None` after an error.
type Renewal<'a> = Pin<Box<dyn Future<Output = (Instant, Option<(ClaimStatus, Timestamp)>)> + Send + 'a>>;

async fn pending(renewal: &mut Option<Renewal<'_>>) -> (Instant, Option<(ClaimStatus, Timestamp)>) {
    match renewal {
        Some(renewal) => renewal.await,
        None => std::future::pending().await,
    }
}

impl Lifecycle {
    /// Renews the lease, stores the latest progress, and returns the status of the claim and the operation's deadline.
    fn renewal<'a>(&'a self, claim: &'a Claim, run: &Run) -> Renewal<'a> {
        let (began, progress) = (Instant::now(), run.handle.said());
        Box::pin(async move {
            let renewed = self.transact_one(&claim.key, |record| {
                let Some(status) = record.and_then(Record::status_mut) else {
                    return (ClaimStatus::Lost, Timestamp::default());
                };
                let lease = self.settings.now().after(self.settings.lease);
                let fence = status.claim_status(claim);
                if fence != ClaimStatus::Lost {
                    status.operation.lease = lease;
                    if let Some(cancelled) = &mut status.cancelled {
                        cancelled.operation.lease = lease;
                    }
                }
                if let (ClaimStatus::Holds, Some(text)) = (fence, &progress) {
                    status.operation.progress = Some(text.clone());
                }
                (fence, status.operation.deadline)
            });
            (began, renewed.await.ok())
        })
    }
}

/// Writes a log line with the ids of instance, binding, operation and request.
macro_rules! log {
    ($watch:expr, $level:ident, $($rest:tt)+) => {
        tracing::$level!(
            instance = $watch.claim.key.instance.as_str(),
            binding = $watch.claim.key.binding_id(),
            operation = &*$watch.claim.operation,
            request = $watch.run.identity.as_ref().map(RequestIdentity::as_str),
            trace_id = $watch.run.handle.trace.as_ref().map(TraceParent::trace_id),
            $($rest)+
        )
    };
}

/// The reason why a supervisor wakes up while its handler runs.
#[derive(Debug, Clone, Copy)]
enum Due {
    /// The handler has not ended in its grace period.
    Abort,
    /// The operation's deadline, as this process knows it.
    Deadline,
    /// The store has not told of a later deadline.
    TooSlow,
    /// The claim has to be confirmed by now.
    Confirmation,
    /// The lease is renewed regularly.
    Renewal,
    /// The platform gets its response although the rollback has not ended.
    Answer,
}

/// The supervision of one handler call.
#[derive(Clone, Copy)]
pub(super) struct HandlerSupervisor<'a> {
    pub(super) lifecycle: &'a Arc<Lifecycle>,
    pub(super) claim: &'a Claim,
    pub(super) run: &'a Run,
    pub(super) working: &'a Working,
    pub(super) name: &'static str,
}

impl HandlerSupervisor<'_> {
    /// Calls a handler on a task of its own, which isolates panics, and returns its result.
    pub(super) async fn over<T: Made + Send + Sync + 'static>(
        &self,
        handler: Handler<'static, T>,
        pause: Duration,
        done: impl FnOnce(T) -> HandlerResult,
    ) -> HandlerResult {
        let (handle, probe) = (Arc::clone(&self.run.handle), self.lifecycle.settings.probe.clone());
        let task = tokio::spawn(run(handler, handle, self.run, pause, probe).instrument(self.span()));
        let abort = task.abort_handle();
        match self.watch(task, || abort.abort()).await {
            (ended, None) => self.ended(ended, done),
            // It ended in time after all.
            (Ok(Some(Ok(made))), _) => done(made),
            (_, Some(reason)) => HandlerResult::Failed(self.stopped(reason)),
        }
    }

    /// Logs the reason for which a handler was cancelled.
    pub(super) fn stopped(&self, reason: CancelReason) -> HandlerError {
        match reason {
            CancelReason::Stopped => HandlerError::Stopped,
            CancelReason::HandedOver => {
                log!(
                    self,
                    info,
                    "{} is interrupted by the shutdown, and can be continued by another process",
                    self.name
                );
                HandlerError::HandedOver
            }
            CancelReason::Unconfirmed => {
                self.log_text(
                    "the record store has not confirmed the claim before the end of its lease",
                    "was interrupted",
                );
                HandlerError::Interrupted
            }
            CancelReason::TooSlow => {
                log!(self, error, "{} did not finish in time", self.name);
                HandlerError::TooSlow
            }
        }
    }

    /// Returns the span for the log lines of the handler.
    pub(super) fn span(&self) -> tracing::Span {
        let Self { name, claim, run, .. } = self;
        tracing::info_span!(
            "handler",
            handler = name,
            tenant = Some(claim.key.tenant.as_str()).filter(|name| !name.is_empty()),
            instance = claim.key.instance.as_str(),
            binding = claim.key.binding_id(),
            operation = &*claim.operation,
            request = run.identity.as_ref().map(RequestIdentity::as_str),
            trace_id = run.handle.trace.as_ref().map(TraceParent::trace_id),
            parent_span_id = run.handle.trace.as_ref().map(TraceParent::span_id),
            sampled = run.handle.trace.as_ref().map(TraceParent::is_sampled),
        )
    }

    /// Fails an operation that another release has started and for which the plan in this release has no handler.
    pub(super) fn has_no_handler(&self) -> HandlerResult {
        self.log_text(
            "the plan has no such handler in this release, but had one in the release that started the operation",
            "failed",
        );
        HandlerResult::Failed(HandlerError::Unexpected)
    }

    /// Waits for the end of the work and renews the lease until then. If the work has to be cancelled, it gets the grace
    /// period, as far as the lease lasts, and is aborted after that; the reason is returned with its end.
    ///
    /// Requests to the store run beside everything else, so that a store that hangs delays neither a deadline nor a
    /// cancellation.
    pub(super) async fn watch<F: Future>(&self, work: F, abort: impl Fn()) -> (F::Output, Option<CancelReason>) {
        let Self { lifecycle, claim, run, working, .. } = *self;
        let settings = &lifecycle.settings;
        let lease = settings.lease.min(MAX_DURATION);
        let every = (lease / 3).max(Duration::from_millis(1));
        // If the store doesn't confirm the claim, the handler has its grace period before the lease ends: after that, another
        // process may call it.
        let grace = settings.cancel_grace.min(lease / 3);
        let mut work = pin!(work);
        let mut renewal: Option<Renewal<'_>> = None;
        let mut confirmed_until = run.held_until.get();
        let mut renew_at = confirmed_until.checked_sub(lease.saturating_sub(every)).unwrap_or_else(Instant::now);
        let mut give_up_at = confirmed_until.checked_sub(grace).unwrap_or_else(Instant::now);
        let mut has_failed = false;
        let mut answer_at = run.answer_at(settings.rollback_wait);
        // The time until which a renewal can tell that the platform has been answered 202, and the deadline is a later one.
        let mut verify_by = None;
        let mut stopped: Option<CancelReason> = None;
        let mut abort_at = None;
        loop {
            let goes_on = stopped.is_none();
            // The first one counts if several are due at once.
            let times = [
                (abort_at.map(|at: Instant| at.min(confirmed_until)), Due::Abort),
                (Some(run.deadline()).filter(|_| goes_on && verify_by.is_none()), Due::Deadline),
                (verify_by.filter(|_| goes_on), Due::TooSlow),
                (Some(give_up_at).filter(|_| goes_on), Due::Confirmation),
                (Some(renew_at).filter(|_| renewal.is_none()), Due::Renewal),
                (answer_at, Due::Answer),
            ];
            let reason = tokio::select! {
                biased;
                ended = &mut work => return (ended, stopped),
                () = working.stop().cancelled(), if goes_on && !run.is_undo => CancelReason::Stopped,
                () = lifecycle.operations.handed_over.cancelled(), if goes_on => CancelReason::HandedOver,
                (began, renewed) = pending(&mut renewal), if renewal.is_some() => {
                    (renewal, has_failed) = (None, renewed.is_none());
                    renew_at = within(if has_failed { every / 4 } else { every });
                    // On an error of the store, the claim stays valid until the lease ends.
                    let Some((status, deadline)) = renewed else { continue };
                    confirmed_until = began + lease;
                    give_up_at = began + lease.saturating_sub(grace);
                    if status != ClaimStatus::Lost {
                        run.held_until.change(|until| *until = confirmed_until);
                    }
                    let deadline = settings.instant(deadline);
                    match status {
                        ClaimStatus::Holds if deadline > Instant::now().max(run.deadline() + CLOCK_TOLERANCE) => {
                            verify_by = None;
                            run.extend(deadline);
                            continue;
                        }
                        ClaimStatus::Holds if goes_on && verify_by.is_some() => CancelReason::TooSlow,
                        ClaimStatus::Cancelled if goes_on && !run.is_undo => CancelReason::Stopped,
                        ClaimStatus::Lost => {
                            // Another worker may be calling the handler.
                            confirmed_until = Instant::now();
                            if !goes_on {
                                continue;
                            }
                            CancelReason::Stopped
                        }
                        _ => continue,
                    }
                }
                due = first(&times) => match due {
                    Due::Abort => {
                        abort_at = None;
                        abort();
                        continue;
                    }
                    Due::Deadline | Due::Renewal => {
                        verify_by = verify_by.or_else(|| matches!(due, Due::Deadline).then(|| within(settings.cancel_grace)));
                        renewal = Some(lifecycle.renewal(claim, run));
                        continue;
                    }
                    Due::TooSlow => CancelReason::TooSlow,
                    // After a stall of the whole process, the store gets some time to confirm the claim.
                    Due::Confirmation if (renewal.is_some() || has_failed) && Instant::now() < give_up_at + every => {
                        CancelReason::Unconfirmed
                    }
                    Due::Confirmation => {
                        renewal.get_or_insert_with(|| lifecycle.renewal(claim, run));
                        give_up_at = within(every);
                        if confirmed_until > Instant::now() {
                            give_up_at = give_up_at.min(confirmed_until);
                        }
                        continue;
                    }
                    Due::Answer => {
                        answer_at = None;
                        // The rollback continues after the response.
                        lifecycle.operations.ended(&claim.operation, answers::unexpected(&claim.operation));
                        continue;
                    }
                },
                () = run.handle.told.notified(), if renewal.is_none() => {
                    renewal = Some(lifecycle.renewal(claim, run));
                    continue;
                }
            };
            run.handle.cancelled.cancel();
            abort_at = Some(within(settings.cancel_grace));
            stopped = Some(reason);
        }
    }

    pub(super) fn ended<T>(&self, ended: Ending<T>, done: impl FnOnce(T) -> HandlerResult) -> HandlerResult {
        let fault = match ended {
            Ok(Some(Ok(made))) => return done(made),
            Ok(None) => HandlerError::Stopped,
            Ok(Some(Err(Failure(FailureKind::Refused(refusal))))) => HandlerError::Refused(answers::refused(&refusal)),
            Ok(Some(Err(Failure(FailureKind::Unexpected(error))))) => {
                self.log_text(&readable(error.as_ref()), "failed");
                HandlerError::Unexpected
            }
            Ok(Some(Err(Failure(FailureKind::Temporary(error))))) => {
                let (error, attempt) = (readable(error.as_ref()), self.claim.attempt);
                let pause = self.lifecycle.settings.retry.pause(attempt);
                match pause.filter(|pause| within(*pause) < self.run.deadline()) {
                    Some(pause) => {
                        let retry_in = pause.as_secs_f64();
                        log!(self, warn, error, attempt, retry_in, "{} failed with a temporary error", self.name);
                    }
                    None => log!(self, error, error, attempt, "{} failed with a temporary error", self.name),
                }
                HandlerError::Temporary
            }
            Err(aborted) if aborted.is_cancelled() => HandlerError::Stopped,
            Err(panic) => {
                let (name, message) = (self.name, message(panic));
                log!(self, error, message, "{name} panicked");
                HandlerError::Unexpected
            }
        };
        HandlerResult::Failed(fault)
    }

    pub(super) fn log_text(&self, error: &str, how: &str) {
        log!(self, error, error, "{} {how}", self.name);
    }
}

/// Formats an error with its sources. `Display` of the error is the author's code, which may panic.
fn readable(error: &dyn std::error::Error) -> String {
    let text = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| with_sources(error)));
    text.unwrap_or_else(|_| "an error whose Display implementation panics".to_owned())
}

/// A handler on its task; the result is `None` if it was cancelled before it started.
type Ending<T> = Result<Option<Result<T, Failure>>, tokio::task::JoinError>;

/// Runs a handler after a delay, as soon as it has a permit. After a stall of the process, the claim has to be confirmed
/// first: another process may have taken the operation over.
pub(super) fn run<T: Made + Send + Sync>(
    handler: Handler<'static, T>,
    handle: Arc<OperationHandle>,
    run: &Run,
    pause: Duration,
    probe: Option<Arc<dyn Probe>>,
) -> impl Future<Output = Option<Result<T, Failure>>> + Send + use<T> {
    run_held(handler, handle, Arc::clone(&run.permits), Arc::clone(&run.held_until), pause, probe)
}

async fn run_held<T: Made + Send + Sync>(
    handler: Handler<'static, T>,
    handle: Arc<OperationHandle>,
    permits: Arc<Semaphore>,
    held_until: Arc<Watched<Instant>>,
    pause: Duration,
    probe: Option<Arc<dyn Probe>>,
) -> Option<Result<T, Failure>> {
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

/// Waits for the earliest of some times, and returns the first in the list that has come. It takes one timer instead of one for
/// each.
async fn first(times: &[(Option<Instant>, Due)]) -> Due {
    loop {
        match times.iter().filter_map(|(at, _)| *at).min() {
            Some(earliest) => sleep_until(earliest).await,
            None => std::future::pending().await,
        }
        let now = Instant::now();
        if let Some((_, due)) = times.iter().find(|(at, _)| at.is_some_and(|at| at <= now)) {
            return *due;
        }
    }
}

/// Returns the message of a panic, or an empty string.
fn message(error: tokio::task::JoinError) -> String {
    let Ok(said) = error.try_into_panic() else { return String::new() };
    let said = said.downcast::<String>().map(|text| *text);
    said.or_else(|said| said.downcast::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
}
