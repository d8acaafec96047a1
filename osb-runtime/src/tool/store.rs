//! The options of `serve` that say where the records are.

use std::{
    path::{Path, PathBuf},
    str::FromStr,
};

use clap::Args;

use super::Failure;
use crate::store::Records;

#[derive(Debug, Args)]
#[group(skip)]
#[command(next_help_heading = "Records")]
pub(super) struct StoreArgs {
    /// Where the records of instances and bindings are: a file, which is made if it does not exist, or `memory`, which
    /// ends with the process [default: a file in the current folder named after the program, such as kv-broker.redb]
    #[arg(id = "osb_store", long = "store", value_name = "FILE", env = "OSB_STORE", value_parser = Place::from_str)]
    place: Option<Place>,
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
            _ if cfg!(not(feature = "redb")) => Err("this program was built without files of records; write `memory`"),
            file => Ok(Self::File(file.into())),
        }
    }
}

impl StoreArgs {
    /// Opens the records, and says where they are.
    pub(super) fn open(&self, program: &str) -> Result<(Records, String), Failure> {
        let default =
            if cfg!(feature = "redb") { Place::File(Path::new(program).with_extension("redb")) } else { Place::Memory };
        match self.place.as_ref().unwrap_or(&default) {
            Place::Memory => Ok((Records::in_memory(), "in memory only, gone when this process ends".to_owned())),
            Place::File(path) => open(path),
        }
    }
}

#[cfg(feature = "redb")]
fn open(path: &Path) -> Result<(Records, String), Failure> {
    let records = Records::open(path);
    let records = records
        .map_err(|error| Failure::Broken(format!("{error}\n  --store (OSB_STORE) says where the records are")))?;
    Ok((records, format!("in {}", path.display())))
}

#[cfg(not(feature = "redb"))]
fn open(_: &Path) -> Result<(Records, String), Failure> {
    Err(Failure::Usage("this program was built without files of records".to_owned()))
}
