//! The errors of opening a store on PostgreSQL.

use std::fmt;

use deadpool_postgres::PoolError;

use super::{connections, readable, schema::quoted};
use crate::{codec::CodecError, seal::KeyId};

/// The reason why a store on PostgreSQL can't be opened.
#[derive(Debug)]
#[non_exhaustive]
pub enum ConnectError {
    /// The URL is malformed. The text doesn't contain the URL, which has a password.
    Url(String),
    /// The certificates or keys can't be used.
    Tls(String),
    /// The database can't be reached, refuses the user, or refuses a statement.
    Database(String),
    /// There are no tables of records.
    NoRecords {
        /// The name of the schema.
        schema: String,
    },
    /// The user may not read or write the records.
    Privileges {
        /// The table of the records, with its schema.
        table: String,
        /// The user of the database.
        user: String,
        /// The missing privileges, such as `insert, update, delete`.
        missing: String,
    },
    /// Row-level security can hide records from the user.
    RowSecurity {
        /// The table of the records, with its schema.
        table: String,
        /// The user of the database.
        user: String,
    },
    /// A newer release has migrated the tables.
    NewerSchema {
        /// The name of the schema.
        schema: String,
        /// The version of its tables.
        found: i32,
        /// The newest version that this release knows.
        known: i32,
    },
    /// Some records are encrypted, and no key was given.
    NoKeys {
        /// The name of the schema.
        schema: String,
        /// The key that encrypted them.
        sealed_with: KeyId,
    },
    /// The keys can't open some of the records.
    Keys {
        /// The name of the schema.
        schema: String,
        /// The key that sealed them; `None` for records that are not sealed.
        sealed_with: Option<KeyId>,
    },
    /// A record can't be read.
    Record(String),
}

impl ConnectError {
    pub(super) fn record(error: CodecError) -> Self {
        Self::Record(error.to_string())
    }
}

impl From<tokio_postgres::Error> for ConnectError {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Database(readable(&error))
    }
}

impl From<PoolError> for ConnectError {
    fn from(error: PoolError) -> Self {
        Self::Database(connections::reason(&error))
    }
}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Url(reason) => write!(f, "the URL of the database is wrong: {reason}"),
            Self::Tls(reason) => write!(f, "TLS to the database can't be set up: {reason}"),
            Self::Database(reason) => write!(f, "the database can't be used: {reason}"),
            Self::NoRecords { schema } => write!(
                f,
                "the database has no records in schema {schema:?}: name the schema of the broker with `?schema=NAME`"
            ),
            Self::Privileges { table, user, missing } => write!(
                f,
                "the user {user:?} of the database has no privilege to {missing} records: as the owner of the table, run \
                 `grant select, insert, update, delete on {table} to {}`",
                quoted(user)
            ),
            Self::RowSecurity { table, user } => write!(
                f,
                "row-level security can hide records from the user {user:?} of the database: as the owner of the table, run \
                 `alter table {table} disable row level security`"
            ),
            Self::NewerSchema { schema, found, known } => write!(
                f,
                "the tables of schema {schema:?} have version {found}, and this release knows {known}: a newer release \
                 has migrated them; start that release or a later one"
            ),
            Self::NoKeys { schema, sealed_with: key } => write!(
                f,
                "records in schema {schema:?} are encrypted with the key {key}, and no key was given: give that key"
            ),
            Self::Keys { schema, sealed_with: Some(key) } => write!(
                f,
                "records in schema {schema:?} are encrypted with the key {key}, which is not among the given keys: add \
                 that key after the newest one"
            ),
            Self::Keys { schema, sealed_with: None } => write!(
                f,
                "records in schema {schema:?} are not encrypted, although keys are given: encrypt them first, with \
                 `reseal`"
            ),
            Self::Record(reason) => write!(f, "a record can't be read: {reason}"),
        }
    }
}

impl std::error::Error for ConnectError {}
