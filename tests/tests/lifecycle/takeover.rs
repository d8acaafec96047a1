//! Takeover of operations whose process dies, stalls, or returns after its lease has expired.

use std::pin::Pin;

use osb_lab::prelude::*;
use osb_runtime::{
    lifecycle::{AnyHooks, Event, HandlerObserver, HandlerPoint, HookError, Hooks, admin::cancel},
    protocol::Tenant,
    store::{Key, Pending},
};
use osb_store::Redb;
use tokio::{
    runtime::{Builder, Runtime},
    sync::Semaphore,
    time::{advance, sleep, timeout},
};

use crate::{
    claims::{AHEAD, WaitingHook, eager},
    directed::{self, Ending, World},
    hooked_store::{Around, Hooked, Request},
};

fn settings(records: &Records) -> Settings {
    let mut settings = Settings::default();
    settings.lease = Duration::from_millis(600);
    settings.sync_wait = Duration::from_millis(10);
    settings.store = records.clone();
    settings
}

fn in_virtual_time(records: &Records, clock: Clock) -> Settings {
    let mut settings = settings(records);
    settings.clock = clock;
    settings
}

/// A simulated process: a broker with its own runtime.
struct Process {
    runtime: Runtime,
    wire: Wire,
}

impl Process {
    /// Starts a process whose time is virtual: it passes only while a test waits for the process. Between that it is stalled.
    fn start(lab: &Lab, records: &Records) -> Self {
        let runtime = Builder::new_current_thread().enable_all().start_paused(true).build().expect("a runtime");
        Self::start_in(runtime, lab, || in_virtual_time(records, Clock::of_runtime()))
    }

    /// Starts a process in real time, which can use a file.
    fn start_with(lab: &Lab, settings: Settings) -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        Self::start_in(runtime, lab, || settings)
    }

    /// Starts a process whose handlers block one of its two threads.
    fn blocking(lab: &Lab, mut settings: Settings) -> Self {
        settings.observer = Some(Arc::new(BlocksThread));
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
        Self::start_in(runtime, lab, || settings)
    }

    fn start_in(runtime: Runtime, lab: &Lab, settings: impl FnOnce() -> Settings) -> Self {
        let wire = runtime.block_on(async { Wire::serve_with(LabBroker { lab: lab.clone() }, settings()).await });
        Self { runtime, wire }
    }

    /// Waits for a condition.
    fn until<T>(&self, mut condition: impl FnMut() -> Option<T>) -> T {
        for _ in 0..4000 {
            if let Some(met) = condition() {
                return met;
            }
            self.runtime.block_on(async { sleep(Duration::from_millis(2)).await });
        }
        panic!("the condition is not met");
    }

    fn put(&self, path: &str, body: Value) -> Reply {
        self.runtime.block_on(self.wire.put(path, body))
    }

    fn get(&self, path: &str) -> Reply {
        self.runtime.block_on(self.wire.get(path))
    }

    fn delete(&self, path: &str) -> Reply {
        self.runtime.block_on(self.wire.delete(&format!("{path}?{DELETE}")))
    }

    fn last_operation(&self, path: &str, operation: &str) -> Reply {
        self.get(&format!("{path}/last_operation?operation={operation}"))
    }

    fn end(&self, path: &str, operation: &str) -> Reply {
        self.until(|| Some(self.last_operation(path, operation)).filter(|reply| reply.body["state"] != "in progress"))
    }

    /// Ends the process with all its tasks.
    fn die(self) {
        drop(self.wire);
        self.runtime.shutdown_timeout(Duration::from_secs(5));
    }
}

fn accepted(reply: &Reply) -> String {
    assert_eq!(reply.status, 202, "{reply:?}");
    reply.body["operation"].as_str().expect("an operation").to_owned()
}

#[test]
fn an_accepted_operation_continues_from_its_checkpoint_after_its_process_died() {
    let (lab, records) = (Lab::default(), Records::in_memory());
    let first = Process::start(&lab, &records);
    let waiting = json!({ "mood": "wait" });
    let operation = accepted(&first.put(&accepting(I), new(ids::SMALL, waiting.clone())));
    first.die();

    let second = Process::start(&lab, &records);
    second.until(|| (lab.calls() == 2).then_some(()));
    let runs = lab.runs();
    assert_eq!(runs, [format!("{operation} 1 "), format!("{operation} 2 half i")], "the same operation, and its state");
    assert_eq!(second.last_operation(I, &operation).body["state"], "in progress");
    lab.gate.open();
    assert_eq!(second.end(I, &operation).body["state"], "succeeded");
    assert_eq!(second.put(I, new(ids::SMALL, waiting)).status, 200);

    lab.gate.close();
    let bound = accepted(&second.put(&accepting(B), bind(ids::SMALL, json!({ "mood": "wait" }))));
    second.die();
    let third = Process::start(&lab, &records);
    lab.gate.open();
    assert_eq!(third.end(B, &bound).body["state"], "succeeded");
    assert_eq!(third.get(B).body["credentials"]["user"], "b", "GETB-02");
    assert_eq!(lab.overlaps(), 0);
}

#[test]
fn a_synchronous_create_is_rolled_back() {
    let (lab, records) = (Lab::default(), Records::in_memory());
    let first = Process::start(&lab, &records);
    let request = first.wire.put(I, new(ids::SMALL, json!({ "mood": "hang" })));
    first.runtime.block_on(async {
        tokio::select! {
            _ = request => panic!("it hangs"),
            () = lab.called(1) => {}
        }
    });
    first.die();
    let second = Process::start(&lab, &records);
    second.until(|| lab.inventory().is_empty().then_some(()));
    let told = second
        .until(|| Some(second.get(&format!("{I}/last_operation"))).filter(|reply| reply.body["state"] == "failed"));
    let operation = lab.runs().swap_remove(0);
    let operation = operation.split(' ').next().expect("its id");
    assert!(told.description().ends_with(&format!("Its id is {operation}.")), "{told:?}");
    assert_eq!(second.delete(I).status, 410, "ORP-02: its platform has seen an error, and deletes");
    assert_eq!(lab.calls(), 1, "it was not retried");
}

#[test]
fn a_synchronous_deletion_is_finished() {
    let (lab, records) = (Lab::default(), Records::in_memory());
    let first = Process::start(&lab, &records);
    assert_eq!(first.put(I, new(ids::SMALL, json!({}))).status, 201);
    lab.deletions_go(Behaviour::Wait);
    let path = format!("{I}?{DELETE}");
    first.runtime.block_on(async {
        tokio::select! {
            _ = first.wire.delete(&path) => panic!("it waits"),
            () = until(async || !lab.remains().is_empty()) => {}
        }
    });
    first.die();
    lab.gate.open();
    let second = Process::start(&lab, &records);
    second.until(|| lab.inventory().is_empty().then_some(()));
    second.until(|| (second.get(&format!("{I}/last_operation")).status == 410).then_some(()));
}

#[test]
fn a_cancelled_create_whose_process_died_is_deleted_when_its_lease_expires() {
    let (lab, records) = (Lab::default(), Records::in_memory());
    let (first, second) = (Process::start(&lab, &records), Process::start(&lab, &records));
    accepted(&first.put(&accepting(I), new(ids::SMALL, json!({ "mood": "hang" }))));
    first.die();
    assert_eq!(second.delete(I).status, 200, "DEP-06");
    assert!(lab.inventory().is_empty());
}

/// Blocks the thread of each handler for longer than the lease.
struct BlocksThread;

impl HandlerObserver for BlocksThread {
    fn reached<'a>(&'a self, point: HandlerPoint<'a>) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        if let HandlerPoint::Started = point {
            std::thread::sleep(Duration::from_millis(1500));
        }
        Box::pin(std::future::ready(()))
    }
}

#[test]
fn a_handler_that_blocks_its_thread_keeps_its_claim() {
    let (lab, records) = (Lab::default(), Records::in_memory());
    let first = Process::blocking(&lab, settings(&records));
    let second = Process::start_with(&lab, settings(&records));
    assert_eq!(first.put(I, new(ids::SMALL, json!({}))).status, 201, "the request waits");
    let polled = "/v2/service_instances/polled";
    let operation = accepted(&first.put(&accepting(polled), new(ids::SMALL, json!({}))));
    assert_eq!(second.end(polled, &operation).body["state"], "succeeded");
    assert_eq!(lab.calls(), 2, "no handler was called a second time");
}

#[test]
fn a_handler_that_blocks_its_thread_is_cancelled_at_its_deadline() {
    let (lab, mut short) = (Lab::default(), settings(&Records::in_memory()));
    (short.sync_deadline, short.cancel_grace) = (Duration::from_millis(500), Duration::from_millis(100));
    let process = Process::blocking(&lab, short);
    let reply = process.put(I, new(ids::SMALL, json!({ "mood": "wait" })));
    assert_eq!(reply.status, 500, "{reply:?}");
    process.until(|| lab.inventory().is_empty().then_some(()));
}

/// A process that was suspended for longer than the lease finds its own claims expired when it continues.
#[test]
fn a_stalled_process_does_not_take_over_its_own_operations() {
    let folder = tempfile::tempdir().expect("a temporary folder is created");
    let file = Records::new(Redb::open(folder.path().join("records.redb"), None).expect("it opens"));
    std::thread::scope(|scope| {
        for records in [Records::in_memory(), file] {
            scope.spawn(move || a_stalled_process_keeps_its_operations(&records));
        }
    });
}

fn a_stalled_process_keeps_its_operations(records: &Records) {
    let lab = Lab::default();
    let process = Process::start_with(&lab, settings(records));
    let operations: Vec<String> = (0..20)
        .map(|number| {
            let path = format!("/v2/service_instances/{number}?accepts_incomplete=true");
            accepted(&process.put(&path, new(ids::SMALL, json!({ "mood": "wait" }))))
        })
        .collect();
    // On a busy machine a lease can end before it is renewed, and the handler is called again.
    process.until(|| (lab.calls() >= 20).then_some(()));
    for _ in 0..2 {
        process
            .runtime
            .block_on(process.runtime.spawn(async {
                std::thread::sleep(Duration::from_millis(1500));
            }))
            .expect("the stall ends");
        // The process answers again after the sweeps and renewals that were due.
        assert_eq!(process.last_operation("/v2/service_instances/0", &operations[0]).status, 200);
    }
    lab.gate.open();
    for (number, operation) in operations.iter().enumerate() {
        let ended = process.end(&format!("/v2/service_instances/{number}"), operation);
        assert_eq!(ended.body["state"], "succeeded");
    }
    assert_eq!(lab.overlaps(), 0, "no handler was called a second time");
    process.die();
}

#[tokio::test(start_paused = true)]
async fn tombstones_are_kept_for_a_week() {
    let (wire, _) = lab_with(|settings| settings.clock = Clock::of_runtime()).await;
    assert_eq!(wire.put(I, new(ids::SMALL, json!({}))).await.status, 201);
    assert_eq!(wire.put(B, bind(ids::SMALL, json!({}))).await.status, 201);
    let with_instance = binding("i", "c");
    assert_eq!(wire.put(&with_instance, bind(ids::SMALL, json!({}))).await.status, 201);
    assert_eq!(delete(&wire, B).await.status, 200);
    let status = async |path: &str| wire.get(&format!("{path}/last_operation")).await.status;
    assert_eq!(status(B).await, 410, "LOB-04");
    assert_eq!(delete(&wire, I).await.status, 200);
    let day = Duration::from_hours(24);
    let wait = async |time: Duration| {
        advance(time).await;
        sleep(Duration::from_mins(1)).await;
    };
    wait(day * 7).await;
    for path in [I, B, &with_instance] {
        assert_eq!(status(path).await, 410, "LOI-09: at least a week: {path}");
    }
    wait(day * 2).await;
    for path in [I, B, &with_instance] {
        assert_eq!(status(path).await, 404, "LOI-06: {path}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_operation_that_never_ends_fails_when_its_platform_stops_polling() {
    // The plan has a `maximum_polling_duration` of an hour.
    for (max_operation_time, lasts) in [(Duration::from_hours(2), 60), (Duration::from_mins(10), 10)] {
        let settings = |settings: &mut Settings| {
            (settings.clock, settings.max_operation_time) = (Clock::of_runtime(), max_operation_time);
        };
        let (wire, lab) = lab_with(settings).await;
        let request = new(ids::SLOW, json!({ "mood": "hang" }));
        let operation = accepted(&wire.put(&accepting(I), request).await);
        let state = async || wire.get(&format!("{I}/last_operation?operation={operation}")).await.body["state"].clone();
        sleep(Duration::from_mins(lasts - 1)).await;
        assert_eq!(state().await, "in progress", "DUR-01: {lasts} min");
        sleep(Duration::from_mins(2)).await;
        assert_eq!(state().await, "failed", "DUR-01: {lasts} min");
        assert!(lab.inventory().is_empty(), "and is removed");
    }
}

/// The operator of an operation that waits for something that never comes restarts the broker with a lower limit.
#[test]
fn a_lower_limit_ends_an_operation_of_an_earlier_process() {
    let (lab, records) = (Lab::default(), Records::in_memory());
    let first = Process::start_with(&lab, settings(&records));
    let operation = accepted(&first.put(&accepting(I), new(ids::SMALL, json!({ "mood": "hang" }))));
    first.until(|| (lab.calls() == 1).then_some(()));
    first.die();

    let mut lower = settings(&records);
    lower.max_operation_time = Duration::from_millis(1);
    let second = Process::start_with(&lab, lower);
    assert_eq!(second.end(I, &operation).body["state"], "failed");
    assert_eq!((lab.calls(), lab.remains().len()), (1, 1), "its handler may end each process, and is only rolled back");
}

/// Otherwise each process would call a handler that ends its process.
#[test]
fn an_operation_that_an_operator_has_cancelled_is_not_called_by_the_next_process() {
    let (lab, records) = (Lab::default(), Records::in_memory());
    let key = Key { tenant: Tenant::default(), instance: "i".into(), binding: None };
    let cancelled = async || cancel(records.store(), &key).await.expect("it is stored").expect("it is running");
    let calls = || lab.remains().len();
    let first = Process::start(&lab, &records);
    assert_eq!(first.put(I, new(ids::SMALL, json!({}))).status, 201);
    lab.deletions_go(Behaviour::Hang);
    let path = format!("{I}?{DELETE}");
    first.runtime.block_on(async {
        tokio::select! {
            _ = first.wire.delete(&path) => panic!("it hangs"),
            () = until(async || calls() == 1) => cancelled().await,
        }
    });
    first.die();
    let second = Process::start(&lab, &records);
    let state = |process: &Process| process.get(&format!("{I}/last_operation")).body["state"].clone();
    second.until(|| (state(&second) == "failed").then_some(()));
    let told = second.get(&format!("{I}/last_operation")).body["description"].to_string();
    assert!(told.contains("was cancelled by an operator"), "{told}");
    assert_eq!(calls(), 1, "the deletion");
    lab.deletions_go(Behaviour::Succeed);
    assert_eq!(second.delete(I).status, 200);

    lab.deletions_go(Behaviour::Hang);
    second.runtime.block_on(async {
        tokio::select! {
            _ = second.wire.put(I, new(ids::SMALL, json!({ "mood": "hang" }))) => panic!("it hangs"),
            () = lab.called(2) => {}
        }
    });
    second.die();
    let third = Process::start(&lab, &records);
    third.until(|| (calls() == 3).then_some(()));
    third.runtime.block_on(cancelled());
    third.die();
    let fourth = Process::start(&lab, &records);
    fourth.until(|| (state(&fourth) == "failed").then_some(()));
    assert_eq!(calls(), 3, "the rollback of a create");
}

/// It did not end its process.
#[tokio::test(start_paused = true)]
async fn a_lower_limit_does_not_end_an_operation_that_was_handed_over() {
    let (mut world, a) = World::of_a_process().await;
    let call = world.begin(&a, "i").await;
    sleep(Duration::from_mins(10)).await;
    tokio::join!(a.hand_over(), call.end(Ending::Failed));
    let b = world.process_with("b", |settings| settings.max_operation_time = Duration::from_mins(5)).await;
    world.call("b provision i 2").await.end_creation("made", &b).await;
}

/// A rollback whose handler ends each process would otherwise never end.
#[test]
fn a_lower_limit_ends_a_rollback_of_an_earlier_process() {
    let (lab, records) = (Lab::default(), Records::in_memory());
    lab.deletions_go(Behaviour::Hang);
    let first = Process::start_with(&lab, settings(&records));
    let body = new(ids::SMALL, json!({ "mood": "fail_half_way" }));
    let operation = accepted(&first.put(&accepting(I), body));
    first.until(|| (lab.remains().len() == 1).then_some(()));
    first.die();

    let mut lower = settings(&records);
    lower.max_operation_time = Duration::from_millis(1);
    let second = Process::start_with(&lab, lower);
    assert_eq!(second.end(I, &operation).body["state"], "failed");
    assert_eq!(lab.remains().len(), 1, "the handler is not called again");
    lab.deletions_go(Behaviour::Succeed);
    assert_eq!(second.delete(I).status, 200);
}

/// The next process to open a file takes over at once, however long the leases of the previous process are, because only one
/// process can have the file open.
#[test]
fn in_a_file_claims_end_with_their_process() {
    let folder = tempfile::tempdir().expect("a temporary folder is created");
    let open = || Records::new(Redb::open(folder.path().join("records.redb"), None).expect("it opens"));
    let (lab, hours) = (Lab::default(), Duration::from_hours(1));
    // The last process has shorter leases than the one before, as if the clock had been set back.
    for (number, lease) in [hours, hours, Duration::from_secs(1)].into_iter().enumerate() {
        let records = open();
        let mut settings = settings(&records);
        settings.lease = lease;
        let process = Process::start_with(&lab, settings);
        let path = format!("/v2/service_instances/{number}?accepts_incomplete=true");
        accepted(&process.put(&path, new(ids::SMALL, json!({ "mood": "wait" }))));
        process.until(|| (lab.calls() == (number + 1) * (number + 2) / 2).then_some(()));
        process.runtime.block_on(records.close());
        process.die();
    }
    lab.gate.open();
    let records = open();
    let last = Process::start_with(&lab, settings(&records));
    for number in 0..3 {
        let path = format!("/v2/service_instances/{number}");
        let ended = last
            .until(|| Some(last.get(&format!("{path}/last_operation"))).filter(|r| r.body["state"] != "in progress"));
        assert_eq!(ended.body["state"], "succeeded");
    }
}

/// Refuses all operations.
struct RefusingHook;

impl Hooks for RefusingHook {
    async fn before(&self, _: &Event) -> Result<(), HookError> {
        Err(HookError::refused("Not now."))
    }
}

/// Returns a process whose hook waits, and one that takes over and whose hook refuses.
async fn with_hooks() -> (World, WaitingHook, [directed::Process; 2]) {
    let (world, hook) = (World::new(), WaitingHook::default());
    let a = world.process_with("a", |settings| settings.hooks = Some(AnyHooks::of(hook.clone()))).await;
    let b = world.process_with("b", |settings| {
        eager(settings);
        settings.hooks = Some(AnyHooks::of(RefusingHook));
    });
    let b = b.await;
    (world, hook, [a, b])
}

/// The process that has died did not get to the end of its hook.
#[tokio::test(start_paused = true)]
async fn a_hook_cannot_refuse_the_rollback_of_a_create_that_was_taken_over() {
    let (mut world, hook, [a, b]) = with_hooks().await;
    let work = async {
        hook.is_called.notified().await;
        b.set_ahead(AHEAD);
        world.call("b deprovision i 2").await.end(Ending::Done("")).await;
    };
    let (failed, ()) = tokio::join!(a.ask_with("i", ""), work);
    assert_eq!(failed.status, 500, "{failed:?}");
    assert_eq!(b.end("i").await.body["state"], "failed");
}

/// The process that has died did not get to the end of its hook.
#[tokio::test(start_paused = true)]
async fn a_hook_is_asked_about_an_operation_that_was_taken_over() {
    let (mut world, hook, [a, b]) = with_hooks().await;
    a.put("i").await;
    hook.is_called.notified().await;
    b.set_ahead(AHEAD);
    world.is_quiet().await;
    let polled = b.poll("i").await;
    assert_eq!((&polled.body["state"], polled.description()), (&json!("failed"), "Not now."), "{polled:?}");
}

/// The resources of the handler would stay.
#[tokio::test(start_paused = true)]
async fn a_hook_cannot_refuse_a_create_whose_handler_a_process_without_hooks_has_called() {
    let (mut world, hook) = (World::new(), WaitingHook::default());
    let a = world.process_with("a", |settings| settings.hooks = Some(AnyHooks::of(hook.clone()))).await;
    let b = world.process_with("b", eager).await;
    let c = world.process_with("c", |settings| {
        eager(settings);
        settings.hooks = Some(AnyHooks::of(RefusingHook));
    });
    let c = c.await;
    a.put("i").await;
    hook.is_called.notified().await;
    b.set_ahead(AHEAD);
    let _lost = world.call("b provision i 2").await;
    c.set_ahead(2 * AHEAD);
    world.call("c provision i 3").await.end_creation("made", &c).await;
}

#[tokio::test(start_paused = true)]
async fn a_rollback_that_was_taken_over_has_retries_of_its_own() {
    let (mut world, a) = World::with(|settings| settings.retry.max_attempts = 2).await;
    let b = world
        .process_with("b", |settings| (settings.retry.max_attempts, settings.lease) = (2, Duration::from_secs(4)))
        .await;
    let work = async {
        world.call("a provision i 1").await.end(Ending::Temporary).await;
        let _lost = world.call("a provision i 2").await;
        b.set_ahead(AHEAD);
        world.call("b deprovision i 3").await.end(Ending::Temporary).await;
        world.call("b deprovision i 4").await.end(Ending::Done("")).await;
    };
    tokio::join!(a.ask_with("i", ""), work).0.has_status(500);
}

/// When a process continues after it was suspended for longer than the lease, its sweep can run before a renewal.
#[tokio::test(start_paused = true)]
async fn a_stalled_process_does_not_take_over_from_its_own_cancelled_create() {
    let (broker, lab) = Direct::lab(|settings| settings.cancel_grace = Duration::from_hours(1)).await;
    let request = new(ids::SMALL, json!({ "mood": "hang" }));
    accepted(&broker.send("PUT", &accepting(I), Some(&request)).await);
    accepted(&broker.send("DELETE", &format!("{I}?accepts_incomplete=true&{DELETE}"), None).await);
    assert!(lab.remains().is_empty(), "the handler of the create runs");
    advance(AHEAD).await;
    let continued_at = tokio::time::Instant::now();
    until(async || !lab.remains().is_empty()).await;
    assert!(
        continued_at.elapsed() < Duration::from_mins(1),
        "the handler ends with its lease, long before `cancel_grace`"
    );
    assert_eq!(lab.overlaps(), 0, "the deletion waits until the handler of the create has been dropped");
}

/// The database's clock is set, or a failover leads to a database with another clock.
#[tokio::test(start_paused = true)]
async fn a_store_whose_clock_is_set_ends_no_claim() {
    for ahead in [Duration::from_hours(1), Duration::from_secs(45)] {
        let mut world = World::new();
        // Whichever sweeps first after that.
        let b = world.process("b").await;
        sleep(Duration::from_secs(3)).await;
        let a = world.process("a").await;
        let call = world.begin(&a, "i").await;
        sleep(Duration::from_mins(5)).await;
        a.set_ahead(ahead);
        b.set_ahead(ahead);
        world.is_quiet().await;
        // Without its process, the claim ends as usual.
        a.stall();
        world.call("b provision i 2").await.end_creation("made", &b).await;
        assert!(call.has_ended());
    }
}

/// Is opened after its process has died. An operation begins before each list of the records that are due.
struct Busy {
    listing: Semaphore,
    begun: Semaphore,
}

impl Around for Arc<Busy> {
    fn recovers(&self) -> bool {
        true
    }

    fn before(&self, request: Request) -> Pending<'_, ()> {
        Box::pin(async move {
            if request == Request::Due {
                self.listing.add_permits(1);
                self.begun.acquire().await.expect("it is open").forget();
            }
            Ok(())
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_sweep_ends_although_operations_begin_meanwhile() {
    let busy = Arc::new(Busy { listing: Semaphore::new(0), begun: Semaphore::new(0) });
    let settings = settings(&Hooked::records(Arc::clone(&busy)));
    let broker = Direct::start(LabBroker { lab: Lab::default() }, settings).await;
    for number in 0..10 {
        // The next sweep comes later than that.
        let Ok(listing) = timeout(Duration::from_millis(100), busy.listing.acquire()).await else { return };
        listing.expect("it is open").forget();
        let path = accepting(&format!("/v2/service_instances/{number}"));
        assert_eq!(broker.send("PUT", &path, Some(&new(ids::SMALL, json!({ "mood": "hang" })))).await.status, 202);
        busy.begun.add_permits(1);
    }
    panic!("the sweep has no end");
}
