//! Sweeps the records: takes over operations whose lease has expired, and removes expired tombstones.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use tokio::time::sleep;

use super::{Lifecycle, Settings, answers, audit::Trigger, operations::Operations, outcome::release_cancelled};
use crate::{
    failpoint,
    protocol::{BindingId, Tenant},
    store::{Claim, Due, Key, OperationKind, OperationState, Phase, Record, Subject, Timestamp},
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
    async fn sweep(self: &Arc<Self>, ended_by: Timestamp) {
        let mut last = None;
        loop {
            let due = self.settings.store.store().due(ended_by, last.as_ref(), BATCH).await;
            let Ok(due) = due.inspect_err(|error| tracing::error!(%error, "the record store is unavailable")) else {
                return;
            };
            for due in &due {
                self.take_over(&due.key, StaleClaims::EndedBy(ended_by)).await;
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
        self.sweep(self.started_at.after(self.settings.lease).before()).await;
        // A lease beyond the longest possible one: the clock was set back, or the setting was reduced.
        let far = self.settings.clock.now().after(self.settings.lease);
        let mut last = Due { at: far, key: Key { tenant: Tenant::default(), instance: "".into() } };
        while let Ok(due) = self.settings.store.store().due(Timestamp::MAX, Some(&last), BATCH).await {
            for due in &due {
                let look = |record: Option<&Record>| record.is_some_and(|record| self.has_excessive_lease(record));
                if self.read(&due.key, look).await.unwrap_or_default() {
                    self.take_over(&due.key, StaleClaims::TooLong).await;
                }
            }
            let Some(newest) = due.into_iter().next_back() else { return };
            last = newest;
        }
    }

    /// Returns whether a running operation has a lease beyond the longest possible one.
    fn has_excessive_lease(&self, record: &Record) -> bool {
        let context = self.takeover(self.settings.clock.now(), StaleClaims::TooLong);
        let mut statuses = record.bindings.values().map(|binding| &binding.status).chain([&record.status]);
        statuses.any(|status| status.operation.is_running() && context.has_ended(status.operation.lease))
    }

    fn takeover(&self, now: Timestamp, which: StaleClaims) -> TakeoverContext<'_> {
        TakeoverContext { now, which, settings: &self.settings, operations: &self.operations }
    }

    async fn take_over(self: &Arc<Self>, key: &Key, which: StaleClaims) {
        let claimed = self
            .commit(key, Trigger::Keeper, |record| {
                let now = self.settings.clock.now();
                let claims = claim_stale(record, key, &self.takeover(now, which));
                let Some(record) = record else { return Vec::new() };
                claims.into_iter().map(|claim| self.build_work(record, claim)).collect()
            })
            .await;
        for work in claimed.unwrap_or_default() {
            failpoint::reach("reaper.claimed");
            let claim = &work.claim;
            tracing::warn!(
                instance = %key.instance,
                binding = claim.subject.binding(),
                operation = claim.operation,
                attempt = claim.attempt,
                "took over an operation whose lease had expired"
            );
            self.start(work);
        }
    }
}

async fn sweep_periodically(lifecycle: Weak<Lifecycle>) {
    if let Some(this) = lifecycle.upgrade()
        && this.settings.store.store().take_recovery()
    {
        this.recover().await;
    }
    loop {
        let pause = {
            let Some(this) = lifecycle.upgrade() else { return };
            this.sweep(this.settings.clock.now()).await;
            (this.settings.lease / 4).clamp(Duration::from_millis(5), Duration::from_secs(10))
        };
        sleep(pause).await;
    }
}

/// The time, the claims and the settings of a sweep.
struct TakeoverContext<'a> {
    now: Timestamp,
    which: StaleClaims,
    settings: &'a Settings,
    operations: &'a Operations,
}

/// The claims to take over.
#[derive(Clone, Copy)]
enum StaleClaims {
    /// Claims whose lease has expired at this time.
    EndedBy(Timestamp),
    /// Claims with a lease beyond the longest possible one.
    TooLong,
}

impl TakeoverContext<'_> {
    /// Returns true if this process works on the operation, or on the create that it has cancelled.
    fn is_working_on(&self, status: &OperationState) -> bool {
        let cancelled = status.cancelled.as_ref().map(|cancelled| &cancelled.operation);
        [Some(&status.operation), cancelled].into_iter().flatten().any(|one| self.operations.is_working(&one.id))
    }

    fn has_ended(&self, lease: Timestamp) -> bool {
        match self.which {
            StaleClaims::EndedBy(end) => lease <= end,
            StaleClaims::TooLong => lease > self.now.after(self.settings.lease),
        }
    }
}

/// Claims operations without a worker, and removes expired tombstones.
fn claim_stale(record: &mut Option<Record>, key: &Key, context: &TakeoverContext<'_>) -> Vec<Claim> {
    let now = context.now;
    let Some(found) = record else { return Vec::new() };
    if is_expired(&found.status, now) {
        *record = None;
        return Vec::new();
    }
    found.bindings.retain(|_, binding| !is_expired(&binding.status, now));
    let bindings: Vec<BindingId> = found.bindings.keys().cloned().collect();
    let subjects = bindings.into_iter().map(Subject::Binding).chain([Subject::Instance]);
    let mut claims = Vec::new();
    for subject in subjects {
        let Some(status) = found.status_mut(&subject) else { continue };
        if !status.operation.is_running() || !context.has_ended(status.operation.lease) {
            continue;
        }
        if context.is_working_on(status) {
            // This process was stalled for longer than the lease. Its worker is alive, and renews the lease from now on.
            status.operation.lease = now.after(context.settings.lease);
            continue;
        }
        let waits = status.cancelled.as_ref().is_some_and(|cancelled| !cancelled.released);
        if waits {
            release_cancelled(found, &subject, None);
        }
        let Some(status) = found.status_mut(&subject) else { continue };
        let operation = &mut status.operation;
        operation.attempt += 1;
        operation.lease = now.after(context.settings.lease);
        if !operation.accepted {
            operation.deadline = now.after(context.settings.sync_deadline);
            // The platform did not get a 202, so it has seen an error: roll the create back.
            if let OperationKind::Create { undo: undo @ None } = &mut operation.kind {
                *undo = Some(answers::failed_by_stop(&operation.id));
            }
        }
        let (operation, attempt) = (operation.id.clone(), operation.attempt);
        claims.push(Claim { key: key.clone(), subject, operation, attempt });
    }
    claims
}

fn is_expired(status: &OperationState, now: Timestamp) -> bool {
    status.phase == Phase::Gone && status.forget_at.is_some_and(|at| at <= now)
}
