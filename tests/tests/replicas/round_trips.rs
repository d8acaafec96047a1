//! The cost of a request in round trips to the database.

use osb_throwaway_postgres::{Proxy, Server};
use serde_json::json;

use super::{LEASE, runtime};
use osb_lab::wire::Wire;
use osb_runtime::{lifecycle::Settings, prelude::*, store::Records};
use osb_store::Postgres;

/// A service whose handlers do nothing.
#[service(id = "5d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "idle", plans(Idle))]
struct IdleService;

/// A plan.
#[plan(id = "5d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "idle")]
struct Idle;

impl Provision<Idle> for IdleService {
    type State = ();

    async fn provision(&self, _: ProvisionRequest<Idle>, _: &Operation) -> Result<Provisioned<()>, ProvisionError> {
        Ok(Provisioned::new(()))
    }

    async fn deprovision(&self, _: DeprovisionRequest<Idle>, _: &Operation) -> Result<(), DeprovisionError> {
        Ok(())
    }
}

#[broker]
struct IdleBroker {
    service: IdleService,
}

/// Two transactions of two round trips each, and a notification of the other replicas. The clock is read together with the records.
#[test]
fn a_provision_takes_two_transactions_and_at_most_six_round_trips() {
    const COUNT: u64 = 50;
    let Some(server) = Server::start_or_skip() else { return };
    let proxy = Proxy::start(server.port());
    runtime().block_on(async {
        let store = Postgres::connect(&server.url_at(proxy.port()), None).await.expect("a store");
        let mut settings = Settings::default();
        // Neither a sweep nor a renewal is due in this time.
        (settings.lease, settings.store) = (LEASE * 10, Records::new(store));
        let wire = Wire::serve_with(IdleBroker { service: IdleService }, settings).await;
        let provision = async |number: u64| {
            let body = json!({
                "service_id": "5d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01",
                "plan_id": "5d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02",
                "organization_guid": "o",
                "space_guid": "s",
            });
            let made = wire.put(&format!("/v2/service_instances/i{number}"), body).await;
            assert_eq!(made.status, 201, "{made:?}");
        };
        // Each transaction that writes or notifies takes a number, and so does this one.
        let transactions = || server.sql("select pg_current_xact_id()").parse::<u64>().expect("a number");
        // The connections are made, and the statements are prepared.
        for number in 0..10 {
            provision(number).await;
        }
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
