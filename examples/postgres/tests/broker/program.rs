//! Runs the program as a process: its conformance, and its messages.

use std::process::{Command, Output};

use osb_testing::Process;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::world::{World, run, texts, until};

/// Builds a command that runs the program without the environment of the machine.
fn program(args: &[&str]) -> Command {
    let mut command = Process::command(env!("CARGO_BIN_EXE_postgres-broker"));
    command.env_remove("POSTGRES_URL");
    for (variable, value) in [("USERNAME", "user"), ("PASSWORD", "password")] {
        command.env(format!("OSB_{variable}"), value).env(format!("OSB_CLIENT_{variable}"), value);
    }
    command.args(args);
    command
}

/// A process that serves the broker.
struct Serving(Process);

impl Serving {
    fn start(world: &World, args: &[&str]) -> Self {
        let mut serve = program(&["--listen", "127.0.0.1:0", "--postgres", &world.url]);
        serve.args(args);
        Self(Process::start(serve))
    }

    /// Sends a request for the instance `one`, and returns the response with its headers.
    async fn ask(&self, method: &str, path: &str, body: &str) -> String {
        let host = self.0.url().trim_start_matches("http://");
        let mut stream = TcpStream::connect(host).await.expect("it listens");
        let request = format!(
            "{method} /v2/service_instances/one{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\
             X-Broker-API-Version: 2.17\r\nAuthorization: Basic dXNlcjpwYXNzd29yZA==\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).await.expect("it reads");
        let mut response = String::new();
        stream.read_to_string(&mut response).await.expect("it answers");
        response
    }

    async fn until_it_answers(&self, path: &str, expected: &str) {
        until(expected, || async { self.ask("GET", path, "").await.contains(expected) }).await;
    }

    fn signal(&self, name: &str) {
        let sent =
            Command::new("kill").args([name, &self.0.child.id().to_string()]).status().expect("kill is installed");
        assert!(sent.success());
    }
}

#[tokio::test]
async fn the_broker_conforms_to_the_specification() {
    let Some(world) = World::start().await else { return };
    let serving = Serving::start(&world, &["--store", "memory"]);
    let check = program(&["check", serving.0.url(), "--platform", "cloudfoundry"]).output().expect("the program runs");
    let said = String::from_utf8_lossy(&check.stdout);
    assert!(check.status.success() && said.starts_with("0 errors, 0 warnings; "), "{check:?}");
    assert!(world.created().await.is_empty(), "{:?}", world.created().await);
}

#[tokio::test]
async fn a_process_that_was_stalled_harms_nothing() {
    let Some(world) = World::start().await else { return };
    let (admin, locker) = (world.admin().await, world.admin().await);
    let store = world.postgres.url();
    let args = ["--store", &store, "--sync-wait", "0s", "--lease", "2s"];
    let (stalled, successor) = (Serving::start(&world, &args), Serving::start(&world, &args));
    // Stops one process in the middle of its handler, which waits for a lock.
    run(&locker, "BEGIN; LOCK TABLE pg_authid IN SHARE MODE").await;
    let ids = r#""service_id":"0b0f6d1e-3f0c-4c43-9f5e-6d1c2a8f4e01","plan_id":"0b0f6d1e-3f0c-4c43-9f5e-6d1c2a8f4e02""#;
    let new = format!(r#"{{{ids},"organization_guid":"o","space_guid":"s"}}"#);
    let answer = stalled.ask("PUT", "?accepts_incomplete=true", &new).await;
    assert!(answer.starts_with("HTTP/1.1 202"), "{answer}");
    let waiting = "SELECT pid FROM pg_stat_activity WHERE application_name ~ '^osb_' AND wait_event_type = 'Lock'";
    until("the handler waits", || async { !texts(&admin, waiting).await.is_empty() }).await;
    let first = texts(&admin, waiting).await;
    stalled.signal("-STOP");
    until("the successor ends that session", || async {
        let now = texts(&admin, waiting).await;
        !now.is_empty() && now != first
    })
    .await;
    run(&locker, "ROLLBACK").await;
    successor.until_it_answers("/last_operation", "succeeded").await;
    assert_eq!(world.created().await.len(), 2, "a database and its role: {:?}", world.created().await);
    let query = "?accepts_incomplete=true&service_id=0b0f6d1e-3f0c-4c43-9f5e-6d1c2a8f4e01\
        &plan_id=0b0f6d1e-3f0c-4c43-9f5e-6d1c2a8f4e02";
    successor.ask("DELETE", query, "").await;
    successor.until_it_answers("/last_operation", "HTTP/1.1 410").await;
    stalled.signal("-CONT");
    stalled.until_it_answers("/last_operation", "HTTP/1.1 410").await;
    until("its handler has ended", || async {
        texts(&admin, "SELECT 1 FROM pg_stat_activity WHERE application_name ~ '^osb_'").await.is_empty()
    })
    .await;
    assert!(world.created().await.is_empty(), "{:?}", world.created().await);
}

#[tokio::test]
async fn startup_failures_are_explained_without_the_password() {
    let Some(world) = World::start().await else { return };
    run(&world.admin().await, "CREATE ROLE weak LOGIN PASSWORD 's3cret'").await;
    let at = format!("127.0.0.1:{}", world.postgres.port());
    // A restart may help where the server is the reason.
    for (url, code, expected) in [
        (
            format!("postgres://weak:s3cret@{at}/postgres"),
            1,
            "it needs PostgreSQL 13 or newer, and a role with CREATEDB",
        ),
        (format!("postgres://broker:s3cret@{at}/postgres"), 1, "password authentication failed for user \"broker\""),
        ("postgres://weak:s3cret@127.0.0.1:1/postgres".to_owned(), 1, "Connection refused"),
        ("postgres://weak:s3cret@db:port/postgres".to_owned(), 2, "--postgres (POSTGRES_URL) is not a URL such as"),
        ("postgres://weak:s3cret@%2Ftmp/postgres".to_owned(), 2, "has no host name"),
    ] {
        let Output { status, stderr, .. } =
            program(&["--store", "memory", "--postgres", &url]).output().expect("the program runs");
        let said = String::from_utf8_lossy(&stderr);
        assert_eq!(status.code(), Some(code), "{said}");
        assert!(said.contains(expected) && said.contains("--postgres (POSTGRES_URL)"), "{url}: {said}");
        assert!(!said.contains("s3cret"), "{said}");
    }
}
