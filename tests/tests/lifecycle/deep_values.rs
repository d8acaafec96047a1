//! Values that are nested deeply: a request with one is refused, and no record has one that can't be read again.

use base64::Engine as _;
use osb_lab::prelude::*;
use osb_runtime::{prelude::*, store::Pages};
use osb_store::Redb;

/// A service that stores any parameters.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5f01", name = "open", plans(Free))]
struct Open;

/// A plan.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5f02", name = "free", create = Anything, update = AnyChanges)]
struct Free;

/// The parameters.
#[parameters(partial = AnyChanges)]
struct Anything {
    /// Any value.
    anything: Option<Value>,
}

// The state is twice as deep as the parameter.
osb_lab::provision_nothing!(Open: Free => Value = |new| {
    let anything = new.parameters.anything.unwrap_or_default();
    Provisioned::new(nested_in(anything.clone(), &anything))
});
osb_lab::update_nothing!(Open: Free);

#[broker]
struct Broker(Open);

/// Puts a value into the innermost array of another one.
fn nested_in(outer: Value, inner: &Value) -> Value {
    match outer {
        Value::Array(mut items) => match items.pop() {
            Some(item) => json!([nested_in(item, inner)]),
            None => inner.clone(),
        },
        other => other,
    }
}

fn arrays(depth: usize) -> String {
    format!("{}{}", "[".repeat(depth), "]".repeat(depth))
}

fn parameters(depth: usize) -> String {
    format!(
        r#"{{"service_id":"3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5f01","plan_id":"8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5f02","organization_guid":"o","space_guid":"s","parameters":{{"anything":{}}}}}"#,
        arrays(depth)
    )
}

const HEADERS: [(&str, &str); 2] = [("X-Broker-API-Version", "2.17"), ("Authorization", AUTHORIZATION)];

fn settings(records: &Records) -> Settings {
    let mut settings = Settings::default();
    settings.sync_deadline = Duration::from_secs(3);
    settings.store = records.clone();
    settings
}

/// Opens the records again, as the next start does, and reads all of them.
async fn reopen(records: Records, file: &std::path::Path) -> Records {
    records.close().await;
    drop(records);
    let records = Records::new(Redb::open(file, None).expect("the file opens"));
    Pages::of(records.store()).next().await.expect("all records are read");
    records
}

#[tokio::test]
async fn requests_are_nested_up_to_a_limit() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("records.redb");
    let records = Records::new(Redb::open(&file, None).expect("the file opens"));
    let wire = Wire::serve_with(Broker(Open), settings(&records)).await;
    for (depth, status) in [(40, 201), (98, 500), (99, 400), (126, 400), (500, 400)] {
        let path = format!("/v2/service_instances/i{depth}");
        let reply = wire.exchange_text("PUT", &path, &HEADERS, &parameters(depth)).await;
        assert_eq!(reply.status, status, "{depth}: {reply:?}");
        if status == 400 {
            assert!(reply.description().contains("the body is nested deeper than 100 levels"), "{reply:?}");
        }
    }
    let path = "/v2/service_instances/i40";
    wire.exchange_text("PATCH", path, &HEADERS, &parameters(98).replace("[]", "[1]")).await.has_status(200);
    wire.end().await;
    reopen(records, &file).await;
}

#[tokio::test]
async fn an_identity_and_a_resource_do_not_make_a_record_unreadable() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("records.redb");
    let records = Records::new(Redb::open(&file, None).expect("the file opens"));
    let wire = Wire::serve_with(LabBroker { lab: Lab::default() }, settings(&records)).await;
    let user = base64::engine::general_purpose::STANDARD.encode(format!(r#"{{"user_id":{}}}"#, arrays(124)));
    let identity = [("X-Broker-API-Originating-Identity", &*format!("cloudfoundry {user}"))];
    assert_eq!(wire.send("PUT", I, &identity, Some(&new(ids::SMALL, json!({})))).await.status, 201);
    assert_eq!(wire.get(I).await.status, 200);
    let body = format!(
        r#"{{"service_id":"{}","plan_id":"{}","bind_resource":{{"x":{}}}}}"#,
        ids::LAB,
        ids::SMALL,
        arrays(125)
    );
    assert_eq!(wire.exchange_text("PUT", B, &HEADERS, &body).await.status, 400);
    wire.end().await;
    let records = reopen(records, &file).await;
    let wire = Wire::serve_with(LabBroker { lab: Lab::default() }, settings(&records)).await;
    assert_eq!(delete(&wire, I).await.status, 200);
}
