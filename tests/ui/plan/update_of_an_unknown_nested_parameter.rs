//! A parameter of an update has a part that a create does not have.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

provisions!(Kv);
updates!(Kv, Free);

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", create = NewStore, update = StoreChanges)]
pub struct Free;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    pub backups: Vec<Backup>,
}

/// When a store is saved.
#[parameters(partial = BackupChanges)]
pub struct Backup {
    pub hour: u8,
}

/// When a store is saved.
#[parameters]
pub struct NewBackup {
    pub hour: u8,
    pub minute: Option<u8>,
}

/// The parameters of an update.
#[parameters]
pub struct StoreChanges {
    pub backups: Option<Vec<NewBackup>>,
}

fn main() {}
