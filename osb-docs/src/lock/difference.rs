//! The differences between two locks, and their text.

use std::fmt;

use super::{ChangeKind, Verdict, plan::FAMILY};

/// One change between two releases of a catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// The kind of change.
    pub change: ChangeKind,
    /// The name of the service in the older release; in the newer one for an added service.
    pub service: String,
    /// The names of the affected plans, likewise; empty if the change concerns the service.
    pub plans: Vec<String>,
    /// The affected schemas: the parameters of `create`, `update` and `bind`, the `credentials` of a binding, or the values of
    /// a `family`, which deployments set.
    pub schemas: Vec<&'static str>,
    /// The property, as a JSON pointer (RFC 6901) of names in the older release; `*` stands for every element of a list
    /// or map, and `[tag=name]` for a variant. Empty for the whole schema.
    pub pointer: String,
    /// The old value, if it is short.
    pub was: String,
    /// The new value, if it is short.
    pub is: String,
}

impl Difference {
    /// Returns whether the change concerns the values of a family, which only deployments set.
    fn is_of_family(&self) -> bool {
        self.schemas == [FAMILY]
    }

    fn place(&self) -> String {
        let mut place = self.service.clone();
        if !self.plans.is_empty() {
            place += &format!(" / {}", self.plans.join(", "));
        }
        if !self.schemas.is_empty() {
            place += &format!(" / {}", self.schemas.join(", "));
        }
        if !self.pointer.is_empty() {
            place += &format!(" {}", self.pointer);
        }
        place
    }
}

/// `kv / free / create /ttl: the maximum is lower (was 86400, is 3600)`
impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place(), self.change.what())?;
        match (&*self.was, &*self.is) {
            ("", "") => Ok(()),
            ("", is) => write!(f, " ({is})"),
            (was, "") => write!(f, " (was {was})"),
            (was, is) => write!(f, " (was {was}, is {is})"),
        }
    }
}

/// All changes between two releases of a catalog. `Display` lists the breaking changes, with their impact and a
/// compatible alternative, and then the others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Differences(Vec<Difference>);

impl Differences {
    pub(super) fn new(list: Vec<Difference>) -> Self {
        Self(list)
    }

    /// Returns all changes, in the order of the catalog.
    #[must_use]
    pub fn all(&self) -> &[Difference] {
        &self.0
    }

    /// Returns the changes with this verdict.
    pub fn of(&self, verdict: Verdict) -> impl Iterator<Item = &Difference> {
        self.0.iter().filter(move |one| one.change.verdict() == verdict)
    }

    /// Returns whether at least one change is breaking.
    #[must_use]
    pub fn breaks(&self) -> bool {
        self.of(Verdict::Breaking).next().is_some()
    }
}

impl fmt::Display for Differences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut breaking: Vec<_> = self.of(Verdict::Breaking).collect();
        let kind = |one: &Difference| (one.change, one.is_of_family());
        breaking.sort_by_key(|one| kind(one));
        for same in breaking.chunk_by(|a, b| kind(a) == kind(b)) {
            for one in same {
                writeln!(f, "* {one}")?;
            }
            let (breaks, instead) = match kind(same[0]) {
                (_, true) => (
                    "deployments whose files list plans of the family: the broker does not start, or reads other values",
                    "keep all values valid, with their meaning; or write another family beside this one",
                ),
                (change, false) => (change.breaks(), change.instead()),
            };
            writeln!(f, "    breaks {breaks}\n    instead: {instead}")?;
        }
        let mut above = !breaking.is_empty();
        for (verdict, title) in [(Verdict::Addition, "Additions:"), (Verdict::Harmless, "Other compatible changes:")] {
            let list: Vec<_> = self.of(verdict).collect();
            if list.is_empty() {
                continue;
            }
            writeln!(f, "{}{title}", if above { "\n" } else { "" })?;
            above = true;
            for one in list {
                writeln!(f, "  {one}")?;
            }
        }
        Ok(())
    }
}
