//! Checks the Containerfile and the manifests against the program.

use std::process::{Command, Stdio};

const CONTAINERFILE: &str = include_str!("../../Containerfile");
const CLOUD_FOUNDRY: &str = include_str!("../../deploy/cloudfoundry/manifest.yml");
const BROKER: &str = include_str!("../../deploy/kubernetes/broker.yaml");
const SECRET: &str = include_str!("../../deploy/kubernetes/secret.yaml");

fn help() -> String {
    let output =
        Command::new(env!("CARGO_BIN_EXE_kv-broker")).args(["serve", "--help"]).output().expect("the program runs");
    String::from_utf8(output.stdout).expect("it is text")
}

/// Returns the words that begin with `begin` and continue with the accepted characters.
fn words<'a>(text: &'a str, begin: &str, is_accepted: fn(char) -> bool) -> Vec<&'a str> {
    let found =
        text.match_indices(begin).filter(|(at, _)| !text[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '-'));
    found.map(|(at, _)| text[at..].split(|c| !is_accepted(c)).next().unwrap_or_default()).collect()
}

/// Removes comment lines.
fn without_comments(text: &str) -> String {
    text.lines().filter(|line| !line.trim_start().starts_with('#')).map(|line| format!("{line}\n")).collect()
}

/// Returns the first number after a word.
fn number(text: &str, word: &str) -> u64 {
    let (_, rest) = text.split_once(word).unwrap_or_else(|| panic!("no {word}"));
    let digits: String = rest.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    digits.parse().expect("a number")
}

#[test]
fn variables_and_options_in_the_manifests_exist() {
    let help = help();
    let is_variable = |c: char| c.is_ascii_uppercase() || c == '_';
    for text in [CONTAINERFILE, CLOUD_FOUNDRY, BROKER, SECRET] {
        let variables = ["OSB_", "KV_"].into_iter().flat_map(|begin| words(text, begin, is_variable));
        for variable in variables {
            assert!(["=", "]"].iter().any(|end| help.contains(&format!("[env: {variable}{end}"))), "{variable}");
        }
    }
    let options = BROKER.lines().filter_map(|line| line.trim().strip_prefix("- --")?.split('=').next());
    let options: Vec<&str> = options.collect();
    assert!(options.len() > 5, "{options:?}");
    for option in options {
        assert!(help.contains(&format!("--{option} <")), "{option}");
    }
}

#[test]
fn the_secret_has_to_be_filled_in() {
    let values = without_comments(SECRET);
    for (value, variable) in
        [("password", "OSB_PASSWORD"), ("admin", "OSB_ADMIN_CREDENTIALS"), ("keys", "OSB_STORE_KEYS")]
    {
        assert!(values.contains(&format!("{value}: \"\"")), "{values}");
        let mut command = Command::new(env!("CARGO_BIN_EXE_kv-broker"));
        command
            .args(["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--store", "never-made.redb"])
            .current_dir(env!("CARGO_TARGET_TMPDIR"));
        for (name, good) in [
            ("OSB_USERNAME", "broker"),
            ("OSB_PASSWORD", "good"),
            ("OSB_ADMIN_CREDENTIALS", "operator:good"),
            ("OSB_STORE_KEYS", "8f5d1c6e0b7a49d2c3e4f5061728394a5b6c7d8e9fa0b1c2d3e4f5a6b7c8d9ea"),
        ] {
            command.env(name, if name == variable { "" } else { good });
        }
        let output = command.stdin(Stdio::null()).output().expect("the program runs");
        assert_eq!(output.status.code(), Some(2), "{variable}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn the_shutdown_grace_is_shorter_than_the_platforms_timeout() {
    assert!(number(BROKER, "terminationGracePeriodSeconds:") > number(BROKER, "--shutdown-grace="));
    assert!(number(CLOUD_FOUNDRY, "OSB_SHUTDOWN_GRACE:") < 10, "Cloud Foundry kills after 10 s");
}

#[test]
fn only_one_process_opens_the_file() {
    assert_eq!(number(&without_comments(BROKER), "replicas:"), 1);
    assert!(without_comments(BROKER).contains("kind: StatefulSet"));
    assert_eq!(number(&without_comments(CLOUD_FOUNDRY), "instances:"), 1);
}

#[test]
fn nothing_runs_as_root() {
    assert!(CONTAINERFILE.contains("\nUSER 65532:65532\n"));
    assert!(BROKER.contains("runAsUser: 65532\n") && BROKER.contains("readOnlyRootFilesystem: true\n"));
}
