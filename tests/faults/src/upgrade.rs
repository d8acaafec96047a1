//! Replicas that are replaced one by one by those of another release, while clients go on.

use std::{
    fmt,
    net::SocketAddr,
    sync::atomic::{AtomicBool, Ordering},
    thread::{self, sleep},
    time::{Duration, Instant},
};

use osb_throwaway_postgres::Server;
use serde_json::{Value, json};

use crate::{
    balancer::Balancer,
    http::{Answer, Reply, ask},
    process::{self, Serving},
    random::Random,
};

const SERVICE: &str = "7d6c3a70-8a4e-4f0b-9d3c-51b7e0a4c601";
const BASIC: &str = "7d6c3a70-8a4e-4f0b-9d3c-51b7e0a4c602";
const LARGE: &str = "7d6c3a70-8a4e-4f0b-9d3c-51b7e0a4c603";

/// Milliseconds of an operation that another replica continues.
const LONG: u32 = 3_000;

const REPLICAS: usize = 3;
const CLIENTS: usize = 5;

/// Statistics of an upgrade.
#[derive(Debug, Default)]
pub struct Report {
    requests: u32,
    repeated: u32,
    instances: u32,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { requests, repeated, instances } = self;
        write!(f, "{requests} requests for {instances} instances, of which {repeated} were repeated after a 503")
    }
}

fn start(program: &str, server: &Server, release: u32) -> Serving {
    let mut command = process::command(program);
    command.env("OSB_STORE", server.url()).env("STORES_RELEASE", release.to_string());
    command.args(["--sync-wait", "50ms", "--shutdown-delay", "1s", "--shutdown-grace", "3s"]);
    Serving::start(&mut command).unwrap_or_else(|ended| panic!("a replica does not start:\n{}", ended.log))
}

/// Replaces the replicas under load. Panics if a request fails, except by a 503 that succeeds when it is repeated.
pub fn run(program: &str, server: &Server, seed: u64) -> Report {
    let (mut random, balancer, is_over) = (Random::new(seed), Balancer::start(), AtomicBool::new(false));
    let was_refused = AtomicBool::new(false);
    let mut replicas: Vec<Serving> = (0..REPLICAS).map(|_| start(program, server, 1)).collect();
    let addresses = |replicas: &[Serving]| replicas.iter().map(|replica| replica.at).collect::<Vec<_>>();
    balancer.set(addresses(&replicas));
    let mut clients: Vec<_> = (0..CLIENTS)
        .map(|number| Client {
            number,
            at: balancer.at,
            random: random.fork(),
            was_refused: &was_refused,
            made: Vec::new(),
            report: Report::default(),
        })
        .collect();
    thread::scope(|scope| {
        for client in &mut clients {
            let is_over = &is_over;
            scope.spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    client.step();
                }
            });
        }
        // It ends also when this thread panics, for which the scope waits.
        let _ends = SetAtEnd(&is_over);
        for turn in 0..REPLICAS {
            sleep(Duration::from_secs(1));
            let mut old = replicas.remove(0);
            if turn == 0 {
                // It listens until it hands this over.
                begin_long_operation(old.at);
            }
            old.signal("TERM");
            // As a load balancer does.
            await_that(|| !is_ready(old.at));
            if turn == 0 {
                // A load balancer that is late: clients get a 503, and have to repeat their requests.
                await_that(|| was_refused.load(Ordering::Relaxed));
            }
            balancer.set(addresses(&replicas));
            assert!(old.ends_within(Duration::from_mins(1)), "a replica doesn't end:\n{}", old.log);
            assert!(old.kill().success(), "a replica fails at its end:\n{}", old.log);
            replicas.push(start(program, server, 2));
            balancer.set(addresses(&replicas));
        }
        sleep(Duration::from_secs(1));
    });
    let mut report = Report::default();
    clients[0].delete("long");
    for client in &mut clients {
        client.use_the_new_release();
        client.delete_all();
        report.requests += client.report.requests;
        report.repeated += client.report.repeated;
        report.instances += client.report.instances;
    }
    report
}

fn await_that(condition: impl Fn() -> bool) {
    let since = Instant::now();
    while !condition() {
        assert!(since.elapsed() < Duration::from_secs(10), "it doesn't happen");
        sleep(Duration::from_millis(20));
    }
}

fn is_ready(replica: SocketAddr) -> bool {
    matches!(ask(replica, "GET", "/readyz", &Value::Null), Reply::Answer(Answer { status: 200, .. }))
}

fn begin_long_operation(replica: SocketAddr) {
    let path = "/v2/service_instances/long?accepts_incomplete=true";
    let begun = ask(replica, "PUT", path, &new_instance(BASIC, &json!({ "size": 1, "pause": 5_000 })));
    assert!(matches!(begun, Reply::Answer(Answer { status: 202, .. })), "{begun:?}");
}

fn new_instance(plan: &str, parameters: &Value) -> Value {
    json!({
        "service_id": SERVICE,
        "plan_id": plan,
        "organization_guid": "o",
        "space_guid": "s",
        "parameters": parameters,
    })
}

struct SetAtEnd<'a>(&'a AtomicBool);

impl Drop for SetAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// An instance, with the parameters that its client knows.
struct Made {
    id: String,
    size: u32,
    is_bound: bool,
}

struct Client<'a> {
    number: usize,
    at: SocketAddr,
    /// Set when a replica has refused a change, because it is shutting down.
    was_refused: &'a AtomicBool,
    random: Random,
    made: Vec<Made>,
    report: Report,
}

impl Client<'_> {
    /// Sends a request, again after a 503, and follows the operation. Returns the last answer.
    fn change(&mut self, method: &str, path: &str, body: &Value) -> Answer {
        // A synchronous request that takes longer than a shutdown can't be continued by another replica.
        let accepts = body["parameters"]["pause"] == LONG || self.random.once_in(2);
        let separator = if path.contains('?') { '&' } else { '?' };
        let answer = self.ask(method, &format!("{path}{separator}accepts_incomplete={accepts}"), body);
        if answer.status != 202 {
            return answer;
        }
        let operation = answer.body["operation"].as_str().expect("an operation").to_owned();
        let poll = format!("{}/last_operation?operation={operation}", path.split('?').next().unwrap_or_default());
        let since = Instant::now();
        loop {
            let told = self.ask("GET", &poll, &Value::Null);
            match told.body["state"].as_str() {
                Some("in progress") => assert!(since.elapsed() < Duration::from_mins(1), "{path} does not end"),
                Some("succeeded") => return answer,
                _ if told.status == 410 && method == "DELETE" => return answer,
                _ => panic!("{method} {path} was accepted, and then: {told:?}"),
            }
            sleep(Duration::from_millis(20));
        }
    }

    fn ask(&mut self, method: &str, path: &str, body: &Value) -> Answer {
        self.report.requests += 1;
        for is_repeated in [false, true] {
            match ask(self.at, method, path, body) {
                Reply::Answer(answer) if answer.status == 503 && !is_repeated => {
                    self.report.repeated += 1;
                    self.was_refused.store(true, Ordering::Relaxed);
                    sleep(answer.retry_after.unwrap_or_else(|| panic!("no Retry-After: {answer:?}")));
                }
                Reply::Answer(answer) if [200, 201, 202, 410].contains(&answer.status) => return answer,
                reply => panic!("{method} {path} {body} -> {reply:?}"),
            }
        }
        unreachable!("the second answer ends it");
    }

    fn step(&mut self) {
        if self.number == 0 {
            // The others can all wait for operations that take long. This one always changes something.
            self.create("size", BASIC, 0);
            let made = self.made.pop().expect("it was created");
            self.delete(&made.id);
            return;
        }
        let pause = *self.random.pick(&[0, 0, 20, 100, LONG]);
        if self.made.len() < 3 || self.random.once_in(4) {
            self.create("size", BASIC, pause);
            return;
        }
        let index = self.random.index(self.made.len());
        match self.random.below(4) {
            0 => self.update(index, "size", pause.min(100)),
            1 => self.verify(index),
            2 => {
                let Made { id, is_bound, .. } = &self.made[index];
                let path = format!("/v2/service_instances/{id}/service_bindings/b");
                if *is_bound {
                    self.change("DELETE", &format!("{path}?service_id={SERVICE}&plan_id={BASIC}"), &Value::Null);
                } else {
                    let bound = self.change("PUT", &path, &json!({ "service_id": SERVICE, "plan_id": BASIC }));
                    assert!([201, 202].contains(&bound.status), "{bound:?}");
                }
                self.made[index].is_bound ^= true;
            }
            _ => {
                let made = self.made.swap_remove(index);
                self.delete(&made.id);
            }
        }
    }

    fn create(&mut self, name: &str, plan: &str, pause: u32) {
        let id = format!("i{}-{}", self.number, self.report.instances);
        self.report.instances += 1;
        let size = 1 + self.random.below(1_000_000);
        let body = new_instance(plan, &json!({ name: size, "pause": pause }));
        let made = self.change("PUT", &format!("/v2/service_instances/{id}"), &body);
        // A request that was repeated finds what it had made.
        assert!([200, 201, 202].contains(&made.status), "{made:?}");
        self.made.push(Made { id, size, is_bound: false });
    }

    fn update(&mut self, index: usize, name: &str, pause: u32) {
        let size = 1 + self.random.below(1_000_000);
        let body = json!({ "service_id": SERVICE, "parameters": { name: size, "pause": pause } });
        self.change("PATCH", &format!("/v2/service_instances/{}", self.made[index].id), &body);
        self.made[index].size = size;
        self.verify(index);
    }

    fn verify(&mut self, index: usize) {
        let (id, size) = (self.made[index].id.clone(), self.made[index].size);
        let found = self.ask("GET", &format!("/v2/service_instances/{id}"), &Value::Null);
        let parameters = &found.body["parameters"];
        let is = parameters.get("gigabytes").or_else(|| parameters.get("size"));
        assert_eq!(is, Some(&json!(size)), "{id}: {found:?}");
    }

    fn delete(&mut self, id: &str) {
        let path = format!("/v2/service_instances/{id}?service_id={SERVICE}&plan_id={BASIC}");
        let gone = self.change("DELETE", &path, &Value::Null);
        assert!([200, 202].contains(&gone.status), "{id} was lost: {gone:?}");
    }

    /// Uses the new plan and the new name of the parameter.
    fn use_the_new_release(&mut self) {
        for index in 0..self.made.len() {
            self.verify(index);
            self.update(index, "gigabytes", 0);
        }
        self.create("gigabytes", LARGE, 0);
    }

    fn delete_all(&mut self) {
        for made in std::mem::take(&mut self.made) {
            self.delete(&made.id);
        }
    }
}
