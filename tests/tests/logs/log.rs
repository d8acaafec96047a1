//! The log has unexpected errors with the request identity, and no secrets.

use osb_lab::{
    lab::{Lab, LabBroker, ids},
    releases::{first::FirstBroker, ids as releases, second::SecondBroker},
    requests::{binding, instance},
    wire::Wire,
};
use osb_runtime::lifecycle::Settings;
use serde_json::json;

use crate::logged;

#[tokio::test]
async fn unexpected_errors_are_in_the_log_but_not_in_the_answer() {
    logged::begin();
    let wire = Wire::serve(LabBroker { lab: Lab::default() }).await;
    for (mood, reason, identity) in [
        ("fail", "the secret reason in the log", "request-that-fails"),
        ("panic", "as requested", "request-that-panics"),
    ] {
        let body = json!({
            "service_id": ids::LAB, "plan_id": ids::SMALL, "organization_guid": "o", "space_guid": "s",
            "parameters": { "mood": mood, "token": "marked-secret" },
        });
        let headers = [("X-Broker-API-Request-Identity", identity)];
        let reply = wire.send("PUT", "/v2/service_instances/i", &headers, Some(&body)).await;
        assert_eq!(reply.status, 500);
        assert!(reply.head.contains(identity), "HDR-05, T60");
        assert!(!reply.description().contains(reason), "{reply:?}");
        let log = logged::text();
        let line = log.lines().find(|line| line.contains(reason)).unwrap_or_else(|| panic!("no reason in {log}"));
        assert!(line.contains(identity), "HDR-06: {line}");
        let (_, operation) = reply.description().rsplit_once(' ').expect("the operation is its last word");
        assert!(line.contains(operation.trim_end_matches('.')), "{operation} {line}");
        assert!(!log.contains("marked-secret"), "T68");
        let audited: Vec<&str> = log.lines().filter(|line| line.contains("osb_runtime::audit")).collect();
        for stage in ["began", "cleaning up", "failed"] {
            let stage = format!("\"{stage}\"");
            let message = format!("osb_runtime::audit: provision {}", stage.trim_matches('"'));
            let is_it = |line: &&str| line.contains(&stage) && line.contains(identity) && line.contains(&message);
            assert!(audited.iter().any(is_it), "{stage} in {audited:?}");
        }
    }
}

#[tokio::test]
async fn a_retry_is_a_warning_with_the_attempt_and_the_next_pause() {
    logged::begin();
    let mut settings = Settings::default();
    settings.retry.initial_delay = std::time::Duration::from_millis(3);
    let wire = Wire::serve_with(LabBroker { lab: Lab::default() }, settings).await;
    let parameters = json!({ "mood": "temporary" });
    let body = json!({
        "service_id": ids::LAB, "plan_id": ids::SMALL, "organization_guid": "o", "space_guid": "s",
        "parameters": parameters,
    });
    assert_eq!(wire.put(&instance("retried"), body).await.status, 201);
    let body = json!({ "service_id": ids::LAB, "plan_id": ids::SMALL, "parameters": parameters });
    assert_eq!(wire.put(&binding("retried", "its-binding"), body).await.status, 201);
    let log = logged::text();
    for (attempt, pause) in [("attempt=1", "retry_in=0.003"), ("attempt=2", "retry_in=0.006")] {
        for binding in ["", "binding=\"its-binding\""] {
            let parts = ["WARN", "instance=\"retried\"", "failed with a temporary error", attempt, pause, binding];
            assert!(log.lines().any(|line| parts.iter().all(|part| line.contains(part))), "{parts:?} in {log}");
        }
    }
}

#[tokio::test]
async fn the_log_lists_the_undecodable_parts_of_records() {
    logged::begin();
    let mut settings = Settings::default();
    settings.allow_unreadable_state = true;
    let new = |parameters| {
        json!({
            "service_id": releases::STORES, "plan_id": releases::BASIC, "organization_guid": "o", "space_guid": "s",
            "parameters": parameters,
        })
    };
    let bind = json!({ "service_id": releases::STORES, "plan_id": releases::BASIC });
    let delete = |path: &str| format!("{path}?service_id={}&plan_id={}", releases::STORES, releases::BASIC);
    let first = Wire::serve_with(FirstBroker::default(), settings.clone()).await;
    for id in ["old", "broken"] {
        assert_eq!(first.put(&instance(id), new(json!({ "colour": "marked-secret" }))).await.status, 201);
    }
    let second = Wire::serve_with(SecondBroker::default(), settings).await;
    assert_eq!(second.put(&instance("new"), new(json!({}))).await.status, 201);
    assert_eq!(second.put(&binding("old", "b"), bind).await.status, 201);
    assert_eq!(second.delete(&delete(&instance("broken"))).await.status, 500);
    assert_eq!(first.delete(&delete(&instance("new"))).await.status, 500);

    let log = logged::text();
    for line in [
        ["ignored stored parameters that this release does not know", "instance=\"old\"", "parameters=\"colour\""],
        ["the state of 1 instance of plan", "can't be decoded", "its shard is not known"],
        ["operation=", "a state of version 0 can't be read as one of version 2", "its shard is not known"],
        ["reading a state that a newer release saved", "stored=2", "known=0"],
        ["operation=", "a state of version 2 can't be read as one of version 0", "no `migrate_state`"],
    ] {
        assert!(log.lines().any(|logged| line.iter().all(|part| logged.contains(part))), "{line:?} in {log}");
    }
    assert!(!log.contains("marked-secret") && !log.contains("store broken"), "T68");
}
