//! Spans that a broker sends to an OpenTelemetry collector.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpListener,
    sync::mpsc,
};

use osb_client::Call;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    traces::{PARENT, TRACE},
    world::{SERVICE, SMALL, Serving, home, ran, shelf, until},
};

const UNSAMPLED: &str = "0af7651916cd43dd8448eb211c80319d";
const REQUEST: &str = "PUT /v2/service_instances/{instance_id}";
const BINDING: &str = "/v2/service_instances/{instance_id}/service_bindings/{binding_id}";

/// Accepts requests as a collector does, and returns their heads and bodies.
fn collector() -> (String, mpsc::Receiver<(String, Value)>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let (send, received) = mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = BufReader::new(stream.expect("a connection"));
            let (mut head, mut length) = (String::new(), 0);
            loop {
                let mut line = String::new();
                stream.read_line(&mut line).expect("a line");
                if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().expect("a number");
                }
                if line.trim().is_empty() {
                    break;
                }
                head.push_str(&line);
            }
            let mut body = vec![0; length];
            stream.read_exact(&mut body).expect("a body");
            // Before the answer, after which the broker may end and the test reads them.
            send.send((head, serde_json::from_slice(&body).expect("JSON"))).expect("the test waits");
            let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}";
            stream.get_mut().write_all(answer.as_bytes()).expect("sent");
        }
    });
    (url, received)
}

#[tokio::test]
async fn a_collector_that_is_away_or_silent_is_not_called_a_broker() {
    let silent = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("http://{}", silent.local_addr().expect("an address"));
    warns_of_collector(&url, &format!("{url} did not respond within 5s\"")).await;
    drop(silent);
    warns_of_collector(&url, &format!("cannot reach {url}: ")).await;
}

/// Runs a broker that logs this reason why its collector gets no spans.
async fn warns_of_collector(url: &str, why: &str) {
    let home = home();
    let mut command = shelf(&home, &["--store", "memory", "--otlp-endpoint", url]);
    command.env("OSB_LOG", "info");
    let mut serving = Serving::logging(command, home.path());
    let call = Call::provision("one", SERVICE, SMALL).parameters(json!({ "width": 80 }));
    let parent = PARENT.parse().expect("well-formed");
    serving.client().trace(Some(&parent)).send(&call).await.expect("an answer");
    let warned = "the collector of --otlp-endpoint gets no spans: ";
    let log = || fs::read_to_string(home.path().join("log")).expect("the log");
    until(|| log().contains(warned));
    assert!(log().contains(&format!("{warned}{why}")), "{}", log());
    serving.stop(&home);
}

#[tokio::test]
async fn spans_are_sent_to_a_collector_and_the_last_ones_at_the_end() {
    let home = home();
    let (url, received) = collector();
    let mut command = shelf(&home, &["--store", "memory", "--otlp-endpoint", &url]);
    command.env("OSB_LOG", "info").env("OTEL_EXPORTER_OTLP_HEADERS", "Authorization=Basic%20dTpw, X-Scope=a=b");
    command
        .env("OTEL_RESOURCE_ATTRIBUTES", "service.name=ignored,service.namespace=sh%2Celves")
        .env("OTEL_SERVICE_NAME", "shelf");
    let mut serving = Serving::of(command);
    let parent = PARENT.parse().expect("well-formed");
    let call = Call::provision("one", SERVICE, SMALL).parameters(json!({ "width": 80 }));
    let answer = serving.client().trace(Some(&parent)).send(&call).await.expect("an answer");
    assert_eq!(answer.status, 201);
    let unsampled = PARENT.replace("-01", "-00").replace(TRACE, UNSAMPLED).parse().expect("well-formed");
    let call = Call { path: call.path.replace("one", "two"), ..call };
    let answer = serving.client().trace(Some(&unsampled)).send(&call).await.expect("an answer");
    assert_eq!(answer.status, 201);
    serving.stop(&home);
    let mut spans = Vec::new();
    while let Ok((head, body)) = received.try_recv() {
        assert!(head.starts_with("POST /v1/traces HTTP/1.1"), "{head}");
        assert!(head.contains("authorization: Basic dTpw\r\n") && head.contains("x-scope: a=b\r\n"), "{head}");
        let resource = &body["resourceSpans"][0];
        let attributes = json!([
            { "key": "service.name", "value": { "stringValue": "shelf" } },
            { "key": "service.namespace", "value": { "stringValue": "sh,elves" } },
            { "key": "service.version", "value": { "stringValue": env!("CARGO_PKG_VERSION") } },
        ]);
        assert_eq!(resource["resource"]["attributes"], attributes);
        spans.extend(resource["scopeSpans"][0]["spans"].as_array().expect("spans").clone());
    }
    assert!(spans.iter().all(|span| span["traceId"] != UNSAMPLED), "the sender does not record it: {spans:?}");
    for name in [REQUEST, "handler"] {
        let span = spans.iter().find(|span| span["name"] == name).unwrap_or_else(|| panic!("{name} in {spans:?}"));
        assert_eq!((&span["traceId"], &span["parentSpanId"]), (&json!(TRACE), &json!("b7ad6b7169203331")), "{span}");
        let nanoseconds =
            |name: &str| span[name].as_str().and_then(|text| text.parse::<u128>().ok()).expect("a number");
        assert!(nanoseconds("startTimeUnixNano") <= nanoseconds("endTimeUnixNano"));
        assert_eq!(span["spanId"].as_str().map(str::len), Some(16));
    }
    let of = |name: &str| spans.iter().find(|span| span["name"] == name).expect("checked");
    for (name, value) in [
        ("http.request.method", json!({ "stringValue": "PUT" })),
        ("http.route", json!({ "stringValue": "/v2/service_instances/{instance_id}" })),
        ("http.response.status_code", json!({ "intValue": "201" })),
    ] {
        let attributes = of(REQUEST)["attributes"].as_array().expect("attributes");
        assert!(attributes.contains(&json!({ "key": name, "value": value })), "{name} in {attributes:?}");
    }
    let handler = of("handler");
    let instance = json!({ "key": "instance", "value": { "stringValue": "one" } });
    assert!(handler["attributes"].as_array().expect("attributes").contains(&instance), "{handler}");
}

/// Runs `work` with a broker that sends its spans to a collector, and returns them.
async fn spans_of(home: &TempDir, work: impl AsyncFnOnce(&Serving)) -> Vec<Value> {
    let (url, received) = collector();
    let mut command = shelf(home, &["--otlp-endpoint", &url]);
    command.env("OSB_LOG", "info");
    let mut serving = Serving::of(command);
    work(&serving).await;
    serving.stop(home);
    let bodies = received.try_iter().map(|(_, body)| body);
    bodies
        .flat_map(|body| body["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().cloned().expect("spans"))
        .collect()
}

fn named<'a>(spans: &'a [Value], name: &str) -> Vec<&'a Value> {
    spans.iter().filter(|span| span["name"] == name).collect()
}

#[tokio::test]
async fn a_request_without_a_trace_begins_one_that_its_handlers_share() {
    let home = home();
    let spans = spans_of(&home, async |serving| {
        for id in ["one", "two"] {
            assert_eq!(serving.provision(id).await.status, 201);
        }
    });
    let spans = spans.await;
    let (requests, handlers) = (named(&spans, REQUEST), named(&spans, "handler"));
    // One is of the hook before the operation.
    assert_eq!((requests.len(), handlers.len()), (2, 4), "{spans:?}");
    assert_ne!(requests[0]["traceId"], requests[1]["traceId"]);
    for request in requests {
        assert_eq!(request.get("parentSpanId"), None, "{request}");
        let of_request = |span: &&&Value| span["traceId"] == request["traceId"];
        let of_request: Vec<_> = handlers.iter().filter(of_request).collect();
        assert_eq!(of_request.len(), 2, "{request}: {handlers:?}");
        for handler in of_request {
            assert_eq!(handler["parentSpanId"], request["spanId"], "{handler}");
            assert_ne!(handler["spanId"], request["spanId"], "{handler}");
        }
    }
}

#[tokio::test]
async fn a_span_has_its_instance_and_that_of_a_failed_handler_is_an_error() {
    let home = home();
    let spans = spans_of(&home, async |serving| {
        assert_eq!(serving.provision("one").await.status, 201);
        assert_eq!(serving.send(&Call::bind("one", "b", SERVICE, SMALL)).await.status, 201);
        assert_eq!(serving.send(&Call::fetch_binding("one", "b")).await.status, 200);
        assert_eq!(serving.send(&Call::poll("one", None)).await.status, 200);
        fs::write(home.path().join("jammed"), "").expect("the file is written");
        assert_eq!(serving.send(&Call::unbind("one", "b", SERVICE, SMALL)).await.status, 500);
        assert_eq!(serving.send(&Call::deprovision("one", SERVICE, SMALL)).await.status, 500);
    });
    let spans = spans.await;
    let value = |span: &Value, name: &str| {
        let attributes = span["attributes"].as_array().expect("attributes");
        let found = attributes.iter().find(|attribute| attribute["key"] == name);
        found.map(|attribute| attribute["value"]["stringValue"].as_str().expect("a string").to_owned())
    };
    for (name, binding) in [
        ("GET /v2/service_instances/{instance_id}/last_operation", None),
        (&format!("GET {BINDING}"), Some("b")),
        (&format!("DELETE {BINDING}"), Some("b")),
    ] {
        let [span] = named(&spans, name)[..] else { panic!("{name} in {spans:?}") };
        let ids = [value(span, "instance"), value(span, "binding")];
        assert_eq!(ids.each_ref().map(Option::as_deref), [Some("one"), binding], "{span}");
    }
    for (handler, fails) in [("provision", false), ("bind", false), ("unbind", true)] {
        let spans: Vec<&Value> = named(&spans, "handler")
            .into_iter()
            .filter(|span| value(span, "handler").as_deref() == Some(handler))
            .collect();
        assert!(!spans.is_empty(), "{handler}");
        for span in spans {
            assert_eq!(span["status"]["code"] == 2, fails, "{span}");
            assert_eq!(value(span, "otel.status_code"), None, "it is the status: {span}");
        }
    }
}

#[test]
fn malformed_lists_for_the_collector_are_refused_without_their_values() {
    let home = home();
    for (variable, value, told) in [
        ("OTEL_EXPORTER_OTLP_HEADERS", "a=b,hush", "--otlp-headers: pair 2 is invalid; write NAME=VALUE,NAME=VALUE"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "a b=hush", "--otlp-headers: header 1 is invalid"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "a=hush%0A", "--otlp-headers: header 1 is invalid"),
        ("OTEL_RESOURCE_ATTRIBUTES", "=hush", "--otlp-attributes: pair 1 is invalid"),
    ] {
        let mut command = shelf(&home, &["--store", "memory", "--otlp-endpoint", "http://127.0.0.1:1"]);
        command.env(variable, value);
        let (code, out, err) = ran(command);
        assert!(code == 2 && err.contains(told) && !err.contains("hush"), "{variable}={value}: {code} {out} {err}");
    }
}
