//! A store on PostgreSQL, for brokers that run as several processes.
//!
//! A decision on one record is a read and a write that fails if the record has changed; those that wait for a connection are
//! batched. A decision on several records is a transaction of two round trips: the first begins it, locks the instance and
//! reads the records, the second writes and commits. Conflicts run the decision again.

mod batch;
mod clock;
mod connect;
mod connections;
mod copy;
mod error;
mod insert;
mod notify;
mod passfile;
mod queue;
mod read_only;
mod reseal;
mod schema;
mod statement;
#[cfg(test)]
mod tests;
mod tls;
mod transaction;
mod url;

use std::{
    fmt,
    pin::{Pin, pin},
    sync::Arc,
    time::Duration,
};

use deadpool_postgres::{
    Hook, HookError, Manager, ManagerConfig, Object, Pool, PoolError, QueueMode, RecyclingMethod, Runtime, Timeouts,
};
use osb_runtime::store::{Decision, Due, Key, Look, Pending, PlanUsage, Record, Store, StoreError, Timestamp, Wake};
use tokio_postgres::{Row, error::SqlState, types::Type};

pub use self::error::ConnectError;
use self::{
    batch::Batches,
    clock::Clock,
    connect::Connector,
    connections::{BusyConnection, Connections},
    notify::Notifications,
    read_only::LastSearch,
    schema::Statements,
    statement::{Value, signed, unsigned},
    tls::Tls,
    transaction::Failure,
    url::Options,
};
use crate::{
    codec::{Codec, CodecError},
    seal::{KeyId, Keys},
};

/// Number of records that are read or written at once in operations on all records.
const CHUNK: u16 = 1000;

/// Number of tombstones that one call removes. The calls are some seconds apart, and the deletions may be many.
const FORGOTTEN: i64 = 10_000;

/// The settings of a session. The server ends a transaction whose client is silent for this long, because its locks stop
/// other processes: the client may be stopped, or cut off. A shorter limit of the user would refuse requests that only have to
/// wait for a lock; with `serializable`, decisions on different records would conflict. Policies that hide records from the user
/// are an error of each statement: an instance that is hidden would be answered as one that doesn't exist.
const SESSION: &str = "set idle_in_transaction_session_timeout = '5s'; set statement_timeout = '10s'; \
    set lock_timeout = 0; set default_transaction_isolation = 'read committed'; set row_security = off";

/// A record store on PostgreSQL 13 or newer, for brokers that run as several equal processes behind a load balancer.
///
/// ```no_run
/// use osb_runtime::{lifecycle::Settings, store::Records};
/// use osb_store::{Keys, Postgres};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let keys: Keys = "8f5d1c6e0b7a49d2c3e4f5061728394a5b6c7d8e9fa0b1c2d3e4f5a6b7c8d9ea".parse()?;
/// let url = "postgres://kv:secret@db.example/broker?sslmode=verify-full&schema=kv";
/// let mut settings = Settings::default();
/// settings.store = Records::new(Postgres::connect(url, keys).await?);
/// # Ok(()) }
/// ```
pub struct Postgres {
    connections: Connections,
    codec: Codec,
    schema: String,
    statements: Arc<Statements>,
    clock: Arc<Clock>,
    batches: Batches,
    notifications: Arc<Notifications>,
    last_search: LastSearch,
    config: tokio_postgres::Config,
    connector: Connector,
}

impl fmt::Debug for Postgres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Postgres").field("schema", &self.schema).finish_non_exhaustive()
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.notifications.finish();
    }
}

/// The tables that a connection needs.
#[derive(Debug, Clone, Copy)]
enum Tables {
    /// They are created if there are none.
    Created,
    Existing,
}

impl Postgres {
    /// Connects to a database, and creates or migrates the tables. With [`Keys`], records are sealed.
    ///
    /// The URL is one of libpq: `postgres://USER:PASSWORD@HOST:PORT/DATABASE?…`, with several hosts too. Of its parameters,
    /// `sslmode` (`disable`, `prefer`, `require`, `verify-ca`, `verify-full`), `sslrootcert` (a file, or `system`, which
    /// verifies the name too), `sslcert` and `sslkey` (files in PEM, read for each connection), `channel_binding` (`disable`,
    /// `prefer`, or `require` for a certificate that is signed by ECDSA or RSA PKCS #1 with SHA-2), `connect_timeout`,
    /// `application_name`, `options` and `target_session_attrs` have the meaning that libpq gives them. Further parameters:
    ///
    /// | Parameter | Default | |
    /// | --- | --- | --- |
    /// | `schema` | `osb` | The schema with the tables. Brokers that share a database need different ones. |
    /// | `passfile` | none | A file with the password, in the format of libpq: lines `HOST:PORT:DATABASE:USER:PASSWORD`, with `*` for any value. It is read for each connection, so the password can change while the broker runs. `PGPASSFILE` and a file at home are not read. |
    /// | `pool_size` | 16 | Maximum number of connections of this process, besides one for notifications. Requests that wait for one are batched. |
    /// | `pooler` | `none` | `transaction` for a pooler in transaction mode, such as PgBouncer: statements are not prepared, and other processes are not notified. `session`, for a pooler in session mode, has the effect of `none`. |
    ///
    /// Statements that take longer than 10 s are given up. `connect_timeout` (5 s) is for each host, authentication included.
    /// Of several hosts, the one that answered last is tried first, and `target_session_attrs` is `read-write` by default.
    ///
    /// # Errors
    ///
    /// If the URL is malformed, the database can't be reached, the user may not create or write the tables, a newer release has
    /// migrated them, or the records can't be opened with the keys.
    pub async fn connect(url: &str, keys: impl Into<Option<Keys>>) -> Result<Self, ConnectError> {
        Self::open(url, Codec { keys: keys.into(), reads_unsealed: false }, Tables::Created).await
    }

    /// Connects to a database that has records, and creates nothing in another one. Otherwise like [`connect`](Self::connect).
    ///
    /// # Errors
    ///
    /// The same as for [`connect`](Self::connect), and if there are no tables.
    pub async fn connect_existing(url: &str, keys: impl Into<Option<Keys>>) -> Result<Self, ConnectError> {
        Self::open(url, Codec { keys: keys.into(), reads_unsealed: false }, Tables::Existing).await
    }

    async fn open(url: &str, codec: Codec, tables: Tables) -> Result<Self, ConnectError> {
        let Options { config, passfile, verification, files, schema, pool_size, has_sessions } = url.parse()?;
        let connector = Connector::new(&config, passfile, Tls::new(verification, files)?);
        connector.check_passfile().await?;
        migrate(&connector, &schema, tables).await?;
        let pool = pool(&config, &connector, pool_size, has_sessions)?;
        let this = Self {
            statements: Arc::new(Statements::new(&schema, has_sessions)),
            clock: Arc::default(),
            batches: Batches::new(pool_size),
            notifications: Arc::default(),
            last_search: LastSearch::default(),
            connections: Connections::new(pool, &connector),
            codec,
            schema,
            config,
            connector,
        };
        {
            // Closed at the end: connections end with the runtime that made them, and the store may be used in another one.
            let connection = this.client().await?;
            let client = connection.client().map_err(|error| ConnectError::Database(error.to_string()))?;
            this.clock.read(client, &this.statements).await?;
            this.check_seals(client).await?;
        }
        Ok(this)
    }

    /// Returns the place of the records, for people: the schema, the database and its hosts.
    pub fn location(&self) -> String {
        let database = self.config.get_dbname().or(self.config.get_user()).unwrap_or_default();
        format!("schema {} of database {database} at {}", self.schema, self.connector.addresses())
    }

    /// Fails if there are records that the keys can't open.
    async fn check_seals(&self, client: &Object) -> Result<(), ConnectError> {
        // All records are read, which may take longer than the time that a session has for a statement.
        client.batch_execute("begin; set local statement_timeout = 0; set local lock_timeout = '10s'").await?;
        let rows = self.statements.rows(client, &self.statements.seals, &[]).await?;
        client.batch_execute("commit").await?;
        for row in rows {
            let sealed_with = row.get::<_, Option<&[u8]>>(0).and_then(KeyId::from_bytes);
            if !self.codec.opens(sealed_with) {
                let schema = self.schema.clone();
                return Err(match sealed_with {
                    Some(sealed_with) if self.codec.keys.is_none() => ConnectError::NoKeys { schema, sealed_with },
                    _ => ConnectError::Keys { schema, sealed_with },
                });
            }
        }
        Ok(())
    }

    /// Starts the exchange of notifications in the current runtime.
    fn listen(&self) {
        if self.statements.has_sessions {
            self.notifications.start(&self.connector, &self.statements.listen, &self.statements.notify);
        }
    }

    async fn client(&self) -> Result<BusyConnection, PoolError> {
        self.connections.get().await
    }

    /// Closes the connections that are idle: after a failover, all of them lead to the old primary.
    fn close_idle(&self) {
        self.connections.pool.retain(|_, _| false);
    }

    /// Runs one statement, and runs it once more if its connection can't be used any more.
    async fn request(&self, sql: &str, values: &[Value<'_>]) -> Result<Vec<Row>, StoreError> {
        let request = pin!(async {
            match self.request_once(sql, values).await? {
                Err(error) if transaction::is_lost(&error) => {
                    self.close_idle();
                    self.request_once(sql, values).await?.map_err(failed)
                }
                done => done.map_err(failed),
            }
        });
        within(request).await
    }

    async fn request_once(
        &self,
        sql: &str,
        values: &[Value<'_>],
    ) -> Result<Result<Vec<Row>, tokio_postgres::Error>, StoreError> {
        // A statement that is given up leaves a connection that may be silent for ever.
        let connection = self.client().await.map_err(unavailable)?;
        let done = self.statements.rows(connection.client()?, sql, values).await;
        if !done.as_ref().is_err_and(transaction::is_lost) {
            connection.release();
        }
        Ok(done)
    }

    /// Reads a record as it is stored, and once more if its connection can't be used any more.
    async fn read_again(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let stored = match self.read_stored(key.to_vec()).await {
            Err(Failure::Lost(_)) => {
                self.close_idle();
                self.read_stored(key.to_vec()).await
            }
            done => done,
        };
        Ok(stored?)
    }

    fn read_record(&self, key: &[u8], stored: &[u8]) -> Result<Record, CodecError> {
        Codec::read(&self.codec.open(key, stored)?)
    }
}

/// Creates the tables or brings them up to date, in a session of its own.
async fn migrate(connector: &Connector, schema: &str, tables: Tables) -> Result<(), ConnectError> {
    let (mut client, connection) = connector.connect().await?;
    let connection = tokio::spawn(connection);
    let migrated = match tables {
        Tables::Existing if !schema::exists(&client, schema).await? => {
            Err(ConnectError::NoRecords { schema: schema.to_owned() })
        }
        Tables::Existing => schema::migrate(&mut client, schema).await,
        Tables::Created => match schema::migrate(&mut client, schema).await {
            Ok(()) => schema::check_access(&client, schema).await,
            failed => failed,
        },
    };
    drop(client);
    // It does not end while it waits for an answer.
    _ = tokio::time::timeout(Duration::from_secs(1), connection).await;
    migrated
}

fn pool(
    config: &tokio_postgres::Config,
    connector: &Connector,
    size: usize,
    has_sessions: bool,
) -> Result<Pool, ConnectError> {
    let manager = ManagerConfig { recycling_method: RecyclingMethod::Fast };
    let manager = Manager::from_connect(config.clone(), connector.clone(), manager);
    let patience = Some(url::STATEMENT_TIMEOUT);
    let limit = connector.limit();
    let timeouts = Timeouts { wait: patience, create: Some(limit), recycle: patience };
    Pool::builder(manager)
        .max_size(size)
        // The connection that was used last is the likeliest to work.
        .queue_mode(QueueMode::Lifo)
        .timeouts(timeouts)
        .runtime(Runtime::Tokio1)
        .post_create(Hook::async_fn(move |client, _| {
            Box::pin(async move {
                if !has_sessions {
                    return Ok(());
                }
                // The pool limits only the connection, and the session has no limit of its own yet.
                let prepared = tokio::time::timeout(limit, client.batch_execute(SESSION)).await;
                prepared.map_err(|_| HookError::message("no answer"))?.map_err(HookError::Backend)
            })
        }))
        .build()
        .map_err(|error| ConnectError::Url(error.to_string()))
}

/// Formats an error of the driver with its causes, which some of its own texts contain and others leave out.
fn readable(error: &(dyn std::error::Error + 'static)) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source()).map(ToString::to_string);
    let text = causes
        .fold(error.to_string(), |text, cause| if text.contains(&cause) { text } else { format!("{text}: {cause}") });
    // The sessions of others have statements with the same names, and those of this process are elsewhere.
    let of_poolers = [&SqlState::DUPLICATE_PSTATEMENT, &SqlState::INVALID_SQL_STATEMENT_NAME];
    match error.downcast_ref().and_then(tokio_postgres::Error::code) {
        Some(code) if of_poolers.contains(&code) => {
            format!("{text}; behind a pooler in transaction mode, the URL needs `pooler=transaction`")
        }
        _ => text,
    }
}

fn failed(error: tokio_postgres::Error) -> StoreError {
    StoreError::new(readable(&error))
}

fn unavailable(error: PoolError) -> StoreError {
    StoreError::new(format!("no connection to the database: {}", connections::reason(&error)))
}

/// Gives a request up that takes too long. The request is pinned by its caller, because moving its future would copy kilobytes.
async fn within<T>(request: Pin<&mut impl Future<Output = Result<T, StoreError>>>) -> Result<T, StoreError> {
    let ended = tokio::time::timeout(url::STATEMENT_TIMEOUT, request).await;
    ended.unwrap_or_else(|_| Err(timed_out()))
}

fn timed_out() -> StoreError {
    StoreError::new("the database didn't answer in 10 s")
}

impl Store for Postgres {
    fn transact<'a>(&'a self, keys: &'a [Key], decide: Decision<'a>) -> Pending<'a, ()> {
        Box::pin(async move { within(pin!(self.decide(keys, decide))).await })
    }

    fn is_sealed(&self) -> bool {
        self.codec.keys.is_some()
    }

    fn read<'a>(&'a self, key: &'a Key, look: Look<'a>) -> Pending<'a, ()> {
        Box::pin(async move {
            let key = key.to_bytes();
            let stored = within(pin!(self.read_again(&key))).await?;
            let record = stored.map(|stored| self.read_record(&key, &stored)).transpose();
            look(record.map_err(StoreError::new)?.as_ref());
            Ok(())
        })
    }

    fn due<'a>(&'a self, now: Timestamp, after: Option<&'a Due>, limit: usize) -> Pending<'a, Vec<Due>> {
        Box::pin(async move {
            let (at, key) = after.map_or((i64::MIN, Vec::new()), |due| (signed(due.at), due.key.to_bytes()));
            let (now, limit) = (signed(now), i64::try_from(limit).unwrap_or(i64::MAX));
            let values: [Value<'_>; 4] =
                [(&now, Type::INT8), (&at, Type::INT8), (&key, Type::BYTEA), (&limit, Type::INT8)];
            let rows = self.request(&self.statements.due, &values).await?;
            let due = rows.into_iter().map(|row| {
                let at = Timestamp::from_millis(unsigned(row.get(0)));
                Key::from_bytes(row.get(1)).map(|key| Due { at, key })
            });
            due.collect::<Result<_, _>>().map_err(StoreError::new)
        })
    }

    fn list<'a>(&'a self, after: Option<&'a Key>, limit: usize) -> Pending<'a, Vec<(Key, Result<Record, StoreError>)>> {
        Box::pin(async move {
            let after = after.map(Key::to_bytes).unwrap_or_default();
            let limit = i64::try_from(limit).unwrap_or(i64::MAX);
            let values: [Value<'_>; 2] = [(&after, Type::BYTEA), (&limit, Type::INT8)];
            let rows = self.request(&self.statements.list, &values).await?;
            let read = |row: Row| {
                let key: &[u8] = row.get(0);
                let record = self.read_record(key, row.get(1)).map_err(StoreError::new);
                Ok((Key::from_bytes(key).map_err(StoreError::new)?, record))
            };
            rows.into_iter().map(read).collect()
        })
    }

    fn plan_usage(&self) -> Pending<'_, Vec<PlanUsage>> {
        Box::pin(async move {
            let rows = self.request(&self.statements.uses, &[]).await?;
            let usage = |row: Row| PlanUsage {
                service_id: row.get(0),
                plan_id: row.get(1),
                instances: unsigned(row.get(2)),
                bindings: unsigned(row.get(3)),
            };
            Ok(PlanUsage::sum(rows.into_iter().map(usage)))
        })
    }

    fn forget(&self, now: Timestamp) -> Pending<'_, ()> {
        Box::pin(async move {
            let now = signed(now);
            let values: [Value<'_>; 2] = [(&now, Type::INT8), (&FORGOTTEN, Type::INT8)];
            self.request(&self.statements.forget, &values).await.map(drop)
        })
    }

    fn now(&self) -> Option<Timestamp> {
        Some(self.clock.now())
    }

    fn changed<'a>(&'a self, key: &'a Key) -> Wake<'a> {
        self.listen();
        Box::pin(self.notifications.changed(&key.to_bytes()))
    }

    fn handed_over(&self) -> Wake<'_> {
        self.listen();
        Box::pin(self.notifications.handed_over())
    }

    fn cancelled<'a>(&'a self, key: &'a Key) -> Wake<'a> {
        self.listen();
        Box::pin(self.notifications.notified(&key.to_bytes()))
    }

    fn close(&self) -> Pending<'_, ()> {
        Box::pin(async move {
            self.notifications.stop(&self.connector, &self.statements.notify).await;
            self.connections.pool.close();
            Ok(())
        })
    }
}
