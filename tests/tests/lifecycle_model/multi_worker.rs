//! Many clients of two brokers that share records use the same instances while brokers die: each response is one of the
//! allowed ones, all accepted operations end, and nothing is left.

use std::collections::{BTreeMap, BTreeSet};

use osb_lab::prelude::*;
use osb_tests::random::Random;
use tokio::{
    runtime::Runtime,
    task::JoinHandle,
    time::{Instant, advance, sleep_until},
};

use crate::{
    runs::{History, seeds},
    store::Store,
};

/// The time slice of a broker.
const TICK: Duration = Duration::from_millis(10);
const INSTANCES: [&str; 2] = ["x", "y"];
const BINDINGS: usize = 2;
const MOODS: [&str; 14] = [
    "succeed",
    "succeed",
    "succeed",
    "succeed",
    "succeed",
    "dawdle",
    "dawdle",
    "refuse_half_way",
    "fail_half_way",
    "panic",
    "hang",
    "wait",
    "wait_stubbornly",
    "temporary",
];

/// A simulated process, which dies with its runtime.
struct Process {
    runtime: Runtime,
    broker: Direct,
}

/// A pending request.
struct Pending {
    process: usize,
    action: &'static str,
    /// The path without its query.
    path: String,
    accepts: bool,
    answer: JoinHandle<Reply>,
}

/// An operation that got a 202.
struct Accepted {
    path: String,
    id: String,
    /// The final state, and the value of `changes` when it was polled.
    ended: Option<(String, usize)>,
}

struct Crowd {
    random: Random,
    history: History,
    lab: Lab,
    store: Store,
    settings: Settings,
    processes: Vec<Process>,
    now: Instant,
    pending: Vec<Pending>,
    accepted: BTreeMap<String, Accepted>,
    /// The number of requests sent, `GET` not counted.
    changes: usize,
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().expect("a runtime")
}

impl Process {
    /// Starts a broker at this time, which has to be in the future of the system clock.
    fn start(lab: &Lab, settings: &Settings, now: Instant) -> Self {
        let runtime = runtime();
        let broker = runtime.block_on(async {
            advance(now - Instant::now()).await;
            Direct::start(LabBroker { lab: lab.clone() }, settings.clone()).await
        });
        Self { runtime, broker }
    }
}

impl Crowd {
    /// Starts two processes that share records in memory, or one with a file, which one process at a time can open.
    fn new(seed: u64, store: Store) -> Self {
        let (lab, mut settings) = (Lab::default(), Settings::default());
        settings.store = store.open();
        settings.sync_wait = Duration::from_millis(50);
        settings.sync_deadline = Duration::from_secs(1);
        settings.cancel_grace = Duration::from_millis(60);
        settings.rollback_wait = Duration::from_millis(100);
        settings.max_operation_time = Duration::from_secs(4);
        settings.lease = Duration::from_millis(300);
        settings.tombstone_ttl = Duration::from_mins(10);
        settings.retry.initial_delay = Duration::from_millis(20);
        // Ahead of the system clock, so that a process that starts later can start at the time of the others.
        let clock = runtime();
        let (clock, now) = clock.block_on(async {
            advance(Duration::from_hours(1)).await;
            (Clock::of_runtime(), Instant::now())
        });
        settings.clock = clock;
        let mut processes = vec![Process::start(&lab, &settings, now)];
        if let Store::Memory = store {
            processes.push(Process::start(&lab, &settings, now));
        }
        Self {
            random: Random::new(seed),
            history: History::of(seed),
            lab,
            store,
            settings,
            processes,
            now,
            pending: Vec::new(),
            accepted: BTreeMap::new(),
            changes: 0,
        }
    }

    /// Lets time pass in all processes.
    fn pass(&mut self, time: Duration) {
        let end = self.now + time;
        while self.now < end {
            self.now += TICK;
            for process in &self.processes {
                process.runtime.block_on(async { sleep_until(self.now).await });
            }
            self.check_answers();
        }
    }

    /// Checks the responses that have arrived.
    fn check_answers(&mut self) {
        let (answered, pending) = std::mem::take(&mut self.pending).into_iter().partition(|p| p.answer.is_finished());
        self.pending = pending;
        for Pending { process, action, path, accepts, answer } in answered {
            match self.processes[process].runtime.block_on(answer) {
                Ok(answer) => self.check(action, path, accepts, &answer),
                Err(lost) => assert!(lost.is_cancelled(), "{action}: {lost}"),
            }
        }
    }

    fn check(&mut self, action: &'static str, path: String, accepts: bool, answer: &Reply) {
        self.history.add(format!("    {action} {path}: {} {}", answer.status, answer.body));
        let (status, error) = (answer.status, answer.body["error"].as_str());
        let possible: &[u16] = match action {
            "provision" => &[200, 201, 202, 400, 409, 422, 500],
            "update" => &[200, 202, 404, 422, 500],
            "bind" => &[200, 201, 202, 400, 404, 409, 422, 500],
            _ => &[200, 202, 410, 422, 500],
        };
        assert!(possible.contains(&status), "{action}: {answer:?}");
        match (status, error) {
            (202, _) => {
                assert!(accepts, "ASY-05: {answer:?}");
                let id = answer.body["operation"].as_str().expect("a 202 has an operation").to_owned();
                let known =
                    self.accepted.entry(id.clone()).or_insert_with(|| Accepted { path: path.clone(), id, ended: None });
                assert_eq!(known.path, path, "an operation is about one thing");
            }
            (422, Some("AsyncRequired")) => assert!(!accepts, "ASY-05: {answer:?}"),
            (422, Some(error)) => assert_eq!(error, "ConcurrencyError"),
            // A refusal by the author.
            (422, None) => assert!(["update", "deprovision", "unbind"].contains(&action), "{answer:?}"),
            _ => {}
        }
    }

    /// Sends a request without waiting for the response.
    fn send(&mut self, process: usize, action: &'static str, path: &str, body: Option<Value>, accepts: bool) {
        self.changes += 1;
        let method = match action {
            "update" => "PATCH",
            "deprovision" | "unbind" => "DELETE",
            _ => "PUT",
        };
        let query = format!("{path}?accepts_incomplete={accepts}&{DELETE}");
        self.history.add(format!(
            "{action} {path} of {process} {accepts} {}",
            body.as_ref().map_or(&Value::Null, |body| &body["parameters"])
        ));
        let broker = self.processes[process].broker.clone();
        let answer = async move { broker.send(method, &query, body.as_ref()).await };
        let answer = self.processes[process].runtime.spawn(answer);
        self.pending.push(Pending { process, action, path: path.to_owned(), accepts, answer });
    }

    /// Sends a `GET`, which is answered at once.
    fn ask(&mut self, path: &str) -> Reply {
        let process = &self.processes[self.random.index(self.processes.len())];
        process.runtime.block_on(process.broker.send("GET", path, None))
    }

    fn change(&mut self) {
        let (process, name) = (self.random.index(self.processes.len()), *self.random.pick(&INSTANCES));
        let (mood, accepts) = (*self.random.pick(&MOODS), !self.random.once_in(3));
        // Usually the plan of the instance.
        let plan = if (name == "x") ^ self.random.once_in(8) { ids::SMALL } else { ids::SLOW };
        let inner = binding(name, &format!("{name}-{}", self.random.index(BINDINGS)));
        let times = if self.random.once_in(6) { 3 } else { 1 };
        let (action, path, body) = match self.random.below(16) {
            0..=3 => ("provision", instance(name), Some(new(plan, json!({ "mood": mood })))),
            4..=6 => {
                let fields = json!({ "parameters": { "mood": mood, "size": 1 + self.random.below(3) } });
                ("update", instance(name), Some(change(fields)))
            }
            7..=11 => ("bind", inner, Some(bind(plan, json!({ "mood": mood })))),
            12..=13 => ("unbind", inner, None),
            _ => ("deprovision", instance(name), None),
        };
        // Sends equal requests at the same time to both processes.
        for other in 0..times {
            self.send((process + other) % self.processes.len(), action, &path, body.clone(), accepts);
        }
    }

    /// Kills a process and starts another one in its place.
    fn restart(&mut self) {
        let dies = self.random.index(self.processes.len());
        self.history.add(format!("{dies} dies"));
        let old = self.processes.remove(dies);
        if let Store::File(_) = self.store {
            self.settings.store = Records::in_memory();
        }
        drop(old.broker);
        old.runtime.shutdown_background();
        if let Store::File(_) = self.store {
            self.settings.store = self.store.open();
        }
        self.processes.insert(dies, Process::start(&self.lab, &self.settings, self.now));
        // The pending requests of the process get no response.
        self.pending.retain(|pending| pending.process != dies);
    }

    /// Polls an accepted operation. Returns true if it has ended.
    fn poll(&mut self, id: &str) -> bool {
        let path = self.accepted[id].path.clone();
        let answer = self.ask(&format!("{path}/last_operation?operation={id}"));
        let state = match (answer.status, answer.body["state"].as_str()) {
            (200, Some(state @ ("succeeded" | "failed" | "in progress"))) => state.to_owned(),
            (410, None) => "gone".to_owned(),
            // A new instance with the same id has removed the tombstones of the old bindings.
            (404, None) if path.contains("service_bindings") => "forgotten".to_owned(),
            other => panic!("poll {path} for {id}: {other:?}"),
        };
        let (ended, quiet) = (state != "in progress", self.pending.is_empty());
        let known = self.accepted.get_mut(id).expect("it was accepted");
        if let Some((before, changes)) = &known.ended {
            // A poll for an older operation returns the state of the newest.
            assert!(ended || *changes != self.changes || !quiet, "{} was {before}, and is {state}", known.id);
        } else if ended {
            self.history.add(format!("    {path}: {id} is {state}"));
        }
        if ended && quiet {
            known.ended = Some((state, self.changes));
        }
        ended
    }

    fn step(&mut self) {
        match self.random.below(20) {
            0..=12 => self.change(),
            13 => {
                let mood = *self.random.pick(&[
                    Behaviour::Succeed,
                    Behaviour::Dawdle,
                    Behaviour::Refuse,
                    Behaviour::Fail,
                    Behaviour::Hang,
                ]);
                let mood = if self.random.once_in(2) { Behaviour::Succeed } else { mood };
                self.history.add(format!("deletions: {mood:?}"));
                self.lab.deletions_go(mood);
            }
            14..=15 => self.lab.gate.open(),
            16 => self.lab.gate.close(),
            17 => self.restart(),
            _ => {
                let accepted: Vec<String> = self.accepted.keys().cloned().collect();
                for id in accepted {
                    self.poll(&id);
                }
            }
        }
        let time = *self.random.pick(&[0, 0, 10, 40, 120, 400]);
        self.pass(Duration::from_millis(time));
    }

    /// Removes all obstacles, and waits until all operations have ended.
    fn finish_operations(&mut self) {
        self.lab.gate.open();
        self.lab.deletions_go(Behaviour::Succeed);
        // More than two operations can take, with a takeover each.
        let limit = self.now + 3 * self.settings.max_operation_time;
        loop {
            let accepted: Vec<String> = self.accepted.keys().cloned().collect();
            let running: Vec<String> = accepted.into_iter().filter(|id| !self.poll(id)).collect();
            if running.is_empty() && self.pending.is_empty() {
                break;
            }
            assert!(self.now < limit, "{running:?} do not end, {} requests pending", self.pending.len());
            self.pass(10 * TICK);
        }
    }

    /// Deletes everything, and checks that nothing is left.
    fn clean_up(&mut self) {
        for _ in 0..2 {
            for name in INSTANCES {
                for number in 0..BINDINGS {
                    self.send(
                        number % self.processes.len(),
                        "unbind",
                        &binding(name, &format!("{name}-{number}")),
                        None,
                        true,
                    );
                }
                self.finish_operations();
                self.send(0, "deprovision", &instance(name), None, true);
                self.finish_operations();
            }
            // Also waits for operations whose process died before it answered 202, and for rollbacks.
            self.pass(self.settings.max_operation_time + 2 * self.settings.sync_deadline);
        }
        assert!(self.lab.inventory().is_empty(), "{:?}", self.lab.inventory());
        for name in INSTANCES {
            assert_eq!(self.ask(&instance(name)).status, 404);
        }
    }

    /// Sends equal requests at the same time, and checks that they share one operation.
    fn equal_requests(&mut self) {
        let (before, mood) = (self.lab.runs().len(), *self.random.pick(&["succeed", "dawdle", "wait", "temporary"]));
        let (plan, accepts) = *self.random.pick(&[(ids::SMALL, true), (ids::SMALL, false), (ids::SLOW, true)]);
        self.accepted.clear();
        for number in 0..6 {
            self.send(
                number % self.processes.len(),
                "provision",
                &instance("z"),
                Some(new(plan, json!({ "mood": mood }))),
                accepts,
            );
        }
        self.finish_operations();
        assert!(self.accepted.len() <= 1, "T02: one operation: {:?}", self.accepted.keys());
        let runs = self.lab.runs().split_off(before);
        let operations: BTreeSet<_> = runs.iter().filter_map(|run| run.split(' ').next()).collect();
        assert_eq!(operations.len(), 1, "T63: {runs:?}");
        assert_eq!(self.ask(&instance("z")).status, 200);
        self.send(0, "deprovision", &instance("z"), None, true);
        self.finish_operations();
    }

    /// Checks that no attempt ran twice, and that no two attempts overlapped.
    fn check_attempts(&self) {
        assert_eq!(self.lab.overlaps(), 0, "T63");
        let runs = self.lab.runs();
        let attempts: BTreeSet<_> = runs.iter().map(|run| run.splitn(3, ' ').take(2).collect::<Vec<_>>()).collect();
        assert_eq!(attempts.len(), runs.len(), "{runs:?}");
    }
}

fn run(mut crowd: Crowd) {
    for _ in 0..150 {
        crowd.step();
    }
    crowd.finish_operations();
    crowd.clean_up();
    crowd.equal_requests();
    crowd.check_attempts();
}

#[test]
fn all_operations_end_and_nothing_is_left() {
    for seed in seeds(40) {
        run(Crowd::new(seed, Store::Memory));
    }
}

#[test]
fn all_operations_end_and_nothing_is_left_with_records_in_a_file() {
    for seed in seeds(10) {
        run(Crowd::new(seed, Store::file()));
    }
}
