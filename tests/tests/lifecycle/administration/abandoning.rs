//! Failed deletions that operators abandon, and the records that this removes.

use std::sync::atomic::{AtomicBool, Ordering};

use osb_runtime::{
    lifecycle::{
        AnyHooks,
        admin::{ActionRefused, abandon},
    },
    store::{Key, Pending, Records},
};
use tokio::sync::Notify;

use super::*;
use crate::{
    failing_store::Damaged,
    hooked_store::{Around, Hooked, Request},
};

#[tokio::test]
async fn only_a_failed_deletion_can_be_abandoned() {
    let mut settings = Settings::default();
    settings.store = Records::in_memory();
    let world = World::with(settings.clone()).await;
    world.make("fine").await;
    // As the command line does it, without the broker.
    let fine = Key { tenant: "".parse().expect("none"), instance: "fine".into(), binding: None };
    let none = Key { instance: "none".into(), ..fine.clone() };
    for (key, reason) in [(&fine, ActionRefused::HasNotFailed), (&none, ActionRefused::Unknown)] {
        let abandoned = abandon(settings.store.store(), &settings, key, "operator").await.expect("the store is read");
        assert_eq!(abandoned, Err(reason));
    }
    for path in ["/instances/fine/abandon", "/instances/fine/retry"] {
        let (status, body) = world.post(path).await;
        assert_eq!(status, 409, "{path}: {body}");
    }
    let (status, unknown) = world.post("/instances/none/abandon").await;
    assert_eq!(status, 404);
    assert!(unknown["description"].as_str().is_some_and(|text| text.contains("no such instance")), "{unknown}");
    world.failed().await;
    assert_eq!(world.post("/instances/i/abandon").await, (200, json!({})));
    assert_eq!(ids_of(&world.get("/instances").await, "instances", "instance_id"), ["fine"]);
    assert!(!world.lab.inventory().is_empty(), "no handler was called");
    assert_eq!(world.get("/bindings").await["bindings"], json!([]), "they are abandoned with the instance");
    let poll = format!("{}/last_operation", binding("i", "b"));
    assert_eq!(world.platform("GET", &poll, Value::Null).await.0, 410, "they don't count as created");
    assert_eq!(world.delete(&instance("i")).await, 410);
    world.lab.deletions_go(Behaviour::Succeed);
    world.make("i").await;
}

#[tokio::test]
async fn an_instance_is_shown_and_abandoned_although_the_next_record_is_damaged() {
    let mut settings = Settings::default();
    settings.store = Hooked::records(Damaged);
    let world = World::with(settings).await;
    world.make("j").await;
    world.failed().await;
    assert_eq!(world.get("/instances/i").await["bindings"][0]["binding_id"], "b");
    assert_eq!(world.post("/instances/i/abandon").await, (200, json!({})));
}

#[tokio::test]
async fn a_binding_whose_creation_has_failed_is_gone_when_its_instance_is_abandoned() {
    let world = World::new().await;
    world.make("i").await;
    world.lab.deletions_go(Behaviour::Fail);
    let failing = bind(ids::SMALL, json!({ "mood": "fail" }));
    assert_eq!(world.platform("PUT", &binding("i", "b"), failing).await.0, 500);
    let poll = format!("{}/last_operation", binding("i", "b"));
    assert_eq!(world.platform("GET", &poll, Value::Null).await.1["state"], "failed");
    assert_eq!(world.delete(&instance("i")).await, 500);
    assert_eq!(world.post("/instances/i/abandon").await, (200, json!({})));
    assert_eq!(world.platform("GET", &poll, Value::Null).await.0, 410);
}

#[tokio::test]
async fn the_audit_tells_who_has_abandoned_an_instance_and_its_bindings() {
    let (watching, mut settings) = (Watching::default(), Settings::default());
    settings.audit = Some(Arc::new(watching.clone()));
    settings.hooks = Some(AnyHooks::of(watching.clone()));
    let world = World::with(settings).await;
    world.failed().await;
    let headers = [
        ("Authorization", AUTHORIZATION),
        ("X-Broker-API-Version", "2.17"),
        ("X-Broker-API-Request-Identity", "request-1"),
        ("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
    ];
    let deletion = format!("{}?{DELETE}", instance("i"));
    assert_eq!(exchange(&world.broker, "DELETE", &deletion, &headers, "").await.0.status, 500);
    let failed = world.get("/instances/i").await["operation"]["operation"].clone();
    assert_eq!(world.post("/instances/none/abandon").await.0, 404);
    assert_eq!(world.post("/instances/i/abandon").await, (200, json!({})));
    let told = watching.events.all();
    let [binding, instance] = told.as_slice() else { panic!("{told:?}") };
    for (event, action) in [(binding, "unbind"), (instance, "deprovision")] {
        assert_eq!((&event["action"], &event["stage"]), (&json!(action), &json!("abandoned")), "{event}");
        assert_eq!((&event["platform"], &event["user"]), (&json!("admin"), &json!("operator")), "{event}");
        assert_eq!((&event["instance_id"], &event["plan_id"]), (&json!("i"), &json!(ids::SMALL)), "{event}");
        assert!(event["time"].is_string(), "{event}");
        // The request was the operator's.
        assert_eq!((event.get("request_identity"), event.get("trace_id")), (None, None), "{event}");
    }
    assert_eq!((&binding["binding_id"], &instance["operation"]), (&json!("b"), &failed), "{told:?}");
    assert!(!watching.calls.all().contains(&"abandoned".to_owned()), "no handler was called");
}

#[tokio::test]
async fn an_instance_is_not_abandoned_while_a_binding_is_deleted() {
    let mut settings = Settings::default();
    settings.store = Records::in_memory();
    let world = World::with(settings.clone()).await;
    world.failed_with(&["a", "b"]).await;
    world.lab.deletions_go(Behaviour::WaitStubbornly);
    let unbind = format!("{}?{DELETE}&accepts_incomplete=true", binding("i", "b"));
    assert_eq!(world.platform("DELETE", &unbind, Value::Null).await.0, 202);
    let (status, refused) = world.post("/instances/i/abandon").await;
    assert_eq!(status, 409, "{refused}");
    assert_eq!(ids_of(&world.get("/bindings").await, "bindings", "binding_id"), ["a", "b"]);
    // As the command line does it, without the broker.
    let instance = Key { tenant: "".parse().expect("none"), instance: "i".into(), binding: None };
    for key in [Key { binding: Some("b".into()), ..instance.clone() }, instance] {
        let abandoned = abandon(settings.store.store(), &settings, &key, "operator").await.expect("the store is read");
        assert_eq!(abandoned, Err(ActionRefused::IsRunning), "{key:?}");
    }
    world.lab.gate.open();
    world.deleted(&binding("i", "b")).await;
    assert_eq!(world.lab.inventory(), ["a=key", "i=smallx1"], "the binding was deleted");
    assert_eq!(world.post("/instances/i/abandon").await, (200, json!({})));
}

/// Delays the next transaction, once it has been told to.
#[derive(Default)]
struct Delays {
    is_next: AtomicBool,
    is_waiting: Notify,
    goes_on: Notify,
}

impl Around for Arc<Delays> {
    fn before(&self, request: Request) -> Pending<'_, ()> {
        Box::pin(async move {
            if request == Request::Transact && self.is_next.swap(false, Ordering::SeqCst) {
                self.is_waiting.notify_one();
                self.goes_on.notified().await;
            }
            Ok(())
        })
    }
}

/// After the list of the bindings, and before the first of them is abandoned.
#[tokio::test]
async fn a_deletion_that_begins_meanwhile_is_not_abandoned() {
    for path in [binding("i", "b"), instance("i")] {
        let (mut settings, delays) = (Settings::default(), Arc::new(Delays::default()));
        settings.store = Hooked::records(Arc::clone(&delays));
        let world = World::with(settings).await;
        world.failed().await;
        world.lab.deletions_go(Behaviour::WaitStubbornly);
        delays.is_next.store(true, Ordering::SeqCst);
        let begins = async {
            delays.is_waiting.notified().await;
            let deletion = format!("{path}?{DELETE}&accepts_incomplete=true");
            assert_eq!(world.platform("DELETE", &deletion, Value::Null).await.0, 202);
            delays.goes_on.notify_one();
        };
        let (refused, ()) = tokio::join!(world.post("/instances/i/abandon"), begins);
        assert_eq!(refused.0, 409, "{path}: {refused:?}");
        assert_eq!(ids_of(&world.get("/bindings").await, "bindings", "binding_id"), ["b"], "{path}");
        world.lab.gate.open();
        world.deleted(&path).await;
        assert!(!world.lab.inventory().contains(&"b=key".to_owned()), "{path}: its handler has ended");
    }
}

/// The store lists records by pages of 256.
#[tokio::test]
async fn an_instance_of_many_bindings_is_shown_and_abandoned_with_all() {
    const COUNT: usize = 260;
    let world = World::new().await;
    world.make("i").await;
    for number in 0..COUNT {
        world.bind("i", &number.to_string()).await;
    }
    let count = async |path: &str| world.get(path).await["bindings"].as_array().map(Vec::len);
    assert_eq!(count("/instances/i").await, Some(COUNT));
    assert_eq!(count("/bindings?limit=1000").await, Some(COUNT));
    world.lab.deletions_go(Behaviour::Fail);
    assert_eq!(world.delete(&instance("i")).await, 500);
    assert_eq!(world.post("/instances/i/abandon").await, (200, json!({})));
    assert_eq!(count("/bindings?limit=1000").await, Some(0));
}
