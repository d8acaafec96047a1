//! The options for the location and the encryption of records, and how they are opened.

#[cfg(feature = "postgres")]
mod binding;
mod check;
mod commands;
#[cfg(feature = "postgres")]
mod database;
mod location;

use std::{
    fmt,
    path::{Path, PathBuf},
};

use clap::Args;
use osb_runtime::store::{Key, Record, Records, Store};
use osb_store::{Keys, Redb};

use self::location::{Location, LocationParser};
pub(super) use self::{
    check::{CheckArgs, check},
    commands::{CopyArgs, copy, reseal},
    location::with_own_stores,
};
use super::{Failure, own_store::OwnStores, platforms};

#[derive(Debug, Args)]
#[group(skip)]
#[command(next_help_heading = "Records")]
pub(super) struct StoreArgs {
    /// File with the records of instances and bindings, which `serve` creates; `postgres://…`, for several processes on one
    /// database; `binding:NAME`, the database of this service binding of the process; or `memory`, which is lost when the process
    /// ends [default: PROGRAM.redb in the current directory]
    #[arg(long = "store", value_name = "FILE|URL", env, value_parser = LocationParser::default())]
    osb_store: Option<Location>,

    #[command(flatten)]
    keys: KeyArgs,
}

#[derive(Debug, Args)]
#[group(skip)]
#[command(next_help_heading = "Records")]
struct KeyArgs {
    /// Keys that encrypt records; prefer the environment. Without keys records are NOT encrypted
    ///
    /// Each key is 32 random bytes, in hexadecimal or base64; separate several by white space. `openssl rand -hex 32` makes
    /// one. The first key encrypts, and all of them decrypt, so you can rotate keys
    #[arg(
        long = "store-keys",
        value_name = "KEY ...",
        env,
        // Keys in the configuration file give way to a file named on the command line or in the environment.
        default_value_if("osb_store_keys_file", clap::builder::ArgPredicate::IsPresent, clap::builder::Resettable::Reset)
    )]
    // Not parsed by clap, which would show an invalid value in its message.
    osb_store_keys: Option<String>,

    /// File with keys as in --store-keys; don't keep it beside the records
    #[arg(long = "store-keys-file", value_name = "FILE", env, conflicts_with = "osb_store_keys")]
    osb_store_keys_file: Option<PathBuf>,
}

impl StoreArgs {
    fn location(&self, program: &str) -> Location {
        self.osb_store.clone().unwrap_or_else(|| Location::File(Path::new(program).with_extension("redb")))
    }

    /// Opens the records; also returns a description of their location for the banner.
    pub(super) async fn open(&self, stores: &OwnStores) -> Result<(Records, String), Failure> {
        match self.location(&stores.program) {
            Location::Memory => {
                // Wrong ones would be reported only when the store is changed.
                self.keys.read()?;
                Ok((Records::in_memory(), "in memory only, lost when this process ends".to_owned()))
            }
            Location::File(path) => self.open_file(&path).await,
            #[cfg(feature = "postgres")]
            Location::Postgres(url) => database::open(&url, self.keys.read()?, &stores.program).await,
            Location::Own { scheme, url } => {
                let records = stores.open(scheme, &url, self.keys.read()?, true).await?;
                let how = if records.store().is_sealed() { "encrypted".to_owned() } else { not_encrypted(&scheme) };
                Ok((records, format!("in `{scheme}`, {how}")))
            }
        }
    }

    /// Opens the records of a broker that is not running.
    pub(super) async fn open_existing(&self, stores: &OwnStores) -> Result<Records, Failure> {
        open_existing(&self.location(&stores.program), &self.keys, stores, STORE).await
    }

    async fn open_file(&self, path: &Path) -> Result<(Records, String), Failure> {
        let (keys, file) = (self.keys.read()?, path.to_owned());
        let newest = keys.as_ref().map(Keys::newest);
        // The repair of a large file takes long, and a signal ends the wait for it.
        let opening = tokio::task::spawn_blocking(|| Redb::open(file, keys));
        let records = Records::new(opening.await.map_err(Failure::broken)?.map_err(cannot_open(STORE))?);
        let how = match newest {
            Some(key) => format!("encrypted with key {key}"),
            None => not_encrypted(&path.display()),
        };
        Ok((records, format!("in {}, {how}", path.display())))
    }

    /// Inserts records that were made elsewhere, all or none.
    pub(super) async fn insert(&self, program: &str, records: Vec<(Key, Record)>) -> Result<(), Failure> {
        let keys = self.keys.read()?;
        let (inserted, closed) = match self.location(program) {
            Location::File(path) => {
                let file = Redb::open(path, keys).map_err(cannot_open(STORE))?;
                (file.insert_all(records).await, file.close().await)
            }
            #[cfg(feature = "postgres")]
            Location::Postgres(url) => database::insert(&url, keys, program, records).await?,
            Location::Memory => return Err(memory_ends()),
            Location::Own { scheme, .. } => return Err(cannot_write(scheme)),
        };
        inserted.map_err(|error| Failure::Broken(format!("{error}\n  nothing was imported")))?;
        closed.map_err(Failure::broken)
    }

    /// Returns whether the records are in this file.
    pub(super) fn is_at(&self, path: &Path, program: &str) -> bool {
        match (self.location(program), std::fs::canonicalize(path)) {
            (Location::File(records), Ok(path)) => std::fs::canonicalize(records).is_ok_and(|records| records == path),
            _ => false,
        }
    }

    /// Opens the records if there are any.
    pub(super) async fn open_if_there(&self, stores: &OwnStores) -> Result<Option<Records>, Failure> {
        match self.location(&stores.program) {
            Location::File(path) if !path.exists() => Ok(None),
            Location::Memory => Err(memory_ends()),
            Location::Own { scheme, .. } => Err(cannot_write(scheme)),
            Location::File(_) => self.open_existing(stores).await.map(Some),
            #[cfg(feature = "postgres")]
            Location::Postgres(url) => {
                database::open_existing(&url, self.keys.read()?, &stores.program, STORE).await.map(Result::ok)
            }
        }
    }
}

/// Opens records, without creating any. `option`: the one that names their location.
async fn open_existing(
    location: &Location,
    keys: &KeyArgs,
    stores: &OwnStores,
    option: &str,
) -> Result<Records, Failure> {
    match location {
        Location::File(path) => {
            must_exist(path, option)?;
            Redb::open(path, keys.read()?).map(Records::new).map_err(cannot_open(option))
        }
        #[cfg(feature = "postgres")]
        Location::Postgres(url) => {
            database::open_existing(url, keys.read()?, &stores.program, option).await?.map_err(Failure::Usage)
        }
        Location::Own { scheme, url } => stores.open(scheme, url, keys.read()?, false).await,
        Location::Memory => {
            Err(Failure::Usage("records in memory exist only in the running broker; use --store FILE".to_owned()))
        }
    }
}

fn cannot_write(scheme: &str) -> Failure {
    Failure::Usage(format!(
        "this command can't write records to `{scheme}`, a store of the program's own; serve the broker, or use --store FILE"
    ))
}

/// Checks that a records file exists. `option`: the one that names it.
fn must_exist(path: &Path, option: &str) -> Result<(), Failure> {
    if path.exists() {
        return Ok(());
    }
    Err(Failure::Usage(format!("the records file {} does not exist\n  set {option} to the file", path.display())))
}

fn memory_ends() -> Failure {
    Failure::Usage("records in memory end with the process; use --store FILE, or the URL of a database".to_owned())
}

impl KeyArgs {
    fn read(&self) -> Result<Option<Keys>, Failure> {
        let fail =
            |from: String, error: &dyn fmt::Display| Failure::Usage(format!("the keys in {from} are invalid: {error}"));
        if let Some(keys) = &self.osb_store_keys {
            return keys.parse().map(Some).map_err(|error| fail("--store-keys (OSB_STORE_KEYS)".to_owned(), &error));
        }
        let Some(file) = &self.osb_store_keys_file else { return Ok(None) };
        let text = zeroize::Zeroizing::new(platforms::read("--store-keys-file", file)?);
        text.parse().map(Some).map_err(|error| fail(file.display().to_string(), &error))
    }
}

/// The option that sets the location of the records, except in `records copy`.
const STORE: &str = "--store (OSB_STORE)";

fn with_options(error: &dyn fmt::Display, option: &str) -> String {
    format!("{error}\n  the location of the records is set by {option}, and their keys by OSB_STORE_KEYS")
}

fn cannot_open(option: &str) -> impl Fn(osb_store::OpenError) -> Failure {
    move |error| {
        let text = with_options(&error, option);
        if error.is_wrong_key() { Failure::Usage(text) } else { Failure::Broken(text) }
    }
}

/// Warns that records are not encrypted, and says so for the banner.
fn not_encrypted(place: &dyn fmt::Display) -> String {
    tracing::warn!(
        %place,
        "records are NOT encrypted: anyone with access to them or to a backup can read parameters and credentials; set \
         OSB_STORE_KEYS"
    );
    "NOT encrypted (set OSB_STORE_KEYS and run reseal)".to_owned()
}
