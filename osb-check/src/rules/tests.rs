use std::collections::HashSet;

use super::*;

/// Splits an id into group, number and suffix.
fn parts(id: &str) -> (&str, u32, &str) {
    let group = id.trim_end_matches(|c: char| !c.is_ascii_uppercase());
    let rest = id[group.len()..].trim_start_matches('-');
    let number = rest.trim_end_matches(|c: char| c.is_ascii_lowercase());
    (group, number.parse().unwrap_or_else(|_| panic!("{id}: no number")), &rest[number.len()..])
}

/// Asserts that each group is contiguous, and that its numbers increase.
fn assert_ordered(ids: impl Iterator<Item = &'static str>) {
    let (mut groups, mut before) = (HashSet::new(), ("", 0, ""));
    for id in ids {
        let now = parts(id);
        if now.0 == before.0 {
            assert!((now.1, now.2) > (before.1, before.2), "{id} is out of order or duplicate");
        } else {
            assert!(groups.insert(now.0), "{id}: its group is not contiguous");
        }
        before = now;
    }
}

fn assert_is_sentence(id: &str, text: &str) {
    assert!(text.chars().count() <= 160, "{id}: longer than 160 characters");
    assert!(text.ends_with('.') && !text.starts_with(' ') && !text.contains(['\n', '\t']), "{id}: {text:?}");
    assert!(!text.contains("  "), "{id}: {text:?}");
}

#[test]
fn rule_ids_are_unique_and_ordered() {
    assert_ordered(RULES.iter().map(|rule| rule.id));
    for rule in RULES {
        let (group, number, more) = parts(rule.id);
        assert_eq!(rule.id, format!("{group}-{number:02}"), "{more}");
    }
}

#[test]
fn rule_texts_are_single_sentences() {
    for rule in RULES {
        assert_is_sentence(rule.id, rule.text);
        assert!(!rule.section.is_empty() && rule.section.trim() == rule.section, "{}", rule.id);
        assert_eq!(rule.since.major(), 2, "{}", rule.id);
        assert!(rule.introduced <= rule.since && rule.since <= ApiVersion::LATEST, "{}", rule.id);
    }
}

#[test]
fn decision_ids_are_ordered_and_texts_are_single_sentences() {
    assert_ordered(DECISIONS.iter().map(|decision| decision.id));
    for decision in DECISIONS {
        assert_is_sentence(decision.id, decision.text);
    }
}

#[test]
fn levels_are_displayed_as_in_the_specification() {
    assert_eq!((Level::MustNot.to_string(), Level::ShouldNot.to_string()), ("MUST NOT".into(), "SHOULD NOT".into()));
    assert!(Level::Should.binds() && !Level::Recommended.binds() && !Level::May.binds() && !Level::Platform.binds());
}

#[test]
fn a_rule_is_weaker_before_it_became_mandatory_and_absent_before_it_was_introduced() {
    let level = |id: &str, minor: u32| rule(id).and_then(|rule| rule.level_at(ApiVersion::new(2, minor)));
    assert_eq!([11, 12].map(|minor| level("PROV-14", minor)), [Some(Level::Should), Some(Level::Must)]);
    assert_eq!([13, 14, 16].map(|minor| level("UPD-17", minor)), [None, Some(Level::ShouldNot), Some(Level::MustNot)]);
    assert_eq!([14, 15].map(|minor| level("CAT-40", minor)), [None, Some(Level::Must)]);
}
