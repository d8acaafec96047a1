//! Many requests at once: credentials that can be read once, queues with a limit, hundreds of bindings of one instance.

use std::future::Future;

use osb_lab::{
    direct::ask,
    prelude::*,
    wire::{credentials, start},
};
use osb_runtime::lifecycle::CredentialReads;
use osb_store::Redb;
use tokio::task::JoinSet;

/// Sends requests at the same time.
async fn all<F: Future<Output = Reply> + Send + 'static>(
    wire: Wire,
    count: usize,
    request: impl Fn(Arc<Wire>, usize) -> F,
) -> Vec<Reply> {
    let wire = Arc::new(wire);
    let requests: JoinSet<Reply> = (0..count).map(|number| request(Arc::clone(&wire), number)).collect();
    requests.join_all().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bind_17_one_of_many_concurrent_requests_gets_credentials_that_can_be_read_once() {
    for is_fetch in [true, false] {
        let (wire, lab) = lab_with(|settings| {
            (settings.credential_reads, settings.sync_wait) = (CredentialReads::Once, Duration::ZERO);
        })
        .await;
        wire.put(I, new(ids::SMALL, json!({}))).await;
        let body = bind(ids::SMALL, json!({ "mood": "wait" }));
        assert_eq!(wire.put(&accepting(B), body.clone()).await.status, 202);
        lab.gate.open();
        wire.settled(B).await;
        let replies = all(wire, 20, |wire, _| {
            let body = body.clone();
            async move { if is_fetch { wire.get(B).await } else { wire.put(B, body).await } }
        });
        let replies = replies.await;
        assert!(replies.iter().all(|reply| reply.status == 200), "{replies:?}");
        let with = replies.iter().filter(|reply| reply.body["credentials"].is_object()).count();
        assert_eq!(with, 1, "fetch: {is_fetch}");
    }
}

#[tokio::test]
async fn a_request_beyond_the_queue_is_answered_503_and_stores_nothing() {
    let (wire, lab) = lab_with(|settings| {
        (settings.concurrency, settings.queue_limit) = (1, 2);
        (settings.sync_wait, settings.retry_after) = (Duration::ZERO, Duration::ZERO);
    })
    .await;
    let path = |number: usize| format!("/v2/service_instances/{number}");
    let put = async |number| {
        let body = new(ids::SMALL, json!({ "mood": "wait" }));
        wire.put(&format!("{}?accepts_incomplete=true", path(number)), body).await
    };
    for number in 0..3 {
        assert_eq!(put(number).await.status, 202, "one runs, and two wait");
    }
    let refused = put(3).await;
    assert_eq!((refused.status, refused.header("retry-after")), (503, Some("1")), "{refused:?}");
    assert_eq!(wire.get(&format!("{}/last_operation", path(3))).await.status, 404, "nothing is stored");
    assert_eq!(put(0).await.status, 202, "a repeated request needs no place");
    assert_eq!(lab.calls(), 1);
    lab.gate.open();
    for number in 0..3 {
        let ended = wire.settled(&path(number)).await;
        assert_eq!(ended.body["state"], "succeeded");
    }
    // A place is free when its worker has ended, a moment after the response.
    until(async || put(3).await.status != 503).await;
    wire.settled(&path(3)).await;
    assert_eq!(lab.calls(), 4);
}

/// The operation goes on, and has its parameters.
#[tokio::test]
async fn t62_a_request_whose_platform_hangs_up_keeps_the_memory_of_its_body() {
    let (lab, mut http) = (Lab::default(), HttpSettings::default());
    // For one body at a time.
    http.body_memory = 1;
    let broker = LabBroker { lab: lab.clone() };
    let service = BrokerService::start_with(broker, credentials(), http, Settings::default()).await.expect("it starts");
    let put = async |id: &str, mood: &str| {
        let body = new(ids::SMALL, json!({ "mood": mood }));
        ask(&service, "PUT", &instance(id), AUTHORIZATION, &body).await.0
    };
    tokio::select! {
        status = put("i", "wait") => panic!("it is answered {status}"),
        () = lab.called(1) => {}
    }
    for _ in 0..10 {
        assert_eq!(put("j", "succeed").await, 503);
        tokio::task::yield_now().await;
    }
    lab.gate.open();
    let other = async {
        loop {
            match put("j", "succeed").await {
                503 => tokio::task::yield_now().await,
                status => break status,
            }
        }
    };
    assert_eq!(tokio::time::timeout(Duration::from_secs(20), other).await, Ok(201));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn four_hundred_concurrent_binds_of_one_instance_succeed() {
    let folder = tempfile::tempdir().expect("a temporary folder is created");
    let file = Records::new(Redb::open(folder.path().join("records.redb"), None).expect("it opens"));
    for records in [Records::in_memory(), file] {
        let (wire, lab) = lab_with(|settings| settings.store = records).await;
        assert_eq!(wire.put(I, new(ids::SMALL, json!({}))).await.status, 201);
        let bound = all(wire, 400, |wire, number| async move {
            wire.put(&binding("i", &number.to_string()), bind(ids::SMALL, json!({}))).await
        });
        let bound = bound.await;
        assert!(bound.iter().all(|reply| reply.status == 201), "{:?}", bound.iter().find(|reply| reply.status != 201));
        assert_eq!(lab.inventory().len(), 401);
    }
}

#[tokio::test]
async fn settings_that_contradict_each_other_prevent_the_start() {
    let mut settings = Settings::default();
    settings.retry.initial_delay = Duration::from_mins(2);
    settings.lease = Duration::ZERO;
    settings.sync_deadline = Duration::ZERO;
    settings.max_operation_time = Duration::ZERO;
    let started = start(LabBroker { lab: Lab::default() }, settings).await;
    let problems = started.map(drop).expect_err("it does not start");
    let expected = [
        "the setting retry.initial_delay (120s) must not be longer than retry.max_delay (60s)",
        "the setting lease must be greater than 0",
        "the setting sync_deadline must be greater than 0",
        "the setting max_operation_time must be greater than 0",
    ];
    assert_eq!(problems.problems(), expected);
}
