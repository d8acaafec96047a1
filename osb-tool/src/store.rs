//! The options that say where the records are, and what seals them.

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
    /// Where the records of instances and bindings are: a file, which is made if it does not exist, or `memory`, which
    /// ends with the process [default: PROGRAM.redb in the current folder]
    #[arg(id = "osb_store", long = "store", value_name = "FILE", env = "OSB_STORE", value_parser = Place::from_str)]
    place: Option<Place>,

    #[command(flatten)]
    keys: KeyArgs,
}

#[derive(Debug, Args)]
#[group(skip)]
struct KeyArgs {
    /// What records are sealed with; better in the environment. Without keys they are NOT sealed
    ///
    /// Keys of 32 random bytes, in hexadecimal or base64, separated by spaces or line ends; `openssl rand -hex 32` makes
    /// one. The first one seals, and all of them open, so that keys can be replaced
    #[arg(
        id = "osb_store_keys",
        long = "store-keys",
        value_name = "KEY ...",
        env = "OSB_STORE_KEYS",
        hide_env_values = true
    )]
    // Read later: of a value that it can't use the parser of arguments shows what it is.
    keys: Option<String>,

    /// A file with such keys instead; not to be kept beside the records
    #[arg(
        id = "osb_store_keys_file",
        long = "store-keys-file",
        value_name = "FILE",
        env = "OSB_STORE_KEYS_FILE",
        conflicts_with = "osb_store_keys"
    )]
    file: Option<PathBuf>,
}

/// Where records can be.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    Memory,
    File(PathBuf),
}

impl FromStr for Place {
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
    fn place(&self, program: &str) -> Place {
        self.place.clone().unwrap_or_else(|| Place::File(Path::new(program).with_extension("redb")))
    }

    /// Opens the records, and says where they are.
    pub(super) fn open(&self, program: &str) -> Result<(Records, String), Failure> {
        match self.place(program) {
            Place::Memory => Ok((Records::in_memory(), "in memory only, gone when this process ends".to_owned())),
            Place::File(path) => self.open_file(&path),
        }
    }

    /// Opens the records of a broker that is not running.
    pub(super) fn open_existing(&self, program: &str) -> Result<Records, Failure> {
        let Place::File(path) = self.place(program) else {
            return Err(Failure::Usage(
                "records in memory are at the running broker only; say --admin URL, or name a file with --store"
                    .to_owned(),
            ));
        };
        if !path.exists() {
            let path = path.display();
            return Err(Failure::Usage(format!(
                "there is no file of records {path}\n  --store (OSB_STORE) names it; a running broker is asked with --admin URL"
            )));
        }
        self.open_quietly(&path)
    }

    fn open_quietly(&self, path: &Path) -> Result<Records, Failure> {
        Redb::open(path, self.keys.read()?)
            .map(Records::new)
            .map_err(|error| Failure::Broken(format!("{error}\n  a running broker is asked with --admin URL")))
    }

    fn open_file(&self, path: &Path) -> Result<(Records, String), Failure> {
        let keys = self.keys.read()?;
        let newest = keys.as_ref().map(Keys::newest);
        let records = Records::new(Redb::open(path, keys).map_err(cannot_open)?);
        let how = match newest {
            Some(key) => format!("sealed with the key {key}"),
            None => {
                tracing::warn!(
                    file = %path.display(),
                    "records are NOT sealed: whoever can read the file, or a backup of it, can read parameters and \
                     credentials; OSB_STORE_KEYS seals them"
                );
                "NOT sealed (OSB_STORE_KEYS and the command reseal do that)".to_owned()
            }
        };
        Ok((records, format!("in {}, {how}", path.display())))
    }
}

impl KeyArgs {
    fn read(&self) -> Result<Option<Keys>, Failure> {
        let fail = |from: String, error: &dyn std::fmt::Display| {
            Failure::Usage(format!("the keys in {from} can't be used: {error}"))
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
        "{error}\n  --store (OSB_STORE) says where the records are, and OSB_STORE_KEYS what seals them"
    ))
}

pub(super) fn reseal(options: &StoreArgs, program: &str) -> Result<(), Failure> {
    let Place::File(path) = options.place(program) else {
        return Err(Failure::Usage("records in memory end with their process; name a file with --store".to_owned()));
    };
    let keys = options.keys.read()?.ok_or_else(|| {
        Failure::Usage(
            "there is nothing to seal with: set OSB_STORE_KEYS (`openssl rand -hex 32` makes a key)".to_owned(),
        )
    })?;
    let newest = keys.newest();
    let records = osb_store::reseal(&path, keys).map_err(cannot_open)?;
    let plural = if records == 1 { "" } else { "s" };
    super::print(&format!("{records} record{plural} in {} sealed with the key {newest}\n", path.display()))
}
