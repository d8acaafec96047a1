//! The commands for operators, on bindings, on platforms behind prefixes, and on more records than a page has.

use std::{collections::BTreeSet, fs, path::Path};

use osb_client::Call;
use osb_runtime::store::{Key, Record, Store as _};
use osb_store::Redb;
use serde_json::{Value, json};

use crate::world::{SERVICE, SMALL, Serving, bare, fails, home, home_with, operate, ran, shelf, succeeds};

/// Starts the program with a platform behind a prefix, and with an address for operators.
fn serve(home: &Path) -> Serving {
    let args = ["--admin-listen", "127.0.0.1:0", "--platform", "cf=/cf"];
    let mut command = shelf(home, &args);
    command.env("OSB_PLATFORM_CF_CREDENTIALS", "cf:prod").env("OSB_ADMIN_CREDENTIALS", "operator:secret");
    Serving::of(command)
}

#[tokio::test]
async fn actions_find_the_binding_and_the_platform_that_they_name() {
    // With characters that have a meaning in URLs.
    const INSTANCE: &str = "a?b";
    const BINDING: &str = "c/d";
    let home = home();
    let mut serving = serve(home.path());
    let cf = serving.client().prefix("/cf").basic("cf", "prod");
    let send = async |call: Call| cf.send(&call).await.expect("an answer").status.as_u16();
    let create = Call::provision(INSTANCE, SERVICE, SMALL).parameters(json!({ "width": 80 }));
    assert_eq!(send(create).await, 201);
    let fail_to_unbind = async || {
        assert_eq!(send(Call::bind(INSTANCE, BINDING, SERVICE, SMALL)).await, 201);
        fs::write(home.path().join("jammed"), "").expect("the file is written");
        assert_eq!(send(Call::unbind(INSTANCE, BINDING, SERVICE, SMALL)).await, 500);
    };
    fail_to_unbind().await;

    let run = |args: &[&str]| operate(&home, &serving, args);
    let retry = ["retry", INSTANCE, "--binding", BINDING, "--yes", "--tenant", "cf"];
    let unknown = fails(run(&retry[..5]), 1, "no such instance or binding");
    assert!(!unknown.contains("OSB_ADMIN_URL"), "it has reached the admin address: {unknown}");
    fails(run(&retry), 1, "error: 500 ");
    fs::remove_file(home.path().join("jammed")).expect("the file is removed");
    assert_eq!(succeeds(run(&retry)), "retry: done\n");
    assert_eq!(run(&["bindings"]).1, "No bindings found.\n");
    assert!(run(&["instances", "--search", "a?b"]).1.contains(INSTANCE));
    assert_eq!(run(&["instances", "--search", "other"]).1, "No instances found.\n");
    assert_eq!(run(&["instances", "--tenant", "other"]).1, "No instances found.\n");
    // The broker may be of another release.
    assert_eq!(succeeds(run(&["instances", "--service", "other"])), "No instances found.\n");
    assert_eq!(succeeds(run(&["bindings", "other"])), "No bindings found.\n");
    let (code, out, err) = run(&["instances", "other", "--json"]);
    assert_eq!((code, &*out), (1, ""), "{err}");
    assert!(err.contains("no such instance was found: \"other\"") && err.contains("--phase gone"), "{err}");

    let (code, _, err) = run(&["instances", "--admin-credentials", "user:password"]);
    assert!(
        code == 1 && err.contains("401") && err.contains("set OSB_ADMIN_CREDENTIALS to those of an operator"),
        "{err}"
    );

    fail_to_unbind().await;
    serving.stop(&home);
    let run = |args: &[&str]| ran(shelf(&home, args));
    let abandon = ["abandon", INSTANCE, "--binding", BINDING, "--yes", "--tenant", "cf"];
    fails(run(&abandon[..5]), 1, "no such instance or binding");
    assert_eq!(succeeds(run(&abandon)), "abandon: done\n");
    assert_eq!(run(&["bindings"]).1, "No bindings found.\n");
    let (_, out, err) = run(&["instances", "--json"]);
    let left: Value = serde_json::from_str(&out).expect("it is JSON");
    assert_eq!((&left[0]["instance_id"], &left[0]["phase"]), (&json!(INSTANCE), &json!("ready")), "{out}{err}");
    assert_eq!(succeeds(run(&["purge", INSTANCE, "--yes", "--tenant", "cf"])), "purge: done\n");
}

/// The command asks for pages of 1000. The second one begins within the bindings of an instance.
#[tokio::test]
async fn a_list_of_a_running_broker_has_all_pages() {
    let home = home();
    let state = json!({ "reader": "r" });
    let binding = |i| json!({ "binding_id": format!("b{i}"), "state": state, "without_credentials": true });
    let line = |tenant: &str, i: u32, bindings: Vec<Value>| {
        let line = json!({
            "tenant": tenant, "instance_id": format!("i{i:04}"), "service_id": SERVICE, "plan_id": SMALL,
            "parameters": { "width": 80 }, "state": { "file": "f", "width": 80 }, "bindings": bindings,
        });
        line.to_string() + "\n"
    };
    let instances = (1..1000).map(|i| line("cf", i, Vec::new())).collect::<String>();
    let lines = [line("cf", 0, (0..1100).map(binding).collect()), instances, line("other", 0, Vec::new())];
    fs::write(home.path().join("in.jsonl"), lines.concat()).expect("written");
    succeeds(ran(bare(&home, &["import", "in.jsonl"])));
    let serving = serve(home.path());
    let out = succeeds(operate(&home, &serving, &["operations", "--json", "--tenant", "cf"]));
    let rows: Vec<Value> = serde_json::from_str(&out).expect("it is JSON");
    let different: BTreeSet<_> =
        rows.iter().map(|row| (&row["instance_id"], &row["binding_id"])).map(|it| format!("{it:?}")).collect();
    assert_eq!((rows.len(), different.len()), (2100, 2100));
}

/// The name is that of a user, who could write the lines after it.
#[test]
fn the_instance_of_each_platform_is_shown_with_its_name_on_one_line() {
    let home = home();
    let line = |tenant: &str| {
        let context = json!({ "platform": "cloudfoundry", "instance_name": "one\nphase: gone" });
        let line = json!({
            "tenant": tenant, "instance_id": "one", "service_id": SERVICE, "plan_id": SMALL,
            "parameters": { "width": 80 }, "state": { "file": "f", "width": 80 }, "context": context,
        });
        line.to_string() + "\n"
    };
    fs::write(home.path().join("in.jsonl"), ["", "cf"].map(line).concat()).expect("written");
    succeeds(ran(bare(&home, &["import", "in.jsonl"])));
    let shown = succeeds(ran(shelf(&home, &["instances", "one"])));
    assert_eq!(shown.matches("instance_name: one phase: gone\n").count(), 2, "{shown}");
}

/// An alert tells that an operation hangs, and the list has to tell which one.
#[tokio::test]
async fn the_list_of_operations_shows_when_each_one_began() {
    let home = home_with(&["one"]).await;
    let run = |args: &[&str]| succeeds(ran(shelf(&home, args)));
    let rows: Value = serde_json::from_str(&run(&["operations", "--json"])).expect("it is JSON");
    let began = rows[0]["began_at"].as_str().expect("a time");
    assert_eq!(run(&["operations", "--state", "in-progress"]), run(&["operations", "--state", "in progress"]));
    let table = run(&["operations"]);
    let row = format!("-       one       -        provision  succeeded  {began}  1        -\n");
    assert!(
        table.starts_with("TENANT  INSTANCE  BINDING  ACTION     STATE      BEGAN ") && table.contains(&row),
        "{table}"
    );
}

/// An operator may be about to repair them.
#[tokio::test]
async fn states_that_cannot_be_decoded_are_no_obstacle_to_commands_on_a_stopped_broker() {
    let home = home_with(&["one", "two"]).await;
    let store = Redb::open(home.path().join("shelf.redb"), None).expect("it opens");
    let damage = |record: &Record| {
        let mut bytes = Vec::new();
        record.write(&mut bytes).expect("it can be written");
        let text = String::from_utf8(bytes).expect("JSON").replace("\"file\":", "\"path\":");
        Record::read(text.as_bytes()).expect("it is a record")
    };
    let two = Key { tenant: "".parse().expect("a tenant"), instance: "two".into(), binding: None };
    let change = &mut |records: &mut [Option<Record>]| records[0] = records[0].as_ref().map(damage);
    store.transact(&[two], change).await.expect("it is written");
    store.close().await.expect("it can be closed");
    drop(store);

    fails(ran(shelf(&home, &[])), 2, "can't be decoded");
    let run = |args: &[&str]| ran(shelf(&home, args));
    fails(ran(bare(&home, &["records", "check"])), 1, "the state of 1 instance of plan \"small\" of service");
    assert_eq!(succeeds(run(&["purge", "one", "--yes"])), "purge: done\n");
    fails(run(&["purge", "two", "--yes"]), 1, "error: 500 ");
    assert_eq!(succeeds(run(&["abandon", "two", "--yes"])), "abandon: done\n");
}
