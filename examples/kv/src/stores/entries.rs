//! Keys and values, until they expire.

use std::time::Duration;

use bytes::Bytes;
use redb::{Error, ReadableTable};

use super::{ENTRIES, EXPIRIES, Store, Stores, Tables, VALUES};

/// Maximum length of a key in bytes.
pub const MAX_KEY: usize = 512;
/// Maximum size of a value in bytes.
pub const MAX_VALUE: usize = 1_000_000;
/// Maximum number of expired entries in one transaction, so that other writers don't wait for long.
const SWEEP_BATCH: usize = 500;
/// Time between two sweeps for expired entries, which readers don't see in the meantime.
const SWEEP_INTERVAL: Duration = Duration::from_secs(1);

/// An entry to put.
#[derive(Debug, Clone)]
pub struct NewEntry {
    /// The key.
    pub key: String,
    /// The value.
    pub value: Bytes,
    /// The `Content-Type` of the value.
    pub content_type: String,
    /// Seconds after which it expires; `None` for the store's default.
    pub ttl: Option<u32>,
}

impl NewEntry {
    /// Creates an entry with a text and the store's default expiry.
    pub fn text(key: String, value: String) -> Self {
        Self { key, value: value.into(), content_type: "text/plain; charset=utf-8".to_owned(), ttl: None }
    }

    /// Checks whether a store with this prefix accepts the entry.
    ///
    /// # Errors
    ///
    /// If the key or the value is too long, or the key has another prefix.
    pub fn check(&self, prefix: &str) -> Result<(), PutError> {
        if self.key.is_empty() || self.key.len() > MAX_KEY {
            return Err(PutError::KeyLength(self.key.len()));
        }
        if !self.key.starts_with(prefix) {
            return Err(PutError::Prefix(prefix.to_owned()));
        }
        if self.value.len() > MAX_VALUE { Err(PutError::ValueLength(self.value.len())) } else { Ok(()) }
    }

    fn bytes(&self) -> u64 {
        (self.key.len() + self.value.len()) as u64
    }
}

/// A value and its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The value.
    pub value: Bytes,
    /// Its `Content-Type`.
    pub content_type: String,
}

/// Some keys of a store, in the order of their bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// The keys.
    pub keys: Vec<Listed>,
    /// `true` if the listing continues with more keys.
    pub more: bool,
}

/// A key in a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// The key.
    pub key: String,
    /// Number of bytes in its value.
    pub bytes: u64,
    /// Seconds until it expires, rounded up.
    pub expires_in: u64,
}

/// The reason for which entries were not stored.
#[derive(Debug, thiserror::Error)]
pub enum PutError {
    /// The store does not exist.
    #[error("the store does not exist")]
    NoStore,
    /// The key is empty, or has this many bytes.
    #[error("a key must have 1 to {MAX_KEY} bytes, but this one has {0}")]
    KeyLength(usize),
    /// The key doesn't have this prefix.
    #[error("keys of this store must start with `{0}`")]
    Prefix(String),
    /// The value has this many bytes.
    #[error("a value can have at most {MAX_VALUE} bytes, but this one has {0}")]
    ValueLength(usize),
    /// The expiry is zero, or more than this number of seconds, the store's maximum.
    #[error("the ttl of a key in this store must be between 1 and {0} seconds")]
    Ttl(u32),
    /// The store is full.
    #[error("the store is full: its quota is {quota} bytes of keys and values, and it would have {bytes}")]
    Full {
        /// Number of bytes that the store would have.
        bytes: u64,
        /// Maximum number of bytes.
        quota: u64,
    },
    /// The file could not be written.
    #[error(transparent)]
    Broken(#[from] Error),
}

impl Stores {
    /// Stores all entries or none, and replaces those with the same keys.
    ///
    /// # Errors
    ///
    /// If an entry is invalid, the store does not exist or is full, or the file can't be written.
    pub async fn put(&self, store: &str, entries: Vec<NewEntry>) -> Result<(), PutError> {
        let (id, now) = (store.to_owned(), self.now());
        self.write(move |tables| {
            let mut store = tables.store(&id)?.ok_or(PutError::NoStore)?;
            for entry in &entries {
                entry.check(&store.prefix)?;
                tables.take(&id, &entry.key, &mut store)?;
                if store.bytes + entry.bytes() > store.terms.quota {
                    // Expired entries don't count.
                    tables.save(&id, &store)?;
                    store = tables.expire(&id, now)?.ok_or(PutError::NoStore)?;
                }
                tables.put(&id, entry, &mut store, now)?;
            }
            Ok(tables.save(&id, &store)?)
        })
        .await
    }

    /// Returns the value of a key, unless it has expired.
    ///
    /// # Errors
    ///
    /// If the file can't be read.
    pub async fn get(&self, store: &str, key: &str) -> Result<Option<Entry>, Error> {
        let (id, key, now) = (store.to_owned(), key.to_owned(), self.now());
        self.read(move |file| {
            let entries = file.open_table(ENTRIES)?;
            let at = (id.as_str(), key.as_str());
            let Some(found) = entries.get(at)? else { return Ok(None) };
            let (expires, _, content_type) = found.value();
            let value = file.open_table(VALUES)?.get(at)?.filter(|_| expires > now);
            Ok(value.map(|value| Entry {
                value: Bytes::copy_from_slice(value.value()),
                content_type: content_type.to_owned(),
            }))
        })
        .await
    }

    /// Deletes a key. A missing key is not an error.
    ///
    /// # Errors
    ///
    /// If the file can't be written.
    pub async fn delete(&self, store: &str, key: &str) -> Result<(), Error> {
        let (id, key) = (store.to_owned(), key.to_owned());
        self.write(move |tables| {
            let Some(mut store) = tables.store(&id)? else { return Ok(()) };
            tables.take(&id, &key, &mut store)?;
            tables.save(&id, &store)
        })
        .await
    }

    /// Lists the first keys with a prefix, after the key `after`.
    ///
    /// # Errors
    ///
    /// If the file can't be read.
    pub async fn list(&self, store: &str, prefix: &str, after: &str, limit: usize) -> Result<Listing, Error> {
        let (id, prefix, after, now) = (store.to_owned(), prefix.to_owned(), after.to_owned(), self.now());
        self.read(move |file| {
            let mut listing = Listing { keys: Vec::new(), more: false };
            let from = if after > prefix { &after } else { &prefix };
            for entry in file.open_table(ENTRIES)?.range((id.as_str(), from.as_str())..)? {
                let (at, entry) = entry?;
                let ((store, key), (expires, bytes, _)) = (at.value(), entry.value());
                if store != id || !key.starts_with(&prefix) {
                    break;
                }
                if key == after || expires <= now {
                    continue;
                }
                if listing.keys.len() == limit {
                    listing.more = true;
                    break;
                }
                let expires_in = (expires - now).div_ceil(1_000);
                listing.keys.push(Listed { key: key.to_owned(), bytes, expires_in });
            }
            Ok(listing)
        })
        .await
    }

    /// Deletes a batch of expired entries. Returns whether it was the last one.
    ///
    /// # Errors
    ///
    /// If the file can't be read or written.
    pub async fn sweep(&self) -> Result<bool, Error> {
        let now = self.now();
        // Usually nothing has expired, and no write transaction is needed.
        let due = self.read(move |file| {
            let first = file.open_table(EXPIRIES)?.range(..(now + 1, "", ""))?.next().transpose()?;
            Ok(first.is_some())
        });
        if !due.await? {
            return Ok(true);
        }
        Ok(self.write(move |tables| tables.sweep(now)).await? < SWEEP_BATCH)
    }

    /// Deletes expired entries in regular intervals.
    pub async fn keep_swept(self) {
        loop {
            match self.sweep().await {
                Ok(false) => continue,
                Ok(true) => {}
                Err(error) => tracing::warn!(%error, "cannot delete expired entries"),
            }
            tokio::time::sleep(SWEEP_INTERVAL).await;
        }
    }
}

impl Tables<'_> {
    /// Deletes an entry of a store, if it exists, and updates the store's statistics.
    fn take(&mut self, id: &str, key: &str, store: &mut Store) -> Result<(), Error> {
        if let Some(bytes) = self.remove(id, key)? {
            store.entries -= 1;
            store.bytes -= bytes;
        }
        Ok(())
    }

    /// Deletes an entry, and returns the number of bytes in key and value.
    fn remove(&mut self, id: &str, key: &str) -> Result<Option<u64>, Error> {
        let Some((expires, bytes)) = self.entries.remove((id, key))?.map(|entry| (entry.value().0, entry.value().1))
        else {
            return Ok(None);
        };
        self.values.remove((id, key))?;
        self.expiries.remove((expires, id, key))?;
        Ok(Some(key.len() as u64 + bytes))
    }

    /// Adds an entry with a new key.
    fn put(&mut self, id: &str, entry: &NewEntry, store: &mut Store, now: u64) -> Result<(), PutError> {
        let max_ttl = store.terms.ttl;
        let ttl = entry.ttl.unwrap_or(max_ttl);
        if !(1..=max_ttl).contains(&ttl) {
            return Err(PutError::Ttl(max_ttl));
        }
        let (bytes, quota) = (store.bytes + entry.bytes(), store.terms.quota);
        if bytes > quota {
            return Err(PutError::Full { bytes, quota });
        }
        (store.bytes, store.entries) = (bytes, store.entries + 1);
        let (at, expires) = ((id, entry.key.as_str()), now + u64::from(ttl) * 1_000);
        let of_value = (expires, entry.value.len() as u64, entry.content_type.as_str());
        self.entries.insert(at, of_value).map_err(Error::from)?;
        self.values.insert(at, entry.value.as_ref()).map_err(Error::from)?;
        self.expiries.insert((expires, id, entry.key.as_str()), ()).map_err(Error::from)?;
        Ok(())
    }

    /// Deletes all expired entries of a store.
    pub(super) fn expire(&mut self, id: &str, now: u64) -> Result<Option<Store>, Error> {
        let Some(mut store) = self.store(id)? else { return Ok(None) };
        let keys = self.keys(id, usize::MAX, |expires| expires <= now)?;
        for key in keys {
            self.take(id, &key, &mut store)?;
        }
        self.save(id, &store)?;
        Ok(Some(store))
    }

    /// Deletes at most `limit` entries of a deleted store. Returns their number.
    pub(super) fn clear(&mut self, id: &str, limit: usize) -> Result<usize, Error> {
        let keys = self.keys(id, limit, |_| true)?;
        for key in &keys {
            self.remove(id, key)?;
        }
        Ok(keys.len())
    }

    fn keys(&self, id: &str, limit: usize, wanted: impl Fn(u64) -> bool) -> Result<Vec<String>, Error> {
        let mut keys = Vec::new();
        for entry in self.entries.range((id, "")..)? {
            let (at, entry) = entry?;
            if at.value().0 != id || keys.len() == limit {
                break;
            }
            if wanted(entry.value().0) {
                keys.push(at.value().1.to_owned());
            }
        }
        Ok(keys)
    }

    /// Deletes a batch of expired entries in all stores. Returns their number.
    fn sweep(&mut self, now: u64) -> Result<usize, Error> {
        let mut due = Vec::new();
        for expiry in self.expiries.range(..(now + 1, "", ""))?.take(SWEEP_BATCH) {
            let (at, _) = expiry?;
            let (_, id, key) = at.value();
            due.push((id.to_owned(), key.to_owned()));
        }
        for (id, key) in &due {
            match self.store(id)? {
                Some(mut store) => {
                    self.take(id, key, &mut store)?;
                    self.save(id, &store)?;
                }
                // The store is being deleted.
                None => {
                    self.remove(id, key)?;
                }
            }
        }
        Ok(due.len())
    }
}
