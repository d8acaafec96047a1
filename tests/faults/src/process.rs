//! A broker in a process of its own.

use std::{
    collections::VecDeque,
    fmt,
    io::{BufRead, BufReader},
    net::SocketAddr,
    process::{Child, Command, ExitStatus, Stdio},
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        mpsc::{self, Receiver},
    },
    thread,
    time::Duration,
};

/// How long a broker may take to start or to end.
const PATIENCE: Duration = Duration::from_mins(1);
/// How much is kept of what it said.
const LINES: usize = 400;

/// What a broker has said, the last lines of it.
#[derive(Debug, Clone, Default)]
pub struct Log(Arc<Lines>);

#[derive(Debug, Default)]
struct Lines {
    last: Mutex<VecDeque<String>>,
    more: Condvar,
}

impl Log {
    fn push(&self, line: String) {
        let mut lines = self.0.last.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == LINES {
            lines.pop_front();
        }
        lines.push_back(line);
        self.0.more.notify_all();
    }

    /// Whether there is a line with this in it.
    pub fn has(&self, part: &str) -> bool {
        self.0.last.lock().unwrap_or_else(PoisonError::into_inner).iter().any(|line| line.contains(part))
    }

    /// Whether there is such a line, or soon is: what a process wrote before it answered may be read after its answer.
    pub fn comes_to_say(&self, part: &str) -> bool {
        let missing = |lines: &mut VecDeque<String>| !lines.iter().any(|line| line.contains(part));
        let lines = self.0.last.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.0.more.wait_timeout_while(lines, PATIENCE, missing).unwrap_or_else(PoisonError::into_inner);
        !waited.1.timed_out()
    }
}

impl fmt::Display for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = self.0.last.lock().unwrap_or_else(PoisonError::into_inner);
        lines.iter().try_for_each(|line| writeln!(f, "    {line}"))
    }
}

/// What a process said, and how it ended.
#[derive(Debug)]
pub struct Ended {
    /// How.
    pub status: ExitStatus,
    /// What it said.
    pub log: Log,
}

/// A broker that serves.
#[derive(Debug)]
pub struct Serving {
    child: Child,
    /// Where.
    pub at: SocketAddr,
    /// What it says.
    pub log: Log,
    /// Says where it serves, and ends with the process.
    said: Receiver<SocketAddr>,
}

/// A program with nothing in its environment that is meant for a broker, but credentials.
pub fn command(program: &str) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        if ["OSB_", "KV_", "FILES_", "PORT"].iter().any(|prefix| name.to_string_lossy().starts_with(prefix)) {
            command.env_remove(name);
        }
    }
    command
        .env("OSB_USERNAME", "user")
        .env("OSB_PASSWORD", "password")
        .env("RUST_BACKTRACE", "0")
        .env("OSB_LOG_FORMAT", "text");
    command.args(["serve", "--listen", "127.0.0.1:0", "--log", "info,osb_runtime::access=off"]).stdin(Stdio::null());
    command
}

impl Serving {
    /// Starts a broker, and waits until it serves or has ended.
    pub fn start(command: &mut Command) -> Result<Self, Ended> {
        let mut child = command.stderr(Stdio::piped()).spawn().expect("the program can be started");
        let stderr = child.stderr.take().expect("it is piped");
        let (log, (say, said)) = (Log::default(), mpsc::channel());
        let reader = thread::spawn({
            let log = log.clone();
            move || {
                let mut at = None;
                for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                    at = at.or_else(|| line.split_once(" at http://")?.1.parse().ok());
                    if line.trim_start().starts_with("documentation:") {
                        at.and_then(|at| say.send(at).ok());
                    }
                    log.push(line);
                }
            }
        });
        match said.recv_timeout(PATIENCE) {
            Ok(at) => Ok(Self { child, at, log, said }),
            Err(mpsc::RecvTimeoutError::Timeout) => {
                // It is going to end with the test.
                let _ = child.kill();
                panic!("the broker did not start in {PATIENCE:?}:\n{log}")
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                let _ = reader.join();
                Err(Ended { status: child.wait().expect("it has ended"), log })
            }
        }
    }

    /// Waits for it to end by itself. Says whether it did.
    pub fn ends_within(&self, patience: Duration) -> bool {
        // Nothing more is said: what ends is the other side.
        matches!(self.said.recv_timeout(patience), Err(mpsc::RecvTimeoutError::Disconnected))
    }

    /// Its id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Asks it to end, and waits until it has.
    pub fn end(&mut self) -> ExitStatus {
        let id = self.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().expect("there is a `kill`").success());
        self.child.wait().expect("it ends")
    }

    /// Kills it as `kill -9` does, and waits until it is gone.
    pub fn kill(&mut self) -> ExitStatus {
        // It may have ended already.
        let _ = self.child.kill();
        self.child.wait().expect("it ends")
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Starts a broker and kills it after this long, whatever it does then.
pub fn start_and_kill(command: &mut Command, after: Duration) {
    let mut child = command.stderr(Stdio::null()).spawn().expect("the program can be started");
    thread::sleep(after);
    // It may have ended already, at a failpoint.
    let _ = child.kill();
    child.wait().expect("it ends");
}
