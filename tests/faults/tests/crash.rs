//! Brokers that are killed, at random moments and at each place where something is written, and started again.
//!
//! `OSB_FAULTS_SEED` chooses what happens, `OSB_FAULTS_KILLS` how often each broker is killed at random.

use osb_faults::{
    files, kv,
    run::{at_failpoints, killed, run},
    subject::Subject,
};

fn number(name: &str, default: u32) -> u32 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name} is not a number")))
}

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
fn nothing_is_lost_when_the_process_is_killed_at_any_moment() {
    let report = run(&files(), seed(), &killed(seed(), number("OSB_FAULTS_KILLS", 20)));
    println!("files, killed: {report}");
}

#[test]
fn nothing_is_lost_when_the_process_dies_at_any_place_where_something_is_written() {
    let report = run(&files(), seed(), &at_failpoints(seed(), number("OSB_FAULTS_EACH", 2)));
    println!("files, at failpoints: {report}");
}

#[test]
fn the_key_value_service_loses_nothing_when_it_is_killed() {
    let report = run(&kv(), seed(), &killed(seed(), number("OSB_FAULTS_KILLS", 8)));
    println!("kv, killed: {report}");
}

#[test]
fn the_key_value_service_loses_nothing_when_it_dies_where_something_is_written() {
    let report = run(&kv(), seed(), &at_failpoints(seed(), number("OSB_FAULTS_EACH", 1)));
    println!("kv, at failpoints: {report}");
}
