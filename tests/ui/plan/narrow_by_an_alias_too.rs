//! A plan narrows a parameter twice, by its name and by the one that it had in an earlier release.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A database.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "db", plans(Small))]
pub struct Databases;

provisions!(Databases);

/// The parameters of a database.
#[parameters]
pub struct NewDatabase {
    /// Connections at once.
    #[param(range(min = 1, max = 100), default = 10, alias = "sessions")]
    pub connection_limit: u32,
}

/// A small database.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "small", create = NewDatabase, narrow(connection_limit(max = 20), sessions(min = 2)))]
pub struct Small;

fn main() {}
