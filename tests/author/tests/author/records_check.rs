//! `records check`: whether a release can serve all records.

use std::{fs, path::Path};

use osb_throwaway_postgres::Server;
use serde_json::json;

use crate::world::{SERVICE, SMALL, bare, fails, home, ran, shelf, succeeds};

const KEY: &str = "8f5d1c6e0b7a49d2c3e4f5061728394a5b6c7d8e9fa0b1c2d3e4f5a6b7c8d9ea";

/// Runs a command on the records in a store.
fn run(home: &Path, args: &[&str], store: &str) -> (i32, String, String) {
    ran(bare(home, args).args(["--store", store]).env("OSB_STORE_KEYS", KEY))
}

/// Imports 13 instances, each with a binding.
fn fill(home: &Path, store: &str) {
    let line = |number: u32| {
        let line = json!({
            "instance_id": format!("i{number:02}"), "service_id": SERVICE, "plan_id": SMALL, "parameters": { "width": 80 },
            "state": { "file": "f", "width": 80 },
            "bindings": [{ "binding_id": "b", "state": { "reader": "r" }, "without_credentials": true }],
        });
        format!("{line}\n")
    };
    fs::write(home.join("in.jsonl"), (0..13).map(line).collect::<String>()).expect("it is written");
    succeeds(run(home, &["import", "in.jsonl"], store));
}

#[test]
fn a_good_backup_has_all_records() {
    let home = home();
    fill(home.path(), "shelf.redb");
    fs::copy(home.path().join("shelf.redb"), home.path().join("backup.redb")).expect("it is copied");
    succeeds(ran(shelf(&home, &["purge", "i00", "--yes"]).env("OSB_STORE_KEYS", KEY)));
    assert_eq!(
        succeeds(run(home.path(), &["records", "check"], "shelf.redb")),
        "12 instances, 12 bindings and 2 tombstones in shelf.redb: this release can serve them\n"
    );
    assert_eq!(
        succeeds(run(home.path(), &["records", "check"], "backup.redb")),
        "13 instances, 13 bindings and 0 tombstones in backup.redb: this release can serve them\n"
    );
}

#[test]
fn damaged_records_are_listed_with_their_ids() {
    let (home, Some(server)) = (home(), Server::start_or_skip()) else { return };
    fill(home.path(), &server.url());
    server.sql("update shelf.records set record = record || '\\x00' where not is_binding");
    let said = fails(run(home.path(), &["records", "check"], &server.url()), 1, "this release can't serve them");
    assert!(said.contains("error: 0 instances, 13 bindings and 0 tombstones in the database: "), "{said}");
    assert!(said.contains("\n  instance i00 can't be read: ") && said.contains("\n  instance i09 can't"), "{said}");
    assert!(!said.contains("instance i10") && said.ends_with("\n  3 more records can't be read\n"), "{said}");
}
