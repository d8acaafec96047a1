//! Fields have types or crates that do not exist, or lack a type argument: each is reported once, also inside another type.

use osb_runtime::prelude::*;

// Mistake: Fields have types that do not exist: each is reported once, also inside another type.
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

// Mistake: A field has a type of a crate that isn't there, in a type with a partial one.
/// The size of a store.
#[parameters(partial = SizeUpdate)]
pub struct Size {
    /// When it is deleted.
    pub end: Option<chrono::NaiveDate>,
}

// Mistake: A map, a list and an optional field lack a type argument.
#[parameters(partial = GenericChanges)]
pub struct Generics {
    pub labels: std::collections::HashMap<String>,
    pub alarms: Option<Vec>,
    pub owner: Option,
}

fn main() {}
