//! The requirements of the Open Service Broker API on brokers, rule by rule.
//!
//! Each rule of version 2.17 has an id, such as `PROV-14`: a group, which follows the specification's chapters, and a
//! number. The ids are this project's own; the specification has none. An id never changes and is never reused. Tests,
//! comments and compiler messages refer to rules by id, so a search for an id finds the code, the tests and the messages
//! that belong to the rule.
//!
//! ```
//! use osb_check::rules::{Level, rule};
//! let conflict = rule("PROV-14").unwrap();
//! assert_eq!((conflict.level, conflict.since.to_string()), (Level::Must, "2.12".to_owned()));
//! println!("{} ({}): {}", conflict.id, conflict.level, conflict.text);
//! ```
//!
//! | group | subject |
//! | --- | --- |
//! | `HDR`, `AUTH`, `URL`, `EXT` | headers, authentication, paths and queries, unspecified fields |
//! | `ERR`, `ASY`, `BLK` | errors, asynchronous operations, concurrent requests |
//! | `CAT` | the catalog |
//! | `LOI`, `LOB`, `DUR` | polling operations on instances and on bindings, and the maximum polling time |
//! | `PROV`, `GETI`, `UPD`, `META`, `DEP` | provisioning, fetching, updating and deprovisioning instances, their metadata |
//! | `BIND`, `ROT`, `GETB`, `UNB` | binding, rotating, fetching and unbinding |
//! | `ORP` | orphans: resources unknown to the platform |
//! | `PROF` | the profile: conventions of Cloud Foundry and Kubernetes |
//!
//! Every rule that [binds the broker](Level::binds) has a test that names it. A rule with parts of different levels has the
//! strongest of them. Rules of level [`Platform`](Level::Platform) describe platforms, and brokers may rely on them.
//!
//! Where the specification is silent, contradicts itself or has changed, [`DECISIONS`] states the behaviour of this
//! implementation.
//!
//! The texts paraphrase the [specification], which takes precedence.
//!
//! [specification]: https://github.com/openservicebrokerapi/servicebroker/blob/v2.17/spec.md

mod bindings;
mod catalog;
mod decisions;
mod instances;
mod requests;
#[cfg(test)]
mod tests;

use std::fmt;

pub use decisions::DECISIONS;

use osb_runtime::protocol::ApiVersion;

/// A requirement of the specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rule {
    /// The group and the number, as in `PROV-14`.
    pub id: &'static str,
    /// The level of obligation.
    pub level: Level,
    /// The first version of the API in which the rule applies at this level.
    pub since: ApiVersion,
    /// The first version that has the rule at all: until `since` it was weaker, or covered fewer requests.
    pub introduced: ApiVersion,
    /// The heading in the specification, or in its profile for `PROF` rules.
    pub section: &'static str,
    /// The behaviour of a conforming broker, in one sentence.
    pub text: &'static str,
}

/// The level of obligation of a rule, in the terms of RFC 2119.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Level {
    /// Required.
    Must,
    /// Required; the specification forbids the opposite of the text.
    MustNot,
    /// Required, unless the broker has a good reason to deviate.
    Should,
    /// As `Should`; the specification advises against the opposite of the text.
    ShouldNot,
    /// Recommended.
    Recommended,
    /// Optional.
    May,
    /// No obligation of the broker: a description of platforms.
    Platform,
}

impl Rule {
    /// Returns the level for platforms of a version; `None` if that version does not have the rule. A MUST (NOT) counts as a
    /// SHOULD (NOT) in the versions before [`since`](Self::since).
    pub fn level_at(&self, version: ApiVersion) -> Option<Level> {
        match self.level {
            _ if version < self.introduced => None,
            Level::Must if version < self.since => Some(Level::Should),
            Level::MustNot if version < self.since => Some(Level::ShouldNot),
            level => Some(level),
        }
    }
}

impl Level {
    /// Returns whether the level is MUST (NOT) or SHOULD (NOT), so a deviation violates the specification or needs a
    /// good reason.
    pub const fn binds(self) -> bool {
        matches!(self, Self::Must | Self::MustNot | Self::Should | Self::ShouldNot)
    }
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

/// All rules, in the order of the specification.
pub const RULES: &[Rule] = &ALL;

/// Finds a rule by its id.
pub fn rule(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id == id)
}

/// A decision of this implementation where the specification is not conclusive.
///
/// | id | subject |
/// | --- | --- |
/// | `T` | the right behaviour where brokers commonly make mistakes |
/// | `X` | gaps and contradictions of version 2.17 |
/// | `S` | differences to earlier versions |
/// | `G` | support for platforms of earlier versions |
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Decision {
    /// The kind and the number, as in `T55`.
    pub id: &'static str,
    /// The behaviour, in one sentence.
    pub text: &'static str,
}

/// Finds a decision by its id.
pub fn decision(id: &str) -> Option<&'static Decision> {
    DECISIONS.iter().find(|decision| decision.id == id)
}

/// Builds rules from headings, each with a list of id, level, version and text. `from` precedes the version that introduced
/// the rule, if that is an earlier one.
macro_rules! rules {
    ($($section:literal {
        $($id:literal $level:ident $major:literal $minor:literal $(from $first_major:literal $first_minor:literal)? $text:literal)+
    })+) => {
        &[$($(
            $crate::rules::Rule {
                id: $id,
                level: $crate::rules::Level::$level,
                since: osb_runtime::protocol::ApiVersion::new($major, $minor),
                introduced: $crate::rules::first(&[
                    osb_runtime::protocol::ApiVersion::new($major, $minor),
                    $(osb_runtime::protocol::ApiVersion::new($first_major, $first_minor),)?
                ]),
                section: $section,
                text: $text,
            },
        )+)+]
    };
}
use rules;

/// Returns the last of the versions that [`rules!`] lists for a rule.
const fn first(versions: &[ApiVersion]) -> ApiVersion {
    versions[versions.len() - 1]
}

const PARTS: [&[Rule]; 4] = [requests::RULES, catalog::RULES, instances::RULES, bindings::RULES];

const COUNT: usize = PARTS[0].len() + PARTS[1].len() + PARTS[2].len() + PARTS[3].len();

const ALL: [Rule; COUNT] = {
    let mut all = [PARTS[0][0]; COUNT];
    let (mut count, mut part) = (0, 0);
    while part < PARTS.len() {
        let mut next = 0;
        while next < PARTS[part].len() {
            all[count] = PARTS[part][next];
            (count, next) = (count + 1, next + 1);
        }
        part += 1;
    }
    all
};
