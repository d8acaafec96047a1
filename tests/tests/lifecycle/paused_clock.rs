//! An author's test of slow operations takes no time if the clock of the runtime is paused, as the guide shows.

use std::time::Duration;

use osb_runtime::{
    lifecycle::{Clock, Settings},
    prelude::*,
};
use osb_testing::Client;
use tokio::time::sleep;

/// Machines.
#[service(id = "6c2f3a70-8a4e-4f0b-9d3c-51b7e0a4c911", name = "machine", plans(Large))]
struct Machines;

/// It takes an hour.
#[plan(id = "6c2f3a70-8a4e-4f0b-9d3c-51b7e0a4c912", name = "large")]
struct Large;

#[broker]
struct Broker(Machines);

const HOUR: Duration = Duration::from_hours(1);

impl Provision<Large> for Machines {
    type State = ();
    async fn provision(
        &self,
        _: ProvisionRequest<Large>,
        operation: &Operation,
    ) -> Result<Provisioned, ProvisionError> {
        sleep(HOUR).await;
        if operation.attempt() < 8 {
            return Err(ProvisionError::temporary("the machine does not start"));
        }
        Ok(Provisioned::new(()))
    }
    async fn deprovision(&self, _: DeprovisionRequest<Large>, _: &Operation) -> Result<(), DeprovisionError> {
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn hours_of_work_and_its_retries_pass_at_once() {
    let mut settings = Settings::default();
    settings.clock = Clock::of_runtime();
    let platform = Client::with(Broker(Machines), settings).await;
    assert_eq!(platform.provision("one", "machine", "large", ()).await.status, 202);
    sleep(HOUR * 7).await;
    assert_eq!(platform.poll("one", None).await.body["state"], "in progress", "the eighth attempt");
    assert_eq!(platform.follow("one", None).await.body["state"], "succeeded");
}

#[tokio::test(start_paused = true)]
async fn the_maximum_time_of_an_operation_passes_at_once() {
    let mut settings = Settings::default();
    settings.clock = Clock::of_runtime();
    settings.max_operation_time = HOUR / 2;
    let platform = Client::with(Broker(Machines), settings).await;
    assert_eq!(platform.provision("one", "machine", "large", ()).await.status, 202);
    assert_eq!(platform.follow("one", None).await.body["state"], "failed");
}
