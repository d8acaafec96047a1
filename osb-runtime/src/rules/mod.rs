//! The specification, rule by rule: what a broker owes its platform.
//!
//! Each rule has an id, such as `PROV-13`. Messages of the compiler, comments, tests and the log refer to rules by it: a
//! test names the rules that it proves, and this project's own tests fail if a rule that says "must" or "should" is
//! proved by none.
//!
//! ```
//! use osb_runtime::rules::{Level, rule};
//! let rule = rule("PROV-13").expect("it exists");
//! assert_eq!((rule.level, rule.since.to_string().as_str()), (Level::Must, "2.12"));
//! ```

mod table;

use std::fmt;

pub use table::RULES;

use crate::protocol::ApiVersion;

/// One rule of the specification, in words of our own.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Its id: the group, and a number in it.
    pub id: &'static str,
    /// How much it binds a broker.
    pub level: Level,
    /// The first version of the API that has it, in this strength or a weaker one.
    pub since: ApiVersion,
    /// The heading of the specification, version 2.17, under which it stands.
    pub section: &'static str,
    /// What it says, in a sentence.
    pub text: &'static str,
}

/// How much a rule binds a broker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// It has to.
    Must,
    /// It must not.
    MustNot,
    /// It has to unless there is a good reason.
    Should,
    /// It must not unless there is a good reason.
    ShouldNot,
    /// It had better.
    Recommended,
    /// It is free to.
    May,
    /// It binds the platform; a broker relies on it, or has to be able to read what it leads to.
    Platform,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Must => "MUST",
            Self::MustNot => "MUST NOT",
            Self::Should => "SHOULD",
            Self::ShouldNot => "SHOULD NOT",
            Self::Recommended => "RECOMMENDED",
            Self::May => "MAY",
            Self::Platform => "platform",
        })
    }
}

/// The rule with this id.
#[must_use]
pub fn rule(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id == id)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::RULES;

    #[test]
    fn the_table_is_in_order() {
        let ids: BTreeSet<_> = RULES.iter().map(|rule| rule.id).collect();
        assert_eq!(ids.len(), RULES.len(), "ids are unique");
        for pair in RULES.windows(2) {
            let split = |id: &'static str| id.split_once('-').expect("a group and a number");
            let ((group, number), (next_group, next_number)) = (split(pair[0].id), split(pair[1].id));
            assert!(group != next_group || number < next_number, "{} before {}", pair[0].id, pair[1].id);
        }
        for rule in RULES {
            assert!(rule.text.ends_with('.') && rule.text.chars().count() <= 160, "{}: {}", rule.id, rule.text);
            assert!(!rule.section.is_empty(), "{}", rule.id);
        }
    }
}
