//! After a restart: what was accepted goes on to its end, what was answered is so, and what was neither is one of the two
//! things that it can be.

use std::{
    thread::sleep,
    time::{Duration, Instant},
};

use crate::{
    calls,
    client::{Client, Flow, Violation},
    http::{Answer, Told},
    model::{Asked, Thing, What, Wish},
};

/// How long anything may take that a dead process has begun.
const PATIENCE: Duration = Duration::from_mins(1);
/// How often one looks whether it is done.
const EVERY: Duration = Duration::from_millis(10);

impl Client<'_> {
    /// Waits for the end of everything, and holds it against what is known.
    pub(crate) fn settle(&mut self) -> Result<(), Violation> {
        for slot in 0..self.slots.len() {
            self.settle_thing(slot, None)?;
            for binding in self.slots[slot].bindings.keys().cloned().collect::<Vec<_>>() {
                self.settle_thing(slot, Some(&binding))?;
            }
        }
        self.verify_all()
    }

    /// Holds everything against what is known, while nothing goes on.
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

    fn settle_thing(&mut self, slot: usize, binding: Option<&str>) -> Result<(), Violation> {
        let Some(asked) = self.slots[slot].thing(binding).asked.clone() else { return Ok(()) };
        if asked.operation.is_some() {
            self.finish(slot, binding)?;
            return self.check_operation(slot, binding, &asked);
        }
        self.wait_until_quiet(slot, binding)?;
        self.resolve(slot, binding, &asked)?;
        if self.random.once_in(2) {
            self.ask_again(slot, binding, &asked)?;
        }
        Ok(())
    }

    /// Polls for what was accepted until it has ended.
    fn finish(&mut self, slot: usize, binding: Option<&str>) -> Result<(), Violation> {
        let since = Instant::now();
        while let Some(asked) = self.slots[slot].thing(binding).asked.clone() {
            if self.poll(slot, binding)? == Flow::Dead {
                return Err("the broker died by itself".to_owned());
            }
            if since.elapsed() > PATIENCE {
                return Err(format!("it does not end: {asked:?}"));
            }
            sleep(EVERY);
        }
        Ok(())
    }

    /// What was accepted was done under the id that was given out, and under no other.
    fn check_operation(&mut self, slot: usize, binding: Option<&str>, asked: &Asked) -> Result<(), Violation> {
        let Some(notes) = self.subject.calls(self.home) else { return Ok(()) };
        let paths = self.slots[slot].paths(binding);
        let (handler, thing) = (paths.handler(asked.wish), paths.name());
        let notes = calls::read(&notes[asked.since.min(notes.len())..]);
        let mut of_it = notes.filter(|note| note.handler == handler && note.thing == thing);
        // A create that was cancelled before it began leaves nothing to delete.
        let was_done = of_it.any(|note| note.what == "made" && Some(note.operation) == asked.operation.as_deref());
        if was_done || asked.fails || asked.cancels.is_some() {
            return Ok(());
        }
        Err(format!("no {handler} of {thing} has succeeded as the operation that was accepted: {asked:?}"))
    }

    /// Waits until nothing goes on with something of which it is not known what goes on.
    fn wait_until_quiet(&mut self, slot: usize, binding: Option<&str>) -> Result<(), Violation> {
        let (since, path) = (Instant::now(), self.slots[slot].paths(binding).poll(None));
        loop {
            let answer = self.read(&path)?;
            if answer.body["state"] != "in progress" {
                return Ok(());
            }
            if since.elapsed() > PATIENCE {
                return Err(format!("it does not end: {answer:?}"));
            }
            sleep(EVERY);
        }
    }

    fn read(&mut self, path: &str) -> Result<Answer, Violation> {
        match self.get(path) {
            Told::Answer(answer) => Ok(answer),
            Told::Nothing | Told::NotAsked => Err("the broker died by itself".to_owned()),
        }
    }

    /// Finds out what became of what was asked without being answered, and whether that is one of the things it may be.
    fn resolve(&mut self, slot: usize, binding: Option<&str>, asked: &Asked) -> Result<(), Violation> {
        let seen = self.seen(slot, binding)?;
        let before = self.slots[slot].thing(binding).is.clone();
        let evidence = self.evidence(slot, binding, asked);
        let cancelled = asked.cancels.as_ref().filter(|create| !create.fails).and_then(|create| create.then.clone());
        let is_done = !asked.fails && same(seen.as_ref(), asked.then.as_ref());
        let is_as_before = same(seen.as_ref(), before.as_ref());
        let begun = evidence.is_some_and(|done| done.begun);
        let allowed = match asked.wish {
            // Nobody had promised to go on with what was only waited for, so that no other process may make it.
            Wish::Create if !asked.request.polls && before.is_none() => {
                let by_another = evidence.is_some_and(|done| done.processes > 1 || (is_done && !done.made));
                !by_another && (is_done || seen.is_none())
            }
            Wish::Create => is_done || seen.is_none(),
            // What had begun is finished.
            Wish::Update if begun && !asked.fails => is_done,
            Wish::Update => is_done || is_as_before,
            Wish::Delete if begun => seen.is_none(),
            Wish::Delete => seen.is_none() || is_as_before || same(seen.as_ref(), cancelled.as_ref()),
        };
        if !allowed {
            return Err(format!(
                "it was {before:?}, asked for was {asked:?}, of which {evidence:?}; now it is {seen:?}"
            ));
        }
        *self.slots[slot].thing(binding) = Thing { is: seen, asked: None };
        self.forget_bindings_of_none(slot);
        Ok(())
    }

    /// What was noted of calls for a request.
    fn evidence(&mut self, slot: usize, binding: Option<&str>, asked: &Asked) -> Option<Evidence> {
        let notes = self.subject.calls(self.home)?;
        let paths = self.slots[slot].paths(binding);
        let (handler, thing) = (paths.handler(asked.wish), paths.name());
        let mut of_it: Vec<_> = calls::read(&notes[asked.since.min(notes.len())..]).collect();
        of_it.retain(|note| note.handler == handler && note.thing == thing);
        let mut processes: Vec<_> = of_it.iter().map(|note| note.process).collect();
        processes.dedup();
        let says = |what: &str| of_it.iter().any(|note| note.what == what);
        Some(Evidence { begun: says("begun"), made: says("made"), processes: processes.len() })
    }

    /// What the broker says that there is.
    fn seen(&mut self, slot: usize, binding: Option<&str>) -> Result<Option<What>, Violation> {
        let path = self.slots[slot].paths(binding).resource();
        let answer = self.read(&path)?;
        match answer.status {
            200 => {}
            404 => return Ok(None),
            _ => return Err(format!("GET {path} says {answer:?}")),
        }
        let plan = match binding {
            None => self.subject.plans().iter().position(|plan| answer.body["plan_id"] == plan.id),
            Some(_) => self.slots[slot].instance.is.as_ref().map(|instance| instance.plan),
        };
        let plan = plan.ok_or_else(|| format!("GET {path} says {answer:?}, of no known plan"))?;
        let credentials = answer.body.get("credentials").cloned().unwrap_or_default();
        if binding.is_some() && credentials.is_null() {
            return Err(format!("GET {path} says {answer:?}, without credentials"));
        }
        Ok(Some(What { plan, parameters: answer.body["parameters"].clone(), credentials }))
    }

    /// Holds something that nothing goes on with against what is known.
    pub(crate) fn verify(&mut self, slot: usize, binding: Option<&str>) -> Result<Flow, Violation> {
        let seen = match self.seen(slot, binding) {
            Ok(seen) => seen,
            Err(why) if why.contains("died") => return Ok(Flow::Dead),
            Err(why) => return Err(why),
        };
        let thing = self.slots[slot].thing(binding);
        if !same(seen.as_ref(), thing.is.as_ref()) {
            return Err(format!("the client was told of {:?}, and now there is {seen:?}", thing.is));
        }
        thing.is = seen;
        Ok(Flow::On)
    }

    /// The same request once more: it has to end as if there had been one.
    fn ask_again(&mut self, slot: usize, binding: Option<&str>, asked: &Asked) -> Result<(), Violation> {
        let predecessor = asked.request.body["predecessor_binding_id"].as_str();
        let is_gone = |id: &str| self.slots[slot].bindings.get(id).is_none_or(|binding| binding.is.is_none());
        // Of what is not there any more there is no binding, and no rotation.
        if (binding.is_some() && self.slots[slot].instance.is.is_none()) || predecessor.is_some_and(is_gone) {
            return Ok(());
        }
        let since = self.subject.calls(self.home).map_or(0, |notes| notes.len());
        let again = Asked { since, cancels: None, ..asked.clone() };
        if self.ask(slot, binding, again)? == Flow::Dead {
            return Err("the broker died by itself".to_owned());
        }
        self.finish(slot, binding)
    }
}

/// What handlers were seen to do.
#[derive(Debug, Clone, Copy)]
struct Evidence {
    begun: bool,
    made: bool,
    processes: usize,
}

/// Credentials that were not given yet are whatever they are; which plan a binding is of is not seen.
fn same(one: Option<&What>, other: Option<&What>) -> bool {
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
