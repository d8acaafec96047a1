//! Runs the program as a process: its conformance, and its messages.

use std::{
    io::{BufRead, BufReader, Read},
    process::{Child, Command, Output, Stdio},
};

use crate::world::{World, run};

/// Builds a command that runs the program without the environment of the machine.
fn program(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_postgres-broker"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("OSB_") {
            command.env_remove(name);
        }
    }
    command.env_remove("POSTGRES_URL").env_remove("PORT").env("OSB_LOG_FORMAT", "text");
    for (variable, value) in [("USERNAME", "user"), ("PASSWORD", "password")] {
        command.env(format!("OSB_{variable}"), value).env(format!("OSB_CLIENT_{variable}"), value);
    }
    command.args(args);
    command
}

/// A process that is killed at the end of the test.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test]
async fn the_broker_conforms_to_the_specification() {
    let Some(world) = World::start().await else { return };
    let mut serve = program(&["--listen", "127.0.0.1:0", "--store", "memory", "--postgres", &world.url]);
    let mut serving = Killed(serve.stderr(Stdio::piped()).spawn().expect("it runs"));
    let mut lines = BufReader::new(serving.0.stderr.take().expect("it is piped"));
    let mut banner = String::new();
    while !banner.contains("documentation:") {
        assert_ne!(lines.read_line(&mut banner).expect("it is text"), 0, "{banner}");
    }
    // Drains standard error, so that the program does not block.
    std::thread::spawn(move || lines.read_to_end(&mut Vec::new()));
    let (_, rest) = banner.split_once(" at http://").expect("the banner says where it listens");
    let url = format!("http://{}", rest.lines().next().expect("a line"));
    let check = program(&["check", &url, "--platform", "cloudfoundry"]).output().expect("it runs");
    let said = String::from_utf8_lossy(&check.stdout);
    assert!(check.status.success() && said.starts_with("0 errors, 0 warnings; "), "{check:?}");
    assert!(world.created().await.is_empty(), "{:?}", world.created().await);
}

#[tokio::test]
async fn startup_failures_are_explained_without_the_password() {
    let Some(world) = World::start().await else { return };
    run(&world.admin().await, "CREATE ROLE weak LOGIN PASSWORD 's3cret'").await;
    let at = format!("127.0.0.1:{}", world.postgres.port());
    for (url, expected) in [
        (format!("postgres://weak:s3cret@{at}/postgres"), "it needs PostgreSQL 13 or newer, and a role with CREATEDB"),
        (format!("postgres://broker:s3cret@{at}/postgres"), "password authentication failed for user \"broker\""),
        ("postgres://weak:s3cret@127.0.0.1:1/postgres".to_owned(), "Connection refused"),
        ("postgres://weak:s3cret@db:port/postgres".to_owned(), "--postgres (POSTGRES_URL) is not a URL such as"),
        ("postgres://weak:s3cret@%2Ftmp/postgres".to_owned(), "has no host name"),
    ] {
        let Output { status, stderr, .. } =
            program(&["--store", "memory", "--postgres", &url]).output().expect("it runs");
        let said = String::from_utf8_lossy(&stderr);
        assert_eq!(status.code(), Some(1), "{said}");
        assert!(said.contains(expected) && said.contains("--postgres (POSTGRES_URL)"), "{url}: {said}");
        assert!(!said.contains("s3cret"), "{said}");
    }
}
