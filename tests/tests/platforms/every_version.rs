//! Rules that are the same in several versions of the specification, for a platform of each version.

use osb_lab::{
    platform::{Session, only},
    prelude::*,
};

use crate::{platforms, synchronous, with_parameters};

/// The name of the version header is case-insensitive. An unsupported version is rejected with both versions in the
/// text.
#[tokio::test]
async fn versions_are_read_and_rejected() {
    for platform in platforms() {
        let (cc, _) = Session::with_lab(platform).await;
        for spelling in ["X-Broker-Api-Version", "X-Broker-API-Version", "x-broker-api-version", "X-BROKER-API-VERSION"]
        {
            let headers = [("Authorization", AUTHORIZATION), (spelling, platform.version)];
            assert_eq!(cc.wire.exchange("GET", "/v2/catalog", &headers, None).await.status, 200, "S01: {spelling}");
        }
        for (sent, status) in
            [("2.2", 200), ("2.9", 200), ("2.10", 200), ("2.99", 200), ("2.1", 412), ("1.0", 412), ("3.0", 412)]
        {
            let headers = [("Authorization", AUTHORIZATION), (platform.version_header, sent)];
            let reply = cc.wire.exchange("GET", "/v2/catalog", &headers, None).await;
            assert_eq!(reply.status, status, "HDR-01, G4, T40: {sent}");
            if status == 412 {
                assert!(only(&reply.body, &["description"]), "S04, G5: {reply:?}");
                let told = reply.description();
                assert!(
                    told.contains(sent) && told.contains("2.2 to 2.17"),
                    "S03: the actual and the required: {told}"
                );
            }
        }
    }
}

/// The result of an operation is available as long as platforms poll: a week, with a day between two polls.
#[tokio::test]
async fn results_are_available_as_long_as_platforms_poll() {
    for platform in with_parameters() {
        let mut settings = Settings::default();
        settings.clock = Clock::of_runtime();
        assert!(
            settings.sync_deadline + settings.cancel_grace + settings.rollback_wait < Duration::from_mins(1),
            "S19, ASY-01"
        );
        let lab = Lab::default();
        let wire = Wire::serve_with(LabBroker { lab: lab.clone() }, settings).await;
        let cc = Session::over(platform, ids::LAB, wire);
        let created = cc.create("i", ids::SLOW, json!({})).await;
        cc.end("i", ids::SLOW, &created).await;
        pass(Duration::from_hours(7 * 24)).await;
        assert_eq!(cc.poll("i", ids::SLOW, &created).await.body["state"], "succeeded", "S19");
        let deleted = cc.delete("i", ids::SLOW).await;
        cc.end("i", ids::SLOW, &deleted).await;
        pass(Duration::from_hours(7 * 24)).await;
        assert_eq!(cc.poll("i", ids::SLOW, &deleted).await.status, 410, "S19, S35");
        assert_eq!(cc.delete("i", ids::SLOW).await.status, 410);
    }
}

/// The platform retries the deletion for 34 hours until it succeeds.
#[tokio::test]
async fn orphans_are_deleted_until_that_succeeds() {
    for platform in with_parameters() {
        let (wire, lab) = lab_with(|settings| settings.clock = Clock::of_runtime()).await;
        let cc = Session::over(synchronous(platform), ids::LAB, wire);
        // The leftovers of a failed creation can't be deleted at first.
        lab.deletions_go(Behaviour::Fail);
        let failed = cc.create("i", ids::QUICK, json!({ "parameters": { "mood": "fail_half_way" } })).await;
        assert_eq!((failed.status, lab.inventory()), (500, vec!["i=half".to_owned()]));
        for hours in [0, 1, 2, 4, 8] {
            pass(Duration::from_hours(hours)).await;
            assert_eq!(cc.delete("i", ids::QUICK).await.status, 500, "S35");
        }
        lab.deletions_go(Behaviour::Succeed);
        assert_eq!(cc.delete("i", ids::QUICK).await.status, 200, "S35, T12");
        assert!(lab.inventory().is_empty(), "ORP-01");
        pass(Duration::from_hours(34)).await;
        assert_eq!(cc.delete("i", ids::QUICK).await.status, 410, "S35: and for as long as it asks");
    }
}

/// Advances the paused clock.
async fn pass(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}
