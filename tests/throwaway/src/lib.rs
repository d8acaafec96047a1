//! A PostgreSQL server for tests: started from the installed programs, with an empty cluster of its own, and gone with the test.
//!
//! Starting takes about a second, so tests of one program share a server in a `static`. It ends with the process that
//! started it, however that ends, and takes its files along.

use std::{
    env, fs,
    io::Write,
    net::{Ipv4Addr, TcpListener},
    os::unix::{
        fs::{PermissionsExt, chown},
        process::CommandExt,
    },
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

/// Waits until the process that started the server has ended, stops the server, and deletes its files. The end of the
/// process closes the standard input of this script.
const WATCHDOG: &str = r#"
cat >/dev/null
if server=$(head -n 1 data/postmaster.pid 2>/dev/null); then
    kill -QUIT "$server"
    for _ in $(seq 100); do [ -e data/postmaster.pid ] && sleep 0.05; done
fi
rm -rf "$1"
"#;

/// Fast, and still durable when the server crashes, but not when the machine does.
const SETTINGS: [&str; 5] =
    ["fsync=off", "full_page_writes=off", "shared_buffers=32MB", "max_connections=200", "listen_addresses=127.0.0.1"];

/// Maximum time for a start, with the recovery from a crash.
const START: Duration = Duration::from_mins(1);

/// A server on a port of the loopback interface. Dropping it stops it and deletes its data.
#[derive(Debug)]
pub struct Server {
    programs: PathBuf,
    directory: PathBuf,
    user: Option<User>,
    port: u16,
    password: String,
    postgres: Option<Child>,
    watchdog: Child,
}

/// The user that the server runs as, because PostgreSQL refuses to run as root.
#[derive(Debug, Clone, Copy)]
struct User {
    uid: u32,
    gid: u32,
}

impl Server {
    /// Starts a server with an empty cluster.
    ///
    /// # Panics
    ///
    /// If PostgreSQL is not installed, or doesn't start.
    pub fn start() -> Self {
        Self::start_with(programs().expect("PostgreSQL is not installed: apt-get install postgresql"))
    }

    /// The same, or `None`, with a line on standard error, where PostgreSQL is not installed.
    ///
    /// # Panics
    ///
    /// If PostgreSQL doesn't start, or is not installed although the environment variable `CI` is set.
    pub fn start_or_skip() -> Option<Self> {
        if programs().is_none() && env::var_os("CI").is_none() {
            // Straight to the file descriptor, because the test harness captures the output of `eprintln!`.
            let line = "SKIPPED: a test needs PostgreSQL, which is not installed: apt-get install postgresql\n";
            let _ = std::io::stderr().write_all(line.as_bytes());
            return None;
        }
        Some(Self::start())
    }

    fn start_with(programs: PathBuf) -> Self {
        // Short, because the path of a socket has at most 107 bytes.
        let directory = tempfile::Builder::new().prefix("osb-pg").tempdir().expect("a directory").keep();
        let user = is_root().then(unprivileged);
        // A shell that outlives this process can't delete the directory of another user.
        if let Some(User { uid, gid }) = user {
            chown(&directory, Some(uid), Some(gid)).expect("root can give a directory away");
        }
        let mut watchdog = command(Path::new("sh"), &directory, user);
        // In a group of its own, so that Ctrl+C, or a runner that kills the whole group of a test, doesn't end it as well.
        watchdog.args(["-c", WATCHDOG, "sh"]).arg(&directory).stdin(Stdio::piped()).process_group(0);
        let watchdog = watchdog.spawn().expect("a shell");
        let password = random();
        let mut server = Self { programs, directory, user, port: 0, password, postgres: None, watchdog };
        server.create_cluster();
        // Another process may take a free port before the server listens there.
        for _ in 0..5 {
            server.port = free_port();
            if server.listens() {
                return server;
            }
        }
        panic!("PostgreSQL does not start:\n{}", server.log())
    }

    /// Returns the URL of the database `postgres`, with the name and the password of the superuser.
    pub fn url(&self) -> String {
        format!("postgres://postgres:{}@127.0.0.1:{}/postgres", self.password, self.port)
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Stops the server at once, as a crash would: connections break, and the next start recovers.
    ///
    /// # Panics
    ///
    /// If the server can't be stopped.
    pub fn stop(&mut self) {
        if let Some(mut postgres) = self.postgres.take() {
            // The standard library has no signals.
            let kill = Command::new("kill").args(["-QUIT", &postgres.id().to_string()]).stderr(Stdio::null()).status();
            kill.expect("kill is installed");
            postgres.wait().expect("a child can be waited for");
        }
    }

    /// Stops the server, if it runs, and starts it again with the same port and data.
    ///
    /// # Panics
    ///
    /// If the server doesn't start.
    pub fn restart(&mut self) {
        self.stop();
        assert!(self.listens(), "PostgreSQL does not start again:\n{}", self.log());
    }

    fn create_cluster(&self) {
        let file = self.directory.join("password");
        fs::write(&file, &self.password).expect("the directory is writable");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("it is ours");
        if let Some(User { uid, gid }) = self.user {
            chown(&file, Some(uid), Some(gid)).expect("root can give a file away");
        }
        let mut initdb = self.command("initdb");
        // With `scram-sha-256` an unoptimized client would compute for 50 ms at each connection.
        initdb.args(["-D", "data", "-U", "postgres", "-A", "password", "--pwfile", "password"]);
        let Output { status, stderr, .. } =
            initdb.args(["-E", "UTF8", "--no-locale", "--no-sync"]).output().expect("initdb starts");
        assert!(status.success(), "initdb fails: {}", String::from_utf8_lossy(&stderr));
        fs::remove_file(file).expect("it was just written");
    }

    /// Starts the server, and waits until it accepts connections. Returns whether it does.
    fn listens(&mut self) -> bool {
        let log = fs::File::create(self.directory.join("log")).expect("the directory is writable");
        let port = self.port.to_string();
        let mut postgres = self.command("postgres");
        postgres.args(["-D", "data", "-p", &port, "-k"]).arg(&self.directory);
        postgres.args(SETTINGS.iter().flat_map(|setting| ["-c", setting])).stderr(log);
        let mut postgres = postgres.spawn().expect("postgres starts");
        let end = Instant::now() + START;
        loop {
            let mut ready = self.command("pg_isready");
            let ready = ready.args(["-q", "-h", "127.0.0.1", "-p", &port]).status().expect("pg_isready starts");
            // Another server may have taken the port, so both have to hold.
            if postgres.try_wait().expect("a child can be waited for").is_some() {
                return false;
            }
            if ready.success() {
                break;
            }
            assert!(Instant::now() < end, "PostgreSQL does not get ready within {START:?}:\n{}", self.log());
            sleep(Duration::from_millis(20));
        }
        self.postgres = Some(postgres);
        true
    }

    fn command(&self, program: &str) -> Command {
        command(&self.programs.join(program), &self.directory, self.user)
    }

    fn log(&self) -> String {
        fs::read_to_string(self.directory.join("log")).unwrap_or_default()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
        drop(self.watchdog.stdin.take());
        let _ = self.watchdog.wait();
    }
}

/// A program that reads and prints nothing, in a directory, as a user.
fn command(program: &Path, directory: &Path, user: Option<User>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(directory).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if let Some(User { uid, gid }) = user {
        command.uid(uid).gid(gid);
    }
    command
}

/// Returns the directory of the newest installed server. Debian doesn't put it on the `PATH`.
fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut versions: Vec<(u32, PathBuf)> = versions
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin"))))
        .collect();
    versions.sort();
    let newest_first = versions.into_iter().rev().map(|(_, path)| path);
    let path = env::var_os("PATH").unwrap_or_default();
    newest_first.chain(env::split_paths(&path)).find(|path| path.join("initdb").is_file())
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().expect("id is installed");
    id.stdout.trim_ascii() == b"0"
}

/// Returns the user `postgres`, which the package creates, or `nobody`.
fn unprivileged() -> User {
    let users = fs::read_to_string("/etc/passwd").expect("there are users");
    let find = |name: &str| {
        let mut fields = users.lines().map(|line| line.split(':')).find(|line| line.clone().next() == Some(name))?;
        Some(User { uid: fields.nth(2)?.parse().ok()?, gid: fields.next()?.parse().ok()? })
    };
    find("postgres").or_else(|| find("nobody")).expect("there is a user `postgres` or `nobody`")
}

fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    listener.local_addr().expect("its address").port()
}

fn random() -> String {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).expect("the system has random numbers");
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
