//! Sessions that the server ends in the middle of a request, and statements that it refuses.

use std::collections::HashSet;

use futures_util::future;
use osb_throwaway_postgres::Network;

use super::*;

/// The keys of an instance and one of its bindings, whose transaction locks the instance.
fn pair() -> [Key; 2] {
    [key("", "a"), Key { binding: Some("b".into()), ..key("", "a") }]
}

/// Makes a store read the clock with the next request.
fn age_clock(store: &Postgres) {
    let millis = store.now().expect("a time").as_millis();
    let read_at = Instant::now().checked_sub(clock::CHECK * 2).expect("a time");
    store.clock.set(clock::Anchor { millis, read_at });
}

async fn bind(store: &Postgres, text: &str) -> Result<(), StoreError> {
    store.transact(&pair(), &mut |found: &mut [Option<Record>]| found[1] = Some(suite::record(text, None))).await
}

/// As by an administrator, or by `idle_session_timeout`.
#[test]
fn a_decision_whose_session_is_ended_before_it_writes_is_made_in_another_one() {
    const WAITING: &str = "application_name = 'osb' and wait_event_type = 'Lock'";
    test(async |database| {
        let store = connect(&database.url("")).await;
        put(&store, &key("", "a"), Some(("made", None))).await;
        let client = database.session().await;
        client.batch_execute("begin; select 1 from s0.records for update").await.expect("it is locked");
        let end_session = async {
            until(async || database.count(WAITING).await > 0).await;
            database.execute(&format!("select pg_terminate_backend(pid) from pg_stat_activity where {WAITING}")).await;
            client.batch_execute("commit").await.expect("it is unlocked");
        };
        let (bound, ()) = tokio::join!(bind(&store, "bound"), end_session);
        bound.expect("it is made");
        assert_eq!(get(&store, &pair()[1]).await.as_deref(), Some("bound"));
    });
}

/// Only the server says that a session can go on after an error, by its code.
#[test]
fn sessions_are_left_after_an_error_of_the_driver() {
    test(async |database| {
        let store = connect(&database.url("")).await;
        let session = async || {
            let found = store.request("select pg_backend_pid()", &[]).await.expect("an answer");
            found[0].get::<_, i32>(0)
        };
        let mut sessions = HashSet::new();
        for _ in 0..8 {
            sessions.insert(session().await);
        }
        let refused = store.request("select $1", &[(&1_i64, Type::INT4)]).await.expect_err("a value of another type");
        assert!(refused.to_string().contains("error serializing parameter 0"), "{refused}");
        assert!(!sessions.contains(&session().await));
    });
}

/// The part of a log that is in memory.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no panic").write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Runs a test with a database in a runtime of this thread, whose warnings it can look at.
fn test_logged(test: impl AsyncFnOnce(&Database, &dyn Fn() -> Vec<String>)) {
    let Some(database) = Database::start() else { return };
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone()).finish();
    // With only one subscriber, tracing caches whether an event is enabled for the first thread that reaches it.
    let _another = tracing::Dispatch::new(tracing_subscriber::fmt().with_writer(std::io::sink).finish());
    let _logging = tracing::subscriber::set_default(subscriber);
    // The log is that of this thread.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let warnings = || {
        let log = String::from_utf8(log.0.lock().expect("no panic").clone()).expect("it is text");
        log.lines().filter(|line| line.contains("WARN")).map(ToOwned::to_owned).collect::<Vec<_>>()
    };
    runtime.block_on(finish(test(&database, &warnings)));
}

/// A server that ends idle sessions does so all the time, and an alert on warnings must not hear of it.
#[test]
fn a_session_that_ends_because_it_is_idle_is_no_warning() {
    test_logged(async |database, warnings| {
        let url = database.url("");
        let limited = format!("{url}&options=-c%20idle_session_timeout%3D500ms");
        let store = connect(&limited).await;
        for round in ["one", "two"] {
            put(&store, &key("", "a"), Some((round, None))).await;
            database.has_no_connection().await;
        }
        assert_eq!(get(&store, &key("", "a")).await.as_deref(), Some("two"));
        assert_eq!(warnings(), [""; 0]);
        // Any other end is one warning each, with the reason.
        store.close().await.expect("it closes");
        database.has_no_connection().await;
        let store = connect(&url).await;
        put(&store, &key("", "a"), Some(("three", None))).await;
        let number = database.count(CONNECTIONS).await;
        database.execute(&format!("select pg_terminate_backend(pid) from pg_stat_activity where {CONNECTIONS}")).await;
        database.has_no_connection().await;
        assert_eq!(get(&store, &key("", "a")).await.as_deref(), Some("three"));
        let warned = warnings();
        let has_reason = |line: &String| line.contains("due to administrator command");
        assert!(usize::try_from(number) == Ok(warned.len()) && warned.iter().all(has_reason), "{number}: {warned:#?}");
    });
}

/// A broker that has been renamed would begin without its records.
#[test]
fn a_new_schema_beside_one_that_has_records_is_a_warning() {
    test_logged(async |database, warnings| {
        drop(connect(&database.url("")).await);
        assert_eq!(warnings(), [""; 0]);
        let url = database.url("");
        for _ in 0..2 {
            drop(connect(&url).await);
        }
        let warned = warnings();
        let names_both = |line: &str| line.contains(r#"schema="s1""#) && line.contains(r#"others="s0""#);
        assert!(matches!(&*warned, [warning] if names_both(warning)), "{warned:#?}");
    });
}

/// Another replica may migrate the tables for long. But any user of the database can take the lock, and keep it.
#[test]
fn a_start_that_waits_for_the_migration_of_another_session_says_so() {
    test_logged(async |database, warnings| {
        let url = database.url("");
        let other = database.session().await;
        other
            .batch_execute("begin; select pg_advisory_xact_lock(hashtextextended('osb:s0', 0))")
            .await
            .expect("a lock");
        let end = async {
            until(async || !warnings().is_empty()).await;
            other.batch_execute("commit").await.expect("it is released");
        };
        let started = async { tokio::join!(connect(&url), end) };
        let (store, ()) = tokio::time::timeout(url::STATEMENT_TIMEOUT * 2, started).await.expect("in time");
        assert!(matches!(&*warnings(), [warned] if warned.contains("see `pg_locks`")), "{:?}", warnings());
        store.close().await.expect("it closes");
    });
}

/// The server may have no connection for a replica, and may have other reasons to refuse one.
#[test]
fn only_a_lack_of_connections_makes_requests_share_the_open_ones() {
    test_logged(async |database, warnings| {
        let url = database.url("");
        drop(connect(&url).await);
        let limited = database.limited(&url, "select, insert, update, delete").await;
        database.execute("alter role limited connection limit 1").await;
        // Each start needs two connections, one after the other. The server takes a moment to close the first one.
        let store = loop {
            match Postgres::connect(&limited, None).await {
                Ok(store) => break store,
                Err(error) => assert!(error.to_string().contains("too many connections"), "{error}"),
            }
        };
        database.has_no_connection().await;
        // A replica without any connection has none to wait for.
        let other = limited.parse::<Options>().expect("a URL").config;
        let (client, connection) = other.connect(NoTls).await.expect("the only connection");
        let connection = tokio::spawn(connection);
        let refused = tokio::time::timeout(connections::REFUSAL, store.client()).await.expect("it doesn't wait");
        let refused = unavailable(refused.err().expect("there is no connection")).to_string();
        assert!(refused.contains("too many connections"), "{refused}");
        drop(client);
        _ = connection.await;
        until(async || database.count("usename = 'limited'").await == 0).await;
        assert_eq!(warnings(), [""; 0]);

        let one = store.client().await.expect("the only connection");
        let wait = async || store.client().await.expect("the same connection").release();
        let attempts = || {
            let refusals = "select count(*) from regexp_matches(pg_read_file('../log'), 'too many connections', 'g')";
            database.server.sql(refusals).parse::<usize>().expect("a number")
        };
        let release = async {
            until(async || !warnings().is_empty()).await;
            let before = attempts();
            let release = async {
                one.release();
                Instant::now()
            };
            // Polled in this order.
            let (_, released_at) = tokio::join!(biased; future::join_all((0..8).map(|_| wait())), release);
            let waited = released_at.elapsed();
            assert!(waited < connections::REFUSAL / 2, "it is handed on at once, and not after {waited:?}");
            // The server is asked again after a pause only: each attempt costs it a process.
            assert!(attempts() - before < 4, "{before}: {}", attempts());
        };
        tokio::join!(wait(), release);
        let warned = warnings();
        assert!(warned.len() == 1 && warned[0].contains("open=1"), "{warned:#?}");
        assert!(warned[0].contains("too many connections for role"), "{warned:#?}");

        let one = store.client().await.expect("the same connection");
        database.execute("alter role limited password 'changed' connection limit 8").await;
        // The pause after the refusal.
        let refused = tokio::time::timeout(connections::REFUSAL * 3, store.client()).await.expect("it doesn't wait");
        let refused = unavailable(refused.err().expect("the password is wrong")).to_string();
        assert!(refused.contains("password authentication failed"), "{refused}");
        one.release();
    });
}

/// As when a vault gives out passwords that are valid for a day.
#[test]
fn a_password_in_a_file_can_change_while_the_store_is_open() {
    test_logged(async |database, warnings| {
        let url = database.url("");
        drop(connect(&url).await);
        let limited = database.limited(&url, "select, insert, update, delete").await;
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("pgpass");
        let write = |password: &str| {
            let next = folder.path().join("next");
            std::fs::write(&next, format!("*:*:*:other:hush\n*:*:*:limited:{password}\n")).expect("it is written");
            std::fs::rename(next, &file).expect("it is replaced");
        };
        let parameters = if limited.contains('?') { "&" } else { "?" };
        let limited = limited.replacen(":limited@", "@", 1);
        let limited = format!("{limited}{parameters}passfile={}", file.display());
        let refused = async || Postgres::connect(&limited, None).await.expect_err("no password").to_string();
        assert!(refused().await.contains("pgpass can't be read: No such file"), "{}", refused().await);
        std::fs::write(&file, "*:*:*:other:hush\n").expect("it is written");
        assert!(refused().await.contains("has no line for the host, port, database and user"), "{}", refused().await);

        write("limited");
        let store = connect(&limited).await;
        put(&store, &key("", "a"), Some(("one", None))).await;
        let end_sessions = async || {
            let end = "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'limited'";
            database.execute(end).await;
            until(async || database.count("usename = 'limited'").await == 0).await;
        };
        database.execute("alter role limited password 'changed'").await;
        write("changed");
        end_sessions().await;
        put(&store, &key("", "a"), Some(("two", None))).await;

        std::fs::remove_file(&file).expect("it is removed");
        end_sessions().await;
        assert!(unavailable(store.client().await.err().expect("no password")).to_string().contains("password"));
        assert!(warnings().iter().any(|line| line.contains("the password of the database can't be read")));
        write("changed");
        until(async || store.client().await.map(BusyConnection::release).is_ok()).await;
        assert_eq!(get(&store, &key("", "a")).await.as_deref(), Some("two"));
    });
}

/// Makes a server refuse to write records, as when its disk is full.
const REFUSE: &str = "
    create function s0.refuse() returns trigger language plpgsql as
        $$ begin raise 'no space left' using errcode = 'disk_full'; end $$;
    create trigger refuse before insert or update on s0.records for each row execute function s0.refuse()";

#[test]
fn records_that_cannot_be_resealed_are_not_reported_as_resealed() {
    test(async |database| {
        let url = database.url("");
        let store = connect(&url).await;
        for name in ["a", "b", "c"] {
            put(&store, &key("", name), Some(("made", None))).await;
        }
        database.execute(REFUSE).await;
        let mut reported = 0;
        let refused = Postgres::reseal(&url, keys(1), &mut |records| reported += records).await;
        let refused = refused.expect_err("it is refused").to_string();
        assert!(refused.contains("no space left"), "{refused}");
        assert_eq!(reported, 0);
        database.execute("drop trigger refuse on s0.records").await;
        let resealed = Postgres::reseal(&url, keys(1), &mut |records| reported += records).await.expect("resealed");
        assert_eq!((resealed, reported), (3, 3));
    });
}

/// A new session would cost a server that is in trouble a process.
#[test]
fn a_refused_statement_leaves_the_session() {
    test(async |database| {
        let store = connect(&database.url("")).await;
        put(&store, &key("", "a"), Some(("made", None))).await;
        bind(&store, "bound").await.expect("it is made");
        database.execute(REFUSE).await;
        let sessions = async || {
            let client = database.session().await;
            let pids = format!("select array_agg(pid order by pid) from pg_stat_activity where {CONNECTIONS}");
            client.query_one(&pids, &[]).await.expect("a row").get::<_, Vec<i32>>(0)
        };
        let before = sessions().await;
        for refused in [bind(&store, "changed").await, add_one(&store, &key("", "new")).await] {
            let refused = refused.expect_err("it is refused").to_string();
            assert!(refused.contains("no space left"), "{refused}");
        }
        store.list(None, 10).await.expect("they are listed");
        assert_eq!(sessions().await, before);
    });
}

/// The decision is made again once, and not until its time is up.
#[test]
fn a_decision_fails_with_the_reason_if_no_session_can_write() {
    test(async |database| {
        let url = database.url("");
        drop(connect(&url).await);
        let read_only = "&target_session_attrs=any&options=-c%20default_transaction_read_only%3Don";
        let store = connect(&format!("{url}{read_only}")).await;
        for refused in [add_one(&store, &key("", "a")).await, bind(&store, "bound").await] {
            let refused = refused.expect_err("it is refused").to_string();
            assert!(refused.contains("in a read-only transaction"), "{refused}");
        }
        age_clock(&store);
        assert_eq!(get(&store, &key("", "a")).await, None);
    });
}

/// For a second after the clock was read, reads don't notice it.
#[test]
fn a_write_in_a_session_that_cannot_write_is_made_in_another_one() {
    test(async |database| {
        let store = connect(&database.url("")).await;
        let session = store.client().await.expect("a connection");
        let client = session.client().expect("it is open");
        client.batch_execute("set default_transaction_read_only = on").await.expect("it is set");
        session.release();
        let millis = store.now().expect("a time").as_millis();
        store.clock.set(clock::Anchor { millis, read_at: Instant::now() });
        add_one(&store, &key("", "a")).await.expect("another session can write");
    });
}

#[test]
fn a_session_that_ends_while_it_is_prepared_is_reported_in_words_of_the_database() {
    run(async {
        let refused = tokio_postgres::connect("host=127.0.0.1 port=1", NoTls).await.err().expect("nothing listens");
        let error = PoolError::PostCreateHook(HookError::Backend(refused));
        let told = connections::reason(&error);
        assert!(told.contains("Connection refused") && !told.contains("hook"), "{told}");
    });
}

/// A platform forgets an instance whose deletion is answered 410. Its replica may have sessions with the former primary, and no
/// request that writes.
#[test]
fn records_of_the_new_primary_are_found_while_the_former_one_is_read_only() {
    test(async |database| {
        let standby = database.server.standby();
        let (port, next) = (database.server.port(), standby.port());
        let url = database.url("").replace(&format!(":{port}/"), &format!(":{port},127.0.0.1:{next}/"));
        let many = url.replace("pool_size=8", "pool_size=16");
        let (store, idle) = (connect(&many).await, connect(&url).await);
        put(&store, &key("", "a"), Some(("old", None))).await;
        // A request can't try all of them.
        let sessions = future::try_join_all((0..12).map(|_| store.client())).await.expect("they are opened");
        sessions.into_iter().for_each(BusyConnection::release);
        tokio::join!(begin_to_listen(&store), begin_to_listen(&idle));
        // In use meanwhile.
        let busy = store.client().await.expect("a connection");
        database.server.sql("alter system set default_transaction_read_only = on");
        database.server.sql("select pg_reload_conf()");
        until(async || database.count("current_setting('transaction_read_only') = 'on'").await > 0).await;
        standby.promote();
        put(&store, &key("", "a"), Some(("new", None))).await;
        busy.release();
        age_clock(&idle);
        for one in [&store, &idle] {
            assert_eq!(get(one, &key("", "a")).await.as_deref(), Some("new"));
        }
        // Those for notifications too: replicas that start now connect to the new primary.
        database.has_no_connection().await;
        until(async || store.notifications.is_listening() && idle.notifications.is_listening()).await;
    });
}

/// The other one is a standby, as in most deployments with two hosts.
#[test]
fn the_host_that_is_tried_first_is_the_reason_why_there_is_no_connection() {
    test(async |database| {
        database.server.sql("alter system set default_transaction_read_only = on");
        database.server.sql("select pg_reload_conf()");
        until(async || database.count("current_setting('transaction_read_only') = 'on'").await > 0).await;
        let port = database.server.port();
        let url = database.url("").replace(&format!(":{port}/"), &format!(":1,127.0.0.1:{port}/"));
        let told = Postgres::connect(&url, None).await.expect_err("no host can be used").to_string();
        assert!(told.contains("Connection refused"), "{told}");
    });
}

/// They may lead to a former primary, whose records are old.
#[test]
fn sessions_that_cannot_write_are_not_used_again_while_no_other_can_be_had() {
    test_through_proxy(async |database, proxy| {
        let store = connect(&database.behind(proxy.port(), &database.url(""))).await;
        put(&store, &key("", "a"), Some(("old", None))).await;
        database.server.sql("alter system set default_transaction_read_only = on");
        database.server.sql("select pg_reload_conf()");
        until(async || database.count("current_setting('transaction_read_only') = 'on'").await > 0).await;
        proxy.set(Network::Closed);
        age_clock(&store);
        for _ in 0..2 {
            store.read(&key("", "a"), &mut |_| ()).await.expect_err("there is no session that can write");
        }
    });
}
