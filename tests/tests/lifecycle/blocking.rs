//! Requests that are refused because another operation is running (BLK-02, T23).

use osb_lab::prelude::*;

use crate::directed::{Ending, LATER, World};

#[track_caller]
fn is_busy(reply: &Reply) {
    assert_eq!((reply.status, &reply.body["error"]), (422, &json!("ConcurrencyError")), "{reply:?}");
}

const X: &str = "i/service_bindings/x";
const Y: &str = "i/service_bindings/y";

#[tokio::test(start_paused = true)]
async fn blk_02_a_binding_is_not_returned_while_it_is_deleted() {
    let (mut world, a) = World::of_an_instance().await;
    world.bind(&a, "x", "x").await;
    assert_eq!(a.ask(X).await.status, 200);
    a.delete(X).await;
    let unbind = world.call("a unbind x 1").await;
    is_busy(&a.ask(X).await);
    unbind.end_deletion(&a).await;

    world.bind(&a, "y", "y").await;
    a.delete("i").await;
    let unbind = world.call("a unbind y 1").await;
    is_busy(&a.ask(Y).await);
    is_busy(&a.send("DELETE", &format!("{Y}?{LATER}"), None).await);
    unbind.end(Ending::Done("")).await;
    world.call("a deprovision i 1").await.end_deletion(&a).await;
}

/// The instance is blocked by the creation of this binding alone.
#[tokio::test(start_paused = true)]
async fn unb_05_a_bind_that_blocks_its_instance_can_be_cancelled() {
    let (mut world, a) = World::with(|settings| settings.bind_blocks_instance = true).await;
    world.create(&a, "made").await;
    a.put(X).await;
    let cancelled = world.call("a bind x 1").await;
    a.delete(X).await;
    cancelled.end(Ending::Failed).await;
    world.call("a unbind x 1").await.end_deletion(&a).await;
}

#[tokio::test]
async fn t23_an_update_blocks_bindings_if_the_operator_wants_so() {
    for (blocks, status) in [(false, 200), (true, 422)] {
        let (wire, lab) = lab_with(|settings| {
            (settings.bind_blocks_instance, settings.sync_wait) = (blocks, Duration::from_millis(200));
        })
        .await;
        wire.put(I, new(ids::SMALL, json!({}))).await;
        assert_eq!(wire.put(B, bind(ids::SMALL, json!({}))).await.status, 201);
        let update = change(json!({ "parameters": { "mood": "wait" } }));
        assert_eq!(wire.patch(&accepting(I), update).await.status, 202);
        delete(&wire, B).await.has_status(status);
        lab.gate.open();
        assert_eq!(wire.settled(I).await.body["state"], "succeeded");
        let deleted = delete(&wire, B).await;
        assert_eq!(deleted.status, if blocks { 200 } else { 410 }, "{deleted:?}");
    }
}

/// Its handler would get the state of a plan that the instance is leaving.
#[tokio::test]
async fn t23_a_binding_is_not_deleted_while_the_plan_changes() {
    let (wire, lab) = lab_with(|settings| settings.sync_wait = Duration::from_millis(200)).await;
    wire.put(I, new(ids::SMALL, json!({}))).await;
    assert_eq!(wire.put(B, bind(ids::SMALL, json!({}))).await.status, 201);
    let update = change(json!({ "plan_id": ids::LARGE, "parameters": { "mood": "wait" } }));
    assert_eq!(wire.patch(&accepting(I), update).await.status, 202);
    is_busy(&delete(&wire, B).await);
    lab.gate.open();
    assert_eq!(wire.settled(I).await.body["state"], "succeeded");
    assert_eq!(delete(&wire, B).await.status, 200);
}
