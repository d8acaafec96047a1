//! Operations that operators retry and cancel, instances that they purge, and records that they reseal.

use osb_runtime::http::serve;
use osb_store::{Keys, Redb};
use tokio::net::TcpListener;

use super::*;

#[tokio::test]
async fn a_failed_deletion_can_be_retried() {
    let world = World::new().await;
    world.failed().await;
    let failed = world.get("/operations?state=failed").await;
    assert_eq!(ids_of(&failed, "operations", "instance_id"), ["i"], "{failed}");
    assert_eq!(failed["operations"][0]["status"], 500);
    assert_eq!(world.post("/instances/i/retry").await.0, 500, "it fails again");
    let shown = world.get("/instances/i").await;
    assert_eq!((&shown["operation"]["platform"], &shown["operation"]["user"]), (&json!("admin"), &json!("operator")));
    world.lab.deletions_go(Behaviour::Succeed);
    assert_eq!(world.post("/instances/i/retry").await, (200, json!({})));
    assert_eq!(world.get("/instances").await["instances"], json!([]));
    assert!(world.lab.inventory().is_empty(), "{:?}", world.lab.inventory());
    assert_eq!(world.post("/instances/i/retry").await.0, 404);
    let shown = world.get("/instances/i").await;
    assert_eq!((&shown["phase"], &shown["operation"]["action"]), (&json!("gone"), &json!("deprovision")), "{shown}");
}

#[tokio::test]
async fn the_failed_deletion_of_a_binding_can_be_retried() {
    let world = World::new().await;
    world.make("i").await;
    world.bind("i", "b").await;
    assert_eq!(world.post("/instances/i/bindings/b/retry").await.0, 409);
    world.lab.deletions_go(Behaviour::Fail);
    assert_eq!(world.delete(&binding("i", "b")).await, 500);
    world.lab.deletions_go(Behaviour::Succeed);
    assert_eq!(world.post("/instances/i/bindings/b/retry").await, (200, json!({})));
    assert_eq!(world.get("/bindings").await["bindings"], json!([]));
    assert_eq!(world.post("/instances/i/bindings/b/purge").await.0, 404);
    assert_eq!(ids_of(&world.get("/instances").await, "instances", "instance_id"), ["i"]);
}

#[tokio::test]
async fn a_running_operation_can_be_cancelled() {
    let mut settings = Settings::default();
    (settings.lease, settings.cancel_grace) = (Duration::from_millis(300), Duration::from_millis(10));
    settings.sync_wait = Duration::ZERO;
    let world = World::with(settings).await;
    let reaches = async |path: &str, binding: Option<usize>, phase: &str| loop {
        let shown = world.get(path).await;
        let entry = binding.map_or(&shown, |at| &shown["bindings"][at]);
        if entry["phase"] == phase {
            break entry["operation"]["description"].as_str().unwrap_or_default().to_owned();
        }
        assert_eq!(entry["operation"]["state"], "in progress", "{shown}");
        tokio::time::sleep(Duration::from_millis(1)).await;
    };
    let cancel = async |path: &str| {
        for action in ["retry", "abandon"] {
            let (status, refused) = world.post(&format!("{path}/{action}")).await;
            let said = refused["description"].as_str().unwrap_or_default();
            assert!(
                status == 409 && said.contains("`cancel` ends an operation that is running"),
                "{action}: {refused}"
            );
        }
        assert_eq!(world.post(&format!("{path}/cancel")).await, (202, json!({})));
    };
    world.make("i").await;
    world.bind("i", "b").await;
    for (path, expected) in [("/instances/i", 409), ("/instances/i/bindings/b", 409), ("/instances/none", 404)] {
        assert_eq!(world.post(&format!("{path}/cancel")).await.0, expected, "{path}");
    }

    world.lab.deletions_go(Behaviour::Hang);
    let deletion = format!("{DELETE}&accepts_incomplete=true");
    assert_eq!(world.platform("DELETE", &format!("{}?{deletion}", binding("i", "b")), Value::Null).await.0, 202);
    cancel("/instances/i/bindings/b").await;
    let failed = reaches("/instances/i", Some(0), "delete_failed").await;
    assert!(failed.contains("was cancelled by an operator"), "{failed}");
    assert_eq!(world.post("/instances/i/bindings/b/abandon").await, (200, json!({})));
    assert_eq!(world.platform("DELETE", &format!("{}?{deletion}", instance("i")), Value::Null).await.0, 202);
    cancel("/instances/i").await;
    reaches("/instances/i", None, "delete_failed").await;
    assert_eq!(world.post("/instances/i/cancel").await.0, 409, "it has ended");
    world.lab.deletions_go(Behaviour::Succeed);
    assert_eq!(world.post("/instances/i/retry").await.0, 202);
    reaches("/instances/i", None, "gone").await;
    let calls = world.lab.calls();

    // A creation, which has made something. Its platform does not poll at first, and repeats the request after the cancellation.
    let body = new(ids::SMALL, json!({ "mood": "wait" }));
    let repeated = async {
        world.lab.called(calls + 1).await;
        cancel("/instances/j").await;
        let path = accepting(&instance("j"));
        world.platform("PUT", &path, body.clone()).await.0
    };
    let path = instance("j");
    let statuses = tokio::join!(async { world.platform("PUT", &path, body.clone()).await.0 }, repeated);
    let gone = tokio::time::timeout(Duration::from_secs(30), reaches("/instances/j", None, "gone")).await;
    assert!(gone.is_ok(), "it is still cancelled: {statuses:?}");
    assert_eq!(world.lab.inventory(), ["b=key"], "the creation is rolled back; the binding was abandoned");
}

#[tokio::test]
async fn purging_an_instance_deletes_its_bindings() {
    let world = World::new().await;
    world.make("i").await;
    world.bind("i", "b").await;
    assert_eq!(world.post("/instances/i/purge").await, (200, json!({})));
    assert!(world.lab.inventory().is_empty(), "{:?}", world.lab.inventory());
    assert_eq!(world.get("/bindings").await["bindings"], json!([]));
}

#[tokio::test]
async fn t62_an_action_continues_after_the_operator_disconnects() {
    let folder = tempfile::tempdir().expect("a temporary folder is created");
    let mut settings = Settings::default();
    settings.store = Redb::open(folder.path().join("records.redb"), None).expect("it is made").into();
    let world = World::with(settings).await;
    for patience in 1..8 {
        world.make("i").await;
        let mut purge = Box::pin(world.post("/instances/i/purge"));
        for _ in 0..patience {
            tokio::select! {
                biased;
                _ = &mut purge => break,
                () = tokio::task::yield_now() => {}
            }
        }
        drop(purge);
        let gone = async {
            until(async || world.get("/instances").await["instances"] == json!([])).await;
        };
        tokio::time::timeout(Duration::from_secs(10), gone).await.expect("it is removed");
    }
}

#[tokio::test]
async fn a_running_broker_reseals_its_records() {
    let old = "8f5d1c6e0b7a49d2c3e4f5061728394a5b6c7d8e9fa0b1c2d3e4f5a6b7c8d9ea";
    let new_key = "0d1c6e0b7a49d2c3e4f5061728394a5b6c7d8e9fa0b1c2d3e4f5a6b7c8d9ea8f";
    let keys = |text: &str| text.parse::<Keys>().expect("they are good");
    let folder = tempfile::tempdir().expect("a temporary folder is created");
    let path = folder.path().join("records.redb");
    let settings = |keys: Keys| {
        let mut settings = Settings::default();
        settings.store = Redb::open(&path, keys).expect("it can be opened").into();
        settings
    };
    let (status, refused) = World::with(Settings::default()).await.post("/reseal").await;
    assert_eq!(status, 409, "without keys: {refused}");
    let first = settings(keys(old));
    let world = World::with(first.clone()).await;
    for id in ["a", "b", "c"] {
        world.make(id).await;
    }
    first.store.close().await;
    drop((world, first));

    let both = settings(keys(&format!("{new_key} {old}")));
    let world = World::with(both.clone()).await;
    assert_eq!(world.post("/reseal").await, (200, json!({ "records": 3, "unreadable": 0 })));
    assert_eq!(world.get("/instances").await["instances"].as_array().map(Vec::len), Some(3));
    both.store.close().await;
    drop((world, both));

    assert!(Redb::open(&path, keys(old)).is_err(), "the old key no longer opens it");
    let world = World::with(settings(keys(new_key))).await;
    assert_eq!(ids_of(&world.get("/instances").await, "instances", "instance_id"), ["a", "b", "c"]);
}

/// Reads still show what the shutdown waits for.
#[tokio::test]
async fn a_broker_that_shuts_down_refuses_actions_and_lists_records() {
    let world = World::new().await;
    let path = accepting(&instance("i"));
    assert_eq!(world.platform("PUT", &path, new(ids::SLOW, json!({ "mood": "wait" }))).await.0, 202);
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let served = tokio::spawn(serve(listener, world.broker.clone(), async {}));
    let refused = async {
        loop {
            let (status, body) = world.post("/instances/i/retry").await;
            if status == 503 {
                break body;
            }
            tokio::task::yield_now().await;
        }
    };
    let refused = tokio::time::timeout(Duration::from_secs(10), refused).await.expect("actions are refused");
    assert_eq!(refused["description"], "The broker is shutting down.");
    assert_eq!(world.get("/operations").await["operations"][0]["instance_id"], "i");
    world.lab.gate.open();
    served.await.expect("it ends");
}
