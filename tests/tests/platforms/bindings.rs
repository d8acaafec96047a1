//! Creating, deleting, fetching and rotating bindings.

use osb_lab::{
    platform::{APP, Application, CLOUD_FOUNDRY, KUBERNETES, Platform, Session, V2_8, V2_9_FORK, only},
    prelude::*,
    route_service::ids as crossing,
};

use crate::{V2_8_QUERY, at_once, created, fetches, is_error, mood, none, platforms, route_service, since};

fn credentials(binding: &str) -> Value {
    json!({ "credentials": { "user": binding, "password": format!("password of {binding}") } })
}

#[tokio::test]
async fn an_application_is_bound() {
    for platform in platforms() {
        for plan in [ids::SMALL, ids::QUICK] {
            let (session, lab) = Session::with_lab(platform).await;
            created(&session, "i", plan).await;
            let bound = session.bind("i", "b", plan, none()).await;
            assert_eq!((bound.status, &bound.body), (201, &credentials("b")), "BIND-07, BIND-16");
            let again = session.bind("i", "b", plan, none()).await;
            assert_eq!((again.status, &again.body), (200, &credentials("b")), "S07, BIND-08");
            let application = if platform.application == Application::TopLevel {
                json!({ "app_guid": "another" })
            } else {
                json!({ "app_guid": null, "bind_resource": { "app_guid": "another" } })
            };
            let other = session.bind("i", "b", plan, application.clone()).await;
            assert_eq!(other.status, 409, "S07, BIND-11");
            assert!(only(&other.body, &["description"]), "S05: {other:?}");
            let another = session.bind("i", "c", plan, application).await;
            assert_eq!((another.status, another.body), (201, credentials("c")), "BIND-16: unique credentials");

            let deleted = session.unbind("i", "b", ids::LARGE).await;
            assert_eq!((deleted.status, deleted.body), (200, none()), "UNB-03, S38, T21: the plan is a hint");
            let instance = if plan == ids::SMALL { "i=smallx1" } else { "i=quickx1" };
            assert_eq!(lab.inventory(), ["c=key", instance], "UNB-01: the other application keeps its access");
            assert_eq!(session.unbind("i", "b", plan).await.status, 410, "S06, UNB-03");
            if since(&platform, 5) && plan == ids::QUICK {
                assert_eq!(session.bind("i", "m", plan, mood("dawdle")).await.status, 201);
            }
        }
    }
}

#[tokio::test]
async fn a_service_key_has_no_application() {
    for platform in platforms().filter(|platform| since(platform, 8)) {
        let (session, _) = Session::with_lab(platform).await;
        created(&session, "i", ids::QUICK).await;
        let key = session.key("i", "k", ids::QUICK, none()).await;
        assert_eq!((key.status, key.body), (201, credentials("k")), "S09, PROF-05, BIND-07, BIND-16");
        session.bind("i", "b", ids::QUICK, none()).await;
        let other = session.key("i", "b", ids::QUICK, none()).await;
        assert!(other.status == 409 && only(&other.body, &["description"]), "S05, S07, BIND-11: {other:?}");
        let client = json!({ "bind_resource": { "credential_client_id": "cc_service_key_client" } });
        assert_eq!(session.key("i", "c", ids::QUICK, client.clone()).await.status, 201, "PROF-05");
        assert_eq!(session.key("i", "c", ids::QUICK, client).await.status, 200, "BIND-08");
        let invalid = session.bind("i", "x", ids::QUICK, mood("unheard of")).await;
        assert_eq!(invalid.status, 400, "T55: after 422 a platform would delete");
    }
}

#[tokio::test]
async fn bindings_of_applications_have_logs_and_volumes() {
    for platform in platforms() {
        let (session, _) = Session::with_lab(platform).await;
        let catalog = session.catalog().await;
        let requires = &catalog.body["services"][0]["requires"];
        assert_eq!(requires, &json!(["syslog_drain", "volume_mount"]), "S25, BIND-18, BIND-20");
        created(&session, "l", ids::LARGE).await;
        // 2.8 and 2.9 had volumes as an experiment, in another shape.
        let volumes = if since(&platform, 10) {
            let mount = |path: &str, mode: &str, device: Value| {
                json!({
                    "driver": "nfs", "container_dir": path, "mode": mode, "device_type": "shared", "device": device,
                })
            };
            json!([
                mount("/data", "r", json!({ "volume_id": "v1" })),
                mount("/scratch", "rw", json!({ "volume_id": "v2", "mount_config": { "x": 1 } })),
            ])
        } else {
            let mount = |path: &str, mode: &str, id: &str, config: &str| {
                let private = json!({ "driver": "nfs", "group_id": id, "config": config });
                json!({ "container_path": path, "mode": mode, "private": private })
            };
            json!([mount("/data", "r", "v1", ""), mount("/scratch", "rw", "v2", r#"{"x":1}"#)])
        };
        for status in [201, 200] {
            let bound = session.bind("l", "b", ids::LARGE, none()).await;
            assert_eq!(bound.status, status, "S09");
            assert_eq!(bound.body["syslog_drain_url"], format!("syslog://lab.example.com/{APP}"), "S33, BIND-18");
            if since(&platform, 8) {
                assert_eq!(bound.body["volume_mounts"], volumes, "S34, BIND-21");
            }
        }
        if fetches(&platform) {
            assert_eq!(session.fetch_binding("l", "b").await.body["volume_mounts"], volumes, "GETB-04");
        }
        let refused = session.key("l", "k", ids::LARGE, none()).await;
        assert!(is_error(&refused, "RequiresApp"), "S09, S21, S22, BIND-12, ERR-06: {refused:?}");
        assert_eq!(session.unbind("l", "k", ids::LARGE).await.status, 410, "S10");
        let deprecated = session.key("l", "t", ids::LARGE, json!({ "app_guid": APP })).await;
        assert_eq!(deprecated.status, 201, "S09, T35");
    }
    let (session, _) = Session::with_lab(V2_9_FORK).await;
    created(&session, "i", ids::LARGE).await;
    session.bind("i", "b", ids::LARGE, none()).await;
    let later = session.speaking(Platform { version: "2.10", ..V2_9_FORK });
    let bound = later.bind("i", "b", ids::LARGE, none()).await;
    assert!(bound.body["volume_mounts"][0].get("device").is_some(), "2.10: {bound:?}");
}

/// 2.8 names the application in `app_guid` and in `bind_resource`.
#[tokio::test]
async fn an_application_may_be_named_once() {
    let (session, _) = Session::with_lab(V2_8).await;
    created(&session, "i", ids::QUICK).await;
    created(&session, "l", ids::LARGE).await;
    session.bind("i", "b", ids::QUICK, none()).await;
    for place in ["app_guid", "bind_resource"] {
        let repeated = session.bind("i", "b", ids::QUICK, json!({ place: null })).await;
        assert_eq!(repeated.status, 200, "S09, T35: one is enough");
        session.unbind("l", "b", ids::LARGE).await;
        assert_eq!(session.bind("l", "b", ids::LARGE, json!({ place: null })).await.status, 201, "S09, T35");
    }
}

#[tokio::test]
async fn routes_and_log_drains_are_bound() {
    for platform in platforms().filter(|platform| since(platform, 8)) {
        let session = route_service(platform).await;
        let catalog = session.catalog().await;
        assert_eq!(
            catalog.body["services"][0]["requires"],
            json!(["syslog_drain", "route_forwarding"]),
            "S25, BIND-19"
        );
        let route = json!({ "bind_resource": { "route": "shop.example.com" }, "parameters": {} });
        for (id, plan, body) in [
            ("p", crossing::PROXIED, json!({ "route_service_url": "https://crossing.example.com/shop.example.com" })),
            ("i", crossing::INLINE, none()),
        ] {
            session.create(id, plan, none()).await;
            let bound = session.key(id, "b", plan, route.clone()).await;
            assert_eq!((bound.status, &bound.body), (201, &body), "S32, BIND-19");
            if fetches(&platform) {
                assert_eq!(session.fetch_binding(id, "b").await.body, body, "GETB-04");
            }
            let again = session.key(id, "b", plan, route.clone()).await;
            assert_eq!((again.status, again.body), (200, body), "S07");
            let other = json!({ "bind_resource": { "route": "another.example.com" } });
            assert_eq!(session.key(id, "b", plan, other).await.status, 409, "S07");
        }
        let refused = session.bind("p", "x", crossing::PROXIED, none()).await;
        assert_eq!((refused.status, refused.description()), (400, "Only routes can be bound."));

        session.create("t", crossing::TAP, none()).await;
        for status in [201, 200] {
            let bound = session.bind("t", "b", crossing::TAP, none()).await.has_status(status);
            assert_eq!(bound.body["syslog_drain_url"], "syslog-tls://crossing.example.com:6514", "S33, BIND-18");
            let key = session.key("t", "k", crossing::TAP, none()).await;
            assert_eq!((key.status, &key.body["credentials"]), (status, &json!({ "user": "k" })));
            // Before 2.12 only applications have logs.
            assert_eq!(key.body.get("syslog_drain_url").is_some(), since(&platform, 12), "S33");
        }
        for (id, plan) in [("p", crossing::PROXIED), ("i", crossing::INLINE), ("t", crossing::TAP)] {
            let deleted = session.unbind(id, "b", plan).await;
            assert_eq!((deleted.status, deleted.body), (200, none()), "UNB-03");
            assert_eq!(session.unbind(id, "b", plan).await.status, 410, "S06");
        }
    }
    let session = route_service(Platform { version: "2.7", ..V2_8 }).await;
    session.create("p", crossing::PROXIED, none()).await;
    for status in [201, 200] {
        let route = json!({ "bind_resource": { "route": "shop.example.com" } });
        let bound = session.key("p", "b", crossing::PROXIED, route).await;
        assert_eq!((bound.status, bound.body), (status, none()), "2.8: the URL is invalid for an older platform");
    }
}

#[tokio::test]
async fn a_binding_has_endpoints() {
    for platform in platforms().filter(fetches) {
        let (session, _) = Session::with_lab(platform).await;
        created(&session, "t", ids::TWIN).await;
        let endpoints = json!([
            { "host": "lab.example.com", "ports": ["443", "8443", "9000-9010"], "protocol": "tcp" },
            { "host": "10.0.0.1", "ports": ["53"], "protocol": "udp" },
        ]);
        let bound = session.bind("t", "b", ids::TWIN, none()).await;
        assert_eq!((bound.status, &bound.body["endpoints"]), (201, &endpoints), "BIND-22, BIND-23, T51");
        assert_eq!(session.fetch_binding("t", "b").await.body["endpoints"], endpoints, "GETB-04");
    }
}

#[tokio::test]
async fn a_binding_is_created_and_deleted_in_the_background() {
    at_once(platforms().filter(fetches), |platform| async move {
        let (session, lab) = Session::with_lab(platform).await;
        created(&session, "i", ids::SLOW).await;
        assert_eq!(session.catalog().await.body["services"][0]["bindings_retrievable"], json!(true), "T44");
        let accepted = session.bind("i", "b", ids::SLOW, mood("wait")).await;
        assert_eq!(accepted.status, 202, "BIND-09");
        assert!(only(&accepted.body, &["operation"]), "BIND-10, T43: nothing but the operation: {accepted:?}");
        let again = session.bind("i", "b", ids::SLOW, mood("wait")).await;
        assert_eq!((again.status, &again.body), (202, &accepted.body), "BIND-09: the same operation");
        assert_eq!(session.bind("i", "b", ids::SLOW, none()).await.status, 409, "S43, BIND-11");
        assert_eq!(session.fetch_binding("i", "b").await.status, 404, "GETB-03, T10: not yet");
        let polled = session.poll_binding("i", "b", ids::SLOW, &accepted).await;
        assert_eq!(polled.body["state"], "in progress", "LOB-01");
        if since(&platform, 15) {
            assert_eq!(polled.header("retry-after"), Some("5"), "LOB-06");
        }
        lab.gate.open();
        assert_eq!(session.end_binding("i", "b", ids::SLOW, &accepted).await.body["state"], "succeeded", "LOB-01");
        let fetched = session.fetch_binding("i", "b").await;
        let mut body = credentials("b");
        body["parameters"] = json!({ "mood": "wait" });
        assert_eq!((fetched.status, fetched.body), (200, body), "LOB-05, GETB-02, GETB-04");

        let failed = session.bind("i", "f", ids::SLOW, mood("fail")).await;
        assert_eq!(session.end_binding("i", "f", ids::SLOW, &failed).await.body["state"], "failed", "S18");
        assert_eq!(session.fetch_binding("i", "f").await.status, 404);
        assert_eq!(session.unbind("i", "f", ids::SLOW).await.status, 410, "S41, ORP-03: rolled back already");

        lab.gate.close();
        lab.deletions_go(Behaviour::Wait);
        let accepted = session.unbind("i", "b", ids::SLOW).await;
        assert!(accepted.status == 202 && only(&accepted.body, &["operation"]), "UNB-03: {accepted:?}");
        let again = session.unbind("i", "b", ids::SLOW).await;
        assert_eq!((again.status, &again.body), (202, &accepted.body), "UNB-03: the same operation");
        lab.gate.open();
        // The client of Kubernetes reads the body of 410 as well.
        let polled = session.end_binding("i", "b", ids::SLOW, &accepted).await;
        assert_eq!((polled.status, polled.body), (410, none()), "LOB-01");
        let deleted = session.unbind("i", "b", ids::SLOW).await;
        assert_eq!((deleted.status, deleted.body), (410, none()), "UNB-03");
        assert_eq!(session.fetch_binding("i", "b").await.status, 404, "GETB-03");
    })
    .await;
}

/// Before 2.14 bindings are synchronous, even with `accepts_incomplete`.
#[tokio::test]
async fn bindings_of_older_versions_are_synchronous() {
    let (session, _) = Session::with_lab(V2_8_QUERY).await;
    created(&session, "i", ids::QUICK).await;
    created(&session, "s", ids::SLOW).await;
    let query = [("accepts_incomplete", "true".to_owned())];
    for (id, plan, status) in [("i", ids::QUICK, 201), ("s", ids::SLOW, 422)] {
        let body = session.platform.bind(ids::LAB, plan, true, &json!({ "accepts_incomplete": true }));
        let reply = session.send("PUT", &binding(id, "b"), &query, Some(&body)).await;
        assert_eq!(reply.status, status, "G3: there is no 202 and no way to fetch the credentials");
        assert_eq!(status == 422, is_error(&reply, "AsyncRequired"), "S21");
    }
}

#[tokio::test]
async fn a_binding_is_rotated() {
    for platform in [CLOUD_FOUNDRY, KUBERNETES] {
        let (session, lab) = Session::with_lab(platform).await;
        created(&session, "i", ids::SMALL).await;
        session.bind("i", "old", ids::SMALL, none()).await;
        let rotation = json!({ "predecessor_binding_id": "old" });
        for status in [201, 200] {
            let rotated = session.bind_with("i", "new", &rotation).await;
            let user = &rotated.body["credentials"]["user"];
            assert_eq!((rotated.status, user), (status, &json!("new")), "ROT-03, ROT-04, T32");
        }
        assert_eq!(lab.inventory(), ["i=smallx1", "new=key after old", "old=key"], "ROT-03, T33: both are valid");
        assert_eq!(session.fetch_binding("i", "old").await.status, 200, "ROT-03");
        assert_eq!(session.unbind("i", "old", ids::SMALL).await.status, 200);
        assert_eq!(session.fetch_binding("i", "new").await.body["credentials"]["user"], "new", "T33");
        assert_eq!(session.bind_with("i", "next", &rotation).await.status, 400, "T34: the predecessor is deleted");
        created(&session, "l", ids::LARGE).await;
        session.bind("l", "b", ids::LARGE, none()).await;
        let refused = session.bind_with("l", "next", &json!({ "predecessor_binding_id": "b" })).await;
        assert_eq!(refused.status, 400, "ROT-01, T34");
    }
}
