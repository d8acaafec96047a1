//! Every rule that binds a broker is tested: the message of an assertion, or the name of a test, contains its id.
//!
//! An id counts
//! * in a string inside an assertion (`assert!`, `assert_eq!`, `panic!`, `expect`, ...) of test code, which is `tests/` and the
//!   modules below `#[cfg(test)]`,
//! * in the name of a `#[test]` function,
//! * in a `.stderr` file, whose text a UI test compares with the compiler's.
//!
//! It does not count in a comment, in other strings, or in a test that is ignored. The test reads tokens, so it proves that
//! an assertion exists, not that it runs: it can't see a helper that no test calls (the compiler warns of private ones), a
//! branch that is never taken, or a condition that doesn't fit the rule.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use osb_check::rules::{DECISIONS, RULES, decision, rule};
use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// The folders with tests. In the crates only unit tests count.
const FOLDERS: &[&str] = &[
    "tests/tests",
    "tests/lab/src",
    "tests/ui",
    "osb-check/src",
    "osb-client/src",
    "osb-docs/src",
    "osb-macros/src",
    "osb-catalog/src",
    "osb-catalog/tests",
    "osb-runtime/src",
    "osb-runtime/tests",
    "osb-store/src",
    "osb-testing/src",
    "osb-tool/src",
    "examples",
];

/// The files that contain ids without testing the rules.
const EXCLUDED: &[&str] = &["tests/tests/catalog/rules.rs", "osb-check/src/rules"];

const ASSERTIONS: &[&str] = &[
    "assert",
    "assert_eq",
    "assert_ne",
    "expect",
    "expect_err",
    "panic",
    "prop_assert",
    "prop_assert_eq",
    "prop_assert_ne",
    "unreachable",
];

/// Returns the path and the text of each file with tests, without the rest of the crates.
fn tests() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this crate is in a workspace");
    let mut tests = Vec::new();
    for path in FOLDERS.iter().flat_map(|folder| files(&root.join(folder))) {
        let relative = path.strip_prefix(root).expect("it is in the workspace");
        if EXCLUDED.iter().all(|excluded| !relative.starts_with(excluded)) {
            let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            tests.push((relative.to_owned(), tests_in(relative, &text).to_owned()));
        }
    }
    tests
}

/// Returns the sources and expected messages in a folder. Where there are messages, the source isn't valid.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.expect("an entry of a folder").path());
    let kept = |path: &PathBuf| {
        let is = |extension| path.extension().is_some_and(|of| of == extension);
        is("stderr") || is("rs") && !path.with_extension("stderr").exists()
    };
    paths.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).filter(kept).collect()
}

/// Returns the tests of a file: all of it, or the module at its end.
fn tests_in<'a>(path: &Path, text: &'a str) -> &'a str {
    let whole = path.components().any(|part| part.as_os_str() == "tests") || path.ends_with("tests.rs");
    let module = text.split_once("#[cfg(test)]\nmod tests {\n");
    if whole { text } else { module.and_then(|(_, tests)| tests.trim_end().strip_suffix('}')).unwrap_or_default() }
}

/// Returns the tested ids, each with its files.
fn tested() -> BTreeMap<String, BTreeSet<PathBuf>> {
    let mut tested = BTreeMap::<_, BTreeSet<_>>::new();
    for (path, text) in tests() {
        let mut proof = Vec::new();
        if path.extension().is_some_and(|extension| extension == "stderr") {
            proof.push(text);
        } else {
            let tokens = text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            collect(tokens, false, &mut proof);
        }
        for id in ids(&proof.join("\n")) {
            tested.entry(id).or_default().insert(path.clone());
        }
    }
    tested
}

/// Collects the names of tests as `fn name(`, and the literals in assertions.
fn collect(tokens: TokenStream, asserts: bool, proof: &mut Vec<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let (mut test, mut ignored) = (false, false);
    let word = |index: Option<usize>| index.and_then(|index| tokens.get(index)).map(ToString::to_string);
    for (index, token) in tokens.iter().enumerate() {
        let before = |count| word(index.checked_sub(count)).unwrap_or_default();
        match token {
            TokenTree::Ident(name) if test && !ignored && before(1) == "fn" => proof.push(format!("fn {name}(")),
            TokenTree::Literal(literal) if asserts => proof.push(literal.to_string()),
            // An attribute. Comments of documentation are attributes, too.
            TokenTree::Group(group) if before(1) == "#" && group.delimiter() == Delimiter::Bracket => {
                let attribute = group.stream().to_string();
                test |= attribute == "test" || attribute.replace(' ', "").starts_with("tokio::test");
                ignored |= attribute.starts_with("ignore");
            }
            TokenTree::Group(group) => {
                let body = group.delimiter() == Delimiter::Brace;
                let name = if before(1) == "!" { before(2) } else { before(1) };
                if !(body && ignored) {
                    collect(group.stream(), asserts || ASSERTIONS.contains(&name.as_str()), proof);
                }
                if body {
                    (test, ignored) = (false, false);
                }
            }
            _ => {}
        }
    }
}

/// Returns the ids in a text, whether or not such rules exist.
fn ids(text: &str) -> BTreeSet<String> {
    let words = |line: &str| {
        let function = line.trim_start().trim_start_matches("async ").strip_prefix("fn ");
        let name = function.and_then(|rest| rest.split('(').next()).unwrap_or_default();
        // `t39b_and_prov_14` has the words of `T39b AND PROV-14`.
        let name = name.split('_').map(respelled).collect::<Vec<_>>().join("-");
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

/// Returns a word of a function's name in the spelling of ids.
fn respelled(word: &str) -> String {
    let (upper, lower) = (word.to_uppercase(), word.trim_start_matches(|c: char| !c.is_ascii_digit()));
    let first = upper.get(..1).unwrap_or_default();
    if is_decision(&format!("{first}{lower}")) { format!("{first}{lower}") } else { upper }
}

fn is_number(word: &str) -> bool {
    word.len() == 2 && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns whether a word has the form `T04`, `T39b`, `X13`, `S21` or `G3`.
fn is_decision(word: &str) -> bool {
    let (kind, number) = word.split_at_checked(1).unwrap_or_default();
    match kind {
        "T" | "X" | "S" => is_number(number.trim_end_matches(['a', 'b', 'c'])),
        "G" => number.len() == 1 && number.bytes().all(|byte| byte.is_ascii_digit()),
        _ => false,
    }
}

#[test]
fn every_binding_rule_is_tested() {
    let tested = tested();
    let missing: Vec<String> = RULES
        .iter()
        .filter(|rule| rule.level.binds() && !tested.contains_key(rule.id))
        .map(|rule| format!("{} ({}, {}): {}", rule.id, rule.level, rule.section, rule.text))
        .collect();
    assert!(
        missing.is_empty(),
        "{} rules bind a broker, and no assertion has their id. Write a test that fails if the rule is violated, with the id \
         in the message of the assertion:\n{}",
        missing.len(),
        missing.join("\n")
    );
}

#[test]
fn tests_refer_only_to_existing_rules() {
    let mut unknown = BTreeSet::new();
    for (path, text) in tests() {
        let ids = ids(&text).into_iter().filter(|id| rule(id).is_none() && decision(id).is_none());
        unknown.extend(ids.map(|id| format!("{id} in {}", path.display())));
    }
    assert!(unknown.is_empty(), "`osb_check::rules` does not have these ids: {unknown:#?}");
}

#[test]
fn ids_have_two_spellings() {
    let found = |text: &str| ids(text).into_iter().collect::<Vec<_>>();
    assert_eq!(found("assert!(x, \"PROV-14, T04: {reply}\"); // (S21)"), ["PROV-14", "S21", "T04"]);
    assert_eq!(found("    async fn hdr_03_t39c_a_missing_version() {"), ["HDR-03", "T39c"]);
    assert_eq!(found("= note: the rule is CAT-53."), ["CAT-53"]);
    assert_eq!(found("PROV-99 T99 G9"), ["G9", "PROV-99", "T99"], "typos are found too");
    assert!(found("PROV-1 X-14 T4 S211 PROV 2.14 text_04 let t04 = prov_14;").is_empty());
}

#[test]
fn only_assertions_and_names_of_tests_count() {
    let source = r#"
        //! ERR-01
        /// ERR-02
        #[tokio::test(flavor = "multi_thread")]
        async fn err_03_a_test() {
            let text = "ERR-04"; // ERR-05
            assert_eq!(f(|| g()[0]), 1, "ERR-06: {text}");
            x.expect("ERR-07");
        }
        #[test]
        #[ignore = "ERR-08"]
        fn err_09_ignored() { assert!(false, "ERR-10") }
        fn err_11_a_helper() { if true { panic!("ERR-12") } }
    "#;
    let mut proof = Vec::new();
    collect(source.parse().expect("tokens"), false, &mut proof);
    assert_eq!(ids(&proof.join("\n")).into_iter().collect::<Vec<_>>(), ["ERR-03", "ERR-06", "ERR-07", "ERR-12"]);
    let library = tests_in(Path::new("osb-runtime/src/a.rs"), "/// ERR-01\n#[cfg(test)]\nmod tests {\n// ERR-02\n}\n");
    assert_eq!(library, "// ERR-02\n", "the crate's own code proves nothing");
}

#[test]
fn all_kinds_of_tests_are_read() {
    let tested = tested();
    for (id, file) in [
        ("PROV-11", "tests/tests/lifecycle/repeated_requests.rs"),
        ("CAT-10", "tests/ui/broker/duplicates.stderr"),
        ("AUTH-01", "osb-runtime/tests/unit/http/gate.rs"),
    ] {
        assert!(tested.get(id).is_some_and(|files| files.contains(Path::new(file))), "{id} is not found in {file}");
    }
    assert!(tested.keys().any(|id| DECISIONS.iter().any(|decision| decision.id == id)));
}
