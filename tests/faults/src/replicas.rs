//! Replicas on one database with a synchronous standby, behind a load balancer, and faults of all of them.

use std::{
    fmt,
    fs::{self, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use osb_throwaway_postgres::{Network, Proxy, Server};
use serde_json::Value;

use crate::{
    balancer::{Balancer, Watch},
    calls::{self, Processes},
    client::{Client, Tally},
    faults::{Counts, Fault, LEASE, PAST_THE_LEASE},
    history::{self, State},
    http::ask,
    process::{Log, Serving},
    race::{Racer, Rest, SHARED, rest},
    random::Random,
    run::{CLIENTS, at_once, expected, take_stock},
    subject::{Inventory, Subject},
};

/// The number of replicas.
const REPLICAS: usize = 3;

/// The number of clients that share instances.
const RACERS: usize = 3;

/// Time under load after a fault.
const AFTERWARDS: Duration = Duration::from_millis(500);

/// Statistics of a run.
#[derive(Debug, Default)]
pub struct Report {
    faults: Counts,
    tally: Tally,
    /// Requests for shared instances.
    raced: usize,
    longest_outage: Duration,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { faults, tally, raced, longest_outage } = self;
        write!(
            f,
            "{faults}; {tally}; there were {raced} requests for shared instances; the longest time without service was \
             {:.1} s",
            longest_outage.as_secs_f64()
        )
    }
}

/// A replica, and the network between it and the database.
struct Replica {
    serving: Serving,
    proxy: Proxy,
    /// The file with the seconds by which its clock is ahead.
    clock: PathBuf,
}

impl Replica {
    /// Starts a replica. The clocks of the replicas differ by an hour: only the database's may count.
    fn start(subject: &dyn Subject, home: &Path, primary: &Server, number: usize) -> Self {
        let (proxy, clock) = (Proxy::start(primary.port()), home.join(format!("clock-{number}")));
        fs::write(&clock, (number * 3600).to_string()).expect("the file can be written");
        Self { serving: serve(subject, home, &primary.url_at(proxy.port()), &clock), proxy, clock }
    }

    /// Starts a new process in its place.
    fn restart(&mut self, subject: &dyn Subject, home: &Path, primary: &Server) {
        note(home, &self.serving);
        self.serving = serve(subject, home, &primary.url_at(self.proxy.port()), &self.clock);
    }
}

/// Starts a replica with few connections, so that decisions wait for one and go together.
fn serve(subject: &dyn Subject, home: &Path, url: &str, clock: &Path) -> Serving {
    let mut command = subject.command(home);
    command
        .env("OSB_STORE", format!("{url}?pool_size=4"))
        .env("OSB_LEASE", format!("{}ms", LEASE.as_millis()))
        .env("OSB_CLOCK", clock);
    command.args(["--shutdown-grace", "500ms"]);
    Serving::start(&mut command).unwrap_or_else(|ended| panic!("a replica does not start:\n{}", ended.log))
}

/// Runs replicas with faults under load, and checks after each. Panics with a report if a property is violated.
pub fn run(subject: &dyn Subject, primary: Server, seed: u64, faults: &[Fault]) -> Report {
    let home = tempfile::tempdir().expect("a folder can be made");
    let (mut random, balancer) = (Random::new(seed), Balancer::start());
    let clients = (0..CLIENTS).map(|number| {
        let mut client = Client::new(number, subject, home.path(), random.fork());
        (client.at, client.takes_5xx_as_lost) = (balancer.at, true);
        client
    });
    let clients = clients.collect();
    let racers = (0..RACERS).map(|number| Racer::new(number, subject, balancer.at, random.fork())).collect();
    let replicas = (0..REPLICAS).map(|number| Replica::start(subject, home.path(), &primary, number)).collect();
    let standby = primary.standby();
    let report = Report::default();
    let mut world = World {
        subject,
        home: home.path(),
        primary,
        standby,
        balancer,
        replicas,
        clients,
        racers,
        shared: vec![vec![State::Absent]; SHARED.len()],
        random,
        report,
        stopped: Vec::new(),
    };
    world.balance();
    let watch = Watch::start(world.balancer.at);
    for (number, &fault) in faults.iter().enumerate() {
        if let Err(why) = world.round(fault) {
            let folder = home.keep();
            panic!("seed {seed}, fault {number} ({fault:?}): {why}\nThe folder is {}.", folder.display());
        }
    }
    world.report.longest_outage = watch.end();
    if let Err(why) = world.end() {
        panic!("seed {seed}, after the last fault: {why}\nThe folder is {}.", home.keep().display());
    }
    world.report
}

struct World<'a> {
    subject: &'a dyn Subject,
    home: &'a Path,
    primary: Server,
    /// Each commit of the primary waits for it.
    standby: Server,
    balancer: Balancer,
    replicas: Vec<Replica>,
    clients: Vec<Client<'a>>,
    racers: Vec<Racer<'a>>,
    /// The states that each shared instance can have.
    shared: Vec<Vec<State>>,
    random: Random,
    report: Report,
    /// The operations on which a replica worked while it was stopped. Its handler may write a file after the replica that took
    /// over has removed it: the runtime can't fence what a handler does outside.
    stopped: Vec<String>,
}

impl World<'_> {
    fn round(&mut self, fault: Fault) -> Result<(), String> {
        let (before, victim, is_over) = (self.random.moment(400), self.random.index(REPLICAS), AtomicBool::new(false));
        let (mut clients, mut racers) = (std::mem::take(&mut self.clients), std::mem::take(&mut self.racers));
        let (ended, raced) = thread::scope(|scope| {
            let is_over = &is_over;
            let racing = racers.iter_mut().map(|racer| scope.spawn(|| racer.race_until(is_over)));
            let racing: Vec<_> = racing.collect();
            let ended = at_once(
                &mut clients,
                |client| client.send_requests_until(is_over),
                || {
                    thread::sleep(before);
                    self.inject(fault, victim);
                    self.balance();
                    thread::sleep(AFTERWARDS);
                    is_over.store(true, Ordering::Relaxed);
                },
            );
            let raced =
                racing.into_iter().map(|one| one.join().unwrap_or_else(|_| Err("a client panicked".to_owned())));
            (ended, raced.collect())
        });
        (self.clients, self.racers) = (clients, racers);
        self.report.faults.add(fault);
        self.blame(ended)?;
        self.blame(raced)?;
        let ended = at_once(&mut self.clients, Client::await_operations, || ());
        self.blame(ended)?;
        let checked = self.check_at_rest();
        self.blame(vec![checked])
    }

    /// Checks the answers of the clients that share instances, and what exists, while nothing is running.
    fn check_at_rest(&mut self) -> Result<(), String> {
        let mut all = expected(self.subject, &self.clients);
        for (index, id) in SHARED.into_iter().enumerate() {
            let Rest { states, entry, read } = rest(self.subject, self.balancer.at, id)?;
            let events = self.racers.iter().flat_map(|racer| &racer.events).filter(|(of, _)| *of == index);
            let events: Vec<_> = events.map(|(_, event)| *event).chain([read]).collect();
            self.report.raced += events.len();
            history::check(events, &self.shared[index]).map_err(|why| format!("{id}: {why}"))?;
            self.shared[index] = states;
            all.instances.extend(entry);
        }
        self.racers.iter_mut().for_each(|racer| racer.events.clear());
        self.remove_late_files(&all);
        take_stock(self.subject, self.home, &self.clients, all, Processes::Replicas)
    }

    fn inject(&mut self, fault: Fault, victim: usize) {
        let Self { subject, home, primary, standby, replicas, stopped, .. } = self;
        let (subject, home) = (*subject, *home);
        let replica = &mut replicas[victim];
        match fault {
            Fault::Killed => {
                replica.serving.kill();
                replica.restart(subject, home, primary);
            }
            Fault::Terminated => {
                replica.serving.end();
                replica.restart(subject, home, primary);
            }
            Fault::Stopped => {
                replica.serving.stop();
                stopped.extend(calls::running(&subject.calls(home).unwrap_or_default(), replica.serving.id()));
                note(home, &replica.serving);
                thread::sleep(PAST_THE_LEASE);
                replica.serving.signal("CONT");
            }
            Fault::CutOff(pause) => {
                replica.proxy.set(fault.network());
                replica.proxy.reset();
                thread::sleep(pause);
                replica.proxy.set(Network::Open);
            }
            Fault::Held { resets } => {
                replica.proxy.set(fault.network());
                thread::sleep(PAST_THE_LEASE);
                if resets {
                    replica.proxy.reset();
                }
                replica.proxy.set(Network::Open);
            }
            Fault::Slow(_) => {
                replica.proxy.set(fault.network());
                thread::sleep(LEASE / 2);
                replica.proxy.set(Network::Open);
            }
            Fault::DatabaseAway(pause) => {
                primary.stop();
                thread::sleep(pause);
                primary.restart();
            }
            Fault::FailedOver(pause) => {
                primary.stop();
                thread::sleep(pause);
                standby.promote();
                for replica in replicas.iter() {
                    replica.proxy.point_to(standby.port());
                }
                let next = standby.standby();
                *primary = std::mem::replace(standby, next);
            }
        }
    }

    /// Tells the balancer where the replicas are.
    fn balance(&self) {
        self.balancer.set(self.replicas.iter().map(|replica| replica.serving.at).collect());
    }

    /// Returns the first violation, with the logs.
    fn blame(&self, ended: Vec<Result<(), String>>) -> Result<(), String> {
        let logs: Vec<&Log> = self.replicas.iter().map(|replica| &replica.serving.log).collect();
        let blamed = ended.into_iter().find(Result::is_err).unwrap_or(Ok(()));
        let panicked = logs.iter().any(|log| log.has("panicked"));
        let blamed = blamed.and_then(|()| if panicked { Err("a replica panicked".to_owned()) } else { Ok(()) });
        blamed.map_err(|why| {
            let logs: String = logs.iter().map(|log| format!("The log of a replica:\n{log}")).collect();
            format!("{why}\n{logs}")
        })
    }

    /// Removes the files of `stopped` that should not exist, and mends those that were overwritten.
    fn remove_late_files(&self, expected: &Inventory) {
        for file in self
            .stopped
            .iter()
            .flat_map(|id| ["files", "secrets"].map(|kind| self.home.join("files").join(kind).join(id)))
        {
            let Ok(content) = fs::read(&file) else { continue };
            fs::remove_file(&file).expect("it can be removed");
            let left = self.subject.inventory(self.home);
            let was_needed =
                expected.instances.iter().any(|(id, _)| left.instances.iter().all(|(other, _)| other != id))
                    || expected.bindings.iter().any(|(id, _)| left.bindings.iter().all(|(other, _)| other != id));
            if was_needed {
                fs::write(&file, mended(&content, expected)).expect("it can be restored");
            }
        }
    }

    /// Deletes everything, and checks that nothing is left.
    fn end(&mut self) -> Result<(), String> {
        let ended = at_once(&mut self.clients, Client::verify_all, || ());
        self.blame(ended)?;
        let checked = self.check_at_rest();
        self.blame(vec![checked])?;
        let ended = at_once(&mut self.clients, Client::clear, || ());
        self.blame(ended)?;
        let (service, plan) = (self.subject.service(), self.subject.plans()[0].id);
        for id in SHARED {
            // It is answered when there is nothing left, or nothing was there.
            let path = format!("/v2/service_instances/{id}?service_id={service}&plan_id={plan}");
            ask(self.balancer.at, "DELETE", &path, &Value::Null);
        }
        for replica in &mut self.replicas {
            replica.serving.kill();
        }
        let nothing = Inventory::default();
        self.remove_late_files(&nothing);
        let found = self.subject.inventory(self.home);
        if found != nothing {
            return Err(format!("everything was deleted, and there is {found:#?}"));
        }
        self.report.tally = Tally::of(&self.clients);
        Ok(())
    }
}

/// Returns the content that the file of an instance should have.
fn mended(content: &[u8], expected: &Inventory) -> Vec<u8> {
    let Ok(Value::Object(mut file)) = serde_json::from_slice(content) else { return content.to_vec() };
    let of = |(id, _): &&(String, Value)| file.get("instance").is_some_and(|instance| instance == id);
    if let (Some((_, Value::Object(what))), true) = (expected.instances.iter().find(of), file.contains_key("blocks")) {
        file.extend(what.clone());
    }
    Value::Object(file).to_string().into_bytes()
}

/// Notes in the call log that the calls of a process have ended, or can be taken over.
fn note(home: &Path, replica: &Serving) {
    let log = OpenOptions::new().append(true).open(home.join("files/calls"));
    let noted = log.and_then(|mut log| log.write_all(calls::without(replica.id()).as_bytes()));
    noted.expect("the call log can be written");
}
