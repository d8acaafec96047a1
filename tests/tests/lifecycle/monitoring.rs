//! The probes and metrics of a broker.

use osb_lab::{
    direct::{InProcess, ask, exchange},
    prelude::*,
    wire::{credentials, start},
};
use osb_runtime::{
    http::{BoxError, serve},
    lifecycle::{AnyReadiness, Readiness},
    store::{Memory, Pending, StoreError},
};
use osb_store::Redb;
use osb_tool::Metrics;
use tokio::time::{Instant, sleep};

use crate::hooked_store::{Around, Hooked, Request};

async fn broker(store: Records, monitor: bool) -> BrokerService {
    let mut settings = Settings::default();
    settings.metrics = Some(Arc::new(Metrics::new()));
    settings.store = store;
    let mut http = HttpSettings::default();
    http.monitor = monitor;
    http.render_docs = Some(osb_docs::page);
    BrokerService::start_with(LabBroker { lab: Lab::default() }, credentials(), http, settings)
        .await
        .expect("it starts")
}

async fn get(service: &impl InProcess, path: &str) -> (u16, String) {
    ask(service, "GET", path, "", &Value::Null).await
}

/// Returns the value of a series, or 0 if there is none.
fn number(metrics: &str, series: &str) -> f64 {
    let line = metrics.lines().find_map(|line| line.strip_prefix(series));
    line.map_or(0.0, |number| number.trim().parse().expect("a number"))
}

#[tokio::test]
async fn probes_need_no_credentials_and_everything_else_does() {
    let broker = broker(Records::in_memory(), true).await;
    assert_eq!(get(&broker, "/healthz").await, (200, "ok\n".to_owned()));
    assert_eq!(get(&broker, "/readyz").await, (200, "ok\n".to_owned()));
    assert_eq!(get(&broker, "/metrics").await.0, 200);
    assert_eq!(ask(&broker, "POST", "/healthz", "", &Value::Null).await.0, 405);
    for path in ["/v2/catalog", "/", "/healthz/", "/metrics/x"] {
        assert_eq!(get(&broker, path).await.0, 401, "{path}");
    }
}

#[tokio::test]
async fn a_broker_answers_probes_only_if_enabled() {
    let broker = broker(Records::in_memory(), false).await;
    for path in ["/healthz", "/readyz", "/metrics"] {
        assert_eq!(get(&broker, path).await.0, 401, "{path}");
        assert_eq!(get(&broker.monitor(), path).await.0, 200, "{path}");
    }
    assert_eq!(get(&broker.monitor(), "/v2/catalog").await.0, 404);
}

/// An alert on failed requests needs the counters during the outage, and one on missing metrics means another fault.
#[tokio::test]
async fn a_broker_whose_records_cannot_be_read_is_not_ready_and_counts_requests() {
    let folder = tempfile::tempdir().expect("a temporary folder is created");
    let records = Records::new(Redb::open(folder.path().join("records.redb"), None).expect("it is made"));
    let broker = broker(records.clone(), false).await;
    assert!(get(&broker.monitor(), "/metrics").await.1.contains("osb_instances{"));
    assert_eq!(get(&broker.monitor(), "/readyz").await.0, 200);
    records.close().await;
    assert_eq!(get(&broker.monitor(), "/readyz").await.0, 503);
    assert_eq!(get(&broker.monitor(), "/healthz").await.0, 200, "restarting it would not help");
    assert_eq!(ask(&broker, "GET", &instance("i"), AUTHORIZATION, &Value::Null).await.0, 503);
    let (status, metrics) = get(&broker.monitor(), "/metrics").await;
    assert_eq!(status, 200, "{metrics}");
    let failed = "osb_requests_total{operation=\"fetch_instance\",service=\"\",plan=\"\",status=\"503\"}";
    assert!((number(&metrics, failed) - 1.0).abs() < f64::EPSILON, "{metrics}");
    assert!(!metrics.contains("osb_instances{") && !metrics.contains("osb_bindings{"), "{metrics}");
}

/// Counts take as long as those of a database with many records.
#[derive(Default)]
struct SlowCounts {
    number: AtomicUsize,
    fail: AtomicBool,
}

impl Around for Arc<SlowCounts> {
    fn before(&self, request: Request) -> Pending<'_, ()> {
        Box::pin(async move {
            if request == Request::Count {
                self.number.fetch_add(1, Ordering::Relaxed);
                sleep(Duration::from_millis(100)).await;
                if self.fail.load(Ordering::Relaxed) {
                    return Err(StoreError::new("it takes too long"));
                }
            }
            Ok(())
        })
    }
}

/// A database reads all its records to count them, and anyone may scrape.
#[tokio::test]
async fn scrapes_share_a_count_that_takes_long() {
    let counts = Arc::new(SlowCounts::default());
    let records = Hooked::new(Arc::new(Memory::new()), Arc::clone(&counts));
    let broker = broker(Records::new(records), false).await;
    let at_start = counts.number.load(Ordering::Relaxed);
    let monitor = broker.monitor();
    let has_counts = async || get(&monitor, "/metrics").await.1.contains("osb_instances{");
    let counted = || counts.number.load(Ordering::Relaxed) - at_start;
    assert_eq!(tokio::join!(has_counts(), has_counts(), has_counts()), (true, true, true));
    assert!(has_counts().await);
    assert_eq!(counted(), 1);
    counts.fail.store(true, Ordering::Relaxed);
    // It is not kept for ever.
    until(async || !has_counts().await).await;
    assert!(!has_counts().await);
    assert_eq!(counted(), 2, "a count that failed was as much work");
}

#[tokio::test]
async fn a_broker_that_shuts_down_is_not_ready() {
    let broker = broker(Records::in_memory(), false).await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    serve(listener, broker.clone(), std::future::ready(())).await;
    let (status, text) = get(&broker.monitor(), "/readyz").await;
    assert_eq!((status, text.as_str()), (503, "the broker is shutting down\n"));
    assert_eq!(get(&broker.monitor(), "/healthz").await.0, 200);
}

#[tokio::test]
async fn requests_operations_instances_and_bindings_are_counted() {
    let broker = broker(Records::in_memory(), false).await;
    let made = new(ids::SMALL, json!({}));
    let twin = new(ids::TWIN, json!({}));
    let bind = json!({ "service_id": ids::LAB, "plan_id": ids::SMALL });
    let secret = "marked-secret";
    let failing = new(ids::SMALL, json!({ "mood": "fail", "token": secret }));
    let unknown = new("no such", json!({}));
    let of_plan = format!("?service_id={}&plan_id={}", ids::LAB, ids::SMALL);
    for (method, path, authorization, body, status) in [
        ("GET", "/v2/catalog".to_owned(), AUTHORIZATION, &Value::Null, 200),
        ("GET", "/v2/catalog".to_owned(), "Basic invalid", &Value::Null, 401),
        ("GET", "/docs".to_owned(), AUTHORIZATION, &Value::Null, 200),
        ("GET", "/docs".to_owned(), "Basic invalid", &Value::Null, 401),
        ("PUT", instance("marked-id"), AUTHORIZATION, &made, 201),
        ("PUT", instance("other"), AUTHORIZATION, &made, 201),
        ("PUT", binding("other", "b"), AUTHORIZATION, &bind, 201),
        ("PUT", instance("twin"), AUTHORIZATION, &twin, 201),
        ("DELETE", instance("twin") + &of_plan.replace(ids::SMALL, ids::TWIN), AUTHORIZATION, &Value::Null, 200),
        ("DELETE", instance("marked-id") + &of_plan, AUTHORIZATION, &Value::Null, 200),
        ("PUT", instance("failing"), AUTHORIZATION, &failing, 500),
        ("PUT", instance("unknown"), AUTHORIZATION, &unknown, 400),
    ] {
        let (got, text) = ask(&broker, method, &path, authorization, body).await;
        assert_eq!(got, status, "{method} {path}: {text}");
    }
    let (status, metrics) = get(&broker.monitor(), "/metrics").await;
    assert_eq!(status, 200);
    for (series, expected) in [
        ("osb_requests_total{operation=\"catalog\",service=\"\",plan=\"\",status=\"200\"}", 1.0),
        ("osb_requests_total{operation=\"unknown\",service=\"\",plan=\"\",status=\"401\"}", 2.0),
        ("osb_requests_total{operation=\"docs\",service=\"\",plan=\"\",status=\"200\"}", 1.0),
        ("osb_requests_total{operation=\"provision\",service=\"lab\",plan=\"small\",status=\"201\"}", 2.0),
        ("osb_requests_total{operation=\"provision\",service=\"lab\",plan=\"small\",status=\"500\"}", 1.0),
        ("osb_requests_total{operation=\"provision\",service=\"lab\",plan=\"\",status=\"400\"}", 1.0),
        ("osb_requests_total{operation=\"deprovision\",service=\"lab\",plan=\"small\",status=\"200\"}", 1.0),
        ("osb_requests_total{operation=\"bind\",service=\"lab\",plan=\"small\",status=\"201\"}", 1.0),
        (
            "osb_request_duration_seconds_count{operation=\"provision\",service=\"lab\",plan=\"small\",status=\"201\"}",
            2.0,
        ),
        ("osb_operations_total{action=\"provision\",service=\"lab\",plan=\"small\",stage=\"began\"}", 3.0),
        ("osb_operations_total{action=\"provision\",service=\"lab\",plan=\"small\",stage=\"succeeded\"}", 2.0),
        ("osb_operations_total{action=\"provision\",service=\"lab\",plan=\"small\",stage=\"failed\"}", 1.0),
        ("osb_operations_total{action=\"deprovision\",service=\"lab\",plan=\"small\",stage=\"succeeded\"}", 1.0),
        ("osb_operations_running", 0.0),
        ("osb_oldest_operation_age_seconds", 0.0),
        ("osb_instances{service=\"lab\",plan=\"small\"}", 1.0),
        ("osb_bindings{service=\"lab\",plan=\"small\"}", 1.0),
        ("osb_instances{service=\"lab\",plan=\"large\"}", 0.0),
        ("osb_instances{service=\"lab\",plan=\"twin\"}", 0.0),
    ] {
        assert!((number(&metrics, series) - expected).abs() < f64::EPSILON, "{series} is not {expected} in\n{metrics}");
        assert!(metrics.contains(series), "{series} is not in\n{metrics}");
    }
    assert!(metrics.ends_with("# EOF\n"), "OpenMetrics: {metrics}");
    for mark in [secret, "marked-id", ids::LAB] {
        assert!(!metrics.contains(mark), "{mark} in\n{metrics}");
    }
}

#[tokio::test]
async fn metrics_are_in_the_format_that_the_client_prefers() {
    const OPEN: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    const PLAIN: &str = "text/plain; version=0.0.4; charset=utf-8";
    let broker = broker(Records::in_memory(), false).await;
    assert_eq!(ask(&broker, "GET", "/v2/catalog", AUTHORIZATION, &Value::Null).await.0, 200);
    for (accept, expected) in [
        (None, OPEN),
        (Some("*/*"), OPEN),
        (Some("text/plain"), PLAIN),
        (Some("text/plain;version=0.0.4;q=0.5,*/*;q=0.4"), PLAIN),
        // Prometheus 2 and 3, and a browser.
        (Some("application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.2"), OPEN),
        (Some("application/openmetrics-text;version=1.0.0;q=0.1, Text/Plain; version=0.0.4; q=0.3"), PLAIN),
        (Some("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"), OPEN),
        (Some("text/*, */*;q=0.5"), PLAIN),
        (Some("application/*, text/*;q=0.5"), OPEN),
    ] {
        let headers = accept.map(|accept| ("Accept", accept));
        let (head, text) = exchange(&broker.monitor(), "GET", "/metrics", headers.as_slice(), "").await;
        assert_eq!(head.headers["content-type"], expected, "{accept:?}");
        let counter = if expected == OPEN { "osb_requests" } else { "osb_requests_total" };
        assert!(text.contains(&format!("# TYPE {counter} counter\n")), "{text}");
        assert!(text.contains("osb_requests_total{operation=\"catalog\","), "{text}");
        assert_eq!(text.ends_with("# EOF\n"), expected == OPEN);
    }
}

/// During a change of plan, an instance uses both plans.
#[tokio::test]
async fn running_operations_are_counted() {
    let (mut settings, lab) = (Settings::default(), Lab::default());
    settings.metrics = Some(Arc::new(Metrics::new()));
    let broker = start(LabBroker { lab: lab.clone() }, settings).await.expect("it starts");
    let made = new(ids::SMALL, json!({}));
    assert_eq!(ask(&broker, "PUT", &instance("i"), AUTHORIZATION, &made).await.0, 201);
    let counts = async || {
        let metrics = get(&broker.monitor(), "/metrics").await.1;
        let of = |plan| number(&metrics, &format!("osb_instances{{service=\"lab\",plan=\"{plan}\"}}"));
        let running = number(&metrics, "osb_operations_running");
        format!("{running} running, {} small, {} large", of("small"), of("large"))
    };
    assert_eq!(counts().await, "0 running, 1 small, 0 large");
    let change = |mood: &str| json!({ "service_id": ids::LAB, "plan_id": ids::LARGE, "parameters": { "mood": mood } });
    let path = accepting(&instance("i"));
    assert_eq!(ask(&broker, "PATCH", &instance("i"), AUTHORIZATION, &change("fail")).await.0, 500);
    assert_eq!(counts().await, "0 running, 1 small, 0 large", "a failed change uses no other plan");
    assert_eq!(ask(&broker, "PATCH", &path, AUTHORIZATION, &change("wait")).await.0, 202);
    assert_eq!(counts().await, "1 running, 1 small, 1 large");
    let age = async || number(&get(&broker.monitor(), "/metrics").await.1, "osb_oldest_operation_age_seconds");
    // Times in records are in milliseconds.
    until(async || age().await >= 0.002).await;
    lab.gate.open();
    until(async || counts().await == "0 running, 0 small, 1 large").await;
    assert!(age().await.abs() < f64::EPSILON);
    let metrics = get(&broker.monitor(), "/metrics").await.1;
    let of = |stage: &&str| {
        let labels = format!("{{action=\"update\",service=\"lab\",plan=\"small\",stage=\"{stage}\"}} ");
        metrics.contains(&format!("osb_operations_total{labels}"))
    };
    assert!(["began", "failed", "succeeded"].iter().all(of), "changes count for the plan that they leave: {metrics}");
}

/// One process works on the operation, and a request to another one waits for its end.
#[tokio::test]
async fn an_operation_counts_as_running_in_the_process_that_works_on_it() {
    let (records, lab) = (Records::in_memory(), Lab::default());
    let start = async || {
        let mut settings = Settings::default();
        settings.metrics = Some(Arc::new(Metrics::new()));
        settings.store = records.clone();
        start(LabBroker { lab: lab.clone() }, settings).await.expect("it starts")
    };
    let running = async |broker: &BrokerService| {
        let metrics = get(&broker.monitor(), "/metrics").await.1;
        metrics.lines().find(|line| line.starts_with("osb_operations_running")).map(str::to_owned)
    };
    let (worker, other) = (start().await, start().await);
    let made = new(ids::SMALL, json!({ "mood": "wait" }));
    let path = instance("i");
    let look = async {
        lab.called(1).await;
        // The other request waits as soon as it has been polled.
        for _ in 0..100 {
            assert_eq!(running(&other).await.as_deref(), Some("osb_operations_running 0"));
            tokio::task::yield_now().await;
        }
        assert_eq!(running(&worker).await.as_deref(), Some("osb_operations_running 1"));
        lab.gate.open();
    };
    let repeat = async {
        lab.called(1).await;
        ask(&other, "PUT", &path, AUTHORIZATION, &made).await.0
    };
    let (created, repeated, ()) = tokio::join!(ask(&worker, "PUT", &path, AUTHORIZATION, &made), repeat, look);
    assert_eq!((created.0, repeated), (201, 200));
}

struct Panics;

impl Readiness for Panics {
    async fn check(&self) -> Result<(), BoxError> {
        panic!("a bug of the author")
    }
}

#[tokio::test]
async fn a_readiness_check_that_panics_has_failed() {
    let mut settings = Settings::default();
    settings.readiness = Some(AnyReadiness::of(Panics));
    let broker = start(LabBroker { lab: Lab::default() }, settings).await.expect("it starts");
    assert_eq!(get(&broker.monitor(), "/readyz").await.0, 503);
}

/// Takes this time.
struct Takes(Duration);

impl Readiness for Takes {
    async fn check(&self) -> Result<(), BoxError> {
        sleep(self.0).await;
        Ok(())
    }
}

/// Kubernetes waits a second for an answer, unless it is told otherwise.
#[tokio::test(start_paused = true)]
async fn a_readiness_check_that_takes_long_has_failed() {
    for (time, status) in [(Duration::from_millis(890), 200), (Duration::from_hours(1), 503)] {
        let mut settings = Settings::default();
        settings.readiness = Some(AnyReadiness::of(Takes(time)));
        let broker = start(LabBroker { lab: Lab::default() }, settings).await.expect("it starts");
        let began = Instant::now();
        assert_eq!(get(&broker.monitor(), "/readyz").await.0, status);
        assert!(began.elapsed() < Duration::from_millis(950), "{:?}", began.elapsed());
    }
}
