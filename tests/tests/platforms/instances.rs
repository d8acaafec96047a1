//! Creating, deleting and polling instances.

use osb_lab::{
    platform::{
        Incomplete, KUBERNETES, Location, ORGANIZATION, Platform, Poll, SPACE, Session, V2_2, V2_4_ASYNC, V2_8,
        V2_9_FORK, only,
    },
    prelude::*,
    route_service::ids as crossing,
};

use crate::{
    at_once, created, fetches, is_error, mood, none, platforms, route_service, since, synchronous, with_parameters,
};

const DASHBOARD: &str = "https://lab.example.com/i";

#[tokio::test]
async fn an_instance_is_created_in_the_background() {
    at_once(with_parameters(), |platform| async move {
        let (session, lab) = Session::with_lab(platform).await;
        let accepted = session.create("i", ids::SLOW, mood("wait")).await;
        assert_eq!(accepted.status, 202, "S11, ASY-06, PROV-12");
        assert_eq!(accepted.body["dashboard_url"], DASHBOARD, "S15, PROV-16, T52: with the first answer");
        let again = session.create("i", ids::SLOW, mood("wait")).await;
        assert_eq!((again.status, &again.body), (202, &accepted.body), "PROV-13, T01, T02: the same operation");
        assert_eq!(session.create("i", ids::SLOW, none()).await.status, 409, "S43, PROV-14");
        for busy in [session.update("i", ids::SLOW, none()).await, session.bind("i", "b", ids::SLOW, none()).await] {
            assert!(is_error(&busy, "ConcurrencyError"), "S20, S21, BLK-02: {busy:?}");
        }
        assert_eq!(session.unbind("i", "b", ids::SLOW).await.status, 410, "S20: there is no binding");
        while lab.calls() == 0 {
            assert_eq!(session.poll("i", ids::SLOW, &accepted).await.body["state"], "in progress", "S17");
        }
        let polled = session.poll("i", ids::SLOW, &accepted).await;
        let expected = json!({ "state": "in progress", "description": "Wait" });
        assert_eq!(polled.body, expected, "S17, ASY-07, LOI-02, LOI-03");
        if since(&platform, 15) {
            assert_eq!(polled.header("retry-after"), Some("5"), "HDR-10, LOI-10: whole seconds");
        }
        if fetches(&platform) {
            assert_eq!(session.fetch("i").await.status, 404, "GETI-05: not yet");
        }
        lab.gate.open();
        let polled = session.end("i", ids::SLOW, &accepted).await;
        assert_eq!((polled.status, &polled.body), (200, &json!({ "state": "succeeded" })), "S44, LOI-03");
        assert_eq!(polled.header("retry-after"), None, "LOI-10");
        for _ in 0..3 {
            let again = session.poll("i", ids::SLOW, &accepted).await;
            assert_eq!((again.status, &again.body), (200, &polled.body), "LOI-09, T14: never 410 for a create");
        }
        assert_eq!((lab.calls(), lab.overlaps(), lab.inventory()), (1, 0, vec!["i=slowx1".to_owned()]));

        let repeated = session.speaking(synchronous(platform)).create("i", ids::SLOW, mood("wait")).await;
        assert_eq!(repeated.status, 200, "PROV-11, T07: nothing is left to do");
        if fetches(&platform) {
            let fetched = session.fetch("i").await;
            assert_eq!(fetched.status, 200, "GETI-02, GETI-03: at once and without hints");
            let expected = json!({
                "service_id": ids::LAB, "plan_id": ids::SLOW, "dashboard_url": DASHBOARD,
                "parameters": { "mood": "wait" }, "metadata": { "labels": { "kind": "lab" } },
            });
            assert_eq!(fetched.body, expected, "GETI-04, META-01");
            assert_eq!(
                session.bind("i", "b", ids::SLOW, none()).await.status,
                202,
                "S40: a rejected request is repeated"
            );
        }
    })
    .await;
}

#[tokio::test]
async fn an_instance_is_updated_in_the_background() {
    at_once(with_parameters(), |platform| async move {
        let (session, lab) = Session::with_lab(platform).await;
        let creating = session.create("i", ids::SLOW, none()).await;
        session.end("i", ids::SLOW, &creating).await;
        let change = json!({ "parameters": { "mood": "wait", "size": 2 } });
        let accepted = session.update("i", ids::SLOW, change.clone()).await;
        assert_eq!(accepted.status, 202, "S11, UPD-12, T27: the plan may be named, and does not change");
        if !fetches(&platform) {
            assert_eq!(accepted.body["dashboard_url"], DASHBOARD, "S15");
        }
        if platform.poll == Poll::Hints {
            assert_ne!(accepted.body["operation"], creating.body["operation"], "T02: another operation");
        }
        let again = session.update("i", ids::SLOW, change).await;
        assert_eq!((again.status, &again.body), (202, &accepted.body), "UPD-12: the same operation");
        for busy in [
            session.update("i", ids::SLOW, mood("fail")).await,
            session.bind("i", "b", ids::SLOW, none()).await,
            session.delete("i", ids::SLOW).await,
        ] {
            assert!(is_error(&busy, "ConcurrencyError"), "BLK-02, BIND-13, DEP-05, ERR-05: {busy:?}");
        }
        if fetches(&platform) {
            assert!(is_error(&session.fetch("i").await, "ConcurrencyError"), "GETI-06");
        }
        assert_eq!(session.poll("i", ids::SLOW, &accepted).await.body["state"], "in progress", "S17");
        lab.gate.open();
        assert_eq!(session.end("i", ids::SLOW, &accepted).await.body["state"], "succeeded");
        assert_eq!(lab.inventory(), ["i=slowx2"]);

        let accepted = session.update("i", ids::SLOW, json!({ "parameters": { "mood": "refuse", "size": 3 } })).await;
        let polled = session.end("i", ids::SLOW, &accepted).await;
        assert_eq!((&polled.body["state"], polled.description()), (&json!("failed"), "Not now."), "S18");
        assert_eq!(lab.inventory(), ["i=slowx2"], "S42");
        if fetches(&platform) {
            let parameters = json!({ "mood": "wait", "size": 2 });
            assert_eq!(session.fetch("i").await.body["parameters"], parameters, "S42, T16, T26");
        }
    })
    .await;
}

#[tokio::test]
async fn an_instance_is_deleted_in_the_background() {
    at_once(with_parameters(), |platform| async move {
        let (session, lab) = Session::with_lab(platform).await;
        created(&session, "i", ids::SLOW).await;
        lab.deletions_go(Behaviour::Wait);
        let accepted = session.delete("i", ids::SLOW).await;
        assert!(accepted.status == 202 && only(&accepted.body, &["operation"]), "DEP-04, DEP-08: {accepted:?}");
        let again = session.delete("i", ids::SLOW).await;
        assert_eq!((again.status, &again.body), (202, &accepted.body), "DEP-04: the same operation");
        let mut busy = vec![
            session.create("i", ids::SLOW, none()).await,
            session.update("i", ids::SLOW, none()).await,
            session.bind("i", "b", ids::SLOW, none()).await,
        ];
        if fetches(&platform) {
            busy.push(session.fetch("i").await);
        }
        for busy in busy {
            assert!(is_error(&busy, "ConcurrencyError"), "BLK-02, T24, X06: {busy:?}");
        }
        assert_eq!(session.poll("i", ids::SLOW, &accepted).await.body["state"], "in progress", "S17");
        lab.gate.open();
        let polled = session.end("i", ids::SLOW, &accepted).await;
        assert_eq!((polled.status, polled.body), (410, none()), "S06, LOI-07");
        assert!(lab.inventory().is_empty(), "DEP-01");
        assert_eq!(session.delete("i", ids::SLOW).await.status, 410, "DEP-04");
        if fetches(&platform) {
            assert_eq!(session.fetch("i").await.status, 404, "GETI-05");
        }
        // 410 would mean "in progress" for a create, and 400 "failed".
        assert_eq!(session.poll("never-heard-of", ids::SLOW, &accepted).await.status, 404, "LOI-06");
    })
    .await;
}

/// The experiment of asynchronous operations without parameters.
#[tokio::test]
async fn an_instance_without_parameters_is_created_and_deleted_in_the_background() {
    let (session, lab) = Session::with_lab(V2_4_ASYNC).await;
    let accepted = session.create("i", ids::SLOW, none()).await;
    assert_eq!((accepted.status, &accepted.body["dashboard_url"]), (202, &json!(DASHBOARD)), "ASY-06, S15");
    let polled = session.end("i", ids::SLOW, &accepted).await;
    assert_eq!((polled.status, &polled.body["state"]), (200, &json!("succeeded")), "LOI-03");
    let accepted = session.delete("i", ids::SLOW).await;
    assert_eq!(accepted.status, 202, "DEP-04");
    let polled = session.end("i", ids::SLOW, &accepted).await;
    assert_eq!((polled.status, polled.body, lab.inventory()), (410, none(), Vec::new()), "S06, LOI-07, DEP-01");
}

#[tokio::test]
async fn an_instance_is_created_and_deleted_at_once() {
    for platform in platforms() {
        let (session, lab) = Session::with_lab(platform).await;
        for plan in [ids::QUICK, ids::SMALL] {
            let created = session.create("i", plan, none()).await;
            assert_eq!(created.status, 201, "ASY-04, PROV-10");
            assert_eq!(created.body["dashboard_url"], DASHBOARD, "PROV-16: it identifies the resource");
            assert_eq!(lab.inventory().len(), 1, "S08: it exists with the answer");
            let calls = lab.calls();
            let again = session.create("i", plan, none()).await;
            assert_eq!((again.status, &again.body, lab.calls()), (200, &created.body, calls), "S07, PROV-11");
            let mut others = vec![session.create("i", ids::LARGE, none()).await];
            if [Location::Guids, Location::Both].contains(&platform.location) {
                others.push(session.create("i", plan, json!({ "space_guid": "another", "context": null })).await);
            }
            if since(&platform, 5) {
                others.push(session.create("i", plan, json!({ "parameters": { "size": 3 } })).await);
            }
            for other in others {
                assert_eq!(other.status, 409, "S07, PROV-14");
                assert!(only(&other.body, &["description"]), "S05: `{{}}` or a description: {other:?}");
            }
            // The plan of a delete request is a hint (S38).
            let deleted = session.delete("i", "no-longer-in-the-catalog").await;
            assert_eq!((deleted.status, deleted.body), (200, none()), "ASY-04, DEP-04, S38, T22");
            assert!(lab.inventory().is_empty(), "DEP-01");
            assert_eq!(session.delete("i", plan).await.status, 410, "S06, DEP-04");
        }
    }
}

#[tokio::test]
async fn invalid_create_requests_are_rejected_with_the_reason() {
    for platform in platforms() {
        let (session, lab) = Session::with_lab(platform).await;
        let mut names = vec!["service_id", "plan_id"];
        if platform.location != Location::Context {
            names.extend(["organization_guid", "space_guid"]);
        }
        for name in names {
            for value in [Value::Null, json!("")] {
                let reply = session.create("i", ids::SMALL, json!({ name: value })).await;
                assert_eq!(reply.status, 400, "S12, ERR-12, PROV-05: {name}");
                assert!(reply.description().contains(name), "{reply:?}");
            }
        }
        for name in ["service_id", "plan_id"] {
            let reply = session.create("i", ids::SMALL, json!({ name: "unknown" })).await;
            assert_eq!(reply.status, 400, "PROV-03, PROV-04");
        }
        if since(&platform, 5) {
            let invalid = session.create("i", ids::QUICK, json!({ "parameters": { "size": 65 } })).await;
            assert_eq!(invalid.status, 400, "PROV-07: the broker validates parameters");
            assert!(invalid.description().contains("/size"), "{invalid:?}");
        }
        assert_eq!(lab.calls(), 0, "ERR-08");
        if platform.location != Location::Context {
            let without = session.create("c", ids::SMALL, json!({ "context": null })).await;
            assert_eq!(without.status, 201, "PROV-06");
        }
    }
}

#[tokio::test]
async fn clients_without_asynchronous_operations_are_rejected() {
    for platform in with_parameters() {
        let (session, lab) = Session::with_lab(platform).await;
        created(&session, "i", ids::SLOW).await;
        let hasty = session.speaking(synchronous(platform));
        let mut rejected = vec![
            hasty.create("j", ids::SLOW, none()).await,
            hasty.create("j", ids::SLOW, json!({ "accepts_incomplete": false })).await,
            hasty.update("i", ids::SLOW, json!({ "parameters": { "size": 2 } })).await,
            // G3: before 2.14 a binding can't be asynchronous.
            hasty.bind("i", "b", ids::SLOW, none()).await,
            hasty.delete("i", ids::SLOW).await,
        ];
        assert_eq!(hasty.unbind("i", "b", ids::SLOW).await.status, 410, "S10");
        if fetches(&platform) {
            let accepted = session.bind("i", "b", ids::SLOW, none()).await;
            session.end_binding("i", "b", ids::SLOW, &accepted).await;
            rejected.push(hasty.unbind("i", "b", ids::SLOW).await);
        } else {
            rejected.push(session.bind("i", "b", ids::SLOW, none()).await);
        }
        for reply in rejected {
            assert!(
                is_error(&reply, "AsyncRequired"),
                "S16, S21, G3, ASY-05, PROV-09, UPD-14, BIND-14, UNB-04: {reply:?}"
            );
        }
        assert!(lab.inventory().contains(&"i=slowx1".to_owned()), "ERR-08");
        assert_eq!(hasty.create("i", ids::SLOW, none()).await.status, 200, "T07: it exists already");
    }
    let (session, lab) = Session::with_lab(V2_2).await;
    assert!(is_error(&session.create("i", ids::SLOW, none()).await, "AsyncRequired"), "S08, G3");
    assert_eq!(lab.inventory(), [""; 0], "ERR-08");
    assert_eq!(session.delete("i", ids::SLOW).await.status, 410, "S08: nothing was created");
    assert_eq!(session.create("i", ids::QUICK, none()).await.status, 201, "the id is still free");
}

/// The field of the body counts in the versions whose documents list it, and is never a reason to reject.
#[tokio::test]
async fn accepts_incomplete_is_read_from_the_body_and_the_query() {
    let (session, _) = Session::with_lab(V2_8).await;
    for (version, status) in [("2.6", 422), ("2.7", 202), ("2.11", 202), ("2.12", 422)] {
        let body = session.speaking(Platform { version, ..V2_8 });
        assert_eq!(body.create(version, ids::SLOW, none()).await.status, status, "S11: {version}");
        let query = session.speaking(Platform { version, incomplete: Incomplete::Query, ..V2_8 });
        let fields = json!({ "accepts_incomplete": "what?", "parameters": { "size": 2 } });
        let reply = query.create(&format!("odd-{version}"), ids::SLOW, fields).await;
        assert_eq!(reply.status, 202, "S11: the query decides: {version}");
    }
    for (value, status) in [("false", 422), ("yes", 400)] {
        let body = V2_4_ASYNC.provision(ids::LAB, ids::SLOW, &none());
        let headers = [("Authorization", AUTHORIZATION), ("X-Broker-API-Version", "2.4")];
        let path = format!("{}?accepts_incomplete={value}", instance("j"));
        assert_eq!(session.wire.exchange("PUT", &path, &headers, Some(&body)).await.status, status, "T36: {value}");
    }
}

/// `operation`, service and plan of a poll are hints: the result is that of the newest operation. A form may have encoded
/// the operation with `+` for a space.
#[tokio::test]
async fn the_query_of_a_poll_is_a_hint() {
    at_once(platforms().filter(|platform| platform.poll == Poll::Hints), |platform| async move {
        let (session, lab) = Session::with_lab(platform).await;
        created(&session, "i", ids::SMALL).await;
        for query in [
            "",
            "?operation=",
            "?operation=task_10",
            "?operation=a%20b+c%2F",
            "?operation=create+it",
            "?operation=provision",
            "?operation=&plan_id=&service_id=",
            "?plan_id=old",
            "?unknown=1",
        ] {
            let path = format!("{}/last_operation{query}", instance("i"));
            let headers = [("Authorization", AUTHORIZATION), (platform.version_header, platform.version)];
            let reply = session.wire.exchange("GET", &path, &headers, None).await;
            assert_eq!((reply.status, &reply.body["state"]), (200, &json!("succeeded")), "T38, T39, T39a: {query}");
        }

        let changing = session.update("i", ids::SMALL, json!({ "parameters": { "mood": "wait", "size": 2 } })).await;
        assert_eq!(changing.status, 202, "S11: this plan is asynchronous if the handler takes long");
        for plan in [ids::SMALL, ids::LARGE] {
            assert_eq!(session.poll("i", plan, &changing).await.body["state"], "in progress", "T15");
        }
        lab.gate.open();
        assert_eq!(session.end("i", ids::SMALL, &changing).await.body["state"], "succeeded");
        let changed = session.update("i", ids::SMALL, json!({ "plan_id": ids::LARGE })).await;
        assert_eq!((changed.status, lab.inventory()), (200, vec!["i=largex2".to_owned()]), "S23");
        let polled = session.poll("i", ids::SMALL, &changing).await;
        assert_eq!(polled.body["state"], "succeeded", "LOI-01, T15: with the previous plan");
    })
    .await;
}

/// In the fork of 2.9, a context replaces the guids.
#[tokio::test]
async fn a_context_takes_the_place_of_guids() {
    let session = route_service(V2_9_FORK).await;
    let created = session.create("i", crossing::PROXIED, none()).await;
    assert_eq!(created.status, 201, "S12");
    let labels = json!({ "platform": "not told", "organization": ORGANIZATION, "space": SPACE });
    assert_eq!(created.body["metadata"]["labels"], labels, "S12: the handler gets the context");
    assert_eq!(session.create("i", crossing::PROXIED, none()).await.status, 200, "S07");
    let moved = json!({ "context": { "organization_guid": ORGANIZATION, "space_guid": "another" } });
    assert_eq!(session.create("i", crossing::PROXIED, moved).await.status, 409, "S07, T04: another space");
    let renamed = json!({ "context": { "organization_guid": ORGANIZATION, "space_guid": SPACE, "some_field": "new" } });
    assert_eq!(session.create("i", crossing::PROXIED, renamed).await.status, 200, "T04: other fields may change");

    let example = json!({ "context": { "some_field": "some-contextual-data" } });
    assert_eq!(session.create("e", crossing::PROXIED, example).await.status, 201, "S12: as in the example");
    let named = json!({ "context": { "platform": "cloudfoundry", "organization_guid": "o", "space_guid": "s" } });
    let created = session.create("n", crossing::PROXIED, named).await;
    assert_eq!(created.body["metadata"]["labels"]["platform"], "cloudfoundry", "PROF-01");
    for context in [Value::Null, json!({})] {
        let refused = session.create("x", crossing::PROXIED, json!({ "context": context })).await;
        assert_eq!(refused.status, 400, "S12: neither context nor guids");
        assert!(refused.description().contains("organization_guid"), "{refused:?}");
    }

    // The released 2.9 has guids alone.
    let released = session.speaking(Platform { location: Location::Guids, ..V2_9_FORK });
    let created = released.create("r", crossing::PROXIED, none()).await;
    let labels = json!({ "platform": "cloudfoundry", "organization": ORGANIZATION, "space": SPACE });
    assert_eq!((created.status, &created.body["metadata"]["labels"]), (201, &labels), "2.12: a context made of them");
    for (version, status) in [("2.8", 201), ("2.11", 201), ("2.12", 400), ("2.17", 400)] {
        let session = session.speaking(Platform { version, ..V2_9_FORK });
        assert_eq!(session.create(version, crossing::PROXIED, none()).await.status, status, "S12: {version}");
    }
    let namespace = route_service(KUBERNETES).await.create("i", crossing::TAP, none()).await;
    assert_eq!(namespace.body["metadata"]["labels"]["platform"], "kubernetes", "PROF-03");
}

/// A deletion stops the creation, whose operation then has failed.
#[tokio::test]
async fn a_deletion_cancels_a_creation() {
    for platform in platforms().filter(fetches) {
        let (session, lab) = Session::with_lab(platform).await;
        let creating = session.create("i", ids::SLOW, mood("wait")).await;
        lab.called(1).await;
        let deleting = session.delete("i", ids::SLOW).await;
        assert_eq!(deleting.status, 202, "DEP-06");
        assert_ne!(deleting.body["operation"], creating.body["operation"], "T17");
        assert_eq!(session.end("i", ids::SLOW, &deleting).await.status, 410, "DEP-07");
        let polled = session.poll("i", ids::SLOW, &creating).await;
        assert_eq!((polled.status, &polled.body["state"]), (200, &json!("failed")), "S39");
        assert!(polled.description().contains("deletion"), "S39: it names the deletion: {polled:?}");
        assert!(lab.inventory().is_empty(), "DEP-06");

        created(&session, "j", ids::SLOW).await;
        let calls = lab.calls();
        let binding = session.bind("j", "b", ids::SLOW, mood("wait")).await;
        lab.called(calls + 1).await;
        let unbinding = session.unbind("j", "b", ids::SLOW).await;
        assert_eq!(unbinding.status, 202, "UNB-05");
        assert_eq!(session.end_binding("j", "b", ids::SLOW, &unbinding).await.status, 410, "UNB-06");
        let polled = session.poll_binding("j", "b", ids::SLOW, &binding).await;
        assert_eq!((polled.status, &polled.body["state"]), (200, &json!("failed")), "S39");
        assert!(polled.description().contains("deletion"), "S39: {polled:?}");
        assert_eq!(lab.inventory(), ["j=slowx1"], "UNB-05");
    }
}
