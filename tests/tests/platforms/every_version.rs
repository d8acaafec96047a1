//! Rules that are the same in several versions of the specification, for a platform of each version.

use std::time::Duration;

use osb_lab::{
    lab::{Behaviour, Lab, LabBroker, ids},
    platform::{Session, only},
    previous_release::{Lab as PreviousLab, PreviousBroker},
    wire::{AUTHORIZATION, Wire},
};
use osb_runtime::{
    http::HttpSettings,
    lifecycle::{Clock, Settings},
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
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

/// Requests without valid credentials get 401.
#[tokio::test]
async fn requests_without_valid_credentials_get_401() {
    for platform in platforms() {
        let (cc, _) = Session::with_lab(platform).await;
        for authorization in [None, Some("Basic dXNlcjp3cm9uZw=="), Some("Bearer dXNlcjpwYXNz"), Some("Basic")] {
            let mut headers = vec![(platform.version_header, platform.version)];
            headers.extend(authorization.map(|value| ("Authorization", value)));
            for path in ["/v2/catalog", "/v2/service_instances/i?service_id=s&plan_id=p"] {
                let method = if path == "/v2/catalog" { "GET" } else { "DELETE" };
                let reply = cc.wire.exchange(method, path, &headers, None).await;
                assert_eq!(reply.status, 401, "AUTH-01: {authorization:?}");
                assert!(!reply.description().is_empty() && only(&reply.body, &["description"]), "S04");
                assert!(
                    reply.header("www-authenticate").is_some_and(|value| value.starts_with("Basic")),
                    "AUTH-02, T58"
                );
            }
        }
    }
}

/// The catalog has all required fields, and names and ids that platforms accept.
#[tokio::test]
async fn the_catalog_has_all_required_fields() {
    for platform in platforms() {
        let (cc, _) = Session::with_lab(platform).await;
        let catalog = cc.catalog().await;
        assert_eq!(catalog.status, 200, "CAT-01");
        let text = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
        let name = |value: &Value| {
            value
                .as_str()
                .is_some_and(|name| name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'))
        };
        let guid = |value: &Value| value.as_str().is_some_and(|id| id.len() == 36 && id.split('-').count() == 5);
        let mut seen = Vec::new();
        for service in catalog.body["services"].as_array().expect("CAT-01: services") {
            assert!(guid(&service["id"]) && text(&service["description"]), "S30, CAT-11, CAT-12");
            assert!(name(&service["name"]), "S31: all lowercase, no spaces");
            assert!(service["bindable"].is_boolean(), "CAT-15");
            seen.push(service["id"].clone());
            for permission in service["requires"].as_array().into_iter().flatten() {
                let known = ["syslog_drain", "route_forwarding", "volume_mount"];
                assert!(permission.as_str().is_some_and(|permission| known.contains(&permission)), "S25, CAT-14");
            }
            for plan in service["plans"].as_array().expect("CAT-22: plans") {
                assert!(
                    guid(&plan["id"]) && name(&plan["name"]) && text(&plan["description"]),
                    "S30, S31, CAT-30 to 32"
                );
                assert!(plan["free"].is_boolean(), "CAT-34");
                seen.push(plan["id"].clone());
            }
        }
        let all = seen.len();
        seen.sort_by_key(Value::to_string);
        seen.dedup();
        assert_eq!(seen.len(), all, "S30: an id is of one thing only");
    }
}

/// A plan that has been removed from the catalog is inactive, and its instances continue to work.
#[tokio::test]
async fn instances_outlive_their_plan() {
    for platform in platforms() {
        let settings = Settings::default();
        let previous = Wire::serve_with(PreviousBroker { lab: PreviousLab }, settings.clone()).await;
        let previous = Session::over(platform, ids::LAB, previous);
        assert_eq!(previous.create("i", ids::OLD, json!({})).await.status, 201);

        let today = Wire::serve_with(LabBroker { lab: Lab::default() }, settings).await;
        let today = Session::over(platform, ids::LAB, today);
        let catalog = today.catalog().await;
        let plans = catalog.body["services"][0]["plans"].as_array().expect("plans");
        assert!(plans.iter().all(|plan| plan["id"] != ids::OLD), "S37: no longer in the marketplace");
        assert_eq!(today.create("j", ids::OLD, json!({})).await.status, 400, "S37: nor provisionable");
        assert_eq!(today.create("i", ids::OLD, json!({})).await.status, 200, "S37: what there is, is there");
        let gone = today.delete("i", ids::OLD).await;
        assert_eq!((gone.status, gone.body), (200, json!({})), "S37, T49");
    }
}

/// The body is a JSON object for every status.
#[tokio::test]
async fn every_body_is_an_object() {
    for platform in platforms() {
        let (cc, _) = Session::with_lab(platform).await;
        let headers = [("Authorization", AUTHORIZATION), (platform.version_header, platform.version)];
        for (method, path, status) in [
            ("GET", "/v2/nothing", 404),
            ("GET", "/", 404),
            ("POST", "/v2/catalog", 405),
            ("PUT", "/v2/service_instances/i", 400),
            ("PUT", "/v2/service_instances/i/service_bindings/b", 400),
            ("PUT", "/v2/service_instances/%ff", 400),
        ] {
            let reply = cc.wire.exchange(method, path, &headers, None).await;
            assert_eq!(reply.status, status, "{method} {path}");
            assert!(only(&reply.body, &["description"]) && !reply.description().is_empty(), "S04, G5: {reply:?}");
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

/// A failed resource is deleted immediately. The platform retries the deletion for 34 hours until it succeeds.
#[tokio::test]
async fn orphans_are_deleted_until_that_succeeds() {
    for platform in with_parameters() {
        let mut settings = Settings::default();
        settings.clock = Clock::of_runtime();
        let lab = Lab::default();
        let wire = Wire::serve_with(LabBroker { lab: lab.clone() }, settings).await;
        let cc = Session::over(synchronous(platform), ids::LAB, wire);
        for mood in ["fail", "fail_half_way", "panic"] {
            let failed = cc.create("i", ids::QUICK, json!({ "parameters": { "mood": mood } })).await;
            assert_eq!(failed.status, 500, "{mood}: 5xx, after which the platform deletes");
            assert_eq!(cc.delete("i", ids::QUICK).await.status, 410, "ORP-02: {mood}");
        }

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

/// A slow client does not get 408, which makes platforms delete the resource that they wanted to create.
#[tokio::test]
async fn a_slow_client_does_not_get_408() {
    for platform in platforms() {
        let mut http = HttpSettings::default();
        (http.head_timeout, http.body_timeout) = (Duration::from_millis(50), Duration::from_millis(50));
        let wire = Wire::serve_http(LabBroker { lab: Lab::default() }, http, Settings::default()).await;
        let head = format!(
            "PUT /v2/service_instances/i HTTP/1.1\r\nHost: broker\r\nAuthorization: {AUTHORIZATION}\r\n\
             {}: {}\r\nContent-Length: 100\r\n",
            platform.version_header, platform.version
        );
        for (sent, told) in [(head.clone(), ""), (format!("{head}\r\n{{\"plan_id\":"), "HTTP/1.1 400 ")] {
            let mut stream = TcpStream::connect(wire.address()).await.expect("the broker listens");
            stream.write_all(sent.as_bytes()).await.expect("the broker reads");
            let mut answer = String::new();
            stream.read_to_string(&mut answer).await.expect("the connection is closed");
            assert!(answer.starts_with(told) && !answer.contains(" 408 "), "S36: {answer}");
        }
    }
}

/// Advances the paused clock.
async fn pass(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}
