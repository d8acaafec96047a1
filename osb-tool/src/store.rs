//! The options for the location and the encryption of records.

use std::{
    path::{Path, PathBuf},
    str::FromStr,
};

use clap::Args;

use super::Failure;
use osb_runtime::store::Records;
use osb_store::{Keys, Redb};

#[derive(Debug, Args)]
#[group(skip)]
#[command(next_help_heading = "Records")]
pub(super) struct StoreArgs {
    /// File with the records of instances and bindings, which `serve` creates; or `memory`, which is lost when the process
    /// ends [default: PROGRAM.redb in the current directory]
    #[arg(id = "osb_store", long = "store", value_name = "FILE", env = "OSB_STORE", value_parser = Location::from_str)]
    location: Option<Location>,

    #[command(flatten)]
    keys: KeyArgs,
}

#[derive(Debug, Args)]
#[group(skip)]
struct KeyArgs {
    /// Keys that encrypt records; prefer the environment. Without keys records are NOT encrypted
    ///
    /// Each key is 32 random bytes, in hexadecimal or base64; separate several by white space. `openssl rand -hex 32` makes
    /// one. The first key encrypts, and all of them decrypt, so that you can rotate keys
    #[arg(
        id = "osb_store_keys",
        long = "store-keys",
        value_name = "KEY ...",
        env = "OSB_STORE_KEYS",
        hide_env_values = true
    )]
    // Not parsed by clap, which would show an invalid value in its message.
    keys: Option<String>,

    /// File with keys as in --store-keys; don't keep it beside the records
    #[arg(
        id = "osb_store_keys_file",
        long = "store-keys-file",
        value_name = "FILE",
        env = "OSB_STORE_KEYS_FILE",
        conflicts_with = "osb_store_keys"
    )]
    file: Option<PathBuf>,
}

/// The location of the records.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Location {
    Memory,
    File(PathBuf),
}

impl FromStr for Location {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "memory" => Ok(Self::Memory),
            "" => Err("write the name of a file, or `memory`"),
            file => Ok(Self::File(file.into())),
        }
    }
}

impl StoreArgs {
    fn location(&self, program: &str) -> Location {
        self.location.clone().unwrap_or_else(|| Location::File(Path::new(program).with_extension("redb")))
    }

    /// Opens the records; also returns a description of their location for the banner.
    pub(super) fn open(&self, program: &str) -> Result<(Records, String), Failure> {
        match self.location(program) {
            Location::Memory => Ok((Records::in_memory(), "in memory only, lost when this process ends".to_owned())),
            Location::File(path) => self.open_file(&path),
        }
    }

    /// Opens the records of a broker that is not running.
    pub(super) fn open_existing(&self, program: &str) -> Result<Records, Failure> {
        let Location::File(path) = self.location(program) else {
            return Err(Failure::Usage(
                "records in memory exist only in the running broker; use --admin URL, or --store FILE".to_owned(),
            ));
        };
        if !path.exists() {
            let path = path.display();
            return Err(Failure::Usage(format!(
                "the file of records {path} does not exist\n  set --store (OSB_STORE) to the file, or --admin (OSB_ADMIN_URL) to the admin address of a running broker"
            )));
        }
        self.open_quietly(&path)
    }

    fn open_quietly(&self, path: &Path) -> Result<Records, Failure> {
        Redb::open(path, self.keys.read()?).map(Records::new).map_err(|error| {
            Failure::Broken(format!(
                "{error}\n  if the broker is running, set --admin (OSB_ADMIN_URL) to its admin address"
            ))
        })
    }

    fn open_file(&self, path: &Path) -> Result<(Records, String), Failure> {
        let keys = self.keys.read()?;
        let newest = keys.as_ref().map(Keys::newest);
        let records = Records::new(Redb::open(path, keys).map_err(cannot_open)?);
        let how = match newest {
            Some(key) => format!("encrypted with key {key}"),
            None => {
                tracing::warn!(
                    file = %path.display(),
                    "records are NOT encrypted: anyone with access to the file or a backup of it can read parameters and \
                     credentials; set OSB_STORE_KEYS"
                );
                "NOT encrypted (set OSB_STORE_KEYS and run reseal)".to_owned()
            }
        };
        Ok((records, format!("in {}, {how}", path.display())))
    }
}

impl KeyArgs {
    fn read(&self) -> Result<Option<Keys>, Failure> {
        let fail = |from: String, error: &dyn std::fmt::Display| {
            Failure::Usage(format!("the keys in {from} are invalid: {error}"))
        };
        if let Some(keys) = &self.keys {
            return keys.parse().map(Some).map_err(|error| fail("OSB_STORE_KEYS".to_owned(), &error));
        }
        let Some(file) = &self.file else { return Ok(None) };
        let fail = |error: &dyn std::fmt::Display| fail(file.display().to_string(), error);
        let text = std::fs::read_to_string(file).map(zeroize::Zeroizing::new).map_err(|error| fail(&error))?;
        text.parse().map(Some).map_err(|error| fail(&error))
    }
}

fn cannot_open(error: osb_store::OpenError) -> Failure {
    Failure::Broken(format!(
        "{error}\n  the location of the records is set by --store (OSB_STORE), and their keys by OSB_STORE_KEYS"
    ))
}

pub(super) fn reseal(options: &StoreArgs, program: &str) -> Result<(), Failure> {
    let Location::File(path) = options.location(program) else {
        return Err(Failure::Usage("records in memory can't be re-encrypted; use --store FILE".to_owned()));
    };
    let keys = options
        .keys
        .read()?
        .ok_or_else(|| Failure::Usage("no keys: set OSB_STORE_KEYS (`openssl rand -hex 32` makes a key)".to_owned()))?;
    let newest = keys.newest();
    let records = osb_store::reseal(&path, keys).map_err(cannot_open)?;
    let plural = if records == 1 { "" } else { "s" };
    super::print(&format!("{records} record{plural} in {} encrypted with key {newest}\n", path.display()))
}
