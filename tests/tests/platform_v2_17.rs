//! The Open Service Broker API 2.17, played by the two platforms that there are.
//!
//! Cloud Foundry as it is on the wire: the plan in every update whether or not it changes, `null` for a maintenance that was
//! not, service keys with an empty `bind_resource`, no query when it fetches, a deletion after every failure that it does
//! not know. And the client of Kubernetes' service catalog, which knows an error by its code and its description together.

use osb_lab::{
    crossing::{Crossing, CrossingBroker, ids as crossing},
    lab::{Lab, LabBroker, Mood, ids},
    platform::{CLOUD_FOUNDRY, IDENTITY, Incomplete, KUBERNETES, Platform, Session, only},
    promises,
    requests::{binding, instance},
    wire::{AUTHORIZATION, Reply, Wire},
    yesterday::{Lab as YesterdaysLab, YesterdaysBroker},
};
use osb_runtime::lifecycle::Settings;
use serde_json::{Value, json};

/// What it says of itself.
const TODAY: Platform = Platform { version: "2.15", ..CLOUD_FOUNDRY };

async fn session() -> (Session, Lab) {
    Session::with_lab(CLOUD_FOUNDRY).await
}

fn none() -> Value {
    json!({})
}

fn mood(mood: &str) -> Value {
    json!({ "parameters": { "mood": mood } })
}

async fn created(platform: &Session, id: &str, plan: &str) {
    let reply = platform.create(id, plan, none()).await;
    if reply.status == 202 {
        assert_eq!(platform.end(id, plan, &reply).await.body["state"], "succeeded");
    }
}

fn is_error(reply: &Reply, error: &str) -> bool {
    reply.status == 422 && reply.body["error"] == error
}

/// Registration: what the Cloud Controller refuses a broker for.
#[tokio::test]
async fn a_broker_can_be_registered() {
    let (lab, _) = session().await;
    let crossing = Session::with(CLOUD_FOUNDRY, crossing::CROSSING, CrossingBroker { crossing: Crossing }).await;
    for cc in [lab, crossing] {
        let catalog = cc.catalog().await;
        let services = catalog.body["services"].as_array().filter(|list| !list.is_empty()).expect("CAT-01");
        for service in services {
            assert!(service["bindable"].is_boolean(), "CAT-15");
            let tags = service["tags"].as_array().into_iter().flatten().filter_map(Value::as_str);
            assert!(tags.map(str::len).sum::<usize>() <= 2048, "CAT-13");
            for plan in service["plans"].as_array().expect("CAT-22") {
                for name in ["id", "name", "description"] {
                    assert!(plan[name].as_str().is_some_and(|text| !text.trim().is_empty()), "CAT-30 to 32");
                }
                assert!(plan["binding_rotatable"].is_boolean(), "CAT-36");
                if let Some(info) = plan.get("maintenance_info") {
                    assert!(only(info, &["version", "description"]) && info["version"].is_string(), "CAT-40: {info}");
                }
                if let Some(longest) = plan.get("maximum_polling_duration") {
                    assert!(longest.as_u64().is_some_and(|seconds| seconds >= 60), "CAT-39: {longest}");
                }
            }
        }
        let etag = catalog.header("etag").expect("HDR-11");
        let known = cc.wire.send("GET", "/v2/catalog", &[("If-None-Match", etag)], None).await;
        assert_eq!((known.status, known.body), (304, Value::Null), "HDR-11");
    }
}

/// An instance in the background, from `cf create-service` to `cf delete-service`.
#[tokio::test]
async fn an_instance_lives_on_cloud_foundry() {
    for platform in [TODAY, CLOUD_FOUNDRY] {
        let (cc, lab) = Session::with_lab(platform).await;
        let accepted = cc.create("i", ids::SLOW, mood("wait")).await;
        assert_eq!(accepted.status, 202, "PROV-12");
        assert_eq!(accepted.body["dashboard_url"], "https://lab.example.com/i", "PROV-16, T52");
        let told = cc.poll("i", ids::SLOW, &accepted).await;
        assert_eq!(told.body["state"], "in progress", "LOI-03");
        assert_eq!(told.header("retry-after"), Some("5"), "HDR-10, LOI-10: whole seconds");
        lab.gate.open();
        let told = cc.end("i", ids::SLOW, &accepted).await;
        assert_eq!((&told.body["state"], told.header("retry-after")), (&json!("succeeded"), None), "LOI-10");
        let fetched = cc.fetch("i").await;
        assert_eq!(fetched.status, 200, "GETI-02: without hints, GETI-03");
        assert_eq!(fetched.body["metadata"]["labels"], json!({ "kind": "lab" }), "GETI-04, META-01");

        let accepted = cc.update("i", ids::SLOW, json!({ "parameters": { "size": 2 } })).await;
        assert_eq!(accepted.status, 202, "UPD-12, T27: the plan is named, and not changed");
        assert_eq!(cc.end("i", ids::SLOW, &accepted).await.body["state"], "succeeded");
        assert_eq!(cc.fetch("i").await.body["parameters"], json!({ "mood": "wait", "size": 2 }), "T26");

        let accepted = cc.delete("i", ids::SLOW).await;
        assert_eq!(accepted.status, 202, "DEP-04");
        assert_eq!(cc.end("i", ids::SLOW, &accepted).await.status, 410, "LOI-07");
        assert!(lab.inventory().is_empty(), "DEP-01");
        // 410 here would mean "in progress" for a create, and 400 "failed".
        assert_eq!(cc.poll("never-heard-of", ids::SLOW, &accepted).await.status, 404, "LOI-06");
    }
}

/// An operation that a form has encoded comes back with `+` for a space; any is taken for the newest.
#[tokio::test]
async fn a_poll_is_never_malformed() {
    let (cc, _) = session().await;
    created(&cc, "i", ids::SMALL).await;
    for query in ["operation=create+it", "operation=provision", "operation=&plan_id=&service_id=", "unknown=1"] {
        let path = format!("{}/last_operation?{query}", instance("i"));
        let reply = cc.wire.send("GET", &path, &[], None).await;
        assert_eq!((reply.status, &reply.body["state"]), (200, &json!("succeeded")), "T38, T39, T39a: {query}");
    }
}

/// `cf update-service -p`: only another plan is a change.
#[tokio::test]
async fn a_plan_is_changed() {
    let (cc, lab) = session().await;
    created(&cc, "i", ids::SMALL).await;
    let calls = lab.calls();
    let same = cc.update("i", ids::SMALL, json!({ "plan_id": ids::SMALL })).await;
    assert_eq!((same.status, lab.calls()), (200, calls), "UPD-11, T27");
    let changed = cc.update("i", ids::SMALL, json!({ "plan_id": ids::LARGE })).await;
    assert_eq!(
        (changed.status, &changed.body["dashboard_url"]),
        (200, &json!("https://lab.example.com/large")),
        "UPD-15"
    );
    let refused = cc.update("i", ids::LARGE, json!({ "plan_id": ids::SMALL })).await;
    assert_eq!(refused.status, 422, "UPD-14");
    assert!(refused.body.get("error").is_none(), "UPD-14: rejected, with the description: {refused:?}");
    assert_eq!(cc.fetch("i").await.body["plan_id"], ids::LARGE);
}

/// A space is renamed: the context alone is updated.
#[tokio::test]
async fn a_context_is_updated() {
    let (cc, lab) = session().await;
    created(&cc, "i", ids::SMALL).await;
    assert_eq!(cc.catalog().await.body["services"][0]["allow_context_updates"], json!(true), "CAT-18");
    let (calls, mut context) = (lab.calls(), cc.platform.context());
    context["space_name"] = "renamed".into();
    let renamed = cc.update("i", ids::SMALL, json!({ "context": context })).await;
    assert_eq!((renamed.status, renamed.body, lab.calls()), (200, none(), calls), "UPD-03, T28");
    assert_eq!(cc.create("i", ids::SMALL, none()).await.status, 200, "T04: another context is no other instance");
}

/// `cf upgrade-service`: an instance from before the catalog's newest version.
#[tokio::test]
async fn maintenance_is_performed() {
    let settings = Settings::default();
    let yesterday = Wire::serve_with(YesterdaysBroker { lab: YesterdaysLab }, settings.clone()).await;
    let yesterday = Session::over(CLOUD_FOUNDRY, ids::LAB, yesterday);
    let info = |version: &str| json!({ "maintenance_info": { "version": version, "description": "Of no account." } });
    assert_eq!(yesterday.create("i", ids::SMALL, info("1.1.0")).await.status, 201, "PROV-08");

    let lab = Lab::default();
    let today = Wire::serve_with(LabBroker { lab: lab.clone() }, settings).await;
    let cc = Session::over(CLOUD_FOUNDRY, ids::LAB, today);
    assert!(is_error(&cc.create("j", ids::SMALL, info("1.1.0")).await, "MaintenanceInfoConflict"), "PROV-08, ERR-07");
    assert!(is_error(&cc.create("j", ids::CLOSED, info("1.2.0")).await, "MaintenanceInfoConflict"), "T30");
    assert_eq!(cc.create("i", ids::SMALL, info("1.1.0")).await.status, 200, "X08: the repeat comes first");
    assert_eq!(cc.fetch("i").await.body["maintenance_info"], json!({ "version": "1.1.0" }), "GETI-08");

    assert_eq!(cc.update("i", ids::SMALL, none()).await.status, 200, "T30: nothing is asked for, nothing done");
    assert!(is_error(&cc.update("i", ids::SMALL, info("1.3.0")).await, "MaintenanceInfoConflict"), "UPD-10");
    assert_eq!(cc.fetch("i").await.body["maintenance_info"], json!({ "version": "1.1.0" }), "UPD-17");
    let mut upgrade = info("1.2.0");
    upgrade["previous_values"] = json!({ "plan_id": ids::SMALL, "maintenance_info": { "version": "1.1.0" } });
    assert_eq!(cc.update("i", ids::SMALL, upgrade.clone()).await.status, 200, "T31");
    assert_eq!(lab.inventory(), ["i=smallx11.2.0"], "T31: the handler has done it");
    assert_eq!(cc.fetch("i").await.body["maintenance_info"], json!({ "version": "1.2.0" }), "GETI-08");
    let calls = lab.calls();
    assert_eq!((cc.update("i", ids::SMALL, upgrade).await.status, lab.calls()), (200, calls), "UPD-11: once");
}

/// `cf bind-service` and `cf create-service-key`.
#[tokio::test]
async fn applications_and_keys_are_bound() {
    let (cc, lab) = session().await;
    created(&cc, "i", ids::SMALL).await;
    let bound = cc.bind("i", "b", ids::SMALL, none()).await;
    assert_eq!((bound.status, &bound.body["credentials"]["user"]), (201, &json!("b")), "BIND-07, BIND-16");
    let key = cc.key("i", "k", ids::SMALL, none()).await;
    assert_eq!((key.status, &key.body["credentials"]["user"]), (201, &json!("k")), "PROF-05: an empty bind_resource");
    let client = json!({ "bind_resource": { "credential_client_id": "cc_service_key_client" } });
    assert_eq!(cc.key("i", "c", ids::SMALL, client.clone()).await.status, 201, "PROF-05");
    assert_eq!(cc.key("i", "c", ids::SMALL, client).await.status, 200, "BIND-08");
    assert_eq!(cc.key("i", "b", ids::SMALL, none()).await.status, 409, "BIND-11");
    let invalid = cc.bind("i", "x", ids::SMALL, mood("unheard of")).await;
    assert_eq!(invalid.status, 400, "T55: 422 would be taken for a broken broker");

    created(&cc, "l", ids::LARGE).await;
    assert!(is_error(&cc.key("l", "k", ids::LARGE, none()).await, "RequiresApp"), "BIND-12");
    let bound = cc.bind("l", "b", ids::LARGE, none()).await;
    assert_eq!(bound.status, 201);
    let mount = &bound.body["volume_mounts"][0];
    assert!(only(mount, &["driver", "container_dir", "mode", "device_type", "device"]), "BIND-21");
    for binding in ["b", "k", "c"] {
        let gone = cc.unbind("i", binding, ids::SMALL).await;
        assert_eq!((gone.status, gone.body), (200, none()), "UNB-03");
        assert_eq!(cc.unbind("i", binding, ids::SMALL).await.status, 410, "UNB-03");
    }
    assert_eq!(lab.inventory(), ["i=smallx1", "l=largex1"], "UNB-01");
}

/// The same where it takes long: 202, polls, and the credentials fetched.
#[tokio::test]
async fn credentials_are_fetched_when_they_are_there() {
    let (cc, lab) = session().await;
    created(&cc, "i", ids::SLOW).await;
    assert_eq!(cc.catalog().await.body["services"][0]["bindings_retrievable"], json!(true), "T44");
    let accepted = cc.bind("i", "b", ids::SLOW, mood("wait")).await;
    assert!(accepted.status == 202 && only(&accepted.body, &["operation"]), "BIND-10, T43: {accepted:?}");
    let told = cc.poll_binding("i", "b", ids::SLOW, &accepted).await;
    assert_eq!((&told.body["state"], told.header("retry-after")), (&json!("in progress"), Some("5")), "LOB-06");
    assert_eq!(cc.fetch_binding("i", "b").await.status, 404, "GETB-03, T10");
    lab.gate.open();
    assert_eq!(cc.end_binding("i", "b", ids::SLOW, &accepted).await.body["state"], "succeeded", "LOB-01");
    let fetched = cc.fetch_binding("i", "b").await;
    let credentials = json!({ "user": "b", "password": "password of b" });
    assert_eq!((fetched.status, &fetched.body["credentials"]), (200, &credentials), "GETB-02, GETB-04");
    let accepted = cc.unbind("i", "b", ids::SLOW).await;
    assert_eq!(accepted.status, 202, "UNB-03");
    assert_eq!(cc.end_binding("i", "b", ids::SLOW, &accepted).await.status, 410, "LOB-01");
}

/// Credentials are replaced before they end: both are valid for a while.
#[tokio::test]
async fn a_binding_is_rotated() {
    let (cc, lab) = session().await;
    created(&cc, "i", ids::SMALL).await;
    cc.bind("i", "old", ids::SMALL, none()).await;
    let rotation = json!({ "predecessor_binding_id": "old" });
    for status in [201, 200] {
        let rotated = cc.bind_with("i", "new", &rotation).await;
        assert_eq!(
            (rotated.status, &rotated.body["credentials"]["user"]),
            (status, &json!("new")),
            "ROT-03, ROT-04, T32"
        );
    }
    assert_eq!(lab.inventory(), ["i=smallx1", "new=key after old", "old=key"], "ROT-03, T33");
    assert_eq!(cc.fetch_binding("i", "old").await.status, 200, "ROT-03");
    assert_eq!(cc.unbind("i", "old", ids::SMALL).await.status, 200);
    assert_eq!(cc.fetch_binding("i", "new").await.body["credentials"]["user"], "new", "T33");
    assert_eq!(cc.bind_with("i", "next", &rotation).await.status, 400, "T34: it is no more");
    created(&cc, "l", ids::LARGE).await;
    cc.bind("l", "b", ids::LARGE, none()).await;
    let refused = cc.bind_with("l", "next", &json!({ "predecessor_binding_id": "b" })).await;
    assert_eq!(refused.status, 400, "ROT-01, T34");
}

/// After what it takes for a broken broker the platform deletes, and goes on until that succeeds.
#[tokio::test]
async fn orphans_are_deleted() {
    let (cc, lab) = session().await;
    for (how, status) in [("fail", 500), ("panic", 500), ("fail_half_way", 500), ("refuse", 400)] {
        let failed = cc.create("i", ids::QUICK, mood(how)).await;
        assert_eq!(failed.status, status, "T56: {how}");
        assert_eq!(cc.delete("i", ids::QUICK).await.status, 410, "ORP-02, ORP-04: {how}");
    }
    for how in ["fail", "fail_half_way", "refuse"] {
        let accepted = cc.create("i", ids::SLOW, mood(how)).await;
        let told = cc.end("i", ids::SLOW, &accepted).await;
        assert_eq!((told.status, &told.body["state"]), (200, &json!("failed")), "T11: {how}");
        assert!(only(&told.body, &["state", "description"]), "T47, LOI-08: {told:?}");
        assert_eq!(cc.delete("i", ids::SLOW).await.status, 410, "ORP-04, T12: {how}");
    }
    assert!(lab.inventory().is_empty(), "ORP-01");

    // What it has polled for too long is deleted while it is being created.
    let calls = lab.calls();
    let accepted = cc.create("i", ids::SLOW, mood("wait_stubbornly")).await;
    while lab.calls() == calls {
        assert_eq!(cc.poll("i", ids::SLOW, &accepted).await.body["state"], "in progress");
    }
    let deleting = cc.delete("i", ids::SLOW).await;
    assert_eq!(deleting.status, 202, "DUR-01, DEP-06");
    lab.gate.open();
    assert_eq!(cc.end("i", ids::SLOW, &deleting).await.status, 410, "DEP-07");
    assert!(lab.inventory().is_empty(), "T67: a late success is removed too");

    created(&cc, "i", ids::QUICK).await;
    for (how, status) in [("fail", 500), ("panic", 500), ("refuse", 400)] {
        assert_eq!(cc.bind("i", "b", ids::QUICK, mood(how)).await.status, status, "{how}");
        assert_eq!(cc.unbind("i", "b", ids::QUICK).await.status, 410, "ORP-02: {how}");
    }
    lab.deletions_go(Mood::Fail);
    for _ in 0..3 {
        assert_eq!(cc.delete("i", ids::QUICK).await.status, 500, "ORP-02");
    }
    lab.deletions_go(Mood::Succeed);
    assert_eq!(cc.delete("i", ids::QUICK).await.status, 200, "ORP-02");
    assert!(lab.inventory().is_empty(), "ORP-01");
}

/// What a failure says of the instance, in the answer or in the last operation.
#[tokio::test]
async fn a_failure_says_what_can_be_done() {
    let (cc, _) = session().await;
    for plan in [ids::QUICK, ids::SLOW] {
        let accepted = cc.create(plan, plan, json!({ "parameters": { "name": "sticky" } })).await;
        if accepted.status == 202 {
            cc.end(plan, plan, &accepted).await;
        }
        let refused = cc.update(plan, plan, mood("refuse")).await;
        let told = if refused.status == 202 { cc.end(plan, plan, &refused).await } else { refused };
        assert_eq!(
            (told.description(), &told.body["update_repeatable"]),
            ("Not now.", &json!(false)),
            "UPD-18, ERR-11"
        );
        assert!(told.body.get("instance_usable").is_none());
        let refused = cc.delete(plan, plan).await;
        let told = if refused.status == 202 { cc.end(plan, plan, &refused).await } else { refused };
        assert_eq!(
            (told.description(), &told.body["instance_usable"]),
            ("It sticks.", &json!(false)),
            "DEP-09, ERR-10"
        );
        assert!(told.body.get("update_repeatable").is_none(), "ERR-11");
        assert_eq!(cc.fetch(plan).await.status, 200, "UPD-17: as it was");
    }
}

/// The request's identity comes back whatever the answer.
#[tokio::test]
async fn every_answer_has_the_requests_identity() {
    let (cc, _) = session().await;
    let identity = ("X-Broker-API-Request-Identity", IDENTITY);
    let (user, version) = (("Authorization", AUTHORIZATION), ("X-Broker-Api-Version", "2.17"));
    for (headers, path, status) in [
        (vec![version], "/v2/catalog", 401),
        (vec![user], "/v2/catalog", 400),
        (vec![user, ("X-Broker-Api-Version", "3.0")], "/v2/catalog", 412),
        (vec![user, version], "/v2/nothing", 404),
        (vec![user, version], "/v2/service_instances/i", 404),
        (vec![user, version], "/v2/catalog", 200),
    ] {
        let reply = cc.wire.exchange("GET", path, &[&headers[..], &[identity]].concat(), None).await;
        assert_eq!(reply.status, status);
        assert_eq!(reply.header("x-broker-api-request-identity"), Some(IDENTITY), "HDR-05, T60: {status}");
    }
    assert_eq!(cc.create("i", ids::QUICK, mood("panic")).await.status, 500, "T60, T65: checked by the session");
}

/// Kubernetes knows the three conditions by code and description, byte for byte.
#[tokio::test]
async fn kubernetes_knows_what_is_wrong() {
    let (kubernetes, lab) = Session::with_lab(KUBERNETES).await;
    let hasty = kubernetes.speaking(Platform { incomplete: Incomplete::Never, ..KUBERNETES });
    let error = |error: &str, description: &str| json!({ "error": error, "description": description });
    let async_required =
        error("AsyncRequired", "This service plan requires client support for asynchronous service operations.");
    let requires_app =
        error("RequiresApp", "This service supports generation of credentials through binding an application only.");
    let concurrency = error(
        "ConcurrencyError",
        "The Service Broker does not support concurrent requests that mutate the same resource.",
    );
    created(&kubernetes, "l", ids::LARGE).await;
    created(&kubernetes, "s", ids::SLOW).await;
    let accepted = kubernetes.create("i", ids::SLOW, mood("wait")).await;
    for (reply, expected) in [
        (hasty.create("j", ids::SLOW, none()).await, &async_required),
        (hasty.update("s", ids::SLOW, json!({ "parameters": { "size": 2 } })).await, &async_required),
        (hasty.bind("s", "b", ids::SLOW, none()).await, &async_required),
        (hasty.delete("s", ids::SLOW).await, &async_required),
        (kubernetes.key("l", "b", ids::LARGE, none()).await, &requires_app),
        (kubernetes.update("i", ids::SLOW, none()).await, &concurrency),
        (kubernetes.bind("i", "b", ids::SLOW, none()).await, &concurrency),
    ] {
        assert_eq!((reply.status, &reply.body), (422, expected), "S21");
    }
    lab.gate.open();
    kubernetes.end("i", ids::SLOW, &accepted).await;
}

/// The lifecycle of an instance in a namespace.
#[tokio::test]
async fn an_instance_lives_on_kubernetes() {
    let crossing = Session::with(KUBERNETES, crossing::CROSSING, CrossingBroker { crossing: Crossing }).await;
    let created_there = crossing.create("i", crossing::TAP, none()).await;
    assert_eq!(created_there.body["metadata"]["labels"]["platform"], "kubernetes", "PROF-03");

    let (kubernetes, lab) = Session::with_lab(KUBERNETES).await;
    for name in ["organization_guid", "space_guid"] {
        assert_eq!(kubernetes.create("i", ids::SLOW, json!({ name: null })).await.status, 400, "PROV-05: {name}");
    }
    created(&kubernetes, "i", ids::SLOW).await;
    assert_eq!(kubernetes.fetch("i").await.status, 200, "GETI-02");
    let accepted = kubernetes.update("i", ids::SLOW, json!({ "parameters": { "size": 3 } })).await;
    assert_eq!(kubernetes.end("i", ids::SLOW, &accepted).await.body["state"], "succeeded");
    let accepted = kubernetes.key("i", "b", ids::SLOW, none()).await;
    assert_eq!(kubernetes.end_binding("i", "b", ids::SLOW, &accepted).await.body["state"], "succeeded");
    assert_eq!(kubernetes.fetch_binding("i", "b").await.body["credentials"]["user"], "b", "GETB-04");
    let accepted = kubernetes.unbind("i", "b", ids::SLOW).await;
    let told = kubernetes.end_binding("i", "b", ids::SLOW, &accepted).await;
    assert_eq!((told.status, told.body), (410, none()), "it reads the body of 410 too");
    let gone = kubernetes.unbind("i", "b", ids::SLOW).await;
    assert_eq!((gone.status, gone.body), (410, none()), "it reads the body of 410 too");
    let accepted = kubernetes.delete("i", ids::SLOW).await;
    assert_eq!(kubernetes.end("i", ids::SLOW, &accepted).await.status, 410);
    assert!(lab.inventory().is_empty());

    // It fetches without saying who asks.
    let headers = [("Authorization", AUTHORIZATION), ("X-Broker-API-Version", "2.14")];
    for path in [instance("i"), binding("i", "b")] {
        assert_eq!(kubernetes.wire.exchange("GET", &path, &headers, None).await.status, 404, "GETI-05, GETB-03");
    }
}

/// S01, S03: section "API Version Header".
#[tokio::test]
async fn versions_are_read_and_refused() {
    promises::versions(CLOUD_FOUNDRY).await;
}

/// AUTH-01: section "Authentication".
#[tokio::test]
async fn whoever_may_not_ask_is_told_401() {
    promises::credentials(CLOUD_FOUNDRY).await;
}

/// S25, S30, S31: section "Catalog Management".
#[tokio::test]
async fn the_catalog_has_what_is_required() {
    promises::catalog(CLOUD_FOUNDRY).await;
}

/// S37, T49: what becomes of a plan that is no longer in the catalog.
#[tokio::test]
async fn instances_outlive_their_plan() {
    promises::retired_plans(CLOUD_FOUNDRY).await;
}

/// S04, G5: every section's "Body".
#[tokio::test]
async fn every_body_is_an_object() {
    promises::objects(CLOUD_FOUNDRY).await;
}

/// S19: how often and how long it polls.
#[tokio::test]
async fn the_end_is_remembered_for_as_long_as_platforms_poll() {
    promises::polls_of_a_week(CLOUD_FOUNDRY).await;
}

/// S35: section "Orphans".
#[tokio::test]
async fn orphans_are_deleted_until_it_works() {
    promises::orphans(CLOUD_FOUNDRY).await;
}

/// S36: the same section's table of statuses.
#[tokio::test]
async fn a_slow_client_is_not_told_408() {
    promises::slow_clients(CLOUD_FOUNDRY).await;
}
