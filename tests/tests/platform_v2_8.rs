//! The Cloud Foundry service broker API 2.8 (December 2015), played by its Cloud Controller.
//!
//! Instances may be asynchronous, with codes of errors and the exact sentences that go with them; bindings may not. The table
//! of fields lists `accepts_incomplete` in the body, the table of statuses shows it in the query: both are played. Polls say
//! nothing but the instance's id. An application is named twice, in `app_guid` and in `bind_resource`; routes come new.

use osb_lab::{
    crossing::{Crossing, CrossingBroker, ids as crossing},
    lab::ids,
    platform::{APP, Incomplete, Platform, Session, V2_8, only},
    promises,
    wire::{AUTHORIZATION, Wire},
};
use osb_runtime::{
    http::{HttpSettings, MissingVersion},
    lifecycle::Settings,
    protocol::ApiVersion,
};
use serde_json::{Value, json};

/// The same, saying in the query that it can wait.
const IN_QUERY: Platform = Platform { incomplete: Incomplete::Query, ..V2_8 };
/// The same with a client that can't.
const HASTY: Platform = Platform { incomplete: Incomplete::Never, ..V2_8 };

fn none() -> Value {
    json!({})
}

fn parameters(parameters: Value) -> Value {
    json!({ "parameters": parameters })
}

fn async_required() -> Value {
    json!({
        "error": "AsyncRequired",
        "description": "This service plan requires client support for asynchronous service operations.",
    })
}

/// Sections "Provisioning", "Updating", "Deprovisioning", "Polling Last Operation", in the background.
#[tokio::test]
async fn an_instance_lives_in_the_background() {
    for platform in [V2_8, IN_QUERY] {
        let (cc, lab) = Session::with_lab(platform).await;
        let accepted = cc.create("i", ids::SLOW, parameters(json!({ "mood": "wait" }))).await;
        assert_eq!(accepted.status, 202, "S11, PROV-12: {:?}", platform.incomplete);
        assert_eq!(accepted.body["dashboard_url"], "https://lab.example.com/i", "S15, PROV-16");
        assert_eq!(cc.poll("i", ids::SLOW, &accepted).await.body["state"], "in progress");
        lab.gate.open();
        let told = cc.end("i", ids::SLOW, &accepted).await;
        assert_eq!((told.status, &told.body["state"]), (200, &json!("succeeded")));

        let accepted = cc.update("i", ids::SLOW, parameters(json!({ "mood": "dawdle", "size": 5 }))).await;
        assert_eq!(accepted.status, 202, "S11, UPD-12: {:?}", platform.incomplete);
        assert_eq!(cc.end("i", ids::SLOW, &accepted).await.body["state"], "succeeded");
        assert_eq!(lab.inventory(), ["i=slowx5"]);

        let accepted = cc.delete("i", ids::SLOW).await;
        assert_eq!(accepted.status, 202, "DEP-04");
        let told = cc.end("i", ids::SLOW, &accepted).await;
        assert_eq!((told.status, told.body), (410, none()), "S06, LOI-07");
        assert!(lab.inventory().is_empty());
    }
}

/// Section "Asynchronous Operations": the expected body of the rejection.
#[tokio::test]
async fn a_client_that_cannot_wait_gets_the_expected_body() {
    let (cc, lab) = Session::with_lab(V2_8).await;
    let accepted = cc.create("i", ids::SLOW, none()).await;
    cc.end("i", ids::SLOW, &accepted).await;
    let hasty = cc.speaking(HASTY);
    for rejected in [
        hasty.create("j", ids::SLOW, none()).await,
        hasty.create("j", ids::SLOW, json!({ "accepts_incomplete": false })).await,
        hasty.update("i", ids::SLOW, parameters(json!({ "size": 2 }))).await,
        hasty.delete("i", ids::SLOW).await,
    ] {
        assert_eq!((rejected.status, rejected.body), (422, async_required()), "S21");
    }
    assert_eq!(lab.inventory(), ["i=slowx1"], "ERR-08");
    assert_eq!(hasty.create("i", ids::SLOW, none()).await.status, 200, "T07: it is there already");
}

/// The field of the body counts for the documents that list it, and is never a reason to refuse.
#[tokio::test]
async fn the_field_of_the_body_counts_from_2_7_to_2_11() {
    let (cc, _) = Session::with_lab(V2_8).await;
    for (version, status) in [("2.6", 422), ("2.7", 202), ("2.11", 202), ("2.12", 422)] {
        let cc = cc.speaking(Platform { version, ..V2_8 });
        assert_eq!(cc.create(version, ids::SLOW, none()).await.status, status, "S11: {version}");
        let odd = cc.speaking(Platform { version, ..IN_QUERY });
        let fields = json!({ "accepts_incomplete": "what?", "parameters": { "size": 2 } });
        let reply = odd.create(&format!("odd-{version}"), ids::SLOW, fields).await;
        assert_eq!(reply.status, 202, "S11: the query decides: {version}");
    }
}

/// Section "Blocking Operations": the platform sends nothing that would be refused here.
#[tokio::test]
async fn what_would_disturb_is_refused() {
    let (cc, lab) = Session::with_lab(V2_8).await;
    let accepted = cc.create("i", ids::SLOW, parameters(json!({ "mood": "wait" }))).await;
    for busy in [cc.update("i", ids::SLOW, none()).await, cc.bind("i", "b", ids::SLOW, none()).await] {
        assert_eq!((busy.status, &busy.body["error"]), (422, &json!("ConcurrencyError")), "S20");
    }
    lab.gate.open();
    cc.end("i", ids::SLOW, &accepted).await;
}

/// Section "Provisioning": the synchronous answers.
#[tokio::test]
async fn the_statuses_of_a_new_instance() {
    let (cc, lab) = Session::with_lab(V2_8).await;
    let created = cc.create("i", ids::QUICK, parameters(json!({ "size": 2 }))).await;
    assert_eq!((created.status, &created.body["dashboard_url"]), (201, &json!("https://lab.example.com/i")));
    let again = cc.create("i", ids::QUICK, parameters(json!({ "size": 2 }))).await;
    assert_eq!((again.status, &again.body), (200, &created.body), "S07");
    let other = cc.create("i", ids::QUICK, parameters(json!({ "size": 3 }))).await;
    assert_eq!(other.status, 409, "S07");
    assert!(only(&other.body, &["description"]), "S05: {other:?}");
    let invalid = cc.create("j", ids::QUICK, parameters(json!({ "size": 65 }))).await;
    assert_eq!(invalid.status, 400, "PROV-07: brokers are responsible for validation");
    assert!(invalid.description().contains("/size"), "{invalid:?}");
    assert_eq!(lab.calls(), 1);
}

/// Section "Updating a Service Instance".
#[tokio::test]
async fn the_statuses_of_an_update() {
    let (cc, lab) = Session::with_lab(V2_8).await;
    let catalog = cc.catalog().await;
    let service = &catalog.body["services"][0];
    assert_eq!(service["plan_updateable"], json!(true), "S24: the only place that this platform looks at");
    assert_eq!(service["plans"][0]["plan_updateable"], json!(true), "S24");
    assert_eq!(service["plans"][1]["plan_updateable"], json!(false), "S24");

    cc.create("i", ids::SMALL, none()).await;
    let refused = cc.update("i", ids::SMALL, json!({ "plan_id": ids::CLOSED })).await;
    assert_eq!(refused.status, 422, "S23");
    assert!(refused.description().contains("large") && refused.body.get("error").is_none(), "UPD-02: {refused:?}");
    assert_eq!(lab.inventory(), ["i=smallx1"]);
    let changed = cc.update("i", ids::SMALL, json!({ "plan_id": ids::LARGE, "parameters": { "size": 4 } })).await;
    assert_eq!(changed.status, 200, "S23");
    assert_eq!(lab.inventory(), ["i=largex4"], "S23: the new plan is effective with the answer");

    for previous in [
        json!({ "plan_id": ids::SMALL, "service_id": ids::LAB, "organization_id": "moved", "space_id": "moved" }),
        json!({}),
        json!({ "plan_id": "" }),
    ] {
        let fields = json!({ "previous_values": previous, "plan_id": ids::LARGE });
        assert_eq!(cc.update("i", ids::LARGE, fields).await.status, 200, "S14, T39b: hints");
    }
    assert_eq!(cc.update("i", ids::LARGE, json!({ "service_id": null })).await.status, 400, "UPD-04");
    assert_eq!(cc.update("i", ids::LARGE, parameters(json!({ "size": 0 }))).await.status, 400, "UPD-07");
    let failed = cc.update("i", ids::LARGE, parameters(json!({ "mood": "fail" }))).await;
    assert_eq!(failed.status, 500);
    assert_eq!(lab.inventory(), ["i=largex4"], "S42");
}

/// Section "Binding", "Credentials": to an application, or as a service key.
#[tokio::test]
async fn an_application_is_bound_and_a_key_is_made() {
    let (cc, _) = Session::with_lab(V2_8).await;
    cc.create("i", ids::QUICK, none()).await;
    let bound = cc.bind("i", "b", ids::QUICK, parameters(json!({ "mood": "succeed" }))).await;
    assert_eq!((bound.status, &bound.body["credentials"]["user"]), (201, &json!("b")), "BIND-07");
    assert_eq!(cc.bind("i", "b", ids::QUICK, none()).await.status, 200, "S07");
    for place in ["app_guid", "bind_resource"] {
        assert_eq!(cc.bind("i", "b", ids::QUICK, json!({ place: null })).await.status, 200, "S09, T35: one is enough");
    }
    let key = cc.key("i", "k", ids::QUICK, none()).await;
    assert_eq!((key.status, &key.body["credentials"]["user"]), (201, &json!("k")), "S09: without application");
    let other = cc.key("i", "b", ids::QUICK, none()).await;
    assert_eq!(other.status, 409, "S07");
    assert!(only(&other.body, &["description"]), "S05: {other:?}");

    cc.create("l", ids::LARGE, none()).await;
    let refused = cc.key("l", "k", ids::LARGE, none()).await;
    let expected = json!({
        "error": "RequiresApp",
        "description": "This service supports generation of credentials through binding an application only.",
    });
    assert_eq!((refused.status, refused.body), (422, expected), "S21, S22");
    assert_eq!(cc.unbind("l", "k", ids::LARGE).await.status, 410, "S10");
    for fields in [json!({ "app_guid": null }), json!({ "bind_resource": null })] {
        cc.unbind("l", "b", ids::LARGE).await;
        assert_eq!(cc.bind("l", "b", ids::LARGE, fields).await.status, 201, "S09, T35");
    }
}

/// The examples of the section: neither version nor `Content-Type`, which makes a client say that it sends a form.
#[tokio::test]
async fn a_bind_may_say_nothing_of_itself() {
    let mut http = HttpSettings::default();
    (http.missing_version, http.minimum_version) = (MissingVersion::AssumeOldest, ApiVersion::new(2, 8));
    let wire = Wire::serve_http(CrossingBroker { crossing: Crossing }, http, Settings::default()).await;
    let cc = Session::over(V2_8, crossing::CROSSING, wire);
    cc.create("i", crossing::PROXIED, none()).await;
    let body = cc.platform.bind(cc.service, crossing::PROXIED, false, &json!({ "bind_resource": { "route": "a.b" } }));
    let headers = [("Authorization", AUTHORIZATION), ("Content-Type", "application/x-www-form-urlencoded")];
    for (number, headers) in [&headers[..1], &headers[..]].into_iter().enumerate() {
        let path = format!("/v2/service_instances/i/service_bindings/{number}");
        let reply = cc.wire.exchange("PUT", &path, headers, Some(&body)).await;
        assert_eq!(reply.status, 201, "S02, HDR-08: {reply:?}");
        assert!(reply.body.get("route_service_url").is_some(), "S02: taken for the oldest version that is served");
    }
    let poll = "/v2/service_instances/i/last_operation";
    assert_eq!(cc.wire.exchange("GET", poll, &headers[..1], None).await.body["state"], "succeeded", "S02");
}

/// Section "Application Log Streaming": with an application, or not at all.
#[tokio::test]
async fn only_applications_have_logs() {
    let cc = Session::with(V2_8, crossing::CROSSING, CrossingBroker { crossing: Crossing }).await;
    cc.create("i", crossing::TAP, none()).await;
    for status in [201, 200] {
        let bound = cc.bind("i", "b", crossing::TAP, none()).await;
        assert_eq!(bound.status, status);
        assert_eq!(bound.body["syslog_drain_url"], "syslog-tls://crossing.example.com:6514", "S33, BIND-18");
        let key = cc.key("i", "k", crossing::TAP, none()).await;
        assert_eq!((key.status, &key.body), (status, &json!({ "credentials": { "user": "k" } })), "S33");
    }
    let later = cc.speaking(Platform { version: "2.12", ..V2_8 });
    assert!(later.key("i", "k", crossing::TAP, none()).await.body.get("syslog_drain_url").is_some(), "S33: since 2.12");
}

/// Section "Route Services".
#[tokio::test]
async fn a_route_is_bound() {
    let cc = Session::with(V2_8, crossing::CROSSING, CrossingBroker { crossing: Crossing }).await;
    let catalog = cc.catalog().await;
    assert_eq!(catalog.body["services"][0]["requires"], json!(["syslog_drain", "route_forwarding"]), "S25, BIND-19");
    let route = json!({ "bind_resource": { "route": "shop.example.com" } });
    for (instance, plan, given) in [
        ("p", crossing::PROXIED, json!({ "route_service_url": "https://crossing.example.com/shop.example.com" })),
        ("i", crossing::INLINE, none()),
    ] {
        cc.create(instance, plan, none()).await;
        let bound = cc.key(instance, instance, plan, route.clone()).await;
        assert_eq!((bound.status, bound.body), (201, given.clone()), "S32, BIND-19");
        let again = cc.key(instance, instance, plan, route.clone()).await;
        assert_eq!((again.status, again.body), (200, given), "S07");
        let other = json!({ "bind_resource": { "route": "another.example.com" } });
        assert_eq!(cc.key(instance, instance, plan, other).await.status, 409, "S07");
        assert_eq!(cc.unbind(instance, instance, plan).await.status, 200);
    }
    let refused = cc.bind("p", "b", crossing::PROXIED, none()).await;
    assert_eq!((refused.status, refused.description()), (400, "Only routes can be bound."));

    let older = cc.speaking(Platform { version: "2.7", ..V2_8 });
    for status in [201, 200] {
        let bound = older.key("p", "b", crossing::PROXIED, route.clone()).await;
        assert_eq!((bound.status, bound.body), (status, none()), "2.8: an older platform deems it invalid");
    }
}

/// Section "Catalog Management": the dashboard's client.
#[tokio::test]
async fn the_dashboard_has_a_client() {
    let cc = Session::with(V2_8, crossing::CROSSING, CrossingBroker { crossing: Crossing }).await;
    let catalog = cc.catalog().await;
    let client = &catalog.body["services"][0]["dashboard_client"];
    let secret = std::env::var("PATH").expect("it is set wherever a test runs");
    let expected = json!({ "id": "crossing", "secret": secret, "redirect_uri": "https://crossing.example.com" });
    assert_eq!(client, &expected, "S29, CAT-20");
}

/// Volumes were in no document yet; the platforms of 2.8 and 2.9 had them as an experiment, in a shape of their own.
#[tokio::test]
async fn a_volume_has_the_shape_of_the_experiment() {
    let (cc, _) = Session::with_lab(V2_8).await;
    cc.create("i", ids::LARGE, none()).await;
    for status in [201, 200] {
        let bound = cc.bind("i", "b", ids::LARGE, none()).await;
        assert_eq!(bound.status, status);
        let mount = &bound.body["volume_mounts"][0];
        assert!(only(mount, &["container_path", "mode", "private"]), "S34: {mount}");
        assert_eq!((&mount["container_path"], &mount["mode"]), (&json!("/data"), &json!("r")), "S34");
        assert_eq!(mount["private"], json!({ "driver": "nfs", "group_id": "v1", "config": "" }), "S34");
        assert_eq!(bound.body["syslog_drain_url"], format!("syslog://lab.example.com/{APP}"), "S33");
    }
}

/// The same section, and "Unbinding": bindings are synchronous, whatever is said.
#[tokio::test]
async fn bindings_do_not_wait() {
    let (cc, _) = Session::with_lab(IN_QUERY).await;
    cc.create("i", ids::QUICK, none()).await;
    let accepted = cc.create("s", ids::SLOW, none()).await;
    cc.end("s", ids::SLOW, &accepted).await;
    let path = |instance: &str| format!("/v2/service_instances/{instance}/service_bindings/b");
    let waits = [("accepts_incomplete", "true".to_owned())];
    for (instance, plan, status) in [("i", ids::QUICK, 201), ("s", ids::SLOW, 422)] {
        let body = cc.platform.bind(ids::LAB, plan, true, &json!({ "accepts_incomplete": true }));
        let reply = cc.send("PUT", &path(instance), &waits, Some(&body), cc.platform.success.bind).await;
        assert_eq!(reply.status, status, "G3: there is no 202 and no way to fetch what it gives");
        assert_eq!(status == 422, reply.body == async_required(), "S21");
    }
    let gone = cc.unbind("i", "b", ids::QUICK).await;
    assert_eq!((gone.status, gone.body), (200, none()), "UNB-03");
    assert_eq!(cc.unbind("i", "b", ids::QUICK).await.status, 410, "S06");
}

/// Section "Orphans": the platform hangs up after a minute, and deletes.
#[tokio::test]
async fn what_was_not_waited_for_is_removed() {
    let (cc, lab) = Session::with_lab(HASTY).await;
    let given_up = {
        let cc = cc.clone();
        tokio::spawn(async move { cc.create("i", ids::QUICK, parameters(json!({ "mood": "wait" }))).await })
    };
    while lab.calls() == 0 {
        tokio::task::yield_now().await;
    }
    given_up.abort();
    assert_eq!(cc.delete("i", ids::QUICK).await.status, 200, "S35, T18");
    assert!(lab.inventory().is_empty(), "T67");
    assert_eq!(cc.delete("i", ids::QUICK).await.status, 410);
}

/// S01, S03: section "API Version Header".
#[tokio::test]
async fn versions_are_read_and_refused() {
    promises::versions(V2_8).await;
}

/// AUTH-01: section "Authentication".
#[tokio::test]
async fn whoever_may_not_ask_is_told_401() {
    promises::credentials(V2_8).await;
}

/// S25, S30, S31: section "Catalog Management".
#[tokio::test]
async fn the_catalog_has_what_is_required() {
    promises::catalog(V2_8).await;
}

/// S37, T49: what becomes of a plan that is no longer in the catalog.
#[tokio::test]
async fn instances_outlive_their_plan() {
    promises::retired_plans(V2_8).await;
}

/// S04, G5: every section's "Body".
#[tokio::test]
async fn every_body_is_an_object() {
    promises::objects(V2_8).await;
}

/// S19: how often and how long it polls.
#[tokio::test]
async fn the_end_is_remembered_for_as_long_as_platforms_poll() {
    promises::polls_of_a_week(V2_8).await;
}

/// S35: section "Orphans".
#[tokio::test]
async fn orphans_are_deleted_until_it_works() {
    promises::orphans(V2_8).await;
}

/// S36: the same section's table of statuses.
#[tokio::test]
async fn a_slow_client_is_not_told_408() {
    promises::slow_clients(V2_8).await;
}
