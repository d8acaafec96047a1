//! Notifications between processes.

use osb_throwaway_postgres::Network;

use super::*;

#[test]
fn the_end_of_an_operation_wakes_other_processes() {
    test(async |database| {
        let url = database.url("");
        let (here, there) = (connect(&url).await, connect(&url).await);
        let (a, b) = (key("", "a"), key("", "b"));
        put(&there, &a, Some(("running", Some(u64::MAX / 4)))).await;
        put(&there, &b, Some(("running", Some(u64::MAX / 4)))).await;
        tokio::join!(begin_to_listen(&here), begin_to_listen(&there));
        // An operation may have been handed over before it listened.
        here.handed_over().await;
        let (changed, other, handed_over) = (here.changed(&a), here.changed(&b), here.handed_over());
        tokio::pin!(changed, other, handed_over);
        // The end of one waiter concerns no other.
        drop(here.changed(&b));
        assert_eq!(here.notifications.watched(), 2);
        put(&there, &a, Some(("ended", None))).await;
        tokio::select! {
            biased;
            () = &mut other => panic!("it has not changed"),
            () = &mut handed_over => panic!("nothing was handed over"),
            () = changed => {}
        }
        // It goes on after it has sent something.
        for _ in 0..2 {
            put(&there, &a, Some(("running", Some(u64::MAX / 4)))).await;
            let changed = here.changed(&a);
            put(&there, &a, Some(("ended", None))).await;
            // Sooner than it would look at the record again.
            tokio::time::timeout(Duration::from_secs(3), changed).await.expect("it is notified");
        }
        put(&there, &b, Some(("handed over", Some(1)))).await;
        // Its end does not stop what it has to send.
        there.close().await.expect("it can be closed");
        tokio::join!(other, handed_over);
        assert_eq!(here.notifications.watched(), 0);
    });
}

/// The runtime in which a store exchanges notifications can end before the store is closed.
#[test]
fn unsent_notifications_are_sent_at_the_end() {
    let Some(database) = Database::start() else { return };
    let url = database.url("");
    let ended = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let there = ended.block_on(finish(async {
        let there = connect(&url).await;
        begin_to_listen(&there).await;
        put(&there, &key("", "a"), Some(("running", Some(2)))).await;
        there
    }));
    run(async {
        let here = connect(&url).await;
        here.handed_over().await;
        // On this thread nothing runs beside it, so the exchange has no turn after the commit.
        let hand_over = move || {
            ended.block_on(put(&there, &key("", "a"), Some(("handed over", Some(1)))));
            drop(ended);
            there
        };
        let there = tokio::task::spawn_blocking(hand_over).await.expect("no panic");
        let (handed_over, close) = (here.handed_over(), there.close());
        tokio::join!(handed_over, close).1.expect("it can be closed");
    });
}

/// A program that hands over and ends without closing its store.
#[test]
fn a_store_that_is_dropped_sends_what_is_pending() {
    test(async |database| {
        let url = database.url("");
        let (here, there) = (connect(&url).await, connect(&url).await);
        tokio::join!(begin_to_listen(&here), begin_to_listen(&there));
        here.handed_over().await;
        // On this thread the exchange has no turn between the two.
        there.notifications.send(&key("", "a").to_bytes(), true);
        drop(there);
        let told = tokio::time::timeout(Duration::from_secs(10), here.handed_over());
        told.await.expect("it is told");
    });
}

/// A change may have been missed meanwhile.
#[test]
fn waiting_ends_when_the_connection_for_notifications_breaks() {
    test_through_proxy(async |database, proxy| {
        let url = database.behind(proxy.port(), &database.url(""));
        let (store, key) = (connect(&url).await, key("", "a"));
        begin_to_listen(&store).await;
        let changed = store.changed(&key);
        tokio::pin!(changed);
        proxy.set(Network::Closed);
        tokio::select! {
            biased;
            () = &mut changed => panic!("it has not changed"),
            () = std::future::ready(()) => proxy.reset(),
        }
        tokio::select! {
            () = changed => {}
            () = tokio::time::sleep(Duration::from_secs(4)) => panic!("only the poll after 5 s would end it"),
        }
    });
}

/// Another process that still listens would look at the record after five seconds.
#[test]
fn notifications_that_are_sent_while_their_connection_is_broken_arrive_soon() {
    test_through_proxy(async |database, proxy| {
        let url = database.url("");
        let here = connect(&url).await;
        let there = connect(&database.behind(proxy.port(), &url)).await;
        tokio::join!(begin_to_listen(&here), begin_to_listen(&there));
        let (key, limit) = (key("", "a"), Duration::from_millis(1500));
        // It connects again at once, sooner than it would after a failure.
        let changed = here.changed(&key);
        proxy.reset();
        there.notifications.send(&key.to_bytes(), false);
        tokio::time::timeout(limit, changed).await.expect("it is notified");
        proxy.set(Network::Closed);
        proxy.reset();
        until(async || !there.notifications.is_listening()).await;
        let changed = here.changed(&key);
        there.notifications.send(&key.to_bytes(), false);
        proxy.set(Network::Open);
        // It tries again after two seconds.
        tokio::time::timeout(limit + Duration::from_secs(2), changed).await.expect("it is notified");
    });
}

/// The database need not have received what was sent when the connection breaks.
#[test]
fn notifications_that_were_not_confirmed_are_sent_at_the_end() {
    test_through_proxy(async |database, proxy| {
        let url = database.url("");
        let here = connect(&url).await;
        let proxied = database.behind(proxy.port(), &url);
        let there = connect(&proxied).await;
        tokio::join!(begin_to_listen(&here), begin_to_listen(&there));
        here.handed_over().await;
        proxy.set(Network::Held);
        there.notifications.send(&key("", "a").to_bytes(), true);
        until(async || there.notifications.on_the_way() > 0).await;
        proxy.reset();
        proxy.set(Network::Open);
        let told = tokio::time::timeout(Duration::from_secs(10), here.handed_over());
        let (told, closed) = tokio::join!(told, there.close());
        closed.expect("it can be closed");
        told.expect("it is told");
    });
}

#[test]
fn a_store_that_is_dropped_without_being_closed_leaves_no_connection() {
    test(async |database| {
        let store = connect(&database.url("")).await;
        begin_to_listen(&store).await;
        assert_eq!(database.count(CONNECTIONS).await, 1);
        drop(store);
        database.has_no_connection().await;
    });
}

/// Without notifications, the record is read from time to time.
#[test]
fn without_notifications_waiting_ends_soon() {
    test(async |database| {
        let store = connect(&database.url("&pooler=transaction")).await;
        tokio::time::timeout(Duration::from_secs(2), store.changed(&key("", "a"))).await.expect("it ends");
        assert!(!store.notifications.is_listening());
    });
}

/// Stores a binding that expires. The lease of its operation is always the same.
async fn put_binding(store: &Postgres, key: &Key, phase: &str, end: serde_json::Value) {
    let record = json!({ "binding": {
        "service_id": "s", "plan_id": "p", "parameters": {}, "resource": { "fields": {} },
        "output": { "metadata": { "expires_at": "2126-01-01T00:00:00.0Z" } },
        "status": { "phase": phase, "operation": {
            "id": "o", "kind": { "create": { "undo": null } }, "attempt": 1, "lease": 1, "deadline": 0,
            "accepted": true, "admitted": true, "end": end,
        } },
    } });
    let record: Record = serde_json::from_value(record).expect("it is a record");
    let mut decide = |found: &mut [Option<Record>]| found[0] = Some(record.clone());
    store.transact(std::slice::from_ref(key), &mut decide).await.expect("it is stored");
}

/// The deletion of a binding takes the lease of the creation that it cancels.
#[test]
fn the_cancellation_of_an_operation_wakes_its_worker_in_another_process() {
    test(async |database| {
        let url = database.url("");
        let (here, there) = (connect(&url).await, connect(&url).await);
        let key = key("", "a").of_binding("b".into());
        put_binding(&there, &key, "creating", json!(null)).await;
        tokio::join!(begin_to_listen(&here), begin_to_listen(&there));
        let cancelled = here.cancelled(&key);
        put_binding(&there, &key, "deleting", json!(null)).await;
        // No poll would notice it.
        tokio::time::timeout(Duration::from_secs(10), cancelled).await.expect("it is notified");
    });
}

/// The record of a binding that expires is due again, long after the lease of the operation that has ended.
#[test]
fn the_end_of_the_creation_of_a_binding_that_expires_wakes_other_processes() {
    test(async |database| {
        let url = database.url("");
        let (here, there) = (connect(&url).await, connect(&url).await);
        let key = key("", "a").of_binding("b".into());
        let end = async |end: serde_json::Value| put_binding(&there, &key, "ready", end).await;
        end(json!(null)).await;
        tokio::join!(begin_to_listen(&here), begin_to_listen(&there));
        here.handed_over().await;
        let (changed, handed_over) = (here.changed(&key), here.handed_over());
        tokio::pin!(changed, handed_over);
        end(json!({})).await;
        tokio::select! {
            () = changed => {}
            () = handed_over => panic!("nothing was handed over"),
            () = tokio::time::sleep(Duration::from_secs(4)) => panic!("only the poll after 5 s would notice it"),
        }
    });
}

/// An administrator may limit all sessions. This one has nothing to do for longer.
#[test]
fn the_connection_for_notifications_outlives_the_limit_of_idle_sessions() {
    test(async |database| {
        let limited = database.url("&options=-c%20idle_session_timeout%3D200ms");
        let store = connect(&limited).await;
        begin_to_listen(&store).await;
        let (client, connection) = tokio_postgres::connect(&database.server.url(), NoTls).await.expect("a connection");
        let connection = tokio::spawn(connection);
        client.batch_execute("set idle_session_timeout = '1s'").await.expect("it is set");
        assert!(connection.await.expect("no panic").is_err(), "the server ends a session that began later");
        assert!(store.notifications.is_listening());
    });
}
