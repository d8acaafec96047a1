//! Headers, paths, bodies and fields of requests.

use osb_lab::{
    platform::{Application, CLOUD_FOUNDRY, Session, V2_4_ASYNC, V2_8, only},
    prelude::*,
    route_service::{Crossing, RouteServiceBroker, ids as crossing},
};
use osb_runtime::{http::MissingVersion, protocol::ApiVersion};

use crate::{created, fetches, none, platforms, route_service, with_parameters};

const USER: (&str, &str) = ("Authorization", AUTHORIZATION);

/// Serves a broker for requests without a version. The header is mandatory in all versions, but the examples of several
/// documents lack it.
async fn without_version() -> Wire {
    let mut http = HttpSettings::default();
    http.missing_version = MissingVersion::AssumeOldest;
    Wire::serve_http(LabBroker { lab: Lab::default() }, http, Settings::default()).await
}

#[tokio::test]
async fn a_poll_needs_only_the_ids() {
    for platform in with_parameters().chain([V2_4_ASYNC]) {
        let session = Session::over(platform, ids::LAB, without_version().await);
        created(&session, "i", ids::SLOW).await;
        let mut paths = vec![instance("i")];
        if fetches(&platform) {
            let accepted = session.bind("i", "b", ids::SLOW, none()).await;
            session.end_binding("i", "b", ids::SLOW, &accepted).await;
            paths.push(binding("i", "b"));
        }
        for path in paths {
            let reply = session.wire.exchange("GET", &format!("{path}/last_operation"), &[USER], None).await;
            assert_eq!((reply.status, reply.body), (200, json!({ "state": "succeeded" })), "S02, T39");
        }
    }
}

/// The examples of 2.8 have neither a version nor a `Content-Type`; some clients then declare a form.
#[tokio::test]
async fn a_bind_request_without_version_and_content_type_is_accepted() {
    let mut http = HttpSettings::default();
    (http.missing_version, http.minimum_version) = (MissingVersion::AssumeOldest, ApiVersion::new(2, 8));
    let wire = Wire::serve_http(RouteServiceBroker { crossing: Crossing }, http, Settings::default()).await;
    let session = Session::over(V2_8, crossing::CROSSING, wire);
    session.create("i", crossing::PROXIED, none()).await;
    let route = json!({ "bind_resource": { "route": "a.b" } });
    let body = session.platform.bind(session.service, crossing::PROXIED, false, &route);
    let headers = [USER, ("Content-Type", "application/x-www-form-urlencoded")];
    for (id, headers) in [("bare", &headers[..1]), ("form", &headers[..])] {
        let reply = session.wire.exchange("PUT", &binding("i", id), headers, Some(&body)).await;
        assert_eq!(reply.status, 201, "S02, HDR-08: {reply:?}");
        assert!(
            reply.body.get("route_service_url").is_some(),
            "S02: it is taken for the oldest version that is served"
        );
    }
    let poll = format!("{}/last_operation", instance("i"));
    assert_eq!(session.wire.exchange("GET", &poll, &[USER], None).await.body["state"], "succeeded", "S02");
}

#[tokio::test]
async fn headers_are_optional_but_for_credentials_and_version() {
    for platform in platforms() {
        let (session, lab) = Session::with_lab(platform).await;
        let body = platform.provision(ids::LAB, ids::QUICK, &none());
        let version = (platform.version_header, platform.version);
        let identities = [
            "cloudfoundry eyANCiAgInVzZXJfaWQiOiAiNjgzZWE3NDgtMzA5Mi00ZmY0LWI2NTYtMzljYWNjNGQ1MzYwIg0KfQ==",
            "cloudfoundry e30",
            "cloudfoundry",
            "cloudfoundry !",
            "",
        ]
        .map(|identity| Some(("X-Broker-API-Originating-Identity", identity)));
        let types = ["application/json; charset=utf-8", "text/plain"].map(|kind| Some(("Content-Type", kind)));
        let all = identities.into_iter().chain(types).chain([None]);
        for (number, header) in all.enumerate() {
            let headers: Vec<_> = [USER, version].into_iter().chain(header).collect();
            let reply = session.wire.exchange("PUT", &instance(&number.to_string()), &headers, Some(&body)).await;
            assert_eq!(reply.status, 201, "HDR-04, HDR-08, T41: {header:?}");
        }
        assert_eq!(lab.calls(), 8);
    }
}

/// Fields of the fork of 2.9 that no other document has, and the client of the dashboard.
#[tokio::test]
async fn the_catalog_has_additional_fields() {
    for platform in platforms().filter(|platform| platform.application != Application::TopLevel) {
        let session = route_service(platform).await;
        let catalog = session.catalog().await;
        let service = &catalog.body["services"][0];
        assert_eq!(service["max_db_per_node"], json!(5), "S26, EXT-02");
        assert_eq!(service["metadata"]["displayName"], "The Crossing", "PROF-10");
        let plan = &service["plans"][0];
        assert_eq!((&plan["max_storage_tb"], &plan["free"]), (&json!(5), &json!(false)), "S27, CAT-34");
        assert_eq!(plan["metadata"]["cost"], json!(0), "S28: the spelling of the fork");
        assert_eq!(plan["metadata"]["bullets"], json!(["40 concurrent connections"]), "S28: as since 2.13");
        assert_eq!(service["plan_updateable"], json!(true), "S24");
        let secret = std::env::var("PATH").expect("it is set wherever a test runs");
        let client = json!({ "id": "crossing", "secret": secret, "redirect_uri": "https://crossing.example.com" });
        assert_eq!(service["dashboard_client"], client, "S29, CAT-20");
    }
}

/// The properties for which Cloud Foundry rejects a broker at its registration.
#[tokio::test]
async fn a_broker_can_be_registered() {
    let (lab, _) = Session::with_lab(CLOUD_FOUNDRY).await;
    for session in [lab, route_service(CLOUD_FOUNDRY).await] {
        let catalog = session.catalog().await;
        let services = catalog.body["services"].as_array().filter(|list| !list.is_empty()).expect("CAT-01");
        for service in services {
            assert!(service["bindable"].is_boolean(), "CAT-15");
            let tags = service["tags"].as_array().into_iter().flatten().filter_map(Value::as_str);
            assert!(tags.map(str::len).sum::<usize>() <= 2048, "CAT-13");
            for plan in service["plans"].as_array().expect("CAT-22") {
                for name in ["id", "name", "description"] {
                    let text = plan[name].as_str();
                    assert!(text.is_some_and(|text| !text.trim().is_empty()), "CAT-30, CAT-31, CAT-32: {name}");
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
        let known = session.wire.send("GET", "/v2/catalog", &[("If-None-Match", etag)], None).await;
        assert_eq!((known.status, known.body), (304, Value::Null), "HDR-11");
    }
}
