//! The stores, their entries and their tokens: in one file, and nothing is said to be done before it is on the disk.

mod entries;
mod inventory;
mod tenancy;

use std::{
    fmt, io,
    path::Path,
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use redb::{
    Database, Error, ReadTransaction, ReadableDatabase, ReadableTable, Table, TableDefinition, WriteTransaction,
};
use sha2::{Digest, Sha256};
use tokio::sync::Mutex;

pub use entries::{Entry, Listed, Listing, MAX_KEY, MAX_VALUE, NewEntry, PutError};
pub use inventory::{Inventory, StoreInfo, TokenInfo};
pub use tenancy::{Owner, Store, Terms, TermsError, TokenId};

use crate::hex;

/// Store: what is known of it, as JSON.
const STORES: TableDefinition<&str, &[u8]> = TableDefinition::new("stores");
/// Page of a dashboard: store.
const PAGES: TableDefinition<&str, &str> = TableDefinition::new("pages");
/// Store and token: what is known of it, as JSON.
const TOKENS: TableDefinition<(&str, &str), &[u8]> = TableDefinition::new("tokens");
/// Hash of a token: store and token.
const HASHES: TableDefinition<&[u8], (&str, &str)> = TableDefinition::new("hashes");
/// Store and key: when it expires, in milliseconds since 1970; how many bytes the value has; of what type it is.
const ENTRIES: TableDefinition<(&str, &str), (u64, u64, &str)> = TableDefinition::new("entries");
/// Store and key: value. Apart, so that to list or to sweep is not to read values.
const VALUES: TableDefinition<(&str, &str), &[u8]> = TableDefinition::new("values");
/// When, store and key: in the order in which entries expire.
const EXPIRIES: TableDefinition<(u64, &str, &str), ()> = TableDefinition::new("expiries");
/// What only this file knows.
const SECRETS: TableDefinition<&str, &[u8]> = TableDefinition::new("secrets");

/// How much of the file is kept in memory, in bytes.
const CACHE: usize = 64 << 20;

/// Where the time comes from.
pub type Clock = Arc<dyn Fn() -> SystemTime + Send + Sync>;

/// The file. Clones are the same file.
#[derive(Clone)]
pub struct Stores {
    file: Arc<Database>,
    turn: Arc<Mutex<()>>,
    clock: Clock,
    page_key: [u8; 32],
}

impl Stores {
    /// Opens the file, or makes it.
    ///
    /// # Errors
    ///
    /// If it can't be read or written, is no such file, or is open already, here or in another process.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::with_clock(path, Arc::new(SystemTime::now))
    }

    /// The same, with a clock of one's own.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub fn with_clock(path: impl AsRef<Path>, clock: Clock) -> Result<Self, Error> {
        let file = Database::builder().set_cache_size(CACHE).create(path)?;
        let transaction = file.begin_write()?;
        // All tables are there from now on.
        Tables::of(&transaction)?;
        let page_key = page_key(&transaction)?;
        transaction.commit()?;
        Ok(Self { file: Arc::new(file), turn: Arc::default(), clock, page_key })
    }

    /// The name of the page with the dashboard of an instance: known before there is a store, and from nothing but this
    /// file, so that nobody can guess it.
    pub fn page(&self, owner: &Owner) -> String {
        let (platform, instance) = (&owner.platform, &owner.instance);
        // No platform's name has a zero byte.
        let hash = Sha256::new().chain_update(self.page_key).chain_update(platform).chain_update([0]);
        let hash = hash.chain_update(instance).finalize();
        // Half of it: the whole would be the beginning of the hash of longer ids.
        hex(&hash[..16])
    }

    fn now(&self) -> u64 {
        let since = (self.clock)().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }

    /// Changes the file, all or, if that ends in an error, nothing.
    async fn write<T, E>(&self, change: impl FnOnce(&mut Tables<'_>) -> Result<T, E> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        // First come, first served: what a cancelled create has begun is done before it is removed. Who has the turn
        // keeps it to the end, even if nobody waits for that any more.
        let turn = Arc::clone(&self.turn).lock_owned().await;
        let file = Arc::clone(&self.file);
        let done = blocking(move || {
            let _turn = turn;
            Ok(written(&file, change))
        });
        done.await.map_err(E::from)?
    }

    /// Reads the file, as it is at one moment.
    async fn read<T: Send + 'static>(
        &self,
        look: impl FnOnce(&ReadTransaction) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let file = Arc::clone(&self.file);
        blocking(move || look(&file.begin_read()?)).await
    }
}

impl fmt::Debug for Stores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stores").finish_non_exhaustive()
    }
}

/// Does what waits for the disk where nobody else waits for it.
pub(crate) async fn blocking<T, E>(work: impl FnOnce() -> Result<T, E> + Send + 'static) -> Result<T, E>
where
    T: Send + 'static,
    E: From<io::Error> + Send + 'static,
{
    // It is not done if the program ends before.
    tokio::task::spawn_blocking(work).await.map_err(io::Error::from)?
}

fn written<T, E: From<Error>>(file: &Database, change: impl FnOnce(&mut Tables<'_>) -> Result<T, E>) -> Result<T, E> {
    let transaction = file.begin_write().map_err(|error| E::from(error.into()))?;
    let done = change(&mut Tables::of(&transaction)?)?;
    transaction.commit().map_err(|error| E::from(error.into()))?;
    Ok(done)
}

/// What the names of pages are made with.
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

/// The tables, to be changed together.
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

/// What was written as JSON.
fn decode<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<T, Error> {
    serde_json::from_slice(bytes).map_err(|error| Error::Corrupted(error.to_string()))
}

fn encode(value: &impl serde::Serialize) -> Result<Vec<u8>, Error> {
    serde_json::to_vec(value).map_err(|error| Error::Io(error.into()))
}
