//! Files to fill new stores from: a line of JSON for each entry, `{"key": "...", "value": "..."}`.

use std::{
    fmt,
    fs::File,
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom},
    path::PathBuf,
    sync::Arc,
};

use serde::{Deserialize, Serialize};

use crate::stores::{MAX_KEY, MAX_VALUE, NewEntry, blocking};

/// How many entries are put at once ...
const BATCH: usize = 100;
/// ... or how many bytes of lines, if that is less.
const BATCH_BYTES: u64 = 1_000_000;
/// The longest line, in bytes: JSON may write a byte with six characters.
const MAX_LINE: u64 = 6 * (MAX_KEY + MAX_VALUE) as u64 + 100;

/// The directory that the operator puts the files into.
#[derive(Debug, Clone)]
pub struct Imports(PathBuf);

/// How far a file has been read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Position {
    /// Bytes.
    pub bytes: u64,
    /// Lines, also those that hold nothing.
    pub lines: u64,
    /// Entries.
    pub entries: u64,
}

/// A file that has been found good.
#[derive(Debug)]
pub struct Import {
    file: Arc<Source>,
    total: u64,
}

#[derive(Debug)]
struct Source {
    path: PathBuf,
    name: String,
    prefix: String,
}

/// Why a store can't be filled from a file.
#[derive(Debug)]
pub enum ImportError {
    /// There is no such file.
    Missing(String),
    /// A line of it is no entry.
    Line {
        /// The file.
        name: String,
        /// The line, the first being 1.
        line: u64,
        /// What is wrong with it.
        what: String,
    },
    /// It can't be read.
    Broken(io::Error),
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(name) => write!(f, "There is no file `{name}` to fill a store from; ask who runs the broker"),
            Self::Line { name, line, what } => {
                write!(f, "Line {line} of `{name}` is no entry, such as {{\"key\": \"k\", \"value\": \"v\"}}: {what}")
            }
            Self::Broken(error) => write!(f, "the file can't be read: {error}"),
        }
    }
}

impl std::error::Error for ImportError {}

impl From<io::Error> for ImportError {
    fn from(error: io::Error) -> Self {
        Self::Broken(error)
    }
}

/// What a line says.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    key: String,
    value: String,
}

impl Imports {
    /// The files in a directory, which need not be there.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self(directory.into())
    }

    /// Finds the file of this name, and reads it whole: is every line an entry of a store whose keys begin with `prefix`?
    ///
    /// # Errors
    ///
    /// If it is not there, is not good, or can't be read.
    pub async fn open(&self, name: &str, prefix: &str) -> Result<Import, ImportError> {
        let file = Source { path: self.0.join(name), name: name.to_owned(), prefix: prefix.to_owned() };
        blocking(move || {
            let mut position = Position::default();
            while !file.read(&mut position)?.is_empty() {}
            Ok(Import { file: Arc::new(file), total: position.entries })
        })
        .await
    }
}

impl Import {
    /// The file's name.
    pub fn name(&self) -> &str {
        &self.file.name
    }

    /// How many entries there are.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Some entries from there on, and where they end; none at the end of the file.
    ///
    /// # Errors
    ///
    /// If the file has changed since it was opened, and is not good any more, or can't be read.
    pub async fn batch(&self, from: Position) -> Result<(Vec<NewEntry>, Position), ImportError> {
        let file = Arc::clone(&self.file);
        blocking(move || {
            let mut position = from;
            Ok((file.read(&mut position)?, position))
        })
        .await
    }
}

impl Source {
    /// Reads a batch, and moves the position behind it.
    fn read(&self, position: &mut Position) -> Result<Vec<NewEntry>, ImportError> {
        let mut lines = self.open()?;
        lines.seek(SeekFrom::Start(position.bytes))?;
        let (mut entries, start) = (Vec::new(), position.bytes);
        while entries.len() < BATCH && (entries.is_empty() || position.bytes - start < BATCH_BYTES) {
            let mut line = Vec::new();
            let read = lines.by_ref().take(MAX_LINE + 1).read_until(b'\n', &mut line)? as u64;
            if read == 0 {
                break;
            }
            position.bytes += read;
            position.lines += 1;
            if let Some(entry) = self.entry(&line).map_err(|what| self.bad(position.lines, what))? {
                position.entries += 1;
                entries.push(entry);
            }
        }
        Ok(entries)
    }

    fn open(&self) -> Result<BufReader<File>, ImportError> {
        let missing = || ImportError::Missing(self.name.clone());
        // Before it is opened: that of a pipe would wait for somebody to write.
        match self.path.metadata() {
            Ok(data) if data.is_file() => Ok(BufReader::new(File::open(&self.path)?)),
            Ok(_) => Err(missing()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(missing()),
            Err(error) => Err(error.into()),
        }
    }

    fn bad(&self, line: u64, what: String) -> ImportError {
        ImportError::Line { name: self.name.clone(), line, what }
    }

    /// The entry of a line; nothing if the line holds nothing.
    fn entry(&self, line: &[u8]) -> Result<Option<NewEntry>, String> {
        if line.len() as u64 > MAX_LINE {
            return Err(format!("it has more than {MAX_LINE} bytes"));
        }
        if line.trim_ascii().is_empty() {
            return Ok(None);
        }
        let Line { key, value } = serde_json::from_slice(line).map_err(|error| {
            // The line within the line is always the first.
            let text = error.to_string();
            let what = text.split_once(" at line ").map_or(text.as_str(), |(what, _)| what);
            format!("{what} at column {}", error.column())
        })?;
        let entry = NewEntry::text(key, value);
        entry.check(&self.prefix).map_err(|error| error.to_string())?;
        Ok(Some(entry))
    }
}
