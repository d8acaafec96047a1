//! From a request to its response: a transaction decides and claims, then the request waits for the operation's end as
//! long as its [`Way`] allows.

use std::sync::Arc;

use http::StatusCode;
use tokio::time::{Instant, timeout_at};

use super::{
    Lifecycle, answers,
    audit::By,
    clock::within,
    operations::{Waiting, new_id},
};
use crate::{
    catalog::{Mode, Offering, PlanInfo},
    protocol::{Answer, ApiVersion, RequestMeta},
    store::{Claim, Key, Kind, Life, Operation, Place, Record, StoreError, Timestamp},
};

/// Limits the transactions of one request: each repetition means that the operation it joined was replaced.
const MAX_TRANSACTIONS: usize = 16;

/// The interval in which a waiting request reads the record, in case another process works on the operation.
const READ_INTERVAL: std::time::Duration = std::time::Duration::from_millis(250);

/// How a platform gets the result of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// In the response to its request.
    Wait,
    /// In the response if the operation ends soon, otherwise by polling.
    Moment,
    /// By polling.
    Poll,
}

/// The decision about a request.
pub(super) enum Step {
    Answer(Answer),
    /// Wait for the running operation.
    Join,
    /// Run the operation that this request has claimed.
    Run(Way),
    /// The same, after the cancelled create has released its claim.
    Cancel(Way),
}

/// The id and the start time of a new operation.
pub(super) struct Fresh {
    pub(super) id: String,
    pub(super) now: Timestamp,
}

impl Lifecycle {
    /// Runs `decide` in a transaction on a record. Logs errors of the store.
    pub(super) async fn transact<R: Send>(
        &self,
        key: &Key,
        mut decide: impl FnMut(&mut Option<Record>) -> R + Send,
    ) -> Result<R, StoreError> {
        let mut decided = None;
        self.settings
            .store
            .store()
            .transact(key, &mut |record| decided = Some(decide(record)))
            .await
            .inspect_err(log_store_error)?;
        decided.ok_or_else(StoreError::undecided)
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

    /// Returns how the platform gets the result of a request for an instance or a binding (ASY-02 to ASY-05).
    pub(super) fn way(offering: &Offering, plan: &PlanInfo, place: &Place, meta: &RequestMeta) -> Result<Way, Answer> {
        let (mode, accepts) = match place {
            Place::Instance => (plan.spec.asynchronous.instances, meta.accepts_incomplete),
            // Before 2.14 there were no asynchronous bindings, and credentials that can't be fetched have to be in the
            // response (G3, T44).
            Place::Binding(_) => {
                let known = meta.version >= ApiVersion::new(2, 14) && offering.bindings_retrievable;
                (plan.spec.asynchronous.bindings, meta.accepts_incomplete && known)
            }
        };
        match (mode, accepts) {
            (Mode::Always, true) => Ok(Way::Poll),
            (Mode::Always, false) => Err(answers::async_required()),
            (Mode::Adaptive, true) => Ok(Way::Moment),
            (Mode::Adaptive, false) | (Mode::Never, _) => Ok(Way::Wait),
        }
    }

    /// Returns a new operation with its first attempt claimed.
    pub(super) fn operation(
        &self,
        fresh: &Fresh,
        kind: Kind,
        meta: &RequestMeta,
        way: Way,
        plan: &PlanInfo,
    ) -> Operation {
        Operation {
            id: fresh.id.clone(),
            kind,
            attempt: 1,
            lease: fresh.now.after(self.settings.lease),
            deadline: self.deadline(fresh.now, way != Way::Wait, plan),
            accepted: way != Way::Wait,
            admitted: false,
            progress: None,
            checkpoint: None,
            origin: meta.origin.clone(),
            identity: meta.request_identity.clone(),
            end: None,
        }
    }

    /// Returns the deadline of an operation that begins now. `accepted`: the platform polls.
    pub(super) fn deadline(&self, now: Timestamp, accepted: bool, plan: &PlanInfo) -> Timestamp {
        if !accepted {
            return now.after(self.settings.deadline);
        }
        let polled = plan.spec.maximum_polling_duration.map(|seconds| std::time::Duration::from_secs(seconds.into()));
        now.after(polled.map_or(self.settings.longest, |polled| polled.min(self.settings.longest)))
    }

    /// Answers a request by the decision of `look`, which is repeated if the joined operation was replaced.
    pub(super) async fn decide(
        self: &Arc<Self>,
        key: &Key,
        place: &Place,
        meta: &RequestMeta,
        mut look: impl FnMut(&mut Option<Record>, &Fresh) -> Step + Send,
    ) -> Answer {
        self.start_sweeps();
        for _ in 0..MAX_TRANSACTIONS {
            let fresh = Fresh { id: new_id(), now: self.settings.clock.now() };
            let claim = Claim { key: key.clone(), place: place.clone(), operation: fresh.id.clone(), attempt: 1 };
            let waiting = self.operations.wait(&fresh.id);
            let decided = self
                .commit(key, By::Worker, |record| {
                    let step = look(record, &fresh);
                    let life = record.as_ref().and_then(|record| record.life(place));
                    if let (Step::Join, true) = (&step, life.is_some_and(|life| life.operation.is_lost())) {
                        return (Step::Answer(answers::concurrency()), String::new(), None);
                    }
                    let other = match (&step, life) {
                        (Step::Join, Some(life)) => Some(life.operation.id.clone()),
                        (Step::Cancel(_), Some(life)) => life.cancelled.as_ref().map(|c| c.operation.id.clone()),
                        _ => None,
                    };
                    let job = match (&step, &record) {
                        (Step::Run(_), Some(record)) => self.job(record, &claim),
                        _ => None,
                    };
                    (step, other.unwrap_or_default(), job)
                })
                .await;
            match decided {
                Err(_) => return answers::no_store(),
                Ok((Step::Answer(answer), ..)) => return answer,
                Ok((Step::Join, running, _)) => {
                    let waiting = self.operations.wait(&running);
                    let way = if meta.accepts_incomplete { Way::Moment } else { Way::Wait };
                    if let Some(mut answer) = self.wait_for_end(&claim, waiting, way, true).await {
                        // For a request that joined, the instance or binding exists already (PROV-11, BIND-08).
                        if answer.status == StatusCode::CREATED {
                            answer.status = StatusCode::OK;
                        }
                        return answer;
                    }
                }
                Ok((Step::Run(way), _, job)) => {
                    self.start(claim.clone(), job);
                    return self.wait_for_end(&claim, waiting, way, false).await.unwrap_or_else(answers::unexpected);
                }
                Ok((Step::Cancel(way), cancelled, _)) => {
                    self.operations.stop(&cancelled);
                    // Requests that wait for the create don't wait for its handler to stop.
                    self.operations.ended(&cancelled, answers::concurrency());
                    return self.wait_for_end(&claim, waiting, way, false).await.unwrap_or_else(answers::unexpected);
                }
            }
        }
        answers::concurrency()
    }

    /// Waits for the end of an operation, at most for the time of its `Way`. Returns `None` if the record no longer has
    /// the operation.
    async fn wait_for_end(&self, claim: &Claim, mut waiting: Waiting, way: Way, joined: bool) -> Option<Answer> {
        let settings = &self.settings;
        let limit = match (way, joined) {
            (Way::Wait, true) => settings.deadline,
            (Way::Wait, false) => settings.deadline.saturating_add(settings.grace).saturating_add(settings.cleanup),
            (Way::Moment, _) => settings.moment,
            (Way::Poll, _) => std::time::Duration::ZERO,
        };
        let end = within(limit);
        // A joined operation may have ended before `waiting` was registered.
        let mut look = joined;
        loop {
            if look && let Some(seen) = self.read_end(claim, waiting.operation()).await {
                return seen;
            }
            if Instant::now() >= end {
                break;
            }
            look = true;
            if let Ok(answer) = timeout_at(end.min(within(READ_INTERVAL)), waiting.ended()).await {
                return answer;
            }
        }
        match way {
            Way::Wait if joined => Some(answers::concurrency()),
            Way::Wait => Some(answers::too_slow()),
            Way::Moment | Way::Poll => self.accept(claim, waiting.operation()).await,
        }
    }

    /// Reads the end of an operation: `None` if it is running, `Some(None)` if the record no longer has it.
    async fn read_end(&self, claim: &Claim, operation: &str) -> Option<Option<Answer>> {
        let seen = self.read(&claim.key, |record| {
            let Some(record) = record else { return Some(None) };
            match record.life(&claim.place) {
                Some(life) if life.operation.id == operation => answers::ended(record, &claim.place).map(Some),
                Some(life) if is_cancelled(life, operation) => Some(Some(answers::concurrency())),
                _ => Some(None),
            }
        });
        seen.await.unwrap_or_else(|answer| Some(Some(answer)))
    }

    /// Answers 202, and marks the running operation as one whose platform polls (ASY-06).
    async fn accept(&self, claim: &Claim, operation: &str) -> Option<Answer> {
        let decided = self.transact(&claim.key, |record| {
            let record = record.as_mut()?;
            let plan = match &claim.place {
                Place::Instance => self.route(&record.service_id, &record.plan_id),
                Place::Binding(id) => {
                    let binding = record.bindings.get(id)?;
                    self.route(&binding.service_id, &binding.plan_id)
                }
            };
            let life = record.life_mut(&claim.place)?;
            if is_cancelled(life, operation) {
                return Some(answers::concurrency());
            }
            if life.operation.id != operation {
                return None;
            }
            if life.operation.is_running() && !life.operation.accepted {
                life.operation.accepted = true;
                if let Ok(route) = plan {
                    life.operation.deadline = self.deadline(self.settings.clock.now(), true, route.info());
                }
            }
            answers::ended(record, &claim.place).or_else(|| Some(answers::accepted(record, &claim.place, operation)))
        });
        decided.await.unwrap_or_else(|_| Some(answers::no_store()))
    }
}

/// Returns whether a deletion has cancelled the operation.
fn is_cancelled(life: &Life, operation: &str) -> bool {
    life.cancelled.as_ref().is_some_and(|cancelled| cancelled.operation.id == operation)
}

fn log_store_error(error: &StoreError) {
    tracing::error!(%error, "the record store is unavailable");
}
