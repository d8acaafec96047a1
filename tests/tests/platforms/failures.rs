//! Failing and refusing handlers, and the deletions by which platforms clean up after them.

use osb_lab::{
    platform::{Session, V2_2, only},
    prelude::*,
};

use crate::{at_once, created, fetches, mood, none, platforms, since, synchronous, with_parameters};

#[tokio::test]
async fn a_failed_create_is_polled_until_it_is_deleted() {
    at_once(with_parameters(), |platform| async move {
        let (session, lab) = Session::with_lab(platform).await;
        for (how, description, left) in [
            ("fail", "failed unexpectedly", false),
            ("panic", "failed unexpectedly", false),
            ("refuse", "The lab is full.", false),
            ("fail_half_way", "failed unexpectedly", false),
            ("fail_half_way", "failed unexpectedly", true),
        ] {
            lab.deletions_go(if left { Behaviour::Fail } else { Behaviour::Succeed });
            let accepted = session.create("i", ids::SLOW, mood(how)).await;
            assert_eq!(accepted.status, 202, "{how}");
            let failed = session.end("i", ids::SLOW, &accepted).await;
            assert_eq!((failed.status, &failed.body["state"]), (200, &json!("failed")), "S18, S41, T11, LOI-11: {how}");
            assert!(only(&failed.body, &["state", "description"]), "T47, LOI-08: {failed:?}");
            assert!(failed.description().contains(description), "S18: {failed:?}");
            assert!(!failed.description().contains("secret"), "S18: {failed:?}");
            let again = session.poll("i", ids::SLOW, &accepted).await;
            assert_eq!(again.body, failed.body, "S41, LOI-09: it is remembered: {how}");
            assert_eq!(lab.inventory().is_empty(), !left, "ORP-01: {how}");
            lab.deletions_go(Behaviour::Succeed);
            let deleted = session.delete("i", ids::SLOW).await;
            assert_eq!(deleted.status, if left { 202 } else { 410 }, "S41, T12, ORP-04: {how}");
            if left {
                assert_eq!(session.end("i", ids::SLOW, &deleted).await.status, 410);
            }
            assert!(lab.inventory().is_empty(), "ORP-01");
        }
    })
    .await;
}

#[tokio::test]
async fn failed_updates_and_deletions_leave_the_instance() {
    for platform in with_parameters() {
        let (session, lab) = Session::with_lab(platform).await;
        created(&session, "i", ids::SLOW).await;
        let accepted = session.update("i", ids::SLOW, mood("fail")).await;
        assert_eq!(session.end("i", ids::SLOW, &accepted).await.body["state"], "failed", "S18");
        lab.deletions_go(Behaviour::Fail);
        let accepted = session.delete("i", ids::SLOW).await;
        assert_eq!(session.end("i", ids::SLOW, &accepted).await.body["state"], "failed", "S18: and not 410");
        assert_eq!(lab.inventory(), ["i=slowx1"]);
        lab.deletions_go(Behaviour::Succeed);
        let accepted = session.delete("i", ids::SLOW).await;
        assert_eq!(session.end("i", ids::SLOW, &accepted).await.status, 410);
    }
}

#[tokio::test]
async fn orphans_are_deleted() {
    for platform in with_parameters() {
        let (session, lab) = Session::with_lab(platform).await;
        assert_eq!(session.delete("never-heard-of", ids::SMALL).await.status, 410, "ORP-02, T19");
        for (how, status) in [("fail", 500), ("panic", 500), ("fail_half_way", 500), ("refuse", 400)] {
            assert_eq!(session.create("i", ids::QUICK, mood(how)).await.status, status, "T56: {how}");
            assert_eq!(session.delete("i", ids::QUICK).await.status, 410, "ORP-02, ORP-04: {how}");
        }
        assert!(lab.inventory().is_empty(), "ORP-01");

        created(&session, "i", ids::QUICK).await;
        for (how, status) in [("fail", 500), ("panic", 500), ("refuse", 400)] {
            assert_eq!(session.bind("i", "b", ids::QUICK, mood(how)).await.status, status, "{how}");
            assert_eq!(session.unbind("i", "b", ids::QUICK).await.status, 410, "S10, ORP-02: {how}");
        }
        lab.deletions_go(Behaviour::Fail);
        for _ in 0..3 {
            assert_eq!(session.delete("i", ids::QUICK).await.status, 500, "ORP-02");
        }
        lab.deletions_go(Behaviour::Succeed);
        assert_eq!(session.delete("i", ids::QUICK).await.status, 200, "ORP-02");
        assert!(lab.inventory().is_empty(), "ORP-01");
    }
}

/// The platform deletes an instance while it is being created, after polling for too long.
#[tokio::test]
async fn a_late_success_is_removed() {
    for platform in platforms().filter(fetches) {
        let (session, lab) = Session::with_lab(platform).await;
        let accepted = session.create("i", ids::SLOW, mood("wait_stubbornly")).await;
        while lab.calls() == 0 {
            assert_eq!(session.poll("i", ids::SLOW, &accepted).await.body["state"], "in progress");
        }
        let deleting = session.delete("i", ids::SLOW).await;
        assert_eq!(deleting.status, 202, "DUR-01, DEP-06");
        lab.gate.open();
        assert_eq!(session.end("i", ids::SLOW, &deleting).await.status, 410, "DEP-07");
        assert!(lab.inventory().is_empty(), "T67");
    }
}

/// The platform hangs up while the handler runs or just after it, and deletes.
#[tokio::test]
async fn an_abandoned_request_leaves_no_orphan() {
    for platform in platforms() {
        let (session, lab) = Session::with_lab(synchronous(platform)).await;
        // 2.2 and 2.4 have no parameters.
        for fields in if since(&platform, 5) { vec![none(), mood("wait")] } else { vec![none()] } {
            let calls = lab.calls();
            let abandoned = tokio::spawn({
                let session = session.clone();
                async move { session.create("i", ids::QUICK, fields).await }
            });
            lab.called(calls + 1).await;
            abandoned.abort();
            assert_eq!(session.delete("i", ids::QUICK).await.status, 200, "ORP-02, S35, T18");
            assert_eq!(session.delete("i", ids::QUICK).await.status, 410, "ORP-01");
            assert!(lab.inventory().is_empty(), "ORP-01, T67");
        }
    }
}

/// After any status but 200, 201 and 409, a platform of 2.2 sends an unbind.
#[tokio::test]
async fn a_failed_bind_is_followed_by_an_unbind() {
    let (session, lab) = Session::with_lab(V2_2).await;
    for (plan, why) in [(ids::SMALL, "no instance"), (ids::CLOSED, "not bindable")] {
        if plan == ids::CLOSED {
            session.create("i", plan, none()).await;
        }
        let failed = session.bind("i", "b", plan, none()).await;
        assert!(failed.status >= 400, "{why}");
        assert_ne!(failed.status, 410, "T20: a platform would not take it for a refusal: {why}");
        for _ in 0..2 {
            assert_eq!(session.unbind("i", "b", plan).await.status, 410, "S10: {why}");
        }
    }
    assert_eq!(lab.inventory(), ["i=closed"]);
}

#[tokio::test]
async fn resources_that_cannot_be_deleted_stay() {
    for platform in platforms() {
        let (session, lab) = Session::with_lab(platform).await;
        created(&session, "i", ids::SMALL).await;
        session.bind("i", "b", ids::SMALL, none()).await;
        for (behaviour, status) in [(Behaviour::Fail, 500), (Behaviour::Refuse, 422), (Behaviour::Panic, 500)] {
            lab.deletions_go(behaviour);
            let failed = session.unbind("i", "b", ids::SMALL).await;
            assert_eq!(failed.status, status, "{behaviour:?}");
            assert!(only(&failed.body, &["description"]), "G6: {failed:?}");
            assert!(!failed.description().contains("secret reason"), "{failed:?}");
        }
        assert_eq!(lab.inventory(), ["b=key", "i=smallx1"]);
        lab.deletions_go(Behaviour::Succeed);
        assert_eq!(session.unbind("i", "b", ids::SMALL).await.status, 200);

        lab.deletions_go(Behaviour::Refuse);
        let refused = session.delete("i", ids::SMALL).await;
        assert_eq!((refused.status, refused.description()), (422, "It sticks."), "users see the message");
        lab.deletions_go(Behaviour::Fail);
        assert_eq!(session.delete("i", ids::SMALL).await.status, 500);
        lab.deletions_go(Behaviour::Succeed);
        assert_eq!(session.delete("i", ids::SMALL).await.status, 200);
    }
}

#[tokio::test]
async fn a_refused_request_changes_nothing() {
    for platform in platforms().filter(fetches) {
        let (session, lab) = Session::with_lab(platform).await;
        created(&session, "i", ids::SMALL).await;
        let before = session.fetch("i").await.body;
        let refusals = [
            session.create("i", ids::LARGE, none()).await,
            session.create("j", ids::SMALL, mood("refuse")).await,
            session.update("i", ids::SMALL, mood("refuse")).await,
            session.update("i", ids::SMALL, json!({ "plan_id": ids::LARGE, "parameters": { "size": 99 } })).await,
            session.bind("i", "b", ids::SMALL, mood("refuse")).await,
            session.bind("i", "b", ids::LARGE, none()).await,
            session.unbind("i", "b", ids::SMALL).await,
            session.delete("j", ids::SMALL).await,
        ];
        for (refusal, status) in refusals.iter().zip([409, 400, 422, 400, 400, 400, 410, 410]) {
            assert_eq!(refusal.status, status, "ERR-01: {refusal:?}");
        }
        assert_eq!(refusals[1].body["error"], "LabFull", "ERR-02: the author's error code");
        assert_eq!((session.fetch("i").await.body, lab.inventory()), (before, vec!["i=smallx1".to_owned()]), "ERR-08");
    }
}

/// `instance_usable` and `update_repeatable`, in the answer or in the last operation.
#[tokio::test]
async fn a_failure_says_whether_the_instance_is_usable() {
    for platform in platforms().filter(fetches) {
        let (session, _) = Session::with_lab(platform).await;
        for plan in [ids::QUICK, ids::SLOW] {
            let accepted = session.create(plan, plan, json!({ "parameters": { "name": "sticky" } })).await;
            if accepted.status == 202 {
                session.end(plan, plan, &accepted).await;
            }
            let reply = session.update(plan, plan, mood("refuse")).await;
            let failed = if reply.status == 202 { session.end(plan, plan, &reply).await } else { reply };
            let expected = ("Not now.", &json!(false));
            assert_eq!((failed.description(), &failed.body["update_repeatable"]), expected, "UPD-18, ERR-11");
            assert!(failed.body.get("instance_usable").is_none());
            let reply = session.delete(plan, plan).await;
            let failed = if reply.status == 202 { session.end(plan, plan, &reply).await } else { reply };
            let expected = ("It sticks.", &json!(false));
            assert_eq!((failed.description(), &failed.body["instance_usable"]), expected, "DEP-09, ERR-10");
            assert!(failed.body.get("update_repeatable").is_none(), "ERR-11");
            assert_eq!(session.fetch(plan).await.status, 200, "UPD-17: unchanged");
        }
    }
}
