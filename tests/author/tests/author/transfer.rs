//! `import` and `export`, with the instances of a broker written elsewhere.

use std::{
    fs,
    io::{self, Read},
    path::Path,
    process::{Command, Stdio},
};

use osb_client::Call;
use osb_throwaway_postgres::Server;
use serde_json::{Value, json};

use crate::world::{SERVICE, SMALL, Serving, bare, fails, home, ran, shelf, succeeds, until, within};

const FIXTURE: &str = include_str!("brokerapi.jsonl");

fn lines(text: &str) -> Vec<Value> {
    let mut lines: Vec<Value> = text
        .lines()
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect();
    lines.sort_by_key(|line| (line["tenant"].as_str().map(str::to_owned), line["instance_id"].to_string()));
    lines
}

/// Returns imported lines as an export writes them: with the versions of their states.
fn exported(text: &str) -> Vec<Value> {
    fn add_version(row: &mut Value) {
        if row.get("state").is_some() {
            row["state_version"] = json!(0);
        }
    }
    let mut lines = lines(text);
    for line in &mut lines {
        add_version(line);
        line.get_mut("bindings").and_then(Value::as_array_mut).into_iter().flatten().for_each(add_version);
    }
    lines
}

fn write(home: &Path, text: &str) {
    fs::write(home.join("in.jsonl"), text).expect("the file is written");
}

/// Imports the fixture, exports it, and uses what was imported.
async fn adopt(home: &Path, store: &str) {
    write(home, FIXTURE);
    // The file that the old broker has made.
    fs::write(home.join("shelf-old"), "80").expect("the file is written");
    let keys = "8f5d1c6e0b7a49d2c3e4f5061728394a5b6c7d8e9fa0b1c2d3e4f5a6b7c8d9ea";
    let run = |args: &[&str]| ran(bare(home, args).args(["--store", store]).env("OSB_STORE_KEYS", keys));
    assert_eq!(succeeds(run(&["import", "in.jsonl", "--dry-run"])), "3 instances and 2 bindings can be imported\n");
    assert_eq!(succeeds(run(&["import", "in.jsonl"])), "imported 3 instances and 2 bindings\n");
    fails(run(&["import", "in.jsonl", "--dry-run"]), 2, "the records already have this instance");
    let out = succeeds(run(&["export"]));
    // Times are written as in responses.
    assert_eq!(lines(&out), exported(&FIXTURE.replace("00:00:00Z", "00:00:00.0Z")), "{out}");

    // Again, or with one new line: nothing.
    write(
        home,
        &format!(
            "{{\"instance_id\":\"new\",\"service_id\":\"{SERVICE}\",\"plan_id\":\"5a3c0f86-5e43-4f4a-9a69-0f3c7c6b6d04\"}}\n{FIXTURE}"
        ),
    );
    let err =
        fails(run(&["import", "in.jsonl"]), 2, "in.jsonl:2: /instance_id: the records already have this instance");
    let known = |err: &str| -> Vec<String> {
        err.lines()
            .filter_map(|line| Some(line.trim().strip_prefix("in.jsonl:")?.split(':').next()?.to_owned()))
            .collect()
    };
    assert_eq!(known(&err), ["2", "4", "5"], "in the order of the lines: {err}");
    let (_, out, _) = run(&["instances", "--json"]);
    assert!(!out.contains("\"new\""), "{out}");

    let mut serve = shelf(home, &["--store", store, "--platform", "cf-prod=/cf-prod"]);
    serve.env("OSB_STORE_KEYS", keys);
    serve.env("OSB_PLATFORM_CF_PROD_CREDENTIALS", "cf:prod");
    let mut serving = Serving::of(serve);
    let id = "0a7c5f9e-0001";
    // The platform repeats the request that the old broker has answered.
    let again = Call::provision(id, SERVICE, SMALL)
        .parameters(json!({ "width": 80, "colour": "oak" }))
        .field("organization_guid", "o".into())
        .field("space_guid", "s".into());
    assert_eq!(serving.send(&again).await.status, 200);
    let bind = Call::bind(id, "b2", SERVICE, SMALL).field("predecessor_binding_id", "b1".into());
    let bound = serving.send(&bind).await;
    assert_eq!((bound.status.as_u16(), &bound.body["credentials"]["password"]), (200, &json!("hunter3")));
    let made = serving.send(&Call::bind(id, "b3", SERVICE, SMALL)).await;
    assert_eq!((made.status.as_u16(), &made.body["credentials"]["uri"]), (201, &json!("shelf:shelf-old")));
    assert_eq!(serving.send(&Call::deprovision(id, SERVICE, SMALL)).await.status, 200);
    assert!(!home.join("shelf-old").exists(), "the handler gets the state that was imported");
    // Its binding b1 expired long ago, and b2 never does.
    until(|| fs::read_to_string(home.join("expired")).is_ok_and(|text| text == "b1\n"));
    serving.stop(home);
    let (_, out, _) = run(&["export"]);
    assert_eq!(lines(&out).len(), 2, "{out}");
    // The first of them was deleted. Its tombstone answers polls.
    let (code, _, err) = run(&["import", "in.jsonl"]);
    assert_eq!((code, known(&err)), (2, vec!["2".to_owned(), "4".to_owned(), "5".to_owned()]), "{err}");
}

#[tokio::test]
async fn instances_of_another_broker_are_adopted_in_a_file() {
    let home = home();
    adopt(home.path(), "adopted.redb").await;
}

#[tokio::test]
async fn instances_of_another_broker_are_adopted_in_a_database() {
    let Some(server) = Server::start_or_skip() else { return };
    let home = home();
    adopt(home.path(), &server.url()).await;
}

#[test]
fn every_problem_is_reported_with_line_and_pointer_and_nothing_is_imported() {
    let home = home();
    let ids = format!("\"service_id\":\"{SERVICE}\",\"plan_id\":\"{SMALL}\"");
    let good = format!(
        "{{\"instance_id\":\"good\",{ids},\"parameters\":{{\"width\":10}},\"state\":{{\"file\":\"f\",\"width\":1}}}}"
    );
    let bad = [
        "not json".to_owned(),
        "[]".to_owned(),
        format!("{{{ids}}}"),
        format!(
            "{{\"instance_id\":\"a\",\"service_id\":\"{SERVICE}\",\"plan_id\":\"x\",\"tenant\":\"a b\",\"oops\":1}}"
        ),
        format!(
            "{{\"instance_id\":\"a\",{ids},\"parameters\":{{\"width\":9,\"hue\":1}},\"state\":{{\"file\":\"secret\"}}}}"
        ),
        format!(
            "{{\"instance_id\":\"a\",{ids},\"parameters\":{{\"width\":10}},\"state\":{{\"file\":\"f\",\"width\":1}},\
             \"bindings\":[{{\"binding_id\":\"b\",\"parameters\":{{\"read_only\":3}},\"state\":{{\"reader\":\"r\"}},\
             \"credentials\":{{\"uri\":7,\"password\":\"hunter2\"}}}},\
             {{\"binding_id\":\"b\",\"state\":{{\"reader\":\"r\"}},\"metadata\":{{\"expires_at\":\"soon\"}},\
             \"syslog_drain_url\":\"syslog://x\"}},\
             {{\"binding_id\":\"c\",\"plan_id\":\"\",\"metadata\":[\"soon\"]}},\
             {{\"binding_id\":\"d\",\"plan_id\":\"x\"}}]}}"
        ),
        format!(
            "{{\"instance_id\":\"a\",\"service_id\":\"{SERVICE}\",\"plan_id\":\"5a3c0f86-5e43-4f4a-9a69-0f3c7c6b6d04\",\"parameters\":{{\"a\":1}},\"bindings\":[{{\"binding_id\":\"b\"}}],\"dashboard_url\":\"ftp://x\"}}"
        ),
        good.clone(),
    ];
    write(home.path(), &format!("{good}\n{}", bad.join("\n")));
    let (code, out, err) = ran(bare(&home, &["import", "in.jsonl"]));
    assert_eq!((code, &*out), (2, ""), "{err}");
    for problem in [
        "in.jsonl:2: can't be read as JSON: expected ident, at column 2",
        "in.jsonl:3: must be an object",
        "in.jsonl:4: /instance_id: is required",
        "in.jsonl:5: /tenant: a platform's name must consist of",
        "in.jsonl:5: /plan_id: service \"shelf\" has no plan x",
        "in.jsonl:5: /oops: unknown member",
        "in.jsonl:6: /parameters/width: ",
        "in.jsonl:6: /parameters/hue: ",
        "in.jsonl:6: /state: a state of version 0 can't be read: missing field `width`; raise STATE_VERSION and convert it in \
         migrate_state, or change the line\n",
        "in.jsonl:7: /bindings/0/parameters/read_only: ",
        "in.jsonl:7: /bindings/0/credentials/uri: ",
        "in.jsonl:7: /bindings/1/binding_id: duplicate binding id b",
        "in.jsonl:7: /bindings/1/metadata/expires_at: write a time such as ",
        "in.jsonl:7: /bindings/1/credentials: are required; write \"without_credentials\": true if they were not kept\n",
        "in.jsonl:7: /bindings/2/state: is required\n",
        "in.jsonl:7: /bindings/2/metadata: must be an object",
        "in.jsonl:7: /bindings/3/plan_id: service \"shelf\" has no plan x\n",
        "in.jsonl:7: /bindings/1/syslog_drain_url: bindings of this plan have none",
        "in.jsonl:8: /parameters: the plan takes no parameters",
        "in.jsonl:8: /bindings/0/plan_id: instances of plan \"closed\" cannot be bound",
        "in.jsonl:8: /dashboard_url: ",
        "in.jsonl:9: /instance_id: line 1 has the same instance",
    ] {
        assert!(err.contains(problem), "{problem} in\n{err}");
    }
    assert!(!err.contains("hunter2") && !err.contains("secret"), "{err}");
    assert!(!home.path().join("shelf.redb").exists());
}

#[test]
fn lines_that_are_not_utf_8_are_problems_like_others() {
    let home = home();
    fs::write(home.path().join("in.jsonl"), b"\n{\"instance_id\":\"\xff\"}\n[]\n").expect("the file is written");
    let (code, _, err) = ran(bare(&home, &["import", "in.jsonl"]));
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("in.jsonl:2: is not UTF-8\n  in.jsonl:3: must be an object"), "{err}");
}

#[test]
fn a_hundred_problems_of_standard_input_are_listed_and_the_others_counted() {
    let home = home();
    for (count, more) in [(100, None), (103, Some("and 3 more"))] {
        write(home.path(), &"[]\n".repeat(count));
        let mut command = bare(&home, &["import", "-"]);
        command.stdin(fs::File::open(home.path().join("in.jsonl")).expect("it opens"));
        let (code, _, err) = ran(command);
        let listed: Vec<&str> = err.lines().skip(1).map(str::trim).collect();
        assert_eq!((code, listed[0], listed[99]), (2, "-:1: must be an object", "-:100: must be an object"), "{err}");
        assert_eq!(listed.get(100).copied(), more, "{err}");
    }
}

#[test]
fn only_commands_with_an_admin_address_name_it() {
    let home = home();
    for (store, problem) in [("none.redb", "does not exist"), ("memory", "only in the running broker")] {
        let (code, _, err) = ran(bare(&home, &["export", "--store", store]));
        assert!(code == 2 && err.contains(problem) && !err.contains("--admin"), "{err}");
        let (code, _, err) = ran(bare(&home, &["instances", "--store", store]));
        assert!(code == 2 && err.contains(problem) && err.contains("set --admin (OSB_ADMIN_URL)"), "{err}");
    }
}

#[cfg(unix)]
#[test]
fn an_export_that_fails_leaves_the_earlier_one() {
    let home = home();
    let line = |i| {
        format!(
            "{{\"instance_id\":\"i{i}\",\"service_id\":\"{SERVICE}\",\"plan_id\":\"{SMALL}\",\
             \"parameters\":{{\"width\":80}},\"state\":{{\"file\":\"shelf-{i}\",\"width\":80}}}}\n"
        )
    };
    // More than the buffer in memory has space for, and less.
    for count in [100, 20] {
        let store = format!("{count}.redb");
        write(home.path(), &(0..count).map(line).collect::<String>());
        succeeds(ran(bare(&home, &["import", "in.jsonl", "--store", &store])));
        let export = |out: &str| ran(bare(&home, &["export", "--store", &store, "--out", out]));
        fails(export(&store), 2, ".redb is the records file");
        succeeds(export("out.jsonl"));
        let out = home.path().join("out.jsonl");
        let whole = fs::read(&out).expect("it is written");
        // A file of at most one block, as on a full disk.
        let script = "ulimit -f 1; trap '' XFSZ; exec \"$@\"";
        let whole_export = bare(&home, &["export", "--store", &store, "--out", "out.jsonl"]);
        let err = fails(ran(within(&["sh", "-c", script, "sh"], &whole_export)), 1, "cannot be written");
        assert_eq!(fs::read(&out).expect("it is still there"), whole, "{err}");
        let partial = home.path().join("out.jsonl.partial");
        assert!(!partial.exists());
        // Of another process.
        fs::write(&partial, "").expect("the file is written");
        fails(export("out.jsonl"), 1, "out.jsonl.partial exists, perhaps from a run");
        fs::remove_file(&partial).expect("it is left alone");
    }
}

#[cfg(unix)]
#[test]
fn an_export_to_a_link_replaces_its_target() {
    let home = home();
    write(home.path(), FIXTURE);
    succeeds(ran(bare(&home, &["import", "in.jsonl"])));
    fs::write(home.path().join("target"), "old").expect("the file is written");
    let link = home.path().join("link");
    std::os::unix::fs::symlink("target", &link).expect("a link");
    succeeds(ran(bare(&home, &["export", "--out", "link"])));
    assert!(fs::symlink_metadata(&link).expect("it is there").is_symlink());
    assert_eq!(lines(&fs::read_to_string(home.path().join("target")).expect("it is text")).len(), 3);
}

#[cfg(target_os = "linux")]
#[test]
fn long_commands_count_on_a_terminal() {
    let home = home();
    write(home.path(), FIXTURE);
    let keys = "8f5d1c6e0b7a49d2c3e4f5061728394a5b6c7d8e9fa0b1c2d3e4f5a6b7c8d9ea";
    for (args, counts) in [
        (&["import", "in.jsonl", "--store", "a.redb"][..], "lines checked"),
        (&["export", "--out", "out.jsonl", "--store", "a.redb"], "instances written"),
        (&["records", "copy", "--from", "a.redb", "--to", "b.redb"], "records copied"),
        (&["reseal", "--store", "a.redb"], "records encrypted"),
    ] {
        let mut command = bare(&home, args);
        command.env("OSB_STORE_KEYS", keys);
        let shown = crate::world::on_a_terminal(&command);
        assert!(shown.contains(&format!(" {counts}\r")), "{args:?}: {shown:?}");
    }
    let mut command = bare(&home, &["import", "in.jsonl", "--store", "c.redb"]);
    command.env("OSB_STORE_KEYS", keys);
    assert_eq!(ran(command).2, "", "nothing elsewhere");
}

#[tokio::test]
async fn only_ready_instances_are_exported() {
    let home = home();
    let mut serving = Serving::start(&home, &[]);
    assert_eq!(serving.provision("one").await.status, 201);
    assert_eq!(serving.provision("two").await.status, 201);
    // The handler of the deletion can't remove a directory that isn't empty.
    let shelf_at =
        |entry: fs::DirEntry| entry.file_name().to_string_lossy().starts_with("shelf-").then(|| entry.path());
    let file = fs::read_dir(home.path())
        .expect("a directory")
        .find_map(|entry| shelf_at(entry.expect("an entry")))
        .expect("a shelf");
    fs::remove_file(&file).expect("removed");
    fs::create_dir_all(file.join("x")).expect("made");
    for id in ["one", "two"] {
        serving.send(&Call::deprovision(id, SERVICE, SMALL)).await;
    }
    serving.stop(&home);
    let (code, out, err) = ran(bare(&home, &["export"]));
    assert!(code == 1 && out.is_empty() && err.contains("is in the phase delete_failed"), "{out}{err}");
    // A file from before, which others can read.
    let out_file = home.path().join("out.jsonl");
    fs::write(&out_file, "old").expect("the file is written");
    #[cfg(unix)]
    fs::set_permissions(&out_file, std::os::unix::fs::PermissionsExt::from_mode(0o644)).expect("changed");
    let (code, out, err) = ran(bare(&home, &["export", "--ready-only", "--out", "out.jsonl"]));
    assert!(
        code == 0 && out.is_empty() && err.contains("warning: left out with its bindings: instance "),
        "{out}{err}"
    );
    assert_eq!(fs::read_to_string(&out_file).expect("the file is read"), "");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(&out_file).expect("the file exists").permissions().mode();
        assert_eq!(mode & 0o077, 0, "{mode:o}");
    }
}

#[tokio::test]
async fn a_binding_that_is_not_ready_is_left_out_alone() {
    let home = home();
    let mut serving = Serving::start(&home, &[]);
    // The second one is ready.
    for id in ["one", "two"] {
        assert_eq!(serving.provision(id).await.status, 201);
    }
    for binding in ["b1", "b2"] {
        assert_eq!(serving.send(&Call::bind("one", binding, SERVICE, SMALL)).await.status, 201);
    }
    fs::write(home.path().join("jammed"), "").expect("the file is written");
    assert_eq!(serving.send(&Call::unbind("one", "b2", SERVICE, SMALL)).await.status, 500);
    serving.stop(&home);
    let (code, out, err) = ran(bare(&home, &["export"]));
    assert!(code == 1 && out.is_empty() && err.contains("binding b2 of instance one"), "{out}{err}");
    let (code, out, err) = ran(bare(&home, &["export", "--ready-only"]));
    assert!(code == 0 && err.contains("warning: left out: binding b2 of instance one"), "{err}");
    let lines = lines(&out);
    assert_eq!(lines[0]["bindings"].as_array().expect("an array").len(), 1, "{out}");
    assert_eq!(lines[0]["bindings"][0]["binding_id"], "b1", "{out}");
}

/// Platforms choose the ids, and an operator's terminal would interpret them.
#[test]
fn an_export_has_no_control_characters_and_none_that_change_the_direction() {
    let home = home();
    let id = r"i\u007f\u009b2J\u202e";
    write(
        home.path(),
        &format!(
            "{{\"instance_id\":\"{id}\",\"service_id\":\"{SERVICE}\",\"plan_id\":\"{SMALL}\",\
            \"parameters\":{{\"width\":80}},\"state\":{{\"file\":\"f\",\"width\":80}}}}\n"
        ),
    );
    succeeds(ran(bare(&home, &["import", "in.jsonl"])));
    let out = succeeds(ran(bare(&home, &["export"])));
    assert!(out.contains(id) && !out.contains(['\u{7f}', '\u{9b}', '\u{202e}']), "{out:?}");
}

#[test]
fn values_that_an_earlier_release_accepted_are_imported_as_stored() {
    let home = home();
    let binding = r#"{"binding_id":"b","state":{"reader":"r"},"credentials":{"uri":"shelf:f"}}"#;
    let line = |width: &str| {
        format!(
            "{{\"instance_id\":\"i\",\"service_id\":\"{SERVICE}\",\"plan_id\":\"{SMALL}\",\"parameters\":{{\"width\":{width},\
             \"depth\":1}},\"state\":{{\"file\":\"f\",\"width\":1}},\"bindings\":[{binding}]}}\n"
        )
    };
    write(home.path(), &line("500"));
    let (code, _, err) = ran(bare(&home, &["import", "in.jsonl"]));
    assert_eq!(code, 2, "{err}");
    for part in ["/parameters/width", "/parameters/depth", "/bindings/0/credentials/password", "pass --as-stored"] {
        assert!(err.contains(part), "{part}: {err}");
    }
    assert_eq!(
        succeeds(ran(bare(&home, &["import", "in.jsonl", "--as-stored"]))),
        "imported 1 instance and 1 binding\n"
    );
    let out = succeeds(ran(bare(&home, &["export"])));
    assert_eq!(lines(&out), exported(&line("500")));
    // The path of the file names no value.
    let folder = home.path().join("parameters");
    fs::create_dir(&folder).expect("a directory");
    fs::write(folder.join("in.jsonl"), "{}").expect("the file is written");
    let (code, _, err) = ran(bare(&home, &["import", "./parameters/in.jsonl"]));
    assert!(code == 2 && err.contains("/instance_id") && !err.contains("pass --as-stored"), "{err}");
    // The type can't read this one.
    write(home.path(), &line("\"wide\""));
    let (code, _, err) = ran(bare(&home, &["import", "in.jsonl", "--as-stored", "--store", "new.redb"]));
    assert!(code == 2 && err.contains("/parameters/width") && !err.contains("pass --as-stored"), "{err}");
}

#[cfg(unix)]
#[test]
fn commands_that_read_create_no_schema() {
    let Some(server) = Server::start_or_skip() else { return };
    let (home, store) = (home(), server.url());
    let misspelt = format!("{store}{}schema=shlef", if store.contains('?') { '&' } else { '?' });
    write(home.path(), FIXTURE);
    let missing = "the database has no records in schema \"shlef\": name the schema of the broker with `?schema=NAME`";
    for command in [
        &["export", "--store", &misspelt][..],
        &["operations", "--store", &misspelt],
        &["records", "copy", "--from", &misspelt, "--to", "copy.redb"],
    ] {
        for _ in 0..2 {
            let (code, out, err) = ran(bare(&home, command));
            assert!(code == 2 && out.is_empty() && err.contains(missing), "{command:?}: {code} {out} {err}");
        }
    }
    succeeds(ran(bare(&home, &["import", "--dry-run", "in.jsonl", "--store", &misspelt])));
    fails(ran(bare(&home, &["export", "--store", &misspelt])), 2, missing);
}

#[tokio::test]
async fn an_export_fails_if_an_instance_is_changed_meanwhile() {
    let Some(server) = Server::start_or_skip() else { return };
    let (home, store) = (home(), server.url());
    let note = "x".repeat(500);
    let line = |i| {
        format!(
            "{{\"instance_id\":\"i{i:03}\",\"service_id\":\"{SERVICE}\",\"plan_id\":\"{SMALL}\",\"context\":{{\"note\":\"{note}\"}},\
             \"parameters\":{{\"width\":80}},\"state\":{{\"file\":\"shelf-{i:03}\",\"width\":80}}}}\n"
        )
    };
    write(home.path(), &(0..300).map(line).collect::<String>());
    succeeds(ran(bare(&home, &["import", "in.jsonl", "--store", &store])));
    let serving = Serving::start(&home, &["--store", &store]);

    let made = Command::new("mkfifo").arg(home.path().join("pipe")).status();
    assert!(made.expect("there is a `mkfifo`").success());
    let mut export = bare(&home, &["export", "--out", "pipe", "--store", &store]);
    let export = export.stderr(Stdio::piped()).spawn().expect("the program starts");
    let mut pipe = fs::File::open(home.path().join("pipe")).expect("it opens");
    // The first page of records is longer than a pipe, and the last instance is on the second one.
    pipe.read_exact(&mut [0]).expect("the export has begun");
    // The handler of the deletion can't remove a directory that isn't empty.
    fs::create_dir_all(home.path().join("shelf-299/x")).expect("made");
    let answer = serving.send(&Call::deprovision("i299", SERVICE, SMALL)).await;
    assert_eq!(answer.status.as_u16(), 500, "{}", answer.body);
    io::copy(&mut pipe, &mut io::sink()).expect("read");
    let ended = export.wait_with_output().expect("it ends");
    let err = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(1), "{err}");
    assert!(err.contains("the output is incomplete") && err.contains("instance i299 is in the phase"), "{err}");
}
