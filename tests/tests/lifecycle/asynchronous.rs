//! Asynchronous operations: 202, polling, cancellation, retries.

use osb_lab::prelude::*;
use osb_runtime::lifecycle::{CredentialReads, DeletedPoll};
use tokio::time::{Instant, sleep};

use crate::directed::World;

fn quick(settings: &mut Settings) {
    (settings.sync_wait, settings.cancel_grace) = (Duration::from_millis(20), Duration::from_millis(200));
    (settings.retry.initial_delay, settings.retry_after) = (Duration::from_millis(1), Duration::from_secs(2));
}

async fn lab() -> (Wire, Lab) {
    lab_with(quick).await
}

async fn delete(wire: &Wire, path: &str) -> Reply {
    wire.delete(&format!("{path}?accepts_incomplete=true&{DELETE}")).await
}

async fn poll(wire: &Wire, path: &str, operation: &str) -> Reply {
    wire.get(&format!("{path}/last_operation?operation={operation}")).await
}

/// Returns the operation's id in a 202.
#[track_caller]
fn accepted(reply: &Reply) -> String {
    assert_eq!(reply.status, 202, "ASY-06: {reply:?}");
    let operation = reply.body["operation"].as_str().expect("an operation");
    assert!((1..=10_000).contains(&operation.len()), "PROV-17, UPD-16, BIND-26: {operation}");
    assert!(operation.chars().all(|c| c.is_ascii_alphanumeric()), "URL-02: {operation}");
    operation.to_owned()
}

/// Polls until an operation has ended.
async fn end(wire: &Wire, path: &str, operation: &str) -> Reply {
    wire.settled_at(&format!("{path}/last_operation?operation={operation}")).await
}

fn state(reply: &Reply) -> (u16, &Value) {
    (reply.status, &reply.body["state"])
}

#[tokio::test]
async fn a_create_that_takes_long_becomes_asynchronous() {
    let (wire, lab) = lab().await;
    let request = new(ids::SMALL, json!({ "mood": "wait" }));
    let reply = wire.put(&accepting(I), request.clone()).await;
    let operation = accepted(&reply);
    assert_eq!(reply.body["dashboard_url"], "https://lab.example.com/i", "PROV-16, T52");
    let again = wire.put(&accepting(I), request.clone()).await;
    assert_eq!(accepted(&again), operation, "PROV-13, T01, T02");
    assert_eq!(wire.put(&accepting(I), new(ids::SMALL, json!({}))).await.status, 409, "PROV-14, T03");
    assert_eq!(wire.get(I).await.status, 404, "GETI-05, T08");
    let reply = wire.put(&accepting(B), bind(ids::SMALL, json!({}))).await;
    assert_eq!((reply.status, &reply.body["error"]), (422, &json!("ConcurrencyError")), "BLK-02");

    let polled = poll(&wire, I, &operation).await;
    assert_eq!(state(&polled), (200, &json!("in progress")), "LOI-03, S17");
    assert_eq!(polled.description(), "Wait", "ASY-07, LOI-04: the handler's progress");
    assert!(polled.head.to_ascii_lowercase().contains("retry-after: 2"), "LOI-10, HDR-10: {}", polled.head);
    for hint in ["", "?operation=never-given-out", "?service_id=&plan_id=x&operation="] {
        let reply = wire.get(&format!("{I}/last_operation{hint}")).await;
        assert_eq!(state(&reply), (200, &json!("in progress")), "LOI-01, T39, T39a");
    }

    lab.gate.open();
    assert_eq!(state(&end(&wire, I, &operation).await), (200, &json!("succeeded")), "LOI-11");
    assert_eq!(wire.get(I).await.status, 200, "GETI-02");
    assert_eq!(state(&poll(&wire, I, &operation).await), (200, &json!("succeeded")), "LOI-09");
    assert_eq!(wire.put(&accepting(I), request).await.status, 200, "PROV-11, X01");
    assert_eq!(lab.calls(), 1, "one handler ran");
}

#[tokio::test]
async fn a_fast_operation_is_answered_synchronously() {
    // On a busy machine a handler that does nothing can take longer than the others are waited for.
    let (wire, _) = lab_with(|settings| settings.sync_wait = Duration::from_secs(20)).await;
    assert_eq!(wire.put(&accepting(I), new(ids::SMALL, json!({}))).await.status, 201, "ASY-02, ASY-04");
    assert_eq!(wire.put(&accepting(B), bind(ids::SMALL, json!({}))).await.status, 201, "BIND-07");
    assert_eq!(wire.patch(&accepting(I), change(json!({ "parameters": { "size": 2 } }))).await.status, 200, "UPD-11");
    assert_eq!(delete(&wire, B).await.status, 200, "UNB-03");
    assert_eq!(delete(&wire, I).await.status, 200, "DEP-04");
    for path in [I, B] {
        let reply = wire.get(&format!("{path}/last_operation")).await;
        assert_eq!((reply.status, reply.body), (410, json!({})), "LOI-07, LOB-01, S06");
    }
    assert_eq!(wire.get("/v2/service_instances/x/last_operation").await.status, 404, "LOI-06");
    assert_eq!(wire.get("/v2/service_instances/i/service_bindings/x/last_operation").await.status, 404, "LOB-01");
}

#[tokio::test]
async fn a_plan_can_be_always_asynchronous() {
    let (wire, lab) = lab().await;
    lab.gate.open();
    for path in [I.to_owned(), format!("{I}?accepts_incomplete=false")] {
        let reply = wire.put(&path, new(ids::SLOW, json!({}))).await;
        assert_eq!(
            (reply.status, &reply.body["error"]),
            (422, &json!("AsyncRequired")),
            "ASY-05, PROV-09, ERR-04, T36"
        );
        let sentence = "This service plan requires client support for asynchronous service operations.";
        assert_eq!(reply.description(), sentence, "S21");
    }
    let reply = wire.put(I, new(ids::SLOW, json!({ "size": 0 }))).await;
    assert_eq!(reply.status, 400, "validation comes first");
    let made = accepted(&wire.put(&accepting(I), new(ids::SLOW, json!({}))).await);
    assert_eq!(state(&end(&wire, I, &made).await), (200, &json!("succeeded")));
    assert_eq!(wire.put(I, new(ids::SLOW, json!({}))).await.status, 200, "T07: no operation runs");

    let larger = change(json!({ "parameters": { "size": 2 } }));
    assert_eq!(wire.patch(I, larger.clone()).await.body["error"], "AsyncRequired", "UPD-14");
    let updated = accepted(&wire.patch(&accepting(I), larger).await);
    assert_eq!(state(&end(&wire, I, &updated).await), (200, &json!("succeeded")), "UPD-12");
    assert_ne!(updated, made);

    assert_eq!(wire.put(B, bind(ids::SLOW, json!({}))).await.body["error"], "AsyncRequired", "BIND-14");
    let reply = wire.put(&accepting(B), bind(ids::SLOW, json!({}))).await;
    let bound = accepted(&reply);
    assert_eq!(reply.body.as_object().map(serde_json::Map::len), Some(1), "BIND-10, T43: nothing but the operation");
    assert_eq!(state(&end(&wire, B, &bound).await), (200, &json!("succeeded")), "LOB-01");
    assert_eq!(wire.get(B).await.body["credentials"]["user"], "b", "GETB-02, GETB-04, LOB-05");

    assert_eq!(wire.delete(&format!("{B}?{DELETE}")).await.body["error"], "AsyncRequired", "UNB-04");
    let unbound = accepted(&delete(&wire, B).await);
    assert_eq!((end(&wire, B, &unbound).await).status, 410, "LOB-01, UNB-07");
    assert_eq!(wire.delete(&format!("{I}?{DELETE}")).await.body["error"], "AsyncRequired", "DEP-05");
    let deleted = accepted(&delete(&wire, I).await);
    assert_eq!((end(&wire, I, &deleted).await).status, 410, "LOI-07, DEP-08, T13");
    assert!(lab.inventory().is_empty());
}

#[tokio::test]
async fn g3_a_binding_of_an_older_version_is_waited_for() {
    let (mut wire, lab) = lab().await;
    wire.put(I, new(ids::SMALL, json!({}))).await;
    wire.speak("2.13");
    let (path, request) = (accepting(B), bind(ids::SMALL, json!({ "mood": "wait" })));
    let (reply, ()) = tokio::join!(wire.put(&path, request), async {
        lab.called(2).await;
        // Longer than a request of a newer version waits.
        sleep(Duration::from_millis(40)).await;
        lab.gate.open();
    });
    assert_eq!(reply.status, 201, "G3: before 2.14 credentials can't be fetched");
    assert!(reply.body["credentials"].is_object());

    lab.gate.close();
    lab.deletions_go(Behaviour::Wait);
    let (reply, ()) = tokio::join!(delete(&wire, B), async {
        until(async || !lab.remains().is_empty()).await;
        sleep(Duration::from_millis(40)).await;
        lab.gate.open();
    });
    assert_eq!(reply.status, 200, "its platform can't poll: {reply:?}");
}

#[tokio::test]
async fn an_update_is_visible_only_after_it_has_succeeded() {
    let (wire, lab) = lab().await;
    wire.put(I, new(ids::SMALL, json!({ "size": 3 }))).await;
    let waiting =
        change(json!({ "parameters": { "mood": "wait", "size": 5 }, "previous_values": { "plan_id": ids::SMALL } }));
    let operation = accepted(&wire.patch(&accepting(I), waiting.clone()).await);
    assert_eq!(accepted(&wire.patch(&accepting(I), waiting).await), operation, "UPD-12, T02");
    let other = wire.patch(&accepting(I), change(json!({ "parameters": { "size": 6 } }))).await;
    assert_eq!((other.status, &other.body["error"]), (422, &json!("ConcurrencyError")), "ERR-05");
    let reply = wire.get(I).await;
    assert_eq!((reply.status, &reply.body["error"]), (422, &json!("ConcurrencyError")), "GETI-06, T09");
    assert_eq!(delete(&wire, I).await.body["error"], "ConcurrencyError", "DEP-05");
    assert_eq!(wire.put(I, new(ids::SMALL, json!({ "size": 3 }))).await.status, 200, "X10");
    lab.gate.open();
    assert_eq!(state(&end(&wire, I, &operation).await), (200, &json!("succeeded")));
    assert_eq!(wire.get(I).await.body["parameters"]["size"], 5, "T16");
    assert_eq!(wire.put(I, new(ids::SMALL, json!({ "size": 3 }))).await.status, 409, "T06");

    let reply = wire.patch(I, change(json!({ "parameters": { "mood": "refuse", "size": 7 } }))).await;
    assert_eq!((reply.status, &reply.body["update_repeatable"]), (422, &json!(false)), "UPD-18, ERR-11");
    let polled = wire.get(&format!("{I}/last_operation")).await;
    assert_eq!((state(&polled), &polled.body["update_repeatable"]), ((200, &json!("failed")), &json!(false)), "LOI-08");
    assert_eq!(polled.description(), "Not now.");
    assert_eq!(wire.get(I).await.body["parameters"]["size"], 5, "UPD-17");
}

#[tokio::test]
async fn settings_choose_where_the_specification_leaves_a_choice() {
    let (wire, lab) = lab_with(|settings| {
        quick(settings);
        (settings.deleted_poll, settings.credential_reads, settings.unique_ids) =
            (DeletedPoll::Succeeded, CredentialReads::Once, true);
    })
    .await;
    lab.gate.open();
    wire.put(I, new(ids::SMALL, json!({}))).await;
    let bound = wire.put(B, bind(ids::SMALL, json!({}))).await;
    assert!(bound.body["credentials"].is_object(), "BIND-17");
    let again = wire.put(B, bind(ids::SMALL, json!({}))).await;
    assert_eq!((again.status, again.body.get("credentials")), (200, None), "X04");
    assert_eq!(wire.get(B).await.body.get("credentials"), None, "X05");
    delete(&wire, I).await;
    assert_eq!(state(&wire.get(&format!("{I}/last_operation")).await), (200, &json!("succeeded")), "T13");
    assert_eq!(wire.put(I, new(ids::SMALL, json!({}))).await.status, 409, "PROV-02, T24");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_equal_requests_run_one_asynchronous_handler() {
    const MANY: usize = 100;
    let (wire, lab) = lab().await;
    let wire = Arc::new(wire);
    let all = async |action: &'static str| {
        let mut requests = tokio::task::JoinSet::new();
        for n in 0..MANY {
            let wire = Arc::clone(&wire);
            requests.spawn(async move {
                let accepts = if n % 2 == 0 { "?accepts_incomplete=true" } else { "?" };
                let reply = match action {
                    "put" => wire.put(&format!("{I}{accepts}"), new(ids::SMALL, json!({ "mood": "dawdle" }))).await,
                    "bind" => wire.put(&format!("{B}{accepts}"), bind(ids::SMALL, json!({ "mood": "dawdle" }))).await,
                    "unbind" => wire.delete(&format!("{B}{accepts}&{DELETE}")).await,
                    _ => wire.delete(&format!("{I}{accepts}&{DELETE}")).await,
                };
                (reply.status, reply.body["operation"].as_str().map(str::to_owned))
            });
        }
        requests.join_all().await
    };
    for (action, path) in [("put", I), ("bind", B), ("unbind", B), ("deprovision", I)] {
        if action == "unbind" {
            lab.deletions_go(Behaviour::Dawdle);
        }
        let before = lab.calls() + lab.remains().len();
        let replies = all(action).await;
        let made = replies.iter().filter(|(status, _)| *status == 201).count();
        let ids: std::collections::BTreeSet<_> =
            replies.iter().filter_map(|(_, operation)| operation.clone()).collect();
        let creates = ["put", "bind"].contains(&action);
        assert!(made <= 1 && ids.len() <= 1, "T63: {action}: {replies:?}");
        assert!(!creates || made + ids.len() >= 1, "one created it, or all poll: {action}: {replies:?}");
        let possible: &[u16] = if creates { &[200, 201, 202] } else { &[200, 202, 410] };
        assert!(replies.iter().all(|(status, _)| possible.contains(status)), "{action}: {replies:?}");
        if let Some(operation) = ids.first() {
            end(&wire, path, operation).await;
        }
        assert_eq!(lab.calls() + lab.remains().len(), before + 1, "the handler of {action} ran once");
    }
    assert!(lab.inventory().is_empty());
}

#[tokio::test]
async fn loi_06_the_operation_before_the_running_one_can_be_polled_after_many() {
    let (wire, lab) = lab().await;
    let path = accepting(I);
    assert_eq!(wire.put(&path, new(ids::SLOW, json!({}))).await.status, 202);
    wire.settled(I).await;
    let mut operations = Vec::new();
    for (size, mood) in [(2, "succeed"), (3, "succeed"), (4, "succeed"), (5, "fail"), (6, "wait")] {
        let accepted = wire.patch(&path, change(json!({ "parameters": { "size": size, "mood": mood } }))).await;
        assert_eq!(accepted.status, 202, "{accepted:?}");
        operations.push(accepted.body["operation"].as_str().expect("an operation").to_owned());
        if mood != "wait" {
            wire.settled(I).await;
        }
    }
    // The two before it, too. The state of an unknown operation is that of the newest.
    for (number, state) in [(4, "in progress"), (3, "failed"), (2, "succeeded"), (1, "succeeded")] {
        let polled = wire.get(&format!("{I}/last_operation?operation={}", operations[number])).await;
        assert_eq!(polled.body["state"], state, "{number}: {polled:?}");
    }
    lab.gate.open();
    wire.settled(I).await;
    assert_eq!(wire.get(&format!("{I}/last_operation?operation=x")).await.body["state"], "succeeded", "T39a");
    delete(&wire, I).await;
    wire.settled(I).await;
    assert_eq!(poll(&wire, I, &operations[3]).await.status, 410, "the instance does not exist any more");
}

#[tokio::test(start_paused = true)]
async fn asy_07_progress_that_the_store_refuses_is_stored_later() {
    let (mut world, a) = World::of_a_process().await;
    let handler = world.begin(&a, "i").await;
    a.refuse_commits(true);
    handler.say("half");
    sleep(Duration::from_secs(1)).await;
    a.refuse_commits(false);
    sleep(Settings::default().lease).await;
    assert_eq!(a.poll("i").await.body["description"], "half");
    handler.end_creation("made", &a).await;
}

/// Each text that is stored is a write, and platforms poll less often.
#[tokio::test(start_paused = true)]
async fn asy_07_progress_is_stored_a_few_times_a_second() {
    let (mut world, a) = World::of_a_process().await;
    let handler = world.begin(&a, "i").await;
    let stored = async |text: &'static str| {
        handler.say(text);
        until(async || a.poll("i").await.body["description"] == text).await;
    };
    stored("one").await;
    let said_at = Instant::now();
    stored("two").await;
    assert!(said_at.elapsed() > Duration::from_millis(100), "{:?}", said_at.elapsed());
    handler.end_creation("made", &a).await;
}
