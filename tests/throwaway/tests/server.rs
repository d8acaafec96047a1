//! The server starts, restarts with its data, and leaves nothing.

use std::{
    env, fs,
    net::TcpStream,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use osb_throwaway_postgres::Server;

fn psql(url: &str, sql: &str) -> String {
    let output = Command::new("psql").args(["-X", "-A", "-t", "-c", sql, url]).output().expect("psql is installed");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

#[test]
fn data_survives_a_restart_and_files_go_with_the_server() {
    let Some(mut server) = Server::start_or_skip() else { return };
    psql(&server.url(), "CREATE TABLE t AS SELECT 7 AS n");
    let directory = psql(&server.url(), "SHOW unix_socket_directories");
    server.stop();
    assert!(TcpStream::connect(("127.0.0.1", server.port())).is_err(), "it has stopped");
    server.restart();
    assert_eq!(psql(&server.url(), "SELECT n FROM t"), "7");
    let wrong = server.url().replace("//postgres:", "//postgres:x");
    let refused = Command::new("psql").args(["-X", "-c", "SELECT 1", &wrong]).output().expect("psql is installed");
    assert!(String::from_utf8_lossy(&refused.stderr).contains("password authentication failed"), "{refused:?}");
    drop(server);
    assert!(!Path::new(&directory).exists(), "{directory}");
}

#[test]
fn arguments_start_no_server() {
    for (argument, code) in [("--help", 0), ("-h", 0), ("--port=1", 2)] {
        let run = Command::new(env!("CARGO_BIN_EXE_osb-throwaway-postgres")).arg(argument).output().expect("it runs");
        let said = String::from_utf8_lossy(if code == 0 { &run.stdout } else { &run.stderr });
        assert!(run.status.code() == Some(code) && said.contains("Usage: osb-throwaway-postgres"), "{run:?}");
    }
}

#[test]
fn a_killed_test_leaves_no_server() {
    let Ok(marker) = env::var("OSB_LEFT_SERVER") else {
        if Server::start_or_skip().is_none() {
            return;
        }
        let file = tempfile::NamedTempFile::new().expect("a file");
        let mut test = Command::new(env::current_exe().expect("this program"));
        test.args(["--exact", "a_killed_test_leaves_no_server"]).env("OSB_LEFT_SERVER", file.path());
        let mut test = test.stdout(Stdio::null()).spawn().expect("this program again");
        let read = || fs::read_to_string(file.path()).expect("a file");
        until("the server starts", || read().ends_with('\n'));
        let (port, directory) = read().trim().split_once(' ').map(|(p, d)| (p.to_owned(), d.to_owned())).expect("both");
        assert!(TcpStream::connect(format!("127.0.0.1:{port}")).is_ok(), "it listens");
        test.kill().and_then(|()| test.wait()).expect("a child can be killed");
        until("the server ends", || TcpStream::connect(format!("127.0.0.1:{port}")).is_err());
        until("its files are deleted", || !Path::new(&directory).exists());
        return;
    };
    let server = Server::start();
    let directory = psql(&server.url(), "SHOW unix_socket_directories");
    fs::write(marker, format!("{} {directory}\n", server.port())).expect("a file");
    loop {
        thread::park();
    }
}

/// Waits for a condition.
fn until(condition: &str, holds: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(30);
    while !holds() {
        assert!(Instant::now() < end, "waited too long until {condition}");
        thread::sleep(Duration::from_millis(10));
    }
}
