//! Kills brokers at random moments and at each failpoint, and restarts them.
//!
//! `OSB_FAULTS_SEED` determines the sequence of events, `OSB_FAULTS_KILLS` the number of random kills of each broker,
//! `OSB_FAULTS_STALLS` that of stalls, `OSB_FAULTS_STEPS` that of steps of the clock.

use osb_faults::{
    files, kv,
    run::{at_failpoints, clock_set, killed, run, stalled},
    subject::Subject,
};

use crate::number;

fn seed() -> u64 {
    number("OSB_FAULTS_SEED", 1).into()
}

fn files() -> impl Subject {
    files::UnderTest { program: env!("CARGO_BIN_EXE_files") }
}

fn kv() -> impl Subject {
    kv::UnderTest { program: env!("CARGO_BIN_EXE_kv") }
}

#[test]
fn files_survive_random_kills() {
    let report = run(&files(), seed(), &killed(seed(), number("OSB_FAULTS_KILLS", 20)));
    println!("files, killed: {report}");
}

#[test]
fn files_survive_crashes_at_failpoints() {
    let report = run(&files(), seed(), &at_failpoints(seed(), number("OSB_FAULTS_EACH", 2)));
    println!("files, at failpoints: {report}");
}

#[test]
fn files_survive_stalls_beyond_the_lease() {
    let report = run(&files(), seed(), &stalled(seed(), number("OSB_FAULTS_STALLS", 8)));
    println!("files, stalled: {report}");
}

#[test]
fn files_survive_steps_of_the_clock() {
    let report = run(&files(), seed(), &clock_set(seed(), number("OSB_FAULTS_STEPS", 6)));
    println!("files, with steps of the clock: {report}");
}

#[test]
fn kv_survives_random_kills() {
    let report = run(&kv(), seed(), &killed(seed(), number("OSB_FAULTS_KILLS", 8)));
    println!("kv, killed: {report}");
}

#[test]
fn kv_survives_crashes_at_failpoints() {
    let report = run(&kv(), seed(), &at_failpoints(seed(), number("OSB_FAULTS_EACH", 1)));
    println!("kv, at failpoints: {report}");
}
