//! The client over real connections: with a broker of this project, and with servers that are not brokers.

use std::{
    io::{Read, Write},
    net::TcpListener,
    thread,
};

use osb_client::{Call, Client, ClientError, Platform, Polling, Progress};
use osb_lab::{prelude::*, wire::credentials};
use osb_runtime::{http::Platforms, protocol::ApiVersion};

const AT_ONCE: Duration = Duration::from_millis(5);

async fn serving() -> (Wire, Lab) {
    lab_with(|settings| (settings.sync_wait, settings.retry_after) = (Duration::ZERO, Duration::ZERO)).await
}

fn platform(wire: &Wire) -> Client {
    let client = Client::new(&format!("http://{}", wire.address())).expect("a good URL").basic("user", "pass");
    client.polling(Polling::default().every(AT_ONCE))
}

fn create(instance: &str, plan: &str, parameters: Value) -> Call {
    let call = Call::provision(instance, ids::LAB, plan).parameters(parameters);
    Platform::CloudFoundry.dress(call, instance)
}

#[tokio::test]
async fn operations_of_an_instance_are_polled_to_their_end() {
    let (wire, lab) = serving().await;
    let client = platform(&wire);
    let catalog = client.catalog().await.expect("a catalog");
    let (service, plan) = catalog.find("lab", "slow").expect("there is such a plan");
    assert_eq!(plan.maximum_polling_duration, Some(Duration::from_hours(1)));

    let mut seen = Vec::new();
    let waiting = create("i", &plan.id, json!({ "mood": "wait" })).accepts_incomplete();
    let made = client.complete(&waiting, |progress| {
        // The first poll may come before the handler has said anything.
        if progress.to_string() == "in progress: Wait" {
            lab.gate.open();
        }
        seen.push(progress.to_string());
    });
    assert_eq!(made.await.expect("it is made").answer.status, 202);
    assert!(seen.iter().any(|text| text == "in progress: Wait"), "{seen:?}");
    assert_eq!(seen.last().map(String::as_str), Some("succeeded"));

    let bind = Platform::Kubernetes.dress(Call::bind("i", "b", &service.id, &plan.id), "i").accepts_incomplete();
    assert_eq!(client.complete(&bind, |_| {}).await.expect("it is bound").answer.status, 202);
    let fetched = client.send(&Call::fetch_binding("i", "b")).await.expect("an answer");
    assert_eq!(fetched.body["credentials"]["user"], "b");

    for gone in [
        Call::unbind("i", "b", &service.id, &plan.id).accepts_incomplete(),
        Call::deprovision("i", &service.id, &plan.id).accepts_incomplete(),
    ] {
        assert!(!client.complete(&gone, |_| {}).await.expect("it is deleted").was_gone);
        assert!(client.complete(&gone, |_| {}).await.expect("it is gone").was_gone);
    }
    assert_eq!(lab.inventory(), [""; 0]);
}

#[tokio::test]
async fn a_failed_operation_is_an_error_with_the_message_of_the_broker() {
    let (wire, _) = serving().await;
    let refused = create("i", ids::SLOW, json!({ "mood": "refuse" })).accepts_incomplete();
    let error = platform(&wire).complete(&refused, |_| {}).await.expect_err("it fails");
    assert_eq!(error.to_string(), "the operation failed: The lab is full.");
}

#[tokio::test]
async fn polling_ends_after_the_maximum_time() {
    let (wire, lab) = serving().await;
    let client = platform(&wire).polling(Polling::default().every(AT_ONCE).at_most(Duration::from_millis(50)));
    let waiting = create("i", ids::SLOW, json!({ "mood": "wait" })).accepts_incomplete();
    let error = client.complete(&waiting, |_| {}).await.expect_err("the operation is in progress");
    assert!(matches!(error, ClientError::StillInProgress { retry_after: None, .. }), "{error}");
    lab.gate.open();
}

#[tokio::test]
async fn a_refusal_has_a_status_a_code_and_a_message() {
    let (wire, _) = serving().await;
    let error = platform(&wire).complete(&create("i", ids::SLOW, json!({})), |_| {}).await.expect_err("it is refused");
    assert_eq!(
        error.to_string(),
        "the broker responded 422 Unprocessable Entity, AsyncRequired: This service plan requires client support for \
         asynchronous service operations."
    );
    let stranger = platform(&wire).basic("user", "wrong");
    assert_eq!(stranger.catalog().await.expect_err("401"), ClientError::Unauthorized);
    let ancient = platform(&wire).version(ApiVersion::new(1, 0));
    let error = ancient.catalog().await.expect_err("412").to_string();
    assert!(error.contains("(412)") && error.contains("2.17"), "the message names the supported versions: {error}");
}

/// A server that is still to answer, and its client.
fn other_server() -> (TcpListener, Client) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let client = Client::new(&format!("http://{}", listener.local_addr().expect("it is bound"))).expect("a good URL");
    (listener, client)
}

/// A client of a server that answers its requests with these bytes.
fn client_of_other_server<const N: usize>(answers: [&'static str; N]) -> Client {
    let (listener, client) = other_server();
    thread::spawn(move || {
        let mut request = [0; 4096];
        for answer in answers {
            let (mut stream, _) = listener.accept().expect("a connection");
            let _ = stream.read(&mut request);
            let _ = stream.write_all(answer.as_bytes());
            // Keeps the connection open until the client closes it.
            let _ = stream.read(&mut request);
        }
    });
    client.timeout(Duration::from_millis(500))
}

#[tokio::test]
async fn servers_that_are_not_brokers_are_detected() {
    for (answer, said) in [
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>",
            "not the response of a broker: 200 OK, and the body is not a JSON object: <html>",
        ),
        ("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "404 Not Found, and the body is empty"),
        (
            "HTTP/1.1 302 Found\r\nLocation: https://new.example.com/\r\nContent-Length: 0\r\n\r\n",
            "the server redirects (302 Found) to https://new.example.com/; give the URL of the broker there",
        ),
        ("HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n", "(302 Found), but doesn't say where to"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", "its catalog has no list of services"),
        ("SSH-2.0-OpenSSH_9.2\r\n", "cannot reach http://"),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nsize\r\n",
            "cannot be read: its body is cut short or malformed: ",
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n\u{feff}{}",
            "200 OK, and the body is not JSON, because it begins with a byte order mark: {}",
        ),
        ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}", "did not respond within 0.5 s"),
    ] {
        let error = client_of_other_server([answer]).catalog().await.expect_err(answer).to_string();
        assert!(error.contains(said), "{answer:?}: {error}");
    }
    let (listener, unreachable) = other_server();
    let at = listener.local_addr().expect("it is bound");
    drop(listener);
    let error = unreachable.catalog().await.expect_err("the port is closed").to_string();
    assert!(error.starts_with(&format!("cannot reach http://{at}: ")), "{error}");
    assert!(error.contains("refused"), "{error}");
}

#[tokio::test]
async fn requests_through_a_service_have_the_url_of_the_broker() {
    let platforms = Platforms::behind("cf", "/cf", credentials()).expect("a good prefix");
    let service = BrokerService::start(LabBroker { lab: Lab::default() }, platforms, HttpSettings::default()).await;
    let service = service.expect("it starts");
    let client = Client::through("https://broker.example.com/cf", service.clone()).expect("a good URL");
    let catalog = client.clone().basic("user", "pass").catalog().await.expect("a catalog");
    assert!(catalog.find("lab", "slow").is_some());
    assert_eq!(client.catalog().await.expect_err("no credentials"), ClientError::Unauthorized);
    let asked = client.request(&Call::catalog()).expect("a good request");
    assert_eq!(asked.uri().to_string(), "https://broker.example.com/cf/v2/catalog");
    assert!(Client::through("broker.example.com", service).is_err(), "no scheme");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_request_is_sent_on_a_connection_that_the_server_may_be_closing() {
    let (listener, client) = other_server();
    let served = thread::spawn(move || {
        let mut again = 0;
        for _ in 0..3 {
            let (mut stream, _) = listener.accept().expect("a connection");
            let mut request = [0; 4096];
            assert_ne!(stream.read(&mut request).expect("a request"), 0);
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n{\"services\":[]}").expect("it is sent");
            // The client closes the connection, or sends another request.
            again += stream.read(&mut request).unwrap_or(0);
        }
        again
    });
    for _ in 0..3 {
        client.clone().timeout(Duration::from_secs(10)).catalog().await.expect("a catalog");
    }
    assert_eq!(served.join().expect("it answers"), 0);
}

#[tokio::test]
async fn a_poll_that_asks_for_an_endless_pause_ends_the_polling() {
    // The pause overflows if it is added to a second or more.
    let client = client_of_other_server([
        "HTTP/1.1 200 OK\r\nRetry-After: 1\r\nContent-Length: 23\r\n\r\n{\"state\":\"in progress\"}",
        "HTTP/1.1 200 OK\r\nRetry-After: 18446744073709551615\r\nContent-Length: 23\r\n\r\n{\"state\":\"in progress\"}",
    ]);
    let error = client
        .polling(Polling::default().every(AT_ONCE))
        .follow(&Call::poll("i", None), false, |_| {})
        .await
        .expect_err("it does not wait");
    assert!(matches!(error, ClientError::StillInProgress { .. }), "{error}");
    assert!(error.to_string().contains("the broker asked for a pause of 18446744073709552000 s"), "{error}");
}

#[tokio::test]
async fn an_endless_response_is_refused_with_the_limit() {
    let (listener, client) = other_server();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a connection");
        _ = stream.read(&mut [0; 4096]);
        _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        while stream.write_all(&[b' '; 1 << 13]).is_ok() {}
    });
    let error = client.catalog().await.expect_err("it is too long");
    assert!(error.to_string().ends_with(" cannot be read: its body is longer than 64 MiB"), "{error}");
}

#[tokio::test]
async fn a_response_with_too_long_headers_is_said_to_be_http() {
    let answer = format!("HTTP/1.1 200 OK\r\nX: {}\r\n\r\n", "x".repeat(1 << 20));
    let error = client_of_other_server([answer.leak()]).catalog().await.expect_err("it is too long");
    assert!(error.to_string().ends_with(" cannot be read: its headers are too large"), "{error}");
}

#[tokio::test]
async fn polling_that_ends_without_an_answer_reports_why_the_last_poll_failed() {
    let polling = Polling::default().at_most(Duration::ZERO);
    for (answer, said) in [
        ("SSH-2.0-OpenSSH_9.2\r\n", "the last one failed: cannot reach http://127.0.0.1:"),
        (
            "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n",
            "the last one failed: this is not the response of a broker: 502 Bad Gateway",
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n{\"state\":\"done\"}",
            "the last one failed: the response to the poll has no valid `state`: 200 OK, {\"state\":\"done\"}",
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>",
            "the last one failed: this is not the response of a broker: 200 OK",
        ),
    ] {
        let client = client_of_other_server([answer]).polling(polling);
        let report = |polled: &Progress| panic!("it is not repeated: {polled}");
        let error = client.follow(&Call::poll("i", None), false, report).await.expect_err("it does not end");
        assert!(error.to_string().contains(said), "{error}");
    }
}

#[tokio::test]
async fn each_failed_poll_is_reported_while_polling_continues() {
    let client = client_of_other_server([
        "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 21\r\n\r\n{\"state\":\"succeeded\"}",
    ]);
    let mut lines = Vec::new();
    let client = client.polling(Polling::default().every(AT_ONCE));
    let poll = Call::poll("i", None);
    client.follow(&poll, false, |polled| lines.push(polled.to_string())).await.expect("it succeeds");
    let [failed, succeeded] = lines.as_slice() else { panic!("{lines:?}") };
    assert!(failed.starts_with("the poll failed and is repeated: "), "{failed}");
    assert!(failed.contains("502 Bad Gateway"), "{failed}");
    assert_eq!(succeeded, "succeeded");
}
