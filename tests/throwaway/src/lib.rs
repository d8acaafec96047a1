//! A PostgreSQL server for tests: started from the installed programs, with an empty cluster of its own, and gone with the test.
//!
//! Starting takes about a second, so tests of one program share a server in a `static`. It ends with the process that
//! started it, however that ends, and takes its files along.

mod pooler;
mod proxy;

pub use self::{
    pooler::Pooler,
    proxy::{Network, Proxy, Trap},
};

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
    sync::OnceLock,
    thread::sleep,
    time::{Duration, Instant},
};

/// Returns whether the tests run on CI, where a program that is missing is a failure: the variable `CI` is set, and not empty.
#[must_use]
pub fn is_ci() -> bool {
    env::var_os("CI").is_some_and(|value| !value.is_empty())
}

/// Says on standard error that a test is skipped because it needs a program, and how to install it.
///
/// # Panics
///
/// On [CI](is_ci).
pub fn skip(program: &str, remedy: &str) {
    assert!(!is_ci(), "{program} is not installed: {remedy}");
    // Straight to the file descriptor, because the test harness captures the output of `eprintln!`.
    let line = format!("SKIPPED: a test needs {program}, which is not installed: {remedy}\n");
    _ = std::io::stderr().write_all(line.as_bytes());
}

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
const SETTINGS: [&str; 7] = [
    "fsync=off",
    "full_page_writes=off",
    // The log may be in memory.
    "max_wal_size=128MB",
    "shared_buffers=32MB",
    "max_connections=200",
    "listen_addresses=127.0.0.1",
    // A standby whose primary was restarted.
    "wal_retrieve_retry_interval=100ms",
];

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
        // Copied, because creating one takes most of a second of the processor.
        static EMPTY: OnceLock<Server> = OnceLock::new();
        let empty = EMPTY.get_or_init(|| {
            let programs = programs().expect("PostgreSQL is not installed: apt-get install postgresql");
            let server = Self::without_data(programs, random());
            server.create_cluster();
            server
        });
        let mut server = Self::without_data(empty.programs.clone(), empty.password.clone());
        let mut copy = command(Path::new("cp"), &server.directory, server.user);
        let copied = copy.arg("-a").arg(empty.directory.join("data")).arg(".").status();
        assert!(copied.expect("cp is installed").success(), "an empty cluster can't be copied");
        server.listens_somewhere();
        server
    }

    /// The same, or `None`, with a line on standard error, where PostgreSQL is not installed.
    ///
    /// # Panics
    ///
    /// If PostgreSQL doesn't start, or is not installed on [CI](is_ci).
    pub fn start_or_skip() -> Option<Self> {
        if programs().is_none() {
            skip("PostgreSQL", "apt-get install postgresql");
            return None;
        }
        Some(Self::start())
    }

    fn without_data(programs: PathBuf, password: String) -> Self {
        // Short, because the path of a socket has at most 107 bytes.
        let mut directory = tempfile::Builder::new();
        directory.prefix("osb-pg");
        let directory = memory().map_or_else(|| directory.tempdir(), |memory| directory.tempdir_in(memory));
        let directory = directory.expect("a directory").keep();
        let user = is_root().then(unprivileged);
        // A shell that outlives this process can't delete the directory of another user.
        if let Some(User { uid, gid }) = user {
            chown(&directory, Some(uid), Some(gid)).expect("root can give a directory away");
        }
        let mut watchdog = command(Path::new("sh"), &directory, user);
        // In a group of its own, so that Ctrl+C, or a runner that kills the whole group of a test, doesn't end it as well.
        watchdog.args(["-c", WATCHDOG, "sh"]).arg(&directory).stdin(Stdio::piped()).process_group(0);
        let watchdog = watchdog.spawn().expect("a shell");
        Self { programs, directory, user, port: 0, password, postgres: None, watchdog }
    }

    fn listens_somewhere(&mut self) {
        // Another process may take a free port before the server listens there.
        for _ in 0..5 {
            self.port = free_port();
            if self.listens() {
                return;
            }
        }
        panic!("PostgreSQL does not start:\n{}", self.log())
    }

    /// Starts a standby of this server by streaming replication. From then on, commits of this server wait for it.
    ///
    /// # Panics
    ///
    /// If the standby doesn't start, or doesn't follow.
    pub fn standby(&self) -> Self {
        let mut standby = Self::without_data(self.programs.clone(), self.password.clone());
        let mut copy = standby.command("pg_basebackup");
        copy.env("PGPASSWORD", &self.password).args(["-D", "data", "-R", "-X", "stream", "-c", "fast", "--no-sync"]);
        copy.args(["-h", "127.0.0.1", "-U", "postgres", "-p", &self.port.to_string()]);
        let Output { status, stderr, .. } = copy.stderr(Stdio::piped()).output().expect("pg_basebackup starts");
        assert!(status.success(), "pg_basebackup fails: {}", String::from_utf8_lossy(&stderr));
        standby.listens_somewhere();
        self.sql("alter system set synchronous_standby_names = '*'");
        self.sql("select pg_reload_conf()");
        self.waits_until("select count(*) = 1 from pg_stat_replication where sync_state = 'sync'");
        standby
    }

    /// Makes a standby the primary: it accepts writes when this returns, and waits for no standby of its own.
    ///
    /// # Panics
    ///
    /// If it is not a standby.
    pub fn promote(&self) {
        assert_eq!(self.sql("select pg_promote()"), "t", "the standby is not promoted:\n{}", self.log());
    }

    /// Runs a statement as the superuser, and returns the first column of its first row.
    ///
    /// # Panics
    ///
    /// If it fails.
    pub fn sql(&self, statement: &str) -> String {
        let mut psql = self.command("psql");
        psql.args(["-XqAt", "-v", "ON_ERROR_STOP=1", "-d", &self.url(), "-c", statement]);
        let Output { status, stdout, stderr } =
            psql.stdout(Stdio::piped()).stderr(Stdio::piped()).output().expect("psql");
        assert!(status.success(), "{statement}: {}", String::from_utf8_lossy(&stderr));
        String::from_utf8_lossy(&stdout).trim().to_owned()
    }

    fn waits_until(&self, condition: &str) {
        let end = Instant::now() + START;
        while self.sql(condition) != "t" {
            assert!(Instant::now() < end, "in vain within {START:?}: {condition}\n{}", self.log());
            sleep(Duration::from_millis(20));
        }
    }

    /// Returns the URL of the database `postgres`, with the name and the password of the superuser.
    pub fn url(&self) -> String {
        self.url_at(self.port)
    }

    /// Returns the same with another port, such as that of a [`Proxy`].
    pub fn url_at(&self, port: u16) -> String {
        format!("postgres://postgres:{}@127.0.0.1:{port}/postgres", self.password)
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
            initdb.args(["-E", "UTF8", "--no-locale", "--no-sync", "--wal-segsize=1"]).output().expect("initdb starts");
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

/// Returns a directory in memory, if there is one with some gigabytes. On ext4, a `CREATE DATABASE` soon after others were
/// dropped takes up to ten times as long, because the file system doesn't use the inodes of deleted files again for a while.
fn memory() -> Option<&'static Path> {
    let memory = Path::new("/dev/shm");
    let space = Command::new("df").args(["--output=avail", "--block-size=1G"]).arg(memory).output().ok()?;
    let gigabytes: u32 = String::from_utf8_lossy(&space.stdout).lines().nth(1)?.trim().parse().ok()?;
    (gigabytes >= 4).then_some(memory)
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
