//! Updates: plans, parameters, contexts and maintenance.

use osb_lab::{
    platform::{Asynchronous, CLOUD_FOUNDRY, Platform, SPACE, Session, V2_9_FORK, only},
    prelude::*,
    previous_release::{Lab as PreviousLab, PreviousBroker},
    route_service::ids as crossing,
};

use crate::{created, fetches, is_error, none, platforms, route_service, since, with_parameters};

fn has_updates(platform: &Platform) -> bool {
    platform.asynchronous != Asynchronous::Nothing
}

#[tokio::test]
async fn a_plan_is_changed() {
    for platform in platforms().filter(has_updates) {
        let (session, lab) = Session::with_lab(platform).await;
        let catalog = session.catalog().await;
        let service = &catalog.body["services"][0];
        assert_eq!(service["plan_updateable"], json!(true), "S24: the only field for a platform of 2.8");
        assert_eq!(service["plans"][0]["plan_updateable"], json!(true), "S24");
        assert_eq!(service["plans"][1]["plan_updateable"], json!(false), "S24");

        created(&session, "i", ids::SMALL).await;
        let calls = lab.calls();
        let same = session.update("i", ids::SMALL, json!({ "plan_id": ids::SMALL })).await;
        assert_eq!((same.status, lab.calls()), (200, calls), "UPD-11, T27");
        let refused = session.update("i", ids::SMALL, json!({ "plan_id": ids::CLOSED })).await;
        assert_eq!(refused.status, 422, "S23, UPD-14");
        assert!(only(&refused.body, &["description"]), "UPD-02, UPD-14: rejected, with a description: {refused:?}");
        assert!(refused.description().contains("large"), "UPD-02: it names the possible plans: {refused:?}");
        assert_eq!(lab.inventory(), ["i=smallx1"]);
        let mut fields = json!({ "plan_id": ids::LARGE });
        if since(&platform, 5) {
            fields["parameters"] = json!({ "size": 4 });
        }
        let changed = session.update("i", ids::SMALL, fields).await;
        assert_eq!(changed.status, 200, "S23, T29: since 2.6 the service is named");
        assert_eq!(changed.body["dashboard_url"], "https://lab.example.com/large", "UPD-15");
        let size = if since(&platform, 5) { 4 } else { 1 };
        assert_eq!(lab.inventory(), [format!("i=largex{size}")], "S23: the new plan is effective with the answer");
        let back = session.update("i", ids::LARGE, json!({ "plan_id": ids::SMALL })).await;
        assert!(back.status == 422 && only(&back.body, &["description"]), "UPD-14: {back:?}");

        let stale = session.update("i", ids::SMALL, json!({ "plan_id": ids::LARGE })).await;
        assert_eq!(stale.status, 200, "S14: `previous_values` are hints");
        for previous in [
            json!({ "plan_id": ids::SMALL, "service_id": ids::LAB, "organization_id": "moved", "space_id": "moved" }),
            json!({ "plan_id": "", "service_id": ids::LAB }),
        ] {
            let fields = json!({ "previous_values": previous, "plan_id": ids::LARGE });
            assert_eq!(session.update("i", ids::LARGE, fields).await.status, 200, "S14, T39b: hints");
        }
        if platform.update_names_service {
            for previous in [json!({}), json!({ "plan_id": "" })] {
                let fields = json!({ "previous_values": previous, "plan_id": ids::LARGE });
                assert_eq!(session.update("i", ids::LARGE, fields).await.status, 200, "S14, T39b: hints");
            }
        } else {
            let other = json!({ "previous_values": { "service_id": "another" } });
            assert_eq!(session.update("i", ids::LARGE, other).await.status, 400, "S14: but not of another service");
            let later = session.speaking(Platform { version: "2.6", ..platform });
            assert_eq!(later.update("i", ids::LARGE, none()).await.status, 400, "UPD-04: mandatory since 2.6");
        }
        if fetches(&platform) {
            let fetched = session.fetch("i").await;
            assert_eq!(fetched.body["plan_id"], ids::LARGE);
            assert_eq!(fetched.body["dashboard_url"], "https://lab.example.com/large", "GETI-04");
        }
    }
}

#[tokio::test]
async fn updates_have_the_statuses_of_the_specification() {
    for platform in with_parameters() {
        let (session, lab) = Session::with_lab(platform).await;
        created(&session, "i", ids::QUICK).await;
        let changed = session.update("i", ids::QUICK, json!({ "parameters": { "size": 9 } })).await;
        assert_eq!((changed.status, lab.inventory()), (200, vec!["i=quickx9".to_owned()]));
        for (fields, status) in [
            (json!({ "parameters": { "size": 0 } }), 400),
            (json!({ "parameters": { "mood": "fail" } }), 500),
            (json!({ "parameters": { "mood": "refuse" } }), 422),
            (json!({ "plan_id": ids::CLOSED }), 422),
            (json!({ "plan_id": "no-plan" }), 400),
            (json!({ "service_id": "no-service" }), 400),
            (json!({ "parameters": { "size": 9 } }), 200),
            (json!({ "plan_id": ids::QUICK }), 200),
            (json!({}), 200),
        ] {
            let reply = session.update("i", ids::QUICK, fields.clone()).await;
            assert_eq!(reply.status, status, "UPD-07, UPD-11, UPD-13, UPD-14, T27: {fields}");
        }
        let without = session.update("i", ids::QUICK, json!({ "service_id": null })).await;
        assert_eq!(without.status, if platform.update_names_service { 400 } else { 200 }, "UPD-04, T29");
        assert_eq!(lab.inventory(), ["i=quickx9"], "S42");
        if fetches(&platform) {
            assert_eq!(session.fetch("i").await.body["parameters"], json!({ "size": 9 }), "S42");
        }
    }
}

/// In the fork of 2.9, the context is among the previous values.
#[tokio::test]
async fn an_update_finds_the_context_among_the_previous_values() {
    let session = route_service(V2_9_FORK).await;
    let before = |space: &str| json!({ "plan_id": crossing::PROXIED, "context": { "space_guid": space } });
    for (instance, mut fields, space) in [
        ("a", json!({}), SPACE),
        ("b", json!({ "previous_values": before("before") }), "before"),
        ("c", json!({ "previous_values": before("before"), "context": { "space_guid": "now" } }), "now"),
    ] {
        session.create(instance, crossing::PROXIED, none()).await;
        fields["plan_id"] = crossing::INLINE.into();
        let changed = session.update(instance, crossing::PROXIED, fields).await;
        assert_eq!(changed.status, 200, "S13, S23");
        assert_eq!(changed.body["metadata"]["labels"]["space"], space, "S13");
    }
    let back = session.update("a", crossing::INLINE, json!({ "plan_id": crossing::PROXIED })).await;
    assert_eq!(back.status, 422, "S23");
    assert!(!back.description().is_empty(), "UPD-02");
}

/// Cloud Foundry sends the new context after a space was renamed.
#[tokio::test]
async fn a_context_is_updated() {
    let (session, lab) = Session::with_lab(CLOUD_FOUNDRY).await;
    created(&session, "i", ids::SMALL).await;
    assert_eq!(session.catalog().await.body["services"][0]["allow_context_updates"], json!(true), "CAT-18");
    let (calls, mut context) = (lab.calls(), session.platform.context());
    context["space_name"] = "renamed".into();
    let renamed = session.update("i", ids::SMALL, json!({ "context": context })).await;
    assert_eq!((renamed.status, renamed.body, lab.calls()), (200, none(), calls), "UPD-03, T28");
    let repeated = session.create("i", ids::SMALL, none()).await;
    assert_eq!(repeated.status, 200, "T04: the instance is the same in another context");
}

/// `cf upgrade-service`: an instance that is older than the plan's maintenance version.
#[tokio::test]
async fn maintenance_is_performed() {
    let settings = Settings::default();
    let previous = Wire::serve_with(PreviousBroker { lab: PreviousLab }, settings.clone()).await;
    let previous = Session::over(CLOUD_FOUNDRY, ids::LAB, previous);
    let info = |version: &str| json!({ "maintenance_info": { "version": version, "description": "Of no account." } });
    assert_eq!(previous.create("i", ids::SMALL, info("1.1.0")).await.status, 201, "PROV-08");

    let lab = Lab::default();
    let wire = Wire::serve_with(LabBroker { lab: lab.clone() }, settings).await;
    let cc = Session::over(CLOUD_FOUNDRY, ids::LAB, wire);
    assert!(is_error(&cc.create("j", ids::SMALL, info("1.1.0")).await, "MaintenanceInfoConflict"), "PROV-08, ERR-07");
    assert!(is_error(&cc.create("j", ids::CLOSED, info("Invalid")).await, "MaintenanceInfoConflict"), "T30");
    assert_eq!(cc.create("i", ids::SMALL, info("1.1.0")).await.status, 200, "X08: a repeated request comes first");
    assert_eq!(cc.fetch("i").await.body["maintenance_info"], json!({ "version": "1.1.0" }), "GETI-08");

    assert_eq!(cc.update("i", ids::SMALL, none()).await.status, 200, "T30: maintenance is not requested");
    assert!(is_error(&cc.update("i", ids::SMALL, info("1.3.0")).await, "MaintenanceInfoConflict"), "UPD-10");
    assert_eq!(cc.fetch("i").await.body["maintenance_info"], json!({ "version": "1.1.0" }), "UPD-17");
    let mut upgrade = info("1.2.0");
    upgrade["previous_values"] = json!({ "plan_id": ids::SMALL, "maintenance_info": { "version": "1.1.0" } });
    assert_eq!(cc.update("i", ids::SMALL, upgrade.clone()).await.status, 200, "T31");
    assert_eq!(lab.inventory(), ["i=smallx11.2.0"], "T31: the handler did it");
    assert_eq!(cc.fetch("i").await.body["maintenance_info"], json!({ "version": "1.2.0" }), "GETI-08");
    let calls = lab.calls();
    assert_eq!((cc.update("i", ids::SMALL, upgrade).await.status, lab.calls()), (200, calls), "UPD-11: once");
}
