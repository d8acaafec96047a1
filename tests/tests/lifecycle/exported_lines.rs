//! Export and import keep every field of an instance.

use osb_lab::{
    prelude::*,
    releases::{ids as releases, second::SecondBroker},
    requests::with,
};
use osb_runtime::{
    lifecycle::{
        StoredValues, check_records,
        transfer::{self, Values},
    },
    service::Broker,
    store::{Key, Pages, Record, Timestamp},
};

fn read(line: &Value) -> Vec<(Key, Record)> {
    let read = transfer::read(&line.to_string(), LabBroker::OFFERINGS, Values::New, Timestamp::from_millis(1));
    read.unwrap_or_else(|problems| panic!("{problems:?}"))
}

#[test]
fn a_line_is_read_and_written_without_loss() {
    let line = json!({
        "instance_id": "i", "service_id": ids::LAB, "plan_id": ids::LARGE, "state": "whole i", "state_version": 0,
        "bindings": [
            { "binding_id": "b", "without_credentials": true, "bind_resource": { "app_guid": "app" },
              "syslog_drain_url": "syslog://l",
              "metadata": { "expires_at": "2026-01-01T00:00:00.0Z", "renew_before": "2025-01-01T00:00:00.0Z" } },
            // From before a change of plan; its credentials were read once.
            { "binding_id": "old", "plan_id": ids::SMALL, "without_credentials": true, "state": "half",
              "state_version": 0, "has_expired": true,
              "metadata": { "expires_at": "2026-01-01T00:00:00.0Z" } },
        ],
        "half_updated": true,
        "unfinished_change": { "plan_id": ids::TWIN, "state": "half moved", "state_version": 0 },
    });
    let records = read(&line);
    let ((key, instance), bindings) = records.split_first().expect("an instance");
    let (written, left_out) = transfer::write((key, instance), bindings).expect("it is settled");
    assert_eq!(left_out, []);
    assert_eq!(serde_json::from_str::<Value>(&written).expect("JSON"), line);
}

#[test]
fn the_plan_of_a_binding_is_one_of_the_service() {
    let line = json!({
        "instance_id": "i", "service_id": ids::LAB, "plan_id": ids::SMALL, "state": "whole i",
        "bindings": [{ "binding_id": "b", "plan_id": "none", "without_credentials": 1, "state": "half" }],
        "unfinished_change": { "plan_id": "none", "state": "half moved" }, "metadata": { "label": {} },
    });
    let found =
        transfer::read(&line.to_string(), LabBroker::OFFERINGS, Values::New, Timestamp::from_millis(1)).map(drop);
    let found = found.expect_err("it has problems");
    let mut pointers: Vec<&str> = found.iter().map(|one| one.pointer.as_str()).collect();
    pointers.sort_unstable();
    let [of_plan, of_flag] = ["/bindings/0/plan_id", "/bindings/0/without_credentials"];
    assert_eq!(pointers, [of_plan, of_flag, "/metadata/label", "/unfinished_change/plan_id"]);
}

#[test]
fn each_attribute_of_a_binding_is_checked() {
    let half = |member: &str, value: Value| {
        with(json!({ "binding_id": "b", "state": "half", "without_credentials": true }), member, value)
    };
    let logs = json!({ "binding_id": "b", "syslog_drain_url": "syslog://l" });
    let credentials = json!({ "user": "u", "password": "p" });
    for (plan, binding, pointer) in [
        (ids::LARGE, logs, "/bindings/0/bind_resource/app_guid"),
        (ids::SMALL, half("metadata", json!({ "renew_before": "soon" })), "/bindings/0/metadata/renew_before"),
        (ids::SMALL, half("credentials", credentials), "/bindings/0/without_credentials"),
        // The plan is that of the instance, whose bindings have no logs.
        (ids::SMALL, with(half("plan_id", json!("")), "syslog_drain_url", json!("")), "/bindings/0/syslog_drain_url"),
    ] {
        let line = json!({
            "instance_id": "i", "service_id": ids::LAB, "plan_id": plan, "state": "whole i", "bindings": [binding],
        });
        let found = transfer::read(&line.to_string(), LabBroker::OFFERINGS, Values::New, Timestamp::from_millis(1));
        let found = found.err().expect("it has a problem");
        assert!(matches!(&*found, [one] if one.pointer == pointer), "{found:?}");
    }
}

#[test]
fn values_of_an_earlier_release_are_read_as_stored() {
    let credentials = json!([{ "binding_id": "b", "state": "half", "state_version": 0, "credentials": {} }]);
    for (mut line, member, value, pointer) in [
        (json!({ "plan_id": ids::CLOSED }), "parameters", json!({ "size": 1 }), "/parameters"),
        (
            json!({ "plan_id": ids::SMALL, "state": "s", "state_version": 0 }),
            "bindings",
            credentials,
            "/bindings/0/credentials",
        ),
    ] {
        (line["instance_id"], line["service_id"], line[member]) = (json!("i"), json!(ids::LAB), value);
        let read = |values| transfer::read(&line.to_string(), LabBroker::OFFERINGS, values, Timestamp::from_millis(1));
        let found = read(Values::New).err().expect("the values are invalid");
        assert!(found.iter().all(|one| one.pointer.starts_with(pointer)), "{found:?}");
        let records = read(Values::Stored).expect("they were valid");
        let ((key, instance), bindings) = records.split_first().expect("an instance");
        let (written, _) = transfer::write((key, instance), bindings).expect("it is settled");
        assert_eq!(serde_json::from_str::<Value>(&written).expect("JSON"), line);
    }
}

#[test]
fn contexts_keep_all_digits() {
    const CONTEXT: &str =
        "{\"id\": 123456789012345678901234567890,\r\n\"rate\": 0.12345678901234567890, \"x\": 1e2, \"y\": -0}";
    let line = json!({
        "instance_id": "i", "service_id": ids::LAB, "plan_id": ids::SMALL, "state": "whole i", "context": "CONTEXT",
        "bindings": [{ "binding_id": "b", "without_credentials": true, "state": "half", "context": "CONTEXT" }],
    });
    let mut line = line.to_string().replace("\"CONTEXT\"", CONTEXT);
    for _ in 0..2 {
        let records =
            transfer::read(&line, LabBroker::OFFERINGS, Values::New, Timestamp::from_millis(1)).expect("it is valid");
        let ((key, instance), bindings) = records.split_first().expect("an instance");
        line = transfer::write((key, instance), bindings).expect("it is settled").0;
        // serde_json reads `-0` as a float, which no type of integers accepts.
        let expected = CONTEXT.replace("\r\n", "  ").replace("-0}", " 0}");
        assert_eq!(line.matches(&expected).count(), 2, "{line}");
        assert!(!line.contains(['\n', '\r']), "{line}");
    }
}

/// `""` counts as absent in a request (T39b).
#[tokio::test]
async fn an_empty_application_is_the_same_after_an_import() {
    let records = Records::in_memory();
    let serve = async |records: &Records| lab_with(|settings| settings.store = records.clone()).await;
    let (wire, _) = serve(&records).await;
    let resource = json!({ "app_guid": "", "space_guid": "space", "credential_client_id": "client" });
    let body = with(bind(ids::SMALL, json!({})), "bind_resource", resource);
    assert_eq!(wire.put(I, new(ids::SMALL, json!({}))).await.status, 201);
    assert_eq!(wire.put(B, body.clone()).await.status, 201);
    let all = Pages::of(records.store()).next().await.expect("the records are read").unwrap_or_default();
    let ((key, instance), bindings) = all.split_first().expect("an instance");
    let (line, _) = transfer::write((key, instance), bindings).expect("no operation is running");
    let imported = Records::in_memory();
    for (key, record) in read(&serde_json::from_str(&line).expect("JSON")) {
        let mut put = |records: &mut [Option<Record>]| records[0] = Some(record.clone());
        imported.store().transact(std::slice::from_ref(&key), &mut put).await.expect("the record is stored");
    }
    assert_eq!(imported.instances(None, 1).await.expect("the record is read").entries[0].bindings, 1);
    let binding = imported.bindings(None, 1).await.expect("the record is read").entries.remove(0);
    let (space, client) = (binding.resource.space_guid, binding.resource.credential_client_id);
    assert_eq!((space.as_deref(), client.as_deref()), (Some("space"), Some("client")));
    let (wire, _) = serve(&imported).await;
    assert_eq!(wire.put(B, body).await.status, 200);
}

#[test]
fn ids_and_values_that_no_request_can_have_are_refused() {
    let deep = serde_json::from_str::<Value>(&format!("{}{}", "[".repeat(110), "]".repeat(110))).expect("JSON");
    let line = |id: &str, binding: &str, state: Value| {
        json!({
            "instance_id": id, "service_id": ids::LAB, "plan_id": ids::SMALL, "state": state,
            "bindings": [{ "binding_id": binding, "state": "s", "credentials": { "user": "u", "password": "p" } }],
        })
    };
    for (line, pointer) in [
        (line(&"x".repeat(5_000), "b", json!("s")), "/instance_id"),
        (line("", "b", json!("s")), "/instance_id"),
        (line("i", "", json!("s")), "/bindings/0/binding_id"),
        (line("i", "b\u{0}c", json!("s")), "/bindings/0/binding_id"),
        (line("i", "b", deep), ""),
    ] {
        let found = transfer::read(&line.to_string(), LabBroker::OFFERINGS, Values::New, Timestamp::from_millis(1));
        let found = found.err().expect("the line is refused");
        assert_eq!(found[0].pointer, pointer, "{found:?}");
    }
}

#[test]
fn a_line_that_is_no_json_is_refused_with_the_reason_and_the_column() {
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    for (line, message) in [
        (r#"{"password":"p"#, "can't be read as JSON: EOF while parsing a string, at column 14"),
        (r#"{"a":1,}"#, "can't be read as JSON: trailing comma, at column 8"),
        (&deep, "can't be read as JSON: recursion limit exceeded, at column 128"),
    ] {
        let found = transfer::read(line, LabBroker::OFFERINGS, Values::New, Timestamp::from_millis(1));
        assert_eq!(found.err().expect("the line is refused")[0].message, message);
    }
}

/// An operation that was interrupted has saved its state last, and goes on with it.
#[test]
fn a_checkpoint_is_newer_than_the_state() {
    let line = json!({
        "instance_id": "i", "service_id": ids::LAB, "plan_id": ids::SMALL, "state": "whole i",
        "bindings": [{ "binding_id": "b", "without_credentials": true, "state": "half" }],
    });
    for (key, record) in read(&line) {
        let text = serde_json::to_string(&record).expect("JSON");
        let text = text.replace(r#""admitted":true"#, r#""admitted":true,"checkpoint":{"value":"newer"}"#);
        let values = StoredValues::of(&key, &serde_json::from_str(&text).expect("a record"));
        let states: Vec<_> = values.into_iter().map(|values| values.state.expect("a state").value).collect();
        assert_eq!(states, ["newer"], "{key:?}");
    }
}

#[test]
fn the_version_of_a_state_is_written() {
    let line = json!({ "instance_id": "i", "service_id": ids::LAB, "plan_id": ids::SMALL, "state": "whole i" });
    let (key, record) = read(&line).remove(0);
    let text = serde_json::to_string(&record).expect("JSON");
    let text = text.replace(r#"{"value":"whole i"}"#, r#"{"version":3,"value":"whole i"}"#);
    let record = serde_json::from_str(&text).expect("a record");
    let (written, _) = transfer::write((&key, &record), &[]).expect("it is settled");
    assert_eq!(serde_json::from_str::<Value>(&written).expect("JSON")["state_version"], 3);
}

/// The author of a line writes the state as this release does; an export names the version of an older one.
#[test]
fn a_state_without_a_version_is_one_of_this_release() {
    let (state, now) = (json!({ "name": "store i", "shard": 7 }), Timestamp::from_millis(1));
    let mut line =
        json!({ "instance_id": "i", "service_id": releases::STORES, "plan_id": releases::BASIC, "state": state });
    for version in [None, Some(0)] {
        if let Some(version) = version {
            (line["state"], line["state_version"]) = (json!("store i"), json!(version));
        }
        let read = transfer::read(&line.to_string(), SecondBroker::OFFERINGS, Values::New, now);
        let (key, record) = read.unwrap_or_else(|problems| panic!("{problems:?}")).remove(0);
        let (written, _) = transfer::write((&key, &record), &[]).expect("it is settled");
        let written = serde_json::from_str::<Value>(&written).expect("JSON");
        assert_eq!((&written["state"], &written["state_version"]), (&line["state"], &json!(version.unwrap_or(2))));
    }
}

/// A deletion gets the state that a failed change of plan has left.
#[tokio::test]
async fn a_release_without_the_plan_of_a_failed_change_does_not_start() {
    let line = json!({
        "instance_id": "i", "service_id": ids::LAB, "plan_id": ids::LARGE, "state": "whole i",
        "unfinished_change": { "plan_id": ids::TWIN, "state": "half moved" },
    });
    let records = Records::in_memory();
    for (key, record) in read(&line) {
        let text = serde_json::to_string(&record).expect("JSON").replace(ids::TWIN, "removed");
        let record: Record = serde_json::from_str(&text).expect("a record");
        let mut put = |records: &mut [Option<Record>]| records[0] = Some(record.clone());
        records.store().transact(std::slice::from_ref(&key), &mut put).await.expect("the record is stored");
    }
    check_records(LabBroker::OFFERINGS, &records, true).await.expect("no instance has the plan");
    let found = check_records(LabBroker::OFFERINGS, &records, false).await.expect_err("the state can't be read");
    let expected = format!("1 failed change to plan removed of service {}", ids::LAB);
    assert!(found.problems().len() == 1 && found.problems()[0].contains(&expected), "{found}");
}
