//! Runs the program as a process: its addresses, its messages, and its durability.

use std::{
    io::{BufRead, BufReader, Read},
    net::TcpListener,
    path::Path,
    process::{Child, Command, Output, Stdio},
};

use http::Request;
use kv_broker::stores::Stores;
use serde_json::json;

use crate::world::{App, send};

/// Builds a command that runs the program in a separate directory.
pub(crate) fn program(home: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kv-broker"));
    command.current_dir(home).args(["--listen", "127.0.0.1:0"]).args(args);
    // The environment of the machine must not influence the tests.
    for (name, _) in std::env::vars_os() {
        if ["OSB_", "KV_"].iter().any(|prefix| name.to_string_lossy().starts_with(prefix)) {
            command.env_remove(name);
        }
    }
    command.env_remove("PORT");
    command.env("OSB_USERNAME", "user").env("OSB_PASSWORD", "password");
    command.env("OSB_LOG_FORMAT", "text");
    command
}

pub(crate) fn said(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A running program that is killed at the end of the test.
struct Serving {
    child: Child,
    /// URL of the broker.
    broker: String,
    /// URL of the stores.
    stores: String,
}

impl Drop for Serving {
    fn drop(&mut self) {
        // It may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Serving {
    fn start(home: &Path) -> Self {
        let mut child =
            program(home, &["--data-listen", "127.0.0.1:0"]).stderr(Stdio::piped()).spawn().expect("it runs");
        let mut lines = BufReader::new(child.stderr.take().expect("it is piped"));
        let mut banner = String::new();
        while !banner.contains("documentation:") {
            assert_ne!(lines.read_line(&mut banner).expect("it is text"), 0, "{banner}");
        }
        assert!(banner.contains("serving the stores at=127.0.0.1:"), "{banner}");
        // Drains standard error, so that the program does not block.
        std::thread::spawn(move || lines.read_to_end(&mut Vec::new()));
        let (_, rest) = banner.split_once(" at http://").expect("the banner says where it listens");
        let broker = format!("http://{}", rest.lines().next().expect("a line"));
        let (_, rest) = banner.split_once(" url=\"").expect("the log says where the stores are");
        let stores = rest.split('"').next().expect("a URL").to_owned();
        Self { child, broker, stores }
    }

    async fn ask(&self, method: &str, path: &str, body: serde_json::Value) -> serde_json::Value {
        let request = Request::builder().method(method).header("X-Broker-API-Version", "2.17");
        let request = request.header("Authorization", "Basic dXNlcjpwYXNzd29yZA==");
        let answer = send(request, &format!("{}{path}", self.broker), body.to_string()).await;
        assert!(answer.status.is_success(), "{answer:?}");
        answer.json()
    }
}

#[tokio::test]
async fn answered_requests_survive_a_kill() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut serving = Serving::start(directory.path());
    let ids = json!({
        "service_id": "1f2ef9c1-6d91-4a15-b9e6-ac8df27de029", "plan_id": "1258b846-3a8d-4c2c-bcd0-ba4256905e17",
        "organization_guid": "o", "space_guid": "s",
    });
    serving.ask("PUT", "/v2/service_instances/one", ids.clone()).await;
    let bound = serving.ask("PUT", "/v2/service_instances/one/service_bindings/b", ids).await;
    let app = App::with(&bound["credentials"]);
    for key in 0..20 {
        assert_eq!(app.put(&key.to_string(), "value").await.status, 204);
    }
    serving.child.kill().expect("it is there");
    serving.child.wait().expect("it ends");

    let data = directory.path().join("kv-data");
    let stores = Stores::open(data.join("kv.redb")).expect("it can be opened");
    let all = stores.inventory().expect("it can be read");
    assert_eq!((all.stores.len(), all.tokens.len(), all.len()), (1, 1, 22));
    let (id, store) = all.stores.first_key_value().expect("a store");
    assert_eq!(store.instance, "one");
    assert!(app.uri.ends_with(id.as_str()));
    assert_eq!(stores.admit(id, &app.token).await.expect("it can be read"), Some(false));
    drop(stores);

    // Another process serves the same data at another address.
    let serving = Serving::start(directory.path());
    let app = App { uri: format!("{}/stores/{id}", serving.stores), token: app.token };
    assert_eq!(app.get("19").await.body, "value");
    assert!(data.join("import").is_dir());
    #[cfg(unix)]
    assert_eq!(std::os::unix::fs::MetadataExt::mode(&data.metadata().expect("it is there")) & 0o777, 0o700);
}

#[test]
fn the_broker_conforms_to_the_specification() {
    let directory = tempfile::tempdir().expect("a directory");
    let serving = Serving::start(directory.path());
    for (version, platform) in [("2.17", "cloudfoundry"), ("2.14", "kubernetes"), ("2.7", "cloudfoundry")] {
        let mut check = Command::new(env!("CARGO_BIN_EXE_kv-broker"));
        check.args(["check", &serving.broker, "--version", version, "--platform", platform]);
        check.env("OSB_CLIENT_USERNAME", "user").env("OSB_CLIENT_PASSWORD", "password");
        let output = check.output().expect("it runs");
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
    let run = |args: &[&str]| program(directory.path(), args).output().expect("it runs");
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
