//! Comparison of requests with earlier ones.

use osb_lab::{prelude::*, requests::with};
use tokio::time::{Instant, sleep};

use crate::directed::{Ending, World};

#[tokio::test]
async fn numbers_are_compared_by_value() {
    let (wire, lab) = lab().await;
    wire.put(I, new(ids::SMALL, json!({ "ratio": 1 }))).await;
    let sizes = [json!({ "ratio": 1, "size": 1, "mood": "succeed" }), json!({ "size": 1.0 })];
    for same in [json!({ "ratio": 1.0 }), json!({})].into_iter().chain(sizes) {
        assert_eq!(wire.put(I, new(ids::SMALL, same.clone())).await.status, 200, "PROV-11, T04: {same}");
    }
    assert_eq!(wire.put(I, new(ids::SMALL, json!({ "ratio": 1.5 }))).await.status, 409, "PROV-14");
    let reply = wire.patch(I, change(json!({ "parameters": { "ratio": 1.0 } }))).await;
    assert_eq!((reply.status, lab.calls()), (200, 1), "UPD-11: nothing to do");
    let reply = wire.patch(I, change(json!({ "parameters": { "size": 2.0 } }))).await;
    assert_eq!((reply.status, lab.calls()), (200, 2), "the handler gets an integer");
    assert_eq!(wire.put(I, new(ids::SMALL, json!({ "ratio": 1, "size": 2 }))).await.status, 200, "PROV-11");
}

#[tokio::test]
async fn an_application_is_the_same_in_either_field() {
    let (wire, _) = lab().await;
    wire.put(I, new(ids::SMALL, json!({}))).await;
    let body = || bind(ids::SMALL, json!({}));
    assert_eq!(wire.put(B, with(body(), "app_guid", json!("a"))).await.status, 201);
    let inside = with(body(), "bind_resource", json!({ "app_guid": "a", "space_guid": "s" }));
    assert_eq!(wire.put(B, inside.clone()).await.status, 200, "T35");
    assert_eq!(wire.put(B, with(inside, "app_guid", json!("b"))).await.status, 200, "T35: the newer place counts");
    for other in [body(), with(body(), "app_guid", json!("b")), with(body(), "bind_resource", json!({ "route": "r" }))]
    {
        assert_eq!(wire.put(B, other.clone()).await.status, 409, "BIND-11: {other}");
    }
}

#[tokio::test]
async fn a_rotation_with_other_attributes_is_a_different_request() {
    let (wire, _) = lab().await;
    wire.put(I, new(ids::SMALL, json!({}))).await;
    wire.put(B, with(bind(ids::SMALL, json!({})), "app_guid", json!("a"))).await;
    let rotation = || json!({ "predecessor_binding_id": "b" });
    let next = binding("i", "next");
    assert_eq!(wire.put(&next, rotation()).await.status, 201);
    for same in [rotation(), with(rotation(), "app_guid", json!("a")), with(rotation(), "plan_id", json!(ids::SMALL))] {
        assert_eq!(wire.put(&next, same.clone()).await.status, 200, "ROT-04, ROT-05: {same}");
    }
    for other in [
        with(rotation(), "app_guid", json!("b")),
        with(rotation(), "parameters", json!({ "mood": "dawdle" })),
        with(rotation(), "plan_id", json!(ids::LARGE)),
        with(rotation(), "predecessor_binding_id", json!("next")),
        with(rotation(), "predecessor_binding_id", json!("other")),
        with(bind(ids::SMALL, json!({})), "app_guid", json!("a")),
    ] {
        assert_eq!(wire.put(&next, other.clone()).await.status, 409, "BIND-11, ROT-04: {other}");
    }

    let explicit = binding("i", "explicit");
    let dawdling = || with(rotation(), "parameters", json!({ "mood": "dawdle" }));
    assert_eq!(wire.put(&explicit, dawdling()).await.status, 201);
    assert_eq!(wire.put(&explicit, dawdling()).await.status, 200);
    assert_eq!(wire.put(&explicit, rotation()).await.status, 409, "BIND-11: those are the predecessor's parameters");
}

#[tokio::test]
async fn an_update_with_another_context_is_a_different_request() {
    let (wire, lab) = lab().await;
    let wire = Arc::new(wire);
    wire.put(I, new(ids::SMALL, json!({}))).await;
    let body = |space: &str| {
        change(
            json!({ "parameters": { "mood": "dawdle" }, "context": { "platform": "cloudfoundry", "space_name": space } }),
        )
    };
    let running = {
        let (wire, body) = (Arc::clone(&wire), body("one"));
        tokio::spawn(async move { wire.patch(I, body).await.status })
    };
    lab.called(2).await;
    let reply = wire.patch(I, body("two")).await;
    assert_eq!((reply.status, &reply.body["error"]), (422, &json!("ConcurrencyError")), "T28: it would be lost");
    assert_eq!(wire.patch(I, body("one")).await.status, 200, "T63: it joins the first");
    assert_eq!((running.await.expect("no panic"), lab.calls()), (200, 2));
}

#[tokio::test]
async fn numbers_of_an_update_that_runs_are_compared_by_value() {
    let (wire, lab) = lab().await;
    assert_eq!(wire.put(I, new(ids::SMALL, json!({}))).await.status, 201);
    let update = |size| change(json!({ "parameters": { "mood": "wait", "size": size } }));
    let repeat = async {
        lab.called(2).await;
        let repeat = async { wire.patch(I, update(json!(60.0))).await };
        let open = async {
            // The repeated request has joined, or has been refused, by then.
            sleep(Duration::from_millis(50)).await;
            lab.gate.open();
        };
        tokio::join!(repeat, open).0
    };
    let (first, second) = tokio::join!(wire.patch(I, update(json!(60))), repeat);
    assert_eq!((first.status, second.status, lab.calls()), (200, 200, 2), "{second:?}");
}

/// It would give the rollback the time of an asynchronous operation, which is a week.
#[tokio::test(start_paused = true)]
async fn a_request_that_has_joined_a_synchronous_create_is_not_accepted_when_that_is_rolled_back() {
    let (lab, mut settings) = (Lab::default(), Settings::default());
    settings.clock = Clock::of_runtime();
    (settings.retry.max_attempts, settings.retry.initial_delay) = (2, Duration::from_millis(400));
    lab.deletions_go(Behaviour::Hang);
    let broker = Direct::start(LabBroker { lab: lab.clone() }, settings).await;
    let body = new(ids::SMALL, json!({ "mood": "temporary" }));
    let joins = async {
        lab.called(1).await;
        let joined = broker.send("PUT", &accepting(I), Some(&body)).await;
        assert_eq!((lab.calls(), lab.remains().len()), (2, 1), "the rollback runs");
        joined
    };
    let (first, second) = tokio::join!(broker.send("PUT", I, Some(&body)), joins);
    assert_eq!((first.status, second.status), (500, 422), "{second:?}");
    assert_eq!(second.body["error"], "ConcurrencyError");
    sleep(Duration::from_mins(2)).await;
    assert_eq!(broker.send("GET", &format!("{I}/last_operation"), None).await.body["state"], "failed");
}

/// Its platform would learn of a failure that a later request can avoid.
#[tokio::test(start_paused = true)]
async fn a_request_does_not_join_a_synchronous_create_that_is_rolled_back() {
    let (mut world, a) = World::of_a_process().await;
    let work = async {
        world.call("a provision i 1").await.end(Ending::Failed).await;
        let rollback = world.call("a deprovision i 2").await;
        let asked_at = Instant::now();
        let refused = a.ask_with("i", "").await;
        assert_eq!((refused.status, &refused.body["error"]), (422, &json!("ConcurrencyError")), "{refused:?}");
        assert_eq!(asked_at.elapsed(), Duration::ZERO);
        rollback.end(Ending::Done("")).await;
    };
    tokio::join!(a.ask_with("i", ""), work).0.has_status(500);
}
