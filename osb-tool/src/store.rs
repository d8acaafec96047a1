//! The options for the location and the encryption of records.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use clap::{
    Arg, Args, Command,
    builder::{StringValueParser, TypedValueParser},
    error::{ContextKind, ContextValue, ErrorKind},
};

use super::{Failure, own_store::Place, platforms, progress::Progress};
use osb_runtime::{
    lifecycle::admin::View,
    store::{Key, Record, Records, Store},
};
use osb_store::{Keys, Redb};

#[derive(Debug, Args)]
#[group(skip)]
#[command(next_help_heading = "Records")]
pub(super) struct StoreArgs {
    /// File with the records of instances and bindings, which `serve` creates; `postgres://…`, for several processes on one
    /// database; or `memory`, which is lost when the process ends [default: PROGRAM.redb in the current directory]
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

/// The location of the records.
#[derive(Clone, PartialEq, Eq)]
enum Location {
    Memory,
    File(PathBuf),
    /// The URL of a database, with its password.
    Postgres(String),
    /// A URL in a store of the author's own.
    Own {
        scheme: &'static str,
        url: String,
    },
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory => f.write_str("memory"),
            Self::File(path) => path.display().fmt(f),
            Self::Postgres(_) => f.write_str("the database"),
            Self::Own { scheme, .. } => write!(f, "`{scheme}`"),
        }
    }
}

impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Returns whether a text may be a mistyped URL of a database. It may have a password, which errors about a file would show.
fn may_be_url(text: &str) -> bool {
    let text = text.trim_start_matches(|c: char| !c.is_ascii_alphanumeric()).to_ascii_lowercase();
    let has_user = text.split_once(':').is_some_and(|(_, rest)| rest.contains('@'));
    let has_scheme = text.starts_with("postgres:") || text.starts_with("postgresql:") || text.contains("://");
    has_user || has_scheme || text.contains("password=")
}

/// Parses a [`Location`]. Its messages don't show the value, as those of clap for a function would, because of the password.
#[derive(Clone, Default)]
struct LocationParser {
    /// The schemes of the author's own stores.
    own: Vec<&'static str>,
}

impl LocationParser {
    fn parse(&self, text: &str) -> Result<Location, String> {
        // It would be part of the name of a file or a schema, and the broker would start there without its records.
        if text.trim_end() != text {
            return Err("remove the white space at its end, such as a newline".to_owned());
        }
        let scheme = text.split_once("://").map(|(scheme, _)| scheme);
        let own = self.own.iter().find(|own| Some(**own) == scheme);
        match (text, scheme, own) {
            ("memory", ..) => Ok(Location::Memory),
            (url, Some("postgres" | "postgresql"), _) => Ok(Location::Postgres(url.to_owned())),
            (url, _, Some(scheme)) => Ok(Location::Own { scheme, url: url.to_owned() }),
            (file, None, None) if !file.is_empty() && !may_be_url(file) => Ok(Location::File(file.into())),
            _ => {
                let own: String = self.own.iter().map(|scheme| format!("`{scheme}://…`, ")).collect();
                let postgres = "`postgres://…` in lower case and without quotes";
                Err(format!("write the name of a file, {postgres}, {own}or `memory`"))
            }
        }
    }
}

/// Lets the options for the location of records have the URLs of the author's own stores.
pub(super) fn with_own_stores(command: Command, own: &[&'static str]) -> Command {
    if own.is_empty() {
        return command;
    }
    let is_location = |id: &str| matches!(id, "osb_store" | "osb_store_from" | "osb_store_to");
    let also: String = own.iter().map(|scheme| format!(" [also: {scheme}://…]")).collect();
    let command = command.mut_args(|arg| {
        if !is_location(arg.get_id().as_str()) {
            return arg;
        }
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        // `--to` is parsed alike, for the message that nothing can be copied there.
        let also = if arg.get_id() == "osb_store_to" { "" } else { &also };
        arg.help(help + also).value_parser(LocationParser { own: own.to_vec() })
    });
    command.mut_subcommands(|command| with_own_stores(command, own))
}

impl TypedValueParser for LocationParser {
    type Value = Location;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<Self::Value, clap::Error> {
        let text = StringValueParser::new().parse_ref(command, arg, value)?;
        self.parse(&text).map_err(|why| {
            let arg = arg.map(ToString::to_string).unwrap_or_default();
            let message = format!("invalid value for '{arg}': {why}\n");
            let mut error = clap::Error::raw(ErrorKind::ValueValidation, message).with_cmd(command);
            // The place in the configuration file is found by them; they are not printed.
            error.insert(ContextKind::InvalidArg, ContextValue::String(arg));
            error.insert(ContextKind::InvalidValue, ContextValue::String(text));
            error
        })
    }
}

impl StoreArgs {
    fn location(&self, program: &str) -> Location {
        self.osb_store.clone().unwrap_or_else(|| Location::File(Path::new(program).with_extension("redb")))
    }

    /// Opens the records; also returns a description of their location for the banner.
    pub(super) async fn open(&self, at: &Place) -> Result<(Records, String), Failure> {
        match self.location(&at.program) {
            Location::Memory => {
                // Wrong ones would be reported only when the store is changed.
                self.keys.read()?;
                Ok((Records::in_memory(), "in memory only, lost when this process ends".to_owned()))
            }
            Location::File(path) => self.open_file(&path).await,
            Location::Postgres(url) => open_database(&url, self.keys.read()?, &at.program).await,
            Location::Own { scheme, url } => {
                let records = at.open(scheme, &url, self.keys.read()?, true).await?;
                let how = if records.store().is_sealed() { "encrypted".to_owned() } else { not_encrypted(&scheme) };
                Ok((records, format!("in `{scheme}`, {how}")))
            }
        }
    }

    /// Opens the records of a broker that is not running.
    pub(super) async fn open_existing(&self, at: &Place) -> Result<Records, Failure> {
        let path = match self.location(&at.program) {
            Location::File(path) => path,
            Location::Postgres(url) => {
                return existing_database(&url, self.keys.read()?, &at.program, STORE).await?.map_err(Failure::Usage);
            }
            Location::Own { scheme, url } => return at.open(scheme, &url, self.keys.read()?, false).await,
            Location::Memory => {
                return Err(Failure::Usage(
                    "records in memory exist only in the running broker; use --store FILE".to_owned(),
                ));
            }
        };
        must_exist(&path)?;
        Redb::open(&path, self.keys.read()?).map(Records::new).map_err(cannot_open(STORE))
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
            Location::Postgres(url) => {
                let connected = osb_store::Postgres::connect(&with_names(&url, program), keys).await;
                let database = connected.map_err(cannot_connect(STORE))?;
                (database.insert_all(records).await, database.close().await)
            }
            #[cfg(not(feature = "postgres"))]
            Location::Postgres(_) => return Err(no_postgres()),
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
    pub(super) async fn open_if_there(&self, at: &Place) -> Result<Option<Records>, Failure> {
        match self.location(&at.program) {
            Location::File(path) if !path.exists() => Ok(None),
            Location::Memory => Err(memory_ends()),
            Location::Own { scheme, .. } => Err(cannot_write(scheme)),
            Location::File(_) => self.open_existing(at).await.map(Some),
            Location::Postgres(url) => {
                existing_database(&url, self.keys.read()?, &at.program, STORE).await.map(Result::ok)
            }
        }
    }
}

fn cannot_write(scheme: &str) -> Failure {
    Failure::Usage(format!(
        "this command can't write records to `{scheme}`, a store of the program's own; serve the broker, or use --store FILE"
    ))
}

fn must_exist(path: &Path) -> Result<(), Failure> {
    if path.exists() {
        return Ok(());
    }
    let path = path.display();
    Err(Failure::Usage(format!("the records file {path} does not exist\n  set --store (OSB_STORE) to the file")))
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

fn with_options(error: &dyn fmt::Display, place: &str) -> String {
    format!("{error}\n  the location of the records is set by {place}, and their keys by OSB_STORE_KEYS")
}

fn cannot_open(place: &str) -> impl Fn(osb_store::OpenError) -> Failure {
    move |error| {
        let text = with_options(&error, place);
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

/// Opens the records in a database; also returns a description of their location for the banner.
#[cfg(feature = "postgres")]
async fn open_database(url: &str, keys: Option<Keys>, program: &str) -> Result<(Records, String), Failure> {
    let newest = keys.as_ref().map(Keys::newest);
    let url = with_names(url, program);
    let store = osb_store::Postgres::connect(&url, keys).await.map_err(cannot_connect(STORE))?;
    let place = store.location();
    let how = newest.map_or_else(|| not_encrypted(&place), |key| format!("encrypted with key {key}"));
    Ok((Records::new(store), format!("in {place}, {how}")))
}

/// Opens the records in a database, without creating any; the inner error says that there are none.
#[cfg(feature = "postgres")]
async fn existing_database(
    url: &str,
    keys: Option<Keys>,
    program: &str,
    place: &str,
) -> Result<Result<Records, String>, Failure> {
    match osb_store::Postgres::connect_existing(&with_names(url, program), keys).await {
        Ok(store) => Ok(Ok(Records::new(store))),
        Err(none @ osb_store::ConnectError::NoRecords { .. }) => Ok(Err(none.to_string())),
        Err(error) => Err(cannot_connect(place)(error)),
    }
}

#[cfg(not(feature = "postgres"))]
#[expect(clippy::unused_async, reason = "with PostgreSQL it connects")]
async fn existing_database(_: &str, _: Option<Keys>, _: &str, _: &str) -> Result<Result<Records, String>, Failure> {
    Err(no_postgres())
}

#[cfg(not(feature = "postgres"))]
#[expect(clippy::unused_async, reason = "with PostgreSQL it connects")]
async fn open_database(_: &str, _: Option<Keys>, _: &str) -> Result<(Records, String), Failure> {
    Err(no_postgres())
}

#[cfg(not(feature = "postgres"))]
fn no_postgres() -> Failure {
    let text = "this program was built without PostgreSQL; build it with the feature `postgres` of osb-tool";
    Failure::Usage(text.to_owned())
}

/// Adds the name of the program as that of the schema and of the connections, unless the URL has one, so that brokers can share a
/// database, and its administrators see whose connections they are.
#[cfg(feature = "postgres")]
fn with_names(url: &str, program: &str) -> String {
    let query = url.split_once('?').map(|(_, query)| query);
    let has = |parameter: &str| {
        query.is_some_and(|query| query.split('&').any(|pair| pair.split('=').next() == Some(parameter)))
    };
    let program = percent_encoding::utf8_percent_encode(program, percent_encoding::NON_ALPHANUMERIC);
    let missing = ["schema", "application_name"].into_iter().filter(|parameter| !has(parameter));
    let added = missing.map(|parameter| format!("{parameter}={program}")).collect::<Vec<_>>().join("&");
    match (added.as_str(), query) {
        ("", _) => url.to_owned(),
        (_, None) => format!("{url}?{added}"),
        (_, Some(_)) => format!("{url}&{added}"),
    }
}

#[cfg(feature = "postgres")]
fn cannot_connect(place: &str) -> impl Fn(osb_store::ConnectError) -> Failure {
    move |error| {
        let text = with_options(&error, place);
        if is_invalid_option(&error) { Failure::Usage(text) } else { Failure::Broken(text) }
    }
}

/// Returns whether the URL or the keys are wrong, so that another try fails too.
#[cfg(feature = "postgres")]
fn is_invalid_option(error: &osb_store::ConnectError) -> bool {
    use osb_store::ConnectError;
    matches!(
        error,
        ConnectError::Url(_)
            | ConnectError::Tls(_)
            | ConnectError::NewerSchema { .. }
            | ConnectError::NoKeys { .. }
            | ConnectError::NoRecords { .. }
            | ConnectError::Keys { .. }
    )
}

/// The arguments of `records copy`.
#[derive(Debug, Args)]
#[group(skip)]
pub(super) struct CopyArgs {
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
pub(super) fn copy(options: &CopyArgs, at: &Place) -> Result<(), Failure> {
    const FROM: &str = "--from";
    let keys = || options.keys.read();
    let from = match &options.from {
        Location::File(path) if !path.exists() => {
            return Err(Failure::Usage(format!("the records file {} does not exist", path.display())));
        }
        Location::File(path) => Records::new(Redb::open(path, keys()?).map_err(cannot_open(FROM))?),
        Location::Postgres(url) => {
            super::blocking(existing_database(url, keys()?, &at.program, FROM))??.map_err(Failure::Usage)?
        }
        Location::Memory => return Err(memory_cannot_be_copied()),
        Location::Own { scheme, url } => super::blocking(at.open(scheme, url, keys()?, false))??,
    };
    let mut progress = Progress::new("records copied");
    let copied = super::blocking(async {
        let copied = match &options.to {
            Location::File(path) => Redb::copy_from(from.store(), path, keys()?, &mut |done| progress.add(done)).await,
            #[cfg(feature = "postgres")]
            Location::Postgres(url) => {
                let url = with_names(url, &at.program);
                osb_store::Postgres::copy_from(from.store(), &url, keys()?, &mut |done| progress.add(done)).await
            }
            #[cfg(not(feature = "postgres"))]
            Location::Postgres(_) => return Err(no_postgres()),
            Location::Memory => return Err(memory_cannot_be_copied()),
            Location::Own { scheme, .. } => return Err(cannot_write(scheme)),
        };
        from.close().await;
        copied.map_err(|error| cannot_copy(&error))
    })??;
    drop(progress);
    super::print(&format!("copied {copied} to {}\n", options.to))
}

fn cannot_copy(error: &osb_store::CopyError) -> Failure {
    let text = format!("{error}\n  nothing was copied");
    #[cfg(feature = "postgres")]
    if let osb_store::CopyError::Write(cause) = error
        && cause.downcast_ref().is_some_and(is_invalid_option)
    {
        return Failure::Usage(text);
    }
    Failure::Broken(text)
}

fn memory_cannot_be_copied() -> Failure {
    Failure::Usage("`memory` can't be copied: name a file, or the URL of a database".to_owned())
}

pub(super) fn reseal(options: &StoreArgs, at: &Place) -> Result<(), Failure> {
    let location = options.location(&at.program);
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
            must_exist(path)?;
            osb_store::reseal(path, keys, &mut done).map_err(cannot_open(STORE))?
        }
        #[cfg(feature = "postgres")]
        Location::Postgres(url) => {
            let url = with_names(url, &at.program);
            super::blocking(osb_store::Postgres::reseal(&url, keys, &mut done))?.map_err(cannot_connect(STORE))?
        }
        #[cfg(not(feature = "postgres"))]
        Location::Postgres(_) => return Err(no_postgres()),
        Location::Memory => return Err(in_memory()),
        Location::Own { scheme, url } => super::blocking(async {
            let records = at.open(scheme, url, Some(keys), false).await?;
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
    let plural = if records == 1 { "" } else { "s" };
    super::print(&format!("{records} record{plural} in {location} encrypted with key {newest}\n"))
}
