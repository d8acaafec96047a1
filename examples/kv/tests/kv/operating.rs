//! Tests the commands for operators on a running and on a stopped broker.

use std::{
    path::Path,
    process::{Command, Output, Stdio},
};

use tempfile::tempdir;

use crate::program::{Serving, program};

/// Builds a command of the program that runs in a broker's directory.
fn run(home: &Path, args: &str) -> Output {
    let serve = program(home, &[]);
    let mut command = Command::new(serve.get_program());
    command.current_dir(home).args(args.split_whitespace()).env("KV_DATA_LISTEN", "127.0.0.1:0").stdin(Stdio::null());
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("OSB_") {
            command.env_remove(name);
        }
    }
    command.env("OSB_ADMIN_CREDENTIALS", "operator:secret").env("OSB_CLIENT_USERNAME", "user");
    command.env("OSB_CLIENT_PASSWORD", "password").output().expect("the program runs")
}

#[track_caller]
fn good(home: &Path, args: &str) -> String {
    let output = run(home, args);
    assert!(output.status.success(), "{args}: {output:?}");
    String::from_utf8(output.stdout).expect("it is text")
}

#[track_caller]
fn bad(home: &Path, args: &str, code: i32, says: &str) {
    let output = run(home, args);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{args}: {said}");
    assert!(said.contains(says), "{args}: {said}");
}

/// Starts the broker with an address for operators.
fn start(home: &Path, more: &[&str]) -> Serving {
    let args = ["--data-listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"];
    let mut command = program(home, &[&args, more].concat());
    command.env("OSB_ADMIN_CREDENTIALS", "operator:secret");
    Serving::of(command)
}

fn has_line(table: &str, words: &[&str]) -> bool {
    table.lines().any(|line| words.iter().all(|word| line.split_whitespace().any(|cell| cell == *word)))
}

#[test]
fn the_client_uses_the_plan_of_an_instance_that_the_catalog_hides() {
    let home = tempdir().expect("a temporary folder is created");
    let home = home.path();
    let running = start(home, &[]);
    for id in ["one", "two"] {
        good(home, &format!("client provision kv free {id} --url {}", running.broker));
    }
    running.end();

    std::fs::write(home.join("hide.toml"), "services.kv.plans.free.hidden = true\n").expect("the file is written");
    let running = start(home, &["--catalog-overrides", "hide.toml"]);
    let broker = format!("--url {}", running.broker);
    let plan = |id: &str| {
        let fetched = good(home, &format!("client fetch {id} {broker}"));
        serde_json::from_str::<serde_json::Value>(&fetched).expect("it is JSON")["plan_id"].clone()
    };
    let free = plan("one");
    good(home, &format!("client update one --parameters {{\"ttl\":70}} {broker}"));
    assert_eq!(plan("one"), free, "an update without --plan keeps the plan");
    good(home, &format!("client update two --plan pro {broker}"));
    assert_ne!(plan("two"), free);
    good(home, &format!("client bind one b {broker}"));
    good(home, &format!("client unbind one b {broker}"));
    assert_eq!(good(home, &format!("client deprovision one {broker}")), "instance one deleted\n");
}

#[test]
fn instances_are_listed_and_purged_on_a_running_and_on_a_stopped_broker() {
    let home = tempdir().expect("a temporary folder is created");
    let home = home.path();
    let running = start(home, &[]);
    let (broker, admin) = (format!("--url {}", running.broker), format!("--admin {}", running.admin()));
    for id in ["one", "two"] {
        good(home, &format!("client provision kv free {id} {broker}"));
    }
    good(home, &format!("client bind one b {broker}"));

    let list = good(home, &format!("instances {admin}"));
    assert!(has_line(&list, &["one", "kv", "free", "ready"]) && has_line(&list, &["two"]), "{list}");
    assert!(has_line(&good(home, &format!("bindings {admin}")), &["one", "b", "ready"]));
    assert!(has_line(&good(home, &format!("operations {admin} --state succeeded")), &["two", "provision", "1"]));
    let json: serde_json::Value =
        serde_json::from_str(&good(home, &format!("instances two --json {admin}"))).expect("it is JSON");
    assert_eq!(json[0]["phase"], "ready");
    let shown = good(home, &format!("instances two {admin}"));
    assert!(shown.contains("plan: free\n") && shown.contains("operation:\n  operation: "), "{shown}");
    assert_eq!(good(home, &format!("instances --phase gone {admin}")), "No instances found.\n");
    bad(home, &format!("instances --phase bogus {admin}"), 2, "[possible values: creating, ready, ");
    bad(home, &format!("operations --state fail {admin}"), 2, "[possible values: in-progress, succeeded, failed]");

    bad(home, "instances", 1, "if the broker is running, set --admin");
    bad(home, &format!("purge two {admin}"), 2, "there is no terminal to confirm at; pass --yes");
    bad(home, &format!("retry two --yes {admin}"), 1, "Only a failed deletion or rollback");
    bad(home, &format!("purge three --yes {admin}"), 1, "no such instance or binding");
    assert_eq!(good(home, &format!("purge two --yes {admin}")), "purge: done\n");
    assert!(has_line(&good(home, &format!("instances --phase gone {admin}")), &["two"]));
    running.end();

    assert!(has_line(&good(home, "instances"), &["one", "ready"]));
    assert!(has_line(&good(home, "bindings"), &["one", "b"]));
    bad(home, "abandon one --yes", 1, "Only a failed deletion or rollback");
    assert_eq!(good(home, "purge one --yes"), "purge: done\n");
    assert_eq!(good(home, "instances"), "No instances found.\n");
    bad(home, "instances --store other.redb", 2, "the records file other.redb does not exist");
    assert!(!home.join("other.redb").exists());

    let running = start(home, &[]);
    let stores = good(home, &format!("instances --admin {}", running.admin()));
    assert_eq!(stores, "No instances found.\n");
}

#[test]
fn an_operation_is_cancelled_on_a_running_and_on_a_stopped_broker() {
    let home = tempdir().expect("a temporary folder is created");
    let home = home.path();
    let running = start(home, &["--lease", "300ms", "--cancel-grace", "10ms"]);
    let entries: String = (0..100_000).map(|number| format!("{{\"key\":\"{number}\",\"value\":\"\"}}\n")).collect();
    std::fs::write(home.join("kv-data/import/many.jsonl"), entries).expect("the file is written");
    for id in ["one", "two"] {
        let fill = "--parameters {\"fill\":\"many.jsonl\"} --no-wait";
        good(home, &format!("client provision kv pro {id} {fill} --url {}", running.broker));
    }
    let gone = |running: &Serving, id| {
        let list = format!("instances --phase gone --admin {}", running.admin());
        while !has_line(&good(home, &list), &[id]) {}
    };
    let cancelled = good(home, &format!("cancel one --yes --admin {}", running.admin()));
    assert_eq!(cancelled, "cancel: started; `operations` shows its progress\n");
    gone(&running, "one");
    // Kills the process.
    drop(running);

    assert_eq!(good(home, "cancel two --yes"), "cancel: the operation fails when the broker starts\n");
    bad(home, "cancel one --yes", 1, "no such instance or binding");
    gone(&start(home, &[]), "two");
}

#[test]
fn operators_need_separate_credentials() {
    let home = tempdir().expect("a temporary folder is created");
    let home = home.path();
    let output = program(home, &["--admin-listen", "127.0.0.1:0", "--data-listen", "127.0.0.1:0"]).output();
    let output = output.expect("the program runs");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("set OSB_ADMIN_CREDENTIALS"), "{output:?}");

    let mut shared = program(home, &["--admin-listen", "127.0.0.1:0", "--data-listen", "127.0.0.1:0"]);
    shared.env("OSB_CREDENTIALS", "operator:secret").env("OSB_ADMIN_CREDENTIALS", "other:pass operator:secret");
    let output = shared.output().expect("the program runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("are also those of a platform") && !said.contains("secret"), "{said}");

    let running = start(home, &[]);
    bad(home, &format!("instances --admin {} --admin-credentials user:password", running.admin()), 1, "401");
    bad(home, &format!("instances --admin {} --admin-credentials half", running.admin()), 2, "write USER:PASSWORD");
    bad(home, &format!("instances --admin {}", running.broker), 1, "401");
}
