//! The watch over an attempt, on a task of its own: it renews the lease of the claim, and notices the deadline and cancellations.

use std::{pin::Pin, sync::Arc, time::Duration};

use futures_util::future::OptionFuture;
use tokio::{
    runtime::Handle,
    time::{Instant, sleep_until},
};

use super::{
    Lifecycle, answers,
    clock::{MAX_DURATION, within},
    job::Attempt,
};
use crate::{
    protocol::shorten,
    store::{ClaimStatus, Record, Timestamp},
};

/// Shortest time that the store has to confirm a later deadline, as an operation has once its platform polls.
const MIN_CONFIRMATION: Duration = Duration::from_millis(250);

/// Shortest time between two progress texts that are stored: platforms poll less often.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(200);

/// The reason why a handler is cancelled.
#[derive(Debug, Clone, Copy)]
pub(super) enum CancelReason {
    /// With the predicate of the messages.
    TooSlow(&'static str),
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

impl Lifecycle {
    /// Renews the lease, stores the latest progress, and returns the status of the claim and the operation's deadline.
    fn renewal<'a>(&'a self, attempt: &'a Attempt) -> Renewal<'a> {
        let claim = &attempt.claim;
        let (began, handle, progress) = (Instant::now(), Arc::clone(&attempt.handle), attempt.handle.progress());
        Box::pin(async move {
            let renewed = self.transact_one(&claim.key, |record| {
                let Some(status) = record.and_then(Record::status_mut) else {
                    return (ClaimStatus::Lost, Timestamp::default());
                };
                let claim_status = status.claim_status(claim);
                if claim_status != ClaimStatus::Lost {
                    status.operation.lease = self.settings.now().after(self.settings.lease);
                }
                if let (ClaimStatus::Holds, Some(text)) = (claim_status, &progress) {
                    status.operation.progress = Some(shorten(text.clone()));
                }
                (claim_status, status.operation.deadline)
            });
            let renewed = renewed.await.ok();
            if let (Some(_), Some(text)) = (renewed, &progress) {
                handle.progress_stored(text);
            }
            (began, renewed)
        })
    }
}

/// The reason why a watch wakes up.
#[derive(Debug, Clone, Copy)]
enum Wakeup {
    /// The handler has not ended in its grace period.
    Abort,
    /// The operation's deadline, as this process knows it.
    Deadline,
    /// The store has not reported a later deadline.
    TooSlow,
    /// The claim has to be confirmed by now.
    Confirmation,
    /// The lease is renewed regularly.
    Renewal,
    /// The platform gets its response although the rollback has not ended.
    Answer,
}

/// The state of a watch.
struct Watch<'a> {
    lifecycle: &'a Lifecycle,
    attempt: &'a Attempt,
    /// The deadline in the record. Only changes to it count, because the store's clock may be set.
    stored_deadline: Timestamp,
    lease: Duration,
    /// Interval between two renewals.
    every: Duration,
    /// Time that the handler has to end before the lease does, if the store doesn't confirm the claim.
    grace: Duration,
    renewal: Option<Renewal<'a>>,
    renewal_failed: bool,
    confirmed_until: Instant,
    renew_at: Instant,
    give_up_at: Instant,
    /// The time from which the next progress text can be stored.
    progress_at: Instant,
    answer_at: Option<Instant>,
    /// The time until which a renewal can report a later deadline, because the platform received a 202.
    verify_by: Option<Instant>,
    abort_at: Option<Instant>,
}

/// An attempt that is not watched. Its watch starts when this is dropped, unless it has ended: most take less time than a watch.
#[must_use]
pub(super) struct Unwatched {
    pub(super) lifecycle: Arc<Lifecycle>,
    pub(super) attempt: Arc<Attempt>,
    pub(super) runtime: Handle,
}

impl Drop for Unwatched {
    fn drop(&mut self) {
        if !self.attempt.has_ended.get() {
            self.runtime.spawn(watch(Arc::clone(&self.lifecycle), Arc::clone(&self.attempt)));
        }
    }
}

/// Ends the watch over an attempt when it is dropped, with its job.
pub(super) struct EndOfWatch(pub(super) Arc<Attempt>);

impl Drop for EndOfWatch {
    fn drop(&mut self) {
        self.0.has_ended.change(|has_ended| *has_ended = true);
    }
}

/// Renews the lease of an attempt until it ends. If the handler has to be cancelled, it gets the grace period, as far as the lease
/// lasts, and is aborted after that. Requests to the store run beside everything else, so that a store that hangs delays neither a
/// deadline nor a cancellation.
async fn watch(lifecycle: Arc<Lifecycle>, attempt: Arc<Attempt>) {
    let mut watch = Watch::begin(&lifecycle, &attempt);
    let cancelled = || lifecycle.settings.store.store().cancelled(&attempt.claim.key);
    let mut cancelling = cancelled();
    let stop = lifecycle.operations.stop(&attempt.claim.operation);
    loop {
        let (is_active, is_renewing, times) = (watch.is_active(), watch.renewal.is_some(), watch.times());
        let reason = tokio::select! {
            biased;
            () = attempt.has_ended.wait_for(|has_ended| has_ended.then_some(())) => return,
            () = stop.cancelled(), if is_active && attempt.rollback.is_none() => Some(CancelReason::Stopped),
            () = lifecycle.operations.handed_over.cancelled(), if is_active => Some(CancelReason::HandedOver),
            Some((began, renewed)) = OptionFuture::from(watch.renewal.as_mut()) => watch.renewed(began, renewed),
            due = first(&times) => watch.wake(due),
            () = &mut cancelling, if is_active && !is_renewing => {
                (cancelling, watch.renew_at) = (cancelled(), Instant::now());
                None
            }
            () = attempt.handle.progress_changed.notified(), if !is_renewing => {
                watch.renew_at = watch.renew_at.min(watch.progress_at);
                None
            }
        };
        if let Some(reason) = reason {
            // Before the cancellation, so that the end of the handler shows why.
            let _ = attempt.cancel_reason.set(reason);
            attempt.handle.cancelled().cancel();
            watch.abort_at = Some(within(lifecycle.settings.cancel_grace));
        }
    }
}

impl<'a> Watch<'a> {
    fn begin(lifecycle: &'a Lifecycle, attempt: &'a Attempt) -> Self {
        let settings = &lifecycle.settings;
        let lease = settings.lease.min(MAX_DURATION);
        let every = (lease / 3).max(Duration::from_millis(1));
        let grace = settings.cancel_grace.min(lease / 3);
        let confirmed_until = attempt.held_until.get();
        let before_end = |time| confirmed_until.checked_sub(time).unwrap_or_else(Instant::now);
        Self {
            lifecycle,
            attempt,
            stored_deadline: attempt.stored_deadline,
            lease,
            every,
            grace,
            renewal: None,
            renewal_failed: false,
            confirmed_until,
            renew_at: before_end(lease.saturating_sub(every)),
            give_up_at: before_end(grace),
            progress_at: Instant::now(),
            answer_at: attempt.rollback.as_ref().map(|rollback| rollback.answer_at),
            verify_by: None,
            abort_at: None,
        }
    }

    /// Returns whether the handler has not been cancelled.
    fn is_active(&self) -> bool {
        self.attempt.cancel_reason.get().is_none()
    }

    /// Returns the times at which something is due. The first one counts if several are due at once.
    fn times(&self) -> [(Option<Instant>, Wakeup); 6] {
        let is_active = self.is_active();
        [
            (self.abort_at.map(|at| at.min(self.confirmed_until)), Wakeup::Abort),
            (self.attempt.deadline().filter(|_| is_active && self.verify_by.is_none()), Wakeup::Deadline),
            (self.verify_by.filter(|_| is_active), Wakeup::TooSlow),
            (Some(self.give_up_at).filter(|_| is_active), Wakeup::Confirmation),
            (Some(self.renew_at).filter(|_| self.renewal.is_none()), Wakeup::Renewal),
            (self.answer_at, Wakeup::Answer),
        ]
    }

    /// Learns the result of a renewal. Returns the reason if the work has to be cancelled.
    fn renewed(&mut self, began: Instant, renewed: Option<(ClaimStatus, Timestamp)>) -> Option<CancelReason> {
        (self.renewal, self.renewal_failed, self.progress_at) = (None, renewed.is_none(), began + PROGRESS_INTERVAL);
        self.renew_at = within(if self.renewal_failed { self.every / 4 } else { self.every });
        // On an error of the store, the claim stays valid until the lease ends.
        let (status, deadline) = renewed?;
        self.confirmed_until = began + self.lease;
        self.give_up_at = began + self.lease.saturating_sub(self.grace);
        if status != ClaimStatus::Lost {
            self.attempt.held_until.change(|until| *until = self.confirmed_until);
        }
        let (is_active, later) = (self.is_active(), deadline.since(self.stored_deadline).min(MAX_DURATION));
        match status {
            ClaimStatus::Holds if !later.is_zero() => {
                (self.verify_by, self.stored_deadline) = (None, deadline);
                self.attempt.handle.extend(self.attempt.handle.deadline() + later);
                None
            }
            ClaimStatus::Holds if deadline < self.stored_deadline.min(self.lifecycle.settings.now()) => {
                is_active.then_some(CancelReason::TooSlow(answers::CANCELLED_BY_OPERATOR))
            }
            ClaimStatus::Cancelled if self.attempt.rollback.is_none() => is_active.then_some(CancelReason::Stopped),
            ClaimStatus::Holds | ClaimStatus::Cancelled => {
                (is_active && self.verify_by.is_some()).then_some(CancelReason::TooSlow(answers::TOO_SLOW))
            }
            ClaimStatus::Lost => {
                // Another worker may be calling the handler.
                self.confirmed_until = Instant::now();
                is_active.then_some(CancelReason::Stopped)
            }
        }
    }

    /// Performs the checks that are due. Returns the reason if the work has to be cancelled.
    fn wake(&mut self, due: Wakeup) -> Option<CancelReason> {
        match due {
            Wakeup::Abort => {
                self.abort_at = None;
                self.attempt.aborted.notify_one();
            }
            Wakeup::Deadline => {
                self.verify_by = Some(within(self.lifecycle.settings.cancel_grace.max(MIN_CONFIRMATION)));
                self.renewal = Some(self.lifecycle.renewal(self.attempt));
            }
            Wakeup::Renewal => self.renewal = Some(self.lifecycle.renewal(self.attempt)),
            Wakeup::TooSlow => return Some(CancelReason::TooSlow(answers::TOO_SLOW)),
            // After a stall of the whole process, the store gets some time to confirm the claim.
            Wakeup::Confirmation
                if (self.renewal.is_some() || self.renewal_failed) && Instant::now() < self.give_up_at + self.every =>
            {
                return Some(CancelReason::Unconfirmed);
            }
            Wakeup::Confirmation => {
                self.renewal.get_or_insert_with(|| self.lifecycle.renewal(self.attempt));
                self.give_up_at = within(self.every);
                if self.confirmed_until > Instant::now() {
                    self.give_up_at = self.give_up_at.min(self.confirmed_until);
                }
            }
            Wakeup::Answer => {
                self.answer_at = None;
                if let Some(rollback) = &self.attempt.rollback {
                    let answer = answers::before_rollback(&rollback.failure);
                    self.lifecycle.operations.answer_waiting(&self.attempt.claim.operation, answer);
                }
            }
        }
        None
    }
}

/// Waits for the earliest of some times, and returns the first in the list that has come. All share one timer.
async fn first(times: &[(Option<Instant>, Wakeup)]) -> Wakeup {
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
