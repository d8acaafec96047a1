//! What is in the stores: keys and values, until they expire.

use std::{fmt, time::Duration};

use bytes::Bytes;
use redb::{Error, ReadableTable};

use super::{ENTRIES, EXPIRIES, Store, Stores, Tables, VALUES};

/// The longest key, in bytes.
pub const MAX_KEY: usize = 512;
/// The largest value, in bytes.
pub const MAX_VALUE: usize = 1_000_000;
/// How many entries that have expired are removed at a time, as others want to write too.
const SWEPT: usize = 500;
/// How often it is looked for what has expired. It is not given out in the meantime.
const SWEEP: Duration = Duration::from_secs(1);

/// An entry to put.
#[derive(Debug, Clone)]
pub struct NewEntry {
    /// The key.
    pub key: String,
    /// The value.
    pub value: Bytes,
    /// What kind of value it is, as in a `Content-Type`.
    pub content_type: String,
    /// Seconds after which it expires; those of the store if none are given.
    pub ttl: Option<u32>,
}

impl NewEntry {
    /// A text, for as long as the store says.
    pub fn text(key: String, value: String) -> Self {
        Self { key, value: value.into(), content_type: "text/plain; charset=utf-8".to_owned(), ttl: None }
    }

    /// Whether a store whose keys begin with `prefix` could take it.
    ///
    /// # Errors
    ///
    /// If key or value are too long, or the key begins with something else.
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

/// A value that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The value.
    pub value: Bytes,
    /// What kind of value it is, as it was put.
    pub content_type: String,
}

/// Some keys of a store, in the order of their bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// The keys.
    pub keys: Vec<Listed>,
    /// Whether there are more after the last one.
    pub more: bool,
}

/// A key in a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// The key.
    pub key: String,
    /// How many bytes its value has.
    pub bytes: u64,
    /// Seconds until it expires, rounded up.
    pub expires_in: u64,
}

/// Why nothing was put.
#[derive(Debug)]
pub enum PutError {
    /// There is no such store.
    NoStore,
    /// The key is empty, or has this many bytes.
    KeyLength(usize),
    /// The key doesn't begin with this.
    Prefix(String),
    /// The value has this many bytes.
    ValueLength(usize),
    /// The entry is to live for longer than this many seconds, which the store allows, or not at all.
    Ttl(u32),
    /// There is no more room.
    Full {
        /// How many bytes there would be.
        bytes: u64,
        /// How many there may be.
        quota: u64,
    },
    /// The file could not be written.
    Broken(Error),
}

impl fmt::Display for PutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoStore => f.write_str("there is no such store"),
            Self::KeyLength(bytes) => write!(f, "a key has 1 to {MAX_KEY} bytes, and this one has {bytes}"),
            Self::Prefix(prefix) => write!(f, "every key of this store begins with `{prefix}`"),
            Self::ValueLength(bytes) => write!(f, "a value has at most {MAX_VALUE} bytes, and this one has {bytes}"),
            Self::Ttl(ttl) => write!(f, "a key of this store lives for 1 to {ttl} seconds"),
            Self::Full { bytes, quota } => {
                write!(f, "the store is full: it may have {quota} bytes of keys and values, and would have {bytes}")
            }
            Self::Broken(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for PutError {}

impl From<Error> for PutError {
    fn from(error: Error) -> Self {
        Self::Broken(error)
    }
}

impl Stores {
    /// Puts entries into a store, all or none, in place of those with the same keys.
    ///
    /// # Errors
    ///
    /// If one of them can't be there, there is no such store or no room in it, or the file can't be written.
    pub async fn put(&self, store: &str, entries: Vec<NewEntry>) -> Result<(), PutError> {
        let (id, now) = (store.to_owned(), self.now());
        self.write(move |tables| {
            let mut store = tables.store(&id)?.ok_or(PutError::NoStore)?;
            for entry in &entries {
                entry.check(&store.prefix)?;
                tables.take(&id, &entry.key, &mut store)?;
                if store.bytes + entry.bytes() > store.terms.quota {
                    // Nobody gets what has expired any more, so it shall take no room.
                    tables.save(&id, &store)?;
                    store = tables.expire(&id, now)?.ok_or(PutError::NoStore)?;
                }
                tables.put(&id, entry, &mut store, now)?;
            }
            Ok(tables.save(&id, &store)?)
        })
        .await
    }

    /// The value of a key, unless it has expired.
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

    /// Removes a key. One that is not there is no error.
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

    /// The first keys that begin with `prefix`, of those after `after` if it is given.
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

    /// Removes some of what has expired. Returns whether that was all.
    ///
    /// # Errors
    ///
    /// If the file can't be read or written.
    pub async fn sweep(&self) -> Result<bool, Error> {
        let now = self.now();
        // Most of the time there is nothing, and no reason to write.
        let due = self.read(move |file| {
            let first = file.open_table(EXPIRIES)?.range(..(now + 1, "", ""))?.next().transpose()?;
            Ok(first.is_some())
        });
        if !due.await? {
            return Ok(true);
        }
        Ok(self.write(move |tables| tables.sweep(now)).await? < SWEPT)
    }

    /// Removes what has expired, again and again.
    pub async fn keep_swept(self) {
        loop {
            match self.sweep().await {
                Ok(false) => continue,
                Ok(true) => {}
                Err(error) => tracing::warn!(%error, "what has expired can't be removed"),
            }
            tokio::time::sleep(SWEEP).await;
        }
    }
}

impl Tables<'_> {
    /// Removes an entry of a store, if it is there.
    fn take(&mut self, id: &str, key: &str, store: &mut Store) -> Result<(), Error> {
        if let Some(bytes) = self.remove(id, key)? {
            store.entries -= 1;
            store.bytes -= bytes;
        }
        Ok(())
    }

    /// Removes an entry, and says how many bytes key and value had.
    fn remove(&mut self, id: &str, key: &str) -> Result<Option<u64>, Error> {
        let Some((expires, bytes)) = self.entries.remove((id, key))?.map(|entry| (entry.value().0, entry.value().1))
        else {
            return Ok(None);
        };
        self.values.remove((id, key))?;
        self.expiries.remove((expires, id, key))?;
        Ok(Some(key.len() as u64 + bytes))
    }

    /// Adds an entry whose key is not there.
    fn put(&mut self, id: &str, entry: &NewEntry, store: &mut Store, now: u64) -> Result<(), PutError> {
        let longest = store.terms.ttl;
        let ttl = entry.ttl.unwrap_or(longest);
        if !(1..=longest).contains(&ttl) {
            return Err(PutError::Ttl(longest));
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

    /// Removes all of one store that has expired.
    pub(super) fn expire(&mut self, id: &str, now: u64) -> Result<Option<Store>, Error> {
        let Some(mut store) = self.store(id)? else { return Ok(None) };
        let keys = self.keys(id, usize::MAX, |expires| expires <= now)?;
        for key in keys {
            self.take(id, &key, &mut store)?;
        }
        self.save(id, &store)?;
        Ok(Some(store))
    }

    /// Removes so many entries of a store that is gone. Returns how many there were.
    pub(super) fn clear(&mut self, id: &str, most: usize) -> Result<usize, Error> {
        let keys = self.keys(id, most, |_| true)?;
        for key in &keys {
            self.remove(id, key)?;
        }
        Ok(keys.len())
    }

    fn keys(&self, id: &str, most: usize, wanted: impl Fn(u64) -> bool) -> Result<Vec<String>, Error> {
        let mut keys = Vec::new();
        for entry in self.entries.range((id, "")..)? {
            let (at, entry) = entry?;
            if at.value().0 != id || keys.len() == most {
                break;
            }
            if wanted(entry.value().0) {
                keys.push(at.value().1.to_owned());
            }
        }
        Ok(keys)
    }

    /// Removes some of what has expired, in whichever store. Returns how many there were.
    fn sweep(&mut self, now: u64) -> Result<usize, Error> {
        let mut due = Vec::new();
        for expiry in self.expiries.range(..(now + 1, "", ""))?.take(SWEPT) {
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
                // What is left of a store that is being removed.
                None => {
                    self.remove(id, key)?;
                }
            }
        }
        Ok(due.len())
    }
}
