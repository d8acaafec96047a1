//! The catalog, field for field: a change to it is a change that platforms see.

use osb_lab::lab::LabBroker;
use osb_runtime::service::Broker as _;
use osb_testing::assert_catalog;
use serde_json::Value;

#[test]
fn the_laboratorys_catalog_is_what_it_was() {
    assert_catalog::<LabBroker>("golden/lab.json");
}

/// The constant is what is served, to the byte: a platform's ETag survives a restart.
#[test]
fn the_constant_is_json_with_the_fields_in_the_order_of_the_specification() {
    let catalog: Value = serde_json::from_str(LabBroker::CATALOG_JSON).expect("it is JSON");
    assert_eq!(catalog.to_string().as_bytes(), LabBroker::CATALOG, "no space, no duplicate, no other order");
    let order = |value: &Value| value.as_object().expect("an object").keys().cloned().collect::<Vec<_>>();
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
