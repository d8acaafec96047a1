//! Starts that fail or are interrupted while the records of a database are read.

#[cfg(target_os = "linux")]
use std::net::TcpListener;
use std::{fs, path::Path};

use osb_throwaway_postgres::Server;

use crate::world::{SERVICE, SMALL, Serving, bare, fails, home, ran, shelf, succeeds, until};

/// Makes an instance, so that there is something to read. The start reads its column `record` first after connecting.
fn adopt_one(home: &Path, store: &str) {
    let line = format!(
        "{{\"instance_id\":\"a\",\"service_id\":\"{SERVICE}\",\"plan_id\":\"{SMALL}\",\"parameters\":{{\"width\":80}},\
         \"state\":{{\"file\":\"f\",\"width\":80}}}}"
    );
    fs::write(home.join("in.jsonl"), line).expect("the file is written");
    succeeds(ran(bare(home, &["import", "in.jsonl", "--store", store])));
}

#[test]
fn a_start_whose_records_cannot_be_read_is_worth_another() {
    let (Some(server), home) = (Server::start_or_skip(), home()) else { return };
    adopt_one(home.path(), &server.url());
    server.sql("alter table shelf.records rename column record to away");
    fails(ran(shelf(&home, &["--store", &server.url()])), 1, "the records can't be read");
}

#[test]
fn only_a_start_that_changes_the_tables_says_so() {
    let (Some(server), home) = (Server::start_or_skip(), home()) else { return };
    for is_first in [true, false] {
        let serving = Serving::of(shelf(&home, &["--store", &server.url()]));
        assert_eq!(serving.banner.contains("brought the tables"), is_first, "{}", serving.banner);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_ends_a_start_that_waits_for_the_records() {
    let (Some(server), home) = (Server::start_or_skip(), home()) else { return };
    adopt_one(home.path(), &server.url());
    server.sql("alter table shelf.records rename to slow");
    // As it is declared stable, the database calls it only for queries that read the column.
    server.sql(
        "create function shelf.sleeps() returns boolean language plpgsql stable as \
         $$begin perform pg_sleep(3600); return true; end$$",
    );
    server.sql(
        "create view shelf.records as select key, case when shelf.sleeps() then record end as record, sealed_with, due, \
         forget_at, service_id, plan_ids, is_binding from shelf.slow",
    );
    let serving = Serving::begin(shelf(&home, &["--store", &server.url()]));
    until(|| server.sql("select count(*) from pg_stat_activity where wait_event = 'PgSleep'").trim() == "1");
    end(serving);
}

/// A name server can be unavailable for a time, as after a boot.
#[test]
fn a_start_at_a_host_that_cannot_be_resolved_is_worth_another() {
    let home = home();
    fails(ran(shelf(&home, &["--listen", "host.invalid:8080"])), 1, "the address host.invalid:8080 can't be resolved");
}

/// Sends SIGTERM to a program as soon as it handles the signal, and waits for its end.
#[cfg(target_os = "linux")]
fn end(mut serving: Serving) {
    // SIGTERM is bit 14 of the signals that the process handles.
    until(|| {
        let status = fs::read_to_string(format!("/proc/{}/status", serving.child.id())).expect("the process runs");
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).expect("a mask").trim();
        u64::from_str_radix(mask, 16).expect("hexadecimal") & (1 << 14) != 0
    });
    serving.terminate();
    assert_eq!(serving.ended(), 0);
}

/// The first process of a container ignores signals that it doesn't handle: it would serve, and be killed in the end.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_ends_a_start_whose_database_is_silent() {
    let (silent, home) = (TcpListener::bind("127.0.0.1:0").expect("a port"), home());
    let at = silent.local_addr().expect("an address");
    let store = format!("postgres://user:password@{at}/db?connect_timeout=600");
    let serving = Serving::begin(shelf(&home, &["--store", &store]));
    let connected = silent.accept().expect("it connects");
    end(serving);
    drop(connected);
}
