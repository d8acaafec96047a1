//! The commit of an attempt's outcome, which has to happen exactly once, although the store may fail, or report an error for a
//! commit that has succeeded.

use std::{sync::Arc, time::Duration};

use tokio::time::{sleep, timeout};

use super::{
    Event, Lifecycle,
    events::Trigger,
    group::Group,
    outcome::{AttemptError, NextStep, Outcome, OutcomeContext, apply_outcome},
    worker::Work,
};
use crate::store::{Claim, Key, Record, Timestamp};

/// The first and the longest pause between two attempts to write to a store that fails.
pub(super) const FIRST_PAUSE: Duration = Duration::from_millis(50);
const MAX_PAUSE: Duration = Duration::from_secs(5);

impl Lifecycle {
    /// Writes the outcome of an attempt to the record. `left`: the bindings that a failed deletion leaves, as events.
    pub(super) async fn commit_outcome(
        self: &Arc<Self>,
        claim: &Claim,
        outcome: &Outcome,
        left: &[Event],
    ) -> NextStep<Work> {
        // The changes that an earlier run of the decision has proposed.
        let (mut proposed, mut forget_at) = (None, None);
        self.commit_with_retry(&claim.keys(), |group| {
            let context = OutcomeContext { at: self.settings.now(), settings: &self.settings };
            if let Outcome::Failed(AttemptError::NotClaimed) = outcome {
                group.events.extend(self.began(group, claim));
            }
            let next = match apply_outcome(group, claim, outcome, &context) {
                NextStep::Lost(newest) => committed_before(group, proposed.as_ref()).unwrap_or(NextStep::Lost(newest)),
                next => next,
            };
            match next {
                NextStep::NextAttempt(claim, pause) => {
                    proposed = group.status().map(|status| (claim.clone(), pause, status.operation.lease));
                    NextStep::NextAttempt(self.build_work(group, claim), pause)
                }
                NextStep::Ended(answer, deletion) => {
                    if !group.is_repeated {
                        forget_at = group.subject().and_then(Record::forget_at);
                    } else if is_end_of_another(group, claim, forget_at) {
                        // Its worker has published it.
                        group.is_repeated = false;
                        return NextStep::Ended(answer, deletion);
                    }
                    let failure = group.status().and_then(|status| status.operation.failure());
                    let left = self.left_events(left, failure);
                    group.events.extend(left);
                    NextStep::Ended(answer, deletion)
                }
                NextStep::HandedOver => NextStep::HandedOver,
                NextStep::Lost(newest) => NextStep::Lost(newest),
            }
        })
        .await
    }

    /// Commits a change that must not be lost: retries until the store succeeds.
    pub(super) async fn commit_with_retry<R: Send>(
        &self,
        keys: &[Key],
        mut decide: impl FnMut(&mut Group<'_>) -> R + Send,
    ) -> R {
        let (mut pause, mut events) = (FIRST_PAUSE, Vec::new());
        loop {
            match self.commit(keys, Trigger::Worker, &mut events, &mut decide).await {
                Ok(decided) => return decided,
                Err(_) => self.pause(&mut pause).await,
            }
        }
    }

    /// Waits before the next attempt to write to a store that fails. A transaction that succeeds ends the pause, except for its
    /// first eighth: the store may fail for one record only.
    pub(super) async fn pause(&self, pause: &mut Duration) {
        let transacted = self.operations.transacted();
        sleep(*pause / 8).await;
        _ = timeout(*pause / 8 * 7, transacted).await;
        *pause = (*pause * 2).min(MAX_PAUSE);
    }
}

/// Returns the next attempt if the record has it already, as an earlier run of the decision proposed it: the store can report
/// an error for a commit that has succeeded.
fn committed_before(group: &mut Group<'_>, proposed: Option<&(Claim, Duration, Timestamp)>) -> Option<NextStep<Claim>> {
    let (claim, pause, lease) = proposed?;
    let found = group.status().map(|status| &status.operation).filter(|operation| operation.is_running())?;
    let is_proposed = (&*found.id, found.attempt, found.lease) == (&*claim.operation, claim.attempt, *lease);
    group.is_repeated |= is_proposed;
    is_proposed.then(|| NextStep::NextAttempt(claim.clone(), *pause))
}

/// Returns whether another worker has committed the end in the record. `forget_at`: of the tombstone that this worker has proposed,
/// which has no attempt.
fn is_end_of_another(group: &Group<'_>, claim: &Claim, forget_at: Option<Timestamp>) -> bool {
    match group.status() {
        Some(status) => status.operation.attempt != claim.attempt,
        None => group.subject().and_then(Record::forget_at) != forget_at,
    }
}
