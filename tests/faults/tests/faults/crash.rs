//! Kills brokers at random moments and at each failpoint, and restarts them.
//!
//! `OSB_FAULTS_SEED` determines the sequence of events, `OSB_FAULTS_KILLS` the number of random kills of each broker,
//! `OSB_FAULTS_STALLS` that of stalls, `OSB_FAULTS_STEPS` that of steps of the clock.

use osb_faults::{
    files, kv,
    run::{Crash, at_failpoints, clock_set, killed, run, stalled},
    subject::Subject,
};

use crate::number;

fn files() -> impl Subject {
    files::UnderTest { program: env!("CARGO_BIN_EXE_files") }
}

fn kv() -> impl Subject {
    kv::UnderTest { program: env!("CARGO_BIN_EXE_kv") }
}

/// Runs crashes of a broker, whose number is in a variable.
fn survives(subject: &impl Subject, crashes: fn(u64, u32) -> Vec<Crash>, variable: &str, default: u32) {
    let seed = number("OSB_FAULTS_SEED", 1).into();
    println!("{}", run(subject, seed, &crashes(seed, number(variable, default))));
}

#[test]
fn files_survive_random_kills() {
    survives(&files(), killed, "OSB_FAULTS_KILLS", 20);
}

#[test]
fn files_survive_crashes_at_failpoints() {
    survives(&files(), at_failpoints, "OSB_FAULTS_EACH", 2);
}

#[test]
fn files_survive_stalls_beyond_the_lease() {
    survives(&files(), stalled, "OSB_FAULTS_STALLS", 8);
}

#[test]
fn files_survive_steps_of_the_clock() {
    survives(&files(), clock_set, "OSB_FAULTS_STEPS", 6);
}

#[test]
fn kv_survives_random_kills() {
    survives(&kv(), killed, "OSB_FAULTS_KILLS", 8);
}

#[test]
fn kv_survives_crashes_at_failpoints() {
    survives(&kv(), at_failpoints, "OSB_FAULTS_EACH", 1);
}
