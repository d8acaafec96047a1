//! The administration interface, by which operators list and repair records.

use std::{
    collections::BTreeSet,
    convert::Infallible,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use osb_lab::{
    direct::ask,
    lab::{Behaviour, Lab, LabBroker, ids},
    requests::{DELETE, bind, binding, instance, new},
    wire::AUTHORIZATION,
};
use osb_runtime::{
    http::{AcceptedCredentials, Admin, BrokerService, HttpSettings, Platforms, serve, serve_admin},
    lifecycle::{
        AnyHooks, Audit, Event, Hooks, Settings,
        admin::{ActionRefused, Filter, abandon},
    },
    store::{Key, Pending, Phase, Records},
};
use osb_store::{Keys, Redb};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::Notify,
};
use tower_service::Service;

use crate::hooked_store::{Around, Hooked, Request as StoreRequest};

/// `operator:secret`
const OPERATOR: &str = "Basic b3BlcmF0b3I6c2VjcmV0";

struct World {
    lab: Lab,
    broker: BrokerService,
    admin: Admin,
}

impl World {
    async fn new() -> Self {
        Self::with(Settings::default()).await
    }

    async fn with(settings: Settings) -> Self {
        let lab = Lab::default();
        let pair = |user| AcceptedCredentials::basic(user, "pass").expect("a user without colon");
        let platforms = Platforms::from(pair("user")).and_behind("other", "/other", pair("other")).expect("a prefix");
        let broker =
            BrokerService::start_with(LabBroker { lab: lab.clone() }, platforms, HttpSettings::default(), settings);
        let broker = broker.await.expect("it starts");
        let admin = broker.admin(AcceptedCredentials::basic("operator", "secret").expect("a user without colon"));
        Self { lab, broker, admin }
    }

    /// Sends a request as a platform.
    async fn platform(&self, method: &str, path: &str, body: Value) -> (u16, Value) {
        send(&self.broker, method, path, AUTHORIZATION, &body).await
    }

    async fn get(&self, path: &str) -> Value {
        let (status, body) = send(&self.admin, "GET", path, OPERATOR, &Value::Null).await;
        assert_eq!(status, 200, "{path}: {body}");
        body
    }

    async fn post(&self, path: &str) -> (u16, Value) {
        send(&self.admin, "POST", path, OPERATOR, &Value::Null).await
    }

    async fn make(&self, id: &str) {
        let (status, body) = self.platform("PUT", &instance(id), new(ids::SMALL, json!({}))).await;
        assert_eq!(status, 201, "{body}");
    }

    /// Creates an instance whose deletion has failed, with a binding.
    async fn failed(&self) {
        self.failed_with(&["b"]).await;
    }

    /// Creates an instance whose deletion has failed, with these bindings.
    async fn failed_with(&self, bindings: &[&str]) {
        self.make("i").await;
        for id in bindings {
            let (status, body) = self.platform("PUT", &binding("i", id), bind(ids::SMALL, json!({}))).await;
            assert_eq!(status, 201, "{body}");
        }
        self.lab.deletions_go(Behaviour::Fail);
        assert_eq!(self.platform("DELETE", &format!("{}?{DELETE}", instance("i")), Value::Null).await.0, 500);
    }
}

async fn send<S>(service: &S, method: &str, path: &str, authorization: &str, body: &Value) -> (u16, Value)
where
    S: Service<Request<Full<Bytes>>, Response = Response<Full<Bytes>>, Error = Infallible> + Clone,
{
    let (status, text) = ask(service, method, path, authorization, body).await;
    (status, serde_json::from_str(&text).expect("it is JSON"))
}

/// Sends a purge of the instance `i` with an operator's credentials and these headers, as a browser would.
async fn purge(admin: &Admin, headers: &[(&str, &str)]) -> u16 {
    let request = Request::builder().method("POST").uri("/instances/i/purge").header("Authorization", OPERATOR);
    let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
    let Ok(answer) = admin.clone().call(request.body(Full::new(Bytes::new())).expect("a request")).await;
    answer.status().as_u16()
}

fn ids_of(list: &Value, kind: &str, id: &str) -> Vec<String> {
    let rows = list[kind].as_array().expect("it is a list");
    rows.iter().map(|row| row[id].as_str().expect("an id").to_owned()).collect()
}

#[test]
fn the_filter_has_all_phases_that_a_record_can_have() {
    let all = Phase::ALL.iter().filter(|phase| **phase != Phase::None);
    assert_eq!(all.clone().map(|phase| phase.as_str()).collect::<Vec<_>>(), Filter::PHASES);
    assert_eq!(all.map(|phase| json!(phase)).collect::<Vec<_>>(), Filter::PHASES.map(Value::from));
}

#[tokio::test]
async fn only_operators_have_access() {
    let world = World::new().await;
    for authorization in ["", AUTHORIZATION, "Basic b3BlcmF0b3I6d3Jvbmc="] {
        for (method, path) in [("GET", "/instances"), ("POST", "/instances/i/purge"), ("GET", "/nothing")] {
            let (status, body) = send(&world.admin, method, path, authorization, &Value::Null).await;
            assert_eq!(status, 401, "{authorization} {path}: {body}");
        }
    }
    assert_eq!(send(&world.broker, "GET", "/v2/catalog", OPERATOR, &Value::Null).await.0, 401);
    for (method, path) in [("GET", "/nothing"), ("DELETE", "/instances"), ("POST", "/instances/i/explode")] {
        assert_eq!(send(&world.admin, method, path, OPERATOR, &Value::Null).await.0, 404, "{method} {path}");
    }
    for path in [
        "/instances?limit=0",
        "/instances?limit=many",
        "/instances/%zz",
        "/instances?after=i&after_tenant=%00",
        "/instances?after=%00",
        "/bindings?after=i&after_binding=%00",
    ] {
        assert_eq!(send(&world.admin, "GET", path, OPERATOR, &Value::Null).await.0, 400, "{path}");
    }
}

#[tokio::test]
async fn a_page_of_another_site_can_change_nothing() {
    const JSON: (&str, &str) = ("Content-Type", "application/json");
    const HOST: (&str, &str) = ("Host", "admin.example:9091");
    let world = World::new().await;
    world.make("i").await;
    for (status, headers) in [
        (415, &[HOST][..]),
        (415, &[HOST, ("Content-Type", "application/x-www-form-urlencoded")]),
        (415, &[HOST, ("Content-Type", "text/plain; application/json")]),
        (403, &[HOST, ("Sec-Fetch-Site", "cross-site"), JSON]),
        (403, &[HOST, ("Sec-Fetch-Site", "same-site"), JSON]),
        (403, &[HOST, ("Origin", "https://evil.example"), JSON]),
        (403, &[HOST, ("Origin", "http://admin.example"), JSON]),
        (403, &[HOST, ("Origin", "null"), JSON]),
        (403, &[("Origin", "http://admin.example:9091"), JSON]),
    ] {
        assert_eq!(purge(&world.admin, headers).await, status, "{headers:?}");
    }
    assert_eq!(ids_of(&world.get("/instances").await, "instances", "instance_id"), ["i"]);
    let own = [HOST, ("Origin", "https://ADMIN.example:9091"), ("Sec-Fetch-Site", "same-origin"), JSON];
    assert_eq!(purge(&world.admin, &own).await, 200);
    world.make("i").await;
    let typed = [HOST, ("Sec-Fetch-Site", "none"), ("Content-Type", "application/json; charset=utf-8")];
    assert_eq!(purge(&world.admin, &typed).await, 200);
}

/// A name of a foreign site can be made to resolve to this machine.
#[tokio::test]
async fn at_a_local_address_only_local_names_are_answered() {
    let world = World::new().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    tokio::spawn(serve_admin(listener, world.admin.clone(), std::future::pending()));
    for (host, status) in [
        ("evil.example", 403),
        ("localhost.evil.example", 403),
        ("127.0.0.1", 200),
        ("LocalHost", 200),
        ("[::1]", 200),
        ("[::1]evil.example", 403),
    ] {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).await.expect("it listens");
        let request = format!(
            "GET /instances HTTP/1.1\r\nHost: {host}:{port}\r\nAuthorization: {OPERATOR}\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await.expect("it is sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.expect("an answer");
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{host}: {answer}");
        assert_eq!(answer.contains("only requests for localhost"), status == 403, "{host}: {answer}");
    }
}

#[tokio::test]
async fn pages_of_any_size_list_each_instance_once() {
    let world = World::new().await;
    let all: BTreeSet<String> = (0..13).map(|number| format!("i {number}")).collect();
    for id in &all {
        world.make(&id.replace(' ', "%20")).await;
    }
    for limit in [1, 2, 5, 13, 14] {
        let (mut seen, mut next) = (Vec::new(), String::new());
        loop {
            let page = world.get(&format!("/instances?limit={limit}{next}")).await;
            let found = ids_of(&page, "instances", "instance_id");
            assert!(found.len() <= limit, "{page}");
            seen.extend(found);
            let Some(after) = page["next"]["instance_id"].as_str() else { break };
            next = format!("&after={}&after_tenant=", after.replace(' ', "+"));
        }
        assert_eq!(seen.len(), all.len(), "by {limit}: {seen:?}");
        assert_eq!(seen.into_iter().collect::<BTreeSet<_>>(), all);
    }
}

#[tokio::test]
async fn pages_of_any_size_list_each_binding_once() {
    let (world, mut all) = (World::new().await, BTreeSet::new());
    for id in ["i", "j"] {
        world.make(id).await;
        for number in 0..4 {
            let name = format!("{id}{number}");
            assert_eq!(world.platform("PUT", &binding(id, &name), bind(ids::SMALL, json!({}))).await.0, 201);
            all.insert(name);
        }
    }
    for limit in [1, 3, 8, 9] {
        let (mut seen, mut next) = (Vec::new(), String::new());
        while seen.len() <= all.len() {
            let page = world.get(&format!("/bindings?limit={limit}{next}")).await;
            seen.extend(ids_of(&page, "bindings", "binding_id"));
            let after = |name| page["next"][name].as_str();
            let (Some(instance), Some(binding)) = (after("instance_id"), after("binding_id")) else { break };
            next = format!("&after={instance}&after_tenant=&after_binding={binding}");
        }
        assert_eq!(seen.len(), all.len(), "by {limit}: {seen:?}");
        assert_eq!(seen.into_iter().collect::<BTreeSet<_>>(), all);
    }
}

#[tokio::test]
async fn lists_can_be_filtered_and_show_no_secrets() {
    let world = World::new().await;
    world.make("one").await;
    let secret = json!({ "token": "marked-secret" });
    assert_eq!(world.platform("PUT", &instance("two"), new(ids::SMALL, secret)).await.0, 201);
    let (status, made) = world.platform("PUT", &binding("two", "b"), bind(ids::SMALL, json!({}))).await;
    assert_eq!(status, 201);
    let (status, _) = send(
        &world.broker,
        "PUT",
        &format!("/other{}", instance("three")),
        "Basic b3RoZXI6cGFzcw==",
        &new(ids::CLOSED, json!({})),
    )
    .await;
    assert_eq!(status, 201);
    world.platform("DELETE", &format!("{}?{DELETE}", instance("one")), Value::Null).await;

    for (query, expected) in [
        ("", vec!["two", "three"]),
        ("?tenant=other", vec!["three"]),
        ("?service=lab", vec!["two", "three"]),
        ("?plan=small", vec!["two"]),
        (&*format!("?plan={}", ids::CLOSED), vec!["three"]),
        ("?phase=gone", vec!["one"]),
        ("?state=failed", vec![]),
        ("?instance=two", vec!["two"]),
        // Each word is in a text of the row, in any case.
        ("?search=TW", vec!["two"]),
        ("?search=lab+succeeded", vec!["two", "three"]),
        ("?search=lab+failed", vec![]),
    ] {
        let list = world.get(&format!("/instances{query}")).await;
        assert_eq!(ids_of(&list, "instances", "instance_id"), expected, "{query}: {list}");
    }
    for (query, words) in
        [("phase=bogus", "creating, ready, "), ("phase=", "creating, "), ("state=fail", "in progress, ")]
    {
        for list in ["instances", "bindings", "operations"] {
            let (status, said) = send(&world.admin, "GET", &format!("/{list}?{query}"), OPERATOR, &Value::Null).await;
            let description = said["description"].as_str().unwrap_or_default();
            assert!(status == 400 && description.contains(&format!("must be one of: {words}")), "{query}: {said}");
        }
    }
    assert_eq!(ids_of(&world.get("/bindings").await, "bindings", "binding_id"), ["b"]);
    assert_eq!(world.get("/operations").await["operations"].as_array().map(Vec::len), Some(4));
    let of_plan = world.get(&format!("/operations?plan={}", ids::CLOSED)).await;
    assert_eq!(ids_of(&of_plan, "operations", "instance_id"), ["three"], "{of_plan}");
    let shown = world.get("/instances/two").await;
    assert_eq!((&shown["plan"], &shown["phase"]), (&json!("small"), &json!("ready")), "{shown}");
    assert_eq!(shown["operation"]["state"], "succeeded", "{shown}");
    assert_eq!(shown["maintenance_version"], "1.2.0", "{shown}");
    assert_eq!(ids_of(&shown, "bindings", "binding_id"), ["b"], "{shown}");
    assert_eq!(world.get("/instances/three?tenant=other").await["tenant"], "other");
    assert_eq!(send(&world.admin, "GET", "/instances/three", OPERATOR, &Value::Null).await.0, 404);

    let credentials = made["credentials"].to_string();
    for path in ["/instances", "/bindings", "/operations", "/instances/two"] {
        let text = world.get(path).await.to_string();
        assert!(!text.contains("marked-secret") && !text.contains(&credentials), "{path}: {text}");
        assert!(!text.contains(":null") && !text.contains(":\"\""), "absent values are left out: {path}: {text}");
    }
}

#[tokio::test]
async fn the_progress_of_an_operation_is_listed_while_it_runs() {
    let world = World::new().await;
    let path = format!("{}?accepts_incomplete=true", instance("i"));
    assert_eq!(world.platform("PUT", &path, new(ids::SLOW, json!({ "mood": "wait" }))).await.0, 202);
    let listed = async |state: &str, progress: Value| loop {
        let row = world.get("/operations").await["operations"][0].clone();
        if (&row["state"], &row["progress"]) == (&json!(state), &progress) {
            return;
        }
        assert!(row["state"] == "in progress", "{row}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    };
    listed("in progress", json!("Wait")).await;
    world.lab.gate.open();
    listed("succeeded", Value::Null).await;
}

#[tokio::test]
async fn a_failed_deletion_can_be_retried() {
    let world = World::new().await;
    world.failed().await;
    let failed = world.get("/operations?state=failed").await;
    assert_eq!(ids_of(&failed, "operations", "instance_id"), ["i"], "{failed}");
    assert_eq!(failed["operations"][0]["status"], 500);
    assert_eq!(world.post("/instances/i/retry").await.0, 500, "it fails again");
    let shown = world.get("/instances/i").await;
    assert_eq!((&shown["operation"]["platform"], &shown["operation"]["user"]), (&json!("admin"), &json!("operator")));
    world.lab.deletions_go(Behaviour::Succeed);
    assert_eq!(world.post("/instances/i/retry").await, (200, json!({})));
    assert_eq!(world.get("/instances").await["instances"], json!([]));
    assert!(world.lab.inventory().is_empty(), "{:?}", world.lab.inventory());
    assert_eq!(world.post("/instances/i/retry").await.0, 404);
    let shown = world.get("/instances/i").await;
    assert_eq!((&shown["phase"], &shown["operation"]["action"]), (&json!("gone"), &json!("deprovision")), "{shown}");
}

#[tokio::test]
async fn only_a_failed_deletion_can_be_abandoned() {
    let mut settings = Settings::default();
    settings.store = Records::in_memory();
    let world = World::with(settings.clone()).await;
    world.make("fine").await;
    // As the command line does it, without the broker.
    let fine = Key { tenant: "".parse().expect("none"), instance: "fine".into(), binding: None };
    let none = Key { instance: "none".into(), ..fine.clone() };
    for (key, reason) in [(&fine, ActionRefused::HasNotFailed), (&none, ActionRefused::Unknown)] {
        let abandoned = abandon(settings.store.store(), &settings, key, "operator").await.expect("the store is read");
        assert_eq!(abandoned, Err(reason));
    }
    for path in ["/instances/fine/abandon", "/instances/fine/retry"] {
        let (status, body) = world.post(path).await;
        assert_eq!(status, 409, "{path}: {body}");
    }
    let (status, unknown) = world.post("/instances/none/abandon").await;
    assert_eq!(status, 404);
    assert!(unknown["description"].as_str().is_some_and(|text| text.contains("no such instance")), "{unknown}");
    world.failed().await;
    assert_eq!(world.post("/instances/i/abandon").await, (200, json!({})));
    assert_eq!(ids_of(&world.get("/instances").await, "instances", "instance_id"), ["fine"]);
    assert!(!world.lab.inventory().is_empty(), "no handler was called");
    assert_eq!(world.get("/bindings").await["bindings"], json!([]), "they are abandoned with the instance");
    let poll = format!("{}/last_operation", binding("i", "b"));
    assert_eq!(world.platform("GET", &poll, Value::Null).await.0, 410, "they don't count as created");
    assert_eq!(world.platform("DELETE", &format!("{}?{DELETE}", instance("i")), Value::Null).await.0, 410);
    world.lab.deletions_go(Behaviour::Succeed);
    world.make("i").await;
}

#[tokio::test]
async fn a_binding_whose_creation_has_failed_is_gone_when_its_instance_is_abandoned() {
    let world = World::new().await;
    world.make("i").await;
    world.lab.deletions_go(Behaviour::Fail);
    let failing = bind(ids::SMALL, json!({ "mood": "fail" }));
    assert_eq!(world.platform("PUT", &binding("i", "b"), failing).await.0, 500);
    let poll = format!("{}/last_operation", binding("i", "b"));
    assert_eq!(world.platform("GET", &poll, Value::Null).await.1["state"], "failed");
    assert_eq!(world.platform("DELETE", &format!("{}?{DELETE}", instance("i")), Value::Null).await.0, 500);
    assert_eq!(world.post("/instances/i/abandon").await, (200, json!({})));
    assert_eq!(world.platform("GET", &poll, Value::Null).await.0, 410);
}

/// An audit that keeps the events of administrators, and hooks that count calls.
#[derive(Clone, Default)]
struct Watching {
    events: Arc<Mutex<Vec<Value>>>,
    calls: Arc<Mutex<Vec<String>>>,
}

impl Audit for Watching {
    fn record(&self, event: &Event) {
        if event.who.as_ref().is_some_and(|who| who.platform == "admin") {
            self.events.lock().expect("no panic").push(event.to_json());
        }
    }
}

impl Hooks for Watching {
    async fn on_error(&self, event: &Event) {
        self.calls.lock().expect("no panic").push(event.stage.as_str().to_owned());
    }
}

/// Sends a request of the platform with an originating identity: this word, and a user.
async fn as_user_of(world: &World, origin: &str, path: &str, body: &Value) -> u16 {
    let identity = format!("{origin} {}", STANDARD.encode(json!({ "username": "operator" }).to_string()));
    let request = Request::put(path).header("Authorization", AUTHORIZATION).header("X-Broker-API-Version", "2.17");
    let request = request.header("X-Broker-API-Originating-Identity", identity);
    let request = request.body(Full::new(Bytes::from(body.to_string()))).expect("a request");
    let Ok(answer) = world.broker.clone().call(request).await;
    answer.status().as_u16()
}

/// Handlers, hooks and the audit log know operators by the platform `admin`.
#[tokio::test]
async fn no_platform_can_pretend_to_be_an_operator() {
    let (watching, mut settings) = (Watching::default(), Settings::default());
    settings.audit = Some(Arc::new(watching.clone()));
    let world = World::with(settings).await;
    let body = new(ids::SMALL, json!({}));
    assert_eq!(as_user_of(&world, "admin", &instance("i"), &body).await, 201, "T41: it is ignored");
    assert_eq!(*watching.events.lock().expect("no panic"), [json!(null); 0]);
    assert_eq!(world.post("/instances/i/purge").await.0, 200);
    assert_eq!(watching.events.lock().expect("no panic").len(), 2, "those of the operator");
}

/// Otherwise the rows of a platform that sends long names could fill the memory, and no client could read the list.
#[tokio::test]
async fn the_names_in_a_list_are_short() {
    let world = World::new().await;
    let long = "x".repeat(30_000);
    let mut body = new(ids::SMALL, json!({}));
    for name in ["organization_guid", "space_guid"] {
        body[name] = json!(long);
    }
    let names = ["instance_name", "organization_name", "space_name", "namespace"];
    body["context"] = names.into_iter().map(|name| (name.to_owned(), json!(long))).collect();
    assert_eq!(as_user_of(&world, &long, &instance("i"), &body).await, 201);
    let mut bound = bind(ids::SMALL, json!({}));
    bound["bind_resource"] = json!({ "app_guid": long });
    assert_eq!(world.platform("PUT", &binding("i", "b"), bound).await.0, 201);
    for path in ["/instances", "/bindings", "/operations", "/instances/i"] {
        let listed = world.get(path).await.to_string();
        assert!(listed.len() < 10_000 && listed.contains("xxx"), "{path}: {} bytes", listed.len());
    }
}

#[tokio::test]
async fn the_audit_tells_who_has_abandoned_an_instance_and_its_bindings() {
    let (watching, mut settings) = (Watching::default(), Settings::default());
    settings.audit = Some(Arc::new(watching.clone()));
    settings.hooks = Some(AnyHooks::of(watching.clone()));
    let world = World::with(settings).await;
    world.failed().await;
    let deletion = Request::delete(format!("{}?{DELETE}", instance("i"))).header("Authorization", AUTHORIZATION);
    let deletion = deletion
        .header("X-Broker-API-Version", "2.17")
        .header("X-Broker-API-Request-Identity", "request-1")
        .header("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
    let Ok(answer) = world.broker.clone().call(deletion.body(Full::new(Bytes::new())).expect("a request")).await;
    assert_eq!(answer.status(), 500);
    let failed = world.get("/instances/i").await["operation"]["operation"].clone();
    assert_eq!(world.post("/instances/none/abandon").await.0, 404);
    assert_eq!(world.post("/instances/i/abandon").await, (200, json!({})));
    let told = watching.events.lock().expect("no panic").clone();
    let [binding, instance] = told.as_slice() else { panic!("{told:?}") };
    for (event, action) in [(binding, "unbind"), (instance, "deprovision")] {
        assert_eq!((&event["action"], &event["stage"]), (&json!(action), &json!("abandoned")), "{event}");
        assert_eq!((&event["platform"], &event["user"]), (&json!("admin"), &json!("operator")), "{event}");
        assert_eq!((&event["instance_id"], &event["plan_id"]), (&json!("i"), &json!(ids::SMALL)), "{event}");
        assert!(event["time"].is_string(), "{event}");
        // The request was the operator's.
        assert_eq!((event.get("request_identity"), event.get("trace_id")), (None, None), "{event}");
    }
    assert_eq!((&binding["binding_id"], &instance["operation"]), (&json!("b"), &failed), "{told:?}");
    assert!(!watching.calls.lock().expect("no panic").contains(&"abandoned".to_owned()), "no handler was called");
}

#[tokio::test]
async fn an_instance_is_not_abandoned_while_a_binding_is_deleted() {
    let mut settings = Settings::default();
    settings.store = Records::in_memory();
    let world = World::with(settings.clone()).await;
    world.failed_with(&["a", "b"]).await;
    world.lab.deletions_go(Behaviour::WaitStubbornly);
    let unbind = format!("{}?{DELETE}&accepts_incomplete=true", binding("i", "b"));
    assert_eq!(world.platform("DELETE", &unbind, Value::Null).await.0, 202);
    let (status, refused) = world.post("/instances/i/abandon").await;
    assert_eq!(status, 409, "{refused}");
    assert_eq!(ids_of(&world.get("/bindings").await, "bindings", "binding_id"), ["a", "b"]);
    // As the command line does it, without the broker.
    let instance = Key { tenant: "".parse().expect("none"), instance: "i".into(), binding: None };
    for key in [Key { binding: Some("b".into()), ..instance.clone() }, instance] {
        let abandoned = abandon(settings.store.store(), &settings, &key, "operator").await.expect("the store is read");
        assert_eq!(abandoned, Err(ActionRefused::IsRunning), "{key:?}");
    }
    world.lab.gate.open();
    while world.platform("GET", &format!("{}/last_operation", binding("i", "b")), Value::Null).await.0 == 200 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert_eq!(world.lab.inventory(), ["a=key", "i=smallx1"], "the binding was deleted");
    assert_eq!(world.post("/instances/i/abandon").await, (200, json!({})));
}

/// Delays the next transaction, once it has been told to.
#[derive(Default)]
struct Delays {
    is_next: AtomicBool,
    is_waiting: Notify,
    goes_on: Notify,
}

impl Around for Arc<Delays> {
    fn before(&self, request: StoreRequest) -> Pending<'_, ()> {
        Box::pin(async move {
            if request == StoreRequest::Transact && self.is_next.swap(false, Ordering::SeqCst) {
                self.is_waiting.notify_one();
                self.goes_on.notified().await;
            }
            Ok(())
        })
    }
}

/// After the list of the bindings, and before the first of them is abandoned.
#[tokio::test]
async fn a_deletion_that_begins_meanwhile_is_not_abandoned() {
    for path in [binding("i", "b"), instance("i")] {
        let (mut settings, delays) = (Settings::default(), Arc::new(Delays::default()));
        settings.store = Records::new(Hooked::new(Arc::default(), Arc::clone(&delays)));
        let world = World::with(settings).await;
        world.failed().await;
        world.lab.deletions_go(Behaviour::WaitStubbornly);
        delays.is_next.store(true, Ordering::SeqCst);
        let begins = async {
            delays.is_waiting.notified().await;
            let deletion = format!("{path}?{DELETE}&accepts_incomplete=true");
            assert_eq!(world.platform("DELETE", &deletion, Value::Null).await.0, 202);
            delays.goes_on.notify_one();
        };
        let (refused, ()) = tokio::join!(world.post("/instances/i/abandon"), begins);
        assert_eq!(refused.0, 409, "{path}: {refused:?}");
        assert_eq!(ids_of(&world.get("/bindings").await, "bindings", "binding_id"), ["b"], "{path}");
        world.lab.gate.open();
        while world.platform("GET", &format!("{path}/last_operation"), Value::Null).await.0 == 200 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        assert!(!world.lab.inventory().contains(&"b=key".to_owned()), "{path}: its handler has ended");
    }
}

/// The store lists records by pages of 256.
#[tokio::test]
async fn an_instance_of_many_bindings_is_shown_and_abandoned_with_all() {
    const COUNT: usize = 260;
    let world = World::new().await;
    world.make("i").await;
    for number in 0..COUNT {
        let (status, body) =
            world.platform("PUT", &binding("i", &format!("{number}")), bind(ids::SMALL, json!({}))).await;
        assert_eq!(status, 201, "{body}");
    }
    let count = async |path: &str| world.get(path).await["bindings"].as_array().map(Vec::len);
    assert_eq!(count("/instances/i").await, Some(COUNT));
    assert_eq!(count("/bindings?limit=1000").await, Some(COUNT));
    world.lab.deletions_go(Behaviour::Fail);
    assert_eq!(world.platform("DELETE", &format!("{}?{DELETE}", instance("i")), Value::Null).await.0, 500);
    assert_eq!(world.post("/instances/i/abandon").await, (200, json!({})));
    assert_eq!(count("/bindings?limit=1000").await, Some(0));
}

#[tokio::test]
async fn a_running_operation_can_be_cancelled() {
    let mut settings = Settings::default();
    (settings.lease, settings.cancel_grace) = (Duration::from_millis(300), Duration::from_millis(10));
    settings.sync_wait = Duration::ZERO;
    let world = World::with(settings).await;
    let reaches = async |path: &str, binding: Option<usize>, phase: &str| loop {
        let shown = world.get(path).await;
        let entry = binding.map_or(&shown, |at| &shown["bindings"][at]);
        if entry["phase"] == phase {
            break entry["operation"]["description"].as_str().unwrap_or_default().to_owned();
        }
        assert_eq!(entry["operation"]["state"], "in progress", "{shown}");
        tokio::time::sleep(Duration::from_millis(1)).await;
    };
    let cancel = async |path: &str| {
        for action in ["retry", "abandon"] {
            let (status, refused) = world.post(&format!("{path}/{action}")).await;
            let said = refused["description"].as_str().unwrap_or_default();
            assert!(
                status == 409 && said.contains("`cancel` ends an operation that is running"),
                "{action}: {refused}"
            );
        }
        assert_eq!(world.post(&format!("{path}/cancel")).await, (202, json!({})));
    };
    world.make("i").await;
    assert_eq!(world.platform("PUT", &binding("i", "b"), bind(ids::SMALL, json!({}))).await.0, 201);
    for (path, expected) in [("/instances/i", 409), ("/instances/i/bindings/b", 409), ("/instances/none", 404)] {
        assert_eq!(world.post(&format!("{path}/cancel")).await.0, expected, "{path}");
    }

    world.lab.deletions_go(Behaviour::Hang);
    let deletion = format!("{DELETE}&accepts_incomplete=true");
    assert_eq!(world.platform("DELETE", &format!("{}?{deletion}", binding("i", "b")), Value::Null).await.0, 202);
    cancel("/instances/i/bindings/b").await;
    let failed = reaches("/instances/i", Some(0), "delete_failed").await;
    assert!(failed.contains("did not finish in time"), "{failed}");
    assert_eq!(world.post("/instances/i/bindings/b/abandon").await, (200, json!({})));
    assert_eq!(world.platform("DELETE", &format!("{}?{deletion}", instance("i")), Value::Null).await.0, 202);
    cancel("/instances/i").await;
    reaches("/instances/i", None, "delete_failed").await;
    assert_eq!(world.post("/instances/i/cancel").await.0, 409, "it has ended");
    world.lab.deletions_go(Behaviour::Succeed);
    assert_eq!(world.post("/instances/i/retry").await.0, 202);
    reaches("/instances/i", None, "gone").await;
    let calls = world.lab.calls();

    // A creation, which has made something. Its platform does not poll at first, and repeats the request after the cancellation.
    let body = new(ids::SMALL, json!({ "mood": "wait" }));
    let repeated = async {
        world.lab.called(calls + 1).await;
        cancel("/instances/j").await;
        let path = format!("{}?accepts_incomplete=true", instance("j"));
        world.platform("PUT", &path, body.clone()).await.0
    };
    let path = instance("j");
    let statuses = tokio::join!(async { world.platform("PUT", &path, body.clone()).await.0 }, repeated);
    let gone = tokio::time::timeout(Duration::from_secs(30), reaches("/instances/j", None, "gone")).await;
    assert!(gone.is_ok(), "it is still cancelled: {statuses:?}");
    assert_eq!(world.lab.inventory(), ["b=key"], "the creation is rolled back; the binding was abandoned");
}

#[tokio::test]
async fn the_failed_deletion_of_a_binding_can_be_retried() {
    let world = World::new().await;
    world.make("i").await;
    world.platform("PUT", &binding("i", "b"), bind(ids::SMALL, json!({}))).await;
    assert_eq!(world.post("/instances/i/bindings/b/retry").await.0, 409);
    world.lab.deletions_go(Behaviour::Fail);
    assert_eq!(world.platform("DELETE", &format!("{}?{DELETE}", binding("i", "b")), Value::Null).await.0, 500);
    world.lab.deletions_go(Behaviour::Succeed);
    assert_eq!(world.post("/instances/i/bindings/b/retry").await, (200, json!({})));
    assert_eq!(world.get("/bindings").await["bindings"], json!([]));
    assert_eq!(world.post("/instances/i/bindings/b/purge").await.0, 404);
    assert_eq!(ids_of(&world.get("/instances").await, "instances", "instance_id"), ["i"]);
}

#[tokio::test]
async fn purging_an_instance_deletes_its_bindings() {
    let world = World::new().await;
    world.make("i").await;
    world.platform("PUT", &binding("i", "b"), bind(ids::SMALL, json!({}))).await;
    assert_eq!(world.post("/instances/i/purge").await, (200, json!({})));
    assert!(world.lab.inventory().is_empty(), "{:?}", world.lab.inventory());
    assert_eq!(world.get("/bindings").await["bindings"], json!([]));
}

#[tokio::test]
async fn t62_an_action_continues_after_the_operator_disconnects() {
    let folder = tempfile::tempdir().expect("a temporary folder is created");
    let mut settings = Settings::default();
    settings.store = Redb::open(folder.path().join("records.redb"), None).expect("it is made").into();
    let world = World::with(settings).await;
    for patience in 1..8 {
        world.make("i").await;
        let mut purge = Box::pin(world.post("/instances/i/purge"));
        for _ in 0..patience {
            tokio::select! {
                biased;
                _ = &mut purge => break,
                () = tokio::task::yield_now() => {}
            }
        }
        drop(purge);
        let gone = async {
            while world.get("/instances").await["instances"] != json!([]) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(10), gone).await.expect("it is removed");
    }
}

#[tokio::test]
async fn a_running_broker_reseals_its_records() {
    let old = "8f5d1c6e0b7a49d2c3e4f5061728394a5b6c7d8e9fa0b1c2d3e4f5a6b7c8d9ea";
    let new_key = "0d1c6e0b7a49d2c3e4f5061728394a5b6c7d8e9fa0b1c2d3e4f5a6b7c8d9ea8f";
    let keys = |text: &str| text.parse::<Keys>().expect("they are good");
    let folder = tempfile::tempdir().expect("a temporary folder is created");
    let path = folder.path().join("records.redb");
    let settings = |keys: Keys| {
        let mut settings = Settings::default();
        settings.store = Redb::open(&path, keys).expect("it can be opened").into();
        settings
    };
    let (status, refused) = World::with(Settings::default()).await.post("/reseal").await;
    assert_eq!(status, 409, "without keys: {refused}");
    let first = settings(keys(old));
    let world = World::with(first.clone()).await;
    for id in ["a", "b", "c"] {
        world.make(id).await;
    }
    first.store.close().await;
    drop((world, first));

    let both = settings(keys(&format!("{new_key} {old}")));
    let world = World::with(both.clone()).await;
    assert_eq!(world.post("/reseal").await, (200, json!({ "records": 3, "unreadable": 0 })));
    assert_eq!(world.get("/instances").await["instances"].as_array().map(Vec::len), Some(3));
    both.store.close().await;
    drop((world, both));

    assert!(Redb::open(&path, keys(old)).is_err(), "the old key no longer opens it");
    let world = World::with(settings(keys(new_key))).await;
    assert_eq!(ids_of(&world.get("/instances").await, "instances", "instance_id"), ["a", "b", "c"]);
}

/// Reads still show what the shutdown waits for.
#[tokio::test]
async fn a_broker_that_shuts_down_refuses_actions_and_lists_records() {
    let world = World::new().await;
    let path = format!("{}?accepts_incomplete=true", instance("i"));
    assert_eq!(world.platform("PUT", &path, new(ids::SLOW, json!({ "mood": "wait" }))).await.0, 202);
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let served = tokio::spawn(serve(listener, world.broker.clone(), async {}));
    let refused = async {
        loop {
            let (status, body) = world.post("/instances/i/retry").await;
            if status == 503 {
                break body;
            }
            tokio::task::yield_now().await;
        }
    };
    let refused = tokio::time::timeout(Duration::from_secs(10), refused).await.expect("actions are refused");
    assert_eq!(refused["description"], "The broker is shutting down.");
    assert_eq!(world.get("/operations").await["operations"][0]["instance_id"], "i");
    world.lab.gate.open();
    served.await.expect("it ends");
}
