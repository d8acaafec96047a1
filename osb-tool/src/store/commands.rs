//! The commands `records copy` and `reseal`.

use clap::Args;
use osb_runtime::lifecycle::admin::View;
use osb_store::{CopyError, Redb};

#[cfg(feature = "postgres")]
use super::database;
use super::{
    KeyArgs, STORE, StoreArgs, cannot_open, cannot_write,
    location::{Location, LocationParser},
    must_exist, open_existing,
};
use crate::{Failure, blocking, counted, own_store::OwnStores, print, progress::Progress};

/// The arguments of `records copy`.
#[derive(Debug, Args)]
#[group(skip)]
pub(crate) struct CopyArgs {
    /// Records to copy: a file, or the URL of a database
    #[arg(id = "osb_store_from", long = "from", value_name = "FILE|URL", value_parser = LocationParser::default())]
    from: Location,
    /// Place to copy them to: a file that does not exist, or the URL of a database with an empty schema
    #[arg(id = "osb_store_to", long = "to", value_name = "FILE|URL", value_parser = LocationParser::default())]
    to: Location,
    #[command(flatten)]
    keys: KeyArgs,
}

/// Copies the records of a stopped broker.
pub(crate) fn copy(options: &CopyArgs, stores: &OwnStores) -> Result<(), Failure> {
    let from = match &options.from {
        Location::Memory => return Err(memory_cannot_be_copied()),
        from => blocking(open_existing(from, &options.keys, stores, "--from"))??,
    };
    let mut progress = Progress::new("records copied");
    let copied = blocking(async {
        let copied = match &options.to {
            Location::File(path) => {
                let copied =
                    Redb::copy_from(from.store(), path, options.keys.read()?, &mut |done| progress.add(done)).await;
                copied.map_err(|error| cannot_copy(&error, false))
            }
            #[cfg(feature = "postgres")]
            Location::Postgres(url) => {
                let mut done = |number| progress.add(number);
                database::copy_from(from.store(), url, options.keys.read()?, &stores.program, &mut done).await
            }
            Location::Memory => return Err(memory_cannot_be_copied()),
            Location::Own { scheme, .. } => return Err(cannot_write(scheme)),
        };
        from.close().await;
        copied
    })??;
    drop(progress);
    print(&format!("copied {copied} to {}\n", options.to))
}

pub(super) fn cannot_copy(error: &CopyError, is_usage: bool) -> Failure {
    let text = format!("{error}\n  nothing was copied");
    if is_usage { Failure::Usage(text) } else { Failure::Broken(text) }
}

fn memory_cannot_be_copied() -> Failure {
    Failure::Usage("`memory` can't be copied: name a file, or the URL of a database".to_owned())
}

pub(crate) fn reseal(options: &StoreArgs, stores: &OwnStores) -> Result<(), Failure> {
    let location = options.location(&stores.program);
    let in_memory = || Failure::Usage("records in memory can't be re-encrypted; use --store FILE".to_owned());
    // Before the keys, which a broker with records in memory doesn't have.
    if location == Location::Memory {
        return Err(in_memory());
    }
    let keys = options
        .keys
        .read()?
        .ok_or_else(|| Failure::Usage("no keys: set OSB_STORE_KEYS (`openssl rand -hex 32` makes a key)".to_owned()))?;
    let newest = keys.newest();
    let mut progress = Progress::new("records encrypted");
    let mut done = |number| progress.add(number);
    let records = match &location {
        Location::File(path) => {
            must_exist(path, STORE)?;
            osb_store::reseal(path, keys, &mut done).map_err(cannot_open(STORE))?
        }
        #[cfg(feature = "postgres")]
        Location::Postgres(url) => blocking(database::reseal(url, keys, &stores.program, &mut done))??,
        Location::Memory => return Err(in_memory()),
        Location::Own { scheme, url } => blocking(async {
            let records = stores.open(scheme, url, Some(keys), false).await?;
            let resealed = View { store: records.store(), offerings: &[] }.reseal().await;
            records.close().await;
            match resealed.map_err(Failure::broken)? {
                (records, 0) => Ok(u64::try_from(records).unwrap_or(u64::MAX)),
                (_, unreadable) => {
                    Err(Failure::Broken(format!("{unreadable} records can't be read and stay as they are")))
                }
            }
        })??,
    };
    drop(progress);
    print(&format!("{} in {location} encrypted with key {newest}\n", counted(records, "record")))
}
