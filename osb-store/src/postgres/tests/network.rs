//! Networks that are silent.

use osb_throwaway_postgres::{Network, Proxy};
use tokio::{net::TcpListener, time::timeout};

use super::*;

/// Longer than the limit for connections in these tests.
const SOON: Duration = Duration::from_secs(3);

#[test]
fn a_server_that_is_silent_is_given_up_at_the_start() {
    let Some(database) = Database::start() else { return };
    run(async {
        let silent = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let silent = silent.local_addr().expect("it is bound");
        let url = format!("postgres://kv@{silent}/broker?connect_timeout=1");
        let refused =
            timeout(SOON, Postgres::connect(&url, None)).await.expect("in time").expect_err("it is silent").to_string();
        assert!(refused.contains("no answer within 1s"), "{refused}");
        // The next host is tried.
        let url = database.url("&connect_timeout=1&target_session_attrs=read-write");
        let url = url.replace("@127.0.0.1", &format!("@{silent},127.0.0.1"));
        let store = timeout(SOON, Postgres::connect(&url, None)).await.expect("in time").expect("the second host");
        // Each request may need a new connection, and has to find the host that answers.
        add_one(&store, &key("", "a")).await.expect("it is stored");
    });
}

#[test]
fn requests_are_given_up_while_the_network_is_silent() {
    let Some(database) = Database::start() else { return };
    let proxy = Proxy::start(database.server.port());
    run(async {
        let url = database.url("&connect_timeout=1");
        let url = url.replace(&format!(":{}/", database.server.port()), &format!(":{}/", proxy.port()));
        let store = Postgres::connect(&url, None).await.expect("a store");
        let key = key("", "a");
        add_one(&store, &key).await.expect("it is stored");
        drop(store.handed_over());
        while !store.notifications.is_listening() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        proxy.set(Network::Held);
        // As a health check does. The connection is not used again.
        assert!(timeout(Duration::from_millis(50), store.read(&key, &mut |_| ())).await.is_err(), "it is silent");
        assert_eq!(store.pool.status().size, 0);
        let refused = timeout(SOON, add_one(&store, &key)).await.expect("in time").expect_err("it is silent");
        assert!(refused.to_string().contains("no connection to the database"), "{refused}");
        proxy.set(Network::Open);
        // The silent connection for notifications works again, or is replaced.
        add_one(&store, &key).await.expect("it is stored");
        assert_eq!(get(&store, &key).await.as_deref(), Some("2"));
    });
}
