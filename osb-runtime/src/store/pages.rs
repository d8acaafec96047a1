//! Lists of many records, which are read page by page.

use super::{Key, Record, Store, StoreError};
use crate::protocol::debug_text;

/// Number of records that are read at once.
const PAGE: usize = 256;

/// All records of a store in the order of their keys, page by page. The store is used in between, so they are no snapshot.
#[derive(Clone)]
pub struct Pages<'a> {
    store: &'a dyn Store,
    last: Option<Key>,
    /// Size of the next page.
    size: usize,
}

impl<'a> Pages<'a> {
    /// Begins with the first record.
    pub fn of(store: &'a dyn Store) -> Self {
        Self { store, last: None, size: PAGE }
    }

    /// Begins with the first record after a key.
    pub fn after(store: &'a dyn Store, key: Key) -> Self {
        Self { last: Some(key), ..Self::of(store) }
    }

    /// Reads the next page; `None` after the last record. A record that can't be read is an error. It can be called again.
    pub async fn next(&mut self) -> Result<Option<Vec<(Key, Record)>>, StoreError> {
        let before = self.last.clone();
        let page = self.next_each().await?.map(|page| page.into_iter().map(|(key, one)| Ok((key, one?))).collect());
        page.transpose().inspect_err(|_| self.last = before)
    }

    /// Like [`next`](Self::next), with an error in the place of a record that can't be read.
    pub async fn next_each(&mut self) -> Result<Option<Vec<(Key, Result<Record, StoreError>)>>, StoreError> {
        let page = self.store.list(self.last.as_ref(), self.size).await?;
        self.size = PAGE;
        // A page that is not full may have others after it.
        let Some((last, _)) = page.last() else { return Ok(None) };
        self.last = Some(last.clone());
        Ok(Some(page))
    }

    /// Lists the records of an instance's bindings, of which at most `limit` are not tombstones.
    pub(crate) async fn bindings(
        store: &'a dyn Store,
        instance: &Key,
        limit: u64,
    ) -> Result<Vec<(Key, Record)>, StoreError> {
        let (mut pages, mut found, mut live) = (Self::after(store, instance.clone()), Vec::new(), 0);
        pages.size = usize::try_from(limit).map_or(PAGE, |limit| limit.clamp(1, PAGE));
        // There may be many more tombstones.
        while live < limit
            && let Some(page) = pages.next_each().await?
        {
            for (key, record) in page {
                if key.of_instance() != *instance {
                    return Ok(found);
                }
                // Only now: that of the next instance may be unreadable.
                let record = record?;
                live += u64::from(record.binding().is_some());
                found.push((key, record));
            }
        }
        Ok(found)
    }
}

debug_text!(Pages<'_>, Self { last, .. } => "Pages {{ last: {last:?}, .. }}");

/// A page of a list. `Debug` prints the number of entries.
#[derive(Clone)]
#[non_exhaustive]
pub struct Page<T> {
    /// The entries, in the order of their keys.
    pub entries: Vec<T>,
    /// The key after which the next page starts; `None` after the last one.
    pub next: Option<Key>,
}

debug_text!(Page<T> where T, Self { entries, next } => "Page {{ entries: {}, next: {next:?} }}", entries.len());

impl<T> Page<T> {
    /// Finds at most `limit` entries of the records after a key.
    pub(crate) async fn find(
        store: &dyn Store,
        after: Option<Key>,
        limit: usize,
        entry: impl Fn(&Key, Result<Record, StoreError>) -> Result<Option<T>, StoreError>,
    ) -> Result<Self, StoreError> {
        let mut pages = Pages { last: after.clone(), ..Pages::of(store) };
        let (mut entries, mut last) = (Vec::new(), after);
        while let Some(page) = pages.next_each().await? {
            for (key, record) in page {
                if entries.len() >= limit {
                    return Ok(Self { entries, next: last });
                }
                entries.extend(entry(&key, record)?);
                last = Some(key);
            }
        }
        Ok(Self { entries, next: None })
    }
}
