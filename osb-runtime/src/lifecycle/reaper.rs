//! Sweeps the records: takes over operations whose lease has expired, and lets the store remove expired tombstones.

use std::{
    collections::VecDeque,
    sync::{Arc, Weak},
    time::Duration,
};

use tokio::time::sleep;

use super::{
    Lifecycle, ResolvedPlan, answers,
    call::catch_panic,
    events::Trigger,
    group::{self, Group},
    mutation::log_store_error,
    outcome::release_cancelled,
};
use crate::{
    failpoint,
    store::{Claim, Due, Key, OperationKind, OperationRecord, Record, StoredBinding, Timestamp},
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

    /// Sweeps the records due by one time, and takes over operations whose lease ended by another. `None` if the store has failed.
    async fn sweep(self: &Arc<Self>, by: Timestamp, ended_by: Timestamp) -> Option<()> {
        let (mut last, mut ended) = (None::<Due>, Some(()));
        loop {
            let due =
                self.settings.store.store().due(by, last.as_ref(), BATCH).await.inspect_err(log_store_error).ok()?;
            for due in &due {
                ended = ended.and(self.take_over(&due.key, ended_by).await);
            }
            // Records that have become due meanwhile, or could not be changed, are left to the next sweep, so that this one ends.
            if due.len() < BATCH {
                return ended;
            }
            last = due.into_iter().next_back();
        }
    }

    /// Sweeps the operations of the previous process, the records that are due now, and the expired tombstones.
    async fn sweep_all(self: &Arc<Self>, recovers: &mut bool, readings: &mut Readings) {
        // That process has ended, and no other can use the store: its claims don't count, however long their leases are.
        *recovers = *recovers && self.sweep(Timestamp::MAX, Timestamp::MAX).await.is_none();
        let (own, now) = (self.settings.clock.now(), self.settings.now());
        let ended_by = readings.add(own, now, self.settings.lease);
        let _ = self.sweep(now.max(self.settings.date()), ended_by).await;
        if let Err(error) = self.settings.store.store().forget(now).await {
            tracing::error!(%error, "expired tombstones can't be removed");
        }
    }

    /// Takes over the operation of an instance or a binding, if its lease has ended by this time. `None` if the store has failed.
    async fn take_over(self: &Arc<Self>, key: &Key, ended_by: Timestamp) -> Option<()> {
        if self.operations.handed_over.is_cancelled() {
            return Some(());
        }
        let seen = self.read(key, |record| {
            let record = record?;
            let is_running = record.status()?.operation.is_running();
            Some((is_running, record.due()?, record.binding().and_then(|binding| binding.predecessor.clone())))
        });
        let Some((is_running, due, predecessor)) = seen.await.ok()? else { return Some(()) };
        if !is_running {
            if due <= self.settings.date() {
                self.expire(key).await;
            }
            return Some(());
        }
        let claimed = self
            .commit(&group::keys(key, predecessor.as_ref()), Trigger::Takeover, &mut Vec::new(), |group| {
                let now = self.settings.now();
                if !self.can_continue(group.subject()?, now) {
                    return None;
                }
                let is_released = group.status()?.operation.is_released();
                let (operation, attempt) = self.claim_stale(group, now, ended_by)?;
                let (key, predecessor) = (key.clone(), predecessor.clone());
                let mut work = self.build_work(group, Claim { key, predecessor, operation, attempt });
                if group.status()?.operation.deadline <= now {
                    work.end_too_late(group.status()?.operation.is_ended_by_operator());
                }
                Some((is_released, work))
            })
            .await;
        let Some((is_released, work)) = claimed.ok()? else { return Some(()) };
        failpoint::reach("reaper.claimed");
        let ((tenant, instance, binding), operation, attempt) = (key.ids(), &*work.claim.operation, work.claim.attempt);
        if is_released {
            let why = "continued an operation of a stopped process";
            tracing::info!(tenant, instance, binding, operation, attempt, "{why}");
        } else {
            let why = "took over an operation of a process that ended or stalled";
            tracing::warn!(tenant, instance, binding, operation, attempt, "{why}");
        }
        drop(self.start(work));
        Some(())
    }

    /// Returns whether this release has the plan of an operation and can decode its checkpoint, or the deadline has passed. While
    /// replicas are replaced, those of an older release leave operations of new plans and with new states to the others. After a
    /// downgrade, which the setting allows, there are no others.
    fn can_continue(&self, record: &Record, now: Timestamp) -> bool {
        let Some(operation) = record.status().map(|status| &status.operation) else { return false };
        let is_readable = |plan: ResolvedPlan| {
            let (states, saved) = (plan.info.states, operation.checkpoint.as_ref());
            let state = if record.binding().is_some() { states.binding } else { states.instance };
            self.settings.allow_unreadable_state
                || saved.is_none_or(|saved| !state.is_outdated_for(saved.version, &saved.value))
        };
        operation.deadline <= now || self.plan_of_operation(record).is_some_and(is_readable)
    }

    /// Claims an operation that has no worker, if its lease has ended by this time. Returns its id and the number of the attempt.
    fn claim_stale(&self, group: &mut Group<'_>, now: Timestamp, ended_by: Timestamp) -> Option<(Arc<str>, u32)> {
        let (settings, status) = (&self.settings, group.status()?);
        if !status.operation.is_running() || status.operation.lease > ended_by {
            return None;
        }
        let is_working = |operation: &OperationRecord| self.operations.is_working(&operation.id);
        let cancelled = status.cancelled.as_ref();
        if is_working(&status.operation) || cancelled.is_some_and(|cancelled| is_working(&cancelled.operation)) {
            // This process was stalled for longer than the lease. Its worker is alive, and renews the lease.
            return None;
        }
        if cancelled.is_some_and(|cancelled| !cancelled.released) {
            release_cancelled(group, None);
        }
        let operation = &mut group.status_mut()?.operation;
        let is_released = operation.is_released();
        operation.attempt += 1;
        operation.admitted |= settings.hooks.is_none();
        operation.lease = now.after(settings.lease);
        // The platform did not get a 202, so it has seen an error: roll the create back.
        if let (OperationKind::Create { rollback: rollback @ None }, false) = (&mut operation.kind, operation.accepted)
        {
            *rollback = Some(answers::failed_by_stop(&operation.id));
            operation.temporary_failures = 0;
            operation.deadline = now.after(settings.sync_deadline);
        }
        // No platform waits for a rollback, whose deadline may have passed while no process was there.
        if (!operation.accepted || operation.is_rollback()) && !operation.is_ended_by_operator() {
            operation.deadline = now.after(settings.sync_deadline);
        }
        // The setting may have been lowered to end an operation that would otherwise never end, such as one that ends each process.
        if operation.began != Timestamp::default() && !is_released {
            operation.deadline = operation.deadline.min(operation.began.after(settings.max_operation_time));
        }
        Some((operation.id.clone().into_arc(), operation.attempt))
    }

    /// Tells the author once that a binding has expired.
    async fn expire(&self, key: &Key) {
        let now = self.settings.date();
        let mark = |record: Option<&mut Record>| {
            let record = record?;
            record.due().filter(|due| *due <= now)?;
            let binding = record.binding_mut().filter(|binding| !binding.status.operation.is_running())?;
            binding.has_expired = true;
            Some(StoredBinding::of(key, binding))
        };
        if let Ok(Some(binding)) = self.transact_one(key, mark).await {
            let (tenant, instance, binding_id) = key.ids();
            tracing::info!(tenant, instance, binding = binding_id, "a binding has expired");
            self.call_expired(binding);
        }
    }
}

/// The readings of the process's clock and of the store's clock in the sweeps during the last lease.
#[derive(Default)]
struct Readings(VecDeque<(Timestamp, Timestamp)>);

impl Readings {
    /// Adds a reading. Returns the time by which a lease has to have ended: the earliest of the readings, each continued by the
    /// clock of the process. So after the clock of the store is set forward, workers have the time of a lease to renew theirs.
    fn add(&mut self, own: Timestamp, stored: Timestamp, lease: Duration) -> Timestamp {
        self.0.push_back((own, stored));
        while self.0.get(1).is_some_and(|(read, _)| own.since(*read) >= lease) {
            self.0.pop_front();
        }
        self.0.iter().map(|(read, stored)| stored.after(own.since(*read))).min().unwrap_or(stored)
    }
}

async fn sweep_periodically(lifecycle: Weak<Lifecycle>) {
    let mut recovers = lifecycle.upgrade().is_some_and(|this| this.settings.store.store().take_recovery());
    let mut readings = Readings::default();
    loop {
        let (pause, store, handed_over) = {
            let Some(this) = lifecycle.upgrade() else { return };
            // After an error or a panic of the store, which is logged, the next round tries again.
            if catch_panic(this.sweep_all(&mut recovers, &mut readings)).await.is_err() {
                tracing::error!("the record store panicked while its records were swept");
            }
            let pause = (this.settings.lease / 4).clamp(Duration::from_millis(5), Duration::from_secs(10));
            (pause, this.settings.store.clone(), this.operations.handed_over.clone())
        };
        tokio::select! {
            () = sleep(pause) => {}
            () = store.store().handed_over() => {}
            () = handed_over.cancelled() => return,
        }
    }
}
