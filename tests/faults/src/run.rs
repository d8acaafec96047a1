//! A sequence of crashes, and the checks after each.

use std::{fmt, fs, path::Path, process::Command, thread, time::Duration};

use crate::{
    calls::{self, Processes},
    client::{Client, Tally, Violation},
    process::{Log, Serving, start_and_kill},
    random::Random,
    subject::{Inventory, Subject},
};

/// The failpoints.
pub const FAILPOINTS: [&str; 14] = [
    "store.decided",
    "store.put",
    "store.commit",
    "store.committed",
    "handler.call",
    "handler.ended",
    "checkpoint.saved",
    "reaper.claimed",
    "answer.ready",
    "file.set_len",
    "file.sync",
    "file.synced",
    "file.write",
    "file.half_written",
];

/// Number of clients.
pub(crate) const CLIENTS: usize = 4;
/// Maximum time of load for a process with a failpoint, which it may never reach.
const PATIENCE: Duration = Duration::from_secs(2);

/// The lease of a process that will be stalled, or whose clock will be set.
const LEASE: Duration = Duration::from_millis(200);

/// Seconds by which a clock is set.
const HOUR: i64 = 3600;

/// The cause of a crash.
#[derive(Debug, Clone, Copy)]
pub enum Crash {
    /// SIGKILL, after this time under load.
    Killed(Duration),
    /// A failpoint, when the process reaches it for the nth time.
    At(&'static str, u32),
    /// SIGSTOP after this time under load, SIGCONT when all leases have expired, and SIGKILL after the same time again.
    Stalled(Duration),
    /// The system's clock is set, after this time under load, and SIGKILL after several leases.
    ClockSet(Duration),
}

/// Statistics of a run.
#[derive(Debug, Default, Clone)]
pub struct Report {
    /// Crashes under load.
    pub kills: u32,
    /// Of these, crashes at a failpoint.
    pub at_failpoints: u32,
    /// Crashes during the start and the takeover.
    pub at_start: u32,
    tally: Tally,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kills, at_failpoints, at_start, tally } = self;
        write!(f, "{kills} crashes under load ({at_failpoints} at failpoints) and {at_start} at start; {tally}")
    }
}

/// Generates random kills.
pub fn killed(seed: u64, count: u32) -> Vec<Crash> {
    let mut random = Random::new(seed);
    // Most are early, some late.
    let crash = |_| {
        let within = *random.pick(&[50, 200, 800]);
        Crash::Killed(random.moment(within))
    };
    (0..count).map(crash).collect()
}

/// Generates stalls.
pub fn stalled(seed: u64, count: u32) -> Vec<Crash> {
    let mut random = Random::new(seed);
    (0..count).map(|_| Crash::Stalled(random.moment(400))).collect()
}

/// Generates steps of the clock.
pub fn clock_set(seed: u64, count: u32) -> Vec<Crash> {
    let mut random = Random::new(seed);
    (0..count).map(|_| Crash::ClockSet(random.moment(400))).collect()
}

/// Generates crashes at each failpoint, at its first and later occurrences.
pub fn at_failpoints(seed: u64, each: u32) -> Vec<Crash> {
    let mut random = Random::new(seed);
    let mut crashes = Vec::new();
    for round in 0..each {
        crashes.extend(FAILPOINTS.map(|name| Crash::At(name, 1 + random.below(1 + 30 * round))));
    }
    crashes
}

/// Runs a sequence of crashes in one directory, and checks after each. Panics with a report if a property is violated.
pub fn run(subject: &dyn Subject, seed: u64, crashes: &[Crash]) -> Report {
    let home = tempfile::tempdir().expect("a folder can be made");
    let mut random = Random::new(seed);
    let clients = (0..CLIENTS).map(|number| Client::new(number, subject, home.path(), random.fork())).collect();
    let mut world =
        World { subject, home: home.path(), random, clients, report: Report::default(), log: Log::default() };
    for (number, &crash) in crashes.iter().enumerate() {
        if let Err(why) = world.round(crash) {
            let folder = home.keep();
            panic!(
                "seed {seed}, crash {number} ({crash:?}) of {}: {why}\nThe folder is {}.",
                crashes.len(),
                folder.display()
            );
        }
    }
    if let Err(why) = world.end() {
        panic!("seed {seed}, after the last crash: {why}\nThe folder is {}.", home.keep().display());
    }
    world.report
}

struct World<'a> {
    subject: &'a dyn Subject,
    home: &'a Path,
    random: Random,
    clients: Vec<Client<'a>>,
    report: Report,
    /// The log of the newest process.
    log: Log,
}

impl<'a> World<'a> {
    fn round(&mut self, crash: Crash) -> Result<(), String> {
        self.load(crash)?;
        while self.random.once_in(3) {
            self.die_at_start();
        }
        let mut serving = self.start()?;
        self.all(Client::await_operations, || ())?;
        serving.kill();
        self.take_stock()
    }

    fn command(&self) -> Command {
        self.subject.command(self.home)
    }

    fn start(&mut self) -> Result<Serving, String> {
        let started = Serving::start(&mut self.command()).map(|serving| self.meet(serving));
        started.map_err(|ended| format!("the broker does not start ({}):\n{}", ended.status, ended.log))
    }

    /// Passes the broker's address to all clients.
    fn meet(&mut self, serving: Serving) -> Serving {
        self.log = serving.log.clone();
        self.clients.iter_mut().for_each(|client| client.at = serving.at);
        serving
    }

    /// Lets clients send requests until the process is dead.
    fn load(&mut self, crash: Crash) -> Result<(), String> {
        self.report.kills += 1;
        let mut command = self.command();
        if let Crash::At(name, times) = crash {
            command.env("OSB_FAILPOINT", format!("{name}:{times}"));
        }
        if let Crash::Stalled(_) | Crash::ClockSet(_) = crash {
            command.env("OSB_LEASE", format!("{}ms", LEASE.as_millis()));
        }
        let clock = self.home.join("clock");
        // The next process has the clock of the machine again, so that it goes back by an hour, or by two and forward by one.
        let [before, after_step] = *self.random.pick(&[[HOUR, -HOUR], [0, HOUR]]);
        let set_clock = |seconds: i64| fs::write(&clock, seconds.to_string()).expect("the file can be written");
        if let Crash::ClockSet(_) = crash {
            set_clock(before);
            command.env("OSB_CLOCK", &clock);
        }
        let mut serving = match Serving::start(&mut command) {
            Ok(serving) => self.meet(serving),
            // The process may die before the first request.
            Err(ended) if ended.log.has("failpoint ") => {
                self.report.at_failpoints += 1;
                return Ok(());
            }
            Err(ended) => return Err(format!("the broker does not start ({}):\n{}", ended.status, ended.log)),
        };
        let mut by_itself = false;
        self.all(Client::send_random_requests, || {
            match crash {
                Crash::Killed(after) => thread::sleep(after),
                Crash::At(..) => by_itself = serving.ends_within(PATIENCE),
                Crash::Stalled(after) => {
                    thread::sleep(after);
                    serving.signal("STOP");
                    thread::sleep(LEASE * 3);
                    serving.signal("CONT");
                    thread::sleep(after);
                }
                Crash::ClockSet(after) => {
                    thread::sleep(after);
                    set_clock(after_step);
                    thread::sleep(LEASE * 3);
                }
            }
            serving.kill();
        })?;
        if let Crash::ClockSet(_) = crash {
            fs::remove_file(&clock).expect("the file can be removed");
        }
        self.report.at_failpoints += u32::from(by_itself);
        Ok(())
    }

    /// Kills a process during its takeover.
    fn die_at_start(&mut self) {
        let mut command = self.command();
        if self.random.once_in(2) {
            let name = *self.random.pick(&FAILPOINTS);
            command.env("OSB_FAILPOINT", format!("{name}:{}", 1 + self.random.below(4)));
        }
        start_and_kill(&mut command, self.random.moment(120));
        self.report.at_start += 1;
    }

    /// Runs a function for every client concurrently, and another one meanwhile.
    fn all(
        &mut self,
        act: impl Fn(&mut Client<'a>) -> Result<(), Violation> + Sync,
        meanwhile: impl FnOnce(),
    ) -> Result<(), String> {
        let ended = at_once(&mut self.clients, act, meanwhile);
        self.blame(ended)
    }

    /// Returns the first violation, with the broker's log.
    fn blame(&self, ended: Vec<Result<(), String>>) -> Result<(), String> {
        let blamed = ended.into_iter().find(Result::is_err).unwrap_or(Ok(()));
        let blamed = blamed.and_then(|()| {
            // Nothing in these runs causes these errors.
            let bad = ["panicked", "record store is unavailable", "another worker has", "the record is gone"]
                .into_iter()
                .find(|bad| self.log.has(bad));
            bad.map_or(Ok(()), |bad| Err(format!("the log says {bad:?}")))
        });
        blamed.map_err(|why| format!("{why}\nThe log of the broker:\n{}", self.log))
    }

    /// Compares existing resources with the clients' knowledge, and checks the call log, while no process is running.
    fn take_stock(&self) -> Result<(), String> {
        let expected = expected(self.subject, &self.clients);
        take_stock(self.subject, self.home, &self.clients, expected, Processes::Successive)
            .map_err(|why| format!("{why}\nThe log of the broker:\n{}", self.log))
    }

    /// Deletes everything, and checks that nothing is left.
    fn end(&mut self) -> Result<(), String> {
        let mut serving = self.start()?;
        self.all(Client::verify_all, || ())?;
        self.all(Client::clear, || ())?;
        serving.kill();
        self.take_stock()?;
        let found = self.subject.inventory(self.home);
        if found != Inventory::default() {
            return Err(format!("everything was deleted, and there is {found:#?}"));
        }
        self.report.tally = Tally::of(&self.clients);
        let left: Vec<_> =
            fs::read_dir(self.home).into_iter().flatten().flatten().map(|file| file.file_name()).collect();
        if left.len() > 2 { Err(format!("there is more in the folder than there should be: {left:?}")) } else { Ok(()) }
    }
}

/// Runs a function for every client concurrently, and another one meanwhile. Returns the reports of violations.
pub(crate) fn at_once<'a>(
    clients: &mut [Client<'a>],
    act: impl Fn(&mut Client<'a>) -> Result<(), Violation> + Sync,
    meanwhile: impl FnOnce(),
) -> Vec<Result<(), String>> {
    thread::scope(|scope| {
        let act = &act;
        let run = |client: &'_ mut Client<'a>| act(client).map_err(|why| client.report(&why));
        let running: Vec<_> = clients.iter_mut().map(|client| scope.spawn(move || run(client))).collect();
        meanwhile();
        running.into_iter().map(|one| one.join().unwrap_or_else(|_| Err("a client panicked".to_owned()))).collect()
    })
}

/// Returns the resources that the clients know.
pub(crate) fn expected(subject: &dyn Subject, clients: &[Client<'_>]) -> Inventory {
    let mut expected = Inventory::default();
    clients.iter().flat_map(|client| &client.slots).for_each(|slot| slot.expect(subject, &mut expected));
    expected
}

/// Compares existing resources with those that are expected, and checks the call log, while no handler is running.
pub(crate) fn take_stock(
    subject: &dyn Subject,
    home: &Path,
    clients: &[Client<'_>],
    expected: Inventory,
    processes: Processes,
) -> Result<(), String> {
    if let Some(notes) = subject.calls(home) {
        calls::check(&notes, processes)?;
    }
    let (found, expected) = (sorted(subject.inventory(home)), sorted(expected));
    if found == expected {
        return Ok(());
    }
    let reports: String = clients.iter().map(|client| client.report("")).collect();
    let why = "what exists is not what the broker says";
    Err(format!("{why}.\nThere is {found:#?}\nThere should be {expected:#?}\n{reports}"))
}

fn sorted(mut inventory: Inventory) -> Inventory {
    inventory.instances.sort_by(|one, other| one.0.cmp(&other.0));
    inventory.bindings.sort_by(|one, other| one.0.cmp(&other.0));
    inventory
}
