//! What has changed, as a list that one can read.

use std::fmt;

use super::{ChangeKind, Verdict};

/// One thing that has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// What kind of change it is.
    pub change: ChangeKind,
    /// The service, by the name that it had.
    pub service: String,
    /// The plans, by the names that they had; none if it is about the service.
    pub plans: Vec<String>,
    /// Whose parameters it is about, `create`, `update`, `bind`; or that it is about the `credentials` of a binding.
    pub schemas: Vec<&'static str>,
    /// The property, as a JSON pointer (RFC 6901) by the names of before; `*` stands for every element of a list or
    /// map, and `[tag=name]` for a variant. Empty for the whole.
    pub pointer: String,
    /// What there was, if it can be said in short.
    pub was: String,
    /// What there is.
    pub is: String,
}

impl Difference {
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

/// Everything that has changed between two releases of a catalog. As text it is a list: first what breaks whom, and what
/// to write instead, then the rest.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Differences(Vec<Difference>);

impl Differences {
    pub(super) fn new(list: Vec<Difference>) -> Self {
        Self(list)
    }

    /// All of them, in the order of the catalog.
    #[must_use]
    pub fn all(&self) -> &[Difference] {
        &self.0
    }

    /// Those of one verdict.
    pub fn of(&self, verdict: Verdict) -> impl Iterator<Item = &Difference> {
        self.0.iter().filter(move |one| one.change.verdict() == verdict)
    }

    /// Whether there is anything that would break a platform or its users.
    #[must_use]
    pub fn breaks(&self) -> bool {
        self.of(Verdict::Breaking).next().is_some()
    }
}

impl fmt::Display for Differences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut breaking: Vec<_> = self.of(Verdict::Breaking).collect();
        breaking.sort_by_key(|one| one.change);
        for same in breaking.chunk_by(|a, b| a.change == b.change) {
            for one in same {
                writeln!(f, "* {one}")?;
            }
            let change = same[0].change;
            writeln!(f, "    breaks {}\n    instead: {}", change.breaks(), change.instead())?;
        }
        let mut above = !breaking.is_empty();
        for (verdict, title) in [(Verdict::Addition, "Additions:"), (Verdict::Harmless, "Changes that break nothing:")]
        {
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
