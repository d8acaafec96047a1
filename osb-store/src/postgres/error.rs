//! The errors of opening a store on PostgreSQL.

use deadpool_postgres::PoolError;

use super::{connections, readable, schema::quoted};
use crate::{codec::CodecError, seal::KeyId};

/// The reason why a store on PostgreSQL can't be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The URL is malformed. The text doesn't contain the URL, which has a password.
    #[error("the URL of the database is wrong: {0}")]
    Url(String),
    /// The file with the password can't be read, or has no password for the database.
    #[error("there is no password for the database: {0}")]
    Passfile(String),
    /// The certificates or keys can't be used.
    #[error("TLS to the database can't be set up: {0}")]
    Tls(String),
    /// The database can't be reached, refuses the user, or refuses a statement.
    #[error("the database can't be used: {0}")]
    Database(String),
    /// There are no tables of records.
    #[error("the database has no records in schema {schema:?}: name the schema of the broker with `?schema=NAME`")]
    NoRecords {
        /// The name of the schema.
        schema: String,
    },
    /// The user may not read or write the records.
    #[error(
        "the user {user:?} of the database has no privilege to {missing} records: as the owner of the table, run \
         `grant select, insert, update, delete on {table} to {}`",
        quoted(user)
    )]
    Privileges {
        /// The table of the records, with its schema.
        table: String,
        /// The user of the database.
        user: String,
        /// The missing privileges, such as `insert, update, delete`.
        missing: String,
    },
    /// Row-level security can hide records from the user.
    #[error(
        "row-level security can hide records from the user {user:?} of the database: as the owner of the table, run \
         `alter table {table} disable row level security`"
    )]
    RowSecurity {
        /// The table of the records, with its schema.
        table: String,
        /// The user of the database.
        user: String,
    },
    /// A newer release has migrated the tables.
    #[error(
        "the tables of schema {schema:?} have version {found}, and this release knows {known}: a newer release \
         has migrated them; start that release or a later one"
    )]
    NewerSchema {
        /// The name of the schema.
        schema: String,
        /// The version of its tables.
        found: i32,
        /// The newest version that this release knows.
        known: i32,
    },
    /// Some records are encrypted, and no key was given.
    #[error(
        "records in schema {schema:?} are encrypted with the key {sealed_with}, and no key was given: give that key"
    )]
    NoKeys {
        /// The name of the schema.
        schema: String,
        /// The key that encrypted them.
        sealed_with: KeyId,
    },
    /// The keys can't open some of the records.
    #[error("records in schema {schema:?} are {}", wrong_keys(*sealed_with))]
    Keys {
        /// The name of the schema.
        schema: String,
        /// The key that sealed them; `None` for records that are not sealed.
        sealed_with: Option<KeyId>,
    },
    /// A record can't be read.
    #[error("a record can't be read: {0}")]
    Record(String),
}

impl ConnectError {
    pub(super) fn record(error: CodecError) -> Self {
        Self::Record(error.to_string())
    }
}

fn wrong_keys(sealed_with: Option<KeyId>) -> String {
    match sealed_with {
        Some(key) => format!(
            "encrypted with the key {key}, which is not among the given keys: add that key after the newest one"
        ),
        None => "not encrypted, although keys are given: encrypt them first, with `reseal`".to_owned(),
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
