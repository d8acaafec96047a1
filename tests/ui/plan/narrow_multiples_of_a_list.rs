//! A plan accepts multiples of a list.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A database.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "db", plans(Small))]
pub struct Databases;

provisions!(Databases);

/// The parameters of a database.
#[parameters]
pub struct NewDatabase {
    /// The sizes of the disks in GB.
    pub disks: Vec<u32>,
}

/// A small database.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "small", create = NewDatabase, narrow(disks(multiple_of = 2)))]
pub struct Small;

fn main() {}
