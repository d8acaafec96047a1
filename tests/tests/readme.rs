//! What the README and the guide show is what there is.

const README: &str = include_str!("../../README.md");

#[test]
fn the_broker_is_the_quickstarts() {
    let broker = include_str!("../../examples/quickstart/src/main.rs");
    assert!(README.contains(&format!("```rust\n{broker}```")), "copy examples/quickstart/src/main.rs into the README");
    let code = broker.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with("//")).count();
    assert!(code <= 40, "the quickstart has {code} lines");
}

#[test]
fn the_line_that_replays_is_the_examples() {
    let tests = include_str!("../../examples/test-data/src/tests.rs");
    let line = tests.lines().find(|line| line.contains("Replay::of(")).map_or("", str::trim);
    assert!(!line.is_empty() && README.contains(&format!("```rust\n{line}\n```")), "{line}");
}

#[test]
fn the_commands_are_those_that_ci_runs() {
    let ci = include_str!("../../.ci/run");
    let command = "cargo test --workspace --all-features";
    assert!(README.contains(&format!("```sh\n{command}\n```")));
    assert!(ci.contains("README.md"), "CI reads the command from the README");
}

#[test]
fn the_messages_are_the_compilers() {
    for (stderr, lines) in [
        (include_str!("../ui/capabilities/bind_missing.stderr"), 4),
        (include_str!("../ui/service/duplicate_plan_id.stderr"), 4),
        (include_str!("../ui/parameters/default_constant_out_of_range.stderr"), 1),
        (include_str!("../ui/parameters/range_on_string.stderr"), 2),
    ] {
        for line in stderr.lines().filter(|line| !line.contains("-->")).take(lines) {
            assert!(README.contains(line), "{line}");
        }
    }
}

#[test]
fn the_guide_shows_a_breaking_change_as_the_lock_prints_it() {
    let change = osb_runtime::catalog::lock::ChangeKind::MaximumLowered;
    let [what, breaks, instead] = [change.what(), change.breaks(), change.instead()];
    let example = format!("/ttl: {what} (was 86400, is 3600)\n    breaks {breaks}\n    instead: {instead}\n");
    let guide = include_str!("../../osb-runtime/src/guide/testing.md");
    assert!(guide.contains(&example), "{example}");
}
