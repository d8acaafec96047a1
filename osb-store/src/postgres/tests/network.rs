//! Networks that are silent.

use futures_util::future;
use osb_throwaway_postgres::{Network, Proxy, Trap};
use tokio::{net::TcpListener, time::timeout};

use super::*;

/// Longer than the limit for connections in these tests.
const SOON: Duration = Duration::from_secs(3);
/// Shorter than that limit.
const AT_ONCE: Duration = Duration::from_millis(500);

#[test]
fn a_server_that_is_silent_is_given_up_at_the_start() {
    test(async |database| {
        let silent = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let silent = silent.local_addr().expect("it is bound");
        let url = format!("postgres://kv@{silent}/broker?connect_timeout=1");
        let refused =
            timeout(SOON, Postgres::connect(&url, None)).await.expect("in time").expect_err("it is silent").to_string();
        assert!(refused.ends_with(&format!("no connection to {silent}: no answer within 1s")), "{refused}");
        // The next host is tried.
        let url = database.url("&connect_timeout=1&target_session_attrs=read-write");
        let url = url.replace("@127.0.0.1", &format!("@{silent},127.0.0.1"));
        let store = timeout(SOON, Postgres::connect(&url, None)).await.expect("in time").expect("the second host");
        // A request that needs a new connection doesn't wait for the silent host again.
        timeout(AT_ONCE, add_one(&store, &key("", "a"))).await.expect("in time").expect("it is stored");
    });
}

#[test]
fn a_server_that_is_silent_after_the_authentication_is_given_up_at_the_start() {
    test_through_proxy(async |database, proxy| {
        let url = database.behind(proxy.port(), &database.url("&connect_timeout=1"));
        proxy.trap(Trap::Lost("set idle_in_transaction_session_timeout"));
        let refused = timeout(SOON, Postgres::connect(&url, None)).await.expect("in time").expect_err("it is silent");
        assert_eq!(refused.to_string(), "the database can't be used: the database doesn't answer");
        drop(connect(&url).await);
    });
}

#[test]
fn the_error_of_the_start_names_the_hosts() {
    test(async |database| {
        let port = database.server.port();
        let url = format!("postgres://kv@127.0.0.1:{port},localhost:{port}/missing");
        let refused = Postgres::connect(&url, None).await.expect_err("there is no such database").to_string();
        let hosts = format!("no connection to 127.0.0.1:{port}, localhost:{port}: ");
        assert!(refused.contains(&hosts), "{refused}");
    });
}

#[test]
fn several_silent_hosts_do_not_use_up_the_time_of_a_request() {
    test(async |database| {
        let (mut listeners, mut hosts) = (Vec::new(), String::new());
        for _ in 0..2 {
            let silent = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
            hosts += &format!("{},", silent.local_addr().expect("it is bound"));
            listeners.push(silent);
        }
        let url = database.url("").replace("@127.0.0.1", &format!("@{hosts}127.0.0.1"));
        timeout(url::CONNECT_TIMEOUT, Postgres::connect(&url, None)).await.expect("in time").expect("the third host");
    });
}

/// The other host may have become the primary because this one has failed.
#[test]
fn connections_to_a_host_are_given_up_once_another_one_answers() {
    test_through_proxy(async |database, proxy| {
        let (own, proxied) = (database.server.port(), proxy.port());
        let url = database.url("&target_session_attrs=any");
        let url = url.replace(&format!("@127.0.0.1:{own}/"), &format!("@127.0.0.1:{proxied},127.0.0.1:{own}/"));
        let store = connect(&url).await;
        let busy = store.client().await.expect("a connection");
        proxy.set(Network::Closed);
        let next = store.client().await.expect("a connection to the other host");
        busy.release();
        next.release();
        assert_eq!(store.connections.pool.status().size, 1);
    });
}

#[test]
fn a_host_that_becomes_silent_is_left_although_each_request_is_given_up_before() {
    test_through_proxy(async |database, proxy| {
        let (own, proxied) = (database.server.port(), proxy.port());
        let url = database.url("&connect_timeout=2&target_session_attrs=read-write");
        let url = url.replace(&format!("@127.0.0.1:{own}/"), &format!("@127.0.0.1:{proxied},127.0.0.1:{own}/"));
        let store = connect(&url).await;
        let key = key("", "a");
        add_one(&store, &key).await.expect("it is stored");
        proxy.set(Network::Held);
        // Less than the time to connect, but enough for a busy server to accept a connection.
        let (patience, mut given_up) = (Duration::from_secs(1), 0);
        while timeout(patience, store.read(&key, &mut |_| ())).await.is_err() {
            given_up += 1;
            assert!(given_up < 6, "the other host is never tried");
        }
        assert!(given_up > 0, "the first host is silent");
    });
}

#[test]
fn requests_are_given_up_while_the_network_is_silent() {
    test_through_proxy(async |database, proxy| {
        let url = database.behind(proxy.port(), &database.url("&connect_timeout=1"));
        let store = connect(&url).await;
        let key = key("", "a");
        add_one(&store, &key).await.expect("it is stored");
        begin_to_listen(&store).await;
        proxy.set(Network::Held);
        // As a health check does. The connection is not used again.
        assert!(timeout(Duration::from_millis(50), store.read(&key, &mut |_| ())).await.is_err(), "it is silent");
        assert_eq!(store.connections.pool.status().size, 0);
        let refused = timeout(SOON, add_one(&store, &key)).await.expect("in time").expect_err("it is silent");
        assert!(refused.to_string().contains("no connection to the database"), "{refused}");
        proxy.set(Network::Open);
        // The silent connection for notifications works again, or is replaced.
        add_one(&store, &key).await.expect("it is stored");
        assert_eq!(get(&store, &key).await.as_deref(), Some("2"));
    });
}

#[test]
fn an_answer_that_was_late_does_not_set_the_clock_back() {
    test_through_proxy(async |database, proxy| {
        let url = database.behind(proxy.port(), &database.url(""));
        let store = Arc::new(connect(&url).await);
        let key = key("", "a");
        for _ in 0..2 {
            add_one(&*store, &key).await.expect("it is stored");
            // The next request reads the clock.
            tokio::time::sleep(clock::CHECK * 2).await;
        }
        proxy.set(Network::Slow(Duration::from_secs(3)));
        store.read(&key, &mut |_| ()).await.expect("it is read");
        let here = Timestamp::from(std::time::SystemTime::now()).as_millis();
        let there = store.now().expect("a time").as_millis();
        assert!(here.abs_diff(there) < 1000, "the clock is {} ms late", here - there);
    });
}

#[test]
fn a_request_is_repeated_if_its_connection_was_closed_unnoticed() {
    let Some(database) = Database::start() else { return };
    let proxy = Proxy::start(database.server.port());
    let url = database.behind(proxy.port(), &database.url(""));
    // With a single thread, nothing runs beside the test that could notice it.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(finish(async {
        let store = connect(&url).await;
        for keys in [vec![key("", "a")], vec![key("", "a"), key("", "a").of_binding("b".into())]] {
            let mut put = |records: &mut [Option<Record>]| records.fill(Some(suite::record("made", None)));
            store.transact(&keys, &mut put).await.expect("it is stored");
            proxy.reset();
            thread::scope(|scope| scope.spawn(|| run(database.has_no_connection())).join().expect("no panic"));
            let mut seen = None;
            let mut look = |records: &mut [Option<Record>]| seen = suite::text(records[0].as_ref());
            store.transact(&keys, &mut look).await.expect("with a new connection");
            assert_eq!(seen.as_deref(), Some("made"));
        }
    }));
}

/// As by a gateway that drops idle connections without a word: each is noticed only when it is used.
#[test]
fn a_request_is_repeated_in_a_new_session_if_all_idle_ones_were_forgotten() {
    test_through_proxy(async |database, proxy| {
        let store = connect(&database.behind(proxy.port(), &database.url(""))).await;
        let key = key("", "a");
        let forget = async || {
            let sessions = future::try_join_all((0..4).map(|_| store.client())).await.expect("they are opened");
            sessions.into_iter().for_each(BusyConnection::release);
            proxy.forget();
        };
        forget().await;
        add_one(&store, &key).await.expect("it is stored in a new session");
        forget().await;
        assert_eq!(get(&store, &key).await.as_deref(), Some("1"));
        forget().await;
        assert_eq!(store.list(None, 10).await.expect("they are listed in a new session").len(), 1);
    });
}

/// It may have been committed, and would be made twice.
#[test]
fn a_decision_is_not_repeated_after_its_commit_was_sent() {
    test_through_proxy(async |database, proxy| {
        let url = database.url("");
        let proxied = database.behind(proxy.port(), &url);
        let (store, direct) = (connect(&proxied).await, connect(&url).await);
        for name in ["one", "two"] {
            let instance = key("", name);
            add_one(&store, &instance).await.expect("it is stored");
            let keys = match name {
                "one" => vec![instance.clone()],
                _ => vec![instance.clone(), instance.of_binding("b".into())],
            };
            let mut add = |records: &mut [Option<Record>]| {
                let number: u32 =
                    suite::text(records[0].as_ref()).and_then(|text| text.parse().ok()).expect("a number");
                records[0] = Some(suite::record(&(number + 1).to_string(), None));
            };
            proxy.set(Network::Slow(Duration::from_millis(100)));
            let breaks = async {
                until(async || get(&direct, &instance).await.as_deref() == Some("2")).await;
                // The answer is on the way.
                proxy.reset();
                proxy.set(Network::Open);
            };
            _ = tokio::join!(store.transact(&keys, &mut add), breaks);
            assert_eq!(get(&direct, &instance).await.as_deref(), Some("2"), "{name}");
        }
    });
}

/// A distant database would otherwise stop a broker for minutes while 100,000 records are copied, and reseal would hold the locks of
/// 1,000 records for seconds.
#[test]
fn all_records_of_a_page_are_copied_sealed_or_imported_in_few_round_trips() {
    const COUNT: u64 = 200;
    test_through_proxy(async |database, proxy| {
        let records = (0..COUNT).map(|number| (key("", &format!("i{number}")), suite::record("made", None)));
        let proxied = |url: &str| database.behind(proxy.port(), url);
        let (from, to) = (database.url(""), database.url(""));
        let store = connect(&proxied(&from)).await;
        // No answer comes while a page is being sent, on a busy machine either.
        proxy.set(Network::Slow(Duration::from_millis(10)));
        let since = |before: u64| proxy.round_trips() - before;

        let before = proxy.round_trips();
        store.insert_all(records.collect()).await.expect("they are inserted");
        assert!(since(before) < COUNT / 4, "import: {}", since(before));
        let before = proxy.round_trips();
        Postgres::copy_from(&store, &proxied(&to), None, &mut |_| {}).await.expect("it is copied");
        assert!(since(before) < COUNT / 2, "copy: {}", since(before));
        let before = proxy.round_trips();
        assert_eq!(Postgres::reseal(&proxied(&to), keys(1), &mut |_| {}).await.expect("sealed"), COUNT);
        assert!(since(before) < COUNT / 4, "reseal: {}", since(before));
    });
}
