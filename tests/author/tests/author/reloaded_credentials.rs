//! Credentials in files, which are replaced while the broker runs (AUTH-05, T69).

use std::{
    fs,
    io::Write as _,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use crate::world::{Serving, home, logged, operate, shelf, succeeds, until, within};

/// Returns the status for the catalog at a path, with a pair in Base64.
fn asked(serving: &Serving, prefix: &str, pair: &str) -> u16 {
    let headers = format!("X-Broker-API-Version: 2.17\r\nAuthorization: Basic {pair}\r\n");
    serving.get(&format!("{prefix}/v2/catalog"), &headers).0
}

const CF_OLD: &str = "Y2Y6b2xk";
const CF_NEW: &str = "Y2Y6bmV3";
const K8S_OLD: &str = "azhzOm9sZA==";
const K8S_NEW: &str = "azhzOm5ldw==";
const OF_THE_ENVIRONMENT: &str = "dXNlcjpwYXNzd29yZA==";

#[test]
fn credentials_in_files_are_replaced_without_a_restart() {
    let home = home();
    let write = |file: &str, text: &str| fs::write(home.path().join(file), text).expect("the file is written");
    write("cf", "cf:old\n");
    write("k8s", "k8s:old\n");
    let mut command = shelf(&home, &["--store", "memory", "--credentials-file", "cf", "--platform", "k8s=/k8s"]);
    command.env("OSB_PLATFORM_K8S_CREDENTIALS_FILE", "k8s");
    let serving = Serving::logging(command, home.path());
    let statuses = || {
        [("", CF_OLD), ("", CF_NEW), ("", OF_THE_ENVIRONMENT), ("/k8s", K8S_OLD), ("/k8s", K8S_NEW)]
            .map(|(prefix, pair)| asked(&serving, prefix, pair))
    };
    assert_eq!(statuses(), [200, 401, 200, 200, 401]);
    write("cf", "cf:old\ncf:new\n");
    write("k8s", "k8s:new\n");
    serving.hang_up();
    until(|| logged(home.path(), "reloaded the credentials").len() == 1);
    assert_eq!(statuses(), [200, 200, 200, 401, 200]);

    // The old ones stay in use until all files are valid.
    write("cf", "cf:new");
    let failed = || logged(home.path(), "reloading the credentials failed; the old ones stay in use");
    for (number, (text, said)) in [
        ("k8s-new", "pair 1 of OSB_PLATFORM_K8S_CREDENTIALS has no colon"),
        ("", "platform `k8s` has no credentials"),
        ("cf:new", "platform `k8s`: its credentials are also those of the platform without a prefix"),
    ]
    .into_iter()
    .enumerate()
    {
        write("k8s", text);
        serving.hang_up();
        until(|| failed().len() > number);
        let line = &failed()[number];
        assert!(line["level"] == "ERROR" && line["error"].as_str().is_some_and(|why| why.contains(said)), "{line}");
        assert_eq!(statuses(), [200, 200, 200, 401, 200]);
    }
    // As of a mount without its contents.
    fs::remove_file(home.path().join("k8s")).expect("the file is removed");
    fs::create_dir(home.path().join("k8s")).expect("a directory");
    serving.hang_up();
    until(|| failed().len() == 4);
    fs::remove_dir(home.path().join("k8s")).expect("the directory is removed");
    write("k8s", "k8s:new");
    serving.hang_up();
    until(|| logged(home.path(), "reloaded the credentials").len() == 2);
    assert_eq!(statuses(), [401, 200, 200, 401, 200]);

    // Each file alone, with the contents that it had at first.
    for (file, text, times, expected) in
        [("k8s", "k8s:old\n", 3, [401, 200, 200, 200, 401]), ("cf", "cf:old\n", 4, [200, 401, 200, 200, 401])]
    {
        write(file, text);
        serving.hang_up();
        until(|| logged(home.path(), "reloaded the credentials").len() == times);
        assert_eq!(statuses(), expected, "{file}");
    }
    let log = fs::read_to_string(home.path().join("log")).expect("the log");
    assert!(!["cf:new", "k8s-new", "k8s:new"].iter().any(|secret| log.contains(secret)), "{log}");
}

/// Those of the platform are generated, and stay as they are.
#[test]
fn credentials_of_operators_in_a_file_are_replaced_without_a_restart() {
    let home = home();
    let write = |text: &str| fs::write(home.path().join("operators"), text).expect("the file is written");
    write("operator:old");
    let mut command = shelf(&home, &["--store", "memory", "--admin-listen", "127.0.0.1:0"]);
    command.env("OSB_ADMIN_CREDENTIALS_FILE", "operators").env_remove("OSB_USERNAME").env_remove("OSB_PASSWORD");
    let serving = Serving::of(command);
    let listed = || operate(&home, &serving, &["instances"]);
    assert_eq!(listed().0, 1, "its password is another one");
    write("operator:secret");
    serving.hang_up();
    until(|| listed().0 == 0);
    assert_eq!(succeeds(listed()), "No instances found.\n");
}

fn make_pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().expect("there is `mkfifo`").success());
}

/// A pipe, as of `--bearer-tokens-file <(...)`, has its contents once.
#[test]
fn credentials_in_a_pipe_are_read_once() {
    let home = home();
    let pipe = home.path().join("tokens");
    make_pipe(&pipe);
    fs::write(home.path().join("cf"), "cf:old").expect("the file is written");
    let writer = std::thread::spawn(move || fs::write(pipe, "a-token").expect("it is written"));
    let files = ["--credentials-file", "cf", "--bearer-tokens-file", "tokens"];
    let command = shelf(&home, &[&["--store", "memory"][..], &files].concat());
    let mut serving = Serving::logging(command, home.path());
    writer.join().expect("the broker has read it");
    for times in 1..=2 {
        serving.hang_up();
        for said in [
            "received SIGHUP: certificates and credentials in files are reloaded; other settings need a restart",
            "credentials can't be reloaded, because one of their files is a pipe",
        ] {
            until(|| logged(home.path(), said).len() == times);
        }
    }
    assert_eq!(asked(&serving, "", CF_OLD), 200);
    serving.terminate();
    assert_eq!(serving.ended(), 0);
}

/// The pipe with the keys of the records lets the test hold up the start.
#[test]
fn credentials_that_are_replaced_during_the_start_are_reloaded() {
    let home = home();
    let [pipe, pid, credentials] = ["keys", "pid", "cf"].map(|name| home.path().join(name));
    make_pipe(&pipe);
    fs::write(&credentials, "cf:old").expect("the file is written");
    let during_the_start = std::thread::spawn(move || {
        let mut writing = fs::File::create(pipe).expect("the broker opens it");
        fs::write(credentials, "cf:new").expect("the file is written");
        let pid = fs::read_to_string(pid).expect("it is written");
        assert!(Command::new("kill").args(["-HUP", pid.trim()]).status().expect("there is `kill`").success());
        writing.write_all("8f5d1c6e0b7a49d2c3e4f5061728394a".repeat(2).as_bytes()).expect("it reads them");
    });
    let args = ["--store", "records.redb", "--store-keys-file", "keys", "--credentials-file", "cf"];
    let command = within(&["sh", "-c", "echo $$ > pid; exec \"$@\"", "sh"], &shelf(&home, &args));
    let serving = Serving::logging(command, home.path());
    let began = Instant::now();
    during_the_start.join().expect("the start has been held up");
    until(|| asked(&serving, "", CF_NEW) == 200);
    assert!(began.elapsed() < Duration::from_secs(50), "they would be reloaded after a minute anyway");
}
