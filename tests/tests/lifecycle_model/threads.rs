//! The same in real time, with real threads: brokers share records, and one of them dies now and then.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use osb_lab::{
    direct::Direct,
    lab::{Behaviour, Lab, LabBroker, ids},
    requests::{DELETE, bind, binding, change, instance, new},
    wire::Reply,
};
use osb_runtime::lifecycle::Settings;
use serde_json::{Value, json};
use tokio::{
    runtime::{Builder, Runtime},
    task::JoinSet,
    time::{Instant, sleep},
};

use crate::rng::{History, Rng, seeds};

const PROCESSES: usize = 2;
const INSTANCES: [&str; 3] = ["x", "y", "z"];
const BINDINGS: usize = 2;

/// A simulated process, which dies with its runtime.
struct Process {
    /// `None` only while it is dropped.
    runtime: Option<Runtime>,
    broker: Direct,
}

struct World {
    lab: Lab,
    settings: Settings,
    processes: Vec<Mutex<Process>>,
    /// The paths of the operations that got a 202, by operation id.
    accepted: Mutex<BTreeMap<String, String>>,
}

impl Process {
    async fn start(lab: &Lab, settings: &Settings) -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_time().build().expect("a runtime");
        let broker = runtime.spawn(Direct::start(LabBroker { lab: lab.clone() }, settings.clone()));
        let broker = broker.await.expect("it starts");
        Self { runtime: Some(runtime), broker }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl World {
    async fn new() -> Self {
        let (lab, mut settings) = (Lab::default(), Settings::default());
        settings.sync_wait = Duration::from_millis(20);
        settings.sync_deadline = Duration::from_millis(500);
        settings.cancel_grace = Duration::from_millis(20);
        settings.max_operation_time = Duration::from_secs(2);
        settings.lease = Duration::from_secs(1);
        settings.retry.initial_delay = Duration::from_millis(10);
        let mut processes = Vec::new();
        for _ in 0..PROCESSES {
            processes.push(Mutex::new(Process::start(&lab, &settings).await));
        }
        Self { lab, settings, processes, accepted: Mutex::default() }
    }

    /// Returns the response to a request, or `None` if its process dies first.
    async fn send(&self, process: usize, method: &'static str, path: &str, body: Option<Value>) -> Option<Reply> {
        let answer = {
            let process = self.processes[process].lock().unwrap_or_else(PoisonError::into_inner);
            let (broker, path) = (process.broker.clone(), path.to_owned());
            let runtime = process.runtime.as_ref().expect("it lives");
            runtime.spawn(async move { broker.send(method, &path, body.as_ref()).await })
        };
        let answer = match answer.await {
            Ok(answer) => answer,
            Err(lost) => {
                assert!(lost.is_cancelled(), "{lost}");
                return None;
            }
        };
        if let (202, Some(id)) = (answer.status, answer.body["operation"].as_str()) {
            let path = path.split('?').next().unwrap_or_default();
            let mut accepted = self.accepted.lock().unwrap_or_else(PoisonError::into_inner);
            assert_eq!(accepted.entry(id.to_owned()).or_insert_with(|| path.to_owned()), path);
        }
        Some(answer)
    }

    async fn restart(&self, process: usize) {
        let next = Process::start(&self.lab, &self.settings).await;
        *self.processes[process].lock().unwrap_or_else(PoisonError::into_inner) = next;
    }

    async fn run_client(self: Arc<Self>, seed: u64) {
        let mut rng = Rng::new(seed);
        for _ in 0..40 {
            let (name, accepts) = (rng.one(&INSTANCES), !rng.once_in(3));
            let moods =
                ["succeed", "succeed", "dawdle", "fail_half_way", "panic", "wait", "wait_stubbornly", "temporary"];
            let (plan, mood) = (if name == "x" { ids::SLOW } else { ids::SMALL }, rng.one(&moods));
            let inner = binding(name, &format!("{name}-{}", rng.below(BINDINGS)));
            let (method, path, body) = match rng.below(12) {
                0..=3 => ("PUT", instance(name), Some(new(plan, json!({ "mood": mood })))),
                4..=5 => {
                    let parameters = json!({ "mood": mood, "size": 1 + rng.below(3) });
                    ("PATCH", instance(name), Some(change(json!({ "parameters": parameters }))))
                }
                6..=8 => ("PUT", inner, Some(bind(plan, json!({ "mood": mood })))),
                9 => ("DELETE", inner, None),
                10 => ("DELETE", instance(name), None),
                _ => {
                    if rng.once_in(3) {
                        self.lab.gate.close();
                    } else {
                        self.lab.gate.open();
                    }
                    continue;
                }
            };
            let query = format!("{path}?accepts_incomplete={accepts}&{DELETE}");
            let answer = self.send(rng.below(PROCESSES), method, &query, body).await;
            let Some(Reply { status, .. }) = answer else { continue };
            assert!(status != 202 || accepts, "ASY-05");
            assert!([200, 201, 202, 400, 404, 409, 410, 422, 500].contains(&status), "{method} {path}: {status}");
        }
    }

    /// Waits until all accepted operations have ended.
    async fn finish_operations(&self) {
        self.lab.gate.open();
        let limit = Instant::now() + Duration::from_secs(30);
        let accepted = std::mem::take(&mut *self.accepted.lock().unwrap_or_else(PoisonError::into_inner));
        for (id, path) in accepted {
            let path = format!("{path}/last_operation?operation={id}");
            while self.send(0, "GET", &path, None).await.is_none_or(|answer| answer.body["state"] == "in progress") {
                assert!(Instant::now() < limit, "{path} does not end");
                sleep(Duration::from_millis(10)).await;
            }
        }
    }

    /// Repeats a deletion until it has succeeded.
    async fn delete(&self, path: &str) {
        let limit = Instant::now() + Duration::from_secs(30);
        let path = format!("{path}?accepts_incomplete=true&{DELETE}");
        loop {
            // A synchronous operation of a process that died may still have to be taken over.
            match self.send(1, "DELETE", &path, None).await.map(|answer| answer.status) {
                Some(410) => return,
                Some(202) => self.finish_operations().await,
                _ => {
                    assert!(Instant::now() < limit, "{path} still exists");
                    sleep(Duration::from_millis(10)).await;
                }
            }
        }
    }

    /// Checks that no attempt ran twice. Attempts may overlap here, because in real time a live process can be too slow to
    /// renew its leases.
    fn check_attempts(&self) {
        let runs = self.lab.runs();
        let attempts: BTreeSet<_> = runs.iter().map(|run| run.splitn(3, ' ').take(2).collect::<Vec<_>>()).collect();
        assert_eq!(attempts.len(), runs.len(), "{runs:?}");
    }
}

async fn run(seed: u64) {
    let _history = History::of(seed);
    let world = Arc::new(World::new().await);
    let mut clients = JoinSet::new();
    for client in 0..8 {
        clients.spawn(Arc::clone(&world).run_client(seed * 100 + client));
    }
    let mut restarts = 0;
    while let Some(done) = clients.join_next().await {
        done.expect("a client");
        // Restarts a process as each of the first four clients ends, while the others run.
        if restarts < 4 {
            world.restart(restarts % PROCESSES).await;
            restarts += 1;
        }
    }
    world.lab.deletions_go(Behaviour::Succeed);
    world.finish_operations().await;
    for name in INSTANCES {
        for number in 0..BINDINGS {
            world.delete(&binding(name, &format!("{name}-{number}"))).await;
        }
        world.delete(&instance(name)).await;
    }
    assert!(world.lab.inventory().is_empty(), "{:?}", world.lab.inventory());
    world.check_attempts();
}

#[test]
fn every_operation_ends_in_real_time() {
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_time().build().expect("a runtime");
    for seed in seeds(1) {
        runtime.block_on(run(seed));
    }
}
