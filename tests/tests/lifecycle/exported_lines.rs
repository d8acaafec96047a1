//! Export and import keep every field of an instance.

use osb_lab::lab::{LabBroker, ids};
use osb_runtime::{
    lifecycle::transfer,
    service::Broker,
    store::{Key, Record, Timestamp},
};
use serde_json::{Value, json};

fn read(line: &Value) -> Vec<(Key, Record)> {
    let read = transfer::read(&line.to_string(), LabBroker::OFFERINGS, Timestamp::from_millis(1));
    read.unwrap_or_else(|problems| panic!("{problems:?}"))
}

#[test]
fn a_line_is_read_and_written_without_loss() {
    let line = json!({
        "instance_id": "i", "service_id": ids::LAB, "plan_id": ids::LARGE, "state": "whole i",
        "bindings": [
            // From before a change of plan; its credentials were read once.
            { "binding_id": "old", "plan_id": ids::SMALL, "without_credentials": true, "state": "half", "has_expired": true,
              "metadata": { "expires_at": "2026-01-01T00:00:00.0Z" } },
        ],
        "unfinished_change": { "plan_id": ids::TWIN, "state": "half moved" },
    });
    let records = read(&line);
    let ((key, instance), bindings) = records.split_first().expect("an instance");
    let written = transfer::write((key, instance), bindings).expect("it is settled");
    assert_eq!(serde_json::from_str::<Value>(&written).expect("JSON"), line);
}

#[test]
fn the_plan_of_a_binding_is_one_of_the_service() {
    let line = json!({
        "instance_id": "i", "service_id": ids::LAB, "plan_id": ids::SMALL, "state": "whole i",
        "bindings": [{ "binding_id": "b", "plan_id": "none", "without_credentials": 1, "state": "half" }],
        "unfinished_change": { "plan_id": "none", "state": "half moved" },
    });
    let found = transfer::read(&line.to_string(), LabBroker::OFFERINGS, Timestamp::from_millis(1)).map(drop);
    let found = found.expect_err("it has problems");
    let mut pointers: Vec<&str> = found.iter().map(|one| one.pointer.as_str()).collect();
    pointers.sort_unstable();
    assert_eq!(pointers, ["/bindings/0/plan_id", "/bindings/0/without_credentials", "/unfinished_change/plan_id"]);
}
