//! Runs the program as a process: its addresses, its messages, and its durability.

use std::{
    net::TcpListener,
    path::Path,
    process::{Command, Output},
};

use http::Request;
use kv_broker::stores::{NewEntry, Stores, Terms};
use osb_testing::Process;
use serde_json::json;

use crate::world::{App, owner, send};

/// Builds a command that runs the program in a separate directory.
pub(crate) fn program(home: &Path, args: &[&str]) -> Command {
    let mut command = Process::command(env!("CARGO_BIN_EXE_kv-broker"));
    command.current_dir(home).args(["--listen", "127.0.0.1:0"]).args(args);
    // The environment of the machine must not influence the tests.
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("KV_") {
            command.env_remove(name);
        }
    }
    command.env("OSB_USERNAME", "user").env("OSB_PASSWORD", "password");
    command
}

pub(crate) fn said(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A running program.
pub(crate) struct Serving {
    process: Process,
    /// URL of the broker.
    pub(crate) broker: String,
    /// URL of the stores.
    stores: String,
}

impl Serving {
    pub(crate) fn start(home: &Path) -> Self {
        Self::of(program(home, &["--data-listen", "127.0.0.1:0"]))
    }

    /// Starts the program with a limit on the size of files, which can be raised while it runs.
    #[cfg(target_os = "linux")]
    fn limited(home: &Path, kilobytes: u64) -> Self {
        let inner = program(home, &["--data-listen", "127.0.0.1:0"]);
        let mut command = Command::new("bash");
        command.args(["-c", "trap '' XFSZ; ulimit -S -f \"$1\"; shift; exec \"$@\"", "bash", &kilobytes.to_string()]);
        command.arg(inner.get_program()).args(inner.get_args()).current_dir(home);
        for (name, value) in inner.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        Self::of(command)
    }

    /// Starts a command, and waits until it serves.
    pub(crate) fn of(command: Command) -> Self {
        let process = Process::start(command);
        let banner = process.output();
        assert!(banner.contains("serving the stores at=127.0.0.1:"), "{banner}");
        let stores = after(&banner, " url=\"").split('"').next().expect("a URL").to_owned();
        Self { broker: process.url().to_owned(), process, stores }
    }

    /// Returns the URL for operators.
    pub(crate) fn admin(&self) -> String {
        after(&self.process.output(), "administration: ").to_owned()
    }

    /// Asks the program to end, and waits until it has ended.
    pub(crate) fn end(self) {
        let id = self.process.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().expect("there is a `kill`").success());
        let (status, said) = self.process.end();
        assert!(status.success(), "{said}");
    }

    pub(crate) async fn ask(&self, method: &str, path: &str, body: serde_json::Value) -> serde_json::Value {
        let request = Request::builder().method(method).header("X-Broker-API-Version", "2.17");
        let request = request.header("Authorization", "Basic dXNlcjpwYXNzd29yZA==");
        let answer = send(request, &format!("{}{path}", self.broker), body.to_string()).await;
        assert!(answer.status.is_success(), "{answer:?}");
        answer.json()
    }
}

/// Returns the rest of a line of the banner.
fn after<'a>(banner: &'a str, text: &str) -> &'a str {
    let (_, rest) = banner.split_once(text).unwrap_or_else(|| panic!("{text} is not in the banner: {banner}"));
    rest.lines().next().unwrap_or_default()
}

/// Creates a store of the larger plan with a binding.
pub(crate) async fn bound(serving: &Serving) -> App {
    let ids = json!({
        "service_id": "1f2ef9c1-6d91-4a15-b9e6-ac8df27de029", "plan_id": "cd2d157c-d7bc-4361-b3c0-2a9099e9c62e",
        "organization_guid": "o", "space_guid": "s",
    });
    serving.ask("PUT", "/v2/service_instances/one", ids.clone()).await;
    App::with(&serving.ask("PUT", "/v2/service_instances/one/service_bindings/b", ids).await["credentials"])
}

#[tokio::test]
async fn answered_requests_survive_a_kill() {
    let directory = tempfile::tempdir().expect("a directory");
    let serving = Serving::start(directory.path());
    let app = bound(&serving).await;
    for key in 0..20 {
        assert_eq!(app.put(&key.to_string(), "value").await.status, 204);
    }
    // Kills the process.
    drop(serving);

    let data = directory.path().join("kv-data");
    let stores = Stores::open(data.join("kv.redb")).expect("it can be opened");
    let all = stores.inventory().expect("the inventory is read");
    assert_eq!((all.stores.len(), all.tokens.len(), all.len()), (1, 1, 22));
    let (id, store) = all.stores.first_key_value().expect("a store");
    assert_eq!(store.owner.instance, "one");
    assert!(app.uri.ends_with(id.as_str()));
    assert_eq!(stores.admit(id, &app.token).await.expect("the store is read"), Some(false));
    drop(stores);

    // Another process serves the same data at another address.
    let serving = Serving::start(directory.path());
    let app = App { uri: format!("{}/stores/{id}", serving.stores), token: app.token };
    assert_eq!(app.get("19").await.body, "value");
    assert!(data.join("import").is_dir());
    #[cfg(unix)]
    assert_eq!(std::os::unix::fs::MetadataExt::mode(&data.metadata().expect("the folder exists")) & 0o777, 0o700);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn after_a_full_disk_the_stores_can_be_written_again() {
    let directory = tempfile::tempdir().expect("a directory");
    let serving = Serving::limited(directory.path(), 6_000);
    let app = bound(&serving).await;
    let value = "v".repeat(900_000);
    let mut stored = 0;
    while app.put(&stored.to_string(), value.clone()).await.status == 204 {
        stored += 1;
        assert!(stored < 50, "the disk is never full");
    }
    for key in 0..stored {
        assert_eq!(app.get(&key.to_string()).await.body, value, "what was stored can be read");
    }
    let id = serving.process.child.id().to_string();
    let raised = Command::new("prlimit").args(["--pid", &id, "--fsize=unlimited"]).status().expect("the program runs");
    assert!(raised.success());
    assert_eq!(app.put("more", value.clone()).await.status, 204, "there is room now");
    assert_eq!(app.get("more").await.body, value);
    assert_eq!(app.get("0").await.body, value);
}

/// A disk can return other bytes than were written.
#[test]
fn a_file_that_has_changed_on_the_disk_is_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("kv.redb");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let stores = Stores::open(&path).expect("it can be opened");
        let terms = Terms { plan: "pro".to_owned(), quota: 1 << 20, ttl: 1_000_000 };
        stores.create("a", owner("one"), "", terms).await.expect("it is created");
        for key in 0..40 {
            let entry = NewEntry::text(key.to_string(), "value".repeat(500));
            stores.put("a", vec![entry]).await.expect("it is stored");
        }
    });
    let whole = std::fs::read(&path).expect("the file is read");
    let places: Vec<usize> =
        whole.windows(5).enumerate().filter(|(_, part)| *part == b"value").map(|(at, _)| at).collect();
    assert!(places.len() > 10_000);
    let (mut refused, mut right) = (0, 0);
    for place in places.iter().step_by(places.len() / 60) {
        let mut changed = whole.clone();
        changed[*place] ^= 4;
        std::fs::write(&path, changed).expect("it can be written");
        match Stores::open(&path) {
            Err(_) => refused += 1,
            // The page is a free one.
            Ok(stores) => runtime.block_on(async {
                for key in 0..40 {
                    let found =
                        stores.get("a", &key.to_string()).await.expect("the store is read").expect("the entry exists");
                    assert_eq!(found.value, "value".repeat(500));
                }
                right += 1;
            }),
        }
    }
    assert!(refused > 10, "{refused} refused, {right} right");
}

#[test]
fn the_broker_conforms_to_the_specification() {
    let directory = tempfile::tempdir().expect("a directory");
    let serving = Serving::start(directory.path());
    for (version, platform) in [("2.17", "cloudfoundry"), ("2.14", "kubernetes"), ("2.7", "cloudfoundry")] {
        let mut check = Command::new(env!("CARGO_BIN_EXE_kv-broker"));
        check.args(["check", &serving.broker, "--version", version, "--platform", platform]);
        check.env("OSB_CLIENT_USERNAME", "user").env("OSB_CLIENT_PASSWORD", "password");
        let output = check.output().expect("the program runs");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && said.starts_with("0 errors, 0 warnings; "),
            "{version} {platform}: {output:?}"
        );
    }
}

#[test]
fn startup_failures_are_explained() {
    let directory = tempfile::tempdir().expect("a directory");
    let run = |args: &[&str]| program(directory.path(), args).output().expect("the program runs");
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("its address").to_string();
    let text = said(&run(&["--data-listen", &address]));
    assert!(text.contains(&format!("cannot serve the stores at {address}")), "{text}");
    assert!(text.contains("another program listens there; stop it, or use another --data-listen"), "{text}");
    let text = said(&run(&["--data-listen", "0.0.0.0:0"]));
    assert!(text.contains("set --data-url (KV_DATA_URL) to the URL for applications"), "{text}");

    let data = directory.path().join("kv-data");
    std::fs::create_dir_all(&data).expect("a directory");
    let stores = Stores::open(data.join("kv.redb")).expect("it can be opened");
    let text = said(&run(&["--data-listen", "127.0.0.1:0"]));
    assert!(
        text.contains("kv.redb is open in another process\n  stop that process, or use another --data (KV_DATA)"),
        "{text}"
    );
    drop(stores);
    std::fs::write(data.join("kv.redb"), "this is no such file").expect("it can be written");
    let text = said(&run(&["--data-listen", "127.0.0.1:0"]));
    assert!(text.contains("cannot open ") && text.contains("kv.redb: "), "{text}");
    for url in ["example.com", "ftp://example.com", "http://", "http://a?b", "http://a#b"] {
        let output = run(&["--data-url", url]);
        assert_eq!(output.status.code(), Some(2), "{url}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("write http://HOST:PORT"), "{url}");
    }
}
