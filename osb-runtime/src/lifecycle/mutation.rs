//! From a request to its response: a transaction decides and claims, then the request waits for the operation's end as
//! long as its [`ResponseMode`] allows.

use std::{sync::Arc, time::Duration};

use http::StatusCode;
use tokio::{sync::OwnedSemaphorePermit, time::timeout_at};

use super::{
    Lifecycle, ResolvedPlan, answers,
    clock::within,
    events::Trigger,
    group::Group,
    operations::{OperationEnd, Waiting, new_id},
    watch::Unwatched,
    worker::Work,
};
use crate::{
    catalog::{Decoded, Mode, Offering, PlanInfo},
    protocol::{Answer, ApiVersion, BindingId, RequestMeta},
    store::{Claim, Key, OperationKind, OperationRecord, Record, StoreError, Timestamp},
};

/// Limits the transactions of one request: each repetition means that the operation it joined was replaced.
const MAX_TRANSACTIONS: usize = 16;

/// Time for which an attempt is not watched while its request waits.
const UNWATCHED: Duration = Duration::from_millis(20);

/// The way in which a platform gets the result of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResponseMode {
    /// In the response to its request.
    Wait,
    /// In the response if the operation ends soon, otherwise by polling.
    WaitThenPoll,
    /// By polling.
    Poll,
}

/// The subject of a request.
#[derive(Debug, Clone, Copy)]
pub(super) enum Target {
    Instance,
    /// A binding to create.
    NewBinding,
    /// A binding to delete.
    OldBinding,
}

/// The decision about a request.
pub(super) enum Step {
    Answer(Answer),
    /// Wait for the running operation.
    Join,
    /// Run the operation that this request has claimed.
    Run(ResponseMode),
    /// The same, after the cancelled create has released its claim.
    Cancel(ResponseMode),
}

/// The decision, with what the request waits for.
enum Decided {
    Answer(Answer),
    /// With the operation, and the time of its beginning.
    Join(Arc<str>, Timestamp, ResponseMode),
    Run(Work, ResponseMode),
    /// With the create whose worker continues with the deletion.
    Cancel(String, ResponseMode),
}

/// The relation of a request to the operation that it waits for.
enum Relation {
    /// It has begun the operation.
    Began(Option<Unwatched>),
    /// It has begun the operation, and cancelled this create, whose worker continues with the operation.
    Cancelled(String),
    Joined,
}

/// A new operation: its id, its start time, its place in the service's queue, and its decoded parameters.
pub(super) struct NewOperation {
    pub(super) id: Arc<str>,
    pub(super) now: Timestamp,
    pub(super) queue_permit: Option<OwnedSemaphorePermit>,
    pub(super) decoded: Option<Decoded>,
    /// The 202 for its request, which has to be answered even if the store fails by then.
    accepted: Option<Answer>,
}

impl Lifecycle {
    /// Runs `decide` in a transaction on a group of records. Logs errors of the store.
    pub(super) async fn transact<R: Send>(
        &self,
        keys: &[Key],
        mut decide: impl FnMut(&mut Group<'_>) -> R + Send,
    ) -> Result<R, StoreError> {
        let mut decided = None;
        let mut decide = |records: &mut [Option<Record>]| {
            // After a conflict: what the first run decided may hold a place in a queue that the second one needs.
            decided = None;
            decided = Some(Group::new(keys, records).decide(&mut decide));
        };
        self.settings.store.store().transact(keys, &mut decide).await.inspect_err(log_store_error)?;
        decided.ok_or_else(StoreError::undecided)
    }

    /// Runs `decide` in a transaction on one record. Logs errors of the store.
    pub(super) async fn transact_one<R: Send>(
        &self,
        key: &Key,
        mut decide: impl FnMut(Option<&mut Record>) -> R + Send,
    ) -> Result<R, StoreError> {
        self.transact(std::slice::from_ref(key), |group| decide(group.subject_mut())).await
    }

    /// Reads a record with `look`. Logs errors of the store.
    pub(super) async fn read<R: Send>(
        &self,
        key: &Key,
        mut look: impl FnMut(Option<&Record>) -> R + Send,
    ) -> Result<R, Answer> {
        let mut seen = None;
        let read = self.settings.store.store().read(key, &mut |record| seen = Some(look(record))).await;
        let read = read.inspect_err(log_store_error);
        match (read, seen) {
            (Ok(()), Some(seen)) => Ok(seen),
            _ => Err(answers::no_store()),
        }
    }

    /// Returns how the platform gets the result of a request (ASY-02 to ASY-05).
    pub(super) fn response_mode(
        offering: &Offering,
        plan: &PlanInfo,
        target: Target,
        meta: &RequestMeta,
    ) -> Result<ResponseMode, Answer> {
        let polls_bindings = meta.version >= ApiVersion::new(2, 14);
        let (mode, accepts) = match target {
            Target::Instance => (plan.spec.asynchronous.instances, true),
            // Credentials that can't be fetched have to be in the response (G3, T44).
            Target::NewBinding => (plan.spec.asynchronous.bindings, polls_bindings && offering.bindings_retrievable),
            Target::OldBinding => (plan.spec.asynchronous.bindings, polls_bindings),
        };
        let accepts = accepts && meta.accepts_incomplete;
        match (mode, accepts) {
            (Mode::Always, true) => Ok(ResponseMode::Poll),
            (Mode::Always, false) => Err(answers::async_required()),
            (Mode::Adaptive, true) => Ok(ResponseMode::WaitThenPoll),
            (Mode::Adaptive, false) | (Mode::Never, _) => Ok(ResponseMode::Wait),
        }
    }

    /// Takes a place in the queue of a service for a new operation, or returns the response if the queue is full.
    pub(super) fn enqueue(&self, new: &mut NewOperation, resolved: &ResolvedPlan) -> Result<(), Answer> {
        let queue = self.service(resolved.offering.id).map(|service| Arc::clone(&service.queue));
        new.queue_permit = queue.and_then(|queue| queue.try_acquire_owned().ok());
        if new.queue_permit.is_some() { Ok(()) } else { Err(answers::overloaded(&self.settings)) }
    }

    /// Returns a new operation with its first attempt claimed.
    pub(super) fn operation(
        &self,
        new: &NewOperation,
        kind: OperationKind,
        meta: &RequestMeta,
        response_mode: ResponseMode,
        plan: &PlanInfo,
    ) -> OperationRecord {
        OperationRecord {
            id: new.id.to_string(),
            kind,
            began: new.now,
            attempt: 1,
            temporary_failures: 0,
            lease: new.now.after(self.settings.lease),
            deadline: self.deadline(new.now, response_mode != ResponseMode::Wait, plan),
            accepted: response_mode != ResponseMode::Wait,
            admitted: self.settings.hooks.is_none(),
            progress: None,
            checkpoint: None,
            origin: meta.origin.clone(),
            identity: meta.request_identity.clone(),
            trace: meta.trace.clone(),
            end: None,
        }
    }

    /// Returns the deadline of an operation that begins now. `accepted`: the platform polls.
    pub(super) fn deadline(&self, now: Timestamp, accepted: bool, plan: &PlanInfo) -> Timestamp {
        if !accepted {
            return now.after(self.settings.sync_deadline);
        }
        let polled = plan.spec.maximum_polling_duration.map(|seconds| Duration::from_secs(seconds.into()));
        now.after(
            polled.map_or(self.settings.max_operation_time, |polled| polled.min(self.settings.max_operation_time)),
        )
    }

    /// Answers a request by the decision of `look`, which is repeated if the joined operation was replaced.
    pub(super) async fn handle_mutation(
        self: &Arc<Self>,
        key: &Key,
        predecessor: Option<&BindingId>,
        meta: &RequestMeta,
        mut look: impl FnMut(&mut Group<'_>, &mut NewOperation) -> Step + Send,
    ) -> Answer {
        self.start_sweeps();
        for _ in 0..MAX_TRANSACTIONS {
            let mut new = NewOperation {
                id: new_id(),
                now: self.settings.now(),
                queue_permit: None,
                decoded: None,
                accepted: None,
            };
            let predecessor = predecessor.cloned();
            let claim = Claim { key: key.clone(), predecessor, operation: new.id.clone(), attempt: 1 };
            let waiting = self.operations.wait(&new.id);
            let decided = self
                .commit(&claim.keys(), Trigger::Worker, &mut Vec::new(), |group| {
                    // The store may call this again.
                    new.queue_permit = None;
                    self.decide(group, &claim, meta, &mut new, &mut look)
                })
                .await;
            let Ok(decided) = decided else {
                // The claim may have been committed although the store reports an error.
                if let Some(permit) = new.queue_permit {
                    drop(self.start(self.unconfirmed(claim, permit)));
                }
                return answers::no_store();
            };
            let (response_mode, relation) = match decided {
                Decided::Answer(answer) => return answer,
                Decided::Join(operation, began, response_mode) => {
                    let waiting = self.operations.wait(&operation);
                    match self.wait_for_end(&claim, waiting, (began, None), response_mode, Relation::Joined).await {
                        // For a request that joined, the instance or binding exists already (PROV-11, BIND-08).
                        Some(answer) if answer.status == StatusCode::CREATED => {
                            return Answer { status: StatusCode::OK, ..answer };
                        }
                        Some(answer) => return answer,
                        None => continue,
                    }
                }
                Decided::Run(mut work, response_mode) => {
                    work.queue_permit = new.queue_permit.take();
                    work.take_decoded(new.decoded);
                    (response_mode, Relation::Began(self.start(work)))
                }
                Decided::Cancel(cancelled, response_mode) => {
                    self.operations.stop(&cancelled);
                    // Requests that wait for the create don't wait for its handler to stop.
                    self.operations.answer_waiting(&cancelled, answers::concurrency());
                    (response_mode, Relation::Cancelled(cancelled))
                }
            };
            let end = self.wait_for_end(&claim, waiting, (new.now, new.accepted), response_mode, relation).await;
            return end.unwrap_or_else(|| {
                let (instance, binding, operation) = (key.instance.as_str(), key.binding_id(), &*claim.operation);
                tracing::error!(instance, binding, operation, "the record no longer has this operation");
                answers::unexpected(operation)
            });
        }
        answers::concurrency()
    }

    fn decide(
        self: &Arc<Self>,
        group: &mut Group<'_>,
        claim: &Claim,
        meta: &RequestMeta,
        new: &mut NewOperation,
        look: &mut (impl FnMut(&mut Group<'_>, &mut NewOperation) -> Step + Send),
    ) -> Decided {
        // Its worker would release the claim at once, and the platform could not know that another process continues.
        if self.operations.handed_over.is_cancelled() {
            return Decided::Answer(answers::shutting_down(&self.settings));
        }
        let step = look(group, new);
        if let Step::Run(ResponseMode::WaitThenPoll | ResponseMode::Poll) | Step::Cancel(_) = step {
            new.accepted = Some(answers::accepted(group.subject(), &claim.operation));
        }
        match step {
            Step::Answer(answer) => Decided::Answer(answer),
            Step::Run(response_mode) => Decided::Run(self.build_work(group, claim.clone()), response_mode),
            Step::Cancel(response_mode) => {
                let cancelled = group.status().and_then(|status| status.cancelled.as_ref());
                let cancelled = cancelled.map(|cancelled| cancelled.operation.id.clone()).unwrap_or_default();
                Decided::Cancel(cancelled, response_mode)
            }
            Step::Join => match group.subject().and_then(|record| Some((record, &record.status()?.operation))) {
                Some((record, operation)) if !operation.is_lost() => {
                    let response_mode = self.joined_mode(record, operation, meta);
                    Decided::Join(operation.id.as_str().into(), operation.began, response_mode)
                }
                _ => Decided::Answer(answers::concurrency()),
            },
        }
    }

    /// Returns how the platform of a repeated request gets the result of the running operation.
    fn joined_mode(&self, record: &Record, operation: &OperationRecord, meta: &RequestMeta) -> ResponseMode {
        let target = match (record.binding(), operation.is_delete()) {
            (None, _) => Target::Instance,
            (Some(_), false) => Target::NewBinding,
            (Some(_), true) => Target::OldBinding,
        };
        let resolved = self.plan_of_operation(record);
        let response_mode =
            resolved.and_then(|resolved| Self::response_mode(resolved.offering, resolved.info, target, meta).ok());
        match response_mode {
            Some(ResponseMode::WaitThenPoll | ResponseMode::Poll) => ResponseMode::WaitThenPoll,
            Some(ResponseMode::Wait) | None => ResponseMode::Wait,
        }
    }

    /// Returns the plan of the newest operation of a record: of an update, the plan after it.
    pub(super) fn plan_of_operation(&self, record: &Record) -> Option<ResolvedPlan> {
        let (service_id, plan_id) = record.plan()?;
        let plan_id = match record.status().map(|status| &status.operation.kind) {
            Some(OperationKind::Update(change)) => &change.plan_id,
            _ => plan_id,
        };
        self.route(service_id, plan_id).ok()
    }

    /// Waits for the end of an operation, at most for the time of its `ResponseMode`. Returns `None` if the record no longer
    /// has the operation.
    async fn wait_for_end(
        self: &Arc<Self>,
        claim: &Claim,
        waiting: Waiting,
        (began, accepted): (Timestamp, Option<Answer>),
        response_mode: ResponseMode,
        relation: Relation,
    ) -> Option<Answer> {
        let settings = &self.settings;
        let is_here = |operation: &str| self.operations.is_working(operation);
        let (joined, is_here, unwatched) = match relation {
            Relation::Joined => (true, is_here(waiting.operation()), None),
            Relation::Cancelled(create) => (false, is_here(waiting.operation()) || is_here(&create), None),
            Relation::Began(unwatched) => (false, true, unwatched),
        };
        let limit = match (response_mode, joined) {
            (ResponseMode::Wait, true) => settings.sync_deadline,
            (ResponseMode::Wait, false) => {
                settings.sync_deadline.saturating_add(settings.cancel_grace).saturating_add(settings.rollback_wait)
            }
            // The platform of an operation that takes longer already polls.
            (ResponseMode::WaitThenPoll, _) => settings.sync_wait.saturating_sub(settings.now().since(began)),
            (ResponseMode::Poll, _) => Duration::ZERO,
        };
        let end = within(limit);
        let unwatched = unwatched.filter(|_| !limit.is_zero());
        let mut is_handed_over = false;
        if !limit.is_zero() {
            if !is_here {
                // It has ended before this request registered, or another process works on it.
                self.observe(claim, waiting.operation());
            }
            let mut ended = timeout_at(end.min(within(UNWATCHED)), waiting.ended()).await;
            drop(unwatched);
            if ended.is_err() {
                ended = timeout_at(end, waiting.ended()).await;
            }
            match ended {
                Ok(OperationEnd::Answered(answer)) => return Some(answer),
                Ok(OperationEnd::Replaced) => return None,
                // Another process continues with it.
                Ok(OperationEnd::HandedOver) => is_handed_over = true,
                Err(_) => {}
            }
        }
        match response_mode {
            ResponseMode::Wait if joined || self.is_polled(claim).await => Some(answers::concurrency()),
            ResponseMode::Wait if is_handed_over => {
                Some(answers::failure_answer(&answers::failed_by_stop(waiting.operation())))
            }
            ResponseMode::Wait => Some(answers::too_slow(waiting.operation())),
            ResponseMode::WaitThenPoll | ResponseMode::Poll => {
                self.accept(claim, waiting.operation(), response_mode, accepted).await
            }
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
                // From before the read, so that no change is missed.
                let changed = this.settings.store.store().changed(&claim.key);
                if let Some(end) = this.read_end(&claim, &operation).await {
                    ended.set(end);
                    return;
                }
                tokio::select! {
                    _ = ended.wait() => return,
                    () = changed => {}
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
        seen.await.unwrap_or_else(|answer| Some(OperationEnd::Answered(answer)))
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
                _ => return None,
            }
            // The rollback of a synchronous create has begun since this request joined.
            if record.status().is_some_and(|status| status.operation.is_running() && status.operation.is_lost()) {
                return Some(answers::concurrency());
            }
            let plan = self.plan_of_operation(record);
            if let (Some(status), Some(resolved)) = (record.status_mut(), plan)
                && status.operation.is_running()
                && !status.operation.accepted
            {
                status.operation.accepted = true;
                status.operation.deadline = self.deadline(self.settings.now(), true, resolved.info);
            }
            let ended = if response_mode == ResponseMode::Poll { None } else { answers::final_answer(record) };
            ended.or_else(|| Some(answers::accepted(Some(record), operation)))
        });
        // The claim of a request's own operation has stored that its platform polls.
        decided.await.unwrap_or_else(|_| Some(accepted.unwrap_or_else(answers::no_store)))
    }
}

pub(super) fn log_store_error(error: &StoreError) {
    tracing::error!(%error, "the record store is unavailable");
}
