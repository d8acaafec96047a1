//! The PostgreSQL server: its databases and roles, and sessions that change them.

use std::time::Duration;

use osb_runtime::service::{BoxError, Failure};
use postgres_protocol::password::scram_sha_256;
use tokio::time::sleep;
use tokio_postgres::{Client, Config, Error, NoTls, error::SqlState, types::ToSql};

use crate::sql::{
    Name,
    Value::{self, Fixed, Ident, Number, Text},
    sql,
};

/// The settings of every session. Applications could set others for their databases.
const OPTIONS: &str =
    "-c role=none -c search_path=pg_catalog -c default_transaction_read_only=off -c statement_timeout=0";

const IS_SUITABLE: &str = "SELECT current_setting('server_version_num')::int >= 130000
    AND (rolsuper OR rolcreatedb AND rolcreaterole) FROM pg_roles WHERE rolname = current_user";
const HAS_ROLE: &str = "SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)";
const HAS_DATABASE: &str = "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)";
const HAS_LIMIT: &str = "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1 AND datconnlimit = $2)";
const FITS: &str = "SELECT pg_database_size($1::name) <= $2::int8 * 1000000";
const END_EARLIER_ATTEMPTS: &str = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = $1 AND usename = current_user AND pid <> pg_backend_pid()";
const END_LOGIN: &str = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1";
const CROSSED_LIMIT: &str = "SELECT datname::text, is_large FROM (
        SELECT oid, datname, pg_database_size(oid) >
            substring(shobj_description(oid, 'pg_database') FROM '^[0-9]+')::int8 * 1000000 AS is_large
        FROM pg_database WHERE datname ~ '^osb_[0-9a-f]{32}$') AS sizes
    WHERE is_large <> EXISTS (SELECT FROM pg_db_role_setting
        WHERE setdatabase = oid AND setrole = 0 AND 'default_transaction_read_only=on' = ANY (setconfig))";

/// Classes and codes of errors that another attempt may not meet: a lost connection, a conflict between transactions, too
/// few resources, a server that starts or stops, an object in use, a row of the catalog that two sessions change.
const TEMPORARY: [&str; 6] = ["08", "40", "53", "57", "55006", "XX000"];

fn failure(error: Error) -> Failure {
    match error.as_db_error() {
        // The message names the extension that is in use.
        Some(refusal) if *refusal.code() == SqlState::DEPENDENT_OBJECTS_STILL_EXIST => {
            Failure::refused(format!("PostgreSQL refuses the change: {}.", refusal.message()))
        }
        Some(lasting) if !TEMPORARY.iter().any(|code| lasting.code().code().starts_with(code)) => {
            Failure::unexpected(error)
        }
        _ => Failure::temporary(error),
    }
}

/// The limits of a plan: connections to a database, and millions of bytes in it.
#[derive(Clone, Copy)]
pub struct Limits {
    pub(crate) connections: i32,
    pub(crate) megabytes: i64,
}

/// A PostgreSQL server, and the role that manages it.
#[derive(Debug, Clone)]
pub struct Server(Config);

impl Server {
    /// Connects to a server of version 13 or newer, with a role that can create databases and roles.
    pub async fn open(mut config: Config) -> Result<Self, BoxError> {
        config.dbname(config.get_dbname().unwrap_or("postgres").to_owned()).options(OPTIONS);
        config.connect_timeout(Duration::from_secs(10)).tcp_user_timeout(Duration::from_secs(30));
        let server = Self(config);
        if !server.connect("osb-open", None).await?.client.query_one(IS_SUITABLE, &[]).await?.try_get(0)? {
            return Err("it needs PostgreSQL 13 or newer, and a role with CREATEDB and CREATEROLE".into());
        }
        Ok(server)
    }

    /// Opens a session for the work on a database or a login, and ends the sessions of earlier attempts.
    ///
    /// A process that was stalled may resume an attempt after another process has taken over. Therefore handlers open a
    /// session, then save a checkpoint, then work. If the other process takes over before the checkpoint, that fails; if it
    /// takes over later, it ends this session before it works.
    pub(crate) async fn session(&self, name: &Name) -> Result<Session, Failure> {
        let session = self.connect(name.as_str(), None).await.map_err(failure)?;
        session.end(END_EARLIER_ATTEMPTS, name).await?;
        Ok(session)
    }

    async fn connect(&self, application: &str, database: Option<&Name>) -> Result<Session, Error> {
        let mut config = self.0.clone();
        config.application_name(application);
        if let Some(name) = database {
            config.dbname(name.as_str());
        }
        let (client, connection) = config.connect(NoTls).await?;
        tokio::spawn(connection); // ends with the client, whose calls report its errors
        Ok(Session { server: self.clone(), application: application.to_owned(), client })
    }

    /// Enforces the sizes of databases every minute, until the future is dropped.
    pub async fn keep_sizes(self) {
        loop {
            if let Err(error) = self.enforce_sizes().await {
                tracing::warn!(error, "the sizes of databases can't be enforced");
            }
            sleep(Duration::from_mins(1)).await;
        }
    }

    /// Makes databases beyond the size of their plan read-only for new sessions, and the others writable. PostgreSQL has no
    /// stricter limit: a session can still choose to write, which users need to delete data.
    pub async fn enforce_sizes(&self) -> Result<(), BoxError> {
        let session = self.connect("osb-sizes", None).await?;
        for row in session.client.query(CROSSED_LIMIT, &[]).await? {
            let (name, is_large): (String, bool) = (row.try_get(0)?, row.try_get(1)?);
            let statement = if is_large {
                "ALTER DATABASE $1 SET default_transaction_read_only = on"
            } else {
                "ALTER DATABASE $1 RESET default_transaction_read_only"
            };
            tracing::info!(name, statement, "the size of a database has crossed its limit");
            session.client.batch_execute(&sql(statement, &[Ident(&name.try_into()?)])).await?;
        }
        Ok(())
    }
}

/// A session of the managing role.
pub(crate) struct Session {
    server: Server,
    application: String,
    client: Client,
}

impl Session {
    /// Creates a database, and under the same name the role that its contents belong to.
    pub(crate) async fn create_database(&self, name: &Name) -> Result<(), Failure> {
        self.create_role(name).await?;
        if !self.holds(HAS_DATABASE, &[&name.as_str()]).await? {
            // Otherwise every role could connect until the privilege is revoked.
            self.run("CREATE DATABASE $1 TEMPLATE template0 ALLOW_CONNECTIONS false", &[Ident(name)]).await?;
        }
        // The managing role stays the owner, because owners can raise limits.
        let open = "REVOKE ALL ON DATABASE $1 FROM PUBLIC; GRANT ALL ON DATABASE $1 TO $1;
            ALTER DATABASE $1 ALLOW_CONNECTIONS true";
        self.run(open, &[Ident(name)]).await
    }

    /// Drops a database with the connections to it, and its role.
    pub(crate) async fn drop_database(&self, name: &Name) -> Result<(), Failure> {
        self.run("DROP DATABASE IF EXISTS $1 WITH (FORCE)", &[Ident(name)]).await?;
        self.drop_role(name).await
    }

    /// Creates a login that works as the role of the database, so that all logins have the same rights to all objects.
    pub(crate) async fn create_login(&self, name: &Name, password: &str, database: &Name) -> Result<(), Failure> {
        self.create_role(name).await?;
        let hash = scram_sha_256(password.as_bytes()); // the log of the server may contain statements
        let enable = "GRANT $2 TO $1; ALTER ROLE $1 SET role = $2; ALTER ROLE $1 LOGIN PASSWORD $3";
        self.run(enable, &[Ident(name), Ident(database), Text(&hash)]).await
    }

    /// Ends the sessions of a login, gives its objects to the role of the database, and drops it.
    pub(crate) async fn drop_login(&self, name: &Name, database: &Name, limits: Limits) -> Result<(), Failure> {
        if self.holds(HAS_ROLE, &[&name.as_str()]).await? {
            self.run("ALTER ROLE $1 NOLOGIN PASSWORD NULL", &[Ident(name)]).await?;
            self.end(END_LOGIN, name).await?;
            if self.holds(HAS_DATABASE, &[&database.as_str()]).await? {
                let inside = self.inside(database, limits).await?;
                inside.run("REASSIGN OWNED BY $1 TO $2; DROP OWNED BY $1", &[Ident(name), Ident(database)]).await?;
            }
        }
        self.drop_role(name).await
    }

    /// Opens a session in a database, with one connection more than its limit if applications use all.
    pub(crate) async fn inside(&self, database: &Name, Limits { connections, .. }: Limits) -> Result<Session, Failure> {
        let limit = "ALTER DATABASE $1 CONNECTION LIMIT $2";
        let mut session = self.server.connect(&self.application, Some(database)).await;
        if session.as_ref().is_err_and(|error| error.code() == Some(&SqlState::TOO_MANY_CONNECTIONS)) {
            self.run(limit, &[Ident(database), Number(-1)]).await?;
            session = self.server.connect(&self.application, Some(database)).await;
        }
        // An interrupted attempt may have left another limit. The query fails if a later attempt has ended this session, and
        // may not have seen the other one.
        if !self.holds(HAS_LIMIT, &[&database.as_str(), &connections]).await? {
            self.run(limit, &[Ident(database), Number(connections)]).await?;
        }
        session.map_err(failure)
    }

    /// Sets the limits of the database that the session is in, and drops and adds extensions: all or nothing.
    pub(crate) async fn change(
        &self,
        (database, instance): (&Name, &str),
        Limits { connections, megabytes }: Limits,
        [drop, add]: [&[&'static str]; 2],
    ) -> Result<(), Failure> {
        // A session that ends without `COMMIT` rolls back.
        let begin = "BEGIN; GRANT ALL ON SCHEMA public TO $1; ALTER DATABASE $1 CONNECTION LIMIT $2;
            COMMENT ON DATABASE $1 IS $3";
        let comment = format!("{megabytes} MB, instance {instance}");
        self.run(begin, &[Ident(database), Number(connections), Text(&comment)]).await?;
        for name in drop {
            self.run("DROP EXTENSION IF EXISTS $1", &[Fixed(name)]).await?;
        }
        for name in add {
            self.run("CREATE EXTENSION IF NOT EXISTS $1 SCHEMA public", &[Fixed(name)]).await?;
        }
        self.run("COMMIT", &[]).await
    }

    /// Returns whether a database has at most this size.
    pub(crate) async fn fits(&self, database: &Name, Limits { megabytes, .. }: Limits) -> Result<bool, Failure> {
        self.holds(FITS, &[&database.as_str(), &megabytes]).await
    }

    async fn create_role(&self, name: &Name) -> Result<(), Failure> {
        if !self.holds(HAS_ROLE, &[&name.as_str()]).await? {
            // Members can end the sessions of a role, and reassign its objects.
            self.run("CREATE ROLE $1; GRANT $1 TO CURRENT_USER", &[Ident(name)]).await?;
        }
        Ok(())
    }

    async fn drop_role(&self, name: &Name) -> Result<(), Failure> {
        if self.holds(HAS_ROLE, &[&name.as_str()]).await? {
            // It may own objects in the database of this session, to which every role can connect by default.
            self.run("DROP OWNED BY $1; DROP ROLE $1", &[Ident(name)]).await?;
        }
        Ok(())
    }

    async fn holds(&self, query: &'static str, values: &[&(dyn ToSql + Sync)]) -> Result<bool, Failure> {
        self.client.query_one(query, values).await.and_then(|row| row.try_get(0)).map_err(failure)
    }

    /// Repeats a query that ends sessions until it finds none.
    async fn end(&self, query: &'static str, name: &Name) -> Result<(), Failure> {
        while !self.client.query(query, &[&name.as_str()]).await.map_err(failure)?.is_empty() {
            sleep(Duration::from_millis(10)).await;
        }
        Ok(())
    }

    /// Runs statements as one transaction.
    async fn run(&self, template: &'static str, values: &[Value<'_>]) -> Result<(), Failure> {
        self.client.batch_execute(&sql(template, values)).await.map_err(failure)
    }
}
