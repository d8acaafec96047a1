//! Reads and writes the lock file. The printer is hand-written because that of `serde_json` would give each item of a list a
//! line.

use std::{
    fmt, io,
    path::{Path, PathBuf},
    str::FromStr,
};

use osb_runtime::json::Json;
use serde::de::Error as _;
use serde_json::Value;

use super::{
    VERSION,
    tree::{Lock, Scope, list, reduce, text},
};

/// Values up to this many characters are written on one line, which gives most properties a line each.
const WIDTH: usize = 116;

/// An error while reading a lock file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// The file does not exist.
    #[error("{} does not exist", .0.display())]
    Missing(PathBuf),
    /// The file cannot be read.
    #[error("{path} cannot be read: {1}", path = .0.display())]
    Unreadable(PathBuf, #[source] io::Error),
    /// A newer release of this crate wrote the file, in a format that this release does not know.
    #[error(
        "{path} has version {1} of the lock file format; this program supports version {supported}",
        path = .0.display(),
        supported = VERSION
    )]
    Newer(PathBuf, u64),
    /// The content is not valid; a merge may have left conflict markers in it.
    #[error("{path} is not a valid lock file: {1}", path = .0.display())]
    Malformed(PathBuf, String),
}

impl LockError {
    /// Returns the message with advice; `write` is the command that writes the file.
    #[must_use]
    pub fn with_help(&self, write: &str) -> String {
        let help = match self {
            Self::Missing(_) => format!("run `{write}` to create it, and commit it"),
            Self::Unreadable(..) => "name a file that this user can read".to_owned(),
            Self::Newer(..) => format!("build with the newer osb-runtime, or delete the file and run `{write}`"),
            Self::Malformed(..) => {
                format!("restore it from version control, or delete it and run `{write}` to start over")
            }
        };
        format!("{self}\n  help: {help}")
    }
}

impl Lock {
    /// Reads a lock file.
    pub fn read(path: &Path) -> Result<Self, LockError> {
        let text = std::fs::read_to_string(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => LockError::Missing(path.to_owned()),
            io::ErrorKind::InvalidData => LockError::Malformed(path.to_owned(), error.to_string()),
            _ => LockError::Unreadable(path.to_owned(), error),
        })?;
        // Checked first, as a newer format may not parse.
        let version = serde_json::from_str::<Value>(&text).ok().and_then(|file| file["version"].as_u64());
        match version {
            Some(version) if version > VERSION => Err(LockError::Newer(path.to_owned(), version)),
            _ => text
                .parse()
                .map_err(|error: serde_json::Error| LockError::Malformed(path.to_owned(), error.to_string())),
        }
    }
}

impl FromStr for Lock {
    type Err = serde_json::Error;

    fn from_str(file: &str) -> Result<Self, Self::Err> {
        let mut lock = Json::read(file.as_bytes())?;
        let mut unknown = Vec::new();
        reduce(&mut lock, Scope::Catalog, &mut unknown);
        if let Some(name) = unknown.first() {
            return Err(Self::Err::custom(format!("unknown member `{name}`")));
        }
        let plans = list(&lock, "services").iter().flat_map(|service| list(service, "plans"));
        let nameless = list(&lock, "services")
            .iter()
            .chain(plans)
            .any(|one| text(one, "id").is_empty() || text(one, "name").is_empty());
        if lock.get("services").is_none() || nameless {
            return Err(Self::Err::custom("a lock has `services`, each with an `id`, a `name` and `plans`"));
        }
        Ok(Self(lock))
    }
}

/// The content of the file: JSON in the order of the catalog, about one property per line, so that diffs are readable.
impl fmt::Display for Lock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        write_value(&self.0, 0, 0, &mut out);
        writeln!(f, "{out}")
    }
}

/// `before` is the number of characters already on the line.
fn write_value(value: &Json, depth: usize, before: usize, out: &mut String) {
    let line = one_line(value);
    if before + line.chars().count() <= WIDTH {
        out.push_str(&line);
        return;
    }
    let entry = |out: &mut String, first: bool, name: &str, value: &Json| {
        out.push_str(if first { "\n" } else { ",\n" });
        out.extend(std::iter::repeat_n("  ", depth + 1));
        out.push_str(name);
        write_value(value, depth + 1, 2 * (depth + 1) + name.chars().count(), out);
    };
    let (open, close) = match value {
        Json::Object(_) => ('{', '}'),
        Json::Array(_) => ('[', ']'),
        _ => return out.push_str(&line),
    };
    out.push(open);
    match value {
        Json::Object(members) => {
            for (i, (name, value)) in members.iter().enumerate() {
                entry(out, i == 0, &format!("{}: ", Json::from(name)), value);
            }
        }
        Json::Array(items) => {
            for (i, value) in items.iter().enumerate() {
                entry(out, i == 0, "", value);
            }
        }
        _ => {}
    }
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
    out.push(close);
}

fn one_line(value: &Json) -> String {
    match value {
        Json::Object(members) if !members.is_empty() => {
            let members = members.iter().map(|(name, value)| format!("{}: {}", Json::from(name), one_line(value)));
            format!("{{ {} }}", members.collect::<Vec<_>>().join(", "))
        }
        Json::Array(items) => format!("[{}]", items.iter().map(one_line).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_advice_fits_a_file_that_is_no_text_and_a_directory() {
        let folder = tempfile::tempdir().unwrap();
        let binary = folder.path().join("catalog.lock");
        std::fs::write(&binary, [0xff, 0xfe]).unwrap();
        let error = Lock::read(&binary).unwrap_err();
        assert!(matches!(error, LockError::Malformed(..)), "{error}");
        assert!(error.with_help("lock").ends_with("delete it and run `lock` to start over"), "{error}");

        let message = Lock::read(folder.path()).unwrap_err().with_help("lock");
        assert!(message.ends_with("\n  help: name a file that this user can read"), "{message}");
    }
}
