//! Checks after a restart: accepted operations end, answered requests have had their effect, and all other requests have one of
//! their allowed outcomes.

use std::{
    thread::sleep,
    time::{Duration, Instant},
};

use crate::{
    calls,
    client::{Client, Flow, Violation},
    http::{Answer, Reply},
    model::{Action, Pending, Resource, Tracked},
};

/// Maximum time for the recovery of an operation of a dead process.
const PATIENCE: Duration = Duration::from_mins(1);
/// Time between two polls.
const EVERY: Duration = Duration::from_millis(10);

impl Client<'_> {
    /// Waits for the end of all operations, and compares the results with the client's knowledge.
    pub(crate) fn await_operations(&mut self) -> Result<(), Violation> {
        for slot in 0..self.slots.len() {
            self.await_operation(slot, None)?;
            for binding in self.slots[slot].bindings.keys().cloned().collect::<Vec<_>>() {
                self.await_operation(slot, Some(&binding))?;
            }
        }
        self.verify_all()
    }

    /// Compares everything with the client's knowledge, while no operation is running.
    pub(crate) fn verify_all(&mut self) -> Result<(), Violation> {
        for slot in 0..self.slots.len() {
            self.verify(slot, None)?;
            for binding in self.slots[slot].bindings.keys().cloned().collect::<Vec<_>>() {
                self.verify(slot, Some(&binding))?;
            }
        }
        Ok(())
    }

    /// Deletes everything.
    pub(crate) fn clear(&mut self) -> Result<(), Violation> {
        for slot in 0..self.slots.len() {
            let polls = self.random.once_in(2);
            self.delete(slot, None, polls)?;
            self.finish(slot, None)?;
        }
        Ok(())
    }

    fn await_operation(&mut self, slot: usize, binding: Option<&str>) -> Result<(), Violation> {
        let Some(pending) = self.slots[slot].tracked(binding).pending.clone() else { return Ok(()) };
        if pending.operation.is_some() {
            self.finish(slot, binding)?;
            return self.check_operation(slot, binding, &pending);
        }
        self.wait_until_quiet(slot, binding)?;
        self.resolve(slot, binding, &pending)?;
        if self.random.once_in(2) {
            self.repeat(slot, binding, &pending)?;
        }
        Ok(())
    }

    /// Polls an accepted operation until it ends.
    fn finish(&mut self, slot: usize, binding: Option<&str>) -> Result<(), Violation> {
        let since = Instant::now();
        while let Some(pending) = self.slots[slot].tracked(binding).pending.clone() {
            if self.poll(slot, binding)? == Flow::Dead {
                return Err("the broker died by itself".to_owned());
            }
            if since.elapsed() > PATIENCE {
                return Err(format!("the operation does not end: {pending:?}"));
            }
            sleep(EVERY);
        }
        Ok(())
    }

    /// Checks that an accepted operation was executed under its own id.
    fn check_operation(&mut self, slot: usize, binding: Option<&str>, pending: &Pending) -> Result<(), Violation> {
        let Some(notes) = self.subject.calls(self.home) else { return Ok(()) };
        let paths = self.slots[slot].paths(binding);
        let (handler, resource) = (paths.handler(pending.action), paths.name());
        let notes = calls::read(&notes[pending.since.min(notes.len())..]);
        let mut of_it = notes.filter(|note| note.handler == handler && note.resource == resource);
        // A create that was cancelled before it started leaves nothing to delete.
        let was_completed =
            of_it.any(|note| note.event == "completed" && Some(note.operation) == pending.operation.as_deref());
        if was_completed || pending.fails || pending.cancels.is_some() {
            return Ok(());
        }
        Err(format!(
            "no call of {handler} for {resource} completed under the id of the accepted operation: {pending:?}"
        ))
    }

    /// Waits until no operation is running on a resource whose last request was not answered.
    fn wait_until_quiet(&mut self, slot: usize, binding: Option<&str>) -> Result<(), Violation> {
        let (since, path) = (Instant::now(), self.slots[slot].paths(binding).poll(None));
        loop {
            let answer = self.read(&path)?;
            if answer.body["state"] != "in progress" {
                return Ok(());
            }
            if since.elapsed() > PATIENCE {
                return Err(format!("the operation does not end: {answer:?}"));
            }
            sleep(EVERY);
        }
    }

    fn read(&mut self, path: &str) -> Result<Answer, Violation> {
        match self.get(path) {
            Reply::Answer(answer) => Ok(answer),
            Reply::Lost | Reply::NotSent => Err("the broker died by itself".to_owned()),
        }
    }

    /// Checks that a request without a response has one of its allowed outcomes.
    fn resolve(&mut self, slot: usize, binding: Option<&str>, pending: &Pending) -> Result<(), Violation> {
        let seen = self.seen(slot, binding)?;
        let before = self.slots[slot].tracked(binding).is.clone();
        let evidence = self.evidence(slot, binding, pending);
        let cancelled = pending.cancels.as_ref().filter(|create| !create.fails).and_then(|create| create.then.clone());
        let is_done = !pending.fails && same(seen.as_ref(), pending.then.as_ref());
        let is_as_before = same(seen.as_ref(), before.as_ref());
        let started = evidence.is_some_and(|done| done.started);
        let allowed = match pending.action {
            // A synchronous create is rolled back after a crash, so no other process may complete it.
            Action::Create if !pending.request.polls && before.is_none() => {
                let by_another = evidence.is_some_and(|done| done.processes > 1 || (is_done && !done.completed));
                !by_another && (is_done || seen.is_none())
            }
            Action::Create => is_done || seen.is_none(),
            // An update that had started is completed, or failed by a planned stop.
            Action::Update if started && !pending.fails => {
                is_done || (is_as_before && !pending.request.polls && self.was_interrupted(slot, binding)?)
            }
            Action::Update => is_done || is_as_before,
            Action::Delete if started => seen.is_none(),
            Action::Delete => seen.is_none() || is_as_before || same(seen.as_ref(), cancelled.as_ref()),
        };
        if !allowed {
            return Err(format!("before: {before:?}; request: {pending:?}; evidence: {evidence:?}; now: {seen:?}"));
        }
        *self.slots[slot].tracked(binding) = Tracked { is: seen, pending: None };
        self.forget_deleted_bindings(slot);
        Ok(())
    }

    /// Returns whether the broker says that a stop of its process has failed the last operation.
    fn was_interrupted(&mut self, slot: usize, binding: Option<&str>) -> Result<bool, Violation> {
        let path = self.slots[slot].paths(binding).poll(None);
        let body = self.read(&path)?.body;
        let description = body["description"].as_str().unwrap_or_default();
        Ok(body["state"] == "failed"
            && description.starts_with("The operation was interrupted: the service broker stopped."))
    }

    /// Returns the logged calls for a request.
    fn evidence(&mut self, slot: usize, binding: Option<&str>, pending: &Pending) -> Option<Evidence> {
        let notes = self.subject.calls(self.home)?;
        let paths = self.slots[slot].paths(binding);
        let (handler, resource) = (paths.handler(pending.action), paths.name());
        let mut of_it: Vec<_> = calls::read(&notes[pending.since.min(notes.len())..]).collect();
        of_it.retain(|note| note.handler == handler && note.resource == resource);
        let mut processes: Vec<_> = of_it.iter().map(|note| note.process).collect();
        processes.dedup();
        let says = |event: &str| of_it.iter().any(|note| note.event == event);
        Some(Evidence { started: says("started"), completed: says("completed"), processes: processes.len() })
    }

    /// Fetches a resource from the broker.
    fn seen(&mut self, slot: usize, binding: Option<&str>) -> Result<Option<Resource>, Violation> {
        let path = self.slots[slot].paths(binding).resource();
        let answer = self.read(&path)?;
        match answer.status {
            200 => {}
            404 => return Ok(None),
            _ => return Err(format!("GET {path} returned {answer:?}")),
        }
        let plan = match binding {
            None => self.subject.plans().iter().position(|plan| answer.body["plan_id"] == plan.id),
            Some(_) => self.slots[slot].instance.is.as_ref().map(|instance| instance.plan),
        };
        let plan = plan.ok_or_else(|| format!("GET {path} returned {answer:?}, with an unknown plan"))?;
        let credentials = answer.body.get("credentials").cloned().unwrap_or_default();
        if binding.is_some() && credentials.is_null() {
            return Err(format!("GET {path} returned {answer:?}, without credentials"));
        }
        Ok(Some(Resource { plan, parameters: answer.body["parameters"].clone(), credentials }))
    }

    /// Compares a resource with the client's knowledge, while no operation is running on it.
    pub(crate) fn verify(&mut self, slot: usize, binding: Option<&str>) -> Result<Flow, Violation> {
        let seen = match self.seen(slot, binding) {
            Ok(seen) => seen,
            Err(why) if why.contains("died") => return Ok(Flow::Dead),
            Err(why) => return Err(why),
        };
        let tracked = self.slots[slot].tracked(binding);
        if !same(seen.as_ref(), tracked.is.as_ref()) {
            return Err(format!("the client knows {:?}, but the broker returns {seen:?}", tracked.is));
        }
        tracked.is = seen;
        Ok(Flow::On)
    }

    /// Repeats a request, which must have the same result as sending it once.
    fn repeat(&mut self, slot: usize, binding: Option<&str>, pending: &Pending) -> Result<(), Violation> {
        let predecessor = pending.request.body["predecessor_binding_id"].as_str();
        let is_deleted = |pending: &Pending| matches!(pending.action, Action::Delete);
        let is_gone = |id: &str| {
            let binding = self.slots[slot].bindings.get(id);
            binding.is_none_or(|binding| binding.is.is_none() || binding.pending.as_ref().is_some_and(is_deleted))
        };
        // A deleted instance has no bindings, and a binding that was or is being deleted can't be rotated.
        if (binding.is_some() && self.slots[slot].instance.is.is_none()) || predecessor.is_some_and(is_gone) {
            return Ok(());
        }
        let since = self.subject.calls(self.home).map_or(0, |notes| notes.len());
        let again = Pending { since, cancels: None, ..pending.clone() };
        if self.ask(slot, binding, again)? == Flow::Dead {
            return Err("the broker died by itself".to_owned());
        }
        self.finish(slot, binding)
    }
}

/// The handlers' calls for a request.
#[derive(Debug, Clone, Copy)]
struct Evidence {
    started: bool,
    completed: bool,
    processes: usize,
}

/// Compares two resources; unknown credentials match any, and fetched bindings don't contain their plan.
fn same(one: Option<&Resource>, other: Option<&Resource>) -> bool {
    match (one, other) {
        (None, None) => true,
        (Some(one), Some(other)) => {
            let given = [&one.credentials, &other.credentials].into_iter().filter(|credentials| !credentials.is_null());
            one.parameters == other.parameters
                && (given.count() < 2 || one.credentials == other.credentials)
                && (one.plan == other.plan || !(one.credentials.is_null() && other.credentials.is_null()))
        }
        _ => false,
    }
}
