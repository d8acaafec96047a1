//! An in-process platform, which sends requests to the real broker without a socket.

use std::{
    collections::HashMap,
    fmt,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use base64::Engine as _;
use bytes::Bytes;
use http::{HeaderMap, Request, StatusCode, header};
use http_body_util::{BodyExt, Full};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value, json};

use osb_runtime::{
    catalog::Offering,
    http::{AcceptedCredentials, BrokerService, HttpSettings},
    lifecycle::Settings,
    protocol::ApiVersion,
    service::Broker,
};

const USER: &str = "platform";
const PASSWORD: &str = "secret";

/// The time for which an operation is followed.
const LONGEST: Duration = Duration::from_mins(1);

/// A platform for tests. Requests pass through the same code as in a server, except for the connection.
///
/// Services and plans are given by name or id; unknown ones are sent as they are. Like any platform, it remembers the plan
/// of the instances that it created. After a 202, that is the old plan until a [poll](Self::poll) or a fetch of the instance has
/// reported success. An instance that another client created has the first plan of the catalog until it is
/// [fetched](Self::fetch_instance). A clone is the same platform.
///
/// ```no_run
/// # use osb_testing::Client;
/// # use osb_runtime::service::Broker;
/// # async fn example<Kv: Broker>(kv: Kv) {
/// let platform = Client::new(kv).await;
/// let made = platform.provision("store", "kv", "free", serde_json::json!({ "ttl": 60 })).await;
/// assert_eq!(made.status, 201, "{made:?}");
/// let bound = platform.bind("store", "app", ()).await;
/// assert!(bound.body["credentials"]["uri"].is_string());
/// # }
/// ```
///
/// A response with 500 doesn't contain the reason. To see it, let the test print the log, with the crate `tracing-subscriber`:
/// `let _ = tracing_subscriber::fmt().with_test_writer().try_init();`
#[derive(Clone)]
pub struct Client {
    service: BrokerService,
    /// Those of the program, and those of the deployment, which can have other names and more plans.
    offerings: Vec<&'static Offering>,
    /// The ids of service and plan of each instance.
    instances: Arc<Mutex<HashMap<String, (String, String)>>>,
    /// The same after the changes of plan that are running, by the paths of the instances.
    changing: Arc<Mutex<HashMap<String, Change>>>,
}

/// A change of plan, by ids.
struct Change {
    instance: String,
    service: String,
    plan: String,
}

/// Members of bodies that can be or contain secrets.
const SECRETS: [&str; 4] = ["credentials", "parameters", "syslog_drain_url", "volume_mounts"];

/// The response of a broker. Its `Debug` output has the status, and the body without the values of `credentials`, `parameters`,
/// `syslog_drain_url` and `volume_mounts`, and without the secrets of dashboard clients: CI keeps the messages of failed tests.
#[derive(Clone)]
#[non_exhaustive]
pub struct Answer {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body; `null` if it is empty.
    pub body: Value,
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut body = self.body.clone();
        for secret in SECRETS {
            hide(body.get_mut(secret));
        }
        for service in body.get_mut("services").and_then(Value::as_array_mut).into_iter().flatten() {
            hide(service.pointer_mut("/dashboard_client/secret"));
        }
        let body = format_args!("{body}");
        f.debug_struct("Answer").field("status", &self.status).field("body", &body).finish_non_exhaustive()
    }
}

fn hide(value: Option<&mut Value>) {
    if let Some(value) = value {
        *value = "..".into();
    }
}

impl Client {
    /// Starts the broker and returns a platform for it.
    ///
    /// # Panics
    ///
    /// If the broker cannot start, for example because the secret of a dashboard client is not in the environment.
    pub fn new<B: Broker>(broker: B) -> Pending<'static, Self> {
        Self::with(broker, Settings::default())
    }

    /// Starts the broker with these settings of the lifecycle and returns a platform for it. The plans of a family are in
    /// [`Settings::overrides`], as a deployment lists them:
    ///
    /// ```no_run
    /// # use osb_runtime::{lifecycle::Settings, service::Broker};
    /// # async fn example<Databases: Broker>(databases: Databases) {
    /// let mut settings = Settings::default();
    /// settings.overrides = serde_json::from_value(serde_json::json!({ "services": { "db": { "plans": {
    ///     "large": { "family": "sized", "id": "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a07", "values": { "gigabytes": 8 } },
    /// } } } })).expect("an object");
    /// let platform = osb_testing::Client::with(databases, settings).await;
    /// platform.provision("store", "db", "large", ()).await;
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// As [`new`](Self::new).
    pub fn with<B: Broker>(broker: B, settings: Settings) -> Pending<'static, Self> {
        let credentials = AcceptedCredentials::basic(USER, PASSWORD).expect("they are good credentials");
        let shown = settings.overrides.apply(B::OFFERINGS).map(|shown| shown.offerings);
        let starting = BrokerService::start_with(broker, credentials, HttpSettings::default(), settings);
        Box::pin(async move {
            match starting.await {
                Ok(service) => {
                    let offerings = [B::OFFERINGS, shown.unwrap_or_default()].concat();
                    Self { service, offerings, instances: Arc::default(), changing: Arc::default() }
                }
                Err(error) => panic!("the broker cannot start: {error}"),
            }
        })
    }

    /// Fetches the catalog.
    pub async fn catalog(&self) -> Answer {
        self.request("GET", "/v2/catalog", None).await
    }

    /// Creates an instance. `()` stands for no parameters.
    pub fn provision<'a>(
        &'a self,
        instance: &'a str,
        service: &'a str,
        plan: &'a str,
        parameters: impl IntoGiven,
    ) -> Pending<'a, Answer> {
        let parameters = parameters.into();
        Box::pin(async move {
            let (service, plan) = self.ids(service, plan);
            let mut body = json!({
                "service_id": service, "plan_id": plan, "organization_guid": "organization", "space_guid": "space",
            });
            parameters.add_to(&mut body);
            let answer = self.request("PUT", &path(instance, None, "?accepts_incomplete=true"), Some(body)).await;
            if answer.status.is_success() {
                self.remember(instance, (service, plan));
            }
            answer
        })
    }

    /// Updates the parameters of an instance.
    pub fn update<'a>(&'a self, instance: &'a str, parameters: impl IntoGiven) -> Pending<'a, Answer> {
        let parameters = parameters.into();
        Box::pin(async move {
            let (service, plan) = self.of(instance);
            let body = json!({ "service_id": service, "previous_values": { "plan_id": plan } });
            self.patch(instance, body, parameters).await
        })
    }

    /// Changes the plan of an instance, and its parameters if some are given.
    pub fn change_plan<'a>(
        &'a self,
        instance: &'a str,
        plan: &'a str,
        parameters: impl IntoGiven,
    ) -> Pending<'a, Answer> {
        let parameters = parameters.into();
        Box::pin(async move {
            let (service, from) = self.of(instance);
            let (service, to) = self.ids(&service, plan);
            let body = json!({ "service_id": service, "plan_id": to, "previous_values": { "plan_id": from } });
            let answer = self.patch(instance, body, parameters).await;
            if answer.status == StatusCode::ACCEPTED {
                let change = Change { instance: instance.to_owned(), service, plan: to };
                self.changing().insert(path(instance, None, ""), change);
            } else if answer.status.is_success() {
                self.remember(instance, (service, to));
            }
            answer
        })
    }

    fn lock_instances(&self) -> MutexGuard<'_, HashMap<String, (String, String)>> {
        self.instances.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn changing(&self) -> MutexGuard<'_, HashMap<String, Change>> {
        self.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers the new plan when an answer says that the change to it has succeeded.
    fn note(&self, path: &str, answer: &Answer) {
        let path = path.strip_suffix("/last_operation").unwrap_or(path);
        let mut changing = self.changing();
        let Some(change) = changing.get(path) else { return };
        let has_succeeded = answer.body["state"] == "succeeded" || answer.body["plan_id"] == *change.plan;
        if has_succeeded || answer.body["state"] == "failed" {
            let changed = changing.remove(path).filter(|_| has_succeeded);
            drop(changing);
            if let Some(Change { instance, service, plan }) = changed {
                self.remember(&instance, (service, plan));
            }
        }
    }

    async fn patch(&self, instance: &str, mut body: Value, parameters: Given) -> Answer {
        parameters.add_to(&mut body);
        self.request("PATCH", &path(instance, None, "?accepts_incomplete=true"), Some(body)).await
    }

    /// Fetches an instance.
    pub async fn fetch_instance(&self, instance: &str) -> Answer {
        let answer = self.request("GET", &path(instance, None, ""), None).await;
        let id = |name: &str| answer.body[name].as_str().map(str::to_owned);
        if let Some(ids) = id("service_id").zip(id("plan_id")) {
            self.lock_instances().entry(instance.to_owned()).or_insert(ids);
        }
        answer
    }

    /// Deletes an instance.
    pub async fn deprovision(&self, instance: &str) -> Answer {
        self.request("DELETE", &path(instance, None, &self.query(instance)), None).await
    }

    /// Creates a binding for an application.
    pub fn bind<'a>(&'a self, instance: &'a str, binding: &'a str, parameters: impl IntoGiven) -> Pending<'a, Answer> {
        let parameters = parameters.into();
        Box::pin(async move {
            let (service, plan) = self.of(instance);
            let mut body =
                json!({ "service_id": service, "plan_id": plan, "bind_resource": { "app_guid": "application" } });
            parameters.add_to(&mut body);
            self.request("PUT", &path(instance, Some(binding), "?accepts_incomplete=true"), Some(body)).await
        })
    }

    /// Creates a binding that replaces another one of the instance, and inherits its parameters.
    pub async fn rotate(&self, instance: &str, binding: &str, predecessor: &str) -> Answer {
        let body = json!({ "predecessor_binding_id": predecessor });
        self.request("PUT", &path(instance, Some(binding), "?accepts_incomplete=true"), Some(body)).await
    }

    /// Fetches a binding.
    pub async fn fetch_binding(&self, instance: &str, binding: &str) -> Answer {
        self.request("GET", &path(instance, Some(binding), ""), None).await
    }

    /// Deletes a binding.
    pub async fn unbind(&self, instance: &str, binding: &str) -> Answer {
        self.request("DELETE", &path(instance, Some(binding), &self.query(instance)), None).await
    }

    /// Polls the last operation of an instance, or of one of its bindings.
    pub async fn poll(&self, instance: &str, binding: Option<&str>) -> Answer {
        self.request("GET", &path(instance, binding, "/last_operation"), None).await
    }

    /// Polls the last operation of an instance, or of one of its bindings, until it has ended, and returns the last response: 200
    /// with the `state` `succeeded` or `failed`, or 410 after a deletion. While tokio's clock is paused, hours pass at once.
    ///
    /// ```no_run
    /// # async fn example(platform: osb_testing::Client) {
    /// platform.provision("store", "kv", "pro", serde_json::json!({ "fill": "many.jsonl" })).await;
    /// let ended = platform.follow("store", None).await;
    /// assert_eq!(ended.body["state"], "succeeded", "{ended:?}");
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// If it has not ended after a minute of real time.
    pub async fn follow(&self, instance: &str, binding: Option<&str>) -> Answer {
        let (began, began_on_clock) = (Instant::now(), tokio::time::Instant::now());
        loop {
            let polled = self.poll(instance, binding).await;
            if polled.body["state"] != "in progress" {
                return polled;
            }
            assert!(began.elapsed() < LONGEST, "the operation has not ended after a minute: {polled:?}");
            // With a paused clock, hours pass in some hundred polls.
            tokio::time::sleep((began_on_clock.elapsed() / 10).max(Duration::from_millis(2))).await;
        }
    }

    /// Sends any request with credentials and the latest version of the API.
    ///
    /// # Panics
    ///
    /// If the method or the path is invalid, or if the response is not JSON.
    pub async fn request(&self, method: &str, path: &str, body: Option<Value>) -> Answer {
        let pair = base64::engine::general_purpose::STANDARD.encode(format!("{USER}:{PASSWORD}"));
        let bytes = body.map(|body| Bytes::from(body.to_string())).unwrap_or_default();
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::AUTHORIZATION, format!("Basic {pair}"))
            .header("X-Broker-API-Version", ApiVersion::LATEST.to_string())
            .header(header::CONTENT_TYPE, "application/json")
            .body(Full::new(bytes))
            .unwrap_or_else(|error| {
                panic!("{method} {path:?} can't be sent: {error}; a path begins with `/` and is percent-encoded")
            });
        self.send(request).await
    }

    /// Sends any request unchanged.
    ///
    /// # Panics
    ///
    /// If the response is not JSON.
    pub async fn send(&self, request: Request<Full<Bytes>>) -> Answer {
        let path = request.uri().path().to_owned();
        let Ok(answer) = tower_service::Service::call(&mut self.service.clone(), request).await;
        let (parts, body) = answer.into_parts();
        let Ok(body) = body.collect().await;
        let body = match body.to_bytes() {
            empty if empty.is_empty() => Value::Null,
            bytes => osb_runtime::json::from_slice(&bytes).expect("brokers respond with JSON"),
        };
        let answer = Answer { status: parts.status, headers: parts.headers, body };
        self.note(&path, &answer);
        answer
    }

    /// Returns the ids of a service and a plan given by name or id.
    pub(crate) fn ids(&self, service: &str, plan: &str) -> (String, String) {
        let named = self.offerings.iter().find(|offering| [offering.name, offering.id].contains(&service));
        let service = named.map_or(service, |offering| offering.id);
        let plans = self.offerings.iter().filter(|offering| offering.id == service).flat_map(|offering| offering.plans);
        let known = plans.map(|plan| &plan.spec).find(|known| [known.name, known.id].contains(&plan));
        (service.to_owned(), known.map_or(plan, |known| known.id).to_owned())
    }

    /// Returns service and plan of an instance; for an unknown instance, the first ones of the catalog.
    pub(crate) fn of(&self, instance: &str) -> (String, String) {
        let instances = self.lock_instances();
        let first = || {
            let first =
                |offering: &&Offering| Some((offering.id.to_owned(), offering.plans.first()?.spec.id.to_owned()));
            self.offerings.iter().find_map(first)
        };
        instances.get(instance).cloned().or_else(first).unwrap_or_default()
    }

    /// Remembers service and plan of an instance, by their ids.
    pub(crate) fn remember(&self, instance: &str, ids: (String, String)) {
        self.changing().remove(&path(instance, None, ""));
        self.lock_instances().insert(instance.to_owned(), ids);
    }

    fn query(&self, instance: &str) -> String {
        let (service, plan) = self.of(instance);
        format!("?service_id={}&plan_id={}&accepts_incomplete=true", encode(&service), encode(&plan))
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("instances", &self.instances).finish_non_exhaustive()
    }
}

/// A request to the broker, or the start of the broker. It does not name the types of the arguments, so that the compiler
/// reports a wrong argument once, and not at the `.await` too.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A value for the parameters of a request: JSON, or `()` or `None` for none. The trait exists for the compiler's message about other
/// types.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be sent as parameters",
    label = "expected JSON, as a user would send it",
    note = "write `serde_json::json!({{ ... }})`, or `()` for no parameters"
)]
pub trait IntoGiven: Into<Given> {}

#[diagnostic::do_not_recommend]
impl<T: Into<Given>> IntoGiven for T {}

/// The parameters of a request: JSON, or `()` for none.
#[derive(Debug, Clone, Default)]
pub struct Given(Option<Value>);

impl Given {
    pub(crate) fn add_to(self, body: &mut Value) {
        if let Some(parameters) = self.0 {
            body["parameters"] = parameters;
        }
    }

    /// Returns the parameters as JSON: an empty object for none.
    pub(crate) fn object(self) -> Value {
        self.0.unwrap_or_else(|| json!({}))
    }
}

impl From<()> for Given {
    fn from((): ()) -> Self {
        Self(None)
    }
}

impl From<Value> for Given {
    fn from(parameters: Value) -> Self {
        Self(Some(parameters))
    }
}

impl From<&Value> for Given {
    fn from(parameters: &Value) -> Self {
        Self(Some(parameters.clone()))
    }
}

impl From<Option<Value>> for Given {
    fn from(parameters: Option<Value>) -> Self {
        Self(parameters)
    }
}

impl From<Map<String, Value>> for Given {
    fn from(parameters: Map<String, Value>) -> Self {
        Self(Some(Value::Object(parameters)))
    }
}

fn path(instance: &str, binding: Option<&str>, query: &str) -> String {
    let instance = format!("/v2/service_instances/{}", encode(instance));
    binding.map_or_else(
        || format!("{instance}{query}"),
        |binding| format!("{instance}/service_bindings/{}{query}", encode(binding)),
    )
}

/// Percent-encodes a path segment or a query value.
fn encode(text: &str) -> String {
    const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
    utf8_percent_encode(text, UNRESERVED).to_string()
}
