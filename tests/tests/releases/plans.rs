//! Plans that were retired, or removed while in use.

use osb_lab::{
    prelude::*,
    previous_release::{Lab as PreviousLab, PreviousBroker},
    releases::ids::{BASIC, LEGACY, PLUS, STORES},
};
use osb_runtime::prelude::*;

use crate::{B, I, Kept, Release, is};

pub(crate) async fn a_retired_plan_works_for_existing_instances(kept: Kept) {
    let first = Release::first(&kept).await;
    for id in ["i", "j"] {
        is(&first.provision(id, LEGACY, json!({ "size": 20 })).await, 201);
    }
    is(&first.bind("j", LEGACY, json!({})).await, 201);
    first.end().await;

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

pub(crate) async fn an_unknown_plan_in_use_prevents_the_start(kept: Kept) {
    let today = kept.serve(LabBroker { lab: Lab::default() }).await;
    for (id, plan) in [("a", ids::SMALL), ("b", ids::TWIN), ("c", ids::TWIN), ("d", ids::CLOSED)] {
        assert_eq!(today.put(&instance(id), new(plan, json!({}))).await.status, 201);
    }
    assert_eq!(today.put(&binding("a", "x"), bind(ids::SMALL, json!({}))).await.status, 201);
    assert_eq!(today.put(&binding("b", "x"), bind(ids::TWIN, json!({}))).await.status, 201);
    assert_eq!(today.put(&instance("e"), new(ids::QUICK, json!({}))).await.status, 201);
    assert_eq!(today.delete(&format!("{}?{DELETE}", instance("e"))).await.status, 200);
    today.end().await;
    let problems = kept.refused(PreviousBroker { lab: PreviousLab }).await;
    assert_eq!(
        problems,
        [
            "the records have 1 binding of plan \"small\" (6f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a02) of service \"lab\", \
             which isn't bindable in this release, so they could not be unbound; make the plan bindable (a `retired` plan can \
             be), or unbind them with a release in which it is",
            "the records have 1 instance of plan 6f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a04, which service \"lab\" doesn't \
             have in this release; restore the plan (`retired` accepts no new instances), or delete them with a release that \
             has it",
            "the records have 2 instances and 1 binding of plan 6f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a06, which service \"lab\" \
             doesn't have in this release; restore the plan (`retired` accepts no new instances), or delete them with a \
             release that has it",
        ],
        "tombstones use no plan"
    );

    let again = kept.serve(LabBroker { lab: Lab::default() }).await;
    for path in [binding("a", "x"), instance("b"), instance("c"), instance("d")] {
        assert_eq!(again.delete(&format!("{path}?{DELETE}")).await.status, 200);
    }
    again.end().await;
    assert_eq!(kept.refused(PreviousBroker { lab: PreviousLab }).await, [""; 0]);
}

/// A service with a plan that belonged to another service.
#[service(id = "9b0d5c1e-54a5-4a3c-9e0a-6b1c4f6f5a11", name = "heir", plans(Moved))]
struct Heir;

/// A basic one.
#[plan(id = "9b0d5c1e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "basic")]
struct Moved;

osb_lab::provision_nothing!(Heir);

#[broker]
struct HeirsBroker(Heir);

pub(crate) async fn an_unknown_service_in_use_prevents_the_start(kept: Kept) {
    let first = Release::first(&kept).await;
    is(&first.provision("i", BASIC, json!({})).await, 201);
    is(&first.provision("j", PLUS, json!({})).await, 201);
    first.end().await;
    let both = "restore both, or delete them with a release that has them; if they are of another broker, give this one a store or a \
                schema of its own";
    let without = |plan, moved| {
        format!(
            "the records have 1 instance of plan {plan} of service {STORES}, which this release doesn't \
             have{moved}; {both}"
        )
    };
    let moved = " (the plan is now one of service \"heir\")";
    assert_eq!(kept.refused(HeirsBroker(Heir)).await, [without(BASIC, moved), without(PLUS, "")]);
}

pub(crate) async fn during_a_plan_change_both_plans_are_in_use(kept: Kept) {
    let lab = Lab::default();
    let today = kept.serve(LabBroker { lab: lab.clone() }).await;
    assert_eq!(today.put(I, new(ids::SMALL, json!({}))).await.status, 201);
    let change = json!({ "service_id": ids::LAB, "plan_id": ids::LARGE, "parameters": { "mood": "wait" } });
    assert_eq!(today.patch(&accepting(I), change).await.status, 202);
    let problems = kept.refused(PreviousBroker { lab: PreviousLab }).await;
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].starts_with(&format!("the records have 1 instance of plan {}", ids::LARGE)), "{problems:?}");
    lab.gate.open();
}

pub(crate) async fn a_binding_that_only_another_release_can_unbind_is_kept(kept: Kept) {
    let lab = Lab::default();
    // Both releases run, as during a rolling upgrade.
    let without = kept.serve(PreviousBroker { lab: PreviousLab }).await;
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
