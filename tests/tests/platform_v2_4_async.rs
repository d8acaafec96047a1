//! The experiment of asynchronous operations (early 2015), played by the Cloud Controller of that time.
//!
//! The document adds to 2.4 what became official with 2.7: `accepts_incomplete=true`, 202 and polls, for instances alone. It
//! has no version of its own: Cloud Controllers said 2.4 then, which has updates of the plan without `service_id`, or 2.5,
//! which has parameters. A poll says nothing but the instance's id; there is neither `operation` nor a code for what can
//! only be asynchronous; the prose writes `in_progress` where the table writes `in progress`.

use osb_lab::{
    lab::{Lab, LabBroker, Mood, ids},
    platform::{Incomplete, Platform, Session, V2_4_ASYNC},
    promises,
    wire::{AUTHORIZATION, Wire},
};
use osb_runtime::{
    http::{HttpSettings, MissingVersion},
    lifecycle::Settings,
};
use serde_json::{Value, json};

/// The same with parameters.
const V2_5_ASYNC: Platform = Platform { version: "2.5", ..V2_4_ASYNC };

const POLL: &str = "/v2/service_instances/i/last_operation";

fn none() -> Value {
    json!({})
}

fn mood(mood: &str) -> Value {
    json!({ "parameters": { "mood": mood } })
}

/// Section "Asynchronous API": the platform waits for what takes long, and gets the synchronous answer otherwise.
#[tokio::test]
async fn an_instance_is_created_updated_and_deleted_in_the_background() {
    let (cc, lab) = Session::with_lab(V2_4_ASYNC).await;
    let accepted = cc.create("i", ids::SLOW, none()).await;
    assert_eq!(accepted.status, 202, "ASY-06");
    assert_eq!(accepted.body["dashboard_url"], "https://lab.example.com/i", "S15: as if it were synchronous");
    let told = cc.end("i", ids::SLOW, &accepted).await;
    assert_eq!((told.status, &told.body["state"]), (200, &json!("succeeded")), "LOI-03");
    assert_eq!(lab.inventory(), ["i=slowx1"]);
    for _ in 0..3 {
        let again = cc.poll("i", ids::SLOW, &accepted).await;
        assert_eq!((again.status, again.body), (200, told.body.clone()), "LOI-09, T14: never 410 for a create");
    }

    let accepted = cc.delete("i", ids::SLOW).await;
    assert_eq!(accepted.status, 202, "DEP-04");
    let told = cc.end("i", ids::SLOW, &accepted).await;
    assert_eq!((told.status, told.body), (410, none()), "S06, LOI-07: what is gone is gone with `{{}}`");
    assert!(lab.inventory().is_empty(), "DEP-01");
}

#[tokio::test]
async fn while_it_goes_on_the_state_is_in_progress() {
    let (cc, lab) = Session::with_lab(V2_5_ASYNC).await;
    let accepted = cc.create("i", ids::SLOW, mood("wait")).await;
    assert_eq!(accepted.status, 202);
    while lab.calls() == 0 {
        assert_eq!(cc.poll("i", ids::SLOW, &accepted).await.body["state"], "in progress", "S17");
    }
    let told = cc.poll("i", ids::SLOW, &accepted).await;
    assert_eq!(told.body, json!({ "state": "in progress", "description": "Wait" }), "S17, ASY-07: how far it is");
    lab.gate.open();
    assert_eq!(cc.end("i", ids::SLOW, &accepted).await.body["state"], "succeeded");

    lab.gate.close();
    let change = json!({ "parameters": { "mood": "wait", "size": 2 } });
    let accepted = cc.update("i", ids::SLOW, change).await;
    assert_eq!((accepted.status, &accepted.body["dashboard_url"]), (202, &json!("https://lab.example.com/i")), "S15");
    assert_eq!(cc.poll("i", ids::SLOW, &accepted).await.body["state"], "in progress", "S17");
    lab.gate.open();
    assert_eq!(cc.end("i", ids::SLOW, &accepted).await.body["state"], "succeeded");

    lab.gate.close();
    lab.deletions_go(Mood::Wait);
    let accepted = cc.delete("i", ids::SLOW).await;
    assert_eq!(cc.poll("i", ids::SLOW, &accepted).await.body["state"], "in progress", "S17");
    lab.gate.open();
    assert_eq!(cc.end("i", ids::SLOW, &accepted).await.status, 410);
}

/// The same section: the broker may as well work synchronously.
#[tokio::test]
async fn what_is_done_at_once_is_answered_as_usual() {
    let (cc, lab) = Session::with_lab(V2_4_ASYNC).await;
    for plan in [ids::QUICK, ids::SMALL] {
        assert_eq!(cc.create("i", plan, none()).await.status, 201, "ASY-04");
        assert_eq!(cc.create("i", plan, none()).await.status, 200, "S07");
        let gone = cc.delete("i", plan).await;
        assert_eq!((gone.status, gone.body), (200, none()), "ASY-04, DEP-04");
    }
    assert!(lab.inventory().is_empty());
}

/// The same section: without `accepts_incomplete` the request should be rejected.
#[tokio::test]
async fn a_client_that_cannot_wait_is_rejected() {
    let (cc, lab) = Session::with_lab(V2_5_ASYNC).await;
    let hasty = cc.speaking(Platform { incomplete: Incomplete::Never, ..cc.platform });
    let accepted = cc.create("i", ids::SLOW, none()).await;
    cc.end("i", ids::SLOW, &accepted).await;
    for rejected in [
        hasty.create("j", ids::SLOW, none()).await,
        hasty.update("i", ids::SLOW, mood("dawdle")).await,
        hasty.delete("i", ids::SLOW).await,
    ] {
        assert_eq!((rejected.status, &rejected.body["error"]), (422, &json!("AsyncRequired")), "S16, ASY-05");
    }
    assert_eq!(lab.inventory(), ["i=slowx1"], "ERR-08");
    for (value, status) in [("false", 422), ("yes", 400)] {
        let path = format!("/v2/service_instances/j?accepts_incomplete={value}");
        let body = hasty.platform.provision(ids::LAB, ids::SLOW, &none());
        let headers = [("Authorization", AUTHORIZATION), ("X-Broker-Api-Version", "2.4")];
        assert_eq!(hasty.wire.exchange("PUT", &path, &headers, Some(&body)).await.status, status, "T36: {value}");
    }
}

/// Section "Polling": the example has no header but the credentials, and no query.
#[tokio::test]
async fn a_poll_needs_nothing_but_the_id() {
    let mut http = HttpSettings::default();
    http.missing_version = MissingVersion::AssumeOldest;
    let wire = Wire::serve_http(LabBroker { lab: Lab::default() }, http, Settings::default()).await;
    let cc = Session::over(V2_4_ASYNC, ids::LAB, wire);
    let accepted = cc.create("i", ids::SLOW, none()).await;
    cc.end("i", ids::SLOW, &accepted).await;
    let bare = cc.wire.exchange("GET", POLL, &[("Authorization", AUTHORIZATION)], None).await;
    assert_eq!((bare.status, bare.body), (200, json!({ "state": "succeeded" })), "S02, T39");
    let unknown = cc.poll("never-heard-of", ids::SLOW, &accepted).await;
    assert_eq!(unknown.status, 404, "LOI-06");
}

/// The same section: any other status than 200 and 410 means that the operation has failed.
#[tokio::test]
async fn a_failure_is_told_with_200() {
    let (cc, lab) = Session::with_lab(V2_5_ASYNC).await;
    for (how, told) in [("fail", "failed unexpectedly"), ("panic", "failed unexpectedly"), ("refuse", "The lab is full.")] {
        let accepted = cc.create("i", ids::SLOW, mood(how)).await;
        assert_eq!(accepted.status, 202, "{how}");
        let failed = cc.end("i", ids::SLOW, &accepted).await;
        assert_eq!((failed.status, &failed.body["state"]), (200, &json!("failed")), "S18, T11: {how}");
        assert!(failed.description().contains(told) && !failed.description().contains("secret"), "S18: {failed:?}");
        assert_eq!(cc.poll("i", ids::SLOW, &accepted).await.body["state"], "failed", "S41, LOI-09: {how}");
        assert_eq!(cc.delete("i", ids::SLOW).await.status, 410, "T12: nothing is left: {how}");
    }
    assert!(lab.inventory().is_empty());

    let accepted = cc.create("i", ids::SLOW, none()).await;
    cc.end("i", ids::SLOW, &accepted).await;
    let accepted = cc.update("i", ids::SLOW, mood("fail")).await;
    assert_eq!(cc.end("i", ids::SLOW, &accepted).await.body["state"], "failed", "S18");
    lab.deletions_go(Mood::Fail);
    let accepted = cc.delete("i", ids::SLOW).await;
    assert_eq!(cc.end("i", ids::SLOW, &accepted).await.body["state"], "failed", "S18: and not 410");
    assert_eq!(lab.inventory(), ["i=slowx1"]);
    lab.deletions_go(Mood::Succeed);
    let accepted = cc.delete("i", ids::SLOW).await;
    assert_eq!(cc.end("i", ids::SLOW, &accepted).await.status, 410);
}

/// Section "Blocking other operations": the platform answers such requests by itself, and if one gets through, nothing
/// goes wrong.
#[tokio::test]
async fn what_would_disturb_is_refused() {
    let (cc, lab) = Session::with_lab(V2_5_ASYNC).await;
    let accepted = cc.create("i", ids::SLOW, mood("wait")).await;
    let again = cc.create("i", ids::SLOW, mood("wait")).await;
    assert_eq!((again.status, &again.body), (202, &accepted.body), "PROV-13, T01");
    assert_eq!(cc.create("i", ids::SLOW, none()).await.status, 409, "S43, PROV-14");
    for busy in [cc.update("i", ids::SLOW, none()).await, cc.bind("i", "b", ids::SLOW, none()).await] {
        assert_eq!((busy.status, &busy.body["error"]), (422, &json!("ConcurrencyError")), "S20, BLK-02");
    }
    assert_eq!(cc.unbind("i", "b", ids::SLOW).await.status, 410, "S20: there is no binding");
    lab.gate.open();
    assert_eq!(cc.end("i", ids::SLOW, &accepted).await.body["state"], "succeeded");
    assert_eq!((lab.calls(), lab.overlaps()), (1, 0));
}

/// Updates of 2.4 and 2.5: the plan, and since 2.5 parameters, of a service that is not named.
#[tokio::test]
async fn an_update_need_not_name_the_service() {
    for platform in [V2_4_ASYNC, V2_5_ASYNC] {
        let (cc, lab) = Session::with_lab(platform).await;
        cc.create("i", ids::SMALL, none()).await;
        let changed = cc.update("i", ids::SMALL, json!({ "plan_id": ids::LARGE })).await;
        assert_eq!(changed.status, 200, "T29: {}", platform.version);
        assert_eq!(lab.inventory(), ["i=largex1"], "S23");
        let refused = cc.update("i", ids::LARGE, json!({ "plan_id": ids::CLOSED })).await;
        assert_eq!(refused.status, 422, "S23, UPD-14");
        let stale = cc.update("i", ids::SMALL, json!({ "plan_id": ids::LARGE })).await;
        assert_eq!(stale.status, 200, "S14: `previous_values` are hints");
        let other = json!({ "previous_values": { "service_id": "another" } });
        assert_eq!(cc.update("i", ids::LARGE, other).await.status, 400, "S14: but not of another service");
    }
    let (later, _) = Session::with_lab(Platform { version: "2.6", ..V2_4_ASYNC }).await;
    later.create("i", ids::SMALL, none()).await;
    assert_eq!(later.update("i", ids::SMALL, none()).await.status, 400, "UPD-04: since 2.6 it has to");
}

/// Bindings are synchronous, and of applications that are named at the top.
#[tokio::test]
async fn bindings_do_not_wait() {
    let (cc, _) = Session::with_lab(V2_5_ASYNC).await;
    cc.create("i", ids::QUICK, none()).await;
    let bound = cc.bind("i", "b", ids::QUICK, json!({ "parameters": { "mood": "dawdle" } })).await;
    assert_eq!((bound.status, &bound.body["credentials"]["user"]), (201, &json!("b")));
    assert_eq!(cc.unbind("i", "b", ids::QUICK).await.status, 200);
    let accepted = cc.create("j", ids::SLOW, none()).await;
    cc.end("j", ids::SLOW, &accepted).await;
    let refused = cc.bind("j", "b", ids::SLOW, none()).await;
    assert_eq!((refused.status, &refused.body["error"]), (422, &json!("AsyncRequired")), "G3");
    assert_eq!(cc.unbind("j", "b", ids::SLOW).await.status, 410, "S10");
}

/// S01, S03: section "API Version Header".
#[tokio::test]
async fn versions_are_read_and_refused() {
    promises::versions(V2_4_ASYNC).await;
}

/// AUTH-01: section "Authentication".
#[tokio::test]
async fn whoever_may_not_ask_is_told_401() {
    promises::credentials(V2_4_ASYNC).await;
}

/// S04, G5: every section's "Body".
#[tokio::test]
async fn every_body_is_an_object() {
    promises::objects(V2_4_ASYNC).await;
}

/// S19: how often and how long it polls.
#[tokio::test]
async fn the_end_is_remembered_for_as_long_as_platforms_poll() {
    promises::polls_of_a_week(V2_4_ASYNC).await;
}
