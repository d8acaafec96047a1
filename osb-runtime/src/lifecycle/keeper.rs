//! Looks after what nobody works on any more, and forgets what is gone.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use tokio::time::sleep;

use super::{Lifecycle, answers, audit::By, jobs::Job, settle::let_go};
use crate::{
    failpoint,
    protocol::BindingId,
    store::{Claim, InstanceRecord, Key, Kind, Life, Phase, Place, Timestamp},
};

/// How many records are looked after at once.
const BATCH: usize = 64;

impl Lifecycle {
    /// Begins to look after the records, once, as soon as there is a runtime to do it.
    pub(super) fn watch_over(self: &Arc<Self>) {
        if let Ok(runtime) = tokio::runtime::Handle::try_current()
            && self.watched.set(()).is_ok()
        {
            let this = Arc::downgrade(self);
            runtime.spawn(keep(this));
        }
    }

    /// Looks after everything whose claim has ended, once: what could not be helped is due again next time.
    async fn look_after(self: &Arc<Self>, ended_by: Timestamp) {
        let mut last = None;
        loop {
            let due = self.settings.store.store().due(ended_by, last.as_ref(), BATCH).await;
            let Ok(due) = due.inspect_err(|error| tracing::error!(%error, "the records can't be got at")) else {
                return;
            };
            for due in &due {
                self.take_care(&due.key, ended_by).await;
            }
            last = match due.into_iter().next_back() {
                Some(due) => Some(due),
                None => return,
            };
        }
    }

    async fn take_care(self: &Arc<Self>, key: &Key, ended_by: Timestamp) {
        let now = self.settings.clock.now();
        let claimed = self
            .commit(key, By::Keeper, |record| {
                let moment = Moment { now, ended_by, lease: self.settings.lease, deadline: self.settings.deadline };
                let claims = take_over(record, key, &moment);
                let job = |claim: Claim| {
                    let job = record.as_ref().and_then(|record| self.job(record, &claim));
                    (claim, job)
                };
                claims.into_iter().map(job).collect::<Vec<(Claim, Option<Box<Job>>)>>()
            })
            .await;
        for (claim, job) in claimed.unwrap_or_default() {
            failpoint::reach("keeper.claimed");
            tracing::warn!(
                instance = %key.instance,
                operation = claim.operation,
                attempt = claim.attempt,
                "took over an operation that nobody worked on"
            );
            self.start(claim, job);
        }
    }
}

async fn keep(lifecycle: Weak<Lifecycle>) {
    if let Some(this) = lifecycle.upgrade()
        && this.settings.store.store().is_inherited()
    {
        // Nobody else is alive who could hold the claims of before; those of here hold longer.
        this.look_after(this.born.after(this.settings.lease).before()).await;
    }
    loop {
        let pause = {
            let Some(this) = lifecycle.upgrade() else { return };
            this.look_after(this.settings.clock.now()).await;
            (this.settings.lease / 4).clamp(Duration::from_millis(5), Duration::from_secs(10))
        };
        sleep(pause).await;
    }
}

/// When records are looked after.
struct Moment {
    now: Timestamp,
    /// Claims that don't hold beyond this are nobody's.
    ended_by: Timestamp,
    lease: Duration,
    deadline: Duration,
}

/// Claims what nobody works on any more, and drops what may be forgotten.
fn take_over(record: &mut Option<InstanceRecord>, key: &Key, moment: &Moment) -> Vec<Claim> {
    let &Moment { now, ended_by, lease, deadline } = moment;
    let Some(found) = record else { return Vec::new() };
    if is_forgotten(&found.life, now) {
        *record = None;
        return Vec::new();
    }
    found.bindings.retain(|_, binding| !is_forgotten(&binding.life, now));
    let bindings: Vec<BindingId> = found.bindings.keys().cloned().collect();
    let places = bindings.into_iter().map(Place::Binding).chain([Place::Instance]);
    let mut claims = Vec::new();
    for place in places {
        let Some(life) = found.life_mut(&place) else { continue };
        if !life.operation.is_running() || life.operation.lease > ended_by {
            continue;
        }
        let waits = life.cancelled.as_ref().is_some_and(|cancelled| !cancelled.released);
        if waits {
            let_go(found, &place, None);
        }
        let Some(life) = found.life_mut(&place) else { continue };
        let operation = &mut life.operation;
        operation.attempt += 1;
        operation.lease = now.after(lease);
        if !operation.accepted {
            operation.deadline = now.after(deadline);
            // Its platform has seen an error, and will delete.
            if let Kind::Create { undo: undo @ None } = &mut operation.kind {
                *undo = Some(answers::failed_unexpectedly());
            }
        }
        let (operation, attempt) = (operation.id.clone(), operation.attempt);
        claims.push(Claim { key: key.clone(), place, operation, attempt });
    }
    claims
}

fn is_forgotten(life: &Life, now: Timestamp) -> bool {
    life.phase == Phase::Gone && life.forget_at.is_some_and(|at| at <= now)
}
