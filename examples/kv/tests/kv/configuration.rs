//! Tests settings on the command line, in the environment and in a file, and the JSON log.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Command, Stdio},
};

use serde_json::Value;
use tempfile::tempdir;

use crate::{program::program, world::send};

/// Builds a command that runs the program with a configuration file.
fn configured(home: &Path, settings: &str) -> Command {
    fs::write(home.join("kv.toml"), settings).expect("it is ours");
    let mut command = program(home, &["--config", "kv.toml"]);
    command.env_remove("OSB_USERNAME").env_remove("OSB_PASSWORD");
    command
}

/// Builds a command of the program other than `serve`.
fn other(args: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kv-broker"));
    command.args(args.split(' '));
    command
}

/// Returns standard error until the program serves or has exited.
fn says(command: &mut Command) -> String {
    let mut child = command.stderr(Stdio::piped()).spawn().expect("the program starts");
    let mut lines = BufReader::new(child.stderr.take().expect("it is piped"));
    let mut text = String::new();
    while !text.contains("documentation:") && lines.read_line(&mut text).expect("it is text") > 0 {}
    let _ = child.kill();
    child.wait().expect("it ends");
    text
}

const GOOD: &str = "store = \"memory\"\ndata-listen = \"127.0.0.1:0\"\nusername = \"user\"\npassword = 'password'\n";

#[test]
fn a_file_has_the_settings_of_the_broker_and_of_its_author() {
    let home = tempdir().expect("a temporary folder is created");
    let text = says(&mut configured(home.path(), &format!("{GOOD}data = \"elsewhere\"")));
    assert!(text.contains("state: in memory only"), "{text}");
    assert!(!text.contains("credentials: none are configured"), "{text}");
    assert!(home.path().join("elsewhere").exists(), "the author's settings are read too: {text}");
}

#[test]
fn the_command_line_overrides_the_environment_and_both_override_the_file() {
    let home = tempdir().expect("a temporary folder is created");
    let platforms = |text: &str| -> Vec<String> {
        let lines = text.lines().filter_map(|line| line.trim().strip_prefix("platform "));
        lines.map(|line| line.split(':').next().unwrap_or_default().to_owned()).collect()
    };
    let command = || {
        let mut command = configured(home.path(), &format!("{GOOD}platform = [\"one=/one\", \"two=/two\"]"));
        for name in ["ONE", "TWO", "ENVIRONMENT", "LINE"] {
            command.env(format!("OSB_PLATFORM_{name}_CREDENTIALS"), format!("{name}:pass"));
        }
        command
    };
    assert_eq!(platforms(&says(&mut command())), ["one", "two"]);
    let environment = says(command().env("OSB_PLATFORMS", "environment=/e"));
    assert_eq!(platforms(&environment), ["environment"]);
    let line = says(command().env("OSB_PLATFORMS", "environment=/e").args(["--platform", "line=/l"]));
    assert_eq!(platforms(&line), ["line"]);
}

#[test]
fn the_environment_can_name_the_file_also_for_other_commands() {
    let home = tempdir().expect("a temporary folder is created");
    fs::write(home.path().join("other.toml"), "store = \"memory\"").expect("it is ours");
    let mut command = program(home.path(), &[]);
    let text = says(command.env("OSB_CONFIG", "other.toml").args(["--data-listen", "127.0.0.1:0"]));
    assert!(text.contains("state: in memory only"), "{text}");
    let reseal = other("reseal --config other.toml").current_dir(home.path()).output().expect("the program runs");
    assert!(String::from_utf8_lossy(&reseal.stderr).contains("records in memory can't be re-encrypted"), "{reseal:?}");
}

#[test]
fn a_command_without_settings_reads_no_file() {
    for (args, code) in [("completions bash", 0), ("client --help", 0), ("catalog", 2), ("serve", 2)] {
        let output = other(args).env("OSB_CONFIG", "missing.toml").output().expect("the program runs");
        assert_eq!(output.status.code(), Some(code), "{args}: {output:?}");
    }
}

#[test]
fn mistakes_in_a_file_are_reported_with_their_line() {
    let home = tempdir().expect("a temporary folder is created");
    for (settings, says) in [
        ("\nlisen = \"x\"", "kv.toml:2: there is no setting `lisen`\n  did you mean `listen`?"),
        ("config = \"x\"", "kv.toml:1: there is no setting `config`"),
        ("[platform]\na = 1", "kv.toml:1: `platform` must be a string or a list of strings"),
        ("username = [\"a\", \"b\"]", "kv.toml:1: `username` must be a string, a number, true or false"),
        ("tombstone-ttl = 1979-05-27", "kv.toml:1: `tombstone-ttl` must be a string"),
        ("\n\nsync-wait = \"soon\"", "this value is from kv.toml:3"),
        ("guids = \"some\"", "[possible values: required, optional]"),
        ("unique-ids = \"perhaps\"", "[possible values: true, false]"),
        ("log = [", "kv.toml:1: "),
        ("tls-cert = \"x\"", "TLS needs both --tls-cert"),
    ] {
        let output = configured(home.path(), settings).output().expect("the program runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{settings}: {said}");
        assert!(said.contains(says), "{settings}: {said}");
    }
    let output = program(home.path(), &["--config", "missing.toml"]).output().expect("the program runs");
    assert!(String::from_utf8_lossy(&output.stderr).contains("missing.toml cannot be read"), "{output:?}");
}

#[test]
fn credentials_can_be_in_files() {
    let home = tempdir().expect("a temporary folder is created");
    fs::write(home.path().join("pairs"), "a:b\nwrong\n").expect("it is ours");
    fs::write(home.path().join("tokens"), "one\ntwo\n").expect("it is ours");
    fs::write(home.path().join("others"), "three").expect("it is ours");
    let output = program(home.path(), &["--credentials-file", "pairs"]).output().expect("the program runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("pair 2 of the credentials file has no colon") && !said.contains("wrong"), "{said}");
    let mut command = program(home.path(), &["--data-listen", "127.0.0.1:0"]);
    command.env_remove("OSB_USERNAME").env_remove("OSB_PASSWORD");
    let text = says(
        command
            .args(["--bearer-tokens-file", "tokens", "--platform", "cf=/cf"])
            .env("OSB_PLATFORM_CF_BEARER_TOKENS_FILE", "others"),
    );
    assert!(text.contains("platform cf:") && !text.contains("credentials: none are configured"), "{text}");
}

#[tokio::test]
async fn the_json_log_has_one_object_per_line_with_the_request_identity() {
    let home = tempdir().expect("a temporary folder is created");
    let mut command = program(home.path(), &["--store", "memory", "--data-listen", "127.0.0.1:0"]);
    // Standard error is not a terminal, so the log is JSON.
    let mut child = command.env_remove("OSB_LOG_FORMAT").stderr(Stdio::piped()).spawn().expect("the program starts");
    let mut lines = BufReader::new(child.stderr.take().expect("it is piped")).lines();
    let mut next = || -> Value {
        let line = lines.next().expect("there is more").expect("it is text");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    };
    let listens = std::iter::from_fn(|| Some(next())).find(|line| line["message"] == "the broker is listening");
    let url = listens.expect("it says so")["url"].as_str().expect("a URL").to_owned();
    let request = http::Request::builder().header("X-Broker-API-Version", "2.17");
    let request = request.header("X-Broker-API-Request-Identity", "marked-request");
    let request = request.header("Authorization", "Basic dXNlcjpwYXNzd29yZA==");
    assert!(send(request, &format!("{url}/v2/catalog"), String::new()).await.status.is_success());
    let line = next();
    assert_eq!((&line["request"], &line["route"]), (&"marked-request".into(), &"/v2/catalog".into()), "{line}");
    let _ = child.kill();
    child.wait().expect("it ends");
}
