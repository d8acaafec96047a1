//! The Cloud Foundry service broker API 2.2 (2014), played by its Cloud Controller.
//!
//! The oldest version served: everything is synchronous, and there are no parameters, no updates, no polls and no codes of
//! errors. Every binding is of an application, which is named at the top of the body. Every answer is a JSON object.

use osb_lab::{
    lab::{Lab, LabBroker, Mood, ids},
    platform::{APP, Session, V2_2, only},
    promises,
    wire::{AUTHORIZATION, Wire},
};
use osb_runtime::{
    http::{HttpSettings, MissingVersion},
    lifecycle::Settings,
};
use serde_json::{Value, json};

async fn session() -> (Session, Lab) {
    Session::with_lab(V2_2).await
}

fn none() -> Value {
    json!({})
}

/// Section "API Version Header" says that every request has it; examples of later documents lack it.
#[tokio::test]
async fn a_request_without_version_is_met_as_the_operator_decides() {
    for (missing_version, status) in
        [(MissingVersion::Refuse400, 400), (MissingVersion::Refuse412, 412), (MissingVersion::AssumeOldest, 200)]
    {
        let mut http = HttpSettings::default();
        http.missing_version = missing_version;
        let wire = Wire::serve_http(LabBroker { lab: Lab::default() }, http, Settings::default()).await;
        let reply = wire.exchange("GET", "/v2/catalog", &[("Authorization", AUTHORIZATION)], None).await;
        assert_eq!(reply.status, status, "S02");
        assert!(status == 200 || reply.description().contains("X-Broker-API-Version"), "S02: {reply:?}");
    }
}

/// Section "Provisioning".
#[tokio::test]
async fn an_instance_is_created_before_the_answer() {
    let (cc, lab) = session().await;
    let created = cc.create("i", ids::SMALL, none()).await;
    assert_eq!(created.status, 201, "PROV-10");
    assert_eq!(created.body["dashboard_url"], "https://lab.example.com/i", "PROV-16: it identifies the resource");
    assert_eq!(lab.inventory(), ["i=smallx1"], "S08: it is there with the answer");

    let again = cc.create("i", ids::SMALL, none()).await;
    assert_eq!((again.status, &again.body), (200, &created.body), "S07, PROV-11: the same once more");
    assert_eq!(lab.calls(), 1);
    for (plan, fields) in [(ids::LARGE, none()), (ids::SMALL, json!({ "space_guid": "another" }))] {
        let other = cc.create("i", plan, fields).await;
        assert_eq!(other.status, 409, "S07, PROV-14");
        assert!(only(&other.body, &["description"]), "S05: `{{}}`, or a description: {other:?}");
    }
}

/// There are no parameters: what has to be decided has defaults. There is no 202 either.
#[tokio::test]
async fn what_can_only_be_asynchronous_is_refused() {
    let (cc, lab) = session().await;
    let refused = cc.create("i", ids::SLOW, none()).await;
    assert_eq!((refused.status, &refused.body["error"]), (422, &json!("AsyncRequired")), "S08, G3");
    assert_eq!(lab.inventory(), [""; 0], "ERR-08");
    let gone = cc.delete("i", ids::SLOW).await;
    assert_eq!(gone.status, 410, "S08: nothing has been created");
    assert_eq!(cc.create("i", ids::QUICK, none()).await.status, 201, "the id is still free");
}

#[tokio::test]
async fn what_is_wrong_with_a_new_instance_is_described() {
    let (cc, lab) = session().await;
    for name in ["service_id", "plan_id", "organization_guid", "space_guid"] {
        let reply = cc.create("i", ids::SMALL, json!({ name: null })).await;
        assert_eq!(reply.status, 400, "ERR-12: {name}");
        assert!(reply.description().contains(name), "{reply:?}");
        assert_eq!(cc.create("i", ids::SMALL, json!({ name: "" })).await.status, 400, "ERR-12: {name}");
    }
    for (name, field) in [("service_id", "no-service"), ("plan_id", "no-plan")] {
        assert_eq!(cc.create("i", ids::SMALL, json!({ name: field })).await.status, 400, "PROV-03, PROV-04");
    }
    assert_eq!(lab.calls(), 0, "ERR-08");
    let unknown = cc.create("i", ids::SMALL, json!({ "new_in_a_later_version": { "any": [1] } })).await;
    assert_eq!(unknown.status, 201, "EXT-01, change policy: what is not known is ignored");
}

/// Section "Binding".
#[tokio::test]
async fn an_application_is_bound() {
    let (cc, lab) = session().await;
    cc.create("i", ids::SMALL, none()).await;
    let bound = cc.bind("i", "b", ids::SMALL, none()).await;
    let credentials = json!({ "credentials": { "user": "b", "password": "password of b" } });
    assert_eq!((bound.status, &bound.body), (201, &credentials), "BIND-07, BIND-16");
    let again = cc.bind("i", "b", ids::SMALL, none()).await;
    assert_eq!((again.status, &again.body), (200, &credentials), "S07, BIND-08");
    let other = cc.bind("i", "b", ids::SMALL, json!({ "app_guid": "another" })).await;
    assert_eq!(other.status, 409, "S07, BIND-11");
    assert!(only(&other.body, &["description"]), "S05: {other:?}");
    let another = cc.bind("i", "c", ids::SMALL, json!({ "app_guid": "another" })).await;
    assert_ne!(another.body["credentials"], bound.body["credentials"], "BIND-16: unique for each application");

    let gone = cc.unbind("i", "b", ids::SMALL).await;
    assert_eq!((gone.status, gone.body), (200, json!({})), "UNB-03");
    assert_eq!(lab.inventory(), ["c=key", "i=smallx1"], "UNB-01: the other one's access is not revoked");
    assert_eq!(cc.unbind("i", "b", ids::SMALL).await.status, 410, "S06, UNB-03");
}

/// The same section, "Application Log Streaming".
#[tokio::test]
async fn the_logs_of_an_application_are_drained() {
    let (cc, _) = session().await;
    let catalog = cc.catalog().await;
    let requires = &catalog.body["services"][0]["requires"];
    assert!(requires.as_array().is_some_and(|list| list.contains(&json!("syslog_drain"))), "S25, BIND-18");
    cc.create("i", ids::LARGE, none()).await;
    let bound = cc.bind("i", "b", ids::LARGE, none()).await;
    assert_eq!(bound.status, 201, "S09: the application is named at the top");
    assert_eq!(bound.body["syslog_drain_url"], format!("syslog://lab.example.com/{APP}"), "S33, BIND-18");
    let keyless = cc.bind("i", "c", ids::LARGE, json!({ "app_guid": null })).await;
    assert_eq!(keyless.status, 422, "S09: and has to be, by this plan");
}

/// The same section: any other status than 200, 201 and 409 is followed by an unbind.
#[tokio::test]
async fn a_failed_bind_is_followed_by_an_unbind() {
    let (cc, lab) = session().await;
    for (plan, why) in [(ids::SMALL, "no instance"), (ids::CLOSED, "not bindable")] {
        if plan == ids::CLOSED {
            cc.create("i", plan, none()).await;
        }
        let failed = cc.bind("i", "b", plan, none()).await;
        assert!(failed.status >= 400, "{why}");
        assert_ne!(failed.status, 410, "T20: it would not be taken for a refusal: {why}");
        for _ in 0..2 {
            assert_eq!(cc.unbind("i", "b", plan).await.status, 410, "S10: {why}");
        }
    }
    assert_eq!(lab.inventory(), ["i=closed"]);
}

/// Section "Unbinding" and "Deprovisioning": the service and the plan are hints.
#[tokio::test]
async fn what_is_deleted_is_named_by_its_id() {
    let (cc, lab) = session().await;
    cc.create("i", ids::SMALL, none()).await;
    cc.bind("i", "b", ids::SMALL, none()).await;
    for query in ["", "?service_id=s", "?plan_id=p", "?service_id=&plan_id="] {
        for path in ["/v2/service_instances/i", "/v2/service_instances/i/service_bindings/b"] {
            let headers = [("Authorization", AUTHORIZATION), ("X-Broker-Api-Version", "2.2")];
            let reply = cc.wire.exchange("DELETE", &format!("{path}{query}"), &headers, None).await;
            assert_eq!(reply.status, 400, "S38, UNB-02, DEP-03: {path}{query}");
        }
    }
    assert_eq!(cc.unbind("i", "b", ids::LARGE).await.status, 200, "S38, T21: a stale plan is no reason to refuse");
    let gone = cc.delete("i", "no-longer-in-the-catalog").await;
    assert_eq!((gone.status, gone.body), (200, json!({})), "S38, DEP-04");
    assert!(lab.inventory().is_empty(), "DEP-01");
    assert_eq!(cc.delete("i", ids::SMALL).await.status, 410, "S06, DEP-04");
    assert_eq!(cc.create("i", ids::SMALL, none()).await.status, 201, "resources are reclaimed");
}

/// Section "Broker Errors": what fails says why, and stays in the platform's database.
#[tokio::test]
async fn what_cannot_be_deleted_stays() {
    let (cc, lab) = session().await;
    cc.create("i", ids::SMALL, none()).await;
    cc.bind("i", "b", ids::SMALL, none()).await;
    for (mood, status) in [(Mood::Fail, 500), (Mood::Refuse, 422), (Mood::Panic, 500)] {
        lab.deletions_go(mood);
        let failed = cc.unbind("i", "b", ids::SMALL).await;
        assert_eq!(failed.status, status, "{mood:?}");
        assert!(only(&failed.body, &["description"]), "G6: {failed:?}");
        assert!(!failed.description().contains("secret reason"), "{failed:?}");
    }
    assert_eq!(lab.inventory(), ["b=key", "i=smallx1"]);
    lab.deletions_go(Mood::Succeed);
    assert_eq!(cc.unbind("i", "b", ids::SMALL).await.status, 200);

    lab.deletions_go(Mood::Refuse);
    let refused = cc.delete("i", ids::SMALL).await;
    assert_eq!((refused.status, refused.description()), (422, "It sticks."), "the message is forwarded");
    lab.deletions_go(Mood::Fail);
    assert_eq!(cc.delete("i", ids::SMALL).await.status, 500);
    lab.deletions_go(Mood::Succeed);
    assert_eq!(cc.delete("i", ids::SMALL).await.status, 200);
}

/// Section "Orphans": what the platform has given up on is deleted, whether or not it is there.
#[tokio::test]
async fn a_request_that_was_given_up_leaves_no_orphan() {
    let (cc, lab) = session().await;
    assert_eq!(cc.delete("never-heard-of", ids::SMALL).await.status, 410, "ORP-02");
    let hasty = {
        let cc = cc.clone();
        tokio::spawn(async move { cc.create("i", ids::SMALL, none()).await })
    };
    while lab.calls() == 0 {
        tokio::task::yield_now().await;
    }
    // The platform hangs up while the handler runs, or just after it.
    hasty.abort();
    assert_eq!(cc.delete("i", ids::SMALL).await.status, 200, "ORP-02, T18");
    assert_eq!(cc.delete("i", ids::SMALL).await.status, 410, "ORP-01");
    assert!(lab.inventory().is_empty(), "ORP-01");
}

/// S01, S03: section "API Version Header".
#[tokio::test]
async fn versions_are_read_and_refused() {
    promises::versions(V2_2).await;
}

/// AUTH-01: section "Authentication".
#[tokio::test]
async fn whoever_may_not_ask_is_told_401() {
    promises::credentials(V2_2).await;
}

/// S25, S30, S31: section "Catalog Management".
#[tokio::test]
async fn the_catalog_has_what_is_required() {
    promises::catalog(V2_2).await;
}

/// S37, T49: what becomes of a plan that is no longer in the catalog.
#[tokio::test]
async fn instances_outlive_their_plan() {
    promises::retired_plans(V2_2).await;
}

/// S04, G5: every section's "Body".
#[tokio::test]
async fn every_body_is_an_object() {
    promises::objects(V2_2).await;
}
