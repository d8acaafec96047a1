//! Compares the README and the guide with the code and the messages that they quote.

const README: &str = include_str!("../../../README.md");

#[test]
fn the_broker_is_the_quickstart() {
    let broker = include_str!("../../../examples/quickstart/src/main.rs");
    assert!(README.contains(&format!("```rust\n{broker}```")), "copy examples/quickstart/src/main.rs into the README");
    // Closing brackets and lines that go on don't count, so that the limit doesn't depend on where rustfmt breaks lines.
    let is_code =
        |line: &&str| !line.starts_with("//") && line.chars().any(char::is_alphanumeric) && !line.ends_with([',', '(']);
    let code = broker.lines().map(str::trim).filter(is_code).count();
    assert!(code <= 35, "the quickstart has {code} lines of code");
}

/// The README is on the page of each published crate, where the files beside it are missing.
#[test]
fn links_need_no_file_beside_the_readme() {
    let links = README.match_indices("](").map(|(at, begin)| &README[at + begin.len()..]);
    for link in links {
        assert!(["https://", "#"].iter().any(|begin| link.starts_with(begin)), "{}", &link[..40]);
    }
}

#[test]
fn the_replay_is_the_one_in_the_example() {
    let tests = include_str!("../../../examples/test-data/src/tests.rs");
    let line = tests.lines().find(|line| line.contains("Replay::of(")).map_or("", str::trim);
    assert!(!line.is_empty() && README.contains(&format!("```rust\n{line}\n```")), "{line}");
}

#[test]
fn the_test_command_is_the_one_in_ci() {
    let ci = include_str!("../../../.ci/run");
    let command = "cargo test --workspace --all-features";
    assert!(README.contains(&format!("```sh\n{command}\n```")));
    assert!(ci.contains("README.md"), "CI reads the command from the README");
}

#[test]
fn compiler_messages_are_current() {
    for (stderr, about, lines) in [
        (include_str!("../../ui/capabilities/bind_missing.stderr"), "is declared bindable", 4),
        (include_str!("../../ui/service/duplicate_plan_id.stderr"), "share the id", 4),
        (include_str!("../../ui/parameters/constant_out_of_range.stderr"), "the default of `ttl`", 1),
        (
            include_str!("../../ui/parameters/constraint_of_another_type.stderr"),
            "`range` applies to numbers, but `name`",
            1,
        ),
    ] {
        let message = stderr.lines().skip_while(|line| !line.contains(about)).filter(|line| !line.contains("-->"));
        let message: Vec<_> = message.take(lines).collect();
        assert!(!message.is_empty(), "no message is about {about}");
        for line in message {
            assert!(README.contains(line), "{line}");
        }
    }
}

#[test]
fn the_breaking_change_is_explained_as_the_lock_does() {
    let change = osb_docs::lock::ChangeKind::MaximumLowered;
    let [what, breaks, instead] = [change.what(), change.breaks(), change.instead()];
    let example = format!("/ttl: {what} (was 86400, is 3600)\n    breaks {breaks}\n    instead: {instead}\n");
    let guide = include_str!("../../../osb-tool/src/guide/testing.md");
    assert!(guide.contains(&example), "{example}");
}
