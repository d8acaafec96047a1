//! Replicas on one database, behind a load balancer, and faults of both.

use std::{
    fmt,
    fs::{self, OpenOptions},
    io::{self, Write},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use osb_throwaway_postgres::Server;

use crate::{
    calls::{self, Processes},
    client::Client,
    process::{Log, Serving},
    random::Random,
    run::{CLIENTS, at_once, take_stock},
    subject::{Inventory, Subject},
};

/// The number of replicas.
const REPLICAS: usize = 3;

/// The lease of operations: replicas are stopped for longer, and the database is away for less.
const LEASE: Duration = Duration::from_secs(3);

/// A fault of a replica or of the database.
#[derive(Debug, Clone, Copy)]
pub enum Fault {
    /// SIGKILL.
    Killed,
    /// SIGTERM: the replica hands its operations over.
    Terminated,
    /// SIGSTOP for longer than the lease, and SIGCONT.
    Stopped,
    /// The database crashes, and recovers after this time.
    DatabaseAway(Duration),
}

/// Generates faults.
pub fn faults(seed: u64, count: u32) -> Vec<Fault> {
    let mut random = Random::new(seed);
    let fault = |_| match random.below(6) {
        0 | 1 => Fault::Killed,
        2 => Fault::Terminated,
        3 | 4 => Fault::Stopped,
        _ => Fault::DatabaseAway(random.moment(1000)),
    };
    (0..count).map(fault).collect()
}

/// Statistics of a run.
#[derive(Debug, Default)]
pub struct Report {
    kills: u32,
    terminations: u32,
    stops: u32,
    database: u32,
    answered: u32,
    accepted: u32,
    unanswered: u32,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kills, terminations, stops, database, answered, accepted, unanswered } = self;
        write!(
            f,
            "{kills} kills, {terminations} terminations, {stops} stops and {database} crashes of the database; of the \
             requests {answered} were answered ({accepted} accepted) and {unanswered} were cut off, or failed with 5xx"
        )
    }
}

/// A load balancer, which passes each connection to the next replica that listens.
struct Balancer {
    at: SocketAddr,
    replicas: Arc<Mutex<Vec<SocketAddr>>>,
}

impl Balancer {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let at = listener.local_addr().expect("it is bound");
        let replicas = Arc::<Mutex<Vec<SocketAddr>>>::default();
        let (known, next) = (Arc::clone(&replicas), Arc::new(AtomicUsize::new(0)));
        // It ends with the test.
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (known, next) = (Arc::clone(&known), Arc::clone(&next));
                thread::spawn(move || {
                    let replicas = known.lock().unwrap_or_else(PoisonError::into_inner).clone();
                    let first = next.fetch_add(1, Ordering::Relaxed);
                    let mut order = (0..replicas.len()).map(|i| replicas[(first + i) % replicas.len()]);
                    if let Some(replica) = order.find_map(|at| TcpStream::connect(at).ok()) {
                        // A connection that breaks is an unanswered request.
                        _ = pass(&client, &replica);
                    }
                });
            }
        });
        Self { at, replicas }
    }

    fn set(&self, replicas: &[Serving]) {
        let mut known = self.replicas.lock().unwrap_or_else(PoisonError::into_inner);
        *known = replicas.iter().map(|replica| replica.at).collect();
    }
}

fn pass(client: &TcpStream, replica: &TcpStream) -> io::Result<()> {
    thread::scope(|scope| {
        scope.spawn(|| {
            _ = io::copy(&mut &*client, &mut &*replica);
            _ = replica.shutdown(Shutdown::Write);
        });
        let copied = io::copy(&mut &*replica, &mut &*client);
        _ = client.shutdown(Shutdown::Both);
        _ = replica.shutdown(Shutdown::Both);
        copied.map(drop)
    })
}

/// Runs replicas with faults under load, and checks after each. Panics with a report if a property is violated.
pub fn run(subject: &dyn Subject, server: &mut Server, seed: u64, faults: &[Fault]) -> Report {
    let home = tempfile::tempdir().expect("a folder can be made");
    let (mut random, balancer) = (Random::new(seed), Balancer::start());
    let clients = (0..CLIENTS).map(|number| {
        let mut client = Client::new(number, subject, home.path(), random.fork());
        (client.at, client.takes_5xx_as_lost) = (balancer.at, true);
        client
    });
    let clients = clients.collect();
    let replicas = (0..REPLICAS).map(|_| start(subject, home.path())).collect();
    let report = Report::default();
    let mut world =
        World { subject, home: home.path(), server, balancer, replicas, clients, random, report, stopped: Vec::new() };
    for (number, &fault) in faults.iter().enumerate() {
        if let Err(why) = world.round(fault) {
            let folder = home.keep();
            panic!("seed {seed}, fault {number} ({fault:?}): {why}\nThe folder is {}.", folder.display());
        }
    }
    if let Err(why) = world.end() {
        panic!("seed {seed}, after the last fault: {why}\nThe folder is {}.", home.keep().display());
    }
    world.report
}

fn start(subject: &dyn Subject, home: &Path) -> Serving {
    let mut command = subject.command(home);
    command.env("OSB_LEASE", format!("{}ms", LEASE.as_millis())).args(["--shutdown-grace", "500ms"]);
    Serving::start(&mut command).unwrap_or_else(|ended| panic!("a replica does not start:\n{}", ended.log))
}

struct World<'a> {
    subject: &'a dyn Subject,
    home: &'a Path,
    server: &'a mut Server,
    balancer: Balancer,
    replicas: Vec<Serving>,
    clients: Vec<Client<'a>>,
    random: Random,
    report: Report,
    /// The operations on which a replica worked while it was stopped. Its handler may write a file after the replica that took
    /// over has removed it: the runtime can't fence what a handler does outside.
    stopped: Vec<String>,
}

impl World<'_> {
    fn round(&mut self, fault: Fault) -> Result<(), String> {
        self.balancer.set(&self.replicas);
        let (before, victim) = (self.random.moment(400), self.random.index(REPLICAS));
        let Self { subject, home, server, replicas, clients, report, stopped, .. } = self;
        let (subject, home) = (*subject, *home);
        let ended = at_once(clients, Client::send_requests_for_a_while, || {
            thread::sleep(before);
            let replica = &mut replicas[victim];
            match fault {
                Fault::Killed => {
                    report.kills += 1;
                    replica.kill();
                    note(home, replica);
                    *replica = start(subject, home);
                }
                Fault::Terminated => {
                    report.terminations += 1;
                    replica.end();
                    note(home, replica);
                    *replica = start(subject, home);
                }
                Fault::Stopped => {
                    report.stops += 1;
                    replica.signal("STOP");
                    stopped.extend(calls::running(&subject.calls(home).unwrap_or_default(), replica.id()));
                    note(home, replica);
                    thread::sleep(LEASE * 3 / 2);
                    replica.signal("CONT");
                }
                Fault::DatabaseAway(pause) => {
                    report.database += 1;
                    server.stop();
                    thread::sleep(pause);
                    server.restart();
                }
            }
        });
        self.balancer.set(&self.replicas);
        self.blame(ended)?;
        let ended = at_once(&mut self.clients, Client::await_operations, || ());
        self.blame(ended)
    }

    /// Returns the first violation, with the logs.
    fn blame(&self, ended: Vec<Result<(), String>>) -> Result<(), String> {
        let logs: Vec<&Log> = self.replicas.iter().map(|replica| &replica.log).collect();
        let blamed = ended.into_iter().find(Result::is_err).unwrap_or(Ok(()));
        let panicked = logs.iter().any(|log| log.has("panicked"));
        let blamed = blamed.and_then(|()| if panicked { Err("a replica panicked".to_owned()) } else { Ok(()) });
        blamed.map_err(|why| {
            let logs: String = logs.iter().map(|log| format!("The log of a replica:\n{log}")).collect();
            format!("{why}\n{logs}")
        })
    }

    /// Removes the files of `stopped` that should not exist.
    fn remove_late_files(&self) {
        let mut expected = Inventory::default();
        self.clients.iter().flat_map(|client| &client.slots).for_each(|slot| slot.expect(self.subject, &mut expected));
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
                fs::write(&file, content).expect("it can be restored");
            }
        }
    }

    /// Deletes everything, and checks that nothing is left.
    fn end(&mut self) -> Result<(), String> {
        let ended = at_once(&mut self.clients, Client::verify_all, || ());
        self.blame(ended)?;
        self.remove_late_files();
        take_stock(self.subject, self.home, &self.clients, Processes::Replicas)?;
        let ended = at_once(&mut self.clients, Client::clear, || ());
        self.blame(ended)?;
        for replica in &mut self.replicas {
            replica.kill();
        }
        self.remove_late_files();
        let found = self.subject.inventory(self.home);
        if found != Inventory::default() {
            return Err(format!("everything was deleted, and there is {found:#?}"));
        }
        for client in &self.clients {
            self.report.answered += client.tally.answered;
            self.report.accepted += client.tally.accepted;
            self.report.unanswered += client.tally.unanswered;
        }
        Ok(())
    }
}

/// Notes in the call log that the calls of a process have ended, or can be taken over.
fn note(home: &Path, replica: &Serving) {
    let log = OpenOptions::new().append(true).open(home.join("files/calls"));
    let noted = log.and_then(|mut log| log.write_all(calls::without(replica.id()).as_bytes()));
    noted.expect("the call log can be written");
}
