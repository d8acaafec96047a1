//! The dashboard of an instance is that of its plan, also after a change of plan that fails.

use osb_lab::prelude::*;
use osb_runtime::{http::BoxError, prelude::*, protocol::Tenant};

/// Stores whose large plan has a dashboard.
#[service(
    id = "b7a1d2c4-5a0e-4a57-9d5e-3f6f6f1c7a01",
    name = "stores",
    plans(Small, Large),
    changes(Small => Large),
    instances_retrievable
)]
struct Stores;

/// A small store.
#[plan(id = "b7a1d2c4-5a0e-4a57-9d5e-3f6f6f1c7a02", name = "small")]
struct Small;

/// A large store.
#[plan(id = "b7a1d2c4-5a0e-4a57-9d5e-3f6f6f1c7a03", name = "large")]
struct Large;

osb_lab::provision_nothing!(Stores: Small => () = |_new| Provisioned::new(()));

impl Provision<Large> for Stores {
    type State = ();

    async fn provision(&self, _: ProvisionRequest<Large>, _: &Operation) -> Result<Provisioned, ProvisionError> {
        Ok(Provisioned::new(()))
    }

    fn dashboard_url(&self, _: &Tenant, _: &str) -> Result<Option<DashboardUrl>, BoxError> {
        Ok(Some(DashboardUrl::from_static("https://stores.example.com/large")))
    }

    async fn deprovision(&self, _: DeprovisionRequest<Large>, _: &Operation) -> Result<(), DeprovisionError> {
        Ok(())
    }
}

impl ChangePlan<Small, Large> for Stores {
    async fn change_plan(&self, _: UpdateRequest<Small, Large, ()>, _: &Operation) -> Result<Updated, UpdateError> {
        Err(UpdateError::unexpected("there is no large store"))
    }
}

#[broker]
struct Broker(Stores);

fn body(plan: u8) -> Value {
    let plan = format!("b7a1d2c4-5a0e-4a57-9d5e-3f6f6f1c7a0{plan}");
    new_of("b7a1d2c4-5a0e-4a57-9d5e-3f6f6f1c7a01", &plan, Value::Null)
}

#[tokio::test]
async fn a_failed_change_of_plan_leaves_the_dashboard_of_the_old_plan() {
    let wire = Wire::serve_with(Broker(Stores), Settings::default()).await;
    assert_eq!(wire.put(I, body(2)).await.status, 201);
    wire.patch(&accepting(I), body(3)).await.has_status(500);
    let fetched = wire.get(I).await;
    assert_eq!(fetched.body["plan_id"], body(2)["plan_id"], "UPD-17");
    assert_eq!(fetched.body.get("dashboard_url"), None, "UPD-17");
}
