//! The worker of an operation, from its claim through all attempts to its end: a task, on which its handlers run.
//!
//! The transaction that claims an operation makes [`Work`] of the claim. An attempt at it has a [`Job`], which says what to call, and
//! an [`Attempt`](super::job::Attempt), which the calls share with the watch over them. Its [`Outcome`] is committed, and leads to the
//! [`NextStep`]: the end, or the work on the next attempt.

use std::{mem, sync::Arc, time::Duration};

use tokio::{
    runtime::Handle,
    sync::OwnedSemaphorePermit,
    time::{Instant, timeout},
};

use super::{
    Event, Lifecycle, answers,
    group::Group,
    job::{HandlerCall, Job, Removal},
    operations::{OperationEnd, Working},
    outcome::{AttemptError, NextStep, Outcome},
    supervisor::HandlerSupervisor,
    watch::Unwatched,
};
use crate::{catalog::Decoded, service::BindingResult, store::Claim};

/// A claimed operation, for its worker.
pub(super) struct Work {
    pub(super) claim: Claim,
    begin: Begin,
    working: Working,
    /// The place in the service's queue, which the operation holds until it ends.
    pub(super) queue_permit: Option<OwnedSemaphorePermit>,
}

/// The beginning of the work on an operation.
enum Begin {
    Job(Box<Job>),
    /// Its handler is not called, for this reason.
    Failed(AttemptError, &'static str),
}

impl Work {
    /// Hands over the parameters that the request of the operation has decoded.
    pub(super) fn take_decoded(&mut self, parameters: Option<Decoded>) {
        if let Begin::Job(job) = &mut self.begin {
            job.take_decoded(parameters);
        }
    }

    /// Ends an operation that an operator cancelled, or whose deadline passed, while no process worked on it. Its handler, which
    /// may end each process, is not called.
    pub(super) fn end_too_late(&mut self, is_cancelled: bool) {
        let (how, why) = if is_cancelled {
            (answers::CANCELLED_BY_OPERATOR, "an operator has cancelled the operation; no handler is called")
        } else {
            (answers::TOO_SLOW, "the deadline passed while no process worked on the operation; no handler is called")
        };
        self.begin = Begin::Failed(AttemptError::TooSlow(how), why);
    }
}

impl Lifecycle {
    /// Prepares the work on a claimed operation. It registers the worker, so it has to be called in the transaction that
    /// claims the operation: this process must not find an expired claim of its own without a worker.
    pub(super) fn build_work(self: &Arc<Self>, group: &Group<'_>, claim: Claim) -> Work {
        let began = group.status().map(|status| status.operation.began);
        let working = self.operations.working(&claim.operation, began);
        let job = self.build_job(group, &claim);
        let no_plan = Begin::Failed(AttemptError::Unexpected, "this release doesn't have the plan");
        Work { claim, begin: job.map_or(no_plan, Begin::Job), working, queue_permit: None }
    }

    /// Starts the worker of a claimed operation. Its first attempt is not watched until the returned value is dropped.
    pub(super) fn start(self: &Arc<Self>, work: Work) -> Option<Unwatched> {
        let unwatched = self.unwatched(&work.begin);
        // Boxed: the future is large, and spawning moves it several times.
        self.operations.tasks.spawn(Box::pin(Arc::clone(self).run_operation(work)));
        unwatched
    }

    fn unwatched(self: &Arc<Self>, begin: &Begin) -> Option<Unwatched> {
        let Begin::Job(job) = begin else { return None };
        Some(Unwatched { lifecycle: Arc::clone(self), attempt: Arc::clone(&job.attempt.0), runtime: Handle::current() })
    }

    async fn run_operation(self: Arc<Self>, work: Work) {
        let Work { mut claim, mut begin, mut working, queue_permit: _queue_permit } = work;
        let mut pause = Duration::ZERO;
        loop {
            let mut left = Vec::new();
            let outcome = match begin {
                _ if self.operations.handed_over.is_cancelled() => Outcome::Failed(AttemptError::HandedOver),
                Begin::Job(job) => self.perform(job, pause, &mut left).await,
                Begin::Failed(error, why) => {
                    log_not_called(&claim, why);
                    Outcome::Failed(error)
                }
            };
            let next = self.commit_outcome(&claim, &outcome, &left).await;
            let Some((next, later)) = self.follow(&claim, working, next) else { return };
            drop(self.unwatched(&next.begin));
            (claim, begin, working, pause) = (next.claim, next.begin, next.working, later);
        }
    }

    /// Notifies the requests that wait for an operation after its commit. Returns the work on the next attempt, and its delay.
    fn follow(self: &Arc<Self>, claim: &Claim, working: Working, next: NextStep<Work>) -> Option<(Work, Duration)> {
        match next {
            NextStep::NextAttempt(next, later) => {
                if next.claim.operation != claim.operation {
                    // As at its end, below.
                    drop(working);
                    self.operations.answer_waiting(&claim.operation, answers::concurrency());
                }
                return Some((next, later));
            }
            NextStep::Ended(answer, deletion) => {
                // A request that registers after this reads the end from the record.
                drop(working);
                // A cancelled create whose resources its own worker has removed ends together with the deletion,
                // but its waiting requests must not get the deletion's response.
                let answer = match deletion {
                    Some((operation, response)) => {
                        self.operations.answer_waiting(&operation, response);
                        answers::concurrency()
                    }
                    None => answer,
                };
                self.operations.answer_waiting(&claim.operation, answer);
            }
            NextStep::HandedOver => {
                drop(working);
                self.operations.notify_waiting(&claim.operation, OperationEnd::HandedOver);
            }
            NextStep::Lost(newest) => {
                let ((tenant, instance, binding), operation) = (claim.key.ids(), &*claim.operation);
                let why = match newest {
                    Some(_) => "another worker has taken over; the result of this attempt is discarded",
                    None => "the record is gone, as after a failover; resources of this operation may remain",
                };
                tracing::warn!(tenant, instance, binding, operation, attempt = claim.attempt, "{why}");
                drop(working);
                self.observe(claim, operation);
                // A deletion that has cancelled this create waits for its worker to continue.
                if let Some(newest) = newest.filter(|newest| newest != operation) {
                    self.observe(claim, &newest);
                }
            }
        }
        None
    }

    /// Ends an operation whose claim the store has not confirmed, even if the store commits the claim later: for ten minutes, the
    /// worker looks whether it has, unless another process has taken the operation over.
    pub(super) fn end_unconfirmed(self: &Arc<Self>, claim: Claim, queue_permit: OwnedSemaphorePermit) {
        const TIME: Duration = Duration::from_mins(10);
        let (this, lease, began) = (Arc::clone(self), self.settings.lease, Instant::now());
        let working = self.operations.working(&claim.operation, None);
        let mut waited_for = Some(self.operations.tasks.token());
        tokio::spawn(async move {
            let mut queue_permit = Some(queue_permit);
            let next = loop {
                match this.commit_outcome(&claim, &Outcome::Failed(AttemptError::NotClaimed), &[]).await {
                    NextStep::Lost(newest) if newest.as_deref() != Some(&*claim.operation) => drop(queue_permit.take()),
                    next => break next,
                }
                let handed_over = this.operations.handed_over.cancelled();
                let mut pause = lease / 8;
                if began.elapsed() >= lease {
                    // Another process can always be faster now, so a shutdown need not wait for it.
                    drop(waited_for.take());
                    pause = lease / 2;
                }
                if timeout(pause, handed_over).await.is_ok() || began.elapsed() >= lease.max(TIME) {
                    return;
                }
            };
            if let NextStep::Ended(..) = next {
                log_not_called(&claim, "the record store did not confirm the claim; no handler is called");
            }
            // The deletion that has cancelled it.
            if let Some((work, _)) = this.follow(&claim, working, next) {
                drop(this.start(Work { queue_permit, ..work }));
            }
        });
    }

    async fn perform(self: &Arc<Self>, mut job: Box<Job>, mut pause: Duration, left: &mut Vec<Event>) -> Outcome {
        // The job stays in its box, which keeps this future small.
        let (before_hook, attempt) = (job.before_hook.take(), &job.attempt.0);
        let supervisor = HandlerSupervisor { lifecycle: self, attempt, key: &attempt.claim.key, name: job.call.name() };
        if let Some(before_hook) = before_hook
            && let Err(error) = Box::pin(supervisor.call_before_hook(before_hook, mem::take(&mut pause))).await
        {
            return Outcome::Failed(error);
        }
        if let HandlerCall::Deprovision(removal) = &job.call
            && removal.bindings > 0
        {
            let unbind = HandlerSupervisor { name: "unbind", ..supervisor };
            // Boxed: it would make the futures of all operations ten times as large.
            let cascade = Box::pin(unbind.unbind_all(removal, pause)).await;
            (*left, pause) = (cascade.left, Duration::ZERO);
            if let Some(error) = cascade.failed {
                return Outcome::Failed(error);
            }
        }
        let plan = &job.resolved.plan;
        match job.call {
            HandlerCall::Provision(call) => {
                supervisor.supervise(Some(plan.provision(call)), pause, Outcome::Made).await
            }
            HandlerCall::Update(call) => supervisor.supervise(plan.update(call), pause, Outcome::Made).await,
            HandlerCall::ChangePlan(call) => supervisor.supervise(plan.change_plan(call), pause, Outcome::Made).await,
            HandlerCall::Deprovision(Removal { call, .. }) => {
                supervisor.supervise(Some(plan.deprovision(call)), pause, |()| Outcome::Removed).await
            }
            HandlerCall::Bind(call) => {
                let outcome = supervisor.supervise(plan.bind(call), pause, Outcome::Bound).await;
                if let Outcome::Bound(BindingResult { fields: Err(error), .. }) = &outcome {
                    supervisor.log_text(error, "failed");
                }
                outcome
            }
            HandlerCall::Unbind(call) => supervisor.supervise(plan.unbind(call), pause, |()| Outcome::Removed).await,
        }
    }
}

fn log_not_called(claim: &Claim, why: &str) {
    let ((tenant, instance, binding), operation) = (claim.key.ids(), &*claim.operation);
    tracing::error!(tenant, instance, binding, operation, "{why}");
}

/// Formats an error and its sources in one line.
pub(super) fn with_sources(error: &dyn std::error::Error) -> String {
    // A chain of sources may be infinite.
    const MAX_SOURCES: usize = 16;
    let causes = std::iter::successors(Some(error), |error| error.source()).take(MAX_SOURCES);
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

#[cfg(test)]
#[path = "../../tests/unit/unconfirmed.rs"]
mod tests;
