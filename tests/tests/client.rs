//! The client, with a broker of this project over a real connection, and with what is no broker at all.

use std::{
    io::{Read, Write},
    net::TcpListener,
    thread,
    time::Duration,
};

use osb_client::{Call, Client, ClientError, Platform, Polling};
use osb_lab::{
    lab::{Lab, LabBroker, ids},
    wire::Wire,
};
use osb_runtime::{lifecycle::Settings, protocol::ApiVersion};
use serde_json::{Value, json};

const AT_ONCE: Duration = Duration::from_millis(5);

async fn serving() -> (Lab, Wire) {
    let lab = Lab::default();
    let mut settings = Settings::default();
    (settings.moment, settings.retry_after) = (Duration::ZERO, Duration::ZERO);
    (lab.clone(), Wire::serve_with(LabBroker { lab }, settings).await)
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
async fn the_whole_life_of_an_instance_is_followed() {
    let (lab, wire) = serving().await;
    let client = platform(&wire);
    let catalog = client.catalog().await.expect("a catalog");
    let (service, plan) = catalog.find("lab", "slow").expect("there is such a plan");
    assert_eq!(plan.maximum_polling_duration, Some(Duration::from_hours(1)));

    let mut seen = Vec::new();
    let waiting = create("i", &plan.id, json!({ "mood": "wait" })).accepts_incomplete();
    let made = client.complete(&waiting, |progress| {
        seen.push(progress.to_string());
        lab.gate.open();
    });
    assert_eq!(made.await.expect("it is made").answer.status, 202);
    assert_eq!(seen.first().map(String::as_str), Some("in progress: Wait"));
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
async fn an_operation_that_fails_is_an_error_with_what_the_broker_says() {
    let (_, wire) = serving().await;
    let refused = create("i", ids::SLOW, json!({ "mood": "refuse" })).accepts_incomplete();
    let error = platform(&wire).complete(&refused, |_| {}).await.expect_err("it fails");
    assert_eq!(error.to_string(), "the operation failed: The lab is full.");
}

#[tokio::test]
async fn following_ends_when_the_plan_says() {
    let (lab, wire) = serving().await;
    let client = platform(&wire).polling(Polling::default().every(AT_ONCE).at_most(Duration::from_millis(50)));
    let waiting = create("i", ids::SLOW, json!({ "mood": "wait" })).accepts_incomplete();
    let error = client.complete(&waiting, |_| {}).await.expect_err("it goes on");
    assert!(matches!(error, ClientError::StillInProgress { .. }), "{error}");
    lab.gate.open();
}

#[tokio::test]
async fn a_refusal_has_its_status_its_code_and_its_reason() {
    let (_, wire) = serving().await;
    let error = platform(&wire).complete(&create("i", ids::SLOW, json!({})), |_| {}).await.expect_err("it is refused");
    assert_eq!(
        error.to_string(),
        "the broker said 422 Unprocessable Entity, AsyncRequired: This service plan requires client support for \
         asynchronous service operations."
    );
    let stranger = platform(&wire).basic("user", "wrong");
    assert_eq!(stranger.catalog().await.expect_err("401"), ClientError::Unauthorized);
    let ancient = platform(&wire).version(ApiVersion::new(1, 0));
    let error = ancient.catalog().await.expect_err("412").to_string();
    assert!(error.contains("(412)") && error.contains("2.17"), "it says what is served: {error}");
}

/// Answers one request with these bytes.
fn no_broker(answer: &'static str) -> Client {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let client = Client::new(&format!("http://{}", listener.local_addr().expect("it is bound"))).expect("a good URL");
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("somebody connects");
        let mut asked = [0; 4096];
        // Whatever is asked, the answer is the same.
        let _ = stream.read(&mut asked);
        let _ = stream.write_all(answer.as_bytes());
        // Until the other side has had enough.
        let _ = stream.read(&mut asked);
    });
    client.timeout(Duration::from_millis(500))
}

#[tokio::test]
async fn what_is_no_broker_is_called_so() {
    for (answer, said) in [
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>",
            "not the answer of a broker: 200 OK, which is to be a JSON",
        ),
        ("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "404 Not Found, without the JSON object"),
        ("HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n", "a redirection (302 Found)"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", "its catalog has no list of services"),
        ("SSH-2.0-OpenSSH_9.2\r\n", "no broker can be reached"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}", "did not answer within 0.5 s"),
    ] {
        let error = no_broker(answer).catalog().await.expect_err(answer).to_string();
        assert!(error.contains(said), "{answer:?}: {error}");
    }
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let at = listener.local_addr().expect("it is bound");
    drop(listener);
    let nobody = Client::new(&format!("http://{at}")).expect("a good URL");
    let error = nobody.catalog().await.expect_err("nobody listens").to_string();
    assert!(error.starts_with(&format!("no broker can be reached at http://{at}: ")), "{error}");
    assert!(error.contains("refused"), "{error}");
}
