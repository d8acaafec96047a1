//! The tables of a store on PostgreSQL, in a schema of their own, and their migrations.

use std::pin::pin;

use tokio::time::timeout;
use tokio_postgres::{
    Client, Row, Transaction,
    error::SqlState,
    types::{FromSql, Type},
};

use super::{ConnectError, statement::Value, timed_out, url::STATEMENT_TIMEOUT};

/// The migrations in their order; the version of the tables is their number. A release that needs other tables adds one, and
/// never changes those before it.
const MIGRATIONS: &[&str] = &["
    create table @.records (
        -- The bytes of `Key`, in whose order records are listed.
        key bytea primary key,
        record bytea not null,
        -- The id of the key that the record is sealed with; null for an unsealed record.
        sealed_with bytea,
        -- The end of the lease of a running operation, and the time to remove a tombstone, in ms since 1970.
        due bigint,
        forget_at bigint,
        -- The plans in use, for counting.
        service_id text,
        plan_ids text[],
        is_binding boolean not null
    );
    create index records_due on @.records (due, key) where due is not null;
    create index records_forget_at on @.records (forget_at) where forget_at is not null;
"];

/// The schemas with tables of other brokers, or of this one under an earlier name.
const OTHERS: &str = "
    select nspname::text from pg_catalog.pg_namespace as schema
    where nspname <> $1 and 2 = (
        select count(*) from pg_catalog.pg_class
        where relnamespace = schema.oid and relkind = 'r' and relname in ('records', 'migrations')
    )
    order by nspname";

/// The user, the privileges that it lacks, whether it can only read, whether commits are durable, and whether policies
/// can hide records from it. Here and below, functions have their schema if one of another user, in `public`, could fit the
/// types of the arguments better.
const ACCESS: &str = "
    select current_user::text,
        (select pg_catalog.array_agg(privilege) from pg_catalog.unnest(array['select', 'insert', 'update', 'delete']) as privilege
            where not has_table_privilege($1, privilege)),
        current_setting('transaction_read_only') = 'on',
        current_setting('synchronous_commit') <> 'off',
        row_security_active($1)";

/// The statements on the tables of one schema.
#[derive(Debug)]
pub(super) struct Statements {
    /// False for poolers in transaction mode: no prepared statements, no settings of a session, no notifications.
    pub(super) has_sessions: bool,
    pub(super) lock: String,
    pub(super) group: String,
    pub(super) insert: String,
    pub(super) insert_new: String,
    pub(super) update: String,
    pub(super) update_same: String,
    pub(super) delete: String,
    pub(super) delete_same: String,
    pub(super) read: String,
    pub(super) due: String,
    pub(super) list: String,
    pub(super) uses: String,
    pub(super) forget: String,
    pub(super) seals: String,
    pub(super) unsealed_by: String,
    pub(super) any: String,
    pub(super) lock_table: String,
    pub(super) notify: String,
    pub(super) listen: String,
}

/// Quotes an identifier.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

impl Statements {
    /// Returns the statement that begins a transaction. The limits are those of [`SESSION`](super::SESSION), which poolers in
    /// transaction mode don't keep.
    pub(super) fn begin(&self) -> &'static str {
        if self.has_sessions {
            "begin"
        } else {
            "begin isolation level read committed; set local idle_in_transaction_session_timeout = '5s'; \
             set local statement_timeout = '10s'; set local lock_timeout = 0"
        }
    }

    /// Returns the statement that begins a transaction without limits, for work on all records. Those of the role would apply
    /// behind a pooler in transaction mode.
    pub(super) fn begin_long() -> &'static str {
        "begin isolation level read committed; set local idle_in_transaction_session_timeout = 0; \
         set local statement_timeout = 0; set local lock_timeout = 0"
    }

    pub(super) fn new(schema: &str, has_sessions: bool) -> Self {
        let of = |sql: &str| sql.replace('@', &quoted(schema));
        let channel = format!("osb.{schema}");
        let update =
            of("update @.records set record = $2, sealed_with = $3, due = $4, forget_at = $5, service_id = $6, \
             plan_ids = $7, is_binding = $8 where key = $1");
        let insert =
            of("insert into @.records (key, record, sealed_with, due, forget_at, service_id, plan_ids, is_binding) \
             values ($1, $2, $3, $4, $5, $6, $7, $8)");
        let delete = of("delete from @.records where key = $1");
        Self {
            has_sessions,
            // A transaction locks the instance first. The next statement sees all that others had committed until then, new
            // bindings included.
            lock: of("select 1 from @.records where key = $1 for update"),
            group: of("select key, record from @.records where key = any($1) for update"),
            // In a transaction with the writes of other decisions, a key that exists must not be an error.
            insert_new: format!("{insert} on conflict do nothing returning true"),
            insert,
            // A decision on one record doesn't lock it between its read and its write.
            update_same: format!("{update} and record = $9 returning true"),
            update,
            delete_same: format!("{delete} and record = $2 returning true"),
            delete,
            read: of("select record from @.records where key = $1"),
            // A record that is locked is being worked on.
            due: of(
                "select due, key from @.records where due <= $1 and (due, key) > ($2, $3) order by due, key limit $4 \
                 for update skip locked",
            ),
            list: of("select key, record from @.records where key > $1 order by key limit $2"),
            uses: of(
                "select service_id, plan_id, count(*) filter (where not is_binding), count(*) filter (where is_binding) \
                 from @.records, pg_catalog.unnest(plan_ids) as plan_id group by service_id, plan_id",
            ),
            forget: of("delete from @.records where key in (select key from @.records where forget_at <= $1 limit $2 \
                 for update skip locked)"),
            seals: of("select distinct sealed_with from @.records"),
            unsealed_by: of(
                "select key, record from @.records where sealed_with is distinct from $1 and key > $2 order by key \
                 limit $3 for update",
            ),
            any: of("select 1 from @.records limit 1"),
            lock_table: of("lock table @.records in exclusive mode"),
            notify: format!(
                "select pg_notify('{}', payload) from pg_catalog.unnest($1::text[]) as payload",
                channel.replace('\'', "''")
            ),
            listen: format!("listen {}", quoted(&channel)),
        }
    }
}

/// Runs a statement that has no reason to take long. The session has no limit, because a migration may take long.
async fn ask(client: &Client, sql: &str, values: &[Value<'_>]) -> Result<Vec<Row>, ConnectError> {
    match timeout(STATEMENT_TIMEOUT, client.query_typed(sql, values)).await {
        Ok(found) => Ok(found?),
        Err(_) => Err(ConnectError::Database(timed_out().to_string())),
    }
}

/// Returns whether the tables exist, in any version.
pub(super) async fn exists(client: &Client, schema: &str) -> Result<bool, ConnectError> {
    let table = format!("{}.migrations", quoted(schema));
    let found = ask(client, "select to_regclass($1) is not null", &[(&table, Type::TEXT)]).await?;
    Ok(first(&found) == Some(true))
}

/// Creates the schema and its tables, or brings them up to date. Replicas that start at the same time wait for each other.
/// Nothing is prepared, because that fails behind poolers in transaction mode.
pub(super) async fn migrate(client: &mut Client, schema: &str) -> Result<(), ConnectError> {
    let name = quoted(schema);
    let known = i32::try_from(MIGRATIONS.len()).unwrap_or(i32::MAX);
    let newer = |found| ConnectError::NewerSchema { schema: schema.to_owned(), found, known };
    // The broker's user may have no right to create a schema that exists.
    if exists(client, schema).await? {
        match version(&ask(client, &newest(&name), &[]).await?) {
            at if at > known => return Err(newer(at)),
            at if at == known => return Ok(()),
            _ => {}
        }
    }
    let transaction = client.transaction().await?;
    lock(&transaction, schema).await?;
    let has_schema = "select exists (select from pg_catalog.pg_namespace where nspname = $1)";
    let found = transaction.query_typed(has_schema, &[(&schema, Type::TEXT)]).await?;
    if first(&found) == Some(false) {
        transaction.batch_execute(&format!("create schema {name}")).await.map_err(|error| refused(error, &name))?;
    }
    transaction
        .batch_execute(&format!(
            "create table if not exists {name}.migrations \
             (version integer primary key, applied_at timestamptz not null default now())"
        ))
        .await
        .map_err(|error| refused(error, &name))?;
    let at = version(&transaction.query_typed(&newest(&name), &[]).await?);
    if at > known {
        return Err(newer(at));
    }
    let others: Vec<String> = match at {
        0 => transaction.query_typed(OTHERS, &[(&schema, Type::TEXT)]).await?.iter().map(|row| row.get(0)).collect(),
        _ => Vec::new(),
    };
    for (number, migration) in (1..).zip(MIGRATIONS).filter(|(number, _)| *number > at) {
        transaction.batch_execute(&migration.replace('@', &name)).await?;
        transaction.batch_execute(&format!("insert into {name}.migrations (version) values ({number})")).await?;
    }
    transaction.commit().await?;
    if !others.is_empty() {
        tracing::warn!(
            schema,
            others = others.join(", "),
            "there are no records in this schema yet, and the database has other schemas with records: if this broker has been \
             renamed, stop it, drop this schema, and name the old one with `?schema=NAME`"
        );
    } else if at < known {
        tracing::info!(schema, from = at, to = known, "brought the tables of the record store up to date");
    }
    Ok(())
}

/// Waits until no other session migrates the tables.
async fn lock(transaction: &Transaction<'_>, schema: &str) -> Result<(), ConnectError> {
    const SQL: &str = "select pg_advisory_xact_lock(pg_catalog.hashtextextended('osb:' || $1, 0))";
    let values: [Value<'_>; 1] = [(&schema, Type::TEXT)];
    let mut locked = pin!(transaction.query_typed(SQL, &values));
    if let Ok(locked) = timeout(STATEMENT_TIMEOUT, &mut locked).await {
        locked?;
    } else {
        let why =
            "waiting for another session that migrates the tables or holds the same advisory lock; see `pg_locks`";
        tracing::warn!(schema, "{why}");
        locked.await?;
    }
    Ok(())
}

/// An error of creating the tables, with the remedy if the user has no right to.
fn refused(error: tokio_postgres::Error, schema: &str) -> ConnectError {
    if error.code() != Some(&SqlState::INSUFFICIENT_PRIVILEGE) {
        return error.into();
    }
    let reason = error.as_db_error().map_or_else(|| super::readable(&error), |error| error.message().to_owned());
    ConnectError::Database(format!(
        "{reason}: run `create schema {schema} authorization USER` for the user of the broker, or make it the owner of that schema"
    ))
}

/// Fails if the user may not write records. Otherwise the broker would be ready, and replace replicas that work.
pub(super) async fn check_access(client: &Client, schema: &str) -> Result<(), ConnectError> {
    let table = format!("{}.records", quoted(schema));
    let found = ask(client, ACCESS, &[(&table, Type::TEXT)]).await?;
    let Some(row) = found.first() else { return Ok(()) };
    if let Some(missing) = row.get::<_, Option<Vec<String>>>(1) {
        return Err(ConnectError::Privileges { table, user: row.get(0), missing: missing.join(", ") });
    }
    if row.get(4) {
        return Err(ConnectError::RowSecurity { table, user: row.get(0) });
    }
    if row.get(2) {
        tracing::warn!(
            "the database is read-only; requests that change something are answered 503 until it can be written"
        );
    }
    if !row.get::<_, bool>(3) {
        tracing::warn!(
            "the database has `synchronous_commit = off`: if it crashes, it loses the last changes, which platforms have seen; \
             run `alter role ... set synchronous_commit = on` for the user of the broker"
        );
    }
    Ok(())
}

fn newest(schema: &str) -> String {
    format!("select coalesce(max(version), 0) from {schema}.migrations")
}

fn version(found: &[Row]) -> i32 {
    first(found).unwrap_or_default()
}

fn first<'a, T: FromSql<'a>>(rows: &'a [Row]) -> Option<T> {
    rows.first().map(|row| row.get(0))
}
