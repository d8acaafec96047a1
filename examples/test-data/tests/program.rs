//! The program as a process: an interrupted check, and commands on a stopped broker.

#![cfg(unix)]

use std::{
    path::Path,
    process::{Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use osb_testing::Process;

fn program(home: &Path) -> Command {
    let mut command = Process::command(env!("CARGO_BIN_EXE_test-data"));
    command.env("OSB_USERNAME", "user").env("OSB_PASSWORD", "secret").current_dir(home);
    command
}

#[test]
fn an_interrupted_check_deletes_its_instances() {
    let home = tempfile::tempdir().expect("a temporary folder is created");
    let mut serve = program(home.path());
    serve.args(["--listen", "127.0.0.1:0", "--store", "memory", "--log", "off", "--retry-after", "0s"]);
    let broker = Process::start(serve);

    let mut check = program(home.path());
    // Writing this file would take hours.
    check.args([
        "check",
        broker.url(),
        "--poll-every",
        "50ms",
        "-c",
        r#"test-data/file/create={"size_mb":10000,"mb_per_second":1}"#,
    ]);
    let check = check.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    let files = || std::fs::read_dir(home.path().join("test-data-files")).map_or(0, Iterator::count);
    let started = Instant::now();
    while files() == 0 {
        assert!(started.elapsed() < Duration::from_secs(20), "no file was created");
        sleep(Duration::from_millis(10));
    }
    let id = check.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().expect("it is sent").success());
    let output = check.wait_with_output().expect("it ends");
    let [log, report] = [output.stderr, output.stdout].map(|bytes| String::from_utf8(bytes).expect("it is text"));
    assert!(log.contains("interrupted: deleting instances and bindings"), "{log}");
    assert!(report.contains("the check was interrupted"), "{report}");
    assert!(!report.contains("left behind"), "{report}");
    assert_eq!((output.status.code(), files()), (Some(1), 0));
}

/// Instances of this plan are always deleted asynchronously.
#[test]
fn a_deletion_by_a_stopped_broker_tells_whether_it_has_succeeded() {
    let home = tempfile::tempdir().expect("a temporary folder is created");
    let line = r#"{"instance_id":"i","service_id":"5d0c6c1e-7a0b-4a53-8a4e-3d1f0b9c2e01",
        "plan_id":"5d0c6c1e-7a0b-4a53-8a4e-3d1f0b9c2e02","state":{"path":"busy","blocks":1}}"#;
    std::fs::write(home.path().join("in.jsonl"), line.replace('\n', "")).expect("the file is written");
    // The handler can't remove a directory.
    std::fs::create_dir(home.path().join("busy")).expect("the directory is made");
    let run = |args: &[&str]| {
        let output = program(home.path()).args(args).output().expect("the program runs");
        let text = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(text).expect("it is text"))
    };
    let (code, said) = run(&["import", "in.jsonl"]);
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = run(&["purge", "i", "--yes"]);
    assert!(code == Some(1) && said.contains("purge: failed: The service broker failed"), "{said}");
    std::fs::remove_dir(home.path().join("busy")).expect("the directory is removed");
    let (code, said) = run(&["retry", "i", "--yes"]);
    assert!(code == Some(0) && said.contains("retry: done"), "{said}");
}
