//! Tests with a throw-away server, in addition to the suite for stores.

mod batch;
mod blocked;
mod copies;
mod decisions;
mod encryption;
mod network;
mod notifications;
mod pooler;
mod sessions;
mod start;

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use osb_runtime::store::{Record, Store, Timestamp};
use osb_testing::store::{self as suite, add_one, finish, get, key, put};
use osb_throwaway_postgres::{Proxy, Server};
use serde_json::json;
use tokio_postgres::{NoTls, types::Type};

use super::*;
use crate::{Redb, inserted::InsertError};

/// A server, and schemas of it.
struct Database {
    server: Server,
    schemas: AtomicUsize,
}

impl Database {
    fn start() -> Option<Self> {
        Some(Self { server: Server::start_or_skip()?, schemas: AtomicUsize::default() })
    }

    /// Returns the URL of a new schema, with further parameters.
    fn url(&self, parameters: &str) -> String {
        let number = self.schemas.fetch_add(1, Ordering::Relaxed);
        let (url, separator) = (self.server.url(), if self.server.url().contains('?') { '&' } else { '?' });
        format!("{url}{separator}schema=s{number}&pool_size=8{parameters}")
    }

    /// Returns the URL of a schema behind the port of a proxy.
    fn behind(&self, port: u16, url: &str) -> String {
        url.replace(&format!(":{}/", self.server.port()), &format!(":{port}/"))
    }

    async fn execute(&self, sql: &str) {
        let (client, connection) = tokio_postgres::connect(&self.server.url(), NoTls).await.expect("a connection");
        let connection = tokio::spawn(connection);
        client.batch_execute(sql).await.expect(sql);
        drop(client);
        _ = connection.await;
    }

    /// Opens a session of the test.
    async fn session(&self) -> tokio_postgres::Client {
        let (client, connection) = tokio_postgres::connect(&self.server.url(), NoTls).await.expect("a connection");
        tokio::spawn(connection);
        client
    }

    /// Returns the number of connections with a property.
    async fn count(&self, with: &str) -> i64 {
        let client = self.session().await;
        let count = format!("select count(*) from pg_stat_activity where {with}");
        client.query_one(&count, &[]).await.expect("a row").get(0)
    }

    /// Waits until no store has a connection.
    async fn has_no_connection(&self) {
        until(async || self.count(CONNECTIONS).await == 0).await;
    }

    /// Makes a user with privileges on the records of a schema, and returns its URL.
    async fn limited(&self, url: &str, privileges: &str) -> String {
        let role = "create role limited login password 'limited'; grant usage on schema s0 to limited";
        self.execute(&format!("{role}; grant {privileges} on all tables in schema s0 to limited")).await;
        let at = url.find('@').expect("the URL has a user");
        format!("postgres://limited:limited{}", &url[at..])
    }
}

async fn until(condition: impl AsyncFn() -> bool) {
    while !condition().await {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// The connections of stores.
const CONNECTIONS: &str = "application_name = 'osb'";

async fn connect(url: &str) -> Postgres {
    Postgres::connect(url, None).await.expect("a store")
}

/// Opens a store from outside of any runtime.
fn open(url: &str) -> Postgres {
    let url = url.to_owned();
    let opened = thread::spawn(move || runtime().block_on(Postgres::connect(&url, None)));
    opened.join().expect("no panic").expect("a store")
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime")
}

fn run<T>(test: impl Future<Output = T>) -> T {
    // Without the box, there is a copy of `block_on` for each test.
    let test: Pin<Box<dyn Future<Output = T> + '_>> = Box::pin(finish(test));
    runtime().block_on(test)
}

/// Runs a test with a database, if there is a server.
fn test(test: impl AsyncFnOnce(&Database)) {
    if let Some(database) = Database::start() {
        run(test(&database));
    }
}

/// Runs a test with a database, and with a proxy in front of it.
fn test_through_proxy(test: impl AsyncFnOnce(&Database, &Proxy)) {
    let Some(database) = Database::start() else { return };
    // It has a runtime of its own.
    let proxy = Proxy::start(database.server.port());
    run(test(&database, &proxy));
}

/// Waits for a notification once, as every broker does for operations to take over, and until the store listens for them.
async fn begin_to_listen(store: &Postgres) {
    drop(store.handed_over());
    until(async || store.notifications.is_listening()).await;
}

fn keys(first: u8) -> Keys {
    let key = |byte: u8| format!("{byte:02x}").repeat(31) + "ff";
    key(first).parse().expect("a key")
}

/// PostgreSQL prefers them to its own if their types fit better, and they would run with the rights of the broker.
#[test]
fn functions_that_another_user_made_are_not_called() {
    test(async |database| {
        let body = "language plpgsql as $$ begin raise exception 'the function of another user'; end $$";
        for function in [
            "function public.unnest(text[]) returns setof text",
            "function public.hashtextextended(text, integer) returns bigint",
            "function public.appended(text[], text) returns text[]",
        ] {
            database.execute(&format!("create {function} {body}")).await;
        }
        database.execute("create aggregate public.array_agg(text) (sfunc = public.appended, stype = text[])").await;
        let url = database.url("");
        let store = connect(&url).await;
        let key = key("", "a");
        put(&store, &key, Some(("a", Some(1)))).await;
        store.plan_usage().await.expect("plans are counted");
        store.close().await.expect("it closes");
        let read_only = database.limited(&url, "select").await;
        let error = Postgres::connect(&read_only, None).await.expect_err("it may not write").to_string();
        assert!(error.contains("no privilege to insert, update, delete"), "{error}");
    });
}

/// PostgreSQL has no operators for some pairs of types, such as `numeric * integer`, and would call those of another user.
#[test]
fn postgres_passes_the_store_suite_beside_operators_that_another_user_made() {
    const FOR_ALL_PAIRS: &str = "do $$
        declare
            types text[] := '{bigint,integer,numeric,double precision,text,name,bytea,boolean,text[]}';
            a text; b text; operator text;
        begin
            foreach a in array types loop foreach b in array types loop
                execute format('create function public.other(%s, %s) returns boolean language plpgsql
                    as $f$ begin raise exception $m$the operator of another user$m$; end $f$', a, b);
                foreach operator in array '{=,<>,<,<=,>,>=,+,-,*,/,||}'::text[] loop
                    execute format('create operator public.%s (function = public.other, leftarg = %s, rightarg = %s)',
                        operator, a, b);
                end loop;
            end loop; end loop;
        end $$";
    let Some(database) = Database::start() else { return };
    run(database.execute(FOR_ALL_PAIRS));
    suite::suite(|| Arc::new(open(&database.url(""))));
    run(async {
        let url = database.url("");
        let store = connect(&url).await;
        put(&store, &key("", "a"), Some(("a", Some(1)))).await;
        assert_eq!(Postgres::reseal(&url, keys(1), &mut |_| {}).await.expect("sealed"), 1);
    });
}

#[test]
fn postgres_passes_the_store_suite_although_its_transactions_are_serializable_by_default() {
    let Some(database) = Database::start() else { return };
    suite::suite(|| Arc::new(open(&database.url("&options=-c%20default_transaction_isolation%3Dserializable"))));
}

#[test]
fn postgres_passes_the_suite_for_shared_stores() {
    let Some(database) = Database::start() else { return };
    for parameters in ["", "&pooler=transaction"] {
        suite::shared_suite(|| {
            let url = database.url(parameters);
            [Arc::new(open(&url)) as suite::Opened, Arc::new(open(&url))]
        });
    }
}

#[test]
fn records_outlive_the_process() {
    let Some(database) = Database::start() else { return };
    let last = Mutex::new(String::new());
    let make = || -> suite::Opened {
        let url = database.url("");
        last.lock().expect("no panic").clone_from(&url);
        Arc::new(open(&url))
    };
    suite::agrees_with_a_map(&make, async |store: suite::Opened| {
        store.close().await.expect("it can be closed");
        let again: suite::Opened = Arc::new(open(&last.lock().expect("no panic")));
        again
    });
}

#[test]
fn a_closed_store_opens_no_connection() {
    test(async |database| {
        let store = connect(&database.url("")).await;
        begin_to_listen(&store).await;
        store.close().await.expect("it can be closed");
        database.has_no_connection().await;
        // A broker that has stopped, in a program that goes on.
        let record = key("", "a");
        let waits = async { tokio::join!(store.changed(&record), store.handed_over()) };
        _ = tokio::time::timeout(Duration::from_millis(500), waits).await;
        store.read(&record, &mut |_| ()).await.expect_err("it is closed");
        store.transact(std::slice::from_ref(&record), &mut |_| ()).await.expect_err("it is closed");
        assert_eq!(database.count(CONNECTIONS).await, 0);
    });
}

#[test]
fn processes_lose_no_update_of_each_other() {
    let Some(database) = Database::start() else { return };
    for parameters in ["", "&options=-c%20default_transaction_isolation%3Dserializable"] {
        run(three_processes_increment_a_number(&database.url(parameters)));
    }
}

/// Writers in three processes increment the same number.
async fn three_processes_increment_a_number(url: &str) {
    let mut writers = Vec::new();
    for _ in 0..3 {
        let store = Arc::new(connect(url).await);
        for _ in 0..8 {
            let store = Arc::clone(&store);
            writers.push(tokio::spawn(async move {
                for _ in 0..20 {
                    add_one(&*store, &key("", "all")).await.expect("it is stored");
                }
            }));
        }
    }
    for writer in writers {
        writer.await.expect("no panic");
    }
    let store = connect(url).await;
    assert_eq!(get(&store, &key("", "all")).await.as_deref(), Some("480"));
}

async fn eight_replicas_start_together(url: &str) {
    let starts = (0..8).map(|_| {
        let url = url.to_owned();
        tokio::spawn(async move { Postgres::connect(&url, None).await.map(drop) })
    });
    for start in starts.collect::<Vec<_>>() {
        start.await.expect("no panic").expect("it starts");
    }
}

#[test]
fn the_store_recovers_after_a_server_restart() {
    let Some(mut database) = Database::start() else { return };
    let url = database.url("");
    let runtime = runtime();
    let store = runtime.block_on(Postgres::connect(&url, None)).expect("a store");
    runtime.block_on(put(&store, &key("", "a"), Some(("1", None))));
    database.server.stop();
    runtime.block_on(finish(async {
        let began = Instant::now();
        assert!(add_one(&store, &key("", "a")).await.is_err());
        assert!(store.read(&key("", "a"), &mut |_| ()).await.is_err());
        assert!(began.elapsed() < Duration::from_secs(2), "it fails at once");
    }));
    database.server.restart();
    runtime.block_on(finish(async {
        add_one(&store, &key("", "a")).await.expect("it is back");
        assert_eq!(get(&store, &key("", "a")).await.as_deref(), Some("2"));
    }));
    // The connections of the pool break without a pause.
    database.server.restart();
    runtime.block_on(finish(async { add_one(&store, &key("", "a")).await.expect("with a new connection") }));
}

#[test]
fn the_time_is_that_of_the_database() {
    test(async |database| {
        let store = connect(&database.url("")).await;
        let here = Timestamp::from(std::time::SystemTime::now()).as_millis();
        let there = store.now().expect("a time").as_millis();
        assert!(here.abs_diff(there) < 2000, "{here} {there}");
        // A clock that is an hour late is corrected with the next transaction.
        let read_at = Instant::now().checked_sub(clock::CHECK * 2).expect("a time");
        store.clock.set(clock::Anchor { millis: here - 3_600_000, read_at });
        add_one(&store, &key("", "a")).await.expect("it is stored");
        let there = store.now().expect("a time").as_millis();
        assert!(here.abs_diff(there) < 5000, "{here} {there}");
    });
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
