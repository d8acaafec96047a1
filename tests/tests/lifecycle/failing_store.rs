//! Requests to the store that fail, and commits that have succeeded although the store reports an error, as when the connection
//! to a database breaks.

use std::future::ready;

use osb_lab::{prelude::*, wire};
use osb_runtime::{
    lifecycle::CredentialReads,
    store::{Key, Memory, Pending, Store as _, StoreError},
};
use tokio::{
    sync::Notify,
    time::{Instant, timeout},
};

use crate::{
    audit::Kept,
    hooked_store::{Around, FailsLists, Hooked, Request, Written},
};

/// Loses the answers to some transactions, and to some reads.
#[derive(Clone, Default)]
struct Forgetful {
    /// The number of answers to lose.
    losing: Arc<AtomicUsize>,
    losing_reads: Arc<AtomicUsize>,
}

/// Fails as long as there are answers to lose.
fn lose(left: &AtomicUsize) -> Result<(), StoreError> {
    let lost = left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
    lost.map_or(Ok(()), |_| Err(StoreError::new("the connection was closed")))
}

impl Around for Forgetful {
    fn after(&self, request: Request) -> Pending<'_, ()> {
        Box::pin(ready(match request {
            Request::Transact => lose(&self.losing),
            Request::Read => lose(&self.losing_reads),
            Request::Due | Request::Count => Ok(()),
        }))
    }
}

#[test]
fn the_error_of_a_store_has_the_causes_of_its_reason() {
    #[derive(Debug)]
    struct Broken(std::io::Error);
    impl std::fmt::Display for Broken {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("the connection broke")
        }
    }
    impl std::error::Error for Broken {
        fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
            Some(&self.0)
        }
    }
    let error = StoreError::new(Broken(std::io::Error::other("timed out")));
    assert_eq!(error.to_string(), "the store failed: the connection broke");
    assert_eq!(std::error::Error::source(&error).map(ToString::to_string).as_deref(), Some("timed out"));
}

/// Cannot read the records of the instance `j`, which comes after `i`.
pub(crate) struct Damaged;

impl Around for Damaged {
    fn damages(&self, key: &Key) -> bool {
        key.instance.as_str() == "j"
    }
}

#[tokio::test]
async fn an_instance_is_deleted_with_its_bindings_although_the_next_record_is_damaged() {
    let (wire, _) = lab_with(|settings| settings.store = Hooked::records(Damaged)).await;
    let unbound = binding("i", "a");
    for (path, body) in [
        (I, new(ids::SMALL, json!({}))),
        (&unbound, bind(ids::SMALL, json!({}))),
        (B, bind(ids::SMALL, json!({}))),
        ("/v2/service_instances/j", new(ids::SMALL, json!({}))),
    ] {
        assert_eq!(wire.put(path, body).await.status, 201);
    }
    // Its tombstone comes before the binding that is left.
    assert_eq!(delete(&wire, &unbound).await.status, 200);
    let deleted = timeout(Duration::from_secs(10), delete(&wire, I)).await;
    assert_eq!(deleted.expect("its bindings are found").status, 200);
}

/// Refuses this many transactions.
struct Failing(Arc<AtomicUsize>);

impl Around for Failing {
    fn before(&self, request: Request) -> Pending<'_, ()> {
        let failed = matches!(request, Request::Transact).then(|| lose(&self.0));
        Box::pin(ready(failed.unwrap_or(Ok(()))))
    }
}

/// Serves a lab broker that loses answers of its store.
async fn serve(change: impl FnOnce(&mut Settings)) -> (Wire, Lab, Forgetful) {
    let store = Forgetful::default();
    let (wire, lab) = lab_with(|settings| {
        settings.store = Hooked::records(store.clone());
        change(settings);
    })
    .await;
    (wire, lab, store)
}

/// [`serve`] in virtual time.
async fn direct(change: impl FnOnce(&mut Settings)) -> (Direct, Lab, Forgetful) {
    let store = Forgetful::default();
    let (broker, lab) = Direct::lab(|settings| {
        settings.store = Hooked::records(store.clone());
        change(settings);
    })
    .await;
    (broker, lab, store)
}

/// Waits until a handler runs, lets the answers to the next transactions get lost, and lets the handler end.
async fn end_handler(lab: &Lab, losing: &AtomicUsize) {
    lab.called(1).await;
    losing.store(2, Ordering::SeqCst);
    lab.gate.open();
}

#[tokio::test(start_paused = true)]
async fn retries_back_off_while_the_store_fails() {
    let (broker, lab, Forgetful { losing, .. }) = direct(|_| ()).await;
    let ends = async {
        end_handler(&lab, &losing).await;
        losing.store(9, Ordering::SeqCst);
        Instant::now()
    };
    let body = new(ids::SMALL, json!({ "mood": "wait_stubbornly" }));
    let (made, ended_at) = tokio::join!(broker.send("PUT", I, Some(&body)), ends);
    assert_eq!(made.status, 201, "{made:?}");
    assert!(ended_at.elapsed() > Duration::from_secs(10), "{:?}", ended_at.elapsed());
}

/// The pauses have become seconds by then, and the platform waits.
#[tokio::test(start_paused = true)]
async fn retries_continue_soon_after_the_store_works_for_another_request() {
    let (broker, lab, Forgetful { losing, .. }) = direct(|_| ()).await;
    let another = async {
        end_handler(&lab, &losing).await;
        losing.store(usize::MAX, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_secs(12)).await;
        losing.store(0, Ordering::SeqCst);
        broker.send("PUT", "/v2/service_instances/j", Some(&new(ids::SMALL, json!({})))).await.has_status(201);
        Instant::now()
    };
    let body = new(ids::SMALL, json!({ "mood": "wait_stubbornly" }));
    let (made, works_since) = tokio::join!(broker.send("PUT", I, Some(&body)), another);
    assert_eq!(made.status, 201, "{made:?}");
    assert!(works_since.elapsed() < Duration::from_secs(1), "{:?}", works_since.elapsed());
}

/// Loses the answer to one transaction.
struct LosesOne {
    /// The transaction, counted from 1.
    losing: usize,
    transactions: AtomicUsize,
}

impl Around for LosesOne {
    fn after(&self, request: Request) -> Pending<'_, ()> {
        let is_lost =
            request == Request::Transact && self.transactions.fetch_add(1, Ordering::SeqCst) + 1 == self.losing;
        Box::pin(ready(if is_lost { Err(StoreError::new("the connection was closed")) } else { Ok(()) }))
    }
}

/// The worker keeps its operation, which otherwise stands still until its lease expires, and tells of each step once.
#[tokio::test]
async fn a_retry_continues_although_an_answer_is_lost() {
    // The first transaction is that of the request.
    for losing in 2..12 {
        let (lab, events, mut settings) = (Lab::default(), Kept::default(), Settings::default());
        settings.retry.initial_delay = Duration::from_millis(1);
        settings.audit = Some(Arc::new(events.clone()));
        let around = LosesOne { losing, transactions: AtomicUsize::default() };
        settings.store = Hooked::records(around);
        let wire = Wire::serve_with(LabBroker { lab: lab.clone() }, settings).await;
        let made = wire.put(I, new(ids::SMALL, json!({ "mood": "temporary" }))).await;
        assert_eq!((made.status, lab.calls(), lab.overlaps()), (201, 3, 0), "{losing}: {made:?}");
        let told = ["provision began", "provision retried", "provision retried", "provision succeeded"];
        assert_eq!(events.told(), told, "{losing}");
    }
}

/// Has a conflict in each transaction.
struct Contended;

impl Around for Contended {
    fn conflicts(&self) -> bool {
        true
    }
}

#[tokio::test]
async fn a_decision_that_runs_again_takes_one_place_in_the_queue() {
    let mut settings = Settings::default();
    (settings.concurrency, settings.queue_limit) = (1, 0);
    settings.store = Hooked::records(Contended);
    let wire = Wire::serve_with(LabBroker { lab: Lab::default() }, settings).await;
    assert_eq!(wire.put(I, new(ids::SMALL, json!({}))).await.status, 201);
}

/// The worker that the first run has registered must not hide the claim from the second one.
#[tokio::test]
async fn a_decision_that_runs_again_takes_an_operation_over() {
    let (lab, memory) = (Lab::default(), Arc::<Memory>::default());
    let process = async |around: Hooked| {
        let mut settings = Settings::default();
        (settings.lease, settings.store) = (Duration::from_millis(40), Records::new(around));
        settings.sync_wait = Duration::from_millis(10);
        Wire::serve_with(LabBroker { lab: lab.clone() }, settings).await
    };
    let stalls = Arc::new(AtomicUsize::default());
    let stalled = process(Hooked::new(Arc::clone(&memory), Failing(Arc::clone(&stalls)))).await;
    assert_eq!(stalled.put(&accepting(I), new(ids::SMALL, json!({ "mood": "hang" }))).await.status, 202);
    stalls.store(usize::MAX, Ordering::SeqCst);
    let _next = process(Hooked::new(memory, Contended)).await;
    timeout(Duration::from_secs(30), lab.called(2)).await.expect("the operation is taken over");
}

/// Is opened after its process has died, and fails once.
struct Recovered {
    /// The kind of the request that fails.
    request: Request,
    /// The number of this request among those of its kind, counted from 1.
    losing: usize,
    /// Whether it panics.
    panics: bool,
    requests: AtomicUsize,
}

impl Around for Recovered {
    fn recovers(&self) -> bool {
        true
    }

    fn before(&self, request: Request) -> Pending<'_, ()> {
        let is_lost = request == self.request && self.requests.fetch_add(1, Ordering::SeqCst) + 1 == self.losing;
        assert!(!(is_lost && self.panics), "a bug of the store");
        Box::pin(ready(if is_lost { Err(StoreError::new("the disk failed")) } else { Ok(()) }))
    }
}

/// The process that has died had a longer lease. The first change fails on a full disk, for example.
#[tokio::test]
async fn a_takeover_at_the_start_survives_an_error_or_a_panic_of_the_store() {
    for (request, losing, panics) in [
        (Request::Due, 1, false),
        (Request::Due, 2, false),
        (Request::Due, 1, true),
        (Request::Due, 2, true),
        (Request::Read, 1, false),
        (Request::Transact, 1, false),
    ] {
        let (lab, memory) = (Lab::default(), Arc::default());
        let process = async |lease, store| {
            let mut settings = Settings::default();
            (settings.lease, settings.store) = (lease, store);
            settings.sync_wait = Duration::from_millis(10);
            Wire::serve_with(LabBroker { lab: lab.clone() }, settings).await
        };
        let dead = Records::new(Hooked::new(Arc::clone(&memory), Forgetful::default()));
        let dead = process(Duration::from_hours(1), dead).await;
        let path = accepting(I);
        assert_eq!(dead.put(&path, new(ids::SMALL, json!({ "mood": "hang" }))).await.status, 202);
        let around = Recovered { request, losing, panics, requests: AtomicUsize::default() };
        let _next = process(Duration::from_millis(40), Records::new(Hooked::new(memory, around))).await;
        let taken_over = timeout(Duration::from_secs(30), lab.called(2)).await;
        assert!(taken_over.is_ok(), "after request {losing} of the kind {request:?} (panic: {panics})");
    }
}

/// More than the broker reads at once.
#[tokio::test]
async fn all_operations_of_a_process_that_has_died_are_taken_over_at_the_start() {
    const COUNT: usize = 65;
    let (lab, memory) = (Lab::default(), Arc::default());
    let process = async |around: Hooked| {
        let (mut settings, records) = (Settings::default(), Records::new(around));
        (settings.lease, settings.sync_wait, settings.store) = (Duration::from_hours(1), Duration::ZERO, records);
        settings.concurrency = COUNT;
        Wire::serve_with(LabBroker { lab: lab.clone() }, settings).await
    };
    let dead = process(Hooked::new(Arc::clone(&memory), Forgetful::default())).await;
    for number in 0..COUNT {
        let path = accepting(&instance(&number.to_string()));
        assert_eq!(dead.put(&path, new(ids::SMALL, json!({ "mood": "hang" }))).await.status, 202);
    }
    lab.called(COUNT).await;
    let around = Recovered { request: Request::Count, losing: 0, panics: false, requests: AtomicUsize::default() };
    let _next = process(Hooked::new(memory, around)).await;
    timeout(Duration::from_secs(30), lab.called(2 * COUNT)).await.expect("all are taken over");
}

#[tokio::test]
async fn a_change_of_plan_whose_record_cannot_be_read_is_unavailable() {
    let (wire, _, Forgetful { losing_reads, .. }) = serve(|_| ()).await;
    assert_eq!(wire.put(I, new(ids::SMALL, json!({ "mood": "succeed" }))).await.status, 201);
    losing_reads.store(1, Ordering::SeqCst);
    let refused = wire.patch(I, change(json!({ "plan_id": ids::TWIN }))).await.has_status(503);
    assert!(refused.header("retry-after").is_some(), "{refused:?}");
    assert_eq!(losing_reads.load(Ordering::SeqCst), 0);
    assert_eq!(wire.patch(I, change(json!({ "plan_id": ids::TWIN }))).await.status, 200);
}

#[tokio::test]
async fn a_broker_never_starts_with_records_that_it_cannot_list() {
    let mut settings = Settings::default();
    settings.store = Hooked::records(FailsLists(Arc::new(true.into())));
    // For states of other types, and not for a store that fails.
    settings.allow_unreadable_state = true;
    let error = wire::start(LabBroker { lab: Lab::default() }, settings).await.expect_err("it does not start");
    assert!(error.is_temporary() && error.to_string().contains("the connection was closed"), "{error}");
}

/// Counts the looks for records that are due.
struct Counting(Arc<AtomicUsize>);

impl Around for Counting {
    fn after(&self, request: Request) -> Pending<'_, ()> {
        if request == Request::Due {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
        Box::pin(ready(Ok(())))
    }
}

/// Its program may go on and close the records, and each look would then be an error in the log.
#[tokio::test(start_paused = true)]
async fn a_broker_that_has_handed_over_looks_for_nothing_in_the_records() {
    let looks = Arc::<AtomicUsize>::default();
    let (broker, _) = Direct::lab(|settings| {
        settings.store = Hooked::records(Counting(Arc::clone(&looks)));
    })
    .await;
    // Not when the next look is due.
    tokio::time::sleep(Duration::from_secs(61)).await;
    let before = looks.load(Ordering::SeqCst);
    assert!(before > 1, "{before}");
    broker.hand_over().await;
    tokio::time::sleep(Duration::from_mins(1)).await;
    assert_eq!(looks.load(Ordering::SeqCst), before);
}

/// The platform keeps the old parameters, so a worker that takes the claim over after its lease must not apply the change.
#[tokio::test(start_paused = true)]
async fn upd_17_an_update_whose_claim_the_store_does_not_confirm_is_never_applied() {
    for path in [I.to_owned(), accepting(I)] {
        let events = Kept::default();
        let audited = |settings: &mut Settings| settings.audit = Some(Arc::new(events.clone()));
        let (broker, lab, Forgetful { losing, .. }) = direct(audited).await;
        let body = new(ids::SMALL, json!({}));
        assert_eq!(broker.send("PUT", I, Some(&body)).await.status, 201);
        events.told();
        losing.store(1, Ordering::SeqCst);
        let body = change(json!({ "parameters": { "size": 5 } }));
        broker.send("PATCH", &path, Some(&body)).await.has_status(503);
        tokio::time::sleep(Duration::from_hours(1)).await;
        let fetched = broker.send("GET", I, None).await;
        assert_eq!(fetched.body["parameters"].get("size"), None, "{fetched:?}");
        assert_eq!((lab.calls(), lab.inventory()), (1, vec!["i=smallx1".to_owned()]));
        assert_eq!(events.told(), ["update began", "update failed"]);
        assert_eq!(broker.send("PATCH", I, Some(&body)).await.status, 200);
        assert_eq!(broker.send("GET", I, None).await.body["parameters"]["size"], 5);
    }
}

#[tokio::test(start_paused = true)]
async fn requests_whose_claim_the_store_does_not_confirm_can_be_repeated() {
    let (broker, lab, Forgetful { losing, .. }) = direct(|_| ()).await;
    let (query, body, bound) = (format!("?{DELETE}"), new(ids::SMALL, json!({})), bind(ids::SMALL, json!({})));
    let requests = [
        ("PUT", I.to_owned(), Some(body), 201),
        ("PUT", B.to_owned(), Some(bound), 201),
        ("DELETE", format!("{B}{query}"), None, 200),
        ("DELETE", format!("{I}{query}"), None, 200),
    ];
    for (method, path, body, status) in requests {
        let calls = (lab.calls(), lab.remains().len());
        losing.store(1, Ordering::SeqCst);
        assert_eq!(broker.send(method, &path, body.as_ref()).await.status, 503, "{method} {path}");
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!((lab.calls(), lab.remains().len()), calls, "{method} {path}: no handler was called");
        assert_eq!(broker.send(method, &path, body.as_ref()).await.status, status, "{method} {path}");
    }
}

/// Loses the answer to the first transaction, and holds the second one up.
#[derive(Default)]
struct LosesFirst {
    begun: AtomicUsize,
    ended: AtomicUsize,
    goes_on: Notify,
}

impl Around for Arc<LosesFirst> {
    fn before(&self, request: Request) -> Pending<'_, ()> {
        Box::pin(async move {
            if request == Request::Transact && self.begun.fetch_add(1, Ordering::SeqCst) == 1 {
                self.goes_on.notified().await;
            }
            Ok(())
        })
    }

    fn after(&self, request: Request) -> Pending<'_, ()> {
        let is_first = request == Request::Transact && self.ended.fetch_add(1, Ordering::SeqCst) == 0;
        Box::pin(ready(if is_first { Err(StoreError::new("the connection was closed")) } else { Ok(()) }))
    }
}

/// The worker that ends the create continues with the deletion: no other one does before the end of the lease.
#[tokio::test]
async fn a_deletion_of_an_instance_whose_claim_the_store_did_not_confirm_begins_at_once() {
    let (store, mut settings) = (Arc::<LosesFirst>::default(), Settings::default());
    settings.store = Hooked::records(Arc::clone(&store));
    (settings.lease, settings.sync_wait) = (Duration::from_mins(10), Duration::ZERO);
    let wire = Wire::serve_with(LabBroker { lab: Lab::default() }, settings).await;
    assert_eq!(wire.put(I, new(ids::SMALL, json!({}))).await.status, 503);
    assert_eq!(wire.delete(&format!("{I}?{DELETE}&accepts_incomplete=true")).await.status, 202);
    store.goes_on.notify_one();
    let deleted = timeout(Duration::from_secs(10), wire.settled(I)).await;
    assert_eq!(deleted.expect("it is deleted").status, 410);
}

/// Delays commits, such as one that waits for a slow standby of a database.
#[derive(Default)]
struct Delays {
    is_slow: AtomicBool,
    written: Written,
}

impl Delays {
    /// Makes the commits that were delayed.
    async fn commit(&self, memory: &Memory) {
        let written = std::mem::take(&mut *self.written.lock().expect("no panic"));
        let (keys, written): (Vec<_>, Vec<_>) = written.into_iter().unzip();
        memory.transact(&keys, &mut |records| records.clone_from_slice(&written)).await.expect("it is written");
    }
}

impl Around for Arc<Delays> {
    fn delayed(&self) -> Option<&Written> {
        self.is_slow.load(Ordering::SeqCst).then_some(&self.written)
    }
}

/// Its worker looks for it until the lease ends.
#[tokio::test(start_paused = true)]
async fn a_claim_that_the_store_has_not_made_takes_no_place_in_the_queue() {
    let (mut settings, around) = (Settings::default(), Arc::new(Delays::default()));
    settings.clock = Clock::of_runtime();
    (settings.concurrency, settings.queue_limit) = (1, 0);
    settings.store = Hooked::records(Arc::clone(&around));
    let broker = Direct::start(LabBroker { lab: Lab::default() }, settings).await;
    let body = new(ids::SMALL, json!({}));
    around.is_slow.store(true, Ordering::SeqCst);
    assert_eq!(broker.send("PUT", I, Some(&body)).await.status, 503);
    around.is_slow.store(false, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_secs(1)).await;
    broker.send("PUT", "/v2/service_instances/other", Some(&body)).await.has_status(201);
}

/// The platform has got a 503, and has deleted an instance that did not exist.
#[tokio::test(start_paused = true)]
async fn dep_04_a_create_that_is_committed_after_its_deletion_is_never_made() {
    let lease = Settings::default().lease;
    // A standby that restarts is away for longer than a lease.
    for late in [lease / 3, lease * 10] {
        let (around, memory) = (Arc::new(Delays::default()), Arc::new(Memory::default()));
        let records = Records::new(Hooked::new(Arc::clone(&memory), Arc::clone(&around)));
        let (broker, lab) = Direct::lab(|settings| settings.store = records).await;
        around.is_slow.store(true, Ordering::SeqCst);
        let path = accepting(I);
        assert_eq!(broker.send("PUT", &path, Some(&new(ids::SMALL, json!({})))).await.status, 503);
        around.is_slow.store(false, Ordering::SeqCst);
        tokio::time::sleep(late).await;
        assert_eq!(broker.send("DELETE", &format!("{I}?{DELETE}"), None).await.status, 410);

        around.commit(&memory).await;
        tokio::time::sleep(Duration::from_hours(1)).await;
        assert_eq!(broker.send("GET", I, None).await.status, 404);
        assert_eq!((lab.calls(), lab.inventory()), (0, Vec::new()), "no handler was called");
    }
}

/// The process that has not got the confirmation must not take the operation for its own.
#[tokio::test(start_paused = true)]
async fn a_request_learns_the_end_of_an_operation_whose_late_claim_another_process_has_taken_over() {
    let (lab, memory, around) = (Lab::default(), Arc::new(Memory::default()), Arc::new(Delays::default()));
    let start = async |around: &Arc<Delays>, lease: Duration| {
        let mut settings = Settings::default();
        (settings.clock, settings.lease) = (Clock::of_runtime(), lease);
        settings.store = Records::new(Hooked::new(Arc::clone(&memory), Arc::clone(around)));
        Direct::start(LabBroker { lab: lab.clone() }, settings).await
    };
    let lease = Settings::default().lease;
    let first = start(&around, lease).await;
    // It looks for expired leases much more often than the first process looks for its claim.
    let second = start(&Arc::default(), lease / 100).await;
    assert_eq!(second.send("PUT", "/v2/service_instances/other", Some(&new(ids::SMALL, json!({})))).await.status, 201);
    around.is_slow.store(true, Ordering::SeqCst);
    let body = new(ids::SMALL, json!({ "mood": "wait" }));
    assert_eq!(first.send("PUT", &accepting(I), Some(&body)).await.status, 503);
    around.is_slow.store(false, Ordering::SeqCst);
    // Not when the first process looks.
    tokio::time::sleep(lease * 2 + lease / 16).await;
    around.commit(&memory).await;
    lab.called(2).await;
    let repeated = async { timeout(lease, first.send("PUT", I, Some(&body))).await.expect("in time").status };
    let ends = async {
        tokio::time::sleep(lease / 2).await;
        lab.gate.open();
    };
    let (repeated, ()) = tokio::join!(repeated, ends);
    assert_eq!((repeated, lab.calls()), (200, 2));
    assert_eq!(second.send("GET", I, None).await.status, 200);
}

#[tokio::test(start_paused = true)]
async fn an_end_that_another_process_has_committed_is_published_there_only() {
    let (lab, memory, around) = (Lab::default(), Arc::new(Memory::default()), Arc::new(Delays::default()));
    let start = async |around: &Arc<Delays>| {
        let (mut settings, events) = (Settings::default(), Kept::default());
        settings.clock = Clock::of_runtime();
        settings.audit = Some(Arc::new(events.clone()));
        settings.store = Records::new(Hooked::new(Arc::clone(&memory), Arc::clone(around)));
        (Direct::start(LabBroker { lab: lab.clone() }, settings).await, events)
    };
    let (first, first_events) = start(&around).await;
    let (second, second_events) = start(&Arc::default()).await;
    let poll = format!("{I}/last_operation");
    // The second process sweeps the records from its first change on.
    assert_eq!(second.send("PUT", "/v2/service_instances/other", Some(&new(ids::SMALL, json!({})))).await.status, 201);
    let body = new(ids::SMALL, json!({ "mood": "wait_stubbornly" }));
    assert_eq!(first.send("PUT", &accepting(I), Some(&body)).await.status, 202);
    second_events.told();
    around.is_slow.store(true, Ordering::SeqCst);
    lab.gate.open();
    while second.send("GET", &poll, None).await.body["state"] != "succeeded" {
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    around.is_slow.store(false, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_mins(1)).await;
    assert_eq!(first_events.told(), ["provision began"]);
    assert_eq!(second_events.told(), ["provision taken over", "provision succeeded"]);

    lab.gate.close();
    lab.deletions_go(Behaviour::WaitStubbornly);
    let deletion = format!("{I}?accepts_incomplete=true&{DELETE}");
    assert_eq!(first.send("DELETE", &deletion, None).await.status, 202);
    around.is_slow.store(true, Ordering::SeqCst);
    lab.gate.open();
    while second.send("GET", &poll, None).await.status != 410 {
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    around.is_slow.store(false, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_mins(1)).await;
    assert_eq!(first_events.told(), ["deprovision began"]);
    assert_eq!(second_events.told(), ["deprovision taken over", "deprovision succeeded"]);
}

/// A 503 would make the platform delete an instance that is being created.
#[tokio::test]
async fn asy_06_an_accepted_request_is_answered_202_although_the_answer_of_the_store_is_lost() {
    // The second transaction notes that the platform polls, which the claim has stored.
    let around = LosesOne { losing: 2, transactions: AtomicUsize::default() };
    let (wire, _) = lab_with(|settings| settings.store = Hooked::records(around)).await;
    let accepted = wire.put(&accepting(I), new(ids::SLOW, json!({ "mood": "dawdle" }))).await.has_status(202);
    assert!(accepted.body["dashboard_url"].is_string(), "PROV-16: {accepted:?}");
    let operation = accepted.body["operation"].as_str().expect("there is one");
    let poll = format!("{I}/last_operation?operation={operation}");
    assert_eq!(wire.settled_at(&poll).await.body["state"], "succeeded");
}

/// The tombstone of a deletion has no attempt by which its worker could know it.
#[tokio::test]
async fn the_end_of_a_deletion_is_answered_and_published_although_answers_of_the_store_are_lost() {
    let events = Kept::default();
    let change = |settings: &mut Settings| settings.audit = Some(Arc::new(events.clone()));
    let (wire, lab, Forgetful { losing, .. }) = serve(change).await;
    assert_eq!(wire.put(I, new(ids::SMALL, json!({}))).await.status, 201);
    lab.deletions_go(Behaviour::WaitStubbornly);
    let path = format!("{I}?{DELETE}");
    let (deleted, ()) = tokio::join!(wire.delete(&path), async {
        until(async || wire.get(&format!("{I}/last_operation")).await.body["state"] == "in progress").await;
        losing.store(2, Ordering::SeqCst);
        lab.gate.open();
    });
    assert_eq!((deleted.status, losing.load(Ordering::SeqCst)), (200, 0), "{deleted:?}");
    assert_eq!((wire.delete(&path).await.status, lab.inventory().len()), (410, 0));
    let told = ["provision began", "provision succeeded", "deprovision began", "deprovision succeeded"];
    assert_eq!(events.told(), told);
}

#[tokio::test]
async fn an_end_is_answered_and_published_although_answers_of_the_store_are_lost() {
    let events = Kept::default();
    let change = |settings: &mut Settings| settings.audit = Some(Arc::new(events.clone()));
    let (wire, lab, Forgetful { losing, .. }) = serve(change).await;
    let body = new(ids::SMALL, json!({ "mood": "wait_stubbornly" }));
    let (made, ()) = tokio::join!(wire.put(I, body.clone()), end_handler(&lab, &losing));
    assert_eq!((made.status, losing.load(Ordering::SeqCst)), (201, 0), "{made:?}");
    assert_eq!(wire.put(I, body).await.status, 200);
    assert_eq!((lab.calls(), lab.overlaps()), (1, 0));
    assert_eq!(events.told(), ["provision began", "provision succeeded"]);
    assert_eq!(wire.put(B, bind(ids::SMALL, json!({}))).await.status, 201);
    lab.gate.close();
    lab.deletions_go(Behaviour::WaitStubbornly);
    let ends = async {
        until(async || !lab.remains().is_empty()).await;
        losing.store(1, Ordering::SeqCst);
        lab.gate.open();
    };
    events.told();
    let path = format!("{I}?{DELETE}");
    tokio::join!(wire.delete(&path), ends).0.has_status(200);
    let told = ["unbind b began", "unbind b succeeded", "deprovision succeeded"];
    assert_eq!(events.told()[1..], told);
}

#[tokio::test]
async fn bind_17_credentials_that_are_read_once_survive_lost_answers_of_the_store() {
    let change = |settings: &mut Settings| settings.credential_reads = CredentialReads::Once;
    let (wire, _, Forgetful { losing, .. }) = serve(change).await;
    assert_eq!(wire.put(I, new(ids::SLOW, json!({}))).await.status, 422);
    wire.put(&accepting(I), new(ids::SLOW, json!({}))).await.has_status(202);
    wire.settled(I).await;
    wire.put(&accepting(B), bind(ids::SLOW, json!({}))).await.has_status(202);
    assert_eq!(wire.settled(B).await.body["state"], "succeeded");
    // As in an outage of a second.
    losing.store(5, Ordering::SeqCst);
    let fetched = wire.get(B).await;
    assert_eq!(fetched.body["credentials"]["password"], "password of b", "{fetched:?}");
    assert_eq!(wire.get(B).await.body.get("credentials"), None, "they are read once");
}

/// Waits for an outage no longer than for any other answer, and the credentials can be fetched after it.
#[tokio::test]
async fn bind_17_a_fetch_gives_up_at_the_deadline_and_leaves_the_credentials() {
    let losing = Arc::<AtomicUsize>::default();
    let (wire, _) = lab_with(|settings| {
        (settings.credential_reads, settings.sync_deadline) = (CredentialReads::Once, Duration::from_millis(300));
        // The store fails before it has decided.
        settings.store = Hooked::records(Failing(Arc::clone(&losing)));
    })
    .await;
    for (path, body) in [(I, new(ids::SLOW, json!({}))), (B, bind(ids::SLOW, json!({})))] {
        assert_eq!(wire.put(&accepting(path), body).await.status, 202);
        assert_eq!(wire.settled(path).await.body["state"], "succeeded");
    }
    losing.store(usize::MAX, Ordering::SeqCst);
    timeout(Duration::from_secs(10), wire.get(B)).await.expect("it gives up").has_status(503);
    losing.store(0, Ordering::SeqCst);
    let fetched = wire.get(B).await;
    assert_eq!(fetched.body["credentials"]["password"], "password of b", "{fetched:?}");
}
