//! Looks after what nobody works on any more, and forgets what is gone.

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
                self.take_care(&due.key, Nobodys::EndedBy(ended_by)).await;
            }
            last = match due.into_iter().next_back() {
                Some(due) => Some(due),
                None => return,
            };
        }
    }

    /// Looks after what a dead process has left. Nobody else is alive who could hold the claims of before.
    async fn inherit(self: &Arc<Self>) {
        self.look_after(self.born.after(self.settings.lease).before()).await;
        // Some seem to hold longer than any can: the clock has been set back since, or leases have become shorter.
        let far = self.settings.clock.now().after(self.settings.lease);
        let mut last = Due { at: far, key: Key { tenant: Tenant::default(), instance: "".into() } };
        while let Ok(due) = self.settings.store.store().due(Timestamp::MAX, Some(&last), BATCH).await {
            for due in &due {
                let look = |record: Option<&Record>| record.is_some_and(|record| self.holds_too_long(record));
                if self.read(&due.key, look).await.unwrap_or_default() {
                    self.take_care(&due.key, Nobodys::TooLong).await;
                }
            }
            let Some(newest) = due.into_iter().next_back() else { return };
            last = newest;
        }
    }

    /// Whether a claim of it seems to hold longer than any can.
    fn holds_too_long(&self, record: &Record) -> bool {
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
        this.inherit().await;
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
struct Moment<'a> {
    now: Timestamp,
    which: Nobodys,
    settings: &'a Settings,
}

/// Claims that are nobody's.
#[derive(Clone, Copy)]
enum Nobodys {
    /// Those that don't hold beyond this.
    EndedBy(Timestamp),
    /// Those that seem to hold longer than any can.
    TooLong,
}

impl Moment<'_> {
    /// Whether nobody can hold a claim any more.
    fn has_ended(&self, lease: Timestamp) -> bool {
        match self.which {
            Nobodys::EndedBy(end) => lease <= end,
            Nobodys::TooLong => lease > self.now.after(self.settings.lease),
        }
    }
}

/// Claims what nobody works on any more, and drops what may be forgotten.
fn take_over(record: &mut Option<Record>, key: &Key, moment: &Moment<'_>) -> Vec<Claim> {
    let now = moment.now;
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
