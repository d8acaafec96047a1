//! Imports initial entries from files with one JSON object per line, `{"key": "...", "value": "..."}`.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom},
    path::PathBuf,
    sync::Arc,
};

use serde::{Deserialize, Serialize};

use crate::stores::{MAX_KEY, MAX_VALUE, NewEntry, blocking};

/// Maximum number of entries in a batch.
const BATCH: usize = 100;
/// Size in bytes after which a batch ends, if that is earlier.
const BATCH_BYTES: u64 = 1_000_000;
/// Maximum length of a line in bytes: JSON may take six characters for a byte.
const MAX_LINE: u64 = 6 * (MAX_KEY + MAX_VALUE) as u64 + 100;

/// The directory with the operator's files.
#[derive(Debug, Clone)]
pub struct Imports(PathBuf);

/// A position in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Position {
    /// Bytes.
    pub bytes: u64,
    /// Lines, including blank ones.
    pub lines: u64,
    /// Entries.
    pub entries: u64,
}

/// A validated file.
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

/// The reason for which a file can't be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// There is no such file, or it is not a regular file.
    #[error("There is no file `{0}` to import; ask the operator of the broker")]
    Missing(String),
    /// A line is not an entry.
    #[error("Line {line} of `{name}` is not an entry such as {{\"key\": \"k\", \"value\": \"v\"}}: {reason}")]
    Line {
        /// The file.
        name: String,
        /// The number of the line, from 1.
        line: u64,
        /// The mistake.
        reason: String,
    },
    /// The file can't be read.
    #[error("the file can't be read: {0}")]
    Broken(#[from] io::Error),
}

/// The contents of a line.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    key: String,
    value: String,
}

impl Imports {
    /// Uses the files in a directory, which need not exist.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self(directory.into())
    }

    /// Opens the file with this name, and checks that every line is an entry whose key starts with `prefix`.
    ///
    /// # Errors
    ///
    /// If the file does not exist, has an invalid line, or can't be read.
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
    /// Returns the file's name.
    pub fn name(&self) -> &str {
        &self.file.name
    }

    /// Returns the number of entries.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Reads a batch of entries from a position, and returns the position after it; the batch is empty at the end of the file.
    ///
    /// # Errors
    ///
    /// If the file has become invalid since it was opened, or can't be read.
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
    /// Reads a batch, and moves the position past it.
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
            if let Some(entry) = self.entry(&line).map_err(|reason| self.invalid(position.lines, reason))? {
                position.entries += 1;
                entries.push(entry);
            }
        }
        Ok(entries)
    }

    fn open(&self) -> Result<BufReader<File>, ImportError> {
        let missing = || ImportError::Missing(self.name.clone());
        // Checked before opening, because opening a pipe would wait for a writer. A symbolic link could lead out of the
        // directory.
        match self.path.symlink_metadata() {
            Ok(data) if data.is_file() => Ok(BufReader::new(File::open(&self.path)?)),
            Ok(_) => Err(missing()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(missing()),
            Err(error) => Err(error.into()),
        }
    }

    fn invalid(&self, line: u64, reason: String) -> ImportError {
        ImportError::Line { name: self.name.clone(), line, reason }
    }

    /// Parses a line; a blank one has no entry.
    fn entry(&self, line: &[u8]) -> Result<Option<NewEntry>, String> {
        if line.len() as u64 > MAX_LINE {
            return Err(format!("it has more than {MAX_LINE} bytes"));
        }
        if line.trim_ascii().is_empty() {
            return Ok(None);
        }
        let Line { key, value } = serde_json::from_slice(line).map_err(|error| {
            // The message's own line number is always 1.
            let text = error.to_string();
            let reason = text.split_once(" at line ").map_or(text.as_str(), |(reason, _)| reason);
            format!("{reason} at column {}", error.column())
        })?;
        let entry = NewEntry::text(key, value);
        entry.check(&self.prefix).map_err(|error| error.to_string())?;
        Ok(Some(entry))
    }
}
