//! A model of an instance and its bindings: a simulation of tables and settings with its own clock. It shares no code with
//! the engine.

use std::collections::{BTreeMap, BTreeSet};

use osb_runtime::store::Phase;

use crate::tables;

/// A duration, or a time since the start of a sequence, in milliseconds.
pub(crate) type Ms = u64;

/// Not a sum of pauses, so that no operation ends at this time.
pub(crate) const MOMENT: Ms = 913;
pub(crate) const DEADLINE: Ms = 50_000;
pub(crate) const GRACE: Ms = 2_000;
pub(crate) const ROLLBACK_WAIT: Ms = 5_000;
pub(crate) const LONGEST: Ms = 600_000;
pub(crate) const REMEMBER: Ms = 7_200_000;
/// Maximum number of attempts of an operation that fails with temporary errors.
const ATTEMPTS: u32 = 8;
/// The delay before the first retry, which doubles with each retry.
const PAUSE: Ms = 500;

/// The settings that vary between sequences.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules {
    pub(crate) reuse_ids: bool,
    pub(crate) deleted_succeeds: bool,
    pub(crate) refuse_bindings: bool,
    pub(crate) bind_blocks: bool,
}

/// A plan of the laboratory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Plan {
    /// A plan with synchronous or asynchronous responses.
    Small,
    /// A plan that is always asynchronous.
    Slow,
    /// A plan that is never asynchronous.
    Quick,
    /// A plan that does not exist.
    Unknown,
}

/// The attributes of an instance or a binding. Bindings have no size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Setup {
    pub(crate) plan: Plan,
    pub(crate) org: &'static str,
    pub(crate) mood: &'static str,
    pub(crate) size: u64,
}

/// A PATCH.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Changes {
    pub(crate) plan: Option<Plan>,
    pub(crate) mood: Option<&'static str>,
    pub(crate) size: Option<u64>,
    /// True with a maintenance version that no plan has.
    pub(crate) outdated: bool,
}

/// The predicted part of a response. Operations are numbered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Expect {
    pub(crate) status: u16,
    pub(crate) error: Option<&'static str>,
    pub(crate) operation: Option<usize>,
}

pub(crate) fn status(status: u16) -> Expect {
    Expect { status, error: None, operation: None }
}

fn unprocessable(error: &'static str) -> Expect {
    Expect { status: 422, error: Some(error), operation: None }
}

fn busy() -> Expect {
    unprocessable("ConcurrencyError")
}

/// The prediction for a request.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Asked {
    /// An immediate response.
    Now(Expect),
    /// The response to the waiter with this number.
    Wait(usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Wait,
    Moment,
    Poll,
}

/// A request that waits for its response.
#[derive(Debug)]
pub(crate) struct Waiter {
    thing: usize,
    operation: usize,
    way: Way,
    pub(crate) joined: bool,
    since: Ms,
    /// The response, and its time.
    pub(crate) reply: Option<(Ms, Expect)>,
    /// The time from which the response may be 500 instead, because a rollback takes long.
    pub(crate) given_up: Option<Ms>,
}

#[derive(Debug, Clone)]
enum Kind {
    Create { rollback: Option<Rollback> },
    Update { changes: Changes, after: Setup },
    Delete { before: Phase },
}

/// The rollback of a failed create.
#[derive(Debug, Clone, Copy)]
struct Rollback {
    status: u16,
    since: Ms,
}

#[derive(Debug, Clone)]
struct Operation {
    number: usize,
    kind: Kind,
    accepted: bool,
    began: Ms,
    deadline: Ms,
    attempt: u32,
    /// The number of attempts that failed with a temporary error; a rollback counts its own.
    temporary_failures: u32,
    saved: bool,
    /// The result, with the status of a failure.
    end: Option<Result<(), u16>>,
}

/// A handler call, running or scheduled.
#[derive(Debug, Clone)]
struct Run {
    /// The things that this run deletes, the bindings of an instance together and then the instance; empty for other
    /// operations.
    targets: Vec<usize>,
    /// True once this run has deleted something.
    removed: bool,
    mood: &'static str,
    begins: Ms,
    /// True if it begins after a retry delay.
    paused: bool,
    begun: bool,
    /// The time at which it is told to stop, and the reason.
    stop: Option<(Ms, Outcome)>,
}

/// An instance, or a binding.
#[derive(Debug)]
struct Thing {
    phase: Phase,
    setup: Setup,
    /// True if an update has failed since the last one that succeeded, and may have changed a part.
    half_updated: bool,
    operation: Option<Operation>,
    /// The create that the newest operation has cancelled, and true once its handler has ended.
    cancelled: Option<(Operation, bool)>,
    run: Option<Run>,
    forget: Option<Ms>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Done,
    Refused,
    Temporary,
    Unexpected,
    TooSlow,
    Stopped,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Begin(usize),
    End(usize),
    Timeout(usize),
    Forget(usize),
}

/// The model of an instance, which is the first of its things, and of its bindings.
#[derive(Debug)]
pub(crate) struct Model {
    rules: Rules,
    now: Ms,
    /// The time of the last event.
    happened: Ms,
    /// The time at which the gate was opened, if it is open.
    gate: Option<Ms>,
    deletions: &'static str,
    things: Vec<Thing>,
    operations: usize,
    pub(crate) waiters: Vec<Waiter>,
    /// The resources that exist.
    pub(crate) inventory: BTreeMap<usize, String>,
    /// The number of calls of handlers that create or update.
    pub(crate) calls: usize,
}

impl Thing {
    fn none() -> Self {
        let setup = Setup { plan: Plan::Unknown, org: "o", mood: "succeed", size: 1 };
        let half_updated = false;
        Self { phase: Phase::None, setup, half_updated, operation: None, cancelled: None, run: None, forget: None }
    }

    /// Returns the operation whose handler runs: the cancelled operation until its handler has ended.
    fn worked(&mut self) -> &mut Operation {
        match &mut self.cancelled {
            Some((operation, false)) => operation,
            _ => self.operation.as_mut().expect("something is done"),
        }
    }

    fn running(&self) -> Option<&Operation> {
        self.operation.as_ref().filter(|operation| operation.end.is_none())
    }

    /// Returns true if it existed and was deleted; false after a create that failed without a trace.
    fn was_deleted(&self) -> bool {
        let is_delete = |operation: &Operation| matches!(operation.kind, Kind::Delete { .. });
        self.phase == Phase::Gone && self.operation.as_ref().is_some_and(is_delete)
    }

    fn is_busy(&self) -> bool {
        matches!(self.phase, Phase::Creating | Phase::Deleting)
    }
}

impl Plan {
    /// Returns the way of the response, or `None` if the request is refused.
    fn way(self, accepts: bool) -> Option<Way> {
        match (self, accepts) {
            (Self::Slow, true) => Some(Way::Poll),
            (Self::Slow, false) => None,
            (Self::Small, true) => Some(Way::Moment),
            _ => Some(Way::Wait),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Slow => "slow",
            Self::Quick => "quick",
            Self::Unknown => "",
        }
    }
}

impl Model {
    pub(crate) fn new(rules: Rules, bindings: usize) -> Self {
        Self {
            rules,
            now: 0,
            happened: 0,
            gate: None,
            deletions: "succeed",
            things: (0..=bindings).map(|_| Thing::none()).collect(),
            operations: 0,
            waiters: Vec::new(),
            inventory: BTreeMap::new(),
            calls: 0,
        }
    }

    pub(crate) fn phase(&self, thing: usize) -> Phase {
        self.things[thing].phase
    }

    pub(crate) fn setup(&self, thing: usize) -> Setup {
        self.things[thing].setup
    }

    /// Returns true if a handler runs or is scheduled.
    pub(crate) fn is_working(&self) -> bool {
        self.things.iter().any(|thing| thing.run.is_some())
    }

    /// Counts the bindings, without tombstones.
    pub(crate) fn bindings(&self) -> usize {
        self.things[1..].iter().filter(|thing| !matches!(thing.phase, Phase::None | Phase::Gone)).count()
    }

    /// Returns the numbers of the operations that can be polled: the one that the newest has cancelled, and the newest.
    pub(crate) fn known(&self, thing: usize) -> Vec<usize> {
        let thing = &self.things[thing];
        let cancelled = thing.cancelled.as_ref().map(|(operation, _)| operation.number);
        cancelled.into_iter().chain(thing.operation.as_ref().map(|operation| operation.number)).collect()
    }

    pub(crate) fn deletions_go(&mut self, mood: &'static str) {
        self.deletions = mood;
    }

    pub(crate) fn gate_is(&mut self, open: bool) {
        self.gate = open.then_some(self.gate.unwrap_or(self.now));
    }

    /// Predicts `PUT` of the instance.
    pub(crate) fn provision(&mut self, setup: Setup, outdated: bool, accepts: bool) -> Asked {
        let row = if self.things[0].setup == setup { "put-same" } else { "put-other" };
        match tables::instance(row, self.phase(0)) {
            "run" if self.things[0].was_deleted() && !self.rules.reuse_ids => Asked::Now(status(409)),
            "run" if setup.plan == Plan::Unknown => Asked::Now(status(400)),
            "run" if outdated => Asked::Now(unprocessable("MaintenanceInfoConflict")),
            "run" if setup.size == 0 => Asked::Now(status(400)),
            "run" => match setup.plan.way(accepts) {
                None => Asked::Now(unprocessable("AsyncRequired")),
                Some(way) => {
                    // Its former bindings are tombstones, which stay.
                    self.things[0] = Thing { setup, ..Thing::none() };
                    self.begin(0, Kind::Create { rollback: None }, Phase::Creating, way)
                }
            },
            word => self.answer(0, word, accepts),
        }
    }

    /// Predicts `PATCH`.
    pub(crate) fn update(&mut self, changes: Changes, accepts: bool) -> Asked {
        let now = self.things[0].running().map(|operation| &operation.kind);
        let again = matches!(now, Some(Kind::Update { changes: now, .. }) if *now == changes);
        let before = self.things[0].setup;
        let after =
            Setup { mood: changes.mood.unwrap_or(before.mood), size: changes.size.unwrap_or(before.size), ..before };
        let reverts = self.things[0].half_updated && (changes.mood.is_some() || changes.size.is_some());
        match tables::instance(if again { "patch-same" } else { "patch" }, self.phase(0)) {
            "run" if self.is_blocked() => Asked::Now(busy()),
            "run" if changes.plan == Some(Plan::Unknown) => Asked::Now(status(400)),
            "run" if changes.plan.is_some_and(|plan| plan != before.plan) => Asked::Now(status(422)),
            "run" if changes.outdated => Asked::Now(unprocessable("MaintenanceInfoConflict")),
            "run" if after.size == 0 => Asked::Now(status(400)),
            "run" if after == before && !reverts => Asked::Now(status(200)),
            "run" => match before.plan.way(accepts) {
                None => Asked::Now(unprocessable("AsyncRequired")),
                Some(way) => self.begin(0, Kind::Update { changes, after }, Phase::Updating, way),
            },
            word => self.answer(0, word, accepts),
        }
    }

    /// Predicts `DELETE` of the instance.
    pub(crate) fn deprovision(&mut self, accepts: bool) -> Asked {
        match tables::instance("delete", self.phase(0)) {
            "run" | "cancel" if self.things[1..].iter().any(Thing::is_busy) => Asked::Now(busy()),
            "run" if self.rules.refuse_bindings && self.bindings() > 0 => Asked::Now(status(422)),
            "run" | "cancel" => self.remove(0, accepts),
            word => self.answer(0, word, accepts),
        }
    }

    /// Predicts `PUT` of a binding.
    pub(crate) fn bind(&mut self, thing: usize, setup: Setup, accepts: bool) -> Asked {
        let row = if self.things[thing].setup == setup { "put-same" } else { "put-other" };
        let (instance, phase) = (self.phase(0), self.phase(thing));
        match tables::binding(row, phase) {
            "run" => match tables::instance("bind", instance) {
                "run" if self.is_blocked() => Asked::Now(busy()),
                "run" if self.things[thing].was_deleted() && !self.rules.reuse_ids => Asked::Now(status(409)),
                "run" if setup.plan != self.things[0].setup.plan => Asked::Now(status(400)),
                "run" => match setup.plan.way(accepts) {
                    None => Asked::Now(unprocessable("AsyncRequired")),
                    Some(way) => {
                        self.things[thing] = Thing { setup, ..Thing::none() };
                        self.begin(thing, Kind::Create { rollback: None }, Phase::Creating, way)
                    }
                },
                word => self.answer(thing, word, accepts),
            },
            // It is being deleted with its instance.
            "200" if instance == Phase::Deleting => Asked::Now(busy()),
            word => self.answer(thing, word, accepts),
        }
    }

    /// Predicts `DELETE` of a binding.
    pub(crate) fn unbind(&mut self, thing: usize, accepts: bool) -> Asked {
        match tables::binding("delete", self.phase(thing)) {
            "run" if self.phase(0) == Phase::Deleting || self.is_blocked() => Asked::Now(busy()),
            "run" if self.rules.bind_blocks && self.phase(0) == Phase::Updating => Asked::Now(busy()),
            "run" | "cancel" => self.remove(thing, accepts),
            word => self.answer(thing, word, accepts),
        }
    }

    /// Predicts `GET …/last_operation`, with the number of an operation or without: the status and the state.
    pub(crate) fn poll(&self, thing: usize, asked: Option<usize>) -> (u16, Option<&'static str>) {
        let thing = &self.things[thing];
        let Some(operation) = &thing.operation else { return (404, None) };
        if let Some((cancelled, _)) = &thing.cancelled {
            let finished_at_once = !operation.accepted && thing.phase == Phase::Gone;
            if asked == Some(cancelled.number) || (asked.is_none() && finished_at_once) {
                return (200, Some("failed"));
            }
        }
        match (&operation.end, &operation.kind) {
            (None, _) => (200, Some("in progress")),
            (Some(Err(_)), _) => (200, Some("failed")),
            (Some(Ok(())), Kind::Delete { .. }) if !self.rules.deleted_succeeds => (410, None),
            (Some(Ok(())), _) => (200, Some("succeeded")),
        }
    }

    /// Predicts `GET` of the instance or a binding.
    pub(crate) fn get(&self, thing: usize) -> Expect {
        let word = if thing == 0 { tables::instance } else { tables::binding }("get", self.phase(thing));
        match word {
            "200" => status(200),
            "C" => busy(),
            _ => status(404),
        }
    }

    fn is_blocked(&self) -> bool {
        self.rules.bind_blocks && self.things[1..].iter().any(Thing::is_busy)
    }

    fn answer(&mut self, thing: usize, word: &str, accepts: bool) -> Asked {
        Asked::Now(match word {
            "join" => {
                let Some(operation) = self.things[thing].running() else { unreachable!("{:?}", self.things[thing]) };
                match operation.kind {
                    // A synchronous create that has failed and is being rolled back.
                    Kind::Create { rollback: Some(_) } if !operation.accepted => busy(),
                    _ => {
                        let way = match self.things[thing].setup.plan.way(accepts) {
                            Some(Way::Moment | Way::Poll) => Way::Moment,
                            Some(Way::Wait) | None => Way::Wait,
                        };
                        let (number, began) = (operation.number, operation.began);
                        return self.wait(thing, number, began, way, true);
                    }
                }
            }
            "C" => busy(),
            code => status(code.parse().expect("a status")),
        })
    }

    /// A request that accepts a 202 waits from `began` on.
    fn wait(&mut self, thing: usize, operation: usize, began: Ms, way: Way, joined: bool) -> Asked {
        let since = if way == Way::Moment { began } else { self.now };
        let given_up = match self.things[thing].running().map(|operation| &operation.kind) {
            Some(Kind::Create { rollback: Some(rollback) }) => Some(rollback.since + ROLLBACK_WAIT),
            _ => None,
        };
        self.waiters.push(Waiter { thing, operation, way, joined, since, reply: None, given_up });
        if way == Way::Poll || (way == Way::Moment && since + MOMENT <= self.now) {
            self.time_out(self.waiters.len() - 1);
        }
        Asked::Wait(self.waiters.len() - 1)
    }

    fn new_operation(&mut self, kind: Kind, way: Way) -> Operation {
        self.operations += 1;
        let deadline = self.now + if way == Way::Wait { DEADLINE } else { LONGEST };
        let (number, accepted) = (self.operations, way != Way::Wait);
        let (began, attempt, temporary_failures) = (self.now, 1, 0);
        Operation { number, kind, accepted, began, deadline, attempt, temporary_failures, saved: false, end: None }
    }

    fn begin(&mut self, thing: usize, kind: Kind, phase: Phase, way: Way) -> Asked {
        let operation = self.new_operation(kind, way);
        let number = operation.number;
        self.things[thing].phase = phase;
        self.things[thing].operation = Some(operation);
        self.run(thing, 0);
        self.wait(thing, number, self.now, way, false)
    }

    /// Deletes a thing, or cancels its creation.
    fn remove(&mut self, thing: usize, accepts: bool) -> Asked {
        let Some(way) = self.things[thing].setup.plan.way(accepts) else {
            return Asked::Now(unprocessable("AsyncRequired"));
        };
        let phase = self.phase(thing);
        if phase != Phase::Creating {
            return self.begin(thing, Kind::Delete { before: phase }, Phase::Deleting, way);
        }
        let mut operation = self.new_operation(Kind::Delete { before: Phase::CreateFailed }, way);
        operation.attempt = 0;
        let (number, now, found) = (operation.number, self.now, &mut self.things[thing]);
        found.phase = Phase::Deleting;
        let create = found.operation.replace(operation).expect("it is being created");
        if let (Kind::Create { rollback: None }, Some(run)) = (&create.kind, &mut found.run) {
            run.stop = run.stop.or(Some((now, Outcome::Stopped)));
        }
        let cancelled = create.number;
        found.cancelled = Some((create, false));
        self.tell(cancelled, busy());
        self.wait(thing, number, self.now, way, false)
    }

    /// Schedules the handler of the running operation, after a pause.
    fn run(&mut self, thing: usize, pause: Ms) {
        let begins = self.now + pause;
        let all: Vec<usize> = (1..self.things.len()).collect();
        let bindings = all.into_iter().filter(|i| !matches!(self.phase(*i), Phase::None | Phase::Gone));
        let targets: Vec<usize> = if thing == 0 { bindings.chain([0]).collect() } else { vec![thing] };
        let found = &mut self.things[thing];
        let setup = found.setup;
        let (mood, targets) = match &found.worked().kind {
            Kind::Create { rollback: None } => (setup.mood, Vec::new()),
            Kind::Update { after, .. } => (after.mood, Vec::new()),
            // The mood is read when the run begins.
            Kind::Create { rollback: Some(_) } | Kind::Delete { .. } => ("", targets),
        };
        found.run = Some(Run { targets, removed: false, mood, begins, paused: pause > 0, begun: false, stop: None });
    }

    /// Lets time pass.
    pub(crate) fn advance(&mut self, to: Ms) {
        while let Some((at, event)) = self.next().filter(|(at, _)| *at <= to) {
            self.now = self.now.max(at);
            self.happened = self.now;
            match event {
                Event::Begin(thing) => self.begun(thing),
                Event::End(thing) => self.ended(thing),
                Event::Timeout(waiter) => self.time_out(waiter),
                Event::Forget(0) => self.things.iter_mut().for_each(|thing| *thing = Thing::none()),
                Event::Forget(thing) => self.things[thing] = Thing::none(),
            }
        }
        self.now = self.now.max(to);
    }

    /// Returns true if an event is so close that the broker may be ahead of the model, or behind it.
    pub(crate) fn is_happening(&self, tolerance: Ms) -> bool {
        self.now < self.happened + tolerance || self.next().is_some_and(|(at, _)| at < self.now + tolerance)
    }

    fn next(&self) -> Option<(Ms, Event)> {
        let works = (0..self.things.len()).filter_map(|i| {
            let (at, outcome) = self.course(i)?;
            Some((at, if outcome.is_some() { Event::End(i) } else { Event::Begin(i) }))
        });
        let forgotten = self.things.iter().enumerate().filter_map(|(i, thing)| Some((thing.forget?, Event::Forget(i))));
        let waiting = self.waiters.iter().enumerate().filter(|(_, waiter)| waiter.reply.is_none());
        let timeouts = waiting.map(|(i, waiter)| {
            let timeout = match (waiter.way, waiter.joined) {
                (Way::Wait, true) => DEADLINE,
                (Way::Wait, false) => DEADLINE + GRACE + ROLLBACK_WAIT,
                (Way::Moment, _) => MOMENT,
                (Way::Poll, _) => 0,
            };
            (waiter.since + timeout, Event::Timeout(i))
        });
        works.chain(forgotten).chain(timeouts).min()
    }

    /// Returns the next event of a thing's handler: its end with an outcome, or its begin (`None`).
    fn course(&self, thing: usize) -> Option<(Ms, Option<Outcome>)> {
        let thing = &self.things[thing];
        let run = thing.run.as_ref()?;
        let operation = match &thing.cancelled {
            Some((operation, false)) => operation,
            _ => thing.operation.as_ref()?,
        };
        let deadline = match operation.kind {
            // Each attempt of a rollback has the whole time.
            Kind::Create { rollback: Some(_) } => operation.deadline.max(run.begins + DEADLINE),
            _ => operation.deadline,
        };
        let (limit, fault) = match run.stop {
            Some((at, fault)) if at <= deadline => (at, fault),
            _ => (deadline, Outcome::TooSlow),
        };
        if !run.begun {
            // A run without a delay begins even after its deadline.
            return Some(if run.paused && run.begins > limit { (limit, Some(fault)) } else { (run.begins, None) });
        }
        let limit = limit.max(run.begins);
        let removes = !run.targets.is_empty();
        let by_itself = match run.mood {
            "dawdle" => Some((run.begins + 150, Outcome::Done)),
            "refuse" | "refuse_half_way" => Some((run.begins, Outcome::Refused)),
            "wait" | "wait_stubbornly" => self.gate.map(|open| (open.max(run.begins), Outcome::Done)),
            "temporary" if removes || operation.attempt < 3 => Some((run.begins, Outcome::Temporary)),
            "succeed" | "temporary" => Some((run.begins, Outcome::Done)),
            "hang" => None,
            _ => Some((run.begins, Outcome::Unexpected)),
        };
        let (at, outcome) = match by_itself {
            Some((at, outcome)) if at <= limit => (at, outcome),
            _ if run.mood == "wait" && !removes => (limit, fault),
            Some((at, Outcome::Done)) if at <= limit + GRACE => (at, Outcome::Done),
            Some((at, _)) if at <= limit + GRACE => (at, fault),
            _ => (limit + GRACE, fault),
        };
        Some((at, Some(outcome)))
    }

    fn begun(&mut self, thing: usize) {
        let deletions = self.deletions;
        let found = &mut self.things[thing];
        let updates = matches!(found.worked().kind, Kind::Update { .. });
        let Some(run) = &mut found.run else { return };
        run.begun = true;
        if !run.targets.is_empty() {
            run.mood = deletions;
            return;
        }
        self.calls += 1;
        let half = ["fail_half_way", "refuse_half_way", "hang"].contains(&run.mood)
            || (thing == 0 && ["wait", "wait_stubbornly", "temporary"].contains(&run.mood));
        found.worked().saved |= half;
        if half && !updates {
            self.inventory.insert(thing, "half".to_owned());
        }
    }

    fn ended(&mut self, thing: usize) {
        let Some((_, Some(outcome))) = self.course(thing) else { return };
        let Some(mut run) = self.things[thing].run.take() else { return };
        let bindings: Vec<usize> = run.targets.iter().copied().filter(|target| *target != thing).collect();
        // An instance whose bindings are deleted in the grace period is not deleted itself.
        let deadline = self.things[thing].worked().deadline;
        let is_late = self.now > run.stop.map_or(deadline, |(at, _)| at.min(deadline));
        match outcome {
            Outcome::Done if run.targets.is_empty() => self.made(thing),
            Outcome::Done if bindings.is_empty() => drop(self.inventory.remove(&thing)),
            Outcome::Done => {
                for target in bindings {
                    self.inventory.remove(&target);
                    self.delete_with_instance(target);
                }
                if is_late {
                    return self.apply_outcome(thing, Outcome::TooSlow, true);
                }
                let targets = vec![thing];
                run = Run { targets, removed: true, begins: self.now, paused: false, begun: false, ..run };
                self.things[thing].run = Some(run);
                return;
            }
            Outcome::Refused => {}
            _ => bindings.iter().for_each(|target| self.things[*target].phase = Phase::DeleteFailed),
        }
        self.apply_outcome(thing, outcome, run.removed);
    }

    /// Records the resource that the handler has created or updated.
    fn made(&mut self, thing: usize) {
        let found = &mut self.things[thing];
        let setup = match found.worked().kind {
            Kind::Update { after, .. } => after,
            _ => found.setup,
        };
        let resource = if thing == 0 { format!("{}x{}", setup.plan.name(), setup.size) } else { "key".to_owned() };
        self.inventory.insert(thing, resource);
    }

    fn apply_outcome(&mut self, thing: usize, outcome: Outcome, unbound: bool) {
        let (now, found) = (self.now, &mut self.things[thing]);
        if let Some((create, released @ false)) = &mut found.cancelled {
            *released = true;
            let rolls_back = matches!(create.kind, Kind::Create { rollback: Some(_) });
            if rolls_back && outcome == Outcome::Done {
                self.gone(thing);
                return self.end(thing, Ok(()));
            }
            self.things[thing].worked().attempt += 1;
            return self.run(thing, 0);
        }
        let operation = found.operation.as_mut().expect("it is worked on");
        let (failures, pause) = (operation.temporary_failures + 1, (PAUSE << operation.temporary_failures).min(60_000));
        if outcome == Outcome::Temporary && failures < ATTEMPTS && now + pause < operation.deadline {
            (operation.attempt, operation.temporary_failures) = (operation.attempt + 1, failures);
            return self.run(thing, pause);
        }
        let failure = match (outcome, &operation.kind) {
            (Outcome::Refused, Kind::Create { .. }) => 400,
            // A refusal after a part was deleted is not a 4xx.
            (Outcome::Refused, _) if !unbound => 422,
            _ => 500,
        };
        match (operation.kind.clone(), outcome) {
            (Kind::Create { rollback: None } | Kind::Update { .. }, Outcome::Done) => {
                if let Kind::Update { after, .. } = operation.kind {
                    (found.setup, found.half_updated) = (after, false);
                }
                found.phase = Phase::Ready;
                self.end(thing, Ok(()));
            }
            (Kind::Create { rollback: None }, Outcome::Refused) if !operation.saved => {
                self.gone(thing);
                self.end(thing, Err(400));
            }
            (Kind::Create { rollback: None }, _) => {
                operation.kind = Kind::Create { rollback: Some(Rollback { status: failure, since: now }) };
                operation.deadline = now + DEADLINE;
                (operation.attempt, operation.temporary_failures) = (operation.attempt + 1, 0);
                let number = operation.number;
                self.run(thing, 0);
                self.waiters.iter_mut().filter(|waiter| waiter.operation == number).for_each(|waiter| {
                    waiter.given_up = Some(now + ROLLBACK_WAIT);
                });
            }
            (Kind::Create { rollback: Some(rollback) }, Outcome::Done) => {
                self.gone(thing);
                self.end(thing, Err(rollback.status));
            }
            (Kind::Create { rollback: Some(rollback) }, _) => {
                found.phase = Phase::CreateFailed;
                self.end(thing, Err(rollback.status.max(500)));
            }
            (Kind::Update { .. }, _) => {
                found.phase = Phase::Ready;
                found.half_updated |= outcome != Outcome::Refused || operation.saved;
                self.end(thing, Err(failure));
            }
            (Kind::Delete { .. }, Outcome::Done) => {
                self.gone(thing);
                self.end(thing, Ok(()));
            }
            (Kind::Delete { before }, _) => {
                found.phase =
                    if before == Phase::Ready && outcome != Outcome::Refused { Phase::DeleteFailed } else { before };
                self.end(thing, Err(failure));
            }
        }
    }

    /// Deletes a binding with its instance, whose operation becomes the newest of the binding.
    fn delete_with_instance(&mut self, thing: usize) {
        let mut operation = self.things[0].worked().clone();
        (operation.kind, operation.end) = (Kind::Delete { before: Phase::Ready }, Some(Ok(())));
        self.gone(thing);
        self.things[thing].operation = Some(operation);
        self.things[thing].cancelled = None;
    }

    fn gone(&mut self, thing: usize) {
        self.things[thing].phase = Phase::Gone;
        self.things[thing].forget = Some(self.now + REMEMBER);
        if thing == 0 {
            let left = self.things.iter_mut().filter(|thing| thing.phase != Phase::Gone);
            left.for_each(|thing| *thing = Thing::none());
        }
    }

    fn end(&mut self, thing: usize, end: Result<(), u16>) {
        let operation = self.things[thing].operation.as_mut().expect("it is worked on");
        operation.end = Some(end);
        let created = matches!(operation.kind, Kind::Create { .. });
        let number = operation.number;
        self.tell(number, status(end.err().unwrap_or(if created { 201 } else { 200 })));
    }

    /// Answers the waiters of an operation.
    fn tell(&mut self, operation: usize, answer: Expect) {
        let now = self.now;
        let waiting = self.waiters.iter_mut().filter(|w| w.operation == operation && w.reply.is_none());
        for waiter in waiting {
            let there = waiter.joined && answer.status == 201;
            waiter.reply = Some((now, if there { status(200) } else { answer }));
        }
    }

    /// Answers a waiter that has waited long enough.
    fn time_out(&mut self, waiter: usize) {
        let Waiter { thing, operation: number, way, joined, .. } = self.waiters[waiter];
        let longer = self.now + LONGEST;
        let (now, found) = (self.now, &mut self.things[thing]);
        let newest = found.operation.as_mut().filter(|operation| operation.number == number);
        let answer = match (way, newest) {
            (Way::Wait, _) if joined => busy(),
            (Way::Wait, Some(operation)) if operation.accepted && operation.end.is_none() => busy(),
            (Way::Wait, _) | (_, None) => status(500),
            (Way::Moment | Way::Poll, Some(operation)) => {
                if !operation.accepted {
                    if let Some(run) = found.run.as_mut().filter(|run| run.begun && operation.deadline <= now) {
                        // The handler is being stopped already, so the later deadline has no effect.
                        run.stop = run.stop.or(Some((operation.deadline, Outcome::TooSlow)));
                    }
                    (operation.accepted, operation.deadline) = (true, longer);
                }
                Expect { operation: Some(number), ..status(202) }
            }
        };
        self.waiters[waiter].reply = Some((self.now, answer));
    }

    /// Returns the resources that exist.
    pub(crate) fn existing(&self) -> BTreeSet<(usize, &str)> {
        self.inventory.iter().map(|(thing, resource)| (*thing, resource.as_str())).collect()
    }
}
