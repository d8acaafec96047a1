//! The stores, their entries and their tokens, in one file. Every write is on disk before it is reported as done.

mod data_file;
mod entries;
mod inventory;
mod tenancy;

use std::{
    fmt, io,
    path::Path,
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use redb::{Error, ReadTransaction, ReadableTable, Table, TableDefinition, WriteTransaction};
use sha2::{Digest, Sha256};
use tokio::sync::Mutex;

use data_file::DataFile;
pub use entries::{Entry, Listed, Listing, MAX_KEY, MAX_VALUE, NewEntry, PutError};
pub use inventory::{Inventory, TokenInfo};
pub use tenancy::{Owner, Store, Terms, TermsError, TokenId};

use crate::hex;

/// Store id: `Store` as JSON.
const STORES: TableDefinition<&str, &[u8]> = TableDefinition::new("stores");
/// Name of a dashboard page: store id.
const PAGES: TableDefinition<&str, &str> = TableDefinition::new("pages");
/// Store id and token id: `Token` as JSON.
const TOKENS: TableDefinition<(&str, &str), &[u8]> = TableDefinition::new("tokens");
/// Hash of a token: store id and token id.
const HASHES: TableDefinition<&[u8], (&str, &str)> = TableDefinition::new("hashes");
/// Store id and key: expiry in milliseconds since 1970, number of bytes in the value, and its type.
const ENTRIES: TableDefinition<(&str, &str), (u64, u64, &str)> = TableDefinition::new("entries");
/// Store id and key: value. A separate table, so that lists and sweeps don't read values.
const VALUES: TableDefinition<(&str, &str), &[u8]> = TableDefinition::new("values");
/// Expiry, store id and key: an index by expiry.
const EXPIRIES: TableDefinition<(u64, &str, &str), ()> = TableDefinition::new("expiries");
/// Name: secret.
const SECRETS: TableDefinition<&str, &[u8]> = TableDefinition::new("secrets");

/// A source of time.
pub type Clock = Arc<dyn Fn() -> SystemTime + Send + Sync>;

/// The file. Clones share it.
#[derive(Clone)]
pub struct Stores {
    file: Arc<DataFile>,
    turn: Arc<Mutex<()>>,
    clock: Clock,
    page_key: [u8; 32],
}

impl Stores {
    /// Opens the file, or creates it. A file whose content has changed since it was written is refused.
    ///
    /// # Errors
    ///
    /// If it can't be read or written, has another format, or is open already, in this or another process.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::with_clock(path, Arc::new(SystemTime::now))
    }

    /// Opens the file with a custom clock.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub fn with_clock(path: impl AsRef<Path>, clock: Clock) -> Result<Self, Error> {
        let file = DataFile::open(path.as_ref())?;
        let page_key = file.write(|transaction| {
            // Creates missing tables.
            Tables::of(transaction)?;
            page_key(transaction)
        })?;
        Ok(Self { file: Arc::new(file), turn: Arc::default(), clock, page_key })
    }

    /// Returns the name of an instance's dashboard page. It is known before the store exists, and can't be guessed without a
    /// secret in this file.
    pub fn page(&self, owner: &Owner) -> String {
        let (platform, instance) = (&owner.platform, &owner.instance);
        // Names of platforms contain no zero byte.
        let hash = Sha256::new().chain_update(self.page_key).chain_update(platform).chain_update([0]);
        let hash = hash.chain_update(instance).finalize();
        // Half of it, because the whole hash would allow to compute the hashes of longer ids.
        hex(&hash[..16])
    }

    fn now(&self) -> u64 {
        let since = (self.clock)().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }

    /// Runs a write transaction, which is rolled back after an error.
    async fn write<T, E>(&self, change: impl FnOnce(&mut Tables<'_>) -> Result<T, E> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        // First come, first served, so that a cancelled create is complete before its rollback starts. The lock is held until
        // the transaction ends, even if its caller was dropped.
        let turn = Arc::clone(&self.turn).lock_owned().await;
        let file = Arc::clone(&self.file);
        let done = blocking(move || {
            let _turn = turn;
            Ok(file.write(|transaction| change(&mut Tables::of(transaction)?)))
        });
        done.await.map_err(E::from)?
    }

    /// Runs a read transaction.
    async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&ReadTransaction) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let file = Arc::clone(&self.file);
        blocking(move || file.read(read)).await
    }
}

impl fmt::Debug for Stores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stores").finish_non_exhaustive()
    }
}

/// Runs blocking work on a thread for that.
pub(crate) async fn blocking<T, E>(work: impl FnOnce() -> Result<T, E> + Send + 'static) -> Result<T, E>
where
    T: Send + 'static,
    E: From<io::Error> + Send + 'static,
{
    // Fails if the runtime shuts down first.
    tokio::task::spawn_blocking(work).await.map_err(io::Error::from)?
}

/// Returns the secret from which the names of pages are derived.
fn page_key(transaction: &WriteTransaction) -> Result<[u8; 32], Error> {
    let mut secrets = transaction.open_table(SECRETS)?;
    let known = secrets.get("pages")?.and_then(|key| key.value().try_into().ok());
    if let Some(key) = known {
        return Ok(key);
    }
    let key = random()?;
    secrets.insert("pages", key.as_slice())?;
    Ok(key)
}

fn random() -> Result<[u8; 32], Error> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| Error::Io(io::Error::other(error)))?;
    Ok(bytes)
}

/// The tables of a write transaction.
struct Tables<'t> {
    stores: Table<'t, &'static str, &'static [u8]>,
    pages: Table<'t, &'static str, &'static str>,
    tokens: Table<'t, (&'static str, &'static str), &'static [u8]>,
    hashes: Table<'t, &'static [u8], (&'static str, &'static str)>,
    entries: Table<'t, (&'static str, &'static str), (u64, u64, &'static str)>,
    values: Table<'t, (&'static str, &'static str), &'static [u8]>,
    expiries: Table<'t, (u64, &'static str, &'static str), ()>,
}

impl<'t> Tables<'t> {
    fn of(transaction: &'t WriteTransaction) -> Result<Self, Error> {
        Ok(Self {
            stores: transaction.open_table(STORES)?,
            pages: transaction.open_table(PAGES)?,
            tokens: transaction.open_table(TOKENS)?,
            hashes: transaction.open_table(HASHES)?,
            entries: transaction.open_table(ENTRIES)?,
            values: transaction.open_table(VALUES)?,
            expiries: transaction.open_table(EXPIRIES)?,
        })
    }
}

/// Parses JSON from the file.
fn decode<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<T, Error> {
    serde_json::from_slice(bytes).map_err(|error| Error::Corrupted(error.to_string()))
}

fn encode(value: &impl serde::Serialize) -> Result<Vec<u8>, Error> {
    serde_json::to_vec(value).map_err(|error| Error::Io(error.into()))
}
