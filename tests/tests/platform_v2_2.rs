//! The Cloud Foundry service broker API 2.2 (2014), played by its Cloud Controller.
//!
//! The oldest version served: everything is synchronous, and there are no parameters, no updates, no polls and no codes of
//! errors. Every binding is of an application, which is named at the top of the body. Every answer is a JSON object.

use osb_lab::{
    lab::{Lab, LabBroker, Mood, ids},
    platform::{APP, Session, V2_2, only},
    wire::{AUTHORIZATION, Wire},
    yesterday::{Lab as YesterdaysLab, YesterdaysBroker},
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

/// Section "API Version Header".
#[tokio::test]
async fn the_version_is_told_and_refused_with_both_versions() {
    let (cc, _) = session().await;
    for spelling in ["X-Broker-Api-Version", "X-Broker-API-Version", "x-broker-api-version", "X-BROKER-API-VERSION"] {
        let headers = [("Authorization", AUTHORIZATION), (spelling, "2.2")];
        assert_eq!(cc.wire.exchange("GET", "/v2/catalog", &headers, None).await.status, 200, "S01: {spelling}");
    }
    for (sent, status) in
        [("2.2", 200), ("2.9", 200), ("2.10", 200), ("2.99", 200), ("2.1", 412), ("1.0", 412), ("3.0", 412)]
    {
        let headers = [("Authorization", AUTHORIZATION), ("X-Broker-Api-Version", sent)];
        let reply = cc.wire.exchange("GET", "/v2/catalog", &headers, None).await;
        assert_eq!(reply.status, status, "HDR-01, G4, T40: {sent}");
        if status == 412 {
            assert!(only(&reply.body, &["description"]), "S04, G5: {reply:?}");
            let told = reply.description();
            assert!(told.contains(sent) && told.contains("2.2 to 2.17"), "S03: the actual and the required: {told}");
        }
    }
}

/// The same section says that every request has the header; examples of later documents lack it.
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

/// Section "Authentication".
#[tokio::test]
async fn whoever_may_not_ask_is_told_401() {
    let (cc, _) = session().await;
    for authorization in [None, Some("Basic dXNlcjp3cm9uZw=="), Some("Bearer dXNlcjpwYXNz"), Some("Basic")] {
        let mut headers = vec![("X-Broker-Api-Version", "2.2")];
        headers.extend(authorization.map(|value| ("Authorization", value)));
        for path in ["/v2/catalog", "/v2/service_instances/i?service_id=s&plan_id=p"] {
            let method = if path == "/v2/catalog" { "GET" } else { "DELETE" };
            let reply = cc.wire.exchange(method, path, &headers, None).await;
            assert_eq!(reply.status, 401, "AUTH-01: {authorization:?}");
            assert!(!reply.description().is_empty() && only(&reply.body, &["description"]), "S04");
            assert!(reply.header("www-authenticate").is_some_and(|value| value.starts_with("Basic")), "AUTH-02, T58");
        }
    }
}

/// Section "Catalog Management".
#[tokio::test]
async fn the_catalog_has_what_is_required() {
    let (cc, _) = session().await;
    let catalog = cc.catalog().await;
    assert_eq!(catalog.status, 200, "CAT-01");
    let text = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
    let name = |value: &Value| {
        value
            .as_str()
            .is_some_and(|name| name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'))
    };
    let guid = |value: &Value| value.as_str().is_some_and(|id| id.len() == 36 && id.split('-').count() == 5);
    let mut seen = Vec::new();
    for service in catalog.body["services"].as_array().expect("CAT-01: services") {
        assert!(guid(&service["id"]) && text(&service["description"]), "S30, CAT-11, CAT-12");
        assert!(name(&service["name"]), "S31: all lowercase, no spaces");
        assert!(service["bindable"].is_boolean(), "CAT-15");
        seen.push(service["id"].clone());
        for permission in service["requires"].as_array().into_iter().flatten() {
            let known = ["syslog_drain", "route_forwarding", "volume_mount"];
            assert!(permission.as_str().is_some_and(|permission| known.contains(&permission)), "S25, CAT-14");
        }
        for plan in service["plans"].as_array().expect("CAT-22: plans") {
            assert!(guid(&plan["id"]) && name(&plan["name"]) && text(&plan["description"]), "S30, S31, CAT-30 to 32");
            assert!(plan["free"].is_boolean(), "CAT-34");
            seen.push(plan["id"].clone());
        }
    }
    let all = seen.len();
    seen.sort_by_key(Value::to_string);
    seen.dedup();
    assert_eq!(seen.len(), all, "S30: an id is of one thing only");
}

/// The same section: a plan that is gone from the catalog is inactive, and its instances live on.
#[tokio::test]
async fn instances_outlive_their_plan() {
    let settings = Settings::default();
    let yesterday = Wire::serve_with(YesterdaysBroker { lab: YesterdaysLab }, settings.clone()).await;
    let yesterday = Session::over(V2_2, ids::LAB, yesterday);
    assert_eq!(yesterday.create("i", ids::OLD, none()).await.status, 201);

    let today = Wire::serve_with(LabBroker { lab: Lab::default() }, settings).await;
    let today = Session::over(V2_2, ids::LAB, today);
    let catalog = today.catalog().await;
    let plans = catalog.body["services"][0]["plans"].as_array().expect("plans");
    assert!(plans.iter().all(|plan| plan["id"] != ids::OLD), "S37: no longer in the marketplace");
    assert_eq!(today.create("j", ids::OLD, none()).await.status, 400, "S37: nor provisionable");
    assert_eq!(today.create("i", ids::OLD, none()).await.status, 200, "S37: what there is, is there");
    let gone = today.delete("i", ids::OLD).await;
    assert_eq!((gone.status, gone.body), (200, json!({})), "S37, T49");
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

/// The same section: whatever the status, there is a JSON object.
#[tokio::test]
async fn every_body_is_an_object() {
    let (cc, _) = session().await;
    let headers = [("Authorization", AUTHORIZATION), ("X-Broker-Api-Version", "2.2")];
    for (method, path, status) in [
        ("GET", "/v2/nothing", 404),
        ("GET", "/", 404),
        ("POST", "/v2/catalog", 405),
        ("PUT", "/v2/service_instances/i", 400),
        ("PUT", "/v2/service_instances/i/service_bindings/b", 400),
        ("PUT", "/v2/service_instances/%ff", 400),
    ] {
        let reply = cc.wire.exchange(method, path, &headers, None).await;
        assert_eq!(reply.status, status, "{method} {path}");
        assert!(only(&reply.body, &["description"]) && !reply.description().is_empty(), "S04, G5: {reply:?}");
    }
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
