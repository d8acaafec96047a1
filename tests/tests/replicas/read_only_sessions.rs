//! Sessions that can't write, although a new one could: the database was read-only for a time, as when its disk was full, or
//! they lead to a server that has become a standby.

use osb_lab::{
    lab::{Lab, ids},
    requests::new,
};
use osb_throwaway_postgres::Server;
use serde_json::json;

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
