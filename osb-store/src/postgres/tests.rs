//! Tests with a throw-away server, in addition to the suite for stores.

mod batch;
mod encryption;
mod network;
mod notifications;
mod pooler;
mod sessions;

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

#[test]
fn replicas_that_start_together_make_the_tables_once() {
    let Some(database) = Database::start() else { return };
    run(eight_replicas_start_together(&database.url("")));
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
fn the_tables_of_a_newer_release_are_refused() {
    test(async |database| {
        let url = database.url("");
        drop(connect(&url).await);
        database.execute("insert into s0.migrations (version) values (1000)").await;
        // The user of a broker may have no right to create tables.
        for url in [database.limited(&url, "select").await, url] {
            let refused = Postgres::connect(&url, None).await.expect_err("it is newer").to_string();
            assert!(refused.contains("1000") && refused.contains("newer release"), "{refused}");
        }
    });
}

/// Both replicas found no tables, and the one of the newer release comes first.
#[test]
fn the_tables_that_a_newer_release_makes_meanwhile_are_refused() {
    test(async |database| {
        let newer = database.session().await;
        let lock = "begin; select pg_advisory_xact_lock(hashtextextended('osb:s0', 0))";
        newer.batch_execute(lock).await.expect("it is locked");
        let url = database.url("");
        let makes = async {
            until(async || database.count("wait_event = 'advisory'").await > 0).await;
            let tables = "create schema s0; create table s0.migrations (version integer, applied_at timestamptz); \
                          insert into s0.migrations values (1000, now()); commit";
            newer.batch_execute(tables).await.expect("they are made");
        };
        let refused = tokio::join!(Postgres::connect(&url, None), makes).0.expect_err("they are newer").to_string();
        assert!(refused.contains("1000") && refused.contains("newer release"), "{refused}");
    });
}

#[test]
fn the_location_is_the_schema_the_database_and_all_hosts() {
    test(async |database| {
        let url = database.url("&target_session_attrs=read-write").replace("@127.0.0.1", "@localhost,127.0.0.1");
        let url = url.replace("localhost,", &format!("localhost:{},", database.server.port()));
        let store = connect(&url).await;
        let (at, port) = (store.location(), database.server.port());
        assert_eq!(at, format!("schema s0 of database postgres at localhost:{port}, 127.0.0.1:{port}"));
        // One port is that of all hosts.
        let url = url.replace(&format!("localhost:{port},127.0.0.1:{port}/postgres?"), "/postgres?");
        let url = format!("{url}&host=localhost&host=127.0.0.1&port={port}");
        let store = Postgres::connect_existing(&url, None).await.expect("a store");
        assert_eq!(store.location(), at);
    });
}

/// A misspelt name must not create the tables of another broker.
#[test]
fn tables_that_must_exist_are_not_created() {
    test(async |database| {
        for _ in 0..2 {
            let url = format!("{}?schema=misspelt", database.server.url());
            let refused = Postgres::connect_existing(&url, None).await.expect_err("there are none").to_string();
            assert!(refused.contains("no records in schema \"misspelt\""), "{refused}");
        }
    });
}

/// As during `vacuum full`, or while another session that changes the tables hangs.
#[test]
fn tables_that_stay_locked_are_given_up_at_the_start() {
    test(async |database| {
        let start = async |table: &str| {
            let url = database.url("");
            drop(connect(&url).await);
            let schema = url.split("schema=").nth(1).and_then(|rest| rest.split('&').next()).expect("a schema");
            let client = database.session().await;
            client.batch_execute(&format!("begin; lock table {schema}.{table}")).await.expect("it is locked");
            let started = tokio::time::timeout(url::STATEMENT_TIMEOUT * 2, Postgres::connect(&url, None)).await;
            started.expect("in time").expect_err("it is locked").to_string()
        };
        let (migrations, records) = tokio::join!(start("migrations"), start("records"));
        assert!(migrations.contains("didn't answer in 10 s"), "{migrations}");
        assert!(records.contains("lock timeout"), "{records}");
    });
}

/// A user that may only use a schema which an administrator has made for it.
#[test]
fn the_user_needs_no_right_to_create_schemas() {
    test(async |database| {
        database.execute("create role plain login password 'plain'; create schema s0 authorization plain").await;
        let (_, host) =
            database.server.url().split_once('@').map(|(a, b)| (a.to_owned(), b.to_owned())).expect("a host");
        let url = format!("postgres://plain:plain@{host}?schema=s0");
        for _ in 0..2 {
            let store = connect(&url).await;
            add_one(&store, &key("", "a")).await.expect("it is stored");
        }
        let refused = Postgres::connect(&url.replace("s0", "s1"), None).await.expect_err("it may not").to_string();
        assert!(
            refused.contains("permission denied for database postgres: run `create schema \"s1\" authorization"),
            "{refused}"
        );
    });
}

/// A short `lock_timeout` of the role would refuse requests that only have to wait, and `serializable` halves the throughput.
#[test]
fn transactions_have_the_limits_and_the_isolation_of_the_broker_not_those_of_its_role() {
    // With the values in a transaction of a decision, and in one on all records.
    const SETTINGS: [(&str, &str, [&str; 2]); 4] = [
        ("transaction_isolation", "default_transaction_isolation%3Dserializable", ["read committed"; 2]),
        ("lock_timeout", "lock_timeout%3D100", ["0"; 2]),
        ("statement_timeout", "statement_timeout%3D100", ["10s", "0"]),
        ("idle_in_transaction_session_timeout", "idle_in_transaction_session_timeout%3D100", ["5s", "0"]),
    ];
    test(async |database| {
        let options: String = SETTINGS.iter().map(|(_, of_role, _)| format!("-c%20{of_role}%20")).collect();
        for pooler in ["", "&pooler=transaction"] {
            let store = connect(&database.url(&format!("&options={options}{pooler}"))).await;
            let connection = store.client().await.expect("a connection");
            let client = connection.client().expect("it is open");
            for (i, begin) in [store.statements.begin(), Statements::begin_long()].into_iter().enumerate() {
                client.batch_execute(begin).await.expect("it begins");
                for (name, _, expected) in SETTINGS {
                    let found = client.query_typed("select current_setting($1)", &[(&name, Type::TEXT)]).await;
                    let found = found.expect("it is known");
                    assert_eq!(found[0].get::<_, &str>(0), expected[i], "{name} {begin} {pooler}");
                }
                client.batch_execute("rollback").await.expect("it ends");
            }
        }
    });
}

/// Such a replica would be ready, and a rolling upgrade would replace those that work.
#[test]
fn a_user_who_may_not_write_is_refused_with_the_grant_that_is_missing() {
    test(async |database| {
        let url = database.url("");
        drop(connect(&url).await);
        let limited = "create role \"read\"\"er\" login password 'limited'; grant usage on schema s0 to \"read\"\"er\"; \
                       grant select, delete on all tables in schema s0 to \"read\"\"er\"";
        database.execute(limited).await;
        let at = url.find('@').expect("the URL has a user");
        let limited = format!("postgres://read%22er:limited{}", &url[at..]);
        let refused = Postgres::connect(&limited, None).await.expect_err("it can't write").to_string();
        assert!(
            refused.contains(r#"user "read\"er" of the database has no privilege to insert, update records"#),
            "{refused}"
        );
        let (_, grant) = refused.split_once('`').expect("the remedy");
        // The commands that only read records work.
        drop(Postgres::connect_existing(&limited, None).await.expect("a store"));
        database.execute(grant.trim_end_matches('`')).await;
        drop(connect(&limited).await);
    });
}

/// A platform would take an instance that is hidden for one that doesn't exist.
#[test]
fn policies_that_hide_records_are_an_error() {
    test(async |database| {
        let url = database.url("");
        drop(connect(&url).await);
        let limited = database.limited(&url, "select, insert, update, delete").await;
        let store = connect(&limited).await;
        put(&store, &key("", "a"), Some(("made", None))).await;
        database.execute("alter table s0.records enable row level security").await;
        let error = store.read(&key("", "a"), &mut |_| ()).await.expect_err("it is hidden").to_string();
        assert!(!error.contains("pooler"), "{error}");
        assert!(error.contains("row-level security"), "{error}");
        assert!(Postgres::connect_existing(&limited, None).await.is_err());
        let refused = Postgres::connect(&limited, None).await.expect_err("records are hidden").to_string();
        assert!(refused.contains("can hide records from the user \"limited\""), "{refused}");
        let (_, remedy) = refused.split_once('`').expect("the remedy");
        database.execute(remedy.trim_end_matches('`')).await;
        let store = connect(&limited).await;
        assert_eq!(get(&store, &key("", "a")).await.as_deref(), Some("made"));
    });
}

#[test]
fn records_are_sealed_and_open_with_their_keys_only() {
    test(async |database| {
        let url = database.url("");
        let store = connect(&url).await;
        put(&store, &key("", "secret text"), Some(("geheim", Some(1)))).await;
        let refused = Postgres::connect(&url, keys(1)).await.expect_err("not sealed").to_string();
        assert!(refused.contains("not encrypted") && refused.contains("reseal"), "{refused}");

        assert_eq!(Postgres::reseal(&url, keys(1), &mut |_| {}).await.expect("sealed"), 1);
        assert_eq!(Postgres::reseal(&url, keys(1), &mut |_| {}).await.expect("sealed"), 0);
        let client = database.session().await;
        let row = client.query_one("select record from s0.records", &[]).await.expect("a row");
        assert!(!row.get::<_, &[u8]>(0).windows(6).any(|part| part == b"geheim"));

        let refused = Postgres::connect(&url, None).await.expect_err("no key").to_string();
        assert!(refused.ends_with(", and no key was given: give that key"), "{refused}");
        let refused = Postgres::connect(&url, keys(2)).await.expect_err("another key").to_string();
        assert!(refused.contains("not among the given keys"), "{refused}");
        assert!(Postgres::connect(&url, None).await.is_err());
        let store = Postgres::connect(&url, keys(1)).await.expect("a store");
        assert_eq!(get(&store, &key("", "secret text")).await.as_deref(), Some("geheim"));
        // A row that is moved doesn't open.
        client.execute("update s0.records set key = $1", &[&key("", "other").to_bytes()]).await.expect("moved");
        let mut look = |_: Option<&Record>| panic!("it was moved");
        assert!(store.read(&key("", "other"), &mut look).await.is_err());
    });
}

/// As the reseal of a running broker does it.
#[test]
fn a_decision_reseals_a_record_with_the_newest_key() {
    test(async |database| {
        let (url, both) = (database.url(""), "02".repeat(31) + "ff " + &"01".repeat(31) + "ff");
        let both: Keys = both.parse().expect("two keys");
        let old = Postgres::connect(&url, keys(1)).await.expect("a store");
        put(&old, &key("", "a"), Some(("same", None))).await;
        let new = Postgres::connect(&url, both.clone()).await.expect("a store");
        new.transact(&[key("", "a")], &mut |_| ()).await.expect("it is resealed");
        assert_eq!(Postgres::reseal(&url, both, &mut |_| {}).await.expect("it was"), 0);
        let new = Postgres::connect(&url, keys(2)).await.expect("the older key is not needed any more");
        assert_eq!(get(&new, &key("", "a")).await.as_deref(), Some("same"));
    });
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

/// A process that is stopped in a transaction holds its locks.
#[test]
fn a_process_that_is_stopped_holds_its_locks_for_seconds_only() {
    test(async |database| {
        let url = database.url("");
        let store = connect(&url).await;
        put(&store, &key("", "a"), Some(("1", None))).await;
        let (locked, is_locked) = std::sync::mpsc::channel();
        let (go_on, goes_on) = std::sync::mpsc::channel::<()>();
        let goes_on = Mutex::new(goes_on);
        let stopped = thread::spawn(move || {
            run(async move {
                let store = connect(&url).await;
                let mut seen = Vec::new();
                let mut decide = |records: &mut [Option<Record>]| {
                    seen.extend(suite::text(records[0].as_ref()));
                    if seen.len() == 1 {
                        locked.send(()).expect("the test runs");
                        _ = goes_on.lock().expect("no panic").recv();
                        records[0] = Some(suite::record("too late", None));
                    }
                };
                // It fails or runs again, depending on the statement that finds the connection closed.
                _ = store.transact(&[key("", "a")], &mut decide).await;
                (seen, get(&store, &key("", "a")).await)
            })
        });
        tokio::task::spawn_blocking(move || is_locked.recv()).await.expect("no panic").expect("it is locked");
        add_one(&store, &key("", "a")).await.expect("the lock ends");
        drop(go_on);
        let (seen, now) = tokio::task::spawn_blocking(|| stopped.join()).await.expect("no panic").expect("no panic");
        assert!(["1", "2"].starts_with(&seen.iter().map(String::as_str).collect::<Vec<_>>()), "{seen:?}");
        assert_eq!(now.as_deref(), Some("2"));
    });
}

/// The decision on a binding waits for the one before it, and sees what that has changed: a binding that did not exist before, too.
#[test]
fn a_decision_sees_the_binding_that_the_one_before_it_has_made() {
    test(async |database| {
        let store = Arc::new(connect(&database.url("")).await);
        let instance = key("", "a");
        put(&*store, &instance, Some(("an instance", None))).await;
        let keys = [instance.clone(), instance.of_binding("b".into())];
        let (locked, is_locked) = tokio::sync::oneshot::channel();
        let (go_on, goes_on) = std::sync::mpsc::channel::<()>();
        let first = {
            let (store, keys) = (Arc::clone(&store), keys.clone());
            let (mut locked, goes_on) = (Some(locked), Mutex::new(goes_on));
            tokio::spawn(async move {
                let mut decide = |records: &mut [Option<Record>]| {
                    locked.take().expect("it runs once").send(()).expect("the test runs");
                    _ = tokio::task::block_in_place(|| goes_on.lock().expect("no panic").recv());
                    records[1] = Some(suite::record("a binding", None));
                };
                store.transact(&keys, &mut decide).await.expect("it is stored");
            })
        };
        is_locked.await.expect("it is locked");
        let second = {
            let (store, keys) = (Arc::clone(&store), keys.clone());
            tokio::spawn(async move {
                let mut seen = Vec::new();
                let mut decide = |records: &mut [Option<Record>]| seen.push(suite::text(records[1].as_ref()));
                store.transact(&keys, &mut decide).await.expect("it is read");
                seen
            })
        };
        until(async || database.count("wait_event_type = 'Lock'").await > 0).await;
        drop(go_on);
        first.await.expect("no panic");
        assert_eq!(second.await.expect("no panic"), [Some("a binding".to_owned())]);
    });
}

/// As between the deletion of an instance and a tool of an administrator.
#[test]
fn a_decision_that_ends_a_deadlock_is_made_again() {
    test(async |database| {
        // The decision waits for a shorter time than the other session, and gives way.
        let store = connect(&database.url("&options=-cdeadlock_timeout%3D2s")).await;
        let instance = key("", "a");
        let keys = [instance.clone(), instance.of_binding("b".into())];
        for key in &keys {
            put(&store, key, Some(("old", None))).await;
        }
        let lock = |key: &Key| format!("select from s0.records where key = '\\x{}' for update", hex(&key.to_bytes()));
        let other = database.session().await;
        let begin = format!("set deadlock_timeout = '1min'; begin; {}", lock(&keys[1]));
        other.batch_execute(&begin).await.expect("it is locked");
        let mut decide = |records: &mut [Option<Record>]| records[1] = Some(suite::record("new", None));
        let blocks = async {
            until(async || database.count("wait_event_type = 'Lock'").await > 0).await;
            other.batch_execute(&format!("{}; commit", lock(&keys[0]))).await.expect("the decision has given way");
        };
        tokio::join!(store.transact(&keys, &mut decide), blocks).0.expect("it is stored");
        assert_eq!(get(&store, &keys[1]).await.as_deref(), Some("new"));
    });
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

#[test]
fn certificates_are_verified_as_the_mode_says() {
    let Some(database) = Database::start() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let authority = |name: &str| {
        let key = rcgen::KeyPair::generate().expect("a key");
        let mut parameters = rcgen::CertificateParams::new(Vec::new()).expect("parameters");
        parameters.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        let certificate = parameters.self_signed(&key).expect("a certificate").pem();
        let path = folder.path().join(name);
        std::fs::write(&path, certificate).expect("a file");
        (rcgen::Issuer::new(parameters, key), path.display().to_string())
    };
    let ((issuer, trusted), (_, foreign)) = (authority("ca.pem"), authority("foreign.pem"));
    let key = rcgen::KeyPair::generate().expect("a key");
    let certificate = rcgen::CertificateParams::new(vec!["db.example".to_owned()]).expect("parameters");
    let certificate = certificate.signed_by(&key, &issuer).expect("a certificate").pem();
    run(async {
        let write = |text: &str, file: &str| {
            let lines = text.trim().replace('\n', "'), ('");
            format!("copy (values ('{lines}')) to program 'umask 077 && cat > {file}';")
        };
        let ssl = "alter system set ssl = on; ".to_owned();
        database.execute(&write(&certificate, "server.crt")).await;
        database.execute(&write(&key.serialize_pem(), "server.key")).await;
        database.execute(&ssl).await;
        database.execute("select pg_reload_conf()").await;
        let connect = async |host: &str, parameters: &str| {
            let url = database.url("").replace("127.0.0.1", host) + parameters;
            Postgres::connect(&url, None).await.map(drop).map_err(|error| error.to_string())
        };
        // The server reads its configuration a moment later.
        while connect("127.0.0.1", "&sslmode=require").await.is_err() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert_eq!(connect("127.0.0.1", "&sslmode=disable").await, Ok(()));
        assert_eq!(connect("127.0.0.1", &format!("&sslmode=verify-ca&sslrootcert={trusted}")).await, Ok(()));
        for parameters in [
            format!("&sslmode=verify-ca&sslrootcert={foreign}"),
            format!("&sslmode=require&sslrootcert={foreign}"),
            format!("&sslmode=verify-full&sslrootcert={trusted}"),
            "&sslmode=verify-full".to_owned(),
        ] {
            let refused = connect("127.0.0.1", &parameters).await.expect_err(&parameters);
            assert!(refused.contains("certificate"), "{parameters}: {refused}");
        }
        let named = format!("&sslmode=verify-full&sslrootcert={trusted}&hostaddr=127.0.0.1");
        assert_eq!(connect("db.example", &named).await, Ok(()));

        // The files are read for each connection.
        let url = database.url("") + &format!("&sslmode=verify-ca&sslrootcert={trusted}");
        let store = Postgres::connect(&url, None).await.expect("a store");
        let replace_by = async |certificate: &str| {
            std::fs::write(&trusted, certificate).expect("it is replaced");
            store.connector.give_up_all();
            store.client().await.map(BusyConnection::release).map_err(|error| unavailable(error).to_string())
        };
        let authorities = [&trusted, &foreign].map(|path| std::fs::read_to_string(path).expect("a file"));
        let refused = replace_by(&authorities[1]).await.expect_err("another authority has signed it");
        assert!(refused.contains("certificate"), "{refused}");
        assert_eq!(replace_by(&authorities[0]).await, Ok(()));
        assert_eq!(replace_by("half a certificate").await, Ok(()), "those of the start are used");

        let refused = connect("127.0.0.1", "&sslmode=verify-ca&sslrootcert=/nowhere.pem").await.expect_err("no file");
        assert!(refused.contains("/nowhere.pem") && refused.contains("sslrootcert"), "{refused}");
    });
}

#[test]
fn records_are_copied_to_a_database_and_back() {
    test(async |database| {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        let file = Redb::open(path("old.redb"), keys(1)).expect("a file");
        let instance = |number| (key("tenant", &format!("i{number}")), suite::record("an instance", Some(number)));
        file.insert_all((0..600).map(instance).collect()).await.expect("they are stored");
        let bound = key("tenant", "i7").of_binding("b".into());
        put(&file, &bound, Some(("a binding", None))).await;
        let mut bury = |records: &mut [Option<Record>]| records[0] = Some(suite::tombstone("gone", 5));
        file.transact(&[key("", "dead")], &mut bury).await.expect("it is stored");

        let url = database.url("");
        let copied = Postgres::copy_from(&file, &url, keys(2), &mut |_| {}).await.expect("it is copied");
        assert_eq!(copied.to_string(), "600 instances, 1 binding and 1 tombstone");
        let refused = Postgres::copy_from(&file, &url, keys(2), &mut |_| {}).await.expect_err("not empty").to_string();
        assert!(refused.contains("has records already"), "{refused}");
        let there = Postgres::connect(&url, keys(2)).await.expect("a store");
        assert_eq!(there.due(Timestamp::MAX, None, 1000).await.expect("they can be read").len(), 600);
        assert_eq!(there.plan_usage().await.expect("counted"), file.plan_usage().await.expect("counted"));

        let back = Redb::copy_from(&there, path("new.redb"), None, &mut |_| {}).await.expect("it is copied");
        assert_eq!(back, copied);
        assert!(Redb::copy_from(&there, path("new.redb"), None, &mut |_| {}).await.is_err(), "it exists");
        let new = Redb::open(path("new.redb"), None).expect("a file");
        let texts = async |store: &dyn Store| {
            let all = store.list(None, 1000).await.expect("they can be read");
            all.iter().map(|(key, record)| (key.clone(), suite::text(record.as_ref().ok()))).collect::<Vec<_>>()
        };
        assert_eq!(texts(&new).await, texts(&file).await);

        let insert = async |names: &[&str]| {
            there.insert_all(names.iter().map(|name| (key("", name), suite::record(name, None))).collect()).await
        };
        insert(&["more"]).await.expect("it is inserted");
        let refused = insert(&["other", "more", "last"]).await;
        assert!(matches!(refused, Err(InsertError::Exists(taken)) if taken == key("", "more")));
        assert_eq!(get(&there, &key("", "other")).await, None);
    });
}

/// A broker that starts meanwhile would add records of its own, without those that are copied.
#[test]
fn no_other_session_writes_while_records_are_copied() {
    test(async |database| {
        let (url, target) = (database.url(""), database.url(""));
        let store = connect(&url).await;
        put(&store, &key("", "i"), Some(("an instance", None))).await;
        let mut refused = None;
        let mut write = |_| {
            let server = database.server.url();
            let insert = async move {
                let (client, connection) = tokio_postgres::connect(&server, NoTls).await.expect("a connection");
                let connection = tokio::spawn(connection);
                let insert = "set lock_timeout = '10ms'; insert into s1.records (key, record, is_binding) values ('', '', false)";
                let refused = client.batch_execute(insert).await.err().and_then(|error| error.code().cloned());
                drop(client);
                _ = connection.await;
                refused
            };
            refused = thread::spawn(move || runtime().block_on(insert)).join().expect("no panic");
        };
        Postgres::copy_from(&store, &target, None, &mut write).await.expect("it is copied");
        assert_eq!(refused, Some(SqlState::LOCK_NOT_AVAILABLE));
    });
}

#[test]
fn a_copy_that_fails_leaves_nothing() {
    test(async |database| {
        let folder = tempfile::tempdir().expect("a folder");
        let url = database.url("");
        let store = Postgres::connect(&url, keys(1)).await.expect("a store");
        let instance = |number| (key("", &format!("i{number:03}")), suite::record("an instance", None));
        store.insert_all((0..300).map(instance).collect()).await.expect("they are stored");
        // One of the second page is damaged.
        let damaged = hex(&key("", "i299").to_bytes());
        database.execute(&format!("update s0.records set record = '\\x8100' where key = '\\x{damaged}'")).await;
        let target = database.url("");
        assert!(Postgres::copy_from(&store, &target, keys(1), &mut |_| {}).await.is_err());
        let target = Postgres::connect(&target, keys(1)).await.expect("a store");
        assert_eq!(target.list(None, 10).await.expect("they can be read").len(), 0);
        assert!(Redb::copy_from(&store, folder.path().join("new.redb"), None, &mut |_| {}).await.is_err());
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
    });
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
