//! A platform that names the plan as it knows it causes no warning, while a wrong service does.

use osb_lab::prelude::*;
use osb_testing::Client;

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
    for (plan, expected) in [(ids::LARGE, 1), (ids::SMALL, 2)] {
        let fetched = wire.get(&format!("{path}?service_id={}&plan_id={plan}", ids::LAB)).await.has_status(200);
        assert_eq!(fetched.body["plan_id"], ids::LARGE, "T39");
        assert_eq!(warnings("polled-by-both-plans").len(), expected, "a fetch names the present plan");
    }
}

#[tokio::test]
async fn requests_for_a_binding_may_name_the_plan_that_its_instance_has_now() {
    logged::begin();
    let (wire, _) = lab().await;
    let path = instance("bound-before-a-change");
    assert_eq!(wire.put(&path, new(ids::SMALL, json!({}))).await.status, 201);
    for id in ["b", "c"] {
        assert_eq!(wire.put(&binding("bound-before-a-change", id), bind(ids::SMALL, json!({}))).await.status, 201);
    }
    assert_eq!(wire.patch(&path, change(json!({ "plan_id": ids::LARGE }))).await.status, 200);
    let of = |id, operation, plan| {
        let path = binding("bound-before-a-change", id);
        format!("{path}{operation}?service_id={}&plan_id={plan}", ids::LAB)
    };
    for operation in ["", "/last_operation"] {
        assert_eq!(wire.get(&of("b", operation, ids::LARGE)).await.status, 200);
    }
    assert_eq!(wire.delete(&of("b", "", ids::LARGE)).await.status, 200);
    assert_eq!(warnings("bound-before-a-change"), [""; 0]);
    assert_eq!(wire.delete(&of("c", "", ids::SLOW)).await.status, 200, "T21");
    assert_eq!(warnings("bound-before-a-change").len(), 1);
}

#[tokio::test]
async fn the_in_process_platform_names_the_plan_that_it_knows() {
    logged::begin();
    let platform = Client::new(LabBroker { lab: Lab::default() }).await;
    assert_eq!(platform.provision("known", "lab", "small", ()).await.status, 201);
    assert_eq!(platform.update("known", json!({ "size": 2 })).await.status, 200);
    assert_eq!(platform.change_plan("known", "large", ()).await.status, 200);
    assert_eq!(platform.update("known", json!({ "size": 3 })).await.status, 200);
    assert_eq!(warnings("known"), [""; 0]);
    // Another platform creates the instance, so that this one takes it for one of the first plan of the catalog.
    let created = platform.request("PUT", &instance("others"), Some(new(ids::LARGE, json!({})))).await;
    assert_eq!(created.status, 201);
    assert_eq!(platform.update("others", json!({ "size": 2 })).await.status, 200);
    assert_eq!(platform.change_plan("others", "large", json!({ "size": 3 })).await.status, 200);
    let hints = warnings("others");
    assert!(
        hints.iter().all(|hint| hint.contains("previous_values.plan_id") && hint.contains(ids::SMALL)),
        "{hints:?}"
    );
    assert_eq!(hints.len(), 2);
}
