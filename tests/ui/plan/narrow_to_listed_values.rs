//! A plan lists values that its parameters don't have, or lists them beside bounds, or where there are no whole numbers.

use osb_runtime::prelude::*;

include!("../case.rs");

/// A database.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "db", plans(Small, Large))]
pub struct Databases;

provisions!(Databases);

/// The parameters of a database.
#[parameters]
pub struct NewDatabase {
    /// Connections at once.
    #[param(range(min = 1, max = 100), default = 10)]
    pub connection_limit: u32,
    /// Copies on other machines.
    #[param(one_of(1, 3, 5))]
    pub copies: Option<u8>,
    /// The share of a processor.
    pub share: Option<f64>,
    /// The name.
    pub name: Option<String>,
    /// A log of the queries.
    pub log: Option<bool>,
    /// Where it is.
    pub region: Option<Region>,
}

/// Regions.
#[parameters]
pub enum Region {
    /// Europe.
    Eu,
    /// America.
    Us,
}

const HUGE: u32 = 1_000;

/// A small database.
#[plan(
    id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name = "small",
    create = NewDatabase,
    narrow(
        connection_limit(one_of(5, 20)),
        copies(one_of(1, 2)),
        share(one_of(1)),
        name(one_of(8, 16)),
        log(one_of(1))
    )
)]
pub struct Small;

/// A large database.
#[plan(
    id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02",
    name = "large",
    create = NewDatabase,
    narrow(connection_limit(one_of(10, HUGE)))
)]
pub struct Large;

/// Half-typed.
#[plan(
    id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03",
    name = "half",
    create = NewDatabase,
    narrow(connection_limit(max = 50, one_of(10, 20)), copies(one_of()), region(one_of("eu")))
)]
pub struct Half;
