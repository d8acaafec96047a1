//! Headers, paths, bodies and fields of requests.

use osb_lab::{
    lab::{Lab, LabBroker, ids},
    platform::{
        APP, Application, CLOUD_FOUNDRY, IDENTITY, KUBERNETES, Session, V2_4_ASYNC, V2_8, V2_9_FORK, V2_14, only,
    },
    requests::{binding, instance},
    route_service::{Crossing, RouteServiceBroker, ids as crossing},
    wire::{AUTHORIZATION, Wire},
};
use osb_runtime::{
    http::{HttpSettings, MissingVersion},
    lifecycle::Settings,
    protocol::ApiVersion,
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use crate::{created, fetches, mood, none, platforms, route_service, with_parameters};

const USER: (&str, &str) = ("Authorization", AUTHORIZATION);

async fn without_version(missing_version: MissingVersion) -> Wire {
    let mut http = HttpSettings::default();
    http.missing_version = missing_version;
    Wire::serve_http(LabBroker { lab: Lab::default() }, http, Settings::default()).await
}

/// The header is mandatory in all versions, but the examples of several documents lack it.
#[tokio::test]
async fn the_operator_decides_on_requests_without_version() {
    for (missing_version, status) in
        [(MissingVersion::Refuse400, 400), (MissingVersion::Refuse412, 412), (MissingVersion::AssumeOldest, 200)]
    {
        let wire = without_version(missing_version).await;
        let reply = wire.exchange("GET", "/v2/catalog", &[USER], None).await;
        assert_eq!(reply.status, status, "S02");
        assert!(status == 200 || reply.description().contains("X-Broker-API-Version"), "S02: {reply:?}");
    }
}

#[tokio::test]
async fn a_poll_needs_only_the_ids() {
    for platform in with_parameters().chain([V2_4_ASYNC]) {
        let session = Session::over(platform, ids::LAB, without_version(MissingVersion::AssumeOldest).await);
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
        for (version, status) in [(platform.version, 201), ("1.14", 412), ("two", 400), ("", 400)] {
            let headers = [USER, (platform.version_header, version)];
            let reply = session.wire.exchange("PUT", &instance("v"), &headers, Some(&body)).await;
            assert_eq!(reply.status, status, "HDR-01, HDR-02, HDR-03, T39c: {version:?}");
            assert!(status != 412 || reply.description().contains("2.17"), "HDR-02: the version to use: {reply:?}");
        }
    }
}

#[tokio::test]
async fn every_answer_has_the_requests_identity() {
    for platform in [CLOUD_FOUNDRY, KUBERNETES] {
        let (session, _) = Session::with_lab(platform).await;
        let identity = ("X-Broker-API-Request-Identity", IDENTITY);
        let version = (platform.version_header, platform.version);
        for (headers, path, status) in [
            (vec![version], "/v2/catalog", 401),
            (vec![USER], "/v2/catalog", 400),
            (vec![USER, (platform.version_header, "3.0")], "/v2/catalog", 412),
            (vec![USER, version], "/v2/nothing", 404),
            (vec![USER, version], "/v2/service_instances/i", 404),
            (vec![USER, version], "/v2/catalog", 200),
        ] {
            let reply = session.wire.exchange("GET", path, &[&headers[..], &[identity]].concat(), None).await;
            assert_eq!(reply.status, status);
            assert_eq!(reply.header("x-broker-api-request-identity"), Some(IDENTITY), "HDR-05, T60: {status}");
        }
        assert_eq!(session.create("i", ids::QUICK, mood("panic")).await.status, 500, "T60, T65: the session checks it");
        // The client of Kubernetes fetches without the originating identity.
        for path in [instance("i"), binding("i", "b")] {
            let reply = session.wire.exchange("GET", &path, &[USER, version], None).await;
            assert_eq!(reply.status, 404, "GETI-05, GETB-03");
        }
    }
}

#[tokio::test]
async fn ids_have_any_characters() {
    for platform in platforms() {
        let (session, lab) = Session::with_lab(platform).await;
        for (sent, meant) in [("a%2Fb%20c%3Fd", "a/b c?d"), ("%C3%A9", "\u{e9}"), ("A-Z.a_z~0", "A-Z.a_z~0")] {
            assert_eq!(session.create(sent, ids::SMALL, none()).await.status, 201, "URL-01: {sent}");
            assert_eq!(lab.inventory(), [format!("{meant}=smallx1")], "URL-01, T37");
            if fetches(&platform) {
                assert_eq!(session.fetch(sent).await.status, 200);
            }
            assert_eq!(session.delete(sent, ids::SMALL).await.status, 200);
        }
    }
}

#[tokio::test]
async fn unknown_fields_are_ignored() {
    for platform in platforms() {
        let (session, _) = Session::with_lab(platform).await;
        let unknown =
            json!({ "acme:new": { "a": [1] }, "new_in_a_later_version": { "any": [1] }, "maintenance_info": {} });
        assert_eq!(session.create("i", ids::SMALL, unknown.clone()).await.status, 201, "EXT-01, T25");
        assert_eq!(session.key("i", "b", ids::SMALL, unknown).await.status, 201, "EXT-01");
        let resource = json!({ "bind_resource": { "app_guid": APP, "acme:new": 1 } });
        assert_eq!(session.key("i", "c", ids::SMALL, resource).await.status, 201, "EXT-01");
        if platform.update_names_service {
            let unknown =
                json!({ "acme:new": [1], "maintenance_info": {}, "previous_values": {}, "bind_resource": {} });
            assert_eq!(session.update("i", ids::SMALL, unknown).await.status, 200, "EXT-01, T39b");
        }
    }
}

/// The fork of 2.9 ends objects in its examples with a comma, which JSON does not allow.
#[tokio::test]
async fn a_body_that_is_not_a_json_object_is_rejected() {
    for platform in [V2_9_FORK, V2_14, CLOUD_FOUNDRY] {
        let (session, lab) = Session::with_lab(platform).await;
        created(&session, "i", ids::SMALL).await;
        let commas = format!(
            r#"{{ "service_id": "{}", "previous_values": {{ "context": {{ "some_field": "data" }}, }} }}"#,
            ids::LAB
        );
        for body in [&commas, r#"["service_id"]"#, ""] {
            let request = format!(
                "PATCH /v2/service_instances/i HTTP/1.1\r\nHost: broker\r\nConnection: close\r\n\
                 Authorization: {AUTHORIZATION}\r\nX-Broker-Api-Version: {}\r\nContent-Length: {}\r\n\r\n{body}",
                platform.version,
                body.len()
            );
            let mut stream = TcpStream::connect(session.wire.address()).await.expect("the broker listens");
            stream.write_all(request.as_bytes()).await.expect("the broker reads");
            let mut answer = String::new();
            stream.read_to_string(&mut answer).await.expect("the broker answers");
            assert!(answer.starts_with("HTTP/1.1 400 ") && answer.contains("description"), "S46, HDR-09: {answer}");
        }
        assert_eq!(lab.calls(), 1, "ERR-08");
    }
}

/// Returns the length of the longest string.
fn longest(value: &Value) -> usize {
    match value {
        Value::String(text) => text.chars().count(),
        Value::Array(items) => items.iter().map(longest).max().unwrap_or(0),
        Value::Object(fields) => fields.values().map(longest).max().unwrap_or(0),
        _ => 0,
    }
}

#[tokio::test]
async fn the_catalog_declares_the_capabilities_of_services_and_plans() {
    for platform in platforms() {
        let (session, _) = Session::with_lab(platform).await;
        let catalog = session.catalog().await;
        let service = &catalog.body["services"][0];
        for name in ["bindable", "instances_retrievable", "bindings_retrievable", "plan_updateable"] {
            assert_eq!(service[name], json!(true), "CAT-15, CAT-16, CAT-17, CAT-21, EXT-03: {name}");
        }
        let mut schemas = 0;
        for plan in service["plans"].as_array().expect("CAT-22") {
            assert!(
                plan["bindable"].is_boolean() && plan["plan_updateable"].is_boolean(),
                "CAT-35, CAT-37, S24, T46: {plan}"
            );
            for pointer in ["/service_instance/create", "/service_instance/update", "/service_binding/create"] {
                let Some(schema) = plan["schemas"].pointer(pointer) else { continue };
                let schema = &schema["parameters"];
                assert_eq!(schema["$schema"], "http://json-schema.org/draft-04/schema#", "CAT-51, CAT-54");
                assert_eq!(schema["type"], "object", "CAT-55");
                let text = schema.to_string();
                assert!(text.len() <= 64_000 && !text.contains("\"$ref\":\"http"), "S45, CAT-52, CAT-53");
                schemas += 1;
            }
        }
        assert!(schemas > 8);
        assert!(longest(&catalog.body) <= 255, "S45, CAT-04");
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
