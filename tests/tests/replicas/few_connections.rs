//! A server that grants fewer connections than a replica asks for, because others use the rest of `max_connections`.

use std::ops::Range;

use osb_lab::prelude::*;
use osb_throwaway_postgres::Server;
use tokio::{
    task::JoinSet,
    time::{Instant, timeout},
};

use super::{replica_at, runtime, url_of_role};

/// Sends requests with these numbers at the same time, and returns the statuses of those that fail.
async fn failures(replica: &Arc<Wire>, numbers: Range<usize>, request: impl Fn(usize) -> (String, Value)) -> Vec<u16> {
    let mut requests = JoinSet::new();
    for number in numbers {
        let (replica, (path, body)) = (Arc::clone(replica), request(number));
        requests.spawn(async move { replica.put(&format!("/v2/service_instances/{path}"), body).await.status });
    }
    requests.join_all().await.into_iter().filter(|status| *status != 201).collect()
}

/// The replica asks for 16 connections, and for one more for notifications.
#[test]
fn requests_share_the_connections_that_the_server_grants() {
    let Some(server) = Server::start_or_skip() else { return };
    let url = url_of_role(&server, "connection limit 2");
    runtime().block_on(async {
        let replica = Arc::new(replica_at(&url, &Lab::default(), |_| ()).await);
        let instance = |number| (format!("i{number}"), new(ids::SMALL, json!({})));
        // Until the server has closed the connections of the start, it may refuse the first one.
        let closed = async { while !failures(&replica, 64..65, instance).await.is_empty() {} };
        timeout(Duration::from_secs(30), closed).await.expect("the server has closed them");
        // A bind concerns two records, and is not batched.
        let binding = |number| (format!("i{number}/service_bindings/b"), bind(ids::SMALL, json!({})));
        let began = Instant::now();
        for number in 65..129 {
            assert_eq!(failures(&replica, number..number + 1, instance).await, [0_u16; 0]);
            assert_eq!(failures(&replica, number..number + 1, binding).await, [0_u16; 0]);
        }
        let one_by_one = began.elapsed();
        let began = Instant::now();
        assert_eq!(failures(&replica, 0..64, instance).await, [0_u16; 0]);
        assert_eq!(failures(&replica, 0..64, binding).await, [0_u16; 0]);
        let together = began.elapsed();
        // A request for which the server refuses a connection does not wait two seconds while another one is idle.
        assert!(together < one_by_one + Duration::from_secs(2), "{together:?} {one_by_one:?}");
    });
}
