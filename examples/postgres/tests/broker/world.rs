//! A server of its own for each test, with a broker that is no superuser.

use std::{fmt::Debug, time::Duration};

use osb_runtime::lifecycle::Settings;
use osb_testing::{Answer, Client as Platform};
use osb_throwaway_postgres::Server as Postgres;
use postgres_broker::{Broker, Databases, Server};
use serde_json::{Value, json};
use tokio_postgres::{Client, Error, NoTls, SimpleQueryMessage};

/// A server, and the URL of its role for the broker.
pub(crate) struct World {
    pub(crate) postgres: Postgres,
    pub(crate) url: String,
}

impl World {
    /// Starts a server, if PostgreSQL is installed.
    pub(crate) async fn start() -> Option<Self> {
        let postgres = Postgres::start_or_skip()?;
        let admin = session(&postgres.url()).await;
        run(&admin, "CREATE ROLE broker LOGIN CREATEDB CREATEROLE PASSWORD 'brokers password'").await;
        let url = format!("postgres://broker:brokers%20password@127.0.0.1:{}/postgres", postgres.port());
        Some(Self { postgres, url })
    }

    pub(crate) async fn server(&self) -> Server {
        Server::open(self.url.parse().expect("a URL")).await.expect("the server is suitable")
    }

    pub(crate) async fn broker(&self) -> Broker {
        Broker(Databases::new(self.server().await, "127.0.0.1", self.postgres.port()))
    }

    pub(crate) async fn platform(&self) -> Platform {
        patient(self.broker().await).await
    }

    /// Opens a session of the superuser.
    pub(crate) async fn admin(&self) -> Client {
        session(&self.postgres.url()).await
    }

    /// Returns the databases and roles that the broker has created.
    pub(crate) async fn created(&self) -> Vec<String> {
        created(&self.admin().await).await
    }
}

/// Registers a broker with a platform that waits longer than any operation of these tests takes, on busy machines as well.
pub(crate) async fn patient(broker: Broker) -> Platform {
    let mut settings = Settings::default();
    settings.sync_wait = Duration::from_secs(50);
    Platform::with(broker, settings).await
}

pub(crate) async fn created(admin: &Client) -> Vec<String> {
    let databases = "SELECT datname FROM pg_database WHERE datname NOT IN ('postgres', 'template0', 'template1')";
    let roles = "SELECT rolname FROM pg_roles WHERE rolname !~ '^pg_' AND rolname NOT IN ('postgres', 'broker')";
    texts(admin, &format!("{databases} UNION ALL {roles} ORDER BY 1")).await
}

/// Connects with a URI.
pub(crate) async fn connect(uri: &str) -> Result<Client, Error> {
    let (client, connection) = tokio_postgres::connect(uri, NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

pub(crate) async fn session(uri: &str) -> Client {
    connect(uri).await.unwrap_or_else(|error| panic!("{error:?}"))
}

pub(crate) async fn run(client: &Client, sql: &str) {
    client.batch_execute(sql).await.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
}

/// Returns the first column.
pub(crate) async fn texts(client: &Client, sql: &str) -> Vec<String> {
    let messages = client.simple_query(sql).await.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    let rows = messages.iter().filter_map(|message| match message {
        SimpleQueryMessage::Row(row) => Some(row.get(0).unwrap_or("NULL").to_owned()),
        _ => None,
    });
    rows.collect()
}

/// Returns the only value of a query.
pub(crate) async fn text(client: &Client, sql: &str) -> String {
    let found = texts(client, sql).await;
    assert_eq!(found.len(), 1, "{sql}: {found:?}");
    found.into_iter().next().unwrap_or_default()
}

/// Returns the code of the error that PostgreSQL reports.
pub(crate) fn code<T: Debug>(result: Result<T, Error>) -> String {
    let error = result.expect_err("it fails");
    error.code().map_or_else(|| format!("{error:?}"), |code| code.code().to_owned())
}

/// Creates an instance.
pub(crate) async fn provision(platform: &Platform, instance: &str, plan: &str, parameters: Value) {
    succeeded(&platform.provision(instance, "postgresql", plan, parameters).await);
}

/// Creates a binding, and returns its URI.
pub(crate) async fn bind(platform: &Platform, instance: &str, binding: &str) -> String {
    uri(&platform.bind(instance, binding, ()).await)
}

/// Replaces a binding, and returns the URI of the new one.
pub(crate) async fn rotate(platform: &Platform, instance: &str, [old, new]: [&str; 2]) -> String {
    let path = format!("/v2/service_instances/{instance}/service_bindings/{new}?accepts_incomplete=true");
    uri(&platform.request("PUT", &path, Some(json!({ "predecessor_binding_id": old }))).await)
}

fn uri(answer: &Answer) -> String {
    succeeded(answer);
    answer.body["credentials"]["uri"].as_str().expect("a URI").to_owned()
}

pub(crate) fn succeeded(answer: &Answer) {
    assert!(matches!(answer.status.as_u16(), 200 | 201), "{answer:?}");
}

/// Waits for a condition.
pub(crate) async fn until<F: Future<Output = bool>>(condition: &str, holds: impl Fn() -> F) {
    let wait = async {
        while !holds().await {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), wait).await.unwrap_or_else(|_| panic!("waited for: {condition}"));
}
