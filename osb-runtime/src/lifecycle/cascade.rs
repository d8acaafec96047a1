//! The bindings of an instance that is deleted: they are unbound first, at the same time as far as the service's limit of
//! concurrent handlers allows.

use std::{collections::HashMap, mem, sync::Arc, time::Duration};

use futures_util::future::{OptionFuture, join_all};
use tokio::{
    task::{Id, JoinError, JoinSet},
    time::sleep,
};
use tracing::Instrument;

use super::{
    Action, Event, Lifecycle, ResolvedPlan, Stage,
    call::{call_handler, panic_message},
    checkpoints::Checkpoints,
    job::{Removal, other_plan},
    mutation::log_store_error,
    outcome::{AttemptError, Outcome},
    supervisor::{HandlerSupervisor, no_handler},
};
use crate::{
    service::{Common, Failure, UnbindCall},
    store::{BindingRecord, Claim, Key, OperationKind, Pages, Phase},
};

/// Number of bindings that are recorded at once: each takes a connection of a database, and waits for the record of the instance.
const RECORDED_AT_ONCE: usize = 4;

/// The outcome of unbinding the bindings of an instance.
#[derive(Default)]
pub(super) struct Cascade {
    /// The first failure; a permanent one takes precedence over a temporary one.
    pub(super) failed: Option<AttemptError>,
    /// The bindings that are left, as events of the deletion.
    pub(super) left: Vec<Event>,
    /// The bindings whose handlers failed, without refusals.
    unremoved: Vec<Key>,
    /// True once a handler has been called.
    has_begun: bool,
}

impl Cascade {
    fn leave(&mut self, unbinding: Unbinding, error: AttemptError) {
        self.left.extend(unbinding.event);
        if !error.is_refusal() {
            self.unremoved.push(unbinding.key);
        }
        if self.failed.is_none() || matches!(self.failed, Some(AttemptError::Temporary)) {
            self.failed = Some(error);
        }
    }
}

/// A binding whose handler is running.
struct Unbinding {
    key: Key,
    event: Option<Event>,
}

impl Removal {
    /// Returns the event of the deletion of a binding, without its time.
    fn event_of(&self, key: &Key, binding: &BindingRecord) -> Option<Event> {
        self.event.as_ref().map(|event| Event {
            action: Action::Unbind,
            binding: key.binding.clone(),
            service_id: binding.service_id.to_string(),
            plan_id: binding.plan_id.to_string(),
            ..Event::clone(event)
        })
    }
}

/// The bindings of an instance while they are unbound.
struct Unbindings<'a> {
    supervisor: HandlerSupervisor<'a>,
    removal: &'a Removal,
    waiting: std::vec::IntoIter<(Key, BindingRecord)>,
    tasks: JoinSet<Option<Result<(), Failure>>>,
    running: HashMap<Id, Unbinding>,
    cascade: Cascade,
}

impl Unbindings<'_> {
    async fn run(mut self) -> Cascade {
        let HandlerSupervisor { lifecycle, attempt, .. } = self.supervisor;
        let (mut unbound, mut recording) = (Vec::new(), None);
        loop {
            // Handlers run while the ends of others are recorded.
            if recording.is_none() {
                while self.start_next() {}
                if !unbound.is_empty() {
                    recording = Some(Box::pin(lifecycle.record_all_unbound(&attempt.claim, mem::take(&mut unbound))));
                } else if self.tasks.is_empty() {
                    break;
                }
            }
            // A store that hangs delays no abort: another process may be calling the handlers.
            tokio::select! {
                () = attempt.aborted.notified() => self.tasks.abort_all(),
                Some(holds) = OptionFuture::from(recording.as_mut()) => {
                    recording = None;
                    if !holds {
                        // Another worker has taken over, and calls the other handlers.
                        self.cascade.failed = Some(AttemptError::Stopped);
                        attempt.handle.cancelled().cancel();
                        self.tasks.abort_all();
                    }
                }
                Some(ended) = self.tasks.join_next_with_id() => {
                    unbound.extend(self.finish_one(ended));
                    while let Some(ended) = self.tasks.try_join_next_with_id() {
                        unbound.extend(self.finish_one(ended));
                    }
                }
            }
        }
        // Bindings whose handlers were not called because the deletion was stopped.
        let not_begun = self.waiting.filter_map(|(key, binding)| self.removal.event_of(&key, &binding));
        self.cascade.left.extend(not_begun);
        self.cascade
    }

    /// Starts the handler of the next binding. Returns false if there is none, at the limit of handlers, or after a stop.
    fn start_next(&mut self) -> bool {
        let HandlerSupervisor { lifecycle, attempt, .. } = self.supervisor;
        if self.tasks.len() >= lifecycle.settings.concurrency.max(1) || attempt.handle.is_cancelled() {
            return false;
        }
        let Some((key, binding)) = self.waiting.next() else { return false };
        let unbinding = Unbinding { event: self.removal.event_of(&key, &binding), key };
        let Some((resolved, call)) = self.supervisor.unbind_call(self.removal, &unbinding.key, binding) else {
            self.cascade.leave(unbinding, AttemptError::Unexpected);
            return true;
        };
        let (attempt, observer) = (Arc::clone(attempt), lifecycle.settings.observer.clone());
        let task = async move {
            let handle = Arc::clone(&call.common.handle);
            match resolved.plan.unbind(call) {
                Some(handler) => call_handler(handler, handle, attempt, Duration::ZERO, observer).await,
                None => Some(Err(no_handler())),
            }
        };
        let supervisor = HandlerSupervisor { key: &unbinding.key, ..self.supervisor };
        let task = self.tasks.spawn(task.instrument(supervisor.span()));
        self.running.insert(task.id(), unbinding);
        true
    }

    /// Notes the end of a handler. Returns the binding if it was unbound.
    fn finish_one(&mut self, ended: Result<(Id, Option<Result<(), Failure>>), JoinError>) -> Option<Unbinding> {
        let id = ended.as_ref().map_or_else(JoinError::id, |(id, _)| *id);
        let unbinding = self.running.remove(&id)?;
        if let Ok((_, None)) = ended {
            // The deletion was stopped before the handler was called.
            self.cascade.left.extend(unbinding.event);
            return None;
        }
        self.cascade.has_begun = true;
        let ended = ended.map(|(_, ended)| ended).map_err(|error| error.try_into_panic().ok().map(panic_message));
        let supervisor = HandlerSupervisor { key: &unbinding.key, ..self.supervisor };
        if let (Err(None), Some(reason)) = (&ended, supervisor.attempt.cancel_reason.get()) {
            supervisor.cancelled(*reason); // It was aborted, and the log names its binding.
        }
        match supervisor.convert(ended, |()| Outcome::Removed) {
            Outcome::Failed(error) => self.cascade.leave(unbinding, error),
            _ => return Some(unbinding),
        }
        None
    }
}

impl HandlerSupervisor<'_> {
    /// Unbinds all bindings of an instance.
    pub(super) async fn unbind_all(&self, removal: &Removal, pause: Duration) -> Cascade {
        let mut cascade = self.unbind_each(removal, pause).await;
        if let Some(reason) = self.attempt.cancel_reason.get() {
            let error = Self { name: "deprovision", ..*self }.cancelled(*reason);
            cascade.failed = Some(if cascade.has_begun { error } else { self.not_begun(error) });
        }
        // After an interruption or a shutdown the next attempt continues with them.
        if !matches!(cascade.failed, Some(AttemptError::Interrupted | AttemptError::HandedOver)) {
            for key in mem::take(&mut cascade.unremoved) {
                self.mark_failed(key).await;
            }
        }
        cascade
    }

    async fn unbind_each(&self, removal: &Removal, pause: Duration) -> Cascade {
        let (Self { lifecycle, attempt, .. }, claim) = (*self, &self.attempt.claim);
        let listed = async {
            // A timer takes a millisecond even for no delay.
            if !pause.is_zero() {
                sleep(pause).await;
            }
            lifecycle.bindings_of(&claim.key, removal.bindings).await
        };
        let bindings = tokio::select! {
            bindings = listed => bindings,
            () = attempt.handle.cancelled().cancelled() => {
                return Cascade { failed: Some(AttemptError::Stopped), ..Cascade::default() };
            }
        };
        if claim.attempt == 1 {
            let events = bindings.iter().filter_map(|(key, binding)| removal.event_of(key, binding));
            events.for_each(|event| lifecycle.publish(Event { time: lifecycle.settings.clock.date(), ..event }));
        }
        let (waiting, (tasks, running, cascade)) = (bindings.into_iter(), Default::default());
        Unbindings { supervisor: *self, removal, waiting, tasks, running, cascade }.run().await
    }

    fn unbind_call(&self, removal: &Removal, key: &Key, binding: BindingRecord) -> Option<(ResolvedPlan, UnbindCall)> {
        let Self { lifecycle, attempt, .. } = *self;
        let resolved = lifecycle.route(&binding.service_id, &binding.plan_id).ok()?;
        let (lifecycle, claim, cascaded) = (Arc::clone(lifecycle), attempt.claim.clone(), Some(key.clone()));
        let call = UnbindCall {
            common: Common {
                plan: resolved.info,
                handle: attempt.handle.part(Checkpoints { lifecycle, claim, cascaded }),
                ..removal.call.common.clone()
            },
            binding: key.binding.clone()?,
            state: binding.state,
            instance_state: removal.instance_state.clone(),
            instance_plan: other_plan(removal.call.common.plan, &resolved),
            parameters: binding.parameters,
        };
        Some((resolved, call))
    }

    /// Marks a binding that could not be unbound as `DeleteFailed`.
    async fn mark_failed(&self, key: Key) {
        let keys = [self.attempt.claim.key.clone(), key];
        let failed = self.lifecycle.commit_with_retry(&keys, |group| {
            if group.instance().is_some_and(|instance| instance.status.holds(&self.attempt.claim))
                && let Some(binding) = group.binding_mut()
            {
                binding.status.phase = Phase::DeleteFailed;
            }
        });
        failed.await;
    }
}

impl Lifecycle {
    /// Lists the bindings of an instance, which has `count`. Nothing can add one, because the instance is being deleted.
    async fn bindings_of(&self, instance: &Key, count: u64) -> Vec<(Key, BindingRecord)> {
        let found = loop {
            match Pages::bindings(self.settings.store.store(), instance, count).await {
                Ok(found) => break found.into_iter(),
                Err(error) => log_store_error(&error),
            }
            sleep(Duration::from_millis(500)).await;
        };
        found.filter_map(|(key, record)| Some((key, record.binding()?.clone()))).collect()
    }

    /// Records that bindings were unbound. Returns false if the claim is lost.
    async fn record_all_unbound(&self, claim: &Claim, unbound: Vec<Unbinding>) -> bool {
        for few in unbound.chunks(RECORDED_AT_ONCE) {
            let recording = few.iter().map(|unbinding| self.record_unbound(claim, unbinding));
            if join_all(recording).await.contains(&false) {
                return false;
            }
        }
        true
    }

    /// Replaces a binding by a tombstone with the end of the deletion of its instance. Returns false if the claim is lost.
    async fn record_unbound(&self, claim: &Claim, unbinding: &Unbinding) -> bool {
        let (keys, mut was_there) = ([claim.key.clone(), unbinding.key.clone()], false);
        let unbound = self.commit_with_retry(&keys, |group| {
            let instance = group.instance_mut().filter(|instance| instance.status.holds(claim))?;
            if let OperationKind::Delete { has_unbound, .. } = &mut instance.status.operation.kind {
                *has_unbound = true;
            }
            let forget_at = self.settings.forget_at(self.settings.now());
            let tombstone = instance.status.deletion_tombstone(forget_at);
            if group.binding().is_some() {
                was_there = true; // for a repetition too, after a commit for which the store reported an error
                group.put(tombstone);
            }
            Some(was_there)
        });
        let unbound = unbound.await;
        if unbound == Some(true)
            && let Some(event) = &unbinding.event
        {
            self.publish(Event { time: self.settings.clock.date(), stage: Stage::Succeeded, ..event.clone() });
        }
        unbound.is_some()
    }
}
