//! A request that changes an instance or a binding: a transaction decides and claims, a worker starts, and the request
//! [waits](super::wait) for the end of the operation.

use std::{sync::Arc, time::Duration};

use tokio::sync::OwnedSemaphorePermit;

use super::{
    Lifecycle, ResolvedPlan, answers, events::Trigger, group::Group, operations::new_id, wait::Relation, worker::Work,
};
use crate::{
    catalog::{Decoded, Mode, PlanInfo},
    protocol::{Answer, BindingId, RequestMeta},
    store::{Claim, Key, OperationKind, OperationRecord, Record, StoreError, Timestamp},
};

/// Limits the transactions of one request: each repetition means that the operation it joined was replaced.
const MAX_TRANSACTIONS: usize = 16;

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
pub(super) enum Subject {
    Instance,
    /// A binding to create.
    NewBinding,
    /// A binding to delete.
    OldBinding,
}

/// The decision about a request that is not answered at once.
pub(super) enum Step {
    /// Wait for the running operation.
    Join,
    /// Run the operation that this request has claimed.
    Run(ResponseMode),
    /// The same, after the cancelled create has released its claim.
    Cancel(ResponseMode),
}

/// The decision, with the operation that the request waits for.
enum Decided {
    /// With the operation, and the time of its beginning.
    Join(Arc<str>, Timestamp, ResponseMode),
    Run(Work, ResponseMode),
    /// With the create whose worker continues with the deletion.
    Cancel(Arc<str>, ResponseMode),
}

/// A new operation: its claim, its start time, its place in the service's queue, and its decoded parameters.
pub(super) struct NewOperation<'a> {
    claim: &'a Claim,
    now: Timestamp,
    pub(super) queue_permit: Option<OwnedSemaphorePermit>,
    pub(super) decoded: Option<Decoded>,
    /// The 202 for its request, which has to be answered even if the store fails by then.
    accepted: Option<Answer>,
}

impl ResolvedPlan {
    /// Returns how the platform gets the result of a request (ASY-02 to ASY-05).
    pub(super) fn response_mode(&self, subject: Subject, meta: &RequestMeta) -> Result<ResponseMode, Answer> {
        let modes = self.info.spec.asynchronous;
        let (mode, accepts) = match subject {
            Subject::Instance => (modes.instances, true),
            // Credentials that can't be fetched have to be in the response (G3, T44).
            Subject::NewBinding => (modes.bindings, self.offering.bindings_retrievable),
            Subject::OldBinding => (modes.bindings, true),
        };
        let accepts = accepts && meta.accepts_incomplete;
        match (mode, accepts) {
            (Mode::Always, true) => Ok(ResponseMode::Poll),
            (Mode::Always, false) => Err(answers::async_required()),
            (Mode::Adaptive, true) => Ok(ResponseMode::WaitThenPoll),
            (Mode::Adaptive, false) | (Mode::Never, _) => Ok(ResponseMode::Wait),
        }
    }
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
            // After a conflict: the worker that the first run has registered would hide a stale claim from the second run.
            drop(decided.take());
            decided = Some(Group::new(keys, records).decide(&mut decide));
        };
        let done = self.settings.store.store().transact(keys, &mut decide).await;
        done.inspect(|()| self.operations.end_pauses())
            .and_then(|()| decided.ok_or_else(StoreError::not_called))
            .inspect_err(log_store_error)
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
        let seen = read.and_then(|()| seen.ok_or_else(StoreError::not_called));
        seen.inspect_err(log_store_error).map_err(|_| answers::no_store())
    }

    /// Takes a place in the queue of a service for a new operation, or returns the response if the queue is full.
    pub(super) fn enqueue(&self, new: &mut NewOperation<'_>, resolved: &ResolvedPlan) -> Result<(), Answer> {
        let queue = self.service(resolved.offering.id).map(|service| Arc::clone(&service.queue));
        new.queue_permit = queue.and_then(|queue| queue.try_acquire_owned().ok());
        if new.queue_permit.is_some() { Ok(()) } else { Err(answers::overloaded(&self.settings)) }
    }

    /// Returns a new operation with its first attempt claimed.
    pub(super) fn operation(
        &self,
        new: &NewOperation<'_>,
        kind: OperationKind,
        meta: &RequestMeta,
        response_mode: ResponseMode,
        plan: &PlanInfo,
    ) -> OperationRecord {
        OperationRecord {
            id: Arc::clone(&new.claim.operation).into(),
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
            origin: meta.origin.clone().map(Into::into),
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

    /// Answers a request by the decision of `decide`, which is repeated if the joined operation was replaced. `Err` is the
    /// response to a request that needs no operation.
    pub(super) async fn handle_mutation(
        self: &Arc<Self>,
        key: &Key,
        predecessor: Option<&BindingId>,
        meta: &RequestMeta,
        mut decide: impl FnMut(&mut Group<'_>, &mut NewOperation<'_>) -> Result<Step, Answer> + Send,
    ) -> Answer {
        self.start_sweeps();
        for _ in 0..MAX_TRANSACTIONS {
            let (key, predecessor) = (key.clone(), predecessor.cloned());
            let claim = Claim { key, predecessor, operation: new_id(), attempt: 1 };
            if let Some(answer) = self.mutate_once(&claim, meta, &mut decide).await {
                return answer;
            }
        }
        answers::concurrency()
    }

    /// Decides about a request, and waits for the end of its operation. `None` if the operation that it joined was replaced.
    async fn mutate_once(
        self: &Arc<Self>,
        claim: &Claim,
        meta: &RequestMeta,
        decide: &mut (impl FnMut(&mut Group<'_>, &mut NewOperation<'_>) -> Result<Step, Answer> + Send),
    ) -> Option<Answer> {
        let mut new =
            NewOperation { claim, now: self.settings.now(), queue_permit: None, decoded: None, accepted: None };
        let waiting = self.operations.wait(&claim.operation);
        let decided = self
            .commit(&claim.keys(), Trigger::Worker, &mut Vec::new(), |group| {
                // The store may call this again.
                new.queue_permit = None;
                self.decide(group, meta, &mut new, decide)
            })
            .await;
        let Ok(decided) = decided else {
            // The claim may have been committed although the store reports an error.
            if let Some(permit) = new.queue_permit {
                self.end_unconfirmed(claim.clone(), permit);
            }
            return Some(answers::no_store());
        };
        let (response_mode, relation) = match decided {
            Err(answer) => return Some(answer),
            Ok(Decided::Join(operation, began, response_mode)) => {
                let waiting = self.operations.wait(&operation);
                let end = self.wait_for_end(claim, waiting, (began, None), response_mode, Relation::Joined).await;
                return end.map(answers::joined);
            }
            Ok(Decided::Run(mut work, response_mode)) => {
                work.queue_permit = new.queue_permit.take();
                work.take_decoded(new.decoded);
                (response_mode, Relation::Began(self.start(work)))
            }
            Ok(Decided::Cancel(cancelled, response_mode)) => {
                self.operations.stop(&cancelled).cancel();
                // Requests that wait for the create don't wait for its handler to stop.
                self.operations.answer_waiting(&cancelled, answers::concurrency());
                (response_mode, Relation::Cancelled(cancelled))
            }
        };
        let end = self.wait_for_end(claim, waiting, (new.now, new.accepted), response_mode, relation).await;
        Some(end.unwrap_or_else(|| {
            let ((tenant, instance, binding), operation) = (claim.key.ids(), &*claim.operation);
            tracing::error!(tenant, instance, binding, operation, "the record no longer has this operation");
            answers::unexpected(operation)
        }))
    }

    fn decide(
        self: &Arc<Self>,
        group: &mut Group<'_>,
        meta: &RequestMeta,
        new: &mut NewOperation<'_>,
        decide: &mut (impl FnMut(&mut Group<'_>, &mut NewOperation<'_>) -> Result<Step, Answer> + Send),
    ) -> Result<Decided, Answer> {
        // Its worker would release the claim at once, and the platform could not know that another process continues.
        if self.operations.handed_over.is_cancelled() {
            return Err(answers::shutting_down(&self.settings));
        }
        let step = decide(group, new)?;
        if let Step::Run(ResponseMode::WaitThenPoll | ResponseMode::Poll) | Step::Cancel(_) = step {
            new.accepted = Some(answers::accepted(group.subject(), &new.claim.operation));
        }
        match step {
            Step::Run(response_mode) => Ok(Decided::Run(self.build_work(group, new.claim.clone()), response_mode)),
            Step::Cancel(response_mode) => {
                let cancelled = group.status().and_then(|status| status.cancelled.as_ref());
                let cancelled =
                    cancelled.map(|cancelled| cancelled.operation.id.clone().into_arc()).unwrap_or_default();
                Ok(Decided::Cancel(cancelled, response_mode))
            }
            Step::Join => match group.subject().and_then(|record| Some((record, &record.status()?.operation))) {
                Some((record, operation)) if !operation.is_sync_rollback() => {
                    let response_mode = self.joined_mode(record, operation, meta);
                    Ok(Decided::Join(operation.id.clone().into_arc(), operation.began, response_mode))
                }
                _ => Err(answers::concurrency()),
            },
        }
    }

    /// Returns how the platform of a repeated request gets the result of the running operation.
    fn joined_mode(&self, record: &Record, operation: &OperationRecord, meta: &RequestMeta) -> ResponseMode {
        let subject = match (record.binding(), operation.is_delete()) {
            (None, _) => Subject::Instance,
            (Some(_), false) => Subject::NewBinding,
            (Some(_), true) => Subject::OldBinding,
        };
        let resolved = self.plan_of_operation(record);
        match resolved.and_then(|resolved| resolved.response_mode(subject, meta).ok()) {
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
}

pub(super) fn log_store_error(error: &StoreError) {
    tracing::error!(%error, "the record store is unavailable");
}
