//! Tests of the JSON of the catalog.

use crate::{json::Json, prelude::*};

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Pro))]
struct Kv;

/// A plan with all fields.
#[plan(
    id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02",
    name = "pro",
    free = false,
    create = Size,
    asynchronous(instances = always),
    maximum_polling_duration = "2h",
    maintenance_info(version = "1.0.0"),
    metadata(display_name = "Professional"),
    extensions("acme:region": "eu")
)]
struct Pro;

/// The size.
#[parameters]
struct Size {
    /// Megabytes.
    mb: u16,
}

impl Provision<Pro> for Kv {
    type State = ();
    async fn provision(&self, _: ProvisionRequest<Pro>, _: &Operation) -> Result<Provisioned, ProvisionError> {
        Ok(Provisioned::new(()))
    }
    async fn deprovision(&self, _: DeprovisionRequest<Pro>, _: &Operation) -> Result<(), DeprovisionError> {
        Ok(())
    }
}

impl Update<Pro> for Kv {
    async fn update(&self, _: UpdateRequest<Pro, Pro, ()>, _: &Operation) -> Result<Updated, UpdateError> {
        Ok(Updated::new(()))
    }
}

#[broker]
struct Broker(Kv);

#[test]
fn fields_of_a_plan_are_in_the_specifications_order() {
    let catalog = Json::read(Broker::CATALOG).expect("it is JSON");
    let plan = &catalog["services"][0]["plans"][0];
    let names: Vec<_> = plan.as_object().expect("an object").iter().map(|(name, _)| name).collect();
    let specified = [
        "id",
        "name",
        "description",
        "metadata",
        "free",
        "bindable",
        "binding_rotatable",
        "plan_updateable",
        "schemas",
        "maximum_polling_duration",
        "maintenance_info",
    ];
    assert_eq!(names, [&specified[..], &["acme:region"]].concat());
    assert_eq!(plan["maximum_polling_duration"], 7_200.into());
}
