//! The values that a rotation inherits, and its predecessor.

use osb_lab::{bind_nothing, prelude::*, provision_nothing};
use osb_runtime::prelude::*;

use crate::directed::{Ending, LATER, World};

#[tokio::test]
async fn rot_05_a_rotation_inherits_the_parameters() {
    let (wire, _) = lab().await;
    wire.put(I, new(ids::SMALL, json!({}))).await;
    assert_eq!(wire.put(B, bind(ids::SMALL, json!({ "mood": "dawdle" }))).await.status, 201);
    let parameters = async |id: &str| wire.get(&binding("i", id)).await.body["parameters"].clone();
    for (id, given, expected) in [("c", json!({}), "dawdle"), ("d", json!({ "mood": "succeed" }), "succeed")] {
        let rotation = json!({ "predecessor_binding_id": "b", "parameters": given });
        assert_eq!(wire.put(&binding("i", id), rotation).await.status, 201);
        assert_eq!(parameters(id).await["mood"], expected);
    }
}

#[tokio::test]
async fn bind_08_a_rotation_is_repeated_after_the_id_of_its_predecessor_was_used_again() {
    let (wire, _) = lab().await;
    wire.put(I, new(ids::SMALL, json!({}))).await;
    let predecessor = async |mood: &str| {
        assert_eq!(wire.put(B, bind(ids::SMALL, json!({ "mood": mood }))).await.status, 201);
    };
    let rotate = async || wire.put(&binding("i", "c"), json!({ "predecessor_binding_id": "b" })).await.status;
    predecessor("dawdle").await;
    assert_eq!(rotate().await, 201);
    assert_eq!(delete(&wire, B).await.status, 200);
    predecessor("succeed").await;
    assert_eq!(rotate().await, 200, "its own predecessor is gone");
}

/// The time of its newest operation says nothing about its creation.
#[tokio::test]
async fn bind_08_a_refused_deletion_changes_no_comparison_of_a_rotation() {
    let (wire, lab) = lab().await;
    wire.put(I, new(ids::SMALL, json!({}))).await;
    let predecessor = async |mood: &str| {
        assert_eq!(wire.put(B, bind(ids::SMALL, json!({ "mood": mood }))).await.status, 201);
    };
    let c = binding("i", "c");
    let rotate = async |parameters: Value| {
        wire.put(&c, json!({ "predecessor_binding_id": "b", "parameters": parameters })).await.status
    };
    let is_kept = async |path: &str| {
        lab.deletions_go(Behaviour::Refuse);
        assert_eq!(delete(&wire, path).await.status, 422);
        lab.deletions_go(Behaviour::Succeed);
    };
    // A handler that dawdles takes longer than the unit of time in the records.
    predecessor("dawdle").await;
    assert_eq!(rotate(json!({})).await, 201);
    assert_eq!(delete(&wire, B).await.status, 200);
    predecessor("succeed").await;
    is_kept(&c).await;
    assert_eq!(rotate(json!({})).await, 200, "its own predecessor is gone");

    assert_eq!(delete(&wire, &c).await.status, 200);
    assert_eq!(rotate(json!({ "mood": "dawdle" })).await, 201);
    is_kept(B).await;
    assert_eq!(rotate(json!({})).await, 409, "it would inherit other parameters");
}

/// Drains for the logs of applications.
#[service(id = "4d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "drains", plans(Drain))]
struct Drains;

/// The only plan.
#[plan(id = "4d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "drain", bindable, rotatable, requires_app)]
struct Drain;

provision_nothing!(Drains);
bind_nothing!(Drains: Drain => LogDrain = |request| {
    let platform = request.context.platform().unwrap_or("logs").to_owned();
    LogDrain::new(format!("syslog://{platform}.example.com/{}", request.bind_resource.app_guid.unwrap_or_default()))?
};);

#[broker]
struct DrainsBroker(Drains);

fn of_plan(mut body: Value) -> Value {
    body["service_id"] = json!("4d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01");
    body["plan_id"] = json!("4d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02");
    body
}

#[tokio::test]
async fn rot_05_a_rotation_inherits_the_context() {
    let wire = Wire::serve(DrainsBroker(Drains)).await;
    let on = |platform: &str| json!({ "platform": platform });
    let instance = json!({ "organization_guid": "o", "space_guid": "s", "context": on("one") });
    assert_eq!(wire.put(I, of_plan(instance)).await.status, 201);
    for (id, body, platform) in [
        ("b", of_plan(json!({ "bind_resource": { "app_guid": "app" }, "context": on("two") })), "two"),
        ("c", json!({ "predecessor_binding_id": "b" }), "two"),
        ("d", json!({ "predecessor_binding_id": "c", "context": on("three") }), "three"),
    ] {
        let bound = wire.put(&binding("i", id), body).await.has_status(201);
        assert_eq!(bound.body["syslog_drain_url"], format!("syslog://{platform}.example.com/app"), "{id}");
    }
}

#[tokio::test]
async fn rot_05_a_rotation_inherits_the_application_that_the_plan_requires() {
    let wire = Wire::serve(DrainsBroker(Drains)).await;
    assert_eq!(wire.put(I, of_plan(json!({ "organization_guid": "o", "space_guid": "s" }))).await.status, 201);
    assert_eq!(wire.put(B, of_plan(json!({}))).await.body["error"], "RequiresApp");
    let bound = wire.put(B, of_plan(json!({ "bind_resource": { "app_guid": "app" } }))).await;
    assert_eq!(bound.status, 201, "{bound:?}");
    let rotated = wire.put(&binding("i", "c"), json!({ "predecessor_binding_id": "b" })).await;
    assert_eq!(
        (rotated.status, &rotated.body["syslog_drain_url"]),
        (201, &bound.body["syslog_drain_url"]),
        "{rotated:?}"
    );
}

#[tokio::test]
async fn rot_02_a_predecessor_whose_deletion_failed_is_named_as_such() {
    let (wire, lab) = lab().await;
    wire.put(I, new(ids::SMALL, json!({}))).await;
    assert_eq!(wire.put(B, bind(ids::SMALL, json!({}))).await.status, 201);
    lab.deletions_go(Behaviour::Fail);
    delete(&wire, B).await;
    for (predecessor, why) in [("b", "has begun or failed"), ("unknown", "is not a binding of this instance")] {
        let refused = wire.put(&binding("i", "c"), json!({ "predecessor_binding_id": predecessor })).await;
        assert_eq!(refused.status, 400, "{refused:?}");
        assert!(refused.description().contains(why), "{refused:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_predecessor_is_not_unbound_while_a_cancelled_handler_uses_it() {
    let (mut world, a) = World::of_an_instance().await;
    world.bind(&a, "old", "old").await;
    let rotation = json!({ "predecessor_binding_id": "old" });
    let path = format!("i/service_bindings/new?{LATER}");
    assert_eq!(a.send("PUT", &path, Some(&rotation)).await.status, 202);
    let cancelled = world.call("a bind new 1").await;
    let unbind = format!("i/service_bindings/old?{LATER}");
    let refused = a.send("DELETE", &unbind, None).await;
    assert_eq!(refused.body["error"], "ConcurrencyError", "BLK-02: while the successor is made: {refused:?}");
    a.delete("i/service_bindings/new").await;
    assert!(!cancelled.has_ended(), "it is in its grace period");
    let refused = a.send("DELETE", &unbind, None).await;
    assert_eq!(refused.status, 422, "the handler still runs: {refused:?}");
    cancelled.end(Ending::Failed).await;
    let _removal = world.call("a unbind new 1").await;
    assert_eq!(a.send("DELETE", &unbind, None).await.status, 202, "it has ended");
}
