//! The copy of all records from one store to another.

use std::fmt;

use osb_runtime::store::{Key, Pages, Record, Store, StoreError};

/// The records that were copied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Copied {
    /// The number of instances.
    pub instances: u64,
    /// The number of bindings.
    pub bindings: u64,
    /// The number of tombstones of deleted instances and bindings.
    pub tombstones: u64,
}

impl Copied {
    fn count(&mut self, key: &Key, record: &Record) {
        match (record.forget_at(), &key.binding) {
            (Some(_), _) => self.tombstones += 1,
            (None, Some(_)) => self.bindings += 1,
            (None, None) => self.instances += 1,
        }
    }
}

impl fmt::Display for Copied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counted = |count: u64, name: &str| format!("{count} {name}{}", if count == 1 { "" } else { "s" });
        let Self { instances, bindings, tombstones } = *self;
        let (instances, bindings) = (counted(instances, "instance"), counted(bindings, "binding"));
        write!(f, "{instances}, {bindings} and {}", counted(tombstones, "tombstone"))
    }
}

/// Called with the number of records copied since the last call.
pub type Progress<'a> = &'a mut (dyn FnMut(u64) + Send);

/// The pages of all records of a store, which are counted.
pub(crate) struct CountedPages<'a> {
    pages: Pages<'a>,
    progress: Progress<'a>,
    pub(crate) copied: Copied,
}

impl<'a> CountedPages<'a> {
    pub(crate) fn new(from: &'a dyn Store, progress: Progress<'a>) -> Self {
        Self { pages: Pages::of(from), progress, copied: Copied::default() }
    }

    /// Returns the next page; `None` after the last record.
    pub(crate) async fn next(&mut self) -> Result<Option<Vec<(Key, Record)>>, StoreError> {
        let Some(page) = self.pages.next().await? else { return Ok(None) };
        (self.progress)(page.len() as u64);
        for (key, record) in &page {
            self.copied.count(key, record);
        }
        Ok(Some(page))
    }
}

/// The reason why records can't be copied. Nothing has been copied then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CopyError {
    /// The records can't be read.
    #[error("the records can't be read: {0}")]
    Read(StoreError),
    /// The target can't be written.
    #[error("the records can't be written: {0}")]
    Write(Box<dyn std::error::Error + Send + Sync>),
    /// The target has records already.
    #[error("{0} has records already; copy to an empty one")]
    NotEmpty(String),
}

impl CopyError {
    pub(crate) fn write(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Write(error.into())
    }
}
