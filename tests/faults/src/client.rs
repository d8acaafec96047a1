//! A client with a few instances, which it alone creates, updates, binds and deletes at random.

use std::{
    fmt,
    net::SocketAddr,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    thread::sleep,
    time::Duration,
};

use serde_json::{Value, json};

use crate::{
    http::{Answer, Reply, ask, ask_and_hang_up},
    model::{Action, Pending, Request, Resource, Slot, Tracked, merged},
    random::Random,
    subject::Subject,
};

/// A description of a violated property.
pub(crate) type Violation = String;

/// The state of the broker after a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    On,
    /// The broker is dead.
    Dead,
}

/// Pause after a request that was not answered.
const AFTER_A_LOSS: Duration = Duration::from_millis(20);

const INSTANCES: usize = 3;
const BINDINGS: [&str; 3] = ["b0", "b1", "b2"];

/// Statistics of requests.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Tally {
    pub(crate) answered: u32,
    pub(crate) accepted: u32,
    pub(crate) unanswered: u32,
    /// Responses with 503.
    pub(crate) unavailable: u32,
}

impl Tally {
    /// Adds up the statistics of clients.
    pub(crate) fn of(clients: &[Client<'_>]) -> Self {
        clients.iter().fold(Self::default(), |sum, Client { tally, .. }| Self {
            answered: sum.answered + tally.answered,
            accepted: sum.accepted + tally.accepted,
            unanswered: sum.unanswered + tally.unanswered,
            unavailable: sum.unavailable + tally.unavailable,
        })
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { answered, accepted, unanswered, unavailable } = self;
        write!(
            f,
            "of the requests {answered} were answered ({accepted} accepted) and {unanswered} were cut off, or failed with \
             5xx; {unavailable} responses were 503"
        )
    }
}

pub(crate) struct Client<'a> {
    pub(crate) subject: &'a dyn Subject,
    pub(crate) home: &'a Path,
    /// The broker's current address.
    pub(crate) at: SocketAddr,
    /// `true` if the client sometimes closes the connection before the response.
    hangs_up: bool,
    /// `true` if a 503, and the 500 of a request that should succeed, count as lost responses: the database can be away, and the
    /// replica can lose its claim. The broker may have executed the request.
    pub(crate) takes_5xx_as_lost: bool,
    pub(crate) random: Random,
    pub(crate) slots: Vec<Slot>,
    /// Its requests and the responses.
    pub(crate) history: Vec<String>,
    pub(crate) tally: Tally,
}

impl<'a> Client<'a> {
    pub(crate) fn new(number: usize, subject: &'a dyn Subject, home: &'a Path, random: Random) -> Self {
        let slots = (0..INSTANCES).map(|i| Slot { id: format!("i{number}{i}"), ..Slot::default() }).collect();
        let at = ([127, 0, 0, 1], 0).into();
        let takes_5xx_as_lost = false;
        Self {
            subject,
            home,
            at,
            hangs_up: false,
            takes_5xx_as_lost,
            random,
            slots,
            history: Vec::new(),
            tally: Tally::default(),
        }
    }

    /// Sends random requests until the broker is dead.
    pub(crate) fn send_random_requests(&mut self) -> Result<(), Violation> {
        self.hangs_up = true;
        while self.step()? == Flow::On {}
        self.hangs_up = false;
        Ok(())
    }

    /// Sends random requests until the time is over, whether they are answered or not.
    pub(crate) fn send_requests_until(&mut self, is_over: &AtomicBool) -> Result<(), Violation> {
        while !is_over.load(Ordering::Relaxed) {
            if self.step()? == Flow::Dead {
                sleep(AFTER_A_LOSS);
            }
        }
        Ok(())
    }

    /// Sends a request.
    fn exchange(&mut self, method: &str, path: &str, body: &Value) -> Reply {
        match ask(self.at, method, path, body) {
            Reply::Answer(answer) if answer.status == 503 && self.takes_5xx_as_lost => {
                self.tally.unavailable += 1;
                Reply::Lost
            }
            reply => reply,
        }
    }

    /// Describes a violation, with the requests before it.
    pub(crate) fn report(&self, why: &str) -> String {
        const LINES: usize = 60;
        let history = &self.history[self.history.len().saturating_sub(LINES)..];
        format!("{why}\nRequests of the client:\n    {}\n", history.join("\n    "))
    }

    fn step(&mut self) -> Result<Flow, Violation> {
        let (slot, binding) = (self.random.index(INSTANCES), *self.random.pick(&BINDINGS));
        let (found, polls) = (&self.slots[slot], self.random.once_in(2));
        let bound = found.bindings.get(binding).cloned().unwrap_or_default();
        match (&found.instance.is, &found.instance.pending) {
            (_, Some(pending)) if pending.operation.is_some() => self.follow_up(slot, None),
            // To be resolved after a restart.
            (_, Some(_)) => Ok(self.read_catalog()),
            (None, None) if self.random.once_in(10) => self.delete(slot, None, polls),
            (None, None) => self.create(slot, polls),
            (Some(_), None) => match (&bound.is, &bound.pending) {
                (_, Some(pending)) if pending.operation.is_some() => self.follow_up(slot, Some(binding)),
                (_, Some(_)) => Ok(self.read_catalog()),
                _ if !found.is_busy() && self.random.once_in(6) => self.delete(slot, None, polls),
                _ if !found.is_busy() && self.random.once_in(3) => self.update(slot, polls),
                (None, None) => self.bind(slot, binding, polls),
                (Some(_), None) if self.random.once_in(2) => self.delete(slot, Some(binding), polls),
                (Some(_), None) => self.verify(slot, Some(binding)),
            },
        }
    }

    /// Reads the catalog, to let time pass.
    fn read_catalog(&mut self) -> Flow {
        match self.exchange("GET", "/v2/catalog", &Value::Null) {
            Reply::Answer(_) => Flow::On,
            Reply::Lost | Reply::NotSent => Flow::Dead,
        }
    }

    /// Polls an accepted operation, repeats its request, or cancels it.
    fn follow_up(&mut self, slot: usize, binding: Option<&str>) -> Result<Flow, Violation> {
        let Some(pending) = self.slots[slot].tracked(binding).pending.clone() else { return Ok(Flow::On) };
        if pending.action == Action::Create && self.random.once_in(20) {
            return self.delete(slot, binding, true);
        }
        if pending.action == Action::Create && !pending.fails && self.random.once_in(4) {
            return self.ask(slot, binding, pending);
        }
        self.poll(slot, binding)
    }

    fn create(&mut self, slot: usize, polls: bool) -> Result<Flow, Violation> {
        let plan = self.random.index(self.subject.plans().len());
        let parameters = self.subject.new_instance(&mut self.random);
        let what = Resource { plan, parameters, credentials: Value::Null };
        let body = self.body(&what, true);
        self.submit(slot, None, Action::Create, polls, body, Some(what))
    }

    fn bind(&mut self, slot: usize, binding: &str, polls: bool) -> Result<Flow, Violation> {
        let Some(instance) = &self.slots[slot].instance.is else { return Ok(Flow::On) };
        let parameters = self.subject.new_binding(&mut self.random);
        let what = Resource { plan: instance.plan, parameters, credentials: Value::Null };
        let mut body = self.body(&what, false);
        let others =
            self.slots[slot].bindings.iter().filter(|(_, other)| other.is.is_some() && other.pending.is_none());
        let others: Vec<String> = others.map(|(id, _)| id.clone()).collect();
        // Sometimes a rotation.
        if !others.is_empty() && self.random.once_in(3) {
            body["predecessor_binding_id"] = self.random.pick(&others).as_str().into();
        }
        self.submit(slot, Some(binding), Action::Create, polls, body, Some(what))
    }

    fn update(&mut self, slot: usize, polls: bool) -> Result<Flow, Violation> {
        let Some(before) = self.slots[slot].instance.is.clone() else { return Ok(Flow::On) };
        let changes = self.subject.update(&mut self.random);
        let (parameters, mut plan) = (merged(&before.parameters, &changes), before.plan);
        let targets = self.subject.plans()[plan].changes_to;
        if !targets.is_empty() && self.random.once_in(2) {
            plan = *self.random.pick(targets);
        }
        let body = self.body(&Resource { plan, parameters: changes, credentials: Value::Null }, false);
        let then = Resource { plan, parameters, credentials: Value::Null };
        self.submit(slot, None, Action::Update, polls, body, Some(then))
    }

    pub(crate) fn delete(&mut self, slot: usize, binding: Option<&str>, polls: bool) -> Result<Flow, Violation> {
        self.submit(slot, binding, Action::Delete, polls, Value::Null, None)
    }

    fn body(&self, what: &Resource, is_new: bool) -> Value {
        let (service, plan) = (self.subject.service(), self.subject.plans()[what.plan].id);
        let mut body = json!({ "service_id": service, "plan_id": plan, "parameters": what.parameters });
        if is_new {
            body["organization_guid"] = "o".into();
            body["space_guid"] = "s".into();
        }
        body
    }

    /// Sends a new request.
    fn submit(
        &mut self,
        slot: usize,
        binding: Option<&str>,
        action: Action,
        polls: bool,
        body: Value,
        then: Option<Resource>,
    ) -> Result<Flow, Violation> {
        let earlier = self.slots[slot].tracked(binding).pending.take();
        let known = then.as_ref().or(self.slots[slot].instance.is.as_ref());
        let known = known.or(earlier.as_ref().and_then(|create| create.then.as_ref())).map_or(0, |what| what.plan);
        let plan = self.subject.plans()[known];
        let polls = polls || plan.is_async;
        let mut path = format!("{}?accepts_incomplete={polls}", self.slots[slot].paths(binding).resource());
        let method = match action {
            Action::Create => "PUT",
            Action::Update => "PATCH",
            Action::Delete => "DELETE",
        };
        if action == Action::Delete {
            path += &format!("&service_id={}&plan_id={}", self.subject.service(), plan.id);
        }
        let fails = action != Action::Delete && then.as_ref().is_some_and(|then| self.subject.fails(&then.parameters));
        let since = self.subject.calls(self.home).map_or(0, |notes| notes.len());
        let request = Request { method, path, body, polls };
        let cancels = earlier.map(Box::new);
        self.ask(slot, binding, Pending { request, action, then, fails, since, operation: None, cancels })
    }

    /// Sends a request, and records it until its outcome is known.
    pub(crate) fn ask(&mut self, slot: usize, binding: Option<&str>, pending: Pending) -> Result<Flow, Violation> {
        let Request { method, path, body, .. } = pending.request.clone();
        let hangs_up =
            self.hangs_up && self.random.once_in(50) && pending.operation.is_none() && pending.cancels.is_none();
        let cancelled = pending.cancels.clone();
        let fails = pending.fails;
        self.slots[slot].tracked(binding).pending = Some(pending);
        let reply =
            if hangs_up { ask_and_hang_up(self.at, method, &path, &body) } else { self.exchange(method, &path, &body) };
        let reply = match reply {
            Reply::Answer(answer) if answer.status == 500 && !fails && self.takes_5xx_as_lost => Reply::Lost,
            reply => reply,
        };
        self.history.push(format!("{method} {path} {body} -> {}", show(&reply)));
        match reply {
            Reply::Answer(answer) => {
                self.tally.answered += 1;
                let is_in_use = binding.is_some_and(|id| self.slots[slot].is_being_rotated(id));
                let tracked = self.slots[slot].tracked(binding);
                // The successor still needs it.
                if is_in_use && method == "DELETE" && answer.status == 422 {
                    tracked.pending = None;
                } else if answered(tracked, &answer).map_err(|why| format!("{method} {path}: {why}"))? {
                    self.tally.accepted += 1;
                }
                self.forget_deleted_bindings(slot);
                Ok(Flow::On)
            }
            Reply::Lost => {
                self.tally.unanswered += 1;
                Ok(if hangs_up { Flow::On } else { Flow::Dead })
            }
            Reply::NotSent => {
                let tracked = self.slots[slot].tracked(binding);
                if tracked.pending.as_ref().is_some_and(|pending| pending.operation.is_none()) {
                    tracked.pending = cancelled.map(|create| *create);
                }
                Ok(Flow::Dead)
            }
        }
    }

    /// Polls an accepted operation.
    pub(crate) fn poll(&mut self, slot: usize, binding: Option<&str>) -> Result<Flow, Violation> {
        let Some(pending) = self.slots[slot].tracked(binding).pending.clone() else { return Ok(Flow::On) };
        let path = self.slots[slot].paths(binding).poll(pending.operation.as_deref());
        let answer = match self.get(&path) {
            Reply::Answer(answer) => answer,
            Reply::Lost | Reply::NotSent => return Ok(Flow::Dead),
        };
        let tracked = self.slots[slot].tracked(binding);
        let state = answer.body["state"].as_str().unwrap_or_default();
        match (answer.status, state, pending.action) {
            (200, "in progress", _) => {}
            (200, "succeeded", Action::Create | Action::Update) if !pending.fails => {
                *tracked = Tracked { is: pending.then, pending: None };
            }
            (200, "failed", Action::Create | Action::Update) if pending.fails => tracked.pending = None,
            (410, _, Action::Delete) => *tracked = Tracked::default(),
            _ => return Err(format!("{:?} was accepted, but {path} returned {answer:?}", pending.request)),
        }
        self.forget_deleted_bindings(slot);
        Ok(Flow::On)
    }

    pub(crate) fn get(&mut self, path: &str) -> Reply {
        let reply = self.exchange("GET", path, &Value::Null);
        let line = format!("GET {path} -> {}", show(&reply));
        if self.history.last() != Some(&line) {
            self.history.push(line);
        }
        reply
    }

    /// Forgets the bindings of deleted instances.
    pub(crate) fn forget_deleted_bindings(&mut self, slot: usize) {
        let slot = &mut self.slots[slot];
        if slot.instance.is.is_none() && slot.instance.pending.is_none() {
            slot.bindings.clear();
        }
    }
}

/// Updates the client's knowledge after a response. Returns whether the request was accepted.
fn answered(tracked: &mut Tracked, answer: &Answer) -> Result<bool, Violation> {
    let Some(pending) = &mut tracked.pending else { return Ok(false) };
    let unexpected = |pending: &Pending| Err(format!("unexpected response {answer:?} to {pending:?}"));
    match (answer.status, pending.action) {
        (202, _) => {
            let Some(operation) = answer.body["operation"].as_str() else { return unexpected(pending) };
            let earlier = pending.operation.replace(operation.to_owned());
            if earlier.is_some_and(|earlier| earlier != operation) {
                return unexpected(pending);
            }
            return Ok(true);
        }
        (201, Action::Create) if tracked.is.is_some() || pending.fails => return unexpected(pending),
        (200 | 201, Action::Create) if !pending.fails => {
            let mut made = pending.then.clone();
            if let (Some(made), Some(credentials)) = (&mut made, answer.body.get("credentials")) {
                made.credentials = credentials.clone();
            }
            if let (Some(before), Some(made)) = (&tracked.is, &made)
                && before.credentials != made.credentials
            {
                return Err(format!("the credentials changed from {before:?} to {made:?}"));
            }
            *tracked = Tracked { is: made, pending: None };
        }
        (200, Action::Update) if !pending.fails => *tracked = Tracked { is: pending.then.clone(), pending: None },
        (200, Action::Delete) if tracked.is.is_some() || pending.cancels.is_some() => *tracked = Tracked::default(),
        // A failed create has been rolled back already.
        (410, Action::Delete) if tracked.is.is_none() && pending.cancels.as_ref().is_none_or(|create| create.fails) => {
            *tracked = Tracked::default();
        }
        (400 | 422 | 500, Action::Create | Action::Update) if pending.fails => tracked.pending = None,
        _ => return unexpected(pending),
    }
    Ok(false)
}

fn show(reply: &Reply) -> String {
    match reply {
        Reply::Answer(answer) => format!("{} {}", answer.status, answer.body),
        Reply::Lost => "no answer".to_owned(),
        Reply::NotSent => "not sent".to_owned(),
    }
}
