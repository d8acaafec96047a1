//! An interrupted check deletes its instances.

#![cfg(unix)]

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

fn program(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_test-data"));
    // The environment of the machine must not influence the test.
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("OSB_") {
            command.env_remove(name);
        }
    }
    command.env_remove("PORT").env("OSB_USERNAME", "user").env("OSB_PASSWORD", "secret");
    command.env("OSB_LOG_FORMAT", "text").current_dir(home);
    command
}

/// A process that is killed at the end of the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have exited already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn an_interrupted_check_deletes_its_instances() {
    let home = tempfile::tempdir().expect("a temporary folder is created");
    let serve = ["--listen", "127.0.0.1:0", "--store", "memory", "--log", "off"];
    let broker = program(home.path()).args(serve).stderr(Stdio::piped()).spawn().expect("the program starts");
    let mut broker = Running(broker);
    let mut lines = BufReader::new(broker.0.stderr.as_mut().expect("it is piped"));
    let mut banner = String::new();
    while !banner.contains(" at http://") {
        assert_ne!(lines.read_line(&mut banner).expect("it is text"), 0, "{banner}");
    }
    let url = banner.split_once(" at ").and_then(|(_, rest)| rest.lines().next()).expect("it says where");

    let mut check = program(home.path());
    // Writing this file would take hours.
    check.args(["check", url, "-c", r#"test-data/file/create={"size_mb":10000,"mb_per_second":1}"#]);
    let check = check.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    let check = Running(check);
    let files = || std::fs::read_dir(home.path().join("test-data-files")).map_or(0, Iterator::count);
    let started = Instant::now();
    while files() == 0 {
        assert!(started.elapsed() < Duration::from_secs(20), "no file was created");
        sleep(Duration::from_millis(10));
    }
    let id = check.0.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().expect("it is sent").success());
    let mut check = check;
    let status = check.0.wait().expect("it ends");
    let read = |stream: Option<&mut dyn std::io::Read>| std::io::read_to_string(stream.expect("it is piped"));
    let log = read(check.0.stderr.as_mut().map(|stream| stream as _)).expect("it is text");
    assert!(log.contains("interrupted: deleting instances and bindings"), "{log}");
    let report = read(check.0.stdout.as_mut().map(|stream| stream as _)).expect("it is text");
    assert!(report.contains("the check was interrupted"), "{report}");
    assert!(!report.contains("left behind"), "{report}");
    assert_eq!((status.code(), files()), (Some(1), 0));
}
