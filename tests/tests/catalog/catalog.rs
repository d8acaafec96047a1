//! Compares the catalog, and the order of its fields, with a golden file, since platforms see every change of it.

use osb_lab::lab::LabBroker;
use osb_runtime::{json::Json, service::Broker as _};
use osb_testing::assert_catalog;

#[test]
fn the_catalog_matches_the_golden_file() {
    assert_catalog::<LabBroker>("golden/lab.json");
}

/// The broker serves the bytes of the constant, so the `ETag` is the same after a restart.
#[test]
fn the_constant_is_json_without_white_space() {
    let catalog = Json::read(LabBroker::CATALOG).expect("it is JSON");
    assert_eq!(catalog.to_string().as_bytes(), LabBroker::CATALOG, "no white space, no duplicate fields");
}
