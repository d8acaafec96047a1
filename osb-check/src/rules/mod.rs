//! What the Open Service Broker API asks of a broker, rule by rule.
//!
//! Each rule of version 2.17 has an id, such as `PROV-14`: a group, which follows the specification's chapters, and a
//! number. The ids are this project's own; the specification has none. They never change, and none is given twice: tests
//! name the rules that they prove by them, comments the rules that code is there for, compiler messages the rules that
//! were broken. So a rule's id, searched for, leads to everything that is known about it.
//!
//! ```
//! use osb_check::rules::{Level, rule};
//! let conflict = rule("PROV-14").unwrap();
//! assert_eq!((conflict.level, conflict.since.to_string()), (Level::Must, "2.12".to_owned()));
//! println!("{} ({}): {}", conflict.id, conflict.level, conflict.text);
//! ```
//!
//! | group | what it is about |
//! | --- | --- |
//! | `HDR`, `AUTH`, `URL`, `EXT` | headers, authentication, paths and queries, fields that nobody specified |
//! | `ERR`, `ASY`, `BLK` | failures, asynchronous operations, concurrent requests |
//! | `CAT` | the catalog |
//! | `LOI`, `LOB`, `DUR` | polling operations on instances and on bindings, and for how long |
//! | `PROV`, `GETI`, `UPD`, `META`, `DEP` | provisioning, fetching, updating and deprovisioning instances, their metadata |
//! | `BIND`, `ROT`, `GETB`, `UNB` | binding, rotating, fetching and unbinding |
//! | `ORP` | resources that no platform knows of |
//! | `PROF` | the profile: conventions of Cloud Foundry and Kubernetes |
//!
//! Every rule that [binds the broker](Level::binds) is proved by a test that names it. Where a rule has parts of different
//! levels, its level is the strongest of them. Those of level [`Platform`](Level::Platform) say what a broker may count on.
//!
//! Where the specification is silent, contradicts itself or has changed, [`DECISIONS`] says what this implementation does.
//!
//! The texts are in our own words; the [specification] is what counts.
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

/// Something that the specification says about brokers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rule {
    /// The group and the number, as in `PROV-14`.
    pub id: &'static str,
    /// How strongly it binds the broker.
    pub level: Level,
    /// The version of the API from which on it does so, at this level.
    pub since: ApiVersion,
    /// The heading in the specification, or in its profile for `PROF` rules, under which it is found.
    pub section: &'static str,
    /// What a broker that follows it does, in a sentence.
    pub text: &'static str,
}

/// How strongly a rule binds the broker, in the words of RFC 2119.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Level {
    /// The broker has to do it.
    Must,
    /// The broker must not do otherwise than the text says.
    MustNot,
    /// The broker does, unless it has a good reason not to.
    Should,
    /// The broker does not do otherwise, unless it has a good reason to.
    ShouldNot,
    /// The broker is advised to.
    Recommended,
    /// The broker is free to.
    May,
    /// Nothing is asked of the broker: it is what platforms send or do.
    Platform,
}

impl Level {
    /// Whether a broker that does otherwise breaks the specification, or needs a good reason: MUST (NOT) and SHOULD (NOT).
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

/// The rule with this id.
pub fn rule(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id == id)
}

/// What this implementation does where the specification does not decide it.
///
/// | id | what it is about |
/// | --- | --- |
/// | `T` | mistakes that brokers make, and what is right |
/// | `X` | gaps and contradictions of version 2.17 |
/// | `S` | what earlier versions said otherwise |
/// | `G` | how platforms of earlier versions are served |
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Decision {
    /// The kind and the number, as in `T55`.
    pub id: &'static str,
    /// What is done, in a sentence.
    pub text: &'static str,
}

/// The decision with this id.
pub fn decision(id: &str) -> Option<&'static Decision> {
    DECISIONS.iter().find(|decision| decision.id == id)
}

/// Rules under the headings where they are found: an id, a level, the version since when, and the text.
macro_rules! rules {
    ($($section:literal { $($id:literal $level:ident $major:literal $minor:literal $text:literal)+ })+) => {
        &[$($(
            $crate::rules::Rule {
                id: $id,
                level: $crate::rules::Level::$level,
                since: osb_runtime::protocol::ApiVersion::new($major, $minor),
                section: $section,
                text: $text,
            },
        )+)+]
    };
}
use rules;

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
