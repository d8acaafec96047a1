//! Fields have types that do not exist: each is reported once, also inside another type.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters(partial = StoreChanges)]
pub struct NewStore {
    /// Region of the store.
    #[param(default = "eu")]
    pub region: Zone,
    /// Backups of the store.
    pub backup: Option<Backups>,
    /// Labels of the store.
    #[param(immutable)]
    pub labels: Vec<Label>,
}

/// The sizes of the volumes.
#[parameters]
pub struct Sizes(Vec<Volume>);

/// The schedule of backups.
#[parameters(tag = "kind")]
pub enum Backup {
    /// No backups.
    None,
    /// One a day.
    Daily {
        /// Hours of the day.
        hours: Vec<Hour>,
    },
}

/// The credentials for a store.
#[credentials]
pub struct Access {
    /// Port of the store.
    pub port: Option<Port>,
}

fn main() {}
