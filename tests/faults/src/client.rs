//! A platform with a few instances of its own, which it makes, changes, binds and deletes at random, and the only one who
//! does so.

use std::{net::SocketAddr, path::Path};

use serde_json::{Value, json};

use crate::{
    http::{Answer, Told, ask, ask_and_hang_up},
    model::{Asked, Request, Slot, Thing, What, Wish, merged},
    random::Random,
    subject::Subject,
};

/// Something that must not be.
pub(crate) type Violation = String;

/// How it goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    On,
    /// The broker is dead.
    Dead,
}

const INSTANCES: usize = 3;
const BINDINGS: [&str; 3] = ["b0", "b1", "b2"];

/// What came of requests.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Tally {
    pub(crate) answered: u32,
    pub(crate) accepted: u32,
    pub(crate) unanswered: u32,
}

pub(crate) struct Client<'a> {
    pub(crate) subject: &'a dyn Subject,
    pub(crate) home: &'a Path,
    /// Where the broker is now.
    pub(crate) at: SocketAddr,
    /// Whether it hangs up now and then.
    hangs_up: bool,
    pub(crate) random: Random,
    pub(crate) slots: Vec<Slot>,
    /// What it did and was told.
    pub(crate) history: Vec<String>,
    pub(crate) tally: Tally,
}

impl<'a> Client<'a> {
    pub(crate) fn new(number: usize, subject: &'a dyn Subject, home: &'a Path, random: Random) -> Self {
        let slots = (0..INSTANCES).map(|i| Slot { id: format!("i{number}{i}"), ..Slot::default() }).collect();
        let at = ([127, 0, 0, 1], 0).into();
        Self { subject, home, at, hangs_up: false, random, slots, history: Vec::new(), tally: Tally::default() }
    }

    /// Does this and that until the broker is dead.
    pub(crate) fn walk(&mut self) -> Result<(), Violation> {
        self.hangs_up = true;
        while self.step()? == Flow::On {}
        self.hangs_up = false;
        Ok(())
    }

    /// A violation, with what led to it.
    pub(crate) fn told(&self, why: &str) -> String {
        const LINES: usize = 60;
        let history = &self.history[self.history.len().saturating_sub(LINES)..];
        format!("{why}\nThe client did:\n    {}\n", history.join("\n    "))
    }

    fn step(&mut self) -> Result<Flow, Violation> {
        let (slot, binding) = (self.random.index(INSTANCES), *self.random.pick(&BINDINGS));
        let (found, polls) = (&self.slots[slot], self.random.once_in(2));
        let bound = found.bindings.get(binding).cloned().unwrap_or_default();
        match (&found.instance.is, &found.instance.asked) {
            (_, Some(asked)) if asked.operation.is_some() => self.attend(slot, None),
            // Not before the next process.
            (_, Some(_)) => Ok(self.look()),
            (None, None) if self.random.once_in(10) => self.delete(slot, None, polls),
            (None, None) => self.create(slot, polls),
            (Some(_), None) => match (&bound.is, &bound.asked) {
                (_, Some(asked)) if asked.operation.is_some() => self.attend(slot, Some(binding)),
                (_, Some(_)) => Ok(self.look()),
                _ if !found.is_busy() && self.random.once_in(6) => self.delete(slot, None, polls),
                _ if !found.is_busy() && self.random.once_in(3) => self.update(slot, polls),
                (None, None) => self.bind(slot, binding, polls),
                (Some(_), None) if self.random.once_in(2) => self.delete(slot, Some(binding), polls),
                (Some(_), None) => self.verify(slot, Some(binding)),
            },
        }
    }

    /// Reads something, so that the time passes.
    fn look(&mut self) -> Flow {
        match ask(self.at, "GET", "/v2/catalog", &Value::Null) {
            Told::Answer(_) => Flow::On,
            Told::Nothing | Told::NotAsked => Flow::Dead,
        }
    }

    /// Asks how something is going that was accepted, asks for it again, or cancels it.
    fn attend(&mut self, slot: usize, binding: Option<&str>) -> Result<Flow, Violation> {
        let Some(asked) = self.slots[slot].thing(binding).asked.clone() else { return Ok(Flow::On) };
        if asked.wish == Wish::Create && self.random.once_in(20) {
            return self.delete(slot, binding, true);
        }
        if asked.wish == Wish::Create && !asked.fails && self.random.once_in(4) {
            return self.ask(slot, binding, asked);
        }
        self.poll(slot, binding)
    }

    fn create(&mut self, slot: usize, polls: bool) -> Result<Flow, Violation> {
        let plan = self.random.index(self.subject.plans().len());
        let parameters = self.subject.new_instance(&mut self.random);
        let what = What { plan, parameters, credentials: Value::Null };
        let body = self.body(&what, true);
        self.wish(slot, None, Wish::Create, polls, body, Some(what))
    }

    fn bind(&mut self, slot: usize, binding: &str, polls: bool) -> Result<Flow, Violation> {
        let Some(instance) = &self.slots[slot].instance.is else { return Ok(Flow::On) };
        let parameters = self.subject.new_binding(&mut self.random);
        let what = What { plan: instance.plan, parameters, credentials: Value::Null };
        let mut body = self.body(&what, false);
        let others = self.slots[slot].bindings.iter().filter(|(_, other)| other.is.is_some() && other.asked.is_none());
        let others: Vec<String> = others.map(|(id, _)| id.clone()).collect();
        // A rotation, now and then.
        if !others.is_empty() && self.random.once_in(3) {
            body["predecessor_binding_id"] = self.random.pick(&others).as_str().into();
        }
        self.wish(slot, Some(binding), Wish::Create, polls, body, Some(what))
    }

    fn update(&mut self, slot: usize, polls: bool) -> Result<Flow, Violation> {
        let Some(before) = self.slots[slot].instance.is.clone() else { return Ok(Flow::On) };
        let changes = self.subject.update(&mut self.random);
        let (parameters, mut plan) = (merged(&before.parameters, &changes), before.plan);
        let targets = self.subject.plans()[plan].changes_to;
        if !targets.is_empty() && self.random.once_in(2) {
            plan = *self.random.pick(targets);
        }
        let body = self.body(&What { plan, parameters: changes, credentials: Value::Null }, false);
        let then = What { plan, parameters, credentials: Value::Null };
        self.wish(slot, None, Wish::Update, polls, body, Some(then))
    }

    pub(crate) fn delete(&mut self, slot: usize, binding: Option<&str>, polls: bool) -> Result<Flow, Violation> {
        self.wish(slot, binding, Wish::Delete, polls, Value::Null, None)
    }

    fn body(&self, what: &What, is_new: bool) -> Value {
        let (service, plan) = (self.subject.service(), self.subject.plans()[what.plan].id);
        let mut body = json!({ "service_id": service, "plan_id": plan, "parameters": what.parameters });
        if is_new {
            body["organization_guid"] = "o".into();
            body["space_guid"] = "s".into();
        }
        body
    }

    /// Asks for something new.
    fn wish(
        &mut self,
        slot: usize,
        binding: Option<&str>,
        wish: Wish,
        polls: bool,
        body: Value,
        then: Option<What>,
    ) -> Result<Flow, Violation> {
        let earlier = self.slots[slot].thing(binding).asked.take();
        let known = then.as_ref().or(self.slots[slot].instance.is.as_ref());
        let known = known.or(earlier.as_ref().and_then(|create| create.then.as_ref())).map_or(0, |what| what.plan);
        let plan = self.subject.plans()[known];
        let polls = polls || plan.is_async;
        let mut path = format!("{}?accepts_incomplete={polls}", self.slots[slot].paths(binding).resource());
        let method = match wish {
            Wish::Create => "PUT",
            Wish::Update => "PATCH",
            Wish::Delete => "DELETE",
        };
        if wish == Wish::Delete {
            path += &format!("&service_id={}&plan_id={}", self.subject.service(), plan.id);
        }
        let fails = wish != Wish::Delete && then.as_ref().is_some_and(|then| self.subject.fails(&then.parameters));
        let since = self.subject.calls(self.home).map_or(0, |notes| notes.len());
        let request = Request { method, path, body, polls };
        let cancels = earlier.map(Box::new);
        self.ask(slot, binding, Asked { request, wish, then, fails, since, operation: None, cancels })
    }

    /// Asks, and keeps in mind what was asked until it is known how that ended.
    pub(crate) fn ask(&mut self, slot: usize, binding: Option<&str>, asked: Asked) -> Result<Flow, Violation> {
        let Request { method, path, body, .. } = asked.request.clone();
        let hangs_up = self.hangs_up && self.random.once_in(50) && asked.operation.is_none() && asked.cancels.is_none();
        let how = if hangs_up { ask_and_hang_up } else { ask };
        let cancelled = asked.cancels.clone();
        self.slots[slot].thing(binding).asked = Some(asked);
        let told = how(self.at, method, &path, &body);
        self.history.push(format!("{method} {path} {body} -> {}", show(&told)));
        match told {
            Told::Answer(answer) => {
                self.tally.answered += 1;
                let is_in_use = binding.is_some_and(|id| self.slots[slot].is_being_succeeded(id));
                let thing = self.slots[slot].thing(binding);
                // Whoever succeeds it needs it.
                if is_in_use && method == "DELETE" && answer.status == 422 {
                    thing.asked = None;
                } else if answered(thing, &answer).map_err(|why| format!("{method} {path}: {why}"))? {
                    self.tally.accepted += 1;
                }
                self.forget_bindings_of_none(slot);
                Ok(Flow::On)
            }
            Told::Nothing => {
                self.tally.unanswered += 1;
                Ok(if hangs_up { Flow::On } else { Flow::Dead })
            }
            Told::NotAsked => {
                let thing = self.slots[slot].thing(binding);
                if thing.asked.as_ref().is_some_and(|asked| asked.operation.is_none()) {
                    thing.asked = cancelled.map(|create| *create);
                }
                Ok(Flow::Dead)
            }
        }
    }

    /// Asks how something is going that was accepted.
    pub(crate) fn poll(&mut self, slot: usize, binding: Option<&str>) -> Result<Flow, Violation> {
        let Some(asked) = self.slots[slot].thing(binding).asked.clone() else { return Ok(Flow::On) };
        let path = self.slots[slot].paths(binding).poll(asked.operation.as_deref());
        let answer = match self.get(&path) {
            Told::Answer(answer) => answer,
            Told::Nothing | Told::NotAsked => return Ok(Flow::Dead),
        };
        let thing = self.slots[slot].thing(binding);
        let state = answer.body["state"].as_str().unwrap_or_default();
        match (answer.status, state, asked.wish) {
            (200, "in progress", _) => {}
            (200, "succeeded", Wish::Create | Wish::Update) if !asked.fails => {
                *thing = Thing { is: asked.then, asked: None };
            }
            (200, "failed", Wish::Create | Wish::Update) if asked.fails => thing.asked = None,
            (410, _, Wish::Delete) => *thing = Thing::default(),
            _ => return Err(format!("{:?} was accepted, and {path} says {answer:?}", asked.request)),
        }
        self.forget_bindings_of_none(slot);
        Ok(Flow::On)
    }

    pub(crate) fn get(&mut self, path: &str) -> Told {
        let told = ask(self.at, "GET", path, &Value::Null);
        let line = format!("GET {path} -> {}", show(&told));
        if self.history.last() != Some(&line) {
            self.history.push(line);
        }
        told
    }

    /// Bindings go with their instance.
    pub(crate) fn forget_bindings_of_none(&mut self, slot: usize) {
        let slot = &mut self.slots[slot];
        if slot.instance.is.is_none() && slot.instance.asked.is_none() {
            slot.bindings.clear();
        }
    }
}

/// What an answer means for what is known. Says whether the request was accepted.
fn answered(thing: &mut Thing, answer: &Answer) -> Result<bool, Violation> {
    let Some(asked) = &mut thing.asked else { return Ok(false) };
    let unexpected = |asked: &Asked| Err(format!("it was answered {answer:?}, of {asked:?}"));
    match (answer.status, asked.wish) {
        (202, _) => {
            let Some(operation) = answer.body["operation"].as_str() else { return unexpected(asked) };
            let earlier = asked.operation.replace(operation.to_owned());
            if earlier.is_some_and(|earlier| earlier != operation) {
                return unexpected(asked);
            }
            return Ok(true);
        }
        (201, Wish::Create) if thing.is.is_some() || asked.fails => return unexpected(asked),
        (200 | 201, Wish::Create) if !asked.fails => {
            let mut made = asked.then.clone();
            if let (Some(made), Some(credentials)) = (&mut made, answer.body.get("credentials")) {
                made.credentials = credentials.clone();
            }
            if let (Some(before), Some(made)) = (&thing.is, &made)
                && before.credentials != made.credentials
            {
                return Err(format!("it was {before:?}, and is {made:?}"));
            }
            *thing = Thing { is: made, asked: None };
        }
        (200, Wish::Update) if !asked.fails => *thing = Thing { is: asked.then.clone(), asked: None },
        (200, Wish::Delete) if thing.is.is_some() || asked.cancels.is_some() => *thing = Thing::default(),
        // A create that failed is gone already.
        (410, Wish::Delete) if thing.is.is_none() && asked.cancels.as_ref().is_none_or(|create| create.fails) => {
            *thing = Thing::default();
        }
        (400 | 422 | 500, Wish::Create | Wish::Update) if asked.fails => thing.asked = None,
        _ => return unexpected(asked),
    }
    Ok(false)
}

fn show(told: &Told) -> String {
    match told {
        Told::Answer(answer) => format!("{} {}", answer.status, answer.body),
        Told::Nothing => "no answer".to_owned(),
        Told::NotAsked => "not asked".to_owned(),
    }
}
