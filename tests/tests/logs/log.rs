//! The log has unexpected errors with the request identity, and no secrets.

use std::{future::pending, path::Path};

use osb_lab::{
    direct::ask,
    prelude::*,
    releases::{first::FirstBroker, ids as releases, second::SecondBroker},
    wire::credentials,
};
use osb_runtime::{
    http::{AcceptedCredentials, Platforms},
    lifecycle::{AnyHooks, Event, HookError, Hooks},
    store::{Decision, Due, Key, Look, Memory, Pending, PlanUsage, Record, Store, StoreError, Timestamp},
};
use osb_store::{Keys, Postgres, Redb};
use osb_throwaway_postgres::Server;
use osb_tool::Metrics;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::logged;

#[tokio::test]
async fn unexpected_errors_are_in_the_log_but_not_in_the_answer() {
    logged::begin();
    let wire = Wire::serve(LabBroker { lab: Lab::default() }).await;
    for (mood, reason, identity) in [
        ("fail", "the secret reason in the log", "request-that-fails"),
        ("panic", "as requested", "request-that-panics"),
    ] {
        let body = new(ids::SMALL, json!({ "mood": mood, "token": "marked-secret" }));
        let headers = [("X-Broker-API-Request-Identity", identity)];
        let reply = wire.send("PUT", "/v2/service_instances/i", &headers, Some(&body)).await.has_status(500);
        assert!(reply.head.contains(identity), "HDR-05, T60");
        assert!(!reply.description().contains(reason), "{reply:?}");
        let log = logged::text();
        let line = log.lines().find(|line| line.contains(reason) && line.contains(identity));
        let line = line.unwrap_or_else(|| panic!("HDR-06: no reason in {log}"));
        let (_, operation) = reply.description().rsplit_once(' ').expect("the operation is its last word");
        assert!(line.contains(operation.trim_end_matches('.')), "{operation} {line}");
        assert!(!log.contains("marked-secret"), "T68");
        let audited: Vec<&str> = log.lines().filter(|line| line.contains("osb_runtime::audit")).collect();
        for stage in ["began", "rolling back", "failed"] {
            let stage = format!("\"{stage}\"");
            let message = format!("osb_runtime::audit: provision {}", stage.trim_matches('"'));
            let is_it = |line: &&str| line.contains(&stage) && line.contains(identity) && line.contains(&message);
            assert!(audited.iter().any(is_it), "{stage} in {audited:?}");
        }
    }
}

#[tokio::test]
async fn the_log_has_the_address_of_a_client_with_wrong_credentials() {
    logged::begin();
    let (wire, mut answer) = (Wire::serve(LabBroker { lab: Lab::default() }).await, Vec::new());
    let mut client = TcpStream::connect(wire.address()).await.expect("it listens");
    let peer = format!("peer={}", client.local_addr().expect("an address"));
    for (credentials, connection) in [("Basic aHVzaDpodXNo", "keep-alive"), (AUTHORIZATION, "close")] {
        let head =
            format!("GET /v2/catalog HTTP/1.1\r\nHost: h\r\nX-Broker-API-Version: 2.17\r\nConnection: {connection}");
        client
            .write_all(format!("{head}\r\nAuthorization: {credentials}\r\n\r\n").as_bytes())
            .await
            .expect("it is sent");
    }
    client.read_to_end(&mut answer).await.expect("two answers");
    let answer = String::from_utf8(answer).expect("UTF-8");
    assert!(answer.starts_with("HTTP/1.1 401 ") && answer.contains("HTTP/1.1 200 OK"), "{answer}");
    let log = logged::text();
    let told: Vec<_> = log.lines().filter(|line| line.contains(&peer)).collect();
    assert!(
        told.len() == 1 && told[0].contains("INFO osb_runtime::access: the credentials are missing or wrong"),
        "{told:?}"
    );
    assert!(!log.contains("aHVzaDpodXNo"), "{log}");
}

#[tokio::test]
async fn a_retry_is_a_warning_with_the_attempt_and_the_next_pause() {
    logged::begin();
    let (wire, _) = lab_with(|settings| settings.retry.initial_delay = Duration::from_millis(3)).await;
    let parameters = json!({ "mood": "temporary" });
    assert_eq!(wire.put(&instance("retried"), new(ids::SMALL, parameters.clone())).await.status, 201);
    assert_eq!(wire.put(&binding("retried", "its-binding"), bind(ids::SMALL, parameters)).await.status, 201);
    for (attempt, pause) in [("attempt=1", "retry_in=0.003"), ("attempt=2", "retry_in=0.006")] {
        for binding in ["", "binding=\"its-binding\""] {
            has_line(&["WARN", "instance=\"retried\"", "failed with a temporary error", attempt, pause, binding]);
        }
    }
}

/// Otherwise an operator waits for the next one.
#[tokio::test]
async fn the_attempt_after_which_an_operation_is_given_up_is_called_the_last() {
    logged::begin();
    for (id, max_attempts, delay, last) in [
        ("given-up", 2, Duration::from_millis(3), "attempt=2"),
        // Its deadline comes before the next attempt.
        ("out-of-time", 8, Duration::from_mins(1), "attempt=1"),
    ] {
        let policy = |settings: &mut Settings| {
            (settings.retry.max_attempts, settings.retry.initial_delay) = (max_attempts, delay);
        };
        let (wire, _) = lab_with(policy).await;
        wire.put(&instance(id), new(ids::SMALL, json!({ "mood": "temporary" }))).await.has_status(500);
        let named = format!("instance=\"{id}\"");
        has_line(&["ERROR", &named, "provision failed in its last attempt", last]);
    }
}

/// A store that reports success, and calls nothing.
#[derive(Default)]
struct Silent {
    memory: Memory,
    /// Reads and counts don't end while this is true.
    hangs: Arc<AtomicBool>,
}

impl Store for Silent {
    fn transact<'a>(&'a self, _: &'a [Key], _: Decision<'a>) -> Pending<'a, ()> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn read<'a>(&'a self, _: &'a Key, _: Look<'a>) -> Pending<'a, ()> {
        if self.hangs.load(Ordering::Relaxed) { Box::pin(pending()) } else { Box::pin(std::future::ready(Ok(()))) }
    }

    fn due<'a>(&'a self, now: Timestamp, after: Option<&'a Due>, limit: usize) -> Pending<'a, Vec<Due>> {
        self.memory.due(now, after, limit)
    }

    fn list<'a>(&'a self, after: Option<&'a Key>, limit: usize) -> Pending<'a, Vec<(Key, Result<Record, StoreError>)>> {
        self.memory.list(after, limit)
    }

    fn plan_usage(&self) -> Pending<'_, Vec<PlanUsage>> {
        if self.hangs.load(Ordering::Relaxed) { Box::pin(pending()) } else { self.memory.plan_usage() }
    }

    fn forget(&self, now: Timestamp) -> Pending<'_, ()> {
        self.memory.forget(now)
    }
}

#[tokio::test]
async fn a_store_that_calls_nothing_is_named_in_the_log() {
    logged::begin();
    let (wire, _) = lab_with(|settings| settings.store = Records::new(Silent::default())).await;
    let told = || logged::text().matches("without calling `decide` or `look`").count();
    assert_eq!(wire.get(&instance("silent")).await.status, 503);
    let reads = told();
    assert!(reads > 0, "{}", logged::text());
    assert_eq!(wire.put(&instance("silent"), new(ids::SMALL, json!({}))).await.status, 503);
    assert!(told() > reads, "{}", logged::text());
}

/// Probes may be the only requests, and refer to the log.
#[tokio::test(start_paused = true)]
async fn the_log_says_that_the_record_store_does_not_answer_a_probe() {
    logged::begin();
    let store = Silent::default();
    let (hangs, mut settings) = (Arc::clone(&store.hangs), Settings::default());
    settings.store = Records::new(store);
    settings.metrics = Some(Arc::new(Metrics::new()));
    let credentials = AcceptedCredentials::basic("cf", "secret").expect("they are valid");
    let broker = LabBroker { lab: Lab::default() };
    let service = BrokerService::start_with(broker, credentials, HttpSettings::default(), settings).await;
    let monitor = service.expect("it starts").monitor();
    hangs.store(true, Ordering::Relaxed);
    assert_eq!(ask(&monitor, "GET", "/readyz", "", &Value::Null).await.0, 503);
    has_line(&["ERROR", "the record store is unavailable", "no answer in 0.9 s"]);
    assert_eq!(ask(&monitor, "GET", "/metrics", "", &Value::Null).await.0, 200);
    has_line(&["ERROR", "the record store is unavailable", "no answer in 5 s"]);
}

/// Checks that a line has all these parts.
fn has_line(parts: &[&str]) {
    let log = logged::text();
    assert!(log.lines().any(|line| parts.iter().all(|part| line.contains(part))), "{parts:?} in {log}");
}

#[tokio::test]
async fn a_line_about_a_handler_has_its_name_and_its_ids() {
    logged::begin();
    let (wire, lab) = lab_with(|settings| {
        (settings.sync_deadline, settings.cancel_grace) = (Duration::from_millis(400), Duration::from_millis(20));
    })
    .await;
    let [one, two, hangs] = ["one", "two", "hangs"].map(instance);
    for (path, mood) in [(&one, "succeed"), (&two, "succeed"), (&instance("panics"), "panic"), (&hangs, "hang")] {
        wire.put(path, new(ids::SMALL, json!({ "mood": mood }))).await;
    }
    for (id, mood) in [("b", "succeed"), ("panics", "panic")] {
        wire.put(&binding("two", id), bind(ids::SMALL, json!({ "mood": mood }))).await;
    }
    wire.patch(&one, change(json!({ "parameters": { "mood": "panic" } }))).await;
    // The binding is unbound first.
    for (path, mood) in [(&two, Behaviour::Hang), (&one, Behaviour::Panic)] {
        lab.deletions_go(mood);
        delete(&wire, path).await;
    }
    let log = logged::text();
    let is_panic = |line: &str| line.contains("unbind panicked") && line.contains("instance=\"two\"");
    assert!(!log.lines().any(is_panic), "it was aborted");
    delete(&wire, &two).await;
    for (name, id) in
        [("provision", "panics"), ("update", "one"), ("deprovision", "one"), ("bind", "two"), ("unbind", "two")]
    {
        has_line(&["ERROR", &format!(" {name} panicked"), &format!("instance=\"{id}\""), "operation="]);
    }
    for (name, id) in [("bind", "panics"), ("unbind", "b")] {
        has_line(&["ERROR", &format!(" {name} panicked"), "instance=\"two\"", &format!("binding=\"{id}\"")]);
    }
    for (name, id) in [("provision", "hangs"), ("deprovision", "two")] {
        has_line(&["ERROR", &format!(" {name} did not finish in time"), &format!("instance=\"{id}\""), "operation="]);
    }
    has_line(&["ERROR", "unbind did not finish in time", "instance=\"two\"", "binding=\"b\""]);
}

/// A hook before operations that panics.
struct PanickingHook;

impl Hooks for PanickingHook {
    async fn before(&self, _: &Event) -> Result<(), HookError> {
        panic!("as requested")
    }
}

#[tokio::test]
async fn a_line_about_a_hook_says_that_it_was_the_hook() {
    logged::begin();
    let (wire, _) = lab_with(|settings| settings.hooks = Some(AnyHooks::of(PanickingHook))).await;
    assert_eq!(wire.put(&instance("hooked"), new(ids::SMALL, json!({}))).await.status, 500);
    has_line(&["ERROR", "the hook before an operation panicked", "instance=\"hooked\"", "operation="]);
}

/// Hooks after operations that wait for ever. Notes when they begin and when they are cancelled.
#[derive(Clone, Default)]
struct EndlessHooks {
    begun: Arc<AtomicUsize>,
    cancelled: Arc<AtomicUsize>,
}

impl EndlessHooks {
    async fn wait(&self) {
        struct OnDrop<'a>(&'a AtomicUsize);
        impl Drop for OnDrop<'_> {
            fn drop(&mut self) {
                self.0.fetch_add(1, Ordering::SeqCst);
            }
        }
        self.begun.fetch_add(1, Ordering::SeqCst);
        let _cancelled = OnDrop(&self.cancelled);
        pending::<()>().await;
    }

    fn counts(&self) -> [usize; 2] {
        [&self.begun, &self.cancelled].map(|count| count.load(Ordering::SeqCst))
    }
}

impl Hooks for EndlessHooks {
    async fn after(&self, _: &Event) {
        self.wait().await;
    }

    async fn on_error(&self, _: &Event) {
        self.wait().await;
    }
}

#[tokio::test(start_paused = true)]
async fn hooks_after_operations_end_when_the_deadline_of_synchronous_operations_has_passed() {
    logged::begin();
    let (hooks, mut settings) = (EndlessHooks::default(), Settings::default());
    settings.hooks = Some(AnyHooks::of(hooks.clone()));
    settings.clock = Clock::of_runtime();
    let limit = settings.sync_deadline;
    let broker = Direct::start(LabBroker { lab: Lab::default() }, settings).await;
    let put = async |id: &str, parameters: Value| {
        broker.send("PUT", &instance(id), Some(&new(ids::SMALL, parameters))).await.status
    };
    assert_eq!(put("endless", json!({})).await, 201);
    assert_eq!(put("endless-failure", json!({ "mood": "fail" })).await, 500);
    tokio::time::sleep(limit * 9 / 10).await;
    assert_eq!(hooks.counts(), [2, 0]);
    tokio::time::sleep(limit / 5).await;
    assert_eq!(hooks.counts(), [2, 2]);
    for stage in ["succeeded", "failed"] {
        has_line(&["ERROR", "a hook did not finish in time", &format!("hook=\"{stage} of operation ")]);
    }
}

#[tokio::test(start_paused = true)]
async fn the_log_says_why_the_handler_of_an_old_operation_is_not_called() {
    logged::begin();
    let (lab, mut settings) = (Lab::default(), Settings::default());
    settings.store = Records::in_memory();
    settings.clock = Clock::of_runtime();
    let start = || Direct::start(LabBroker { lab: lab.clone() }, settings.clone());
    let (first, path) = (start().await, instance("left-behind"));
    let new = new(ids::SMALL, json!({ "mood": "hang" }));
    assert_eq!(first.send("PUT", &accepting(&path), Some(&new)).await.status, 202);
    first.hand_over().await;
    tokio::time::sleep(settings.max_operation_time * 2).await;
    let second = start().await;
    while second.send("GET", &format!("{path}/last_operation"), None).await.body["state"] == "in progress" {
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    has_line(&["ERROR", "instance=\"left-behind\"", "operation=", "the deadline passed while no process worked on"]);
}

/// Instances of several platforms may have the same id.
#[tokio::test]
async fn a_line_about_an_operation_names_the_tenant() {
    logged::begin();
    let mut settings = Settings::default();
    settings.sync_wait = Duration::ZERO;
    let start = async || {
        let platforms = Platforms::behind("cf-prod", "/prod", credentials()).expect("a name and a prefix");
        let broker = LabBroker { lab: Lab::default() };
        BrokerService::start_with(broker, platforms, HttpSettings::default(), settings.clone())
            .await
            .expect("it starts")
    };
    let (first, path) = (start().await, format!("/prod{}", instance("of-prod")));
    let put = async |path: &str, mood| {
        ask(&first, "PUT", path, AUTHORIZATION, &new(ids::SMALL, json!({ "mood": mood }))).await.0
    };
    assert_eq!(put(&path, "fail").await, 500);
    has_line(&["ERROR", ": provision failed ", "tenant=\"cf-prod\" instance=\"of-prod\""]);
    let appears = async |parts: [&str; 3]| {
        while !logged::text().lines().any(|line| parts.iter().all(|part| line.contains(part))) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let changed = format!("/prod{}", instance("changed"));
    assert_eq!(put(&changed, "succeed").await, 201);
    let plan = change(json!({ "plan_id": ids::LARGE }));
    assert_eq!(ask(&first, "PATCH", &accepting(&changed), AUTHORIZATION, &plan).await.0, 202);
    appears(["WARN", "dashboard URL after a 202", "tenant=\"cf-prod\" instance=\"changed\""]).await;
    ask(&first, "GET", &format!("{changed}?plan_id=stale"), AUTHORIZATION, &json!({})).await;
    has_line(&["WARN", "sent a stale value", "tenant=\"cf-prod\" instance=\"changed\""]);
    assert_eq!(put(&accepting(&path), "wait").await, 202);
    first.hand_over().await;
    let second = start().await;
    appears(["INFO", "continued an operation", "tenant=\"cf-prod\" instance=\"of-prod\""]).await;
    second.hand_over().await;
}

#[tokio::test]
async fn a_line_about_a_request_of_an_operator_names_the_operator() {
    logged::begin();
    let credentials = |user| AcceptedCredentials::basic(user, "pass").expect("a user without colon");
    let broker = LabBroker { lab: Lab::default() };
    let broker = BrokerService::start(broker, credentials("user"), HttpSettings::default()).await.expect("it starts");
    // `carol:pass`
    let admin = broker.admin(credentials("carol"));
    let asked = ask(&admin, "GET", "/instances/of-carol", "Basic Y2Fyb2w6cGFzcw==", &Value::Null).await;
    assert_eq!(asked.0, 404);
    has_line(&["INFO", "method=\"GET\"", "path=\"/instances/of-carol\"", "status=404", "user=\"carol\""]);
    let made = ask(&broker, "PUT", &instance("of-carol"), AUTHORIZATION, &new(ids::SMALL, json!({}))).await;
    assert_eq!(made.0, 201);
    let purged = ask(&admin, "POST", "/instances/of-carol/purge", "Basic Y2Fyb2w6cGFzcw==", &Value::Null).await;
    assert_eq!(purged.0, 200);
    has_line(&["WARN", "administrative action", "action=\"purge\"", "user=\"carol\"", "instance=\"of-carol\""]);
}

/// A second field `message` would be a second member of this name in a line of JSON, of which collectors keep one or refuse both.
#[tokio::test]
async fn the_text_of_a_panic_is_the_error_of_its_line() {
    logged::begin();
    let wire = Wire::serve(LabBroker { lab: Lab::default() }).await;
    assert_eq!(wire.put(&instance("fragile"), new(ids::SMALL, json!({ "mood": "panic" }))).await.status, 500);
    has_line(&["ERROR", ": provision panicked ", "instance=\"fragile\"", "error=\"as requested\""]);
}

/// The error of a handler that was cancelled may be the reason why it took too long.
#[tokio::test]
async fn the_error_of_a_cancelled_handler_is_in_the_log() {
    logged::begin();
    let (wire, _) = lab_with(|settings| settings.sync_deadline = Duration::from_millis(20)).await;
    assert_eq!(wire.put(&instance("late"), new(ids::SMALL, json!({ "mood": "wait" }))).await.status, 500);
    has_line(&["WARN", "instance=\"late\"", "failed after it was cancelled", "the operation was cancelled"]);
}

/// Otherwise each planned restart would warn of handlers that did as they were asked, and each deletion of a slow instance.
#[tokio::test]
async fn a_handler_that_a_shutdown_or_a_deletion_interrupts_has_no_warning() {
    logged::begin();
    let broker = Direct::start(LabBroker { lab: Lab::default() }, Settings::default()).await;
    let new = new(ids::SMALL, json!({ "mood": "wait" }));
    for id in ["handed-over", "deleted-early"] {
        assert_eq!(broker.send("PUT", &accepting(&instance(id)), Some(&new)).await.status, 202);
    }
    let deletion = format!("{}?{DELETE}", instance("deleted-early"));
    assert_eq!(broker.send("DELETE", &deletion, None).await.status, 200);
    broker.hand_over().await;
    has_line(&["INFO", "instance=\"deleted-early\"", "provision cancelled"]);
    has_line(&["INFO", "instance=\"handed-over\"", "the shutdown interrupts provision"]);
    let log = logged::text();
    let is_warning =
        |line: &&str| line.contains("WARN") && ["handed-over", "deleted-early"].iter().any(|id| line.contains(id));
    let warnings: Vec<&str> = log.lines().filter(is_warning).collect();
    assert!(warnings.is_empty(), "{warnings:?}");
}

#[tokio::test]
async fn the_log_has_the_reason_why_the_record_store_is_unavailable() {
    logged::begin();
    let folder = tempfile::tempdir().expect("a temporary folder is created");
    let (wire, _) = lab_with(|settings| {
        settings.store = Redb::open(folder.path().join("lost.redb"), None).expect("it is made").into();
    })
    .await;
    std::fs::remove_file(folder.path().join("lost.redb")).expect("it can be removed");
    assert_eq!(wire.put(&instance("unavailable"), new(ids::SMALL, json!({}))).await.status, 503);
    has_line(&["ERROR", "the record store is unavailable", "lost.redb was deleted or replaced"]);
}

/// As after the promotion of a standby that had not received the record yet.
#[tokio::test]
async fn the_log_names_an_operation_whose_record_was_lost() {
    logged::begin();
    let Some(server) = Server::start_or_skip() else { return };
    let url = format!("{}?schema=lost", server.url());
    let store = Postgres::connect(&url, None).await.expect("a store");
    let (wire, lab) = lab_with(|settings| settings.store = store.into()).await;
    let path = accepting(&instance("lost"));
    assert_eq!(wire.put(&path, new(ids::SMALL, json!({ "mood": "wait" }))).await.status, 202);
    server.sql("delete from lost.records");
    lab.gate.open();
    let is_logged = async {
        while !logged::text()
            .lines()
            .any(|line| line.contains("instance=\"lost\"") && line.contains("the record is gone"))
        {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), is_logged).await.expect("a line");
    has_line(&["WARN", "instance=\"lost\"", "operation=", "resources of this operation may remain"]);
    assert_eq!(wire.get(&instance("lost")).await.status, 404);
}

#[tokio::test]
async fn the_log_warns_of_a_database_whose_commits_are_not_durable() {
    const WARNING: &str = "`synchronous_commit = off`";
    logged::begin();
    let Some(server) = Server::start_or_skip() else { return };
    Postgres::connect(&server.url(), None).await.expect("a store");
    assert!(!logged::text().contains(WARNING));
    let url = format!("{}?options=-csynchronous_commit%3Doff", server.url());
    Postgres::connect(&url, None).await.expect("a store");
    has_line(&["WARN", WARNING]);
}

/// As when the disk is full: the record isn't written, and can be read.
#[tokio::test]
async fn a_request_that_the_record_store_refuses_is_one_error_in_the_log() {
    logged::begin();
    let Some(server) = Server::start_or_skip() else { return };
    let url = format!("{}?schema=refusing", server.url());
    let store = Postgres::connect(&url, None).await.expect("a store");
    let (wire, _) = lab_with(|settings| settings.store = store.into()).await;
    server.sql(
        "create function refusing.refuse() returns trigger language plpgsql as $$ begin raise 'the disk is full'; end $$",
    );
    server
        .sql("create trigger refuse before insert on refusing.records for each row execute function refusing.refuse()");
    assert_eq!(wire.put(&instance("refused"), new(ids::SMALL, json!({}))).await.status, 503);
    server.sql("drop trigger refuse on refusing.records");
    // After the look for a commit that took effect all the same.
    assert_eq!(wire.put(&instance("refused"), new(ids::SMALL, json!({}))).await.status, 201);
    let log = logged::text();
    let about = |line: &&str| line.contains("the disk is full") || line.contains("did not confirm");
    let errors: Vec<&str> = log.lines().filter(about).collect();
    assert!(matches!(errors[..], [one] if one.contains("ERROR")), "{errors:?}");
}

#[tokio::test]
async fn the_log_tells_of_a_new_file_of_an_older_key_and_of_a_conversion() {
    const OLD: &str = "8f5d1c6e0b7a49d2c3e4f5061728394a5b6c7d8e9fa0b1c2d3e4f5a6b7c8d9ea";
    const NEW: &str = "0b7a49d2c3e4f5061728394a5b6c7d8e9fa0b1c2d3e4f5a6b7c8d9ea8f5d1c6e";
    const OLDER: &str = "are still encrypted with an older key";
    logged::begin();
    let folder = tempfile::tempdir().expect("a temporary folder is created");
    let file = folder.path().join("sealed.redb");
    let open = |keys: String| Records::new(Redb::open(&file, keys.parse::<Keys>().expect("keys")).expect("it opens"));
    let mut settings = Settings::default();
    settings.store = open(OLD.to_owned());
    let records = settings.store.clone();
    has_line(&["WARN", "created a new records file, because it did not exist", "sealed.redb"]);
    let wire = Wire::serve_with(LabBroker { lab: Lab::default() }, settings).await;
    assert_eq!(wire.put(&instance("sealed"), new(ids::SMALL, json!({}))).await.status, 201);
    records.close().await;
    open(OLD.to_owned()).close().await;
    assert!(!logged::text().contains(OLDER), "there is no older key");
    open(format!("{NEW}\n{OLD}")).close().await;
    has_line(&["INFO", OLDER, "records=1"]);
    let path = file.display().to_string();
    assert_eq!(logged::text().matches(&path).count(), 1, "only the first time it was created");

    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/records/layout-1.redb");
    std::fs::copy(golden, &file).expect("it can be copied");
    open(OLD.to_owned()).close().await;
    has_line(&["INFO", "converted the records of an earlier release", "records=4"]);
}

#[tokio::test]
async fn the_log_lists_the_undecodable_parts_of_records() {
    logged::begin();
    let mut settings = Settings::default();
    settings.allow_unreadable_state = true;
    let new = |parameters| new_of(releases::STORES, releases::BASIC, parameters);
    let bind = json!({ "service_id": releases::STORES, "plan_id": releases::BASIC });
    let delete = |path: &str| format!("{path}?service_id={}&plan_id={}", releases::STORES, releases::BASIC);
    let first = Wire::serve_with(FirstBroker::default(), settings.clone()).await;
    for id in ["old", "broken"] {
        assert_eq!(first.put(&instance(id), new(json!({ "colour": "marked-secret" }))).await.status, 201);
    }
    let second = Wire::serve_with(SecondBroker::default(), settings).await;
    assert_eq!(second.put(&instance("new"), new(json!({}))).await.status, 201);
    assert_eq!(second.put(&binding("old", "b"), bind).await.status, 201);
    assert_eq!(second.delete(&delete(&instance("broken"))).await.status, 500);
    assert_eq!(first.delete(&delete(&instance("new"))).await.status, 500);
    assert_eq!(first.delete(&delete(&instance("old"))).await.status, 500);

    for line in [
        &["ignored stored parameters that this release does not know", "instance=\"old\"", "parameters=\"colour\""],
        &["the state of 1 instance of plan", "can't be decoded", "its shard is not known"],
        &["operation=", "a state of version 0 can't be read as one of version 2", "its shard is not known"],
        &["reading a state that a newer release saved", "stored=2", "known=0"],
        &["operation=", "a state of version 2 can't be read as one of version 0", "no `migrate_state`"],
        &["handler{", "binding=\"b\"", "reading a state that a newer release saved"],
    ] {
        has_line(line);
    }
    let log = logged::text();
    assert!(!log.contains("marked-secret") && !log.contains("store broken"), "T68");
}
