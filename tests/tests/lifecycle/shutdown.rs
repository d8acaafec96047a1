//! Operations that still run when a broker shuts down: it hands them over.

use osb_lab::{prelude::*, wire::credentials};
use tokio::time::Instant;

use crate::directed::{Ending, World};

/// Several times as long as a test, in which another process looks for work each quarter of it.
const LEASE: Duration = Duration::from_secs(8);

async fn start(lab: &Lab, records: &Records) -> Wire {
    let mut settings = Settings::default();
    (settings.lease, settings.sync_wait) = (LEASE, Duration::from_millis(10));
    settings.store = records.clone();
    Wire::serve_with(LabBroker { lab: lab.clone() }, settings).await
}

async fn accepted(wire: &Wire, path: &str, body: Value) -> String {
    let reply = wire.put(&accepting(path), body).await.has_status(202);
    reply.body["operation"].as_str().expect("an operation").to_owned()
}

/// Sends a request to a broker that shuts down once the handler runs, and returns the response.
async fn interrupted(first: Wire, lab: &Lab, method: &str, path: &str, body: Value) -> Reply {
    interrupted_after(first, lab, method, path, body, async |_| {}).await
}

/// The same, with something that happens before the shutdown.
async fn interrupted_after(
    first: Wire,
    lab: &Lab,
    method: &str,
    path: &str,
    body: Value,
    before: impl AsyncFnOnce(&Wire),
) -> Reply {
    let (address, body, calls) = (first.address(), body.to_string(), lab.calls());
    let headers = [("X-Broker-API-Version", "2.17"), ("Authorization", AUTHORIZATION)];
    let waiting = osb_lab::wire::exchange(address, method, path, &headers, &body);
    let shutdown = async {
        lab.called(calls + 1).await;
        before(&first).await;
        first.end().await;
    };
    tokio::join!(waiting, shutdown).0
}

#[tokio::test]
async fn an_accepted_operation_continues_in_another_process_before_its_lease_ends() {
    let (lab, records, began) = (Lab::default(), Records::in_memory(), Instant::now());
    let (first, second) = (start(&lab, &records).await, start(&lab, &records).await);
    let operation = accepted(&first, I, new(ids::SMALL, json!({ "mood": "wait" }))).await;
    first.end().await;
    assert_eq!(lab.runs(), [format!("{operation} 1 ")], "its handler was cancelled");
    lab.gate.open();
    assert_eq!(second.settled(I).await.body["state"], "succeeded");
    assert_eq!(lab.runs(), [format!("{operation} 1 "), format!("{operation} 2 half i")]);
    assert_eq!(lab.overlaps(), 0);
    assert!(began.elapsed() < LEASE);

    lab.gate.close();
    let third = start(&lab, &records).await;
    let bound = accepted(&second, B, bind(ids::SMALL, json!({ "mood": "wait" }))).await;
    second.end().await;
    lab.gate.open();
    assert_eq!(third.settled(B).await.body["state"], "succeeded");
    assert_eq!(lab.runs().last().map(|run| run.starts_with(&format!("{bound} 2 "))), Some(true));
}

/// A handler that ends in the meantime isn't called again.
#[tokio::test]
async fn an_operation_that_ends_during_the_shutdown_is_not_handed_over() {
    let (lab, records) = (Lab::default(), Records::in_memory());
    let (first, second) = (start(&lab, &records).await, start(&lab, &records).await);
    accepted(&first, I, new(ids::SMALL, json!({ "mood": "wait_stubbornly" }))).await;
    let opens = async {
        tokio::time::sleep(Duration::from_millis(900)).await;
        lab.gate.open();
    };
    tokio::join!(first.end(), opens);
    assert_eq!(second.settled(I).await.body["state"], "succeeded");
    assert_eq!(lab.calls(), 1);
}

/// A fifth of the time is less than its handler, which ignores the cancellation, has to end.
#[tokio::test]
async fn a_short_shutdown_leaves_time_to_hand_over() {
    let (lab, records) = (Lab::default(), Records::in_memory());
    let (mut http, mut settings) = (HttpSettings::default(), Settings::default());
    http.shutdown_grace = Duration::from_secs(2);
    (settings.cancel_grace, settings.lease) = (Duration::from_millis(600), LEASE);
    settings.store = records.clone();
    let broker = LabBroker { lab: lab.clone() };
    let first = BrokerService::start_with(broker, credentials(), http, settings).await.expect("it starts");
    let first = Wire::serve_service(first).await;
    let reply = interrupted(first, &lab, "PUT", I, new(ids::SMALL, json!({ "mood": "wait_stubbornly" }))).await;
    assert_eq!(reply.status, 500, "{reply:?}");
    assert!(reply.description().contains("the service broker stopped"), "{reply:?}");
    let (second, began) = (start(&lab, &records).await, Instant::now());
    assert_eq!(second.settled(I).await.body["state"], "failed");
    assert!(began.elapsed() < LEASE);
}

/// A program that mounts the broker shuts it down itself.
#[tokio::test]
async fn a_mounted_broker_refuses_changes_and_answers_the_rest() {
    let lab = Lab::default();
    let mut settings = Settings::default();
    settings.sync_wait = Duration::from_millis(10);
    let (broker, http) = (LabBroker { lab: lab.clone() }, HttpSettings::default());
    let service = BrokerService::start_with(broker, credentials(), http, settings).await.expect("it starts");
    let wire = Wire::serve_service(service.clone()).await;
    let operation = accepted(&wire, I, new(ids::SMALL, json!({ "mood": "wait" }))).await;
    service.refuse_changes();
    let refused = wire.put(&accepting("/v2/service_instances/other"), new(ids::SMALL, json!({}))).await;
    assert_eq!((refused.status, refused.header("retry-after").is_some()), (503, true), "{refused:?}");
    assert_eq!(wire.get("/v2/catalog").await.status, 200);
    assert_eq!(wire.get(&format!("{I}/last_operation")).await.body["state"], "in progress");
    lab.gate.open();
    assert_eq!(wire.settled(I).await.body["state"], "succeeded");
    assert_eq!(lab.runs(), [format!("{operation} 1 ")], "no other handler was called");
}

/// Its platform sees an error, and the create is rolled back by the other process.
#[tokio::test]
async fn a_create_whose_platform_waits_is_rolled_back_by_another_process() {
    let (lab, records, began) = (Lab::default(), Records::in_memory(), Instant::now());
    let (first, second) = (start(&lab, &records).await, start(&lab, &records).await);
    let reply = interrupted(first, &lab, "PUT", I, new(ids::SMALL, json!({ "mood": "wait" }))).await.has_status(500);
    assert!(reply.description().contains("the service broker stopped"), "{reply:?}");
    assert_eq!(second.settled(I).await.body["state"], "failed");
    assert_eq!(lab.inventory().len(), 0);
    assert_eq!(lab.calls(), 1, "the create was not repeated");
    assert!(began.elapsed() < LEASE);
}

/// Its platform polls, as it has repeated the request.
#[tokio::test]
async fn an_operation_that_became_asynchronous_is_not_reported_as_failed() {
    let (lab, records) = (Lab::default(), Records::in_memory());
    let (first, second) = (start(&lab, &records).await, start(&lab, &records).await);
    let body = new(ids::SMALL, json!({ "mood": "wait" }));
    let reply = interrupted_after(first, &lab, "PUT", I, body.clone(), async |first| {
        accepted(first, I, body.clone()).await;
    });
    let reply = reply.await;
    assert_eq!((reply.status, &reply.body["error"]), (422, &json!("ConcurrencyError")), "{reply:?}");
    lab.gate.open();
    assert_eq!(second.settled(I).await.body["state"], "succeeded");
}

/// Its platform sees an error, and keeps the old parameters.
#[tokio::test]
async fn upd_17_an_update_whose_platform_waits_is_not_applied_by_another_process() {
    let (lab, records) = (Lab::default(), Records::in_memory());
    let (first, second) = (start(&lab, &records).await, start(&lab, &records).await);
    assert_eq!(first.put(I, new(ids::SMALL, json!({ "size": 3 }))).await.status, 201);
    let body = change(json!({ "parameters": { "size": 7, "mood": "wait" } }));
    let reply = interrupted(first, &lab, "PATCH", I, body).await.has_status(500);
    assert!(reply.body["description"].as_str().is_some_and(|text| text.contains("stopped")), "{reply:?}");
    lab.gate.open();
    assert_eq!(second.get(I).await.body["parameters"]["size"], 3, "the update was not applied");
    assert_eq!(lab.calls(), 2, "the update was not repeated");
    second.patch(I, change(json!({ "parameters": { "size": 7 } }))).await.has_status(200);
}

/// Its body arrives when the operations have been handed over.
#[tokio::test]
async fn upd_17_an_update_in_flight_is_refused_and_not_applied() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let (lab, records) = (Lab::default(), Records::in_memory());
    let first = start(&lab, &records).await;
    assert_eq!(first.put(I, new(ids::SMALL, json!({}))).await.status, 201);
    let body = change(json!({ "parameters": { "size": 7 } })).to_string();
    let mut stream = tokio::net::TcpStream::connect(first.address()).await.expect("the broker listens");
    let head = format!(
        "PATCH {I}?accepts_incomplete=true HTTP/1.1\r\nHost: broker\r\nConnection: close\r\nAuthorization: {AUTHORIZATION}\r\n\
         X-Broker-API-Version: 2.17\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.expect("the head is sent");
    tokio::time::sleep(Duration::from_millis(100)).await;
    let answered = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        stream.write_all(body.as_bytes()).await.expect("the body is sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.expect("an answer");
        answer
    };
    let (answer, ()) = tokio::join!(answered, first.end());
    assert!(answer.starts_with("HTTP/1.1 503") && answer.contains("retry-after: "), "{answer}");
    let second = start(&lab, &records).await;
    assert_eq!(second.get(I).await.body["parameters"]["size"], Value::Null, "the update was not applied");
}

#[tokio::test]
async fn a_platform_that_polls_is_answered_202_when_its_operation_is_handed_over() {
    let (lab, records) = (Lab::default(), Records::in_memory());
    let mut settings = Settings::default();
    (settings.lease, settings.sync_wait) = (LEASE, Duration::from_secs(10));
    settings.store = records.clone();
    let first = Wire::serve_with(LabBroker { lab: lab.clone() }, settings).await;
    let path = accepting(I);
    interrupted(first, &lab, "PUT", &path, new(ids::SMALL, json!({ "mood": "wait" }))).await.has_status(202);
    lab.gate.open();
    let second = start(&lab, &records).await;
    assert_eq!(second.settled(I).await.body["state"], "succeeded");
}

/// The process that shuts down still works on another operation.
#[tokio::test(start_paused = true)]
async fn an_operation_that_was_handed_over_is_left_to_other_processes() {
    let (mut world, a) = World::of_a_process().await;
    let first = world.begin(&a, "i").await;
    let other = world.begin(&a, "j").await;
    let work = async {
        first.end(Ending::Failed).await;
        tokio::time::sleep(Settings::default().lease * 3).await;
        other.end(Ending::Done("made")).await;
    };
    tokio::join!(a.hand_over(), work);
    let b = world.process("b").await;
    world.call("b provision i 2").await.end_creation("made", &b).await;
    assert_eq!(b.poll("j").await.body["state"], "succeeded");
}

/// Its create has failed just before the shutdown.
#[tokio::test(start_paused = true)]
async fn a_rollback_does_not_begin_in_a_process_that_shuts_down() {
    let (mut world, a) = World::of_a_process().await;
    let failed = world.begin(&a, "i").await;
    a.hold_answers();
    failed.end(Ending::Failed).await;
    let committed = async {
        tokio::time::sleep(Duration::from_millis(1)).await;
        a.release_answers();
    };
    tokio::join!(a.hand_over(), committed);
    let b = world.process("b").await;
    world.call("b deprovision i 3").await.end(Ending::Done("")).await;
    assert_eq!(b.end("i").await.body["state"], "failed");
}

/// The store is out of order, so that its next try may be seconds away.
#[tokio::test(start_paused = true)]
async fn a_checkpoint_is_given_up_at_once_when_its_handler_is_cancelled() {
    let (mut world, a) = World::of_a_process().await;
    let call = world.begin(&a, "i").await;
    a.refuse_commits(true);
    let checkpoint = async {
        let (saved, given_up_at) = (call.save("half").await, Instant::now());
        a.refuse_commits(false);
        call.end(Ending::Failed).await;
        (saved, given_up_at)
    };
    let shutdown = async {
        tokio::time::sleep(Duration::from_secs(12)).await;
        let began = Instant::now();
        a.hand_over().await;
        began
    };
    let ((saved, given_up_at), shut_down_at) = tokio::join!(checkpoint, shutdown);
    assert!(!saved);
    assert_eq!(given_up_at, shut_down_at);
}

/// Its worker looks for it until the lease would end.
#[tokio::test(start_paused = true)]
async fn a_claim_that_the_store_has_not_confirmed_does_not_delay_a_shutdown() {
    let (_world, a) = World::of_a_process().await;
    a.refuse_commits(true);
    assert_eq!(a.ask("i").await.status, 503);
    a.refuse_commits(false);
    tokio::time::sleep(Duration::from_secs(1)).await;
    let began = Instant::now();
    a.hand_over().await;
    assert_eq!(began.elapsed(), Duration::ZERO);
}
