//! Sessions that can't write, although a new one could: the database was read-only for a time, as when its disk was full, or
//! they lead to a server that has become a standby.

use osb_lab::prelude::*;
use osb_throwaway_postgres::{Proxy, Server};
use tokio::task::JoinSet;

use super::{replica_at, runtime, url_of_role};

#[test]
fn the_first_request_after_the_database_can_be_written_again_succeeds() {
    let Some(server) = Server::start_or_skip() else { return };
    let url = url_of_role(&server, "");
    runtime().block_on(async {
        let lab = Lab::default();
        let replica = replica_at(&url, &lab, |_| ()).await;
        let provision = async |id: &str| {
            replica.put(&format!("/v2/service_instances/{id}"), new(ids::SMALL, json!({}))).await.status
        };
        assert_eq!(provision("before").await, 201);
        server.sql("alter role limited set default_transaction_read_only = on");
        server.sql("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'limited'");
        while provision("meanwhile").await != 503 {}
        // Several sessions stay open.
        let fetched = "/v2/service_instances/before";
        let statuses = tokio::join!(replica.get(fetched), replica.get(fetched), replica.get(fetched));
        assert_eq!([statuses.0.status, statuses.1.status, statuses.2.status], [200; 3]);
        server.sql("alter role limited reset default_transaction_read_only");
        assert_eq!(provision("after").await, 201);
    });
}

/// Each new connection costs the server a process, and other programs need some of its connections.
#[test]
fn requests_share_the_search_for_a_session_that_can_write() {
    let Some(server) = Server::start_or_skip() else { return };
    let proxy = Proxy::start(server.port());
    let url = url_of_role(&server, "").replace(&format!(":{}/", server.port()), &format!(":{}/", proxy.port()));
    runtime().block_on(async {
        let replica = Arc::new(replica_at(&url, &Lab::default(), |_| ()).await);
        assert_eq!(replica.put("/v2/service_instances/i", new(ids::SMALL, json!({}))).await.status, 201);
        let bind = |number: usize| {
            let (replica, path) = (Arc::clone(&replica), format!("/v2/service_instances/i/service_bindings/b{number}"));
            async move { replica.put(&path, bind(ids::SMALL, json!({}))).await.status }
        };
        server.sql("alter role limited set default_transaction_read_only = on");
        server.sql("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'limited'");
        while bind(0).await != 503 {}
        let before = proxy.connections();
        let requests: JoinSet<_> = (0..128).map(bind).collect();
        assert_eq!(requests.join_all().await, vec![503; 128]);
        // Those of the pool, and some that were tried.
        let made = proxy.connections() - before;
        assert!(made < 64, "{made} connections for 128 requests");
        server.sql("alter role limited reset default_transaction_read_only");
        let requests: JoinSet<_> = (0..64).map(bind).collect();
        assert_eq!(requests.join_all().await, vec![201; 64]);
    });
}
