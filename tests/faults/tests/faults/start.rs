//! Unusable files: a clear error, nothing lost, no half-started server.

use std::{fs, path::Path, process::Command};

use osb_faults::{
    process::{Ended, Serving},
    random::Random,
};
use redb::{Database, ReadableDatabase, TableDefinition};

use crate::home::{Home, PROGRAM, assert_there, create, create_in_the_end};

/// Asserts that the broker does not start, and that its log contains these parts. Returns the log.
#[track_caller]
fn assert_refused(command: &mut Command, parts: &[&str]) -> String {
    let Err(Ended { status, log }) = Serving::start(command) else { panic!("it starts") };
    let said = log.to_string();
    assert_eq!(status.code(), Some(1), "{said}");
    for part in parts {
        assert!(said.contains(part), "{part:?} is missing: {said}");
    }
    assert!(!said.contains("panicked"), "{said}");
    said
}

#[test]
fn a_runtime_around_the_program_is_no_obstacle() {
    let home = Home::new();
    let mut serving = Serving::start(home.command().env("FILES_RUNTIME", "multi_thread")).expect("it starts");
    assert_eq!(create(serving.at, 1).status, 201);
    assert_eq!(serving.end().code(), Some(0));
}

#[test]
fn a_single_threaded_runtime_around_the_program_is_refused() {
    let home = Home::new();
    let output = home.command().env("FILES_RUNTIME", "current_thread").output().expect("the program runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("call it from `fn main` without `#[tokio::main]`") && !said.contains("panicked"), "{said}");
    assert!(!home.records().exists());
}

#[test]
fn a_foreign_file_is_not_changed() {
    for content in [b"this is no such file".to_vec(), vec![0; 100_000], noise(100_000)] {
        let home = Home::new();
        fs::write(home.records(), &content).expect("it can be written");
        let said = ["is not a records file, or it is damaged", "restore a backup", "is set by --store (OSB_STORE)"];
        assert_refused(&mut home.command(), &said);
        assert!(content == fs::read(home.records()).expect("the file is read"), "it was changed");
    }
}

fn noise(length: u32) -> Vec<u8> {
    let mut random = Random::new(1);
    (0..length).map(|_| random.below(256).to_le_bytes()[0]).collect()
}

#[test]
fn a_truncated_file_is_refused_unless_only_free_pages_are_missing() {
    for killed in [false, true] {
        let home = Home::with_instances(20, killed);
        let whole = fs::read(home.records()).expect("the file is read");
        for part in [10, 300, 4096, whole.len() / 3, whole.len() / 2, whole.len() - 4096, whole.len() - 1] {
            fs::write(home.records(), &whole[..part]).expect("it can be written");
            // redb finds the pages in use by itself after a kill, and the last ones of the file may be free.
            if killed
                && part > whole.len() / 2
                && let Ok(serving) = Serving::start(&mut home.command())
            {
                assert_there(serving.at, 0..20);
                continue;
            }
            assert_refused(&mut home.command(), &["it is damaged"]);
        }
        fs::write(home.records(), &whole).expect("it can be written");
        assert_there(home.start().at, 0..20);
    }
}

#[test]
fn a_file_of_a_newer_release_is_refused() {
    let home = Home::with_instances(1, false);
    let about = TableDefinition::<&str, u64>::new("about");
    let set_layout = |layout: u64| {
        let database = Database::open(home.records()).expect("it can be opened");
        let transaction = database.begin_write().expect("it can be written");
        transaction.open_table(about).expect("a table").insert("layout", layout).expect("it can be written");
        transaction.commit().expect("it can be written");
    };
    let layout = {
        let database = Database::open(home.records()).expect("it can be opened");
        let about = database.begin_read().expect("the database is read").open_table(about).expect("a table");
        about.get("layout").expect("the table is read").expect("the layout is recorded").value()
    };
    set_layout(layout + 1);
    assert_refused(&mut home.command(), &["was written by a newer release", "use that release, or restore a backup"]);
    set_layout(layout);
    assert_there(home.start().at, [0]);
}

#[cfg(unix)]
#[test]
fn missing_write_permission_is_an_error() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
    let home = Home::with_instances(1, false);
    let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("it is ours");
    let as_root = home.path().metadata().expect("the folder exists").uid() == 0;
    // Root can write anywhere, so the broker runs as the user `nobody`, who owns everything.
    let restricted = |store: &Path| {
        let program = if as_root { "setpriv" } else { "env" };
        let drop: &[&str] = if as_root { &["--reuid=65534", "--regid=65534", "--clear-groups"] } else { &[] };
        let mut command = Command::new(program);
        command.args(drop).arg(PROGRAM.program).args(["serve", "--listen", "127.0.0.1:0"]).current_dir(home.path());
        command.env("OSB_USERNAME", "user").env("OSB_PASSWORD", "password").env("OSB_LOG_FORMAT", "text");
        command.arg("--store").arg(store);
        command
    };
    if as_root {
        for path in ["", "records.redb", "files", "files/calls", "files/files", "files/secrets"] {
            chown(home.path().join(path), Some(65534), Some(65534)).expect("root may");
        }
    }
    mode(&home.records(), 0o400);
    assert_refused(
        &mut restricted(&home.records()),
        &["can't be opened for writing", "needs permission to write there"],
    );
    mode(home.path(), 0o500);
    let new = home.path().join("new.redb");
    assert_refused(&mut restricted(&new), &["new.redb can't be opened for writing", "needs permission to write there"]);
    assert!(!new.exists());
    mode(&home.records(), 0o600);
    // The name of a new file can't be made durable in a folder that can't be opened.
    mode(home.path(), 0o300);
    assert_refused(&mut restricted(&new), &["new.redb can't be opened for writing", "needs permission to write there"]);
    let serving = Serving::start(&mut restricted(&home.records())).expect("it starts");
    assert_there(serving.at, [0]);
    mode(home.path(), 0o700);
}

/// Builds a command that limits the size of files, which can be raised while the process runs.
#[cfg(target_os = "linux")]
fn limited(home: &Home, kilobytes: u64) -> Command {
    let inner = home.command();
    let mut command = Command::new("bash");
    command.args(["-c", "trap '' XFSZ; ulimit -S -f \"$1\"; shift; exec \"$@\"", "bash", &kilobytes.to_string()]);
    command.arg(inner.get_program()).args(inner.get_args()).current_dir(home.path());
    for (name, value) in inner.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
}

/// Creates instances until that fails. Returns their number.
#[cfg(target_os = "linux")]
#[track_caller]
fn fill(serving: &Serving, from: u32) -> u32 {
    for number in from..5_000 {
        let answer = create(serving.at, number);
        if answer.status == 201 {
            continue;
        }
        assert!(matches!(answer.status, 500 | 503), "{answer:?}");
        let text = answer.body["description"].as_str().expect("it says something");
        assert!(text.contains("The reason is in its log") && !text.contains("redb"), "{text}");
        assert!(serving.log.comes_to_say("the record store is unavailable"), "{}", serving.log);
        return number;
    }
    panic!("the disk is never full")
}

/// Returns a broker on a full disk, and the number of its instances.
#[cfg(target_os = "linux")]
fn full() -> (Home, Serving, u32) {
    let home = Home::with_instances(2, true);
    let kilobytes = fs::metadata(home.records()).expect("the file exists").len() / 1024;
    let serving = Serving::start(&mut limited(&home, kilobytes + 64)).expect("it starts");
    let made = fill(&serving, 2);
    assert!(made > 2);
    assert_there(serving.at, 0..made);
    (home, serving, made)
}

#[cfg(target_os = "linux")]
#[test]
fn a_broker_recovers_when_a_full_disk_has_space() {
    let (home, serving, made) = full();
    let status = Command::new("prlimit").args(["--pid", &serving.id().to_string(), "--fsize=unlimited:"]).status();
    assert!(status.expect("util-linux is there").success());
    create_in_the_end(&serving, made);
    assert_there(serving.at, 0..=made);
    drop(serving);
    assert_there(home.start().at, 0..=made);
}

#[cfg(target_os = "linux")]
#[test]
fn a_kill_on_a_full_disk_loses_nothing() {
    let (home, mut serving, made) = full();
    serving.kill();
    let serving = home.start();
    assert_there(serving.at, 0..made);
    create_in_the_end(&serving, made);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_at_the_start_is_an_error() {
    let home = Home::new();
    let said = assert_refused(&mut limited(&home, 1), &["records.redb can't be opened"]);
    assert!(said.contains("File too large"), "{said}");
    // The unfinished start is no obstacle once there is space.
    let serving = home.start();
    assert_eq!(create(serving.at, 1).status, 201);
}
