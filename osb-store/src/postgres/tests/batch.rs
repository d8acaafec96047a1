//! Decisions that wait for the only connection, and go together when it is free.

use osb_throwaway_postgres::{Network, Proxy, Trap};
use tokio::task::JoinHandle;

use super::*;

/// A store with one connection, which the test can hold.
struct Queued<'a> {
    store: Arc<Postgres>,
    proxy: &'a Proxy,
    /// The decision that has the connection.
    first: JoinHandle<()>,
}

impl<'a> Queued<'a> {
    /// Starts a decision whose answer is held. All that begin from now on wait for the connection.
    async fn start(database: &Database, proxy: &'a Proxy) -> Self {
        let url = database.url("").replace("pool_size=8", "pool_size=1");
        let url = database.behind(proxy.port(), &url);
        let store = Arc::new(connect(&url).await);
        add_one(&*store, &key("", "prepared")).await.expect("it is stored");
        proxy.set(Network::Held);
        let first = add(&store, "first");
        let queued = Self { store, proxy, first };
        until(async || queued.store.connections.pool.status().available == 0).await;
        until(async || queued.store.batches.waiting() == 0).await;
        queued
    }

    /// Adds one to each of these records, in this order.
    async fn add(&self, names: &[String]) -> Vec<JoinHandle<()>> {
        let mut added = Vec::new();
        for name in names {
            let waiting = self.store.batches.waiting();
            added.push(add(&self.store, name));
            until(async || self.store.batches.waiting() > waiting).await;
        }
        added
    }

    async fn value(&self, name: &str) -> Option<String> {
        get(&*self.store, &key("", name)).await
    }
}

fn add(store: &Arc<Postgres>, name: &str) -> JoinHandle<()> {
    let (store, key) = (Arc::clone(store), key("", name));
    tokio::spawn(async move { add_one(&*store, &key).await.expect("it is stored") })
}

fn names(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("n{number}")).collect()
}

#[test]
fn decisions_that_wait_take_few_round_trips() {
    test_through_proxy(async |database, proxy| {
        let queued = Queued::start(database, proxy).await;
        let added = queued.add(&names(30)).await;
        let trips = queued.proxy.round_trips();
        // No answer comes while a batch is being sent, on a busy machine either.
        queued.proxy.set(Network::Slow(Duration::from_millis(10)));
        for added in added.into_iter().chain([queued.first]) {
            added.await.expect("no panic");
        }
        // Each alone would take two.
        let trips = queued.proxy.round_trips() - trips;
        assert!((3..=6).contains(&trips), "{trips} round trips");
        for name in names(30) {
            assert_eq!(get(&*queued.store, &key("", &name)).await.as_deref(), Some("1"));
        }
    });
}

#[test]
fn decisions_on_the_same_record_go_one_after_another() {
    test_through_proxy(async |database, proxy| {
        let queued = Queued::start(database, proxy).await;
        let added = queued.add(&vec!["same".to_owned(); 20]).await;
        queued.proxy.set(Network::Open);
        for added in added {
            added.await.expect("no panic");
        }
        assert_eq!(queued.value("same").await.as_deref(), Some("20"));
    });
}

#[test]
fn a_write_that_the_database_refuses_fails_alone() {
    test_through_proxy(async |database, proxy| {
        let queued = Queued::start(database, proxy).await;
        let mut added = queued.add(&names(10)).await;
        // No index entry of PostgreSQL has room for this key, and it can't be compressed.
        let mut state = 1_u32;
        let long: String = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            char::from(b'!' + (state >> 25) as u8 % 90)
        })
        .take(8000)
        .collect();
        let (store, long) = (Arc::clone(&queued.store), key("", &long));
        let refused = tokio::spawn(async move { add_one(&*store, &long).await });
        added.extend(queued.add(&["last".to_owned()]).await);
        queued.proxy.set(Network::Open);
        let refused = refused.await.expect("no panic").expect_err("it has no room").to_string();
        assert!(refused.contains("index row"), "{refused}");
        for added in added {
            added.await.expect("no panic");
        }
        assert_eq!(queued.value("n0").await.as_deref(), Some("1"));
        assert_eq!(queued.value("last").await.as_deref(), Some("1"));
    });
}

/// A request to cancel a statement can arrive before any of them. The writes have been sent by then.
#[test]
fn writes_of_a_batch_are_made_once_although_the_server_refuses_its_begin_or_its_commit() {
    test_through_proxy(async |database, proxy| {
        for refused in ["begin; set local lock_timeout", "commit"] {
            let queued = Queued::start(database, proxy).await;
            let added = queued.add(&names(10)).await;
            proxy.trap(Trap::Refused(refused));
            queued.proxy.set(Network::Open);
            for added in added {
                added.await.expect("no panic");
            }
            assert!(queued.proxy.has_caught(), "{refused}");
            for name in names(10) {
                assert_eq!(queued.value(&name).await.as_deref(), Some("1"), "{refused}: {name}");
            }
        }
    });
}

/// The first that waits takes the others along, whether it stays or not.
#[test]
fn a_caller_that_gives_up_takes_no_other_with_it() {
    test_through_proxy(async |database, proxy| {
        let queued = Queued::start(database, proxy).await;
        let added = queued.add(&names(10)).await;
        // Given up while it waits.
        added[3].abort();
        until(async || queued.store.batches.waiting() == 9).await;
        // The batch is sent, and its answer held.
        let trips = queued.proxy.round_trips();
        queued.proxy.set(Network::Slow(Duration::from_millis(200)));
        until(async || queued.store.batches.waiting() == 0 && queued.proxy.round_trips() > trips).await;
        added[0].abort();
        for (number, added) in added.into_iter().enumerate() {
            assert_eq!(added.await.is_ok(), ![0, 3].contains(&number), "{number}");
        }
        assert_eq!(queued.value("n3").await, None);
        for number in [1, 2, 4, 9] {
            assert_eq!(queued.value(&format!("n{number}")).await.as_deref(), Some("1"), "{number}");
        }
    });
}

#[test]
fn a_record_that_is_locked_does_not_stop_the_others() {
    test(async |database| {
        let url = database.url("").replace("pool_size=8", "pool_size=4");
        let store = Arc::new(connect(&url).await);
        add_one(&*store, &key("", "n4")).await.expect("it is stored");
        let client = database.session().await;
        client.batch_execute("begin; select from s0.records for update").await.expect("it is locked");
        let mut added: Vec<_> = names(10).iter().map(|name| add(&store, name)).collect();
        let locked = added.remove(4);
        for added in added {
            added.await.expect("no panic");
        }
        assert!(!locked.is_finished());
        client.batch_execute("rollback").await.expect("it is unlocked");
        locked.await.expect("no panic");
        assert_eq!(get(&*store, &key("", "n4")).await.as_deref(), Some("2"));
    });
}
