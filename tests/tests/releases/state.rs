//! States of an earlier version, of a later version, and unreadable ones.

use std::time::Duration;

use osb_lab::{
    releases::ids::{BASIC, STORES},
    requests::{binding, instance},
};
use serde_json::json;
use tokio::runtime::Builder;

use crate::{B, I, Kept, Release, is, with};

pub(crate) async fn a_state_of_another_version_is_migrated(kept: Kept) {
    let first = Release::first(&kept).await;
    for id in ["i", "broken", "panics"] {
        is(&first.provision(id, BASIC, json!({})).await, 201);
        is(&first.bind(id, BASIC, json!({})).await, 201);
    }
    first.end().await;

    let second = Release::second(&kept).await;
    for (id, name) in [("broken", "its shard is not known"), ("panics", "a panic")] {
        is(&second.update(id, json!({ "owner": "me" })).await, 500);
        is(&second.bind(id, BASIC, json!({})).await, 200);
        second.heard.take();
        is(&second.delete(&binding(id, "b")).await, 200);
        assert_eq!(
            second.heard(),
            "unbind b: Some(KeyState { number: 7 }) of None, which was version Some(0)",
            "{name}"
        );
        is(&second.delete(&instance(id)).await, 200);
        let raw = format!("0 \\\"store {id}\\\"");
        let given = "with Some(\"10 MB, None, None, false\")";
        assert_eq!(second.heard(), format!("deprovision {id}: None of Some(\"{raw}\") {given}"), "{name}");
    }
    is(&second.delete(B).await, 200);
    let state = "Some(Store { name: \"store i\", shard: 1 })";
    assert_eq!(
        second.heard(),
        format!("unbind b: Some(KeyState {{ number: 7 }}) of {state}, which was version Some(0)")
    );
    is(&second.update("i", json!({ "owner": "me" })).await, 200);
    is(&second.bind("i", BASIC, json!({})).await, 201);
    second.heard.take();
    is(&second.delete(B).await, 200);
    assert!(second.heard().ends_with("which was version Some(2)"), "saved again, in the current version");
}

pub(crate) async fn after_a_downgrade_everything_can_still_be_deleted(kept: Kept) {
    let second = Release::second(&kept).await;
    is(&second.provision("i", BASIC, json!({})).await, 201);
    is(&second.bind("i", BASIC, json!({})).await, 201);
    second.end().await;

    let first = Release::first(&kept).await;
    is(&first.update("i", json!({ "owner": "me" })).await, 500);
    is(&first.delete(B).await, 200);
    assert_eq!(first.heard(), "unbind b: None of None");
    is(&first.delete(I).await, 200);
    assert_eq!(first.heard(), "deprovision i: None of 2 {\"name\":\"store i\",\"shard\":2}");
}

pub(crate) async fn an_operation_of_another_release_continues_from_its_checkpoint(mut kept: Kept) {
    kept.lease = Duration::from_millis(120);
    // A simulated process, which dies.
    let process = std::thread::spawn(move || {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let first = Release::first(&kept).await;
            let ids = json!({ "service_id": STORES, "plan_id": BASIC, "organization_guid": "o", "space_guid": "s" });
            let path = format!("{}?accepts_incomplete=true", instance("slow"));
            is(&first.wire.put(&path, with(ids, json!({ "size": 80, "colour": "red" }))).await, 202);
        });
        runtime.shutdown_timeout(Duration::from_secs(5));
        kept
    });
    let kept = process.join().expect("a process");

    let second = Release::second(&kept).await;
    let polled = second.wire.settled(&format!("{}/last_operation", instance("slow"))).await;
    assert_eq!(polled.body["state"], "succeeded");
    let expected = "provision slow: 80 MB, None, None, false after Some(Store { name: \"store slow\", shard: 1 })";
    assert_eq!(second.heard(), expected);
}
