//! Sweeps the records: takes over operations whose lease has expired, and removes expired tombstones.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use tokio::time::sleep;

use super::{Lifecycle, Settings, answers, audit::By, jobs::Job, settle::let_go};
use crate::{
    failpoint,
    protocol::{BindingId, Tenant},
    store::{Claim, Due, Key, Kind, Life, Phase, Place, Record, Timestamp},
};

/// Number of records that are read at once.
const BATCH: usize = 64;

impl Lifecycle {
    /// Starts the periodic sweep once, as soon as there is a tokio runtime.
    pub(super) fn start_sweeps(self: &Arc<Self>) {
        if let Ok(runtime) = tokio::runtime::Handle::try_current()
            && self.sweeping.set(()).is_ok()
        {
            let this = Arc::downgrade(self);
            runtime.spawn(sweep_periodically(this));
        }
    }

    /// Sweeps all records that are due once. Records that could not be changed are due again in the next sweep.
    async fn look_after(self: &Arc<Self>, ended_by: Timestamp) {
        let mut last = None;
        loop {
            let due = self.settings.store.store().due(ended_by, last.as_ref(), BATCH).await;
            let Ok(due) = due.inspect_err(|error| tracing::error!(%error, "the record store is unavailable")) else {
                return;
            };
            for due in &due {
                self.take_care(&due.key, Nobodys::EndedBy(ended_by)).await;
            }
            last = match due.into_iter().next_back() {
                Some(due) => Some(due),
                None => return,
            };
        }
    }

    /// Takes over the operations of the previous process. It has ended, and no other process can use the store, so
    /// claims from before the start are invalid.
    async fn recover(self: &Arc<Self>) {
        self.look_after(self.born.after(self.settings.lease).before()).await;
        // A lease beyond the longest possible one: the clock was set back, or the setting was reduced.
        let far = self.settings.clock.now().after(self.settings.lease);
        let mut last = Due { at: far, key: Key { tenant: Tenant::default(), instance: "".into() } };
        while let Ok(due) = self.settings.store.store().due(Timestamp::MAX, Some(&last), BATCH).await {
            for due in &due {
                let look = |record: Option<&Record>| record.is_some_and(|record| self.has_excessive_lease(record));
                if self.read(&due.key, look).await.unwrap_or_default() {
                    self.take_care(&due.key, Nobodys::TooLong).await;
                }
            }
            let Some(newest) = due.into_iter().next_back() else { return };
            last = newest;
        }
    }

    /// Returns whether a running operation has a lease beyond the longest possible one.
    fn has_excessive_lease(&self, record: &Record) -> bool {
        let moment = Moment { now: self.settings.clock.now(), which: Nobodys::TooLong, settings: &self.settings };
        let mut lives = record.bindings.values().map(|binding| &binding.life).chain([&record.life]);
        lives.any(|life| life.operation.is_running() && moment.has_ended(life.operation.lease))
    }

    async fn take_care(self: &Arc<Self>, key: &Key, which: Nobodys) {
        let claimed = self
            .commit(key, By::Keeper, |record| {
                let now = self.settings.clock.now();
                let claims = take_over(record, key, &Moment { now, which, settings: &self.settings });
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
                "took over an operation whose lease had expired"
            );
            self.start(claim, job);
        }
    }
}

async fn sweep_periodically(lifecycle: Weak<Lifecycle>) {
    if let Some(this) = lifecycle.upgrade()
        && this.settings.store.store().is_inherited()
    {
        this.recover().await;
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

/// The time, the claims and the settings of a sweep.
struct Moment<'a> {
    now: Timestamp,
    which: Nobodys,
    settings: &'a Settings,
}

/// The claims to take over.
#[derive(Clone, Copy)]
enum Nobodys {
    /// Claims whose lease has expired at this time.
    EndedBy(Timestamp),
    /// Claims with a lease beyond the longest possible one.
    TooLong,
}

impl Moment<'_> {
    fn has_ended(&self, lease: Timestamp) -> bool {
        match self.which {
            Nobodys::EndedBy(end) => lease <= end,
            Nobodys::TooLong => lease > self.now.after(self.settings.lease),
        }
    }
}

/// Claims operations without a worker, and removes expired tombstones.
fn take_over(record: &mut Option<Record>, key: &Key, moment: &Moment<'_>) -> Vec<Claim> {
    let now = moment.now;
    let Some(found) = record else { return Vec::new() };
    if is_expired(&found.life, now) {
        *record = None;
        return Vec::new();
    }
    found.bindings.retain(|_, binding| !is_expired(&binding.life, now));
    let bindings: Vec<BindingId> = found.bindings.keys().cloned().collect();
    let places = bindings.into_iter().map(Place::Binding).chain([Place::Instance]);
    let mut claims = Vec::new();
    for place in places {
        let Some(life) = found.life_mut(&place) else { continue };
        if !life.operation.is_running() || !moment.has_ended(life.operation.lease) {
            continue;
        }
        let waits = life.cancelled.as_ref().is_some_and(|cancelled| !cancelled.released);
        if waits {
            let_go(found, &place, None);
        }
        let Some(life) = found.life_mut(&place) else { continue };
        let operation = &mut life.operation;
        operation.attempt += 1;
        operation.lease = now.after(moment.settings.lease);
        if !operation.accepted {
            operation.deadline = now.after(moment.settings.deadline);
            // The platform did not get a 202, so it has seen an error: roll the create back.
            if let Kind::Create { undo: undo @ None } = &mut operation.kind {
                *undo = Some(answers::failed_unexpectedly());
            }
        }
        let (operation, attempt) = (operation.id.clone(), operation.attempt);
        claims.push(Claim { key: key.clone(), place, operation, attempt });
    }
    claims
}

fn is_expired(life: &Life, now: Timestamp) -> bool {
    life.phase == Phase::Gone && life.forget_at.is_some_and(|at| at <= now)
}
