//! Compares the catalog with a golden file, since platforms see every change of it.

use osb_lab::lab::LabBroker;
use osb_runtime::{json::Json, service::Broker as _};
use osb_testing::assert_catalog;

#[test]
fn the_catalog_matches_the_golden_file() {
    assert_catalog::<LabBroker>("golden/lab.json");
}

/// The broker serves the bytes of the constant, so the `ETag` is the same after a restart.
#[test]
fn the_constant_is_json_with_the_fields_in_the_order_of_the_specification() {
    let catalog = Json::read(LabBroker::CATALOG).expect("it is JSON");
    assert_eq!(
        catalog.to_string().as_bytes(),
        LabBroker::CATALOG,
        "no white space, no duplicate fields, the same order"
    );
    let order = |value: &Json| {
        value.as_object().expect("an object").iter().map(|(name, _)| name.to_owned()).collect::<Vec<_>>()
    };
    let service = &catalog["services"][0];
    assert_eq!(
        order(service),
        [
            "name",
            "id",
            "description",
            "requires",
            "bindable",
            "instances_retrievable",
            "bindings_retrievable",
            "allow_context_updates",
            "plan_updateable",
            "plans"
        ]
    );
    assert_eq!(
        order(&service["plans"][0]),
        [
            "id",
            "name",
            "description",
            "free",
            "bindable",
            "binding_rotatable",
            "plan_updateable",
            "schemas",
            "maintenance_info"
        ]
    );
}
