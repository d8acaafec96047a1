//! A platform that names the plan as it knows it causes no warning, while a wrong service does.

use osb_lab::{
    lab::ids,
    requests::{bind, binding, change, instance, lab, new},
};
use serde_json::json;

use crate::logged;

/// Returns the warnings about hints of this instance.
fn warnings(id: &str) -> Vec<String> {
    let (id, log) = (format!("instance=\"{id}\""), logged::text());
    log.lines().filter(|line| line.contains("stale value") && line.contains(&id)).map(str::to_owned).collect()
}

#[tokio::test]
async fn a_poll_may_name_either_plan_after_a_change() {
    logged::begin();
    let (wire, _) = lab().await;
    let path = instance("polled-by-both-plans");
    assert_eq!(wire.put(&path, new(ids::SMALL, json!({}))).await.status, 201);
    assert_eq!(wire.patch(&path, change(json!({ "plan_id": ids::LARGE }))).await.status, 200);
    for plan in [ids::SMALL, ids::LARGE] {
        let poll = format!("{path}/last_operation?service_id={}&plan_id={plan}", ids::LAB);
        assert_eq!(wire.get(&poll).await.body["state"], "succeeded", "T15");
    }
    assert_eq!(warnings("polled-by-both-plans"), [""; 0], "LOI-01: polls name the old plan");
    let poll = format!("{path}/last_operation?service_id=another&plan_id={}", ids::LARGE);
    assert_eq!(wire.get(&poll).await.status, 200, "T39");
    assert_eq!(warnings("polled-by-both-plans").len(), 1);
}

#[tokio::test]
async fn a_binding_may_be_fetched_by_the_plan_that_its_instance_has_now() {
    logged::begin();
    let (wire, _) = lab().await;
    let (path, of) = (instance("bound-before-a-change"), binding("bound-before-a-change", "b"));
    assert_eq!(wire.put(&path, new(ids::SMALL, json!({}))).await.status, 201);
    assert_eq!(wire.put(&of, bind(ids::SMALL, json!({}))).await.status, 201);
    assert_eq!(wire.patch(&path, change(json!({ "plan_id": ids::LARGE }))).await.status, 200);
    for operation in ["", "/last_operation"] {
        let fetch = format!("{of}{operation}?service_id={}&plan_id={}", ids::LAB, ids::LARGE);
        assert_eq!(wire.get(&fetch).await.status, 200);
    }
    assert_eq!(warnings("bound-before-a-change"), [""; 0]);
}
