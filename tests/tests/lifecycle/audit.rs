//! Audit events report each operation when it begins and when it ends, once each, and hooks can refuse it before it begins.

use http::StatusCode;
use osb_lab::prelude::*;
use osb_runtime::{
    catalog::PlanNames,
    http::BoxError,
    lifecycle::{Action, AnyHooks, Audit, Event, Export, HookError, Hooks, Measured, Metrics, MetricsFormat, Stage},
    service::{ErrorCode, Failure},
};

const QUOTA: ErrorCode = ErrorCode::from_static("Quota");
const INCOMPLETE: &str = "/v2/service_instances/i?accepts_incomplete=true";

/// An audit sink that keeps the events.
#[derive(Clone, Default)]
pub(crate) struct Kept(Notes<Event>);

impl Audit for Kept {
    fn record(&self, event: &Event) {
        self.0.add(event.clone());
    }
}

impl Kept {
    fn events(&self) -> Vec<Event> {
        self.0.all()
    }

    /// Takes the events since the last call, as `action stage`, with the binding if there is one.
    pub(crate) fn told(&self) -> Vec<String> {
        self.0.take().iter().map(in_words).collect()
    }

    /// Waits until there are at least `number` events, and takes them.
    async fn told_of(&self, number: usize) -> Vec<String> {
        for _ in 0..500 {
            if self.events().len() >= number {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        self.told()
    }
}

fn in_words(event: &Event) -> String {
    let binding = event.binding.as_ref().map_or(String::new(), |id| format!(" {id}"));
    format!("{}{binding} {}", event.action.as_str(), event.stage.as_str())
}

fn quick() -> Settings {
    let mut settings = Settings::default();
    settings.sync_wait = Duration::from_millis(30);
    settings.cancel_grace = Duration::from_millis(200);
    settings.retry.initial_delay = Duration::from_millis(5);
    settings
}

async fn lab_with(mut settings: Settings) -> (Wire, Lab, Kept) {
    let (lab, kept) = (Lab::default(), Kept::default());
    settings.audit = Some(Arc::new(kept.clone()));
    (Wire::serve_with(LabBroker { lab: lab.clone() }, settings).await, lab, kept)
}

async fn lab() -> (Wire, Lab, Kept) {
    lab_with(quick()).await
}

#[tokio::test]
async fn an_event_has_user_action_time_and_result() {
    let (wire, _, kept) = lab().await;
    // {"username":"c","user_id":"carol","email":…}
    let user = "eyJ1c2VybmFtZSI6ImMiLCJ1c2VyX2lkIjoiY2Fyb2wiLCJlbWFpbCI6InNlY3JldEBleGFtcGxlLmNvbSJ9";
    let headers = [
        ("X-Broker-API-Originating-Identity", format!("cloudfoundry {user}")),
        ("X-Broker-API-Request-Identity", "request-1".to_owned()),
    ];
    let headers = headers.each_ref().map(|(name, value)| (*name, value.as_str()));
    let earlier = std::time::SystemTime::now() - Duration::from_millis(2);
    let body = new(ids::SMALL, json!({ "token": "marked-secret" }));
    assert_eq!(wire.send("PUT", I, &headers, Some(&body)).await.status, 201);

    let events = kept.events();
    let [began, ended] = events.as_slice() else { panic!("{events:?}") };
    assert_eq!((began.stage.clone(), ended.stage.clone()), (Stage::Began, Stage::Succeeded));
    assert!(earlier <= began.time && began.time <= ended.time);
    for event in &events {
        assert_eq!((event.action, event.instance.as_str()), (Action::Provision, "i"));
        assert_eq!((event.service_id.as_str(), event.plan_id.as_str()), (ids::LAB, ids::SMALL));
        assert_eq!((&event.binding, &event.new_plan_id, event.attempt), (&None, &None, 1));
        assert_eq!(event.operation, began.operation);
        let who = event.who.as_ref().expect("the request had a user");
        assert_eq!((who.platform.as_str(), who.user.as_deref()), ("cloudfoundry", Some("carol")));
        assert_eq!(event.request.as_ref().map(AsRef::as_ref), Some("request-1"));
    }
    let json = ended.to_json();
    assert_eq!(
        (&json["action"], &json["stage"], &json["user"]),
        (&"provision".into(), &"succeeded".into(), &"carol".into())
    );
    assert_eq!((json.get("binding_id"), json.get("tenant"), json.get("status")), (None, None, None), "{json}");
    let millis = ended.time.duration_since(std::time::UNIX_EPOCH).expect("it is later").subsec_millis();
    let end = format!(".{millis:03}Z");
    assert!(json["time"].as_str().is_some_and(|time| time.ends_with(&end)), "to the millisecond, {end}: {json}");
}

/// Its own worker removes what it has made, which ends the deletion too.
#[tokio::test(start_paused = true)]
async fn a_create_that_is_cancelled_during_its_rollback_ends_with_the_deletion() {
    let kept = Kept::default();
    let (broker, lab) = Direct::lab(|settings| settings.audit = Some(Arc::new(kept.clone()))).await;
    lab.deletions_go(Behaviour::Wait);
    let (body, deletion) = (new(ids::SMALL, json!({ "mood": "fail_half_way" })), format!("{I}?{DELETE}"));
    let cancel = async {
        until(async || !lab.remains().is_empty()).await;
        let open = async {
            until(async || kept.events().len() >= 3).await;
            lab.gate.open();
        };
        tokio::join!(broker.send("DELETE", &deletion, None), open).0.status
    };
    let (created, deleted) = tokio::join!(broker.send("PUT", I, Some(&body)), cancel);
    assert_eq!((created.status, deleted), (422, 200));
    let events = kept.events();
    assert!(events.iter().all(|event| event.time >= events[0].time), "{events:?}");
    let expected = [
        "provision began",
        "provision rolling back",
        "deprovision began",
        "provision cancelled",
        "deprovision succeeded",
    ];
    assert_eq!(kept.told(), expected);
}

/// A hook that takes a second.
struct Slow;

impl Hooks for Slow {
    async fn before(&self, _: &Event) -> Result<(), HookError> {
        tokio::time::sleep(Duration::from_secs(1)).await;
        Ok(())
    }
}

/// A hook that takes longer than the deadline of a deletion, and can't notice that it is cancelled.
struct SlowForDeletions;

impl Hooks for SlowForDeletions {
    async fn before(&self, event: &Event) -> Result<(), HookError> {
        if event.action == Action::Deprovision {
            tokio::time::sleep(Duration::from_secs(3)).await;
        }
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn a_deletion_whose_hook_ends_after_the_deadline_changes_nothing() {
    let (lab, mut settings) = (Lab::default(), Settings::default());
    settings.clock = Clock::of_runtime();
    settings.hooks = Some(AnyHooks::of(SlowForDeletions));
    (settings.sync_wait, settings.sync_deadline) = (Duration::from_secs(1), Duration::from_secs(2));
    settings.cancel_grace = Duration::from_secs(2);
    let broker = Direct::start(LabBroker { lab: lab.clone() }, settings).await;
    assert_eq!(broker.send("PUT", I, Some(&new(ids::SMALL, json!({})))).await.status, 201);
    let late = broker.send("DELETE", &format!("{I}?{DELETE}"), None).await.has_status(500);
    assert!(late.description().contains("did not finish in time"), "{late:?}");
    assert!(lab.remains().is_empty(), "no handler was called");
    let update = change(json!({ "parameters": { "size": 5 } }));
    assert_eq!(broker.send("PATCH", I, Some(&update)).await.status, 200, "it can be used as before");
}

/// The bindings of an instance that is deleted keep the plan that they were made with, and each event has its own time.
#[tokio::test(start_paused = true)]
async fn an_event_of_a_cascade_has_the_plan_and_the_time_of_the_unbind() {
    let (lab, kept, mut settings) = (Lab::default(), Kept::default(), quick());
    settings.audit = Some(Arc::new(kept.clone()));
    settings.clock = Clock::of_runtime();
    settings.hooks = Some(AnyHooks::of(Slow));
    let broker = Direct::start(LabBroker { lab: lab.clone() }, settings).await;
    let put = async |path: &str, body: Value| broker.send("PUT", path, Some(&body)).await.status;
    assert_eq!(put(I, new(ids::SMALL, json!({}))).await, 201);
    assert_eq!(put(B, bind(ids::SMALL, json!({}))).await, 201);
    let moved = change(json!({ "plan_id": ids::TWIN }));
    assert_eq!(broker.send("PATCH", I, Some(&moved)).await.status, 200);
    kept.told();
    lab.deletions_go(Behaviour::Fail);
    assert_eq!(broker.send("DELETE", &format!("{I}?{DELETE}"), None).await.status, 500);
    let failed = kept.events();
    assert!(failed.iter().map(|event| event.time).is_sorted(), "{failed:?}");
    assert_eq!(kept.told(), ["deprovision began", "unbind b began", "unbind b failed", "deprovision failed"]);
    lab.deletions_go(Behaviour::Dawdle);
    assert_eq!(broker.send("DELETE", &format!("{I}?{DELETE}"), None).await.status, 200);
    let events = kept.events();
    let expected = ["deprovision began", "unbind b began", "unbind b succeeded", "deprovision succeeded"];
    assert_eq!(kept.told(), expected);
    let plans: Vec<_> = events.iter().map(|event| event.plan_id.as_str()).collect();
    assert_eq!(plans, [ids::TWIN, ids::SMALL, ids::SMALL, ids::TWIN]);
    let took = events[2].time.duration_since(events[1].time).expect("it ended later");
    assert!((Duration::from_millis(150)..Duration::from_secs(1)).contains(&took), "without the hook: {took:?}");
}

#[tokio::test]
async fn each_kind_of_operation_is_reported_and_nothing_else() {
    let (wire, _, kept) = lab().await;
    let small = || new(ids::SMALL, json!({}));
    wire.put(I, small()).await;
    assert_eq!(kept.told(), ["provision began", "provision succeeded"]);
    wire.put(B, bind(ids::SMALL, json!({}))).await;
    assert_eq!(kept.told(), ["bind b began", "bind b succeeded"]);
    wire.put(&binding("i", "c"), json!({ "predecessor_binding_id": "b" })).await;
    assert_eq!(kept.told(), ["bind c began", "bind c succeeded"]);
    wire.patch(I, change(json!({ "parameters": { "size": 2 } }))).await;
    assert!(kept.events().iter().all(|event| event.new_plan_id.is_none()), "{:?}", kept.events());
    assert_eq!(kept.told(), ["update began", "update succeeded"]);
    wire.patch(I, change(json!({ "plan_id": ids::TWIN }))).await;
    let plans: Vec<_> = kept.events().into_iter().map(|event| (event.plan_id, event.new_plan_id)).collect();
    assert_eq!(plans, vec![(ids::SMALL.to_owned(), Some(ids::TWIN.to_owned())); 2]);
    assert_eq!(kept.told(), ["update began", "update succeeded"]);

    // Repeated requests, conflicts, invalid requests, reads and updates of the context alone start no operation.
    for (reply, status) in [
        (wire.put(I, small()).await, 409),
        (wire.put(B, bind(ids::SMALL, json!({}))).await, 200),
        (wire.put(&binding("none", "b"), bind(ids::SMALL, json!({}))).await, 404),
        (wire.put(&instance("x"), new(ids::SMALL, json!({ "size": 1000 }))).await, 400),
        (wire.patch(I, change(json!({ "context": { "platform": "cloudfoundry", "a": 1 } }))).await, 200),
        (wire.get(&format!("{I}/last_operation")).await, 200),
        (delete(&wire, &instance("x")).await, 410),
    ] {
        assert_eq!(reply.status, status, "{reply:?}");
    }
    assert!(kept.told().is_empty());

    delete(&wire, B).await;
    assert_eq!(kept.told(), ["unbind b began", "unbind b succeeded"]);
    delete(&wire, I).await;
    let events = kept.events();
    assert!(events.iter().all(|event| event.operation == events[0].operation), "{events:?}");
    let expected = ["deprovision began", "unbind c began", "unbind c succeeded", "deprovision succeeded"];
    assert_eq!(kept.told(), expected);
}

#[tokio::test]
async fn an_asynchronous_operation_ends_once() {
    let (wire, lab, kept) = lab().await;
    assert_eq!(wire.put(INCOMPLETE, new(ids::SMALL, json!({ "mood": "wait" }))).await.status, 202);
    // A repeated request joins the operation.
    assert_eq!(wire.put(INCOMPLETE, new(ids::SMALL, json!({ "mood": "wait" }))).await.status, 202);
    assert_eq!(kept.told(), ["provision began"]);
    lab.gate.open();
    assert_eq!(kept.told_of(1).await, ["provision succeeded"]);
}

#[tokio::test]
async fn retries_and_rollbacks_are_reported() {
    let (wire, lab, kept) = lab().await;
    assert_eq!(wire.put(I, new(ids::SMALL, json!({ "mood": "temporary" }))).await.status, 201);
    let attempts: Vec<u32> = kept.events().iter().map(|event| event.attempt).collect();
    assert_eq!(attempts, [1, 2, 3, 3]);
    assert_eq!(kept.told(), ["provision began", "provision retried", "provision retried", "provision succeeded"]);

    for mood in ["fail_half_way", "refuse_half_way", "fail", "panic"] {
        wire.put(&instance(mood), new(ids::SMALL, json!({ "mood": mood }))).await;
        assert_eq!(kept.told(), ["provision began", "provision rolling back", "provision failed"], "{mood}");
    }
    wire.put(&instance("x"), new(ids::SMALL, json!({ "mood": "refuse" }))).await;
    let failed = kept.events().pop().expect("an event");
    let json = failed.to_json();
    assert_eq!(
        (&json["status"], &json["code"], &json["description"]),
        (&json!(400), &json!("LabFull"), &json!("The lab is full."))
    );
    let (code, description) = (Some("LabFull".to_owned()), "The lab is full.".to_owned());
    assert_eq!(failed.stage, Stage::Failed { status: 400, code, description });
    assert_eq!(kept.told(), ["provision began", "provision failed"]);

    lab.deletions_go(Behaviour::Refuse);
    delete(&wire, I).await;
    assert_eq!(kept.told(), ["deprovision began", "deprovision failed"]);
}

#[tokio::test]
async fn a_cancelled_create_ends_as_cancelled() {
    for stubborn in [false, true] {
        let (wire, lab, kept) = lab().await;
        let mood = if stubborn { "wait_stubbornly" } else { "wait" };
        assert_eq!(wire.put(INCOMPLETE, new(ids::SMALL, json!({ "mood": mood }))).await.status, 202);
        assert_eq!(delete(&wire, I).await.status, 200);
        assert!(lab.inventory().is_empty());
        let operations: Vec<String> = kept.events().into_iter().map(|event| event.operation).collect();
        assert_eq!((&operations[0], &operations[1]), (&operations[2], &operations[3]));
        let expected = ["provision began", "deprovision began", "provision cancelled", "deprovision succeeded"];
        assert_eq!(kept.told(), expected, "{mood}");
    }
}

#[tokio::test]
async fn a_binding_whose_handler_was_not_called_before_the_deadline_fails_with_its_instance() {
    let mut settings = quick();
    settings.concurrency = 1;
    settings.sync_deadline = Duration::from_millis(400);
    let (wire, lab, kept) = lab_with(settings).await;
    wire.put(I, new(ids::SMALL, json!({}))).await;
    wire.put(B, bind(ids::SMALL, json!({}))).await;
    let other = accepting(&instance("other"));
    assert_eq!(wire.put(&other, new(ids::SLOW, json!({ "mood": "wait" }))).await.status, 202);
    lab.called(3).await;
    kept.told();
    assert_eq!(delete(&wire, I).await.status, 500, "the other handler has the only permit");
    assert_eq!(kept.told(), ["deprovision began", "unbind b began", "unbind b failed", "deprovision failed"]);
    lab.gate.open();
}

#[tokio::test]
async fn the_unbind_of_a_retried_deletion_begins_once() {
    let mut settings = quick();
    settings.retry.max_attempts = 2;
    let (wire, lab, kept) = lab_with(settings).await;
    wire.put(I, new(ids::SMALL, json!({}))).await;
    wire.put(B, bind(ids::SMALL, json!({}))).await;
    kept.told();
    lab.deletions_go(Behaviour::Temporary);
    delete(&wire, I).await;
    let expected =
        ["deprovision began", "unbind b began", "deprovision retried", "unbind b failed", "deprovision failed"];
    assert_eq!(kept.told(), expected);
}

/// A planned restart is no fault, and alerts are about faults.
#[tokio::test]
async fn an_operation_of_a_process_that_is_shut_down_is_handed_over() {
    let (records, lab, kept) = (Records::in_memory(), Lab::default(), Kept::default());
    let serve = || {
        let mut settings = quick();
        settings.store = records.clone();
        settings.audit = Some(Arc::new(kept.clone()));
        Wire::serve_with(LabBroker { lab: lab.clone() }, settings)
    };
    let first = serve().await;
    assert_eq!(first.put(INCOMPLETE, new(ids::SMALL, json!({ "mood": "wait" }))).await.status, 202);
    first.end().await;
    lab.gate.open();
    let _second = serve().await;
    assert_eq!(kept.told_of(3).await, ["provision began", "provision handed over", "provision succeeded"]);
}

#[tokio::test]
async fn events_contain_no_secrets() {
    let (wire, _, kept) = lab().await;
    wire.put(I, new(ids::SMALL, json!({ "token": "marked-secret", "mood": "fail_half_way" }))).await;
    wire.put(I, new(ids::SMALL, json!({ "token": "marked-secret" }))).await;
    assert_eq!(wire.put(B, bind(ids::SMALL, json!({}))).await.body["credentials"]["password"], "password of b");
    wire.patch(I, change(json!({ "parameters": { "token": "marked-secret-2" } }))).await;
    delete(&wire, I).await;
    let events = kept.events();
    let all = format!("{events:?} {:?}", events.iter().map(Event::to_json).collect::<Vec<Value>>());
    assert!(events.len() >= 9, "{all}");
    for secret in ["marked-secret", "password", "secret reason", "whole i", "organization_guid"] {
        assert!(!all.contains(secret), "T68: {secret} in {all}");
    }
}

struct Panics;

impl Audit for Panics {
    fn record(&self, _: &Event) {
        panic!("a sink that panics");
    }
}

impl Hooks for Panics {
    async fn after(&self, _: &Event) {
        panic!("a hook that panics");
    }

    async fn on_error(&self, _: &Event) {
        panic!("a hook that panics");
    }
}

impl Metrics for Panics {
    fn request(&self, _: &'static str, _: PlanNames, _: StatusCode, _: Duration) {
        panic!("a counter of requests that panics");
    }

    fn operation(&self, _: &Event, _: PlanNames) {
        panic!("a counter of operations that panics");
    }

    fn export(&self, _: &Measured<'_>, _: MetricsFormat) -> Result<Export, BoxError> {
        Err("there is nothing to export".into())
    }
}

#[tokio::test]
async fn an_author_s_receiver_that_panics_affects_no_operation() {
    let mut settings = quick();
    settings.audit = Some(Arc::new(Panics));
    settings.metrics = Some(Arc::new(Panics));
    settings.hooks = Some(AnyHooks::of(Panics));
    let lab = Lab::default();
    let wire = Wire::serve_with(LabBroker { lab: lab.clone() }, settings).await;
    assert_eq!(wire.put(I, new(ids::SMALL, json!({}))).await.status, 201);
    assert_eq!(wire.put(B, bind(ids::SMALL, json!({ "mood": "refuse" }))).await.status, 400);
    assert_eq!(delete(&wire, I).await.status, 200);
    assert!(lab.inventory().is_empty());
}

/// Hooks that refuse operations by mood, and keep the events they get.
#[derive(Clone, Default)]
struct Guard {
    mood: Arc<Mutex<Option<Behaviour>>>,
    asked: Kept,
    told: Kept,
    told_of_errors: Kept,
}

impl Guard {
    fn goes(&self, mood: Behaviour) {
        *self.mood.lock().unwrap_or_else(PoisonError::into_inner) = Some(mood);
    }
}

impl Hooks for Guard {
    async fn before(&self, event: &Event) -> Result<(), HookError> {
        self.asked.record(event);
        let mood = *self.mood.lock().unwrap_or_else(PoisonError::into_inner);
        match mood {
            Some(Behaviour::Refuse) => Err(HookError::refused("The quota is used up.").code(QUOTA)),
            Some(Behaviour::Fail) => Err("the secret reason in the log".into()),
            // Until it is to succeed.
            Some(Behaviour::Temporary) => Err(Failure::temporary("the quotas can't be read").into()),
            Some(Behaviour::Panic) => panic!("a hook that panics"),
            Some(Behaviour::Hang) => std::future::pending().await,
            _ => Ok(()),
        }
    }

    async fn after(&self, event: &Event) {
        self.told.record(event);
    }

    async fn on_error(&self, event: &Event) {
        self.told_of_errors.record(event);
        self.told.record(event);
    }
}

async fn guarded() -> (Wire, Lab, Kept, Guard) {
    let (mut settings, guard) = (quick(), Guard::default());
    settings.sync_deadline = Duration::from_millis(300);
    settings.hooks = Some(AnyHooks::of(guard.clone()));
    let (wire, lab, kept) = lab_with(settings).await;
    (wire, lab, kept, guard)
}

#[tokio::test]
async fn an_operation_that_a_hook_refuses_changes_nothing() {
    let (wire, lab, kept, guard) = guarded().await;
    for (mood, status) in
        [(Behaviour::Refuse, 400), (Behaviour::Fail, 500), (Behaviour::Panic, 500), (Behaviour::Hang, 500)]
    {
        guard.goes(mood);
        let reply = wire.put(I, new(ids::SMALL, json!({}))).await;
        assert_eq!(reply.status, status, "{mood:?}, T55: {reply:?}");
        assert!(!reply.description().contains("secret reason"), "{reply:?}");
        assert_eq!(kept.told(), ["provision began", "provision failed"], "{mood:?}");
        assert_eq!((lab.calls(), lab.inventory().len(), lab.remains().len()), (0, 0, 0), "no handler ran: {mood:?}");
        assert_eq!(wire.get(I).await.status, 404);
    }
    guard.goes(Behaviour::Refuse);
    let reply = wire.put(INCOMPLETE, new(ids::SLOW, json!({}))).await;
    assert_eq!(reply.status, 202, "its platform polls for the result");
    kept.told_of(2).await;
    let poll = wire.get(&format!("{I}/last_operation")).await;
    assert_eq!((&poll.body["state"], poll.description()), (&"failed".into(), "The quota is used up."));

    guard.goes(Behaviour::Succeed);
    assert_eq!(wire.put(I, new(ids::SMALL, json!({}))).await.status, 201, "ERR-08");
    assert_eq!(wire.put(B, bind(ids::SMALL, json!({}))).await.status, 201);
    let (there, state) = (lab.inventory(), wire.get(I).await);
    for (mood, status) in [(Behaviour::Refuse, 422), (Behaviour::Panic, 500)] {
        guard.goes(mood);
        for reply in [
            wire.patch(I, change(json!({ "parameters": { "size": 2 } }))).await,
            wire.patch(I, change(json!({ "plan_id": ids::LARGE }))).await,
            delete(&wire, B).await,
            delete(&wire, I).await,
        ] {
            assert_eq!(reply.status, status, "{reply:?}");
            let code = if mood == Behaviour::Refuse { json!("Quota") } else { Value::Null };
            assert_eq!(reply.body["error"], code, "{reply:?}");
        }
        let bound = wire.put(&binding("i", "c"), bind(ids::SMALL, json!({}))).await;
        assert_eq!(bound.status, if mood == Behaviour::Refuse { 400 } else { 500 }, "T56: {bound:?}");
        assert_eq!((lab.inventory(), wire.get(I).await.body), (there.clone(), state.body.clone()), "ERR-08");
    }
    guard.goes(Behaviour::Succeed);
    assert_eq!(wire.put(B, bind(ids::SMALL, json!({}))).await.status, 200);
    assert_eq!(delete(&wire, I).await.status, 200);
    assert!(lab.inventory().is_empty());
}

/// Such as a database that is down for a moment.
#[tokio::test]
async fn a_hook_is_called_again_after_a_temporary_error() {
    let (mut settings, guard) = (quick(), Guard::default());
    settings.hooks = Some(AnyHooks::of(guard.clone()));
    let (wire, lab, kept) = lab_with(settings).await;
    let calls = [
        ("PUT", I.to_owned(), Some(new(ids::SMALL, json!({}))), 201),
        ("PATCH", I.to_owned(), Some(change(json!({ "parameters": { "size": 2 } }))), 200),
        ("PUT", B.to_owned(), Some(bind(ids::SMALL, json!({}))), 201),
        ("DELETE", format!("{B}?{DELETE}"), None, 200),
        ("DELETE", format!("{I}?{DELETE}"), None, 200),
    ];
    for (method, path, body, status) in calls {
        guard.goes(Behaviour::Temporary);
        let calls = lab.calls();
        let is_up_again = async {
            guard.asked.told_of(3).await;
            assert_eq!(lab.calls(), calls, "no handler is called before");
            guard.goes(Behaviour::Succeed);
        };
        tokio::join!(wire.send(method, &path, &[], body.as_ref()), is_up_again).0.has_status(status);
        let told = kept.told();
        assert!(told.len() >= 4 && told[1].ends_with("retried") && told[2].ends_with("retried"), "{told:?}");
        assert!(told.last().is_some_and(|last| last.ends_with("succeeded")), "{told:?}");
    }
}

#[tokio::test]
async fn an_operation_whose_hook_fails_temporarily_to_the_end_changes_nothing() {
    let (mut settings, guard) = (quick(), Guard::default());
    settings.retry.max_attempts = 3;
    settings.hooks = Some(AnyHooks::of(guard.clone()));
    let (wire, lab, kept) = lab_with(settings).await;
    guard.goes(Behaviour::Temporary);
    assert_eq!(wire.put(I, new(ids::SMALL, json!({}))).await.status, 500);
    let expected = ["provision began", "provision retried", "provision retried", "provision failed"];
    assert_eq!(kept.told(), expected);
    assert_eq!((lab.calls(), lab.inventory().len(), lab.remains().len()), (0, 0, 0), "not for a rollback either");
    guard.goes(Behaviour::Succeed);
    assert_eq!(wire.put(I, new(ids::SMALL, json!({}))).await.status, 201);
    guard.goes(Behaviour::Temporary);
    assert_eq!(delete(&wire, I).await.status, 500);
    assert!(lab.remains().is_empty(), "no handler was called");
    let update = change(json!({ "parameters": { "size": 5 } }));
    assert_eq!(wire.patch(I, update.clone()).await.status, 500);
    guard.goes(Behaviour::Succeed);
    assert_eq!(wire.patch(I, update).await.status, 200, "it can be used as before");
}

#[tokio::test]
async fn hooks_see_each_operation_once() {
    let (wire, lab, kept, guard) = guarded().await;
    wire.put(I, new(ids::SMALL, json!({ "mood": "temporary" }))).await;
    assert_eq!(guard.asked.told(), ["provision began"], "and not at the next attempt");
    wire.patch(I, change(json!({ "plan_id": ids::LARGE, "parameters": { "mood": "succeed" } }))).await;
    let asked = guard.asked.events().pop().expect("it was asked");
    assert_eq!((asked.plan_id.as_str(), asked.new_plan_id.as_deref()), (ids::SMALL, Some(ids::LARGE)));
    wire.put(&instance("half"), new(ids::SMALL, json!({ "mood": "fail_half_way" }))).await;
    assert_eq!(guard.told.told_of(3).await, ["provision succeeded", "update succeeded", "provision failed"]);
    assert_eq!(guard.asked.told(), ["update began", "provision began"], "and not for the rollback");
    kept.told();

    // Hooks can't refuse the deletion that cancels a create.
    lab.gate.close();
    let other = "/v2/service_instances/other?accepts_incomplete=true";
    assert_eq!(wire.put(other, new(ids::SMALL, json!({ "mood": "wait" }))).await.status, 202);
    guard.goes(Behaviour::Refuse);
    assert_eq!(delete(&wire, &instance("other")).await.status, 200);
    assert_eq!(guard.asked.told(), ["provision began"]);
    assert_eq!(guard.told.told_of(2).await.len(), 2);
    assert_eq!(guard.told_of_errors.told(), ["provision failed", "provision cancelled"]);
}

#[tokio::test]
async fn hooks_are_asked_about_a_repeated_deletion_of_a_create_that_was_cancelled() {
    let (wire, lab, _, guard) = guarded().await;
    assert_eq!(wire.put(INCOMPLETE, new(ids::SMALL, json!({ "mood": "wait" }))).await.status, 202);
    lab.deletions_go(Behaviour::Fail);
    assert_eq!(delete(&wire, I).await.status, 500);
    assert_eq!(guard.asked.told(), ["provision began"], "the deletion that cancels a create is not asked about");
    guard.goes(Behaviour::Refuse);
    assert_eq!(delete(&wire, I).await.status, 422);
    assert_eq!(guard.asked.told(), ["deprovision began"]);
    guard.goes(Behaviour::Succeed);
    lab.deletions_go(Behaviour::Succeed);
    assert_eq!(delete(&wire, I).await.status, 200);
}
