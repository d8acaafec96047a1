//! The worker of an operation, from its claim through all attempts to its end. Handlers run on their own tasks.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::Semaphore,
    task::JoinHandle,
    time::{Instant, sleep, sleep_until, timeout_at},
};
use tracing::Instrument;

use super::{
    Lifecycle, answers,
    audit::Trigger,
    clock::within,
    hooks::not_begun,
    job::{Job, Run, Task},
    operations::Working,
    outcome::{HandlerError, HandlerResult, NextStep, OutcomeContext, apply_outcome, tombstone},
    probe::{Made, Probe, ProbePoint},
};
use crate::{
    failpoint,
    protocol::{Answer, BindingId, RequestIdentity},
    service::{Failure, FailureKind, Handler, MadeBinding, OperationHandle},
    store::{Claim, ClaimStatus, Ended, OperationKind, Phase, Record, Subject},
};

/// A claimed operation, for its worker. There is no job if the broker no longer has the plan.
pub(super) struct Work {
    pub(super) claim: Claim,
    job: Option<Box<Job>>,
    working: Working,
}

/// The reason why a handler is cancelled.
enum CancelReason {
    TooSlow,
    Stopped,
}

impl Lifecycle {
    /// Prepares the work on a claimed operation. It registers the worker, so it has to be called in the transaction that
    /// claims the operation: this process must not find an expired claim of its own without a worker.
    pub(super) fn build_work(self: &Arc<Self>, record: &Record, claim: Claim) -> Work {
        let (working, job) = (self.operations.working(&claim.operation), self.build_job(record, &claim));
        Work { claim, job, working }
    }

    /// Starts the worker of a claimed operation.
    pub(super) fn start(self: &Arc<Self>, work: Work) {
        // Boxed: the future is large, and spawning moves it several times.
        self.operations.tasks.spawn(Box::pin(Arc::clone(self).run_operation(work)));
    }

    async fn run_operation(self: Arc<Self>, work: Work) {
        let Work { mut claim, mut job, mut working } = work;
        let mut pause = Duration::ZERO;
        loop {
            let outcome = match job.take() {
                Some(job) => self.perform(&claim, job, pause, &working).await,
                None => {
                    let subject = &claim.subject;
                    tracing::error!(instance = %claim.key.instance, ?subject, "the broker no longer has the plan");
                    HandlerResult::Failed(HandlerError::Unexpected)
                }
            };
            let next = self
                .commit_with_retry(&claim, |record| {
                    let Some(record) = record else { return (NextStep::Lost, None, None) };
                    let now = OutcomeContext { at: self.settings.clock.now(), settings: &self.settings };
                    let next = apply_outcome(record, &claim, &outcome, &now);
                    let (work, deletion) = match &next {
                        NextStep::Again(claim, _) => (Some(self.build_work(record, claim.clone())), None),
                        NextStep::Ended(_) => (None, ended_by_deletion(record, &claim)),
                        NextStep::Lost => (None, None),
                    };
                    (next, work, deletion)
                })
                .await;
            match next {
                (NextStep::Ended(answer), _, deletion) => {
                    // A request that registers after this reads the end from the record.
                    drop(working);
                    // A cancelled create whose resources its own worker has removed ends together with the deletion,
                    // but its waiting requests must not get the deletion's response.
                    let answer = match deletion {
                        Some((operation, response)) => {
                            self.operations.ended(&operation, response);
                            answers::concurrency()
                        }
                        None => answer,
                    };
                    self.operations.ended(&claim.operation, answer);
                    return;
                }
                (NextStep::Again(_, later), Some(next), _) => {
                    if next.claim.operation != claim.operation {
                        self.operations.ended(&claim.operation, answers::concurrency());
                    }
                    (claim, job, working, pause) = (next.claim, next.job, next.working, later);
                }
                _ => {
                    tracing::warn!(
                        instance = %claim.key.instance,
                        operation = claim.operation,
                        attempt = claim.attempt,
                        "another worker has taken over; the result of this attempt is discarded"
                    );
                    drop(working);
                    self.operations.ended(&claim.operation, answers::concurrency());
                    return;
                }
            }
        }
    }

    /// Commits a change that must not be lost: retries until the store succeeds.
    pub(super) async fn commit_with_retry<R: Send>(
        &self,
        claim: &Claim,
        mut decide: impl FnMut(&mut Option<Record>) -> R + Send,
    ) -> R {
        let mut pause = Duration::from_millis(50);
        loop {
            match self.commit(&claim.key, Trigger::Worker, &mut decide).await {
                Ok(decided) => return decided,
                Err(_) => sleep(pause).await,
            }
            pause = (pause * 2).min(Duration::from_secs(5));
        }
    }

    async fn perform(
        self: &Arc<Self>,
        claim: &Claim,
        job: Box<Job>,
        pause: Duration,
        working: &Working,
    ) -> HandlerResult {
        let Job { task, mut run } = *job;
        let (ask, mut pause) = (run.ask.take(), pause);
        let watch = HandlerSupervisor { lifecycle: self, claim, run: &run, working, name: task.name() };
        if let Some(ask) = ask {
            let hook = HandlerSupervisor { name: "the hook before an operation", ..watch };
            if let HandlerResult::Failed(fault) =
                hook.over(Box::pin(ask.ask()), pause, |()| HandlerResult::Removed).await
            {
                return HandlerResult::Failed(not_begun(fault));
            }
            if !self.admit(claim).await {
                return HandlerResult::Failed(HandlerError::Stopped);
            }
            pause = Duration::ZERO;
        }
        match task {
            Task::Provision(resolved, call) => {
                watch.over(resolved.plan.provision(call), pause, HandlerResult::Made).await
            }
            Task::Update(resolved, call) => match resolved.plan.update(call) {
                Some(handler) => watch.over(handler, pause, HandlerResult::Made).await,
                None => watch.has_no_handler(),
            },
            Task::ChangePlan(resolved, to, call) => match resolved.plan.change_plan(&to, call) {
                Some(handler) => watch.over(handler, pause, HandlerResult::Made).await,
                None => watch.has_no_handler(),
            },
            Task::Bind(resolved, call) => match resolved.plan.bind(call) {
                Some(handler) => {
                    let outcome = watch.over(handler, pause, HandlerResult::Bound).await;
                    if let HandlerResult::Bound(MadeBinding { fields: Err(error), .. }) = &outcome {
                        watch.log_text(error, "failed");
                    }
                    outcome
                }
                None => watch.has_no_handler(),
            },
            Task::Unbind(resolved, call) => match resolved.plan.unbind(call) {
                Some(handler) => watch.over(handler, pause, |()| HandlerResult::Removed).await,
                None => watch.has_no_handler(),
            },
            Task::Deprovision(bindings, resolved, call) => {
                let (mut pause, mut unbound) = (pause, false);
                for (id, resolved, call) in bindings {
                    let named = HandlerSupervisor { name: "unbind", ..watch };
                    let outcome = match resolved.plan.unbind(call) {
                        Some(handler) => named.over(handler, pause, |()| HandlerResult::Removed).await,
                        None => named.has_no_handler(),
                    };
                    if let HandlerResult::Failed(fault) = &outcome {
                        self.record_cascade_failure(claim, &id, fault).await;
                        return if unbound { refusal_to_failure(outcome) } else { outcome };
                    }
                    self.record_cascade_unbind(claim, &id).await;
                    (pause, unbound) = (Duration::ZERO, true);
                }
                let outcome = watch.over(resolved.plan.deprovision(call), pause, |()| HandlerResult::Removed).await;
                if unbound { refusal_to_failure(outcome) } else { outcome }
            }
        }
    }

    /// Makes a binding a tombstone after a cascading deletion has unbound it.
    async fn record_cascade_unbind(&self, claim: &Claim, id: &BindingId) {
        self.commit_with_retry(claim, |record| {
            let Some(record) = record else { return };
            let operation = record.status.operation.clone();
            let now = OutcomeContext { at: self.settings.clock.now(), settings: &self.settings };
            if record.status.claim_status(claim) != ClaimStatus::Lost {
                tombstone(record, &Subject::Binding(id.clone()), &now);
                if let Some(binding) = record.bindings.get_mut(id) {
                    binding.status.operation = operation;
                    binding.status.cancelled = None;
                    binding.status.operation.kind = OperationKind::Delete { before: Phase::Ready };
                    binding.status.operation.end = Some(Ended { failure: None });
                }
            }
        })
        .await;
    }

    /// Marks a binding that a cascading deletion could not unbind as `DeleteFailed`, unless the handler refused.
    async fn record_cascade_failure(&self, claim: &Claim, id: &BindingId, fault: &HandlerError) {
        if fault.is_refusal() {
            return;
        }
        self.commit_with_retry(claim, |record| {
            let Some(record) = record.as_mut().filter(|record| record.status.claim_status(claim) != ClaimStatus::Lost)
            else {
                return;
            };
            if let Some(binding) = record.bindings.get_mut(id) {
                binding.status.phase = Phase::DeleteFailed;
            }
        })
        .await;
    }

    /// Renews the lease, stores the progress, and returns the status of the claim.
    async fn renew(&self, claim: &Claim, progress: Option<&str>) -> ClaimStatus {
        let renewed = self
            .transact(&claim.key, |record| {
                let Some(status) = record.as_mut().and_then(|record| record.status_mut(&claim.subject)) else {
                    return ClaimStatus::Lost;
                };
                let lease = self.settings.clock.now().after(self.settings.lease);
                let fence = status.claim_status(claim);
                if fence != ClaimStatus::Lost {
                    status.operation.lease = lease;
                    if let Some(cancelled) = &mut status.cancelled {
                        cancelled.operation.lease = lease;
                    }
                }
                if let (ClaimStatus::Holds, Some(text)) = (fence, progress) {
                    status.operation.progress = Some(text.to_owned());
                }
                fence
            })
            .await;
        // On an error of the store, assume that the claim is valid: every commit checks it again.
        renewed.unwrap_or(ClaimStatus::Holds)
    }

    /// Returns the later deadline of an operation whose platform has been answered 202 in the meantime.
    async fn extension(&self, claim: &Claim, deadline: Instant) -> Option<Instant> {
        let later = self
            .transact(&claim.key, |record| {
                let status = record.as_ref()?.status(&claim.subject)?;
                (status.claim_status(claim) == ClaimStatus::Holds).then_some(status.operation.deadline)
            })
            .await;
        let later = self.settings.clock.instant(later.ok()??);
        (later > deadline + Duration::from_millis(1) && later > Instant::now()).then_some(later)
    }
}

/// Returns the id and the response of the deletion that has cancelled a create, if both have ended together.
fn ended_by_deletion(record: &Record, claim: &Claim) -> Option<(String, Answer)> {
    let deletion = &record.status(&claim.subject)?.operation;
    (deletion.id != claim.operation).then_some(())?;
    Some((deletion.id.clone(), answers::ended(record, &claim.subject)?))
}

/// Makes a refusal a failure with status 500, because bindings have been unbound already (ERR-08).
fn refusal_to_failure(outcome: HandlerResult) -> HandlerResult {
    match outcome {
        HandlerResult::Failed(HandlerError::Refused(mut refusal)) => {
            refusal.status = 500;
            refusal.error = None;
            HandlerResult::Failed(HandlerError::Refused(refusal))
        }
        other => other,
    }
}

/// The supervision of one handler call.
#[derive(Clone, Copy)]
struct HandlerSupervisor<'a> {
    lifecycle: &'a Arc<Lifecycle>,
    claim: &'a Claim,
    run: &'a Run,
    working: &'a Working,
    name: &'static str,
}

impl HandlerSupervisor<'_> {
    async fn over<T: Made + Send + Sync + 'static>(
        &self,
        handler: Handler<'static, T>,
        pause: Duration,
        done: impl FnOnce(T) -> HandlerResult,
    ) -> HandlerResult {
        let (handle, permits) = (Arc::clone(&self.run.handle), Arc::clone(&self.run.permits));
        // Its own task isolates a panic.
        let probe = self.lifecycle.settings.probe.clone();
        let mut task = tokio::spawn(run(handler, handle, permits, pause, probe).instrument(self.span()));
        match self.watch(&mut task).await {
            Ok(ended) => self.ended(ended, done),
            Err(reason) => {
                self.run.handle.cancelled.cancel();
                let ended = match timeout_at(within(self.lifecycle.settings.cancel_grace), &mut task).await {
                    Ok(ended) => Some(ended),
                    Err(_) => {
                        task.abort();
                        // The handler has to be dropped before a rollback starts.
                        task.await.ok().map(Ok)
                    }
                };
                match (ended, reason) {
                    (Some(Ok(Some(Ok(made)))), _) => done(made),
                    (_, CancelReason::Stopped) => HandlerResult::Failed(HandlerError::Stopped),
                    (_, CancelReason::TooSlow) => {
                        self.log(|instance, operation, identity| {
                            let name = self.name;
                            tracing::error!(instance, operation, request = identity, "{name} did not finish in time");
                        });
                        HandlerResult::Failed(HandlerError::TooSlow)
                    }
                }
            }
        }
    }

    /// Returns the span for the log lines of the handler.
    fn span(&self) -> tracing::Span {
        let Self { name, claim, run, .. } = self;
        tracing::info_span!(
            "handler",
            handler = name,
            tenant = Some(claim.key.tenant.as_str()).filter(|name| !name.is_empty()),
            instance = claim.key.instance.as_str(),
            operation = claim.operation,
            request = run.identity.as_ref().map(RequestIdentity::as_str),
        )
    }

    /// Fails an operation that another release has started and for which the plan in this release has no handler.
    fn has_no_handler(&self) -> HandlerResult {
        self.log_text(
            "the plan has no such handler in this release, but had one in the release that started the operation",
            "failed",
        );
        HandlerResult::Failed(HandlerError::Unexpected)
    }

    /// Waits for a handler's end and renews the lease. Returns an error if the handler has to be cancelled.
    async fn watch<T: Send + 'static>(&self, task: &mut Running<T>) -> Result<Ending<T>, CancelReason> {
        let settings = &self.lifecycle.settings;
        let every = (settings.lease / 3).max(Duration::from_millis(1));
        let mut renewal = within(every);
        let mut answer_at = self.run.answer_at(settings.rollback_wait);
        loop {
            let deadline = self.run.deadline();
            tokio::select! {
                biased;
                ended = &mut *task => return Ok(ended),
                () = self.working.stop.cancelled(), if !self.run.is_undo => return Err(CancelReason::Stopped),
                () = sleep_until(deadline) => match self.lifecycle.extension(self.claim, deadline).await {
                    Some(later) => self.run.extend(later),
                    None => return Err(CancelReason::TooSlow),
                },
                () = sleep_until(renewal) => {
                    match self.lifecycle.renew(self.claim, None).await {
                        ClaimStatus::Holds => {}
                        ClaimStatus::Cancelled if self.run.is_undo => {}
                        ClaimStatus::Cancelled | ClaimStatus::Lost => return Err(CancelReason::Stopped),
                    }
                    renewal = within(every);
                }
                () = self.run.handle.told.notified() => {
                    if let Some(text) = self.run.handle.said() {
                        self.lifecycle.renew(self.claim, Some(&text)).await;
                    }
                }
                () = at(answer_at), if answer_at.is_some() => {
                    answer_at = None;
                    // The rollback continues after the response.
                    self.lifecycle.operations.ended(&self.claim.operation, answers::unexpected());
                }
            }
        }
    }

    fn ended<T>(&self, ended: Ending<T>, done: impl FnOnce(T) -> HandlerResult) -> HandlerResult {
        let fault = match ended {
            Ok(Some(Ok(made))) => return done(made),
            Ok(None) => HandlerError::Stopped,
            Ok(Some(Err(Failure(FailureKind::Refused(refusal))))) => HandlerError::Refused(answers::refused(&refusal)),
            Ok(Some(Err(Failure(FailureKind::Unexpected(error))))) => {
                self.log_error(error.as_ref(), "failed");
                HandlerError::Unexpected
            }
            Ok(Some(Err(Failure(FailureKind::Temporary(error))))) => {
                self.log_error(error.as_ref(), "failed with a temporary error");
                HandlerError::Temporary
            }
            Err(panic) => {
                let (name, message) = (self.name, message(panic));
                self.log(|instance, operation, identity| {
                    tracing::error!(instance, operation, request = identity, message, "{name} panicked");
                });
                HandlerError::Unexpected
            }
        };
        HandlerResult::Failed(fault)
    }

    fn log_error(&self, error: &dyn std::error::Error, how: &str) {
        // `Display` of the error is the author's code, which may panic.
        let text = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| with_sources(error)));
        self.log_text(&text.unwrap_or_else(|_| "an error whose Display implementation panics".to_owned()), how);
    }

    fn log_text(&self, error: &str, how: &str) {
        let name = self.name;
        self.log(|instance, operation, identity| {
            tracing::error!(instance, operation, request = identity, error, "{name} {how}");
        });
    }

    /// Writes a log line with the ids of instance, operation and request.
    fn log(&self, write: impl FnOnce(&str, &str, &str)) {
        let identity = self.run.identity.as_ref().map_or("", |identity| identity.as_str());
        write(self.claim.key.instance.as_str(), &self.claim.operation, identity);
    }
}

/// A handler on its task; the result is `None` if it was cancelled before it started.
type Running<T> = JoinHandle<Option<Result<T, Failure>>>;
type Ending<T> = Result<Option<Result<T, Failure>>, tokio::task::JoinError>;

/// Runs a handler after a delay, as soon as it has a permit.
async fn run<T: Made>(
    handler: Handler<'static, T>,
    handle: Arc<OperationHandle>,
    permits: Arc<Semaphore>,
    pause: Duration,
    probe: Option<Arc<dyn Probe>>,
) -> Option<Result<T, Failure>> {
    let _permit = tokio::select! {
        biased;
        permit = async {
            if !pause.is_zero() {
                sleep(pause).await;
            }
            permits.acquire_owned().await
        } => permit.ok()?,
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

async fn run_probed<T: Made>(handler: Handler<'static, T>, probe: &dyn Probe) -> Result<T, Failure> {
    probe.reached(ProbePoint::Started).await;
    let ended = handler.await;
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

async fn at(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => std::future::pending().await,
    }
}

/// Formats an error and its sources in one line.
pub(super) fn with_sources(error: &dyn std::error::Error) -> String {
    // A chain of sources may be infinite.
    const MAX_SOURCES: usize = 16;
    let causes = std::iter::successors(Some(error), |error| error.source()).take(MAX_SOURCES);
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

/// Returns the message of a panic, or an empty string.
fn message(error: tokio::task::JoinError) -> String {
    let Ok(said) = error.try_into_panic() else { return String::new() };
    let said = said.downcast::<String>().map(|text| *text);
    said.or_else(|said| said.downcast::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
}
