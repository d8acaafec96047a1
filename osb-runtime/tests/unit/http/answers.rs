//! Routes, and the properties of all answers.

use std::{io::Write, sync::Mutex};

use super::*;
use crate::{
    http::Platforms,
    protocol::{BindingId, InstanceId},
};

#[tokio::test]
async fn t37_paths_are_split_before_they_are_decoded() {
    let recorder = Recorder::new();
    let service = service(&recorder, HttpSettings::default());
    let status = async |method: &str, path: &str| get(&service, request(method, path)).await.status;

    assert_eq!(status("GET", "/v2/service_instances/a%2Fb/service_bindings/c%20d+e").await, 200);
    let [Received::Api(ApiRequest::FetchBinding(binding, asked))] = &recorder.asked()[..] else { panic!() };
    assert_eq!((&asked.instance, binding), (&InstanceId::from("a/b"), &BindingId::from("c d+e")));

    // Cloud Foundry sends this if the broker's URL ends with a slash.
    assert_eq!(status("GET", "//v2/catalog").await, 200);
    for malformed in [
        "/v2/service_instances/",
        "/v2/service_instances/%ff",
        "/v2/service_instances//service_bindings/b",
        "/v2/service_instances/i/service_bindings/",
        "/v2/service_instances/i/last_operation?operation=%FF",
    ] {
        assert_eq!(status("GET", malformed).await, 400, "URL-01, LOI-05: {malformed}");
    }
    for unknown in [
        "/",
        "/v2",
        "/v2/",
        "/v1/catalog",
        "/v2/Catalog",
        "/v2/catalog/",
        "/v2%2Fcatalog",
        "/v2/service_instances",
        "/v2/service_instances/i/",
        "/v2/service_instances/i/service_bindings",
        "/v2/service_instances/i/last_operation/",
        "/v2/service_instances/i/last_operation/x",
        "/v2/service_instances/i/service_bindings/b/c",
        "/v2/service_instances/i/service_bindings/b/last_operation/",
        "/v2/service_instances/i/service_bindings/b/last_operation/x",
        "/v2/service_instances/i/service_bindings/b/c/d/e/f/g",
    ] {
        assert_eq!(status("GET", unknown).await, 404, "{unknown}");
    }
}

#[tokio::test]
async fn the_number_of_segments_tells_polls_from_fetches() {
    let recorder = Recorder::new();
    let service = service(&recorder, HttpSettings::default());
    for (path, polled, binding) in [
        ("/v2/service_instances/i/last_operation", true, None),
        ("/v2/service_instances/i/service_bindings/b/last_operation", true, Some("b")),
        ("/v2/service_instances/i/service_bindings/last_operation", false, Some("last_operation")),
        ("/v2/service_instances/i/service_bindings/last_operation/last_operation", true, Some("last_operation")),
        ("/v2/service_instances/last_operation", false, None),
        ("/v2/service_instances/last_operation/last_operation", true, None),
        ("/v2/service_instances/i/service_bindings/last%5Foperation", false, Some("last_operation")),
    ] {
        let answered = get(&service, request("GET", path)).await;
        assert_eq!(answered.status, 200, "{path}");
        let retry_after = answered.headers.get("retry-after").map(|value| value.to_str().unwrap());
        assert_eq!(retry_after, polled.then_some("7"), "{path}");
        let asked = recorder.asked().pop();
        let asked = match &asked {
            Some(Received::Api(ApiRequest::Poll(request))) => (true, request.binding.as_ref()),
            Some(Received::Api(ApiRequest::FetchInstance(_))) => (false, None),
            Some(Received::Api(ApiRequest::FetchBinding(binding, _))) => (false, Some(binding)),
            _ => panic!("{path}: {asked:?}"),
        };
        assert_eq!(asked, (polled, binding.map(BindingId::from).as_ref()), "{path}");
    }
    assert_eq!(get(&service, request("GET", "/v2/service_instances/i%2Flast_operation")).await.status, 200);
    assert!(matches!(recorder.asked()[..], [Received::Api(ApiRequest::FetchInstance(_))]));
}

#[tokio::test]
async fn t58_a_405_lists_the_allowed_methods() {
    let service = service(&Recorder::new(), HttpSettings::default());
    for (method, path, allowed) in [
        ("POST", "/v2/catalog", "GET"),
        ("POST", "/v2/service_instances/i", "GET, PUT, PATCH, DELETE"),
        ("PUT", "/v2/service_instances/i/last_operation", "GET"),
        ("PATCH", "/v2/service_instances/i/service_bindings/b", "GET, PUT, DELETE"),
        ("DELETE", "/v2/service_instances/i/service_bindings/b/last_operation", "GET"),
    ] {
        let answered = get(&service, request(method, path)).await;
        assert_eq!((answered.status.as_u16(), &answered.headers["allow"]), (405, &HeaderValue::from_static(allowed)));
    }
}

#[tokio::test]
async fn hdr_05_an_unprintable_or_long_identity_is_not_echoed() {
    let service = service(&Recorder::new(), HttpSettings::default());
    for (identity, echoed) in [
        ("x".repeat(256), true),
        ("x".repeat(257), false),
        (String::new(), false),
        ("é".into(), false),
        ("a\tb".into(), false),
    ] {
        let request = Request::get("/v2/catalog").header("X-Broker-API-Request-Identity", &identity);
        let answered = get(&service, request).await;
        assert_eq!(answered.headers.contains_key("x-broker-api-request-identity"), echoed, "{identity:?}");
    }
}

#[tokio::test]
async fn hdr_11_t61_an_unchanged_catalog_is_a_304() {
    let service = service(&Recorder::new(), HttpSettings::default());
    let status = async |known: &str| {
        let answered = get(&service, request("GET", "/v2/catalog").header("If-None-Match", known)).await;
        assert_eq!(answered.headers["etag"], "\"abc,1\"");
        assert_eq!(answered.headers["x-broker-api-request-identity"], "identity-1", "HDR-05, T60");
        answered.status
    };
    for known in ["\"abc,1\"", "W/\"abc,1\"", "*", " * ", "\"x\", \"abc,1\"", "\"x\",W/\"y\" ,, W/\"abc,1\",\"z\""] {
        assert_eq!(status(known).await, 304, "{known}");
    }
    for other in ["", "abc,1", "\"abc\"", "\"x\", *", "\"abc,1", "W/", "\"", ",", "\"x\"\"", "w/\"abc,1\"", "\"\""] {
        assert_eq!(status(other).await, 200, "{other}");
    }
    let twice = request("GET", "/v2/catalog").header("If-None-Match", "\"x\"").header("If-None-Match", "\"abc,1\"");
    assert_eq!(get(&service, twice).await.status, 304);
}

#[tokio::test]
async fn t65_a_panic_is_a_500_and_the_connection_survives() {
    let server = Server::start(|_| {}).await;
    let mut client = server.connect().await;
    for instance in ["panic", "panic-later", "fine"] {
        client.send(&head(&format!("GET /v2/service_instances/{instance}"), "\r\n")).await;
    }
    for status in [500, 500] {
        let (head, body) = client.answer().await.unwrap();
        assert!(head.starts_with(&format!("http/1.1 {status}")), "{head}");
        assert_eq!(body, "{\"description\":\"The service broker failed unexpectedly.\"}");
    }
    assert_eq!(client.status().await, 200);
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn hdr_06_t68_each_request_is_logged_without_secrets() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone()).finish();
    // With only one subscriber, tracing caches whether an event is enabled for the first thread that reaches it, which
    // may be one of another test.
    let _another = tracing::Dispatch::new(tracing_subscriber::fmt().with_writer(std::io::sink).finish());
    let _logging = tracing::subscriber::set_default(subscriber);
    let others = AcceptedCredentials::basic("other", "hidden").unwrap();
    let platforms = Platforms::from(credentials()).and_behind("cf-prod", "/cf", others).unwrap();
    let service = BrokerService::new(Recorder::new(), platforms, HttpSettings::default());
    let body = json!({"service_id": "s", "plan_id": "p", "organization_guid": "o", "space_guid": "sp", "parameters": {"hidden": 1}});
    let path = "/v2/service_instances/an%0Aid?accepts_incomplete=true&token=hidden";
    let sent = request("PUT", path).header("X-Broker-API-Originating-Identity", "cloudfoundry hidden");
    ask(&service, sent.body(body.to_string()).unwrap()).await;
    get(&service, request("GET", "/v2/service_instances/panic")).await;
    get(&service, request("GET", "/hidden")).await;
    get(&service, request("GET", "/cf/v2/catalog")).await;

    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    let lines: Vec<_> = log.lines().filter(|line| line.contains("osb_runtime::access")).collect();
    assert_eq!(lines.len(), 4, "{log}");
    for part in [
        "method=\"PUT\"",
        "route=\"/v2/service_instances/{instance_id}\"",
        "instance=\"an\\nid\"",
        "status=200",
        "seconds=",
        "request=\"identity-1\"",
    ] {
        assert!(lines[0].contains(part), "{part} in {}", lines[0]);
    }
    assert!(lines[1].contains("status=500") && lines[2].contains("route=\"unknown\""), "{log}");
    assert!(lines[3].contains("tenant=\"cf-prod\"") && lines[3].contains("status=401"), "{log}");
    assert!(!lines[0].contains("tenant"), "{log}");
    assert!(log.contains("ERROR") && log.contains("a request panicked request=\"identity-1\""), "{log}");
    assert!(log.contains("ignored an X-Broker-API-Originating-Identity"), "{log}");
    assert!(!log.contains("hidden"), "{log}");
}
