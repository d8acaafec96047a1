//! Kills, stops and cuts off replicas on one PostgreSQL, and crashes the database, also for good; replaces the replicas one by one
//! by those of another release.
//!
//! `OSB_FAULTS_SEED` determines the sequence of events, `OSB_FAULTS_REPLICAS` the number of faults.

use std::thread;

use osb_faults::{faults::faults, files, replicas::run, upgrade};
use osb_throwaway_postgres::Server;

use crate::number;

#[test]
fn replicas_survive_faults_of_each_other_and_of_the_database() {
    let seed = number("OSB_FAULTS_SEED", 1).into();
    let faults = faults(seed, number("OSB_FAULTS_REPLICAS", 11));
    // Side by side, because both mostly wait.
    let (first, second) = faults.split_at(faults.len().div_ceil(2));
    thread::scope(|scope| {
        for (seed, faults) in [(seed, first), (seed + 1, second)] {
            scope.spawn(move || {
                let Some(server) = Server::start_or_skip() else { return };
                let subject = files::UnderTest { program: env!("CARGO_BIN_EXE_files") };
                println!("replicas: {}", run(&subject, server, seed, faults));
            });
        }
    });
}

#[test]
fn no_request_fails_while_replicas_are_upgraded_one_by_one() {
    let Some(server) = Server::start_or_skip() else { return };
    let report = upgrade::run(env!("CARGO_BIN_EXE_stores"), &server, 1);
    println!("upgrade: {report}");
}
