//! Every rule that binds a broker is proved by a test that names it, and tests name only rules that there are.
//!
//! An id counts where tests are: in `tests/`, below `#[cfg(test)]`, and in what the compiler is expected to say. It is
//! written as in the table (`PROV-14`), or in the name of a function (`fn prov_14_…`).

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use osb_check::rules::{DECISIONS, RULES, decision, rule};

/// Where tests are. Of the crates only what is a test counts.
const PLACES: &[&str] = &[
    "tests/tests",
    "tests/lab/src",
    "tests/ui",
    "osb-check/src",
    "osb-client/src",
    "osb-docs/src",
    "osb-macros/src",
    "osb-runtime/src",
    "osb-runtime/tests",
    "osb-store/src",
    "osb-testing/src",
    "osb-tool/src",
    "examples",
];

/// Here ids are named without being proved.
const NOT_COUNTED: &[&str] = &["tests/tests/rules.rs", "osb-check/src/rules"];

/// Each id that tests name, with the files where they do.
fn named() -> BTreeMap<String, BTreeSet<PathBuf>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this crate is in a workspace");
    let mut named = BTreeMap::<_, BTreeSet<_>>::new();
    for path in PLACES.iter().flat_map(|place| files(&root.join(place))) {
        let relative = path.strip_prefix(root).expect("it is in the workspace");
        if NOT_COUNTED.iter().any(|skipped| relative.starts_with(skipped)) {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for id in ids(tests_in(relative, &text)) {
            named.entry(id).or_default().insert(relative.to_owned());
        }
    }
    named
}

/// The sources and expected messages below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.expect("an entry of a folder").path());
    let kept = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "rs" || extension == "stderr");
    paths.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).filter(kept).collect()
}

/// What of a file is a test: all of it, or what is in a module of tests at its end.
fn tests_in<'a>(path: &Path, text: &'a str) -> &'a str {
    let whole = path.components().any(|part| part.as_os_str() == "tests") || path.ends_with("tests.rs");
    if whole { text } else { text.split_once("#[cfg(test)]\nmod tests {\n").map_or("", |(_, tests)| tests) }
}

/// The ids in a text, whether or not there are such rules.
fn ids(text: &str) -> BTreeSet<String> {
    let words = |line: &str| {
        let function = line.trim_start().trim_start_matches("async ").strip_prefix("fn ");
        let name = function.and_then(|rest| rest.split('(').next()).unwrap_or_default();
        // `t39b_and_prov_14` has the words of `T39b AND PROV-14`.
        let name = name.split('_').map(spelt).collect::<Vec<_>>().join("-");
        [line.split(|c: char| !c.is_ascii_alphanumeric()).collect::<Vec<_>>().join("-"), name]
    };
    let groups: BTreeSet<&str> = RULES.iter().filter_map(|rule| rule.id.split_once('-')).map(|parts| parts.0).collect();
    let mut found = BTreeSet::new();
    for text in text.lines().flat_map(words) {
        let words: Vec<&str> = text.split('-').collect();
        found.extend(words.iter().filter(|word| is_decision(word)).map(|word| (*word).to_owned()));
        let pairs = words.windows(2).filter(|pair| groups.contains(pair[0]) && is_number(pair[1]));
        found.extend(pairs.map(|pair| format!("{}-{}", pair[0], pair[1])));
    }
    found
}

/// A word of a function's name, as it is spelt elsewhere.
fn spelt(word: &str) -> String {
    let (upper, lower) = (word.to_uppercase(), word.trim_start_matches(|c: char| !c.is_ascii_digit()));
    let first = upper.get(..1).unwrap_or_default();
    if is_decision(&format!("{first}{lower}")) { format!("{first}{lower}") } else { upper }
}

fn is_number(word: &str) -> bool {
    word.len() == 2 && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// `T04`, `T39b`, `X13`, `S21` or `G3`.
fn is_decision(word: &str) -> bool {
    let (kind, number) = word.split_at_checked(1).unwrap_or_default();
    match kind {
        "T" | "X" | "S" => is_number(number.trim_end_matches(['a', 'b', 'c'])),
        "G" => number.len() == 1 && number.bytes().all(|byte| byte.is_ascii_digit()),
        _ => false,
    }
}

#[test]
fn every_rule_that_binds_is_proved() {
    let named = named();
    let missing: Vec<String> = RULES
        .iter()
        .filter(|rule| rule.level.binds() && !named.contains_key(rule.id))
        .map(|rule| format!("{} ({}, {}): {}", rule.id, rule.level, rule.section, rule.text))
        .collect();
    assert!(
        missing.is_empty(),
        "{} rules bind a broker, and no test names them. Write one that fails if the rule is broken, and name the rule in \
         its message:\n{}",
        missing.len(),
        missing.join("\n")
    );
}

#[test]
fn tests_name_only_rules_that_there_are() {
    let unknown: Vec<String> = named()
        .iter()
        .filter(|(id, _)| rule(id).is_none() && decision(id).is_none())
        .map(|(id, files)| format!("{id} in {files:?}"))
        .collect();
    assert!(unknown.is_empty(), "osb_check::rules has none of these, which tests name:\n{}", unknown.join("\n"));
}

#[test]
fn ids_are_found_as_they_are_written() {
    let found = |text: &str| ids(text).into_iter().collect::<Vec<_>>();
    assert_eq!(found("assert!(x, \"PROV-14, T04: {reply}\"); // (S21)"), ["PROV-14", "S21", "T04"]);
    assert_eq!(found("    async fn hdr_03_t39c_a_missing_version() {"), ["HDR-03", "T39c"]);
    assert_eq!(found("= note: the rule is CAT-53."), ["CAT-53"]);
    assert_eq!(found("PROV-99 T99 G9"), ["G9", "PROV-99", "T99"], "typos are found too");
    assert!(found("PROV-1 X-14 T4 S211 PROV 2.14 text_04 let t04 = prov_14;").is_empty());
}

#[test]
fn every_test_is_read() {
    let named = named();
    for (id, file) in [
        ("PROV-11", "tests/tests/lifecycle_same.rs"),
        ("CAT-10", "tests/ui/broker/duplicate_service_name.stderr"),
        ("AUTH-01", "osb-runtime/tests/unit/http/gate.rs"),
    ] {
        assert!(named.get(id).is_some_and(|files| files.contains(Path::new(file))), "{id} is not seen in {file}");
    }
    assert!(named.keys().any(|id| DECISIONS.iter().any(|decision| decision.id == id)));
    let library = tests_in(Path::new("osb-runtime/src/a.rs"), "/// ERR-01\n#[cfg(test)]\nmod tests {\n// ERR-02\n}\n");
    assert_eq!(ids(library).into_iter().collect::<Vec<_>>(), ["ERR-02"], "comments of the library prove nothing");
}
