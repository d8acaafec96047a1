//! The file: how it is written, and what can be wrong with it.

use std::{
    fmt, io,
    path::{Path, PathBuf},
    str::FromStr,
};

use osb_runtime::json::{self, Json};
use serde_json::Value;

use super::{VERSION, tree::Lock};

/// What fits into this many characters stands in one line: about a property each.
const WIDTH: usize = 116;

/// Why a lock file can't be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum LockError {
    /// There is none.
    Missing(PathBuf),
    /// It can't be read.
    Unreadable(PathBuf, io::Error),
    /// A newer release of this crate has written it, in a form that this one doesn't know.
    Newer(PathBuf, u64),
    /// It isn't what `lock` writes: a merge may have left its marks in it.
    Malformed(PathBuf, String),
}

impl LockError {
    /// The same, with what to do; `write` is the command that writes the file.
    #[must_use]
    pub fn with_help(&self, write: &str) -> String {
        let help = match self {
            Self::Missing(_) => format!("run `{write}` to write it, and commit it"),
            Self::Unreadable(..) => "see to it that it can be read".to_owned(),
            Self::Newer(..) => format!("build with the newer osb-runtime, or delete the file and run `{write}`"),
            Self::Malformed(..) => {
                format!("take it from version control again, or delete it and run `{write}` to begin anew")
            }
        };
        format!("{self}\n  help: {help}")
    }
}

impl fmt::Display for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(path) => write!(f, "there is no {}", path.display()),
            Self::Unreadable(path, error) => write!(f, "{} cannot be read: {error}", path.display()),
            Self::Newer(path, version) => write!(
                f,
                "{} has version {version} of the format of lock files, and this program knows {VERSION}",
                path.display()
            ),
            Self::Malformed(path, error) => write!(f, "{} is no lock file: {error}", path.display()),
        }
    }
}

impl std::error::Error for LockError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unreadable(_, error) => Some(error),
            _ => None,
        }
    }
}

impl Lock {
    /// Reads a lock file.
    pub fn read(path: &Path) -> Result<Self, LockError> {
        let text = std::fs::read_to_string(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => LockError::Missing(path.to_owned()),
            _ => LockError::Unreadable(path.to_owned(), error),
        })?;
        // First, as the rest of a newer one may look like anything.
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

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        json::from_str(text)
    }
}

/// As it stands in the file: JSON, in an order that depends on the catalog only, a property in a line.
impl fmt::Display for Lock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let json = serde_json::to_string(self).map_err(|_| fmt::Error)?;
        let value = Json::read(json.as_bytes()).map_err(|_| fmt::Error)?;
        let mut out = String::new();
        write_value(&value, 0, 0, &mut out);
        writeln!(f, "{out}")
    }
}

/// `before` is how much of the line is taken.
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
