//! A broker in a separate process.

use std::{
    collections::VecDeque,
    fmt, fs,
    io::{BufRead, BufReader},
    net::SocketAddr,
    path::PathBuf,
    process::{Child, Command, ExitStatus, Stdio},
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        mpsc::{self, Receiver},
    },
    thread,
    time::Duration,
};

/// Maximum time for a broker to start or to stop.
const PATIENCE: Duration = Duration::from_mins(1);
/// Maximum number of log lines to keep.
const LINES: usize = 400;

/// The last lines of a broker's log.
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

    /// Returns whether a line contains this text.
    pub fn has(&self, part: &str) -> bool {
        self.0.last.lock().unwrap_or_else(PoisonError::into_inner).iter().any(|line| line.contains(part))
    }

    /// Waits for a line with this text: the log may be read later than the response that followed it.
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

/// The exit status and the log of a process.
#[derive(Debug)]
pub struct Ended {
    /// The exit status.
    pub status: ExitStatus,
    /// Its log.
    pub log: Log,
}

/// A running broker.
#[derive(Debug)]
pub struct Serving {
    child: Child,
    /// Its address.
    pub at: SocketAddr,
    /// Its log.
    pub log: Log,
    /// Reads the log, and ends with the process.
    said: Receiver<SocketAddr>,
}

/// Builds a command without variables for brokers in its environment, except for credentials.
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
    /// Starts a broker, and waits until it serves or has exited.
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
                // It is killed at the end of the test.
                let _ = child.kill();
                panic!("the broker did not start in {PATIENCE:?}:\n{log}")
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                let _ = reader.join();
                Err(Ended { status: child.wait().expect("it has ended"), log })
            }
        }
    }

    /// Waits for the process to exit by itself. Returns whether it did.
    pub fn ends_within(&self, patience: Duration) -> bool {
        // The channel closes when the process exits.
        matches!(self.said.recv_timeout(patience), Err(mpsc::RecvTimeoutError::Disconnected))
    }

    /// Returns the process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal.
    pub fn signal(&self, name: &str) {
        let (name, id) = (format!("-{name}"), self.id().to_string());
        assert!(Command::new("kill").args([name, id]).status().expect("there is a `kill`").success());
    }

    /// Stops the process with SIGSTOP, and waits until all its threads have stopped.
    pub fn stop(&self) {
        self.signal("STOP");
        let is_stopped = |task: PathBuf| {
            // After the name, which is in parentheses. A thread that has ended has no file.
            let stat = fs::read_to_string(task.join("stat")).unwrap_or_default();
            stat.rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with('T'))
        };
        let tasks = || fs::read_dir(format!("/proc/{}/task", self.id())).expect("the process runs").flatten();
        while !tasks().all(|task| is_stopped(task.path())) {
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Asks the process to stop, and waits for its exit.
    pub fn end(&mut self) -> ExitStatus {
        self.signal("TERM");
        self.child.wait().expect("it ends")
    }

    /// Kills the process with SIGKILL, and waits for its exit.
    pub fn kill(&mut self) -> ExitStatus {
        // It may have exited already.
        let _ = self.child.kill();
        self.child.wait().expect("it ends")
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Starts a broker, and kills it after a delay.
pub fn start_and_kill(command: &mut Command, after: Duration) {
    let mut child = command.stderr(Stdio::null()).spawn().expect("the program can be started");
    thread::sleep(after);
    // It may have exited already, at a failpoint.
    let _ = child.kill();
    child.wait().expect("it ends");
}
