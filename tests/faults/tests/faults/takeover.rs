//! Kills a replica in the middle of a handler, and measures how long it takes until another replica continues the operation.
//!
//! `OSB_FAULTS_TAKEOVERS` is the number of kills.

use std::{
    path::Path,
    thread::sleep,
    time::{Duration, Instant},
};

use osb_faults::{Answer, Reply, ask, files, process::Serving, random::Random, subject::Subject};
use osb_throwaway_postgres::Server;
use serde_json::json;

use crate::number;

const LEASE: Duration = Duration::from_secs(2);
/// The time after the end of a lease in which an operation has to be taken over, on a machine that may be busy. The goal is 1 s.
const AT_MOST: Duration = Duration::from_secs(4);

fn start(subject: &files::UnderTest, home: &Path, server: &Server) -> Serving {
    let mut command = subject.command(home);
    command.env("OSB_STORE", server.url()).env("OSB_LEASE", format!("{}ms", LEASE.as_millis()));
    Serving::start(&mut command).unwrap_or_else(|ended| panic!("a replica does not start:\n{}", ended.log))
}

/// Waits until a process calls the handler for an instance.
fn await_call(subject: &files::UnderTest, home: &Path, process: u32, instance: &str) {
    let (process, since) = (process.to_string(), Instant::now());
    let is_call = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        words.len() > 5 && words[0] == process && words[4] == instance && words[5] == "started"
    };
    while !subject.calls(home).unwrap_or_default().lines().any(is_call) {
        assert!(since.elapsed() < Duration::from_mins(1), "{process} calls no handler for {instance}");
        sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_killed_replica_is_replaced_soon_after_its_lease() {
    let Some(server) = Server::start_or_skip() else { return };
    let number = number("OSB_FAULTS_TAKEOVERS", 2);
    let (subject, home) = (files::UnderTest { program: env!("CARGO_BIN_EXE_files") }, tempfile::tempdir());
    let home = home.expect("a folder can be made");
    let survivor = start(&subject, home.path(), &server);
    let (mut random, mut times) = (Random::new(1), Vec::new());
    for number in 0..number {
        let mut victim = start(&subject, home.path(), &server);
        let instance = format!("i{number}");
        let body = json!({
            "service_id": subject.service(),
            "plan_id": subject.plans()[2].id,
            "organization_guid": "o",
            "space_guid": "s",
            "parameters": { "text": "x", "blocks": 20, "pause": 1000 },
        });
        let path = format!("/v2/service_instances/{instance}?accepts_incomplete=true");
        let made = ask(victim.at, "PUT", &path, &body);
        assert!(matches!(made, Reply::Answer(Answer { status: 202, .. })), "{made:?}");
        await_call(&subject, home.path(), victim.id(), &instance);
        // The lease is renewed after a third of it.
        sleep(random.moment(1000));
        victim.kill();
        let killed = Instant::now();
        await_call(&subject, home.path(), survivor.id(), &instance);
        times.push(killed.elapsed());
    }
    times.sort();
    let (shortest, longest) = (times[0], times[times.len() - 1]);
    println!("takeover: {number} kills, after {shortest:.1?} to {longest:.1?} with a lease of {LEASE:?}");
    assert!(longest < LEASE + AT_MOST, "taken over after {longest:?}\n{}", survivor.log);
}
