//! Several brokers on one PostgreSQL, as replicas behind a load balancer.

mod few_connections;
mod read_only_sessions;
mod round_trips;

use std::time::Instant;

use osb_lab::prelude::*;
use osb_store::Postgres;
use osb_throwaway_postgres::Server;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// Much longer than a test: nothing here is taken over because its lease has ended.
const LEASE: Duration = Duration::from_mins(1);

async fn replica(server: &Server, lab: &Lab, change: impl FnOnce(&mut Settings)) -> Wire {
    replica_at(&server.url(), lab, change).await
}

async fn replica_at(url: &str, lab: &Lab, change: impl FnOnce(&mut Settings)) -> Wire {
    let store = Postgres::connect(url, None).await.expect("a store");
    let mut settings = Settings::default();
    (settings.lease, settings.sync_wait) = (LEASE, Duration::from_millis(10));
    settings.store = Records::new(store);
    change(&mut settings);
    let mut http = HttpSettings::default();
    http.monitor = true;
    Wire::serve_http(LabBroker { lab: lab.clone() }, http, settings).await
}

/// Creates a role that may create the tables, and returns the URL of its store.
fn url_of_role(server: &Server, options: &str) -> String {
    server.sql(&format!("create role limited login password 'limited' {options}"));
    server.sql("grant create on database postgres to limited");
    format!("postgres://limited:limited@127.0.0.1:{}/postgres", server.port())
}

/// Asks a replica whether it is ready, as a load balancer does.
async fn is_ready(wire: &Wire) -> bool {
    let mut connection = TcpStream::connect(wire.address()).await.expect("it listens");
    let request = b"GET /readyz HTTP/1.1\r\nHost: replica\r\nConnection: close\r\n\r\n";
    connection.write_all(request).await.expect("it reads");
    let mut response = String::new();
    connection.read_to_string(&mut response).await.expect("it answers");
    assert!(response.starts_with("HTTP/1.1 200 ") || response.starts_with("HTTP/1.1 503 "), "{response}");
    response.starts_with("HTTP/1.1 200 ")
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime")
}

#[test]
fn requests_meet_in_the_database() {
    let Some(server) = Server::start_or_skip() else { return };
    runtime().block_on(async {
        let lab = Lab::default();
        let replicas = [replica(&server, &lab, |_| ()).await, replica(&server, &lab, |_| ()).await];
        lab.gate.open();
        let body = new(ids::SMALL, json!({ "mood": "wait" }));
        let mut replies = Vec::new();
        for round in 0..10 {
            let path = format!("/v2/service_instances/round-{round}");
            let (a, b, c) = tokio::join!(
                replicas[0].put(&path, body.clone()),
                replicas[1].put(&path, body.clone()),
                replicas[0].put(&path, body.clone()),
            );
            let mut statuses = [a.status, b.status, c.status];
            statuses.sort_unstable();
            replies.push(statuses);
        }
        assert_eq!(replies, [[200, 200, 201]; 10]);
        assert_eq!((lab.calls(), lab.overlaps()), (10, 0));
        replicas[1].delete(&format!("/v2/service_instances/round-3?{DELETE}")).await.has_status(200);
        assert_eq!(replicas[0].get("/v2/service_instances/round-3").await.status, 404);
    });
}

/// The waiting request is told by notification: without one, it would read the record again after five seconds.
#[test]
fn a_request_waits_for_the_end_of_an_operation_in_another_replica() {
    let Some(server) = Server::start_or_skip() else { return };
    runtime().block_on(async {
        let lab = Lab::default();
        let (first, second) = (replica(&server, &lab, |_| ()).await, replica(&server, &lab, |_| ()).await);
        let body = new(ids::SMALL, json!({ "mood": "wait" }));
        let opens = async {
            lab.called(1).await;
            // The second request has joined, and both replicas listen.
            tokio::time::sleep(Duration::from_secs(1)).await;
            lab.gate.open();
            Instant::now()
        };
        let joined = async {
            lab.called(1).await;
            (second.put(I, body.clone()).await, Instant::now())
        };
        let (made, (joined, ended_at), opened_at) = tokio::join!(first.put(I, body.clone()), joined, opens);
        assert_eq!((made.status, joined.status), (201, 200));
        let waited = ended_at - opened_at;
        assert!(waited < Duration::from_secs(2), "{waited:?}");
        assert_eq!((lab.calls(), lab.overlaps()), (1, 0));
    });
}

#[test]
fn a_replica_that_shuts_down_hands_its_operations_over_at_once() {
    let Some(server) = Server::start_or_skip() else { return };
    runtime().block_on(async {
        let lab = Lab::default();
        let (first, second) = (replica(&server, &lab, |_| ()).await, replica(&server, &lab, |_| ()).await);
        let path = accepting(I);
        let accepted = first.put(&path, new(ids::SMALL, json!({ "mood": "wait" }))).await;
        let operation = accepted.body["operation"].as_str().expect("an operation").to_owned();
        first.end().await;
        let handed_over_at = Instant::now();
        while lab.calls() < 2 {
            assert!(handed_over_at.elapsed() < Duration::from_secs(5), "the sweep would come after ten seconds");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        lab.gate.open();
        assert_eq!(second.settled(I).await.body["state"], "succeeded");
        assert_eq!(lab.runs(), [format!("{operation} 1 "), format!("{operation} 2 half i")]);
        assert_eq!(lab.overlaps(), 0);
    });
}

/// The replica that creates the instance is told by notification: without one, it would renew the lease after twenty seconds.
#[test]
fn a_deletion_cancels_a_creation_in_another_replica_at_once() {
    let Some(server) = Server::start_or_skip() else { return };
    runtime().block_on(async {
        let lab = Lab::default();
        let (first, second) = (replica(&server, &lab, |_| ()).await, replica(&server, &lab, |_| ()).await);
        let body = new(ids::SMALL, json!({ "mood": "wait" }));
        assert_eq!(first.put(&accepting(I), body).await.status, 202);
        let began = Instant::now();
        second.delete(&format!("{I}?{DELETE}")).await.has_status(200);
        assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
        assert_eq!((lab.inventory(), lab.overlaps()), (vec![], 0));
    });
}

#[test]
fn requests_get_retry_advice_while_the_database_is_unreachable() {
    let Some(mut server) = Server::start_or_skip() else { return };
    let (runtime, lab) = (runtime(), Lab::default());
    let wire = runtime.block_on(async { replica(&server, &lab, |_| ()).await });
    let body = new(ids::SMALL, json!({ "mood": "wait" }));
    let accepted = runtime.block_on(wire.put(&accepting(I), body.clone()));
    assert_eq!(accepted.status, 202, "{accepted:?}");
    server.stop();
    runtime.block_on(async {
        let began = Instant::now();
        assert!(!is_ready(&wire).await);
        assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
        let refused = wire.put("/v2/service_instances/j", body.clone()).await;
        assert_eq!((refused.status, refused.header("retry-after")), (503, Some("5")), "{refused:?}");
        assert!(refused.description().contains("record store"), "{refused:?}");
        // The handler that runs is not disturbed, and its end waits for the database.
        lab.gate.open();
        until(async || !lab.inventory().iter().any(|id| id.contains("half"))).await;
    });
    server.restart();
    runtime.block_on(async {
        assert_eq!(wire.settled(I).await.body["state"], "succeeded");
        assert_eq!(lab.calls(), 1);
        assert!(is_ready(&wire).await);
        assert_eq!(wire.put("/v2/service_instances/j", body.clone()).await.status, 201);
    });
}

#[test]
fn a_record_of_another_instance_that_cannot_be_read_does_not_stop_a_deletion() {
    let Some(server) = Server::start_or_skip() else { return };
    runtime().block_on(async {
        let lab = Lab::default();
        let wire = replica(&server, &lab, |settings| settings.sync_deadline = Duration::from_secs(5)).await;
        for id in ["a", "b"] {
            wire.put(&format!("/v2/service_instances/{id}"), new(ids::SMALL, json!({}))).await.has_status(201);
            let path = format!("/v2/service_instances/{id}/service_bindings/of-{id}");
            assert_eq!(wire.put(&path, bind(ids::SMALL, json!({}))).await.status, 201);
        }
        server.sql("update osb.records set record = '\\x00' where key = '\\x0062'");
        wire.delete(&format!("/v2/service_instances/a?{DELETE}")).await.has_status(200);
    });
}
