//! A plan narrows what `narrow` can't: properties of a property, values of an enum, elements.

use osb_runtime::prelude::*;

/// The parameters of a database.
#[parameters]
pub struct NewDatabase {
    /// Connections at once.
    #[param(range(min = 1, max = 100), default = 10)]
    pub connections: u32,
    /// Backups.
    pub backup: Option<Backup>,
    /// The region.
    pub region: Region,
    /// Users.
    #[param(length(max = 10))]
    pub users: Vec<String>,
}

/// Backups.
#[parameters]
pub struct Backup {
    /// Copies.
    #[param(range(max = 9))]
    pub copies: u8,
}

/// A region.
#[parameters(rename_all = "lowercase")]
pub enum Region {
    /// Frankfurt.
    Eu,
    /// Virginia.
    Us,
}

/// A small database.
#[plan(
    id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name = "small",
    create = NewDatabase,
    narrow(create(connections(max = 20)), backup(copies(max = 2)), region("eu"), users(items(max = 20)))
)]
pub struct Small;

fn main() {}
