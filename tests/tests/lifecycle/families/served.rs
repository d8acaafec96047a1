//! Plans of a family over the wire.

use std::collections::BTreeMap;

use osb_check::Checker;
use osb_client::Client;
use osb_lab::prelude::*;
use osb_runtime::{catalog::Overrides, prelude::*};
use osb_testing::{Replay, assert_states_decode_with, save_states};

use super::{Broker, DB, Databases, LARGE, SMALL, TRIAL, create, deployment, large, plans, small, start};

#[tokio::test]
async fn handlers_get_the_values_of_the_plan() {
    let databases = Databases::default();
    let wire = Wire::serve_with(Broker { databases: databases.clone() }, deployment()).await;
    let calls = || databases.calls.take();
    let query = |plan: &str| format!("?service_id={DB}&plan_id={plan}");

    assert_eq!(wire.put(&instance("i"), create(SMALL, json!({ "connections": 80 }))).await.status, 201);
    assert_eq!(calls(), ["provision small 10"]);
    let body = json!({ "service_id": DB, "parameters": { "log": true } });
    assert_eq!(wire.patch(&instance("i"), body).await.status, 200);
    assert_eq!(calls(), ["update small 10"]);
    let body = json!({ "service_id": DB, "plan_id": SMALL });
    assert_eq!(wire.put(&binding("i", "b"), body).await.status, 201);
    assert_eq!(wire.delete(&format!("{}{}", binding("i", "b"), query(SMALL))).await.status, 200);
    assert_eq!(calls(), ["bind small 10", "unbind small 10"]);

    let to = |plan: &str, parameters: Value| json!({ "service_id": DB, "plan_id": plan, "parameters": parameters });
    let refused = wire.patch(&instance("i"), to(LARGE, json!({}))).await;
    assert_eq!(refused.status, 422, "UPD-14: 80 connections are more than the plan allows: {refused:?}");
    assert_eq!(wire.patch(&instance("i"), to(LARGE, json!({ "connections": 20 }))).await.status, 200);
    assert_eq!(calls(), ["from small 10", "to large 1000"]);
    let refused = wire.patch(&instance("i"), to(TRIAL, json!({}))).await.has_status(422);
    assert_eq!(refused.description(), "Plan \"large\" cannot be changed to \"trial\". It can be changed to \"small\".");

    assert_eq!(wire.put(&instance("t"), create(TRIAL, json!({}))).await.status, 201);
    assert_eq!(wire.patch(&instance("t"), to(LARGE, json!({}))).await.status, 200);
    assert_eq!(calls(), ["provision trial 0", "from trial 0", "to large 1000"]);
    assert_eq!(wire.delete(&format!("{}{}", instance("t"), query(LARGE))).await.status, 200);
    assert_eq!(calls(), ["deprovision large 1000"]);
}

#[tokio::test]
async fn the_catalog_has_the_plans_of_the_deployment() {
    let wire = Wire::serve_with(Broker { databases: Databases::default() }, deployment()).await;
    let reply = wire.get("/v2/catalog").await;
    let plans = &reply.body["services"][0]["plans"];
    let names: Vec<_> = plans.as_array().into_iter().flatten().map(|plan| plan["name"].as_str()).collect();
    assert_eq!(names, [Some("trial"), Some("large"), Some("small")]);
    let plan = |at: usize| {
        let mut plan = plans[at].clone();
        plan.as_object_mut().and_then(|plan| plan.remove("schemas")).expect("it has schemas");
        plan
    };
    assert_eq!(
        plan(1),
        json!({
            "id": LARGE,
            "name": "large",
            "description": "For production.",
            "metadata": {
                "bullets": ["Backups"],
                "vendor": "Example",
                "displayName": "Large",
                "costs": [{ "amount": { "usd": 99.0 }, "unit": "MONTHLY" }],
            },
            "free": false,
            "bindable": true,
            "binding_rotatable": false,
            "plan_updateable": true,
            "acme:zone": "a",
        })
    );
    assert_eq!(
        plan(2),
        json!({
            "id": SMALL,
            "name": "small",
            "description": "A database of a size.",
            "metadata": { "bullets": ["Backups"], "vendor": "Example" },
            "free": false,
            "bindable": true,
            "binding_rotatable": false,
            "plan_updateable": true,
            "acme:zone": "a",
        })
    );
    let connections = |at: usize, operation: &str| {
        let schema = &plans[at]["schemas"]["service_instance"][operation]["parameters"];
        assert!(jsonschema::draft4::meta::is_valid(schema), "{schema}");
        let connections = &schema["properties"]["connections"];
        (connections["minimum"].clone(), connections["maximum"].clone())
    };
    for operation in ["create", "update"] {
        assert_eq!(connections(1, operation), (json!(5), json!(50)));
        assert_eq!(connections(2, operation), (json!(1), json!(100)));
    }
    let refused = wire.put(&instance("i"), create(LARGE, json!({ "connections": 51 }))).await;
    assert_eq!((refused.status, refused.description().contains("/connections")), (400, true), "{refused:?}");
    assert_eq!(wire.put(&instance("i"), create("sized", json!({}))).await.status, 400, "a family is no plan");
}

/// UPD-07: an update that allows less than the plan still does, and it has some entries of a map only.
#[tokio::test]
async fn narrower_bounds_of_a_plan_widen_no_update() {
    #[broker]
    struct Queues(Queue);

    /// A queue.
    #[service(id = "7d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5c01", name = "queue", plans(OfLength))]
    struct Queue;

    /// A queue of a length.
    #[plan(family = NoParameters, name = "of-length", create = NewQueue, update = QueueChanges)]
    struct OfLength;

    /// The parameters of a queue.
    #[parameters]
    struct NewQueue {
        /// Messages.
        #[param(range(min = 1, max = 100))]
        length: u32,
        /// Labels.
        labels: BTreeMap<String, String>,
    }

    /// Changes of a queue, which can't become very short or long.
    #[parameters]
    struct QueueChanges {
        /// Messages.
        #[param(range(min = 10, max = 50))]
        length: Option<u32>,
        /// Labels.
        labels: Option<BTreeMap<String, String>>,
    }

    osb_lab::provision_nothing!(Queue);
    osb_lab::update_nothing!(Queue: OfLength);

    let (service, plan) = ("7d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5c01", "7d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5c02");
    let narrow = json!({ "length": { "min": 5, "max": 40 }, "labels": { "min": 2 } });
    let listed = json!({ "family": "of-length", "id": plan, "narrow": narrow });
    let mut settings = Settings::default();
    settings.overrides = Overrides::from(json!({ "services": { "queue": { "plans": { "short": listed } } } }));
    let wire = Wire::serve_with(Queues(Queue), settings).await;
    let catalog = wire.get("/v2/catalog").await.body;
    let length = |operation: &str| {
        let schema = &catalog["services"][0]["plans"][0]["schemas"]["service_instance"][operation]["parameters"];
        let length = &schema["properties"]["length"];
        [length["minimum"].clone(), length["maximum"].clone()]
    };
    assert_eq!((length("create"), length("update")), ([json!(5), json!(40)], [json!(10), json!(40)]));

    let parameters = json!({ "length": 6, "labels": { "a": "1", "b": "1" } });
    assert_eq!(wire.put(&instance("i"), new_of(service, plan, parameters)).await.status, 201);
    let patch = async |changes: Value| {
        let body = json!({ "service_id": service, "plan_id": plan, "parameters": changes });
        wire.patch(&instance("i"), body).await.status
    };
    assert_eq!(patch(json!({ "labels": { "a": "2" } })).await, 200);
    assert_eq!(patch(json!({ "length": 9 })).await, 400);
    assert_eq!(patch(json!({ "length": 41 })).await, 400);
}

#[tokio::test]
async fn cat_34_a_plan_of_the_deployment_can_be_free() {
    let mut free = small();
    free["free"] = true.into();
    let wire = Wire::serve_with(Broker { databases: Databases::default() }, plans(json!({ "gratis": free }))).await;
    let plans = wire.get("/v2/catalog").await.body["services"][0]["plans"].clone();
    assert_eq!((&plans[1]["name"], &plans[1]["free"]), (&json!("gratis"), &json!(true)), "{plans}");
}

#[test]
fn the_page_of_a_running_broker_has_only_what_can_be_ordered() {
    let described = osb_docs::html_of(Broker::OFFERINGS);
    assert!(described.contains("trial") && described.contains("sized"), "{described}");
    let page = osb_docs::page(Broker::OFFERINGS).html;
    assert!(page.contains("trial") && !page.contains("sized"), "{page}");
}

#[tokio::test]
async fn a_plan_with_instances_cant_vanish() {
    let settings = deployment();
    let wire = Wire::serve_with(Broker { databases: Databases::default() }, settings.clone()).await;
    for id in ["a", "b"] {
        assert_eq!(wire.put(&instance(id), create(LARGE, json!({}))).await.status, 201);
    }
    let body = json!({ "service_id": DB, "plan_id": LARGE });
    assert_eq!(wire.put(&binding("a", "b"), body).await.status, 201);
    wire.end().await;

    let store = settings.store;
    let mut without = plans(json!({ "small": small() }));
    without.store = store.clone();
    let problems = start(without).await.expect_err("two instances have no plan");
    assert_eq!(
        problems.problems(),
        [format!(
            "the records have 2 instances and 1 binding of plan {LARGE}, which service \"db\" doesn't have in this release; restore the plan, \
             in the file of catalog overrides (`hidden = true` accepts no new instances) or in the program (`retired`), or \
             delete them with a release that has it"
        )]
    );

    let mut hidden = large();
    hidden["hidden"] = json!(true);
    let mut hiding = plans(json!({ "large": hidden }));
    hiding.store = store;
    let databases = Databases::default();
    let wire = Wire::serve_with(Broker { databases: databases.clone() }, hiding).await;
    assert_eq!(wire.put(&instance("c"), create(LARGE, json!({}))).await.status, 400);
    wire.delete(&format!("{}?service_id={DB}&plan_id={LARGE}", instance("b"))).await.has_status(200);
    assert_eq!(databases.calls.take(), ["deprovision large 1000"]);
    assert_eq!(wire.get("/v2/catalog").await.body["services"][0]["plans"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn a_broker_with_families_conforms() {
    let service = start(deployment()).await.expect("it starts");
    let report = Checker::new(Client::over(service).basic("user", "pass")).run().await.expect("a catalog");
    assert!(report.is_clean() && report.findings.is_empty(), "{report}");
    assert!(report.requests > 400, "too few requests for three plans: {report}");
}

#[tokio::test]
async fn stored_states_of_plans_of_a_family_can_be_checked() {
    let settings = deployment();
    let records = settings.store.clone();
    let wire = Wire::serve_with(Broker { databases: Databases::default() }, settings).await;
    assert_eq!(wire.put(&instance("i"), create(SMALL, json!({}))).await.status, 201);
    let folder = tempfile::tempdir().expect("a temporary folder is created");
    let file = folder.path().join("states.json");
    save_states(&records, &file).await;
    assert_states_decode_with::<Broker>(&file, &deployment().overrides);
}

#[tokio::test]
async fn handlers_for_plans_of_a_family_are_played() {
    let databases = Databases::default();
    let played = databases.clone();
    let overrides = json!({ "services": { "db": { "plans": { "small": small(), "large": large() } } } });
    Replay::of(move || {
        let databases = played.clone();
        async move { Broker { databases } }
    })
    .overrides(Overrides::from(overrides))
    .run()
    .await;
    let calls = databases.calls.take();
    for call in ["provision large 1000", "from small 10", "to large 1000", "from large 1000", "to small 10"] {
        assert!(calls.iter().any(|played| played == call), "{call}");
    }
}
