//! The cost of a request in round trips to the database.

use osb_throwaway_postgres::{Network, Proxy, Server};

use super::{LEASE, runtime};
use osb_lab::prelude::*;
use osb_store::Postgres;

/// Two transactions of two round trips each, and a notification of the other replicas. The clock is read together with the records.
#[test]
fn a_provision_takes_two_transactions_and_at_most_six_round_trips() {
    const COUNT: u64 = 20;
    let Some(server) = Server::start_or_skip() else { return };
    let proxy = Proxy::start(server.port());
    runtime().block_on(async {
        // On a busy machine, a provision may begin before the last one has returned its connection: a second one would count too.
        let url = format!("{}?pool_size=1", server.url_at(proxy.port()));
        let store = Postgres::connect(&url, None).await.expect("a store");
        let mut settings = Settings::default();
        // Neither a sweep nor a renewal is due in this time.
        (settings.lease, settings.store) = (LEASE * 10, Records::new(store));
        let wire = Wire::serve_with(LabBroker { lab: Lab::default() }, settings).await;
        let provision = async |number: u64| {
            wire.put(&instance(&format!("i{number}")), new(ids::CLOSED, json!({}))).await.has_status(201);
        };
        // Each transaction that writes or notifies takes a number, and so does this one.
        let transactions = || server.sql("select pg_current_xact_id()").parse::<u64>().expect("a number");
        // The connections are made, and the statements are prepared.
        for number in 0..10 {
            provision(number).await;
        }
        // No answer comes while statements are being sent together, on a busy machine either.
        proxy.set(Network::Slow(Duration::from_millis(5)));
        let (trips, begun) = (proxy.round_trips(), transactions());
        for number in 0..COUNT {
            provision(100 + number).await;
        }
        let trips = proxy.round_trips() - trips;
        let transactions = transactions() - begun - 1;
        // Several notifications can go together.
        assert!((4 * COUNT..=5 * COUNT + 1).contains(&trips), "{trips} round trips of {COUNT} provisions");
        assert!(
            (2 * COUNT..=3 * COUNT + 1).contains(&transactions),
            "{transactions} transactions of {COUNT} provisions"
        );
    });
}
