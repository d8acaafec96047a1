//! What becomes of records when the types that they were made with change from one release of a broker to the next.

use std::time::Duration;

use osb_lab::{
    lab::{Lab, LabBroker, ids},
    releases::{
        first::{FirstBroker, Stores as FirstStores},
        ids::{BASIC, LEGACY, PLUS, STORES},
        second::{SecondBroker, Stores as SecondStores},
    },
    requests::{DELETE, bind, binding, instance, new},
    wire::{Reply, Wire},
    yesterday::{Lab as YesterdaysLab, YesterdaysBroker},
};
use osb_runtime::{
    http::{BrokerService, Credentials, HttpSettings},
    lifecycle::Settings,
    prelude::*,
    service::Broker,
    store::Records,
};
use serde_json::{Value, json};
use tokio::runtime::Builder;

/// Records that outlive a release: each opens them anew.
struct Kept {
    records: Records,
    lease: Duration,
}

impl Kept {
    fn new() -> Self {
        Self { records: Records::in_memory(), lease: Duration::from_secs(30) }
    }

    fn open(&self) -> Settings {
        let mut settings = Settings::default();
        settings.store = self.records.clone();
        settings.lease = self.lease;
        settings
    }

    async fn serve<B: Broker>(&self, broker: B) -> Wire {
        Wire::serve_with(broker, self.open()).await
    }

    /// Why a broker does not start with these records.
    async fn refused<B: Broker>(&self, broker: B) -> Vec<String> {
        let credentials = Credentials::basic("user", "pass").expect("a user without colon");
        match BrokerService::start_with(broker, credentials, HttpSettings::default(), self.open()).await {
            Ok(_) => Vec::new(),
            Err(error) => error.problems().to_vec(),
        }
    }
}

const I: &str = "/v2/service_instances/i";
const B: &str = "/v2/service_instances/i/service_bindings/b";

/// A release, and what its handlers were given.
struct Release {
    wire: Wire,
    heard: osb_lab::releases::Heard,
}

impl Release {
    async fn first(kept: &Kept) -> Self {
        let stores = FirstStores::default();
        Self { heard: stores.heard.clone(), wire: kept.serve(FirstBroker { stores }).await }
    }

    async fn second(kept: &Kept) -> Self {
        let stores = SecondStores::default();
        Self { heard: stores.heard.clone(), wire: kept.serve(SecondBroker { stores }).await }
    }

    async fn provision(&self, id: &str, plan: &str, parameters: Value) -> Reply {
        let ids = json!({ "service_id": STORES, "plan_id": plan, "organization_guid": "o", "space_guid": "s" });
        self.wire.put(&instance(id), with(ids, parameters)).await
    }

    async fn update(&self, id: &str, parameters: Value) -> Reply {
        self.wire.patch(&instance(id), with(json!({ "service_id": STORES }), parameters)).await
    }

    async fn bind(&self, id: &str, plan: &str, parameters: Value) -> Reply {
        let ids = json!({ "service_id": STORES, "plan_id": plan });
        self.wire.put(&binding(id, "b"), with(ids, parameters)).await
    }

    async fn delete(&self, path: &str) -> Reply {
        self.wire.delete(&format!("{path}?service_id={STORES}&plan_id={BASIC}")).await
    }

    async fn parameters(&self, path: &str) -> Value {
        self.wire.get(path).await.body["parameters"].take()
    }

    /// What the only handler that ran since this was asked last was given.
    fn heard(&self) -> String {
        self.heard.take().join("; ")
    }
}

fn with(mut body: Value, parameters: Value) -> Value {
    body["parameters"] = parameters;
    body
}

fn is(reply: &Reply, status: u16) {
    assert_eq!(reply.status, status, "{reply:?}");
}

#[tokio::test]
async fn a_parameter_that_has_another_name_now_keeps_its_value() {
    let kept = Kept::new();
    let first = Release::first(&kept).await;
    let made = json!({ "size": 20, "password": "hunter2", "backup": { "hours": 6 } });
    is(&first.provision("i", BASIC, made.clone()).await, 201);
    drop(first);

    let second = Release::second(&kept).await;
    let today = json!({ "megabytes": 20, "admin_password": "hunter2", "backup": { "every": 6 } });
    for (again, status) in [(made, 200), (today, 200), (json!({ "megabytes": 20 }), 409)] {
        is(&second.provision("i", BASIC, again).await, status);
    }
    assert_eq!(second.parameters(I).await, json!({ "backup": { "every": 6 }, "megabytes": 20 }), "GETI-07");
    is(&second.bind("i", BASIC, json!({})).await, 201);
    let state = "Store { name: \"store i\", shard: 1 }";
    assert_eq!(second.heard(), format!("bind b: 20 MB, None, Some(6), true with {state} after None"));

    // Only what is mentioned changes, by whichever name.
    is(&second.update("i", json!({ "owner": "me", "backup": { "every": null } })).await, 200);
    is(&second.update("i", json!({ "size": 30, "backup": { "hours": 7 } })).await, 200);
    is(&second.update("i", json!({ "mb": null })).await, 200);
    let expected = [
        "\"20 MB, None, Some(6), true\") to \"20 MB, Some(\\\"me\\\"), None, true\"",
        "\"20 MB, Some(\\\"me\\\"), None, true\") to \"30 MB, Some(\\\"me\\\"), Some(7), true\"",
        "\"30 MB, Some(\\\"me\\\"), Some(7), true\") to \"10 MB, Some(\\\"me\\\"), Some(7), true\"",
    ];
    assert_eq!(second.heard.take(), expected.map(|line| format!("update i: Some({line} with {state}")));
    assert_eq!(second.parameters(I).await, json!({ "owner": "me", "backup": { "every": 7 } }));
    is(&second.delete(B).await, 200);
    second.heard.take();
    is(&second.delete(I).await, 200);
    assert!(second.heard().ends_with("with Some(\"10 MB, Some(\\\"me\\\"), Some(7), true\")"));
}

#[tokio::test]
async fn a_name_of_old_can_be_sent_but_not_beside_the_new_one() {
    let second = Release::second(&Kept::new()).await;
    is(&second.provision("a", BASIC, json!({ "size": 5, "backup": { "hours": 1 } })).await, 201);
    assert_eq!(second.heard(), "provision a: 5 MB, None, Some(1), false after None");
    assert_eq!(second.parameters(&instance("a")).await, json!({ "megabytes": 5, "backup": { "every": 1 } }));
    is(&second.provision("a", BASIC, json!({ "mb": 5, "backup": { "every": 1 } })).await, 200);

    let both = second.provision("b", BASIC, json!({ "megabytes": 5, "size": 5, "mb": 99 })).await;
    is(&both, 400);
    let leave = "which is given too; leave one of them out";
    let expected = format!(
        "Invalid parameters: /size: is another name of `megabytes`, {leave}; /mb: is another name of `megabytes`, {leave}."
    );
    assert_eq!(both.description(), expected);
    let both = second.update("a", json!({ "backup": { "hours": 1, "every": 2 } })).await;
    let expected = format!("Invalid parameters: /backup/hours: is another name of `every`, {leave}.");
    assert_eq!((both.status, both.description()), (400, expected.as_str()));
    let wrong = second.provision("b", BASIC, json!({ "size": 51 })).await;
    let expected = "Invalid parameters: /size: 51 is greater than the maximum 50.";
    assert_eq!((wrong.status, wrong.description()), (400, expected), "by the name that was used");

    let catalog = second.wire.get("/v2/catalog").await.body.to_string();
    assert!(catalog.contains("\"megabytes\"") && !catalog.contains("\"size\""), "{catalog}");
}

#[tokio::test]
async fn what_a_tighter_schema_refuses_goes_on_working_until_it_is_changed() {
    let kept = Kept::new();
    let first = Release::first(&kept).await;
    is(&first.provision("i", BASIC, json!({ "size": 80, "colour": "red", "prefix": "A1" })).await, 201);
    is(&first.bind("i", BASIC, json!({ "role": "administrator" })).await, 201);
    drop(first);

    let second = Release::second(&kept).await;
    assert_eq!(second.parameters(I).await, json!({ "megabytes": 80, "prefix": "A1" }), "colours are gone");
    // ROT-05: what the predecessor has was accepted once.
    let successor = second.wire.put(&binding("i", "c"), json!({ "predecessor_binding_id": "b" })).await;
    is(&successor, 201);
    let state = "Store { name: \"store i\", shard: 1 }";
    let after = "Some(Predecessor { binding: \"b\", state: KeyState { number: 7 } })";
    assert_eq!(second.heard(), format!("bind c: 80 MB, None, None, false with {state} after {after}"));

    let context = json!({ "platform": "cloudfoundry", "organization_guid": "o", "space_guid": "s", "space_name": "n" });
    is(&second.wire.patch(I, json!({ "service_id": STORES, "context": context })).await, 200);
    assert_eq!(second.heard(), "", "UPD-03: it takes no handler");
    let refused = second.update("i", json!({ "owner": "me" })).await;
    let expected = "Invalid parameters: /megabytes: 80 is greater than the maximum 50, which is not from this update: \
                    set it too.";
    assert_eq!((refused.status, refused.description()), (400, expected), "but not for a prefix that nobody can set");
    is(&second.update("i", json!({ "owner": "me", "megabytes": 50 })).await, 200);
    let (before, after) = ("80 MB, None, None, false", "50 MB, Some(\\\"me\\\"), None, false");
    assert_eq!(second.heard(), format!("update i: Some({before:?}) to \"{after}\" with {state}"));
    assert_eq!(second.parameters(I).await, json!({ "megabytes": 50, "prefix": "A1", "owner": "me" }));
    for path in [binding("i", "c"), B.to_owned(), I.to_owned()] {
        is(&second.delete(&path).await, 200);
    }
}

#[tokio::test]
async fn a_parameter_that_is_demanded_now_can_be_given_by_an_update() {
    let kept = Kept::new();
    let first = Release::first(&kept).await;
    for id in ["i", "j"] {
        is(&first.provision(id, PLUS, json!({ "note": "n" })).await, 201);
    }
    is(&first.bind("j", PLUS, json!({})).await, 201);
    is(&first.provision("k", BASIC, json!({})).await, 201);
    drop(first);

    let second = Release::second(&kept).await;
    let refused = second.bind("i", PLUS, json!({})).await;
    let expected = "Parameters of this service instance have to be set by an update first: /team: is missing.";
    assert_eq!((refused.status, refused.description()), (400, expected));
    let maintain = json!({ "service_id": STORES, "maintenance_info": { "version": "2.0.0" } });
    let refused = second.wire.patch(I, maintain.clone()).await;
    assert_eq!((refused.status, refused.description()), (400, expected));
    let refused = second.update("i", json!({ "note": "m" })).await;
    let expected = "Invalid parameters: /team: is missing, which is not from this update: set it too.";
    assert_eq!((refused.status, refused.description()), (400, expected));
    let move_without = second.wire.patch(&instance("k"), json!({ "service_id": STORES, "plan_id": PLUS })).await;
    assert_eq!((move_without.status, move_without.description()), (400, "Invalid parameters: /team: is missing."));
    assert_eq!(second.heard(), "");

    is(&second.update("i", json!({ "team": "ours" })).await, 200);
    let state = "Store { name: \"store i\", shard: 1 }";
    assert_eq!(second.heard(), format!("update i: None to \"team ours\" with {state}"));
    is(&second.bind("i", PLUS, json!({})).await, 201);
    is(&second.wire.patch(I, maintain).await, 200);
    let moved = json!({ "service_id": STORES, "plan_id": PLUS, "parameters": { "team": "theirs" } });
    is(&second.wire.patch(&instance("k"), moved).await, 200);
    assert!(second.heard().ends_with(
        "change k: Some(\"10 MB, None, None, false\") to \"team theirs\" with Store { name: \"store k\", shard: 1 }"
    ));

    is(&second.delete(&binding("j", "b")).await, 200);
    is(&second.delete(&instance("j")).await, 200);
    assert!(second.heard().ends_with("with None"), "nothing is undeletable");
}

#[tokio::test]
async fn a_state_of_another_version_is_migrated() {
    let kept = Kept::new();
    let first = Release::first(&kept).await;
    for id in ["i", "broken", "panics"] {
        is(&first.provision(id, BASIC, json!({})).await, 201);
        is(&first.bind(id, BASIC, json!({})).await, 201);
    }
    drop(first);

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
    assert!(second.heard().ends_with("which was version Some(2)"), "saved anew, and in the version of today");
}

#[tokio::test]
async fn after_a_rollback_everything_can_still_be_deleted() {
    let kept = Kept::new();
    let second = Release::second(&kept).await;
    is(&second.provision("i", BASIC, json!({})).await, 201);
    is(&second.bind("i", BASIC, json!({})).await, 201);
    drop(second);

    let first = Release::first(&kept).await;
    is(&first.update("i", json!({ "owner": "me" })).await, 500);
    is(&first.delete(B).await, 200);
    assert_eq!(first.heard(), "unbind b: None of None");
    is(&first.delete(I).await, 200);
    assert_eq!(first.heard(), "deprovision i: None of 2 {\"name\":\"store i\",\"shard\":2}");
}

#[test]
fn an_operation_that_another_release_began_goes_on_from_its_checkpoint() {
    let kept = Kept { lease: Duration::from_millis(120), ..Kept::new() };
    let runtime = || Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
    let (before, after) = (runtime(), runtime());
    before.block_on(async {
        let first = Release::first(&kept).await;
        let ids = json!({ "service_id": STORES, "plan_id": BASIC, "organization_guid": "o", "space_guid": "s" });
        let path = format!("{}?accepts_incomplete=true", instance("slow"));
        is(&first.wire.put(&path, with(ids, json!({ "size": 80, "colour": "red" }))).await, 202);
    });
    before.shutdown_timeout(Duration::from_secs(5));
    after.block_on(async {
        let second = Release::second(&kept).await;
        let poll = format!("{}/last_operation", instance("slow"));
        let patience = tokio::time::Instant::now() + Duration::from_secs(20);
        while second.wire.get(&poll).await.body["state"] != "succeeded" {
            assert!(tokio::time::Instant::now() < patience, "it does not end");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let expected = "provision slow: 80 MB, None, None, false after Some(Store { name: \"store slow\", shard: 1 })";
        assert_eq!(second.heard(), expected);
    });
}

#[tokio::test]
async fn a_retired_plan_lives_on_for_what_has_it() {
    let kept = Kept::new();
    let first = Release::first(&kept).await;
    for id in ["i", "j"] {
        is(&first.provision(id, LEGACY, json!({ "size": 20 })).await, 201);
    }
    is(&first.bind("j", LEGACY, json!({})).await, 201);
    drop(first);

    let second = Release::second(&kept).await;
    let catalog = second.wire.get("/v2/catalog").await.body.to_string();
    assert!(catalog.contains(BASIC) && !catalog.contains(LEGACY), "CAT-22");
    let refused = second.provision("k", LEGACY, json!({})).await;
    assert_eq!((refused.status, refused.description()), (400, "Plan \"legacy\" takes no new instances."));
    is(&second.provision("i", LEGACY, json!({ "size": 20 })).await, 200);
    assert_eq!(second.parameters(I).await, json!({ "megabytes": 20 }));
    is(&second.update("i", json!({ "megabytes": 21 })).await, 200);
    is(&second.bind("i", LEGACY, json!({})).await, 201);
    is(&second.wire.get(B).await, 200);
    assert_eq!(second.wire.get(&format!("{I}/last_operation")).await.body["state"], "succeeded");
    for path in [B.to_owned(), I.to_owned(), binding("j", "b"), instance("j")] {
        is(&second.delete(&path).await, 200);
        assert_eq!(second.wire.get(&format!("{path}/last_operation")).await.status, 410);
    }
}

#[tokio::test]
async fn a_live_plan_that_is_not_known_stops_the_start() {
    let kept = Kept::new();
    let today = kept.serve(LabBroker { lab: Lab::default() }).await;
    for (id, plan) in [("a", ids::SMALL), ("b", ids::TWIN), ("c", ids::TWIN), ("d", ids::CLOSED)] {
        assert_eq!(today.put(&instance(id), new(plan, json!({}))).await.status, 201);
    }
    assert_eq!(today.put(&binding("a", "x"), bind(ids::SMALL, json!({}))).await.status, 201);
    assert_eq!(today.put(&binding("b", "x"), bind(ids::TWIN, json!({}))).await.status, 201);
    assert_eq!(today.put(&instance("e"), new(ids::QUICK, json!({}))).await.status, 201);
    assert_eq!(today.delete(&format!("{}?{DELETE}", instance("e"))).await.status, 200);
    drop(today);
    let problems = kept.refused(YesterdaysBroker { lab: YesterdaysLab }).await;
    assert_eq!(
        problems,
        [
            "the records have 1 binding of plan \"small\" (6f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a02) of service \"lab\", \
             which is no longer bindable, so that nothing could unbind them; make it bindable again, which a `retired` \
             plan can be too, or delete them with the release that could",
            "the records have 1 instance of plan 6f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a04 of service \"lab\", which does not \
             have it any more; bring the plan back, as `retired` if it is not to be sold, or delete them with the \
             release that knew it",
            "the records have 2 instances and 1 binding of plan 6f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a06 of service \"lab\", \
             which does not have it any more; bring the plan back, as `retired` if it is not to be sold, or delete them \
             with the release that knew it",
        ],
        "what is gone is of no plan"
    );

    let again = kept.serve(LabBroker { lab: Lab::default() }).await;
    for path in [binding("a", "x"), instance("b"), instance("c"), instance("d")] {
        assert_eq!(again.delete(&format!("{path}?{DELETE}")).await.status, 200);
    }
    drop(again);
    assert_eq!(kept.refused(YesterdaysBroker { lab: YesterdaysLab }).await, [""; 0]);
}

/// A service that has taken over a plan of another one.
#[service(id = "9b0d5c1e-54a5-4a3c-9e0a-6b1c4f6f5a11", name = "heir", plans(Moved))]
struct Heir;

/// A basic one.
#[plan(id = "9b0d5c1e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "basic")]
struct Moved;

impl Provision<Moved> for Heir {
    type State = ();

    async fn provision(&self, _: New<Moved>, _: &Work) -> Result<Provisioned, ProvisionError> {
        Ok(Provisioned::new(()))
    }

    async fn deprovision(&self, _: Remains<Moved>, _: &Work) -> Result<(), DeprovisionError> {
        Ok(())
    }
}

#[broker]
struct HeirsBroker(Heir);

#[tokio::test]
async fn a_live_service_that_is_not_known_stops_the_start() {
    let kept = Kept::new();
    let first = Release::first(&kept).await;
    is(&first.provision("i", BASIC, json!({})).await, 201);
    is(&first.provision("j", PLUS, json!({})).await, 201);
    drop(first);
    let both = "bring both back, or delete them with the release that knew them";
    let without = |plan, moved| {
        format!(
            "the records have 1 instance of plan {plan} of service {STORES}, which the broker does not have any \
             more{moved}; {both}"
        )
    };
    let moved = " (the plan is now one of service \"heir\")";
    assert_eq!(kept.refused(HeirsBroker(Heir)).await, [without(BASIC, moved), without(PLUS, "")]);
}

#[tokio::test]
async fn an_instance_that_is_being_moved_is_of_two_plans() {
    let (kept, lab) = (Kept::new(), Lab::default());
    let today = kept.serve(LabBroker { lab: lab.clone() }).await;
    assert_eq!(today.put(I, new(ids::SMALL, json!({}))).await.status, 201);
    let change = json!({ "service_id": ids::LAB, "plan_id": ids::LARGE, "parameters": { "mood": "wait" } });
    assert_eq!(today.patch(&format!("{I}?accepts_incomplete=true"), change).await.status, 202);
    let problems = kept.refused(YesterdaysBroker { lab: YesterdaysLab }).await;
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].starts_with(&format!("the records have 1 instance of plan {}", ids::LARGE)), "{problems:?}");
    lab.gate.open();
}

#[tokio::test]
async fn a_binding_that_only_another_release_can_unbind_is_not_forgotten() {
    let (kept, lab) = (Kept::new(), Lab::default());
    // Both are at work, as while one is being replaced by the other.
    let without = kept.serve(YesterdaysBroker { lab: YesterdaysLab }).await;
    let with = kept.serve(LabBroker { lab: lab.clone() }).await;
    is(&with.put(I, new(ids::SMALL, json!({}))).await, 201);
    is(&with.put(B, bind(ids::SMALL, json!({}))).await, 201);
    for path in [B, I] {
        is(&without.delete(&format!("{path}?{DELETE}")).await, 500);
        is(&with.get(I).await, 200);
        assert_eq!(lab.inventory().len(), 2, "{:?}", lab.inventory());
    }
    for path in [B, I] {
        is(&with.delete(&format!("{path}?{DELETE}")).await, 200);
    }
    assert!(lab.inventory().is_empty());
}
