//! A pooler in transaction mode in front of a server.

use std::{
    fs,
    os::unix::{fs::chown, process::CommandExt},
    path::Path,
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use super::{START, Server, User, command, free_port, skip};

/// Runs PgBouncer until the process that started it has ended, which closes the standard input of this script.
const WATCHDOG: &str = r#"
"$0" -q pooler.ini &
cat >/dev/null
kill $!
"#;

/// PgBouncer in transaction mode, with fewer connections to the server than clients have to it. It ends when it is dropped.
#[derive(Debug)]
pub struct Pooler {
    port: u16,
    watchdog: Child,
}

impl Pooler {
    /// Starts PgBouncer for a server; `None`, with a line on standard error, where it is not installed.
    ///
    /// # Panics
    ///
    /// If it doesn't start, or is not installed on [CI](super::is_ci).
    pub fn start_or_skip(server: &Server) -> Option<Self> {
        let Some(program) = program() else {
            skip("PgBouncer", "apt-get install pgbouncer");
            return None;
        };
        let port = free_port();
        let settings = format!(
            "[databases]\n\
             postgres = host=127.0.0.1 port={} user=postgres password={}\n\
             [pgbouncer]\n\
             listen_addr = 127.0.0.1\n\
             listen_port = {port}\n\
             unix_socket_dir =\n\
             auth_type = any\n\
             pool_mode = transaction\n\
             default_pool_size = 4\n\
             max_client_conn = 500\n\
             ignore_startup_parameters = extra_float_digits\n",
            server.port, server.password
        );
        let file = server.directory.join("pooler.ini");
        fs::write(&file, settings).expect("the directory is writable");
        if let Some(User { uid, gid }) = server.user {
            chown(&file, Some(uid), Some(gid)).expect("root can give a file away");
        }
        let mut watchdog = command(Path::new("sh"), &server.directory, server.user);
        watchdog.args(["-c", WATCHDOG, &program]).stdin(Stdio::piped()).process_group(0);
        let pooler = Self { port, watchdog: watchdog.spawn().expect("a shell") };
        let end = Instant::now() + START;
        loop {
            let mut ready = server.command("pg_isready");
            let ready = ready.args(["-q", "-h", "127.0.0.1", "-p", &port.to_string()]).status();
            if ready.expect("pg_isready starts").success() {
                return Some(pooler);
            }
            assert!(Instant::now() < end, "PgBouncer does not get ready within {START:?}");
            sleep(Duration::from_millis(20));
        }
    }

    /// Returns its port.
    pub fn port(&self) -> u16 {
        self.port
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        drop(self.watchdog.stdin.take());
        _ = self.watchdog.wait();
    }
}

/// Returns the program, which Debian puts where only root looks.
fn program() -> Option<String> {
    let found = |name: &&str| Command::new(name).arg("--version").stdout(Stdio::null()).status().is_ok();
    ["pgbouncer", "/usr/sbin/pgbouncer"].into_iter().find(found).map(str::to_owned)
}
