//! Each rule that binds a broker is named by a test that proves it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use osb_runtime::rules::{Level, RULES};

/// A rule that no test can prove: it is about two releases of a broker.
const BEYOND_TESTS: &str = "CAT-03";

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("its entries too").path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs" || ending == "stderr") {
            found.push(path);
        }
    }
}

/// What is test code of a file: all of it in the folders of tests, and from `#[cfg(test)]` on elsewhere.
fn test_code(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("a file can be read");
    let is_test = path.components().any(|part| part.as_os_str() == "tests") || path.ends_with("tests.rs");
    if is_test { text } else { text.split_once("#[cfg(test)]").map_or(String::new(), |(_, tests)| tests.to_owned()) }
}

/// The ids in a text: a known group, a hyphen, two digits.
fn ids<'a>(text: &'a str, groups: &BTreeSet<&str>) -> Vec<&'a str> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices('-') {
        let group = text[..at].rfind(|c: char| !c.is_ascii_uppercase()).map_or(0, |before| before + 1);
        let Some(id) = text.get(group..at + 3) else { continue };
        if groups.contains(&text[group..at]) && text[at + 1..at + 3].bytes().all(|byte| byte.is_ascii_digit()) {
            found.push(id);
        }
    }
    found
}

#[test]
fn every_rule_that_binds_a_broker_is_proved() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = Vec::new();
    for folder in ["tests", "ui", "lab/src", "../osb-runtime/src", "../osb-macros/src"] {
        files(&here.join(folder).canonicalize().expect("the folder exists"), &mut all);
    }
    let groups: BTreeSet<_> = RULES.iter().filter_map(|rule| rule.id.split('-').next()).collect();
    let this = here.join("tests/rules.rs").canonicalize().expect("this file exists");
    let mut named = BTreeMap::new();
    for path in all.iter().filter(|path| **path != this) {
        for id in ids(&test_code(path), &groups) {
            named.entry(id.to_owned()).or_insert_with(|| path.clone());
        }
    }

    let known: BTreeSet<_> = RULES.iter().map(|rule| rule.id).collect();
    let unknown: Vec<_> = named.iter().filter(|(id, _)| !known.contains(id.as_str())).collect();
    assert!(unknown.is_empty(), "tests name rules that do not exist: {unknown:#?}");

    let binding = [Level::Must, Level::MustNot, Level::Should, Level::ShouldNot];
    let unproved = RULES
        .iter()
        .filter(|rule| binding.contains(&rule.level) && !named.contains_key(rule.id) && rule.id != BEYOND_TESTS);
    let unproved: Vec<_> = unproved.map(|rule| format!("{} {}: {}", rule.id, rule.level, rule.text)).collect();
    assert!(unproved.is_empty(), "no test names these rules:\n{}", unproved.join("\n"));
}
