//! Transactions of decisions, which wait for each other.

use osb_throwaway_postgres::Trap;

use super::*;

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

/// A pooler in transaction mode keeps no limits of a session: the change would be made when its claim has long ended.
#[test]
fn a_change_that_is_given_up_behind_a_pooler_is_not_made_later() {
    test(async |database| {
        let store = connect(&database.url("&pooler=transaction")).await;
        let key = key("", "a");
        put(&store, &key, Some(("1", None))).await;
        let client = database.session().await;
        client.batch_execute("begin; select from s0.records for update").await.expect("it is locked");
        add_one(&store, &key).await.expect_err("it is locked");
        client.batch_execute("commit").await.expect("it is unlocked");
        until(async || database.count("application_name = 'osb' and state = 'active'").await == 0).await;
        assert_eq!(get(&store, &key).await.as_deref(), Some("1"));
    });
}

/// By a request to cancel it, for example. The next request has the same connection.
#[test]
fn a_transaction_whose_commit_is_refused_is_rolled_back() {
    test_through_proxy(async |database, proxy| {
        let url = database.behind(proxy.port(), &database.url("")).replace("pool_size=8", "pool_size=1");
        let (store, instance) = (connect(&url).await, key("", "a"));
        let keys = [instance.clone(), instance.of_binding("b".into())];
        let mut put = |records: &mut [Option<Record>]| records.fill(Some(suite::record("made", None)));
        proxy.trap(Trap::Refused("commit"));
        store.transact(&keys, &mut put).await.expect_err("it is refused");
        assert_eq!(get(&store, &instance).await, None);
    });
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
