//! The wait of a request for the end of its operation, as long as its [`ResponseMode`] allows.

use std::{future::poll_fn, sync::Arc, task::Poll, time::Duration};

use tokio::time::{Instant, timeout_at};

use super::{
    Lifecycle, answers,
    clock::MAX_DURATION,
    mutation::ResponseMode,
    operations::{OperationEnd, Waiting},
    watch::Unwatched,
};
use crate::{
    protocol::Answer,
    store::{Claim, Record, Timestamp},
};

/// Time for which an attempt is not watched while its request waits.
const UNWATCHED: Duration = Duration::from_millis(20);

/// The relation of a request to the operation that it waits for.
pub(super) enum Relation {
    /// It has begun the operation.
    Began(Option<Unwatched>),
    /// It has begun the operation, and cancelled this create, whose worker continues with the operation.
    Cancelled(Arc<str>),
    Joined,
}

impl Lifecycle {
    /// Waits for the end of an operation, at most for the time of its `ResponseMode`. Returns `None` if the record no longer
    /// has the operation.
    pub(super) async fn wait_for_end(
        self: &Arc<Self>,
        claim: &Claim,
        waiting: Waiting,
        (began, accepted): (Timestamp, Option<Answer>),
        response_mode: ResponseMode,
        relation: Relation,
    ) -> Option<Answer> {
        let settings = &self.settings;
        let has_joined = matches!(relation, Relation::Joined);
        let limit = match response_mode {
            ResponseMode::Wait if has_joined => settings.sync_deadline,
            ResponseMode::Wait => {
                settings.sync_deadline.saturating_add(settings.cancel_grace).saturating_add(settings.rollback_wait)
            }
            // The platform of an operation that takes longer already polls.
            ResponseMode::WaitThenPoll => settings.sync_wait.saturating_sub(settings.now().since(began)),
            ResponseMode::Poll => Duration::ZERO,
        };
        let ended = if limit.is_zero() {
            // Starts the watch.
            drop(relation);
            None
        } else {
            self.wait_within(limit, claim, &waiting, relation).await
        };
        let is_handed_over = match ended {
            Some(OperationEnd::Answered(answer)) => return Some(answer),
            Some(OperationEnd::Replaced) => return None,
            // Another process continues with it.
            Some(OperationEnd::HandedOver) => true,
            None => false,
        };
        match response_mode {
            ResponseMode::Wait if has_joined || self.is_polled(claim).await => Some(answers::concurrency()),
            ResponseMode::Wait => {
                let stop = is_handed_over.then(|| answers::failed_by_stop(&waiting.operation));
                let failed = stop.unwrap_or_else(|| answers::failed_too_slow(answers::TOO_SLOW, &waiting.operation));
                Some(answers::failure_answer(&failed))
            }
            ResponseMode::WaitThenPoll | ResponseMode::Poll => {
                self.accept(claim, &waiting.operation, response_mode, accepted).await
            }
        }
    }

    /// Waits for the end of an operation, at most for `limit`.
    async fn wait_within(
        self: &Arc<Self>,
        limit: Duration,
        claim: &Claim,
        waiting: &Waiting,
        relation: Relation,
    ) -> Option<OperationEnd> {
        let works_here = |operation: &str| self.operations.is_working(operation);
        let is_here = match &relation {
            Relation::Began(_) => true,
            Relation::Cancelled(create) => works_here(&waiting.operation) || works_here(create),
            Relation::Joined => works_here(&waiting.operation),
        };
        let now = Instant::now();
        let end = now + limit.min(MAX_DURATION);
        if !is_here {
            // It has ended before this request registered, or another process works on it.
            self.observe(claim, &waiting.operation);
        }
        if matches!(relation, Relation::Began(Some(_))) {
            // Most handlers end before this task continues, which then needs no timer.
            let_others_go_first().await;
        }
        let ended = timeout_at(end.min(now + UNWATCHED), waiting.end.wait()).await;
        // Starts the watch.
        drop(relation);
        match ended {
            Ok(ended) => Some(ended),
            Err(_) => timeout_at(end, waiting.end.wait()).await.ok(),
        }
    }

    /// Returns true if a repeated request has made the operation one whose platform polls, so that it has a later deadline.
    async fn is_polled(&self, claim: &Claim) -> bool {
        let polled = self.read(&claim.key, |record| {
            let operation = record.and_then(Record::status).map(|status| &status.operation);
            operation.is_some_and(|found| *found.id == *claim.operation && found.is_running() && found.accepted)
        });
        polled.await.unwrap_or(false)
    }

    /// Reads the record of another process's operation until it has ended, for all requests that wait for it.
    pub(super) fn observe(self: &Arc<Self>, claim: &Claim, operation: &str) {
        let Some(ended) = self.operations.observe(operation) else { return };
        let (this, claim, operation) = (Arc::clone(self), claim.clone(), operation.to_owned());
        tokio::spawn(async move {
            loop {
                // Registered before the read, so that no change is missed.
                let changed = this.settings.store.store().changed(&claim.key);
                if let Some(end) = this.read_end(&claim, &operation).await {
                    ended.set(end);
                    return;
                }
                tokio::select! {
                    _ = ended.wait() => return,
                    () = changed => {}
                    () = this.operations.handed_over.cancelled() => return ended.set(OperationEnd::HandedOver),
                }
            }
        });
    }

    /// Reads the end of an operation; `None` if it is running.
    async fn read_end(&self, claim: &Claim, operation: &str) -> Option<OperationEnd> {
        let seen = self.read(&claim.key, |record| match record.map(|record| (record, record.newest())) {
            Some((record, (newest, _))) if newest == operation => {
                answers::final_answer(record).map(OperationEnd::Answered)
            }
            Some((_, (_, Some(cancelled)))) if cancelled == operation => {
                Some(OperationEnd::Answered(answers::concurrency()))
            }
            _ => Some(OperationEnd::Replaced),
        });
        seen.await.ok()?
    }

    /// Answers 202, and marks the running operation as one whose platform polls (ASY-06). If it has ended in the meantime, and its
    /// platform need not poll, the response is that of its end.
    async fn accept(
        &self,
        claim: &Claim,
        operation: &str,
        response_mode: ResponseMode,
        accepted: Option<Answer>,
    ) -> Option<Answer> {
        let decided = self.transact_one(&claim.key, |record| {
            let record = record?;
            match record.newest() {
                (newest, _) if newest == operation => {}
                (_, Some(cancelled)) if cancelled == operation => return Some(answers::concurrency()),
                // The request's own operation has ended, and another one has followed it.
                _ => return accepted.clone(),
            }
            // The rollback of a synchronous create has begun since this request joined.
            let newest = record.status().map(|status| &status.operation);
            if newest.is_some_and(|newest| newest.is_running() && newest.is_sync_rollback()) {
                return Some(answers::concurrency());
            }
            let plan = self.plan_of_operation(record);
            if let (Some(status), Some(resolved)) = (record.status_mut(), plan)
                && status.operation.is_running()
                && !status.operation.accepted
            {
                status.operation.accepted = true;
                if !status.operation.is_ended_by_operator() {
                    status.operation.deadline = self.deadline(self.settings.now(), true, resolved.info);
                }
            }
            let ended = if response_mode == ResponseMode::Poll { None } else { answers::final_answer(record) };
            ended.or_else(|| Some(answers::accepted(Some(record), operation)))
        });
        // The claim of a request's own operation has stored that its platform polls.
        decided.await.unwrap_or_else(|_| Some(accepted.unwrap_or_else(answers::no_store)))
    }
}

/// Continues after the tasks that are ready now. `tokio::task::yield_now` would look for I/O too, which takes a system call.
async fn let_others_go_first() {
    let mut is_first = true;
    poll_fn(|cx| {
        if !std::mem::take(&mut is_first) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
