//! Platforms of each API version: the form of their requests, and the answers that their specification promises.
//!
//! A [`Platform`] is data; a [`Session`] is a platform with a broker, and checks all answers.

use std::sync::Arc;

use osb_runtime::{lifecycle::Settings, protocol::Endpoint, service::Broker};
use serde_json::{Map, Value, json};

use crate::{
    lab::{Lab, LabBroker, ids},
    requests::{binding, instance},
    wire::{AUTHORIZATION, Reply, Wire},
};

/// The form of a platform's requests.
#[derive(Debug, Clone, Copy)]
pub struct Platform {
    /// The spelling of the version header, whose name is case-insensitive (S01).
    pub version_header: &'static str,
    /// The version in that header.
    pub version: &'static str,
    /// Additional headers of all requests.
    pub headers: &'static [(&'static str, &'static str)],
    /// The form of the location in a provision request.
    pub location: Location,
    /// The place of `accepts_incomplete`.
    pub incomplete: Incomplete,
    /// The form of `previous_values` in an update.
    pub previous: Previous,
    /// `true` if an update contains the service's id, which is mandatory since 2.6.
    pub update_names_service: bool,
    /// The form of the application in a bind request.
    pub application: Application,
    /// `true` if requests contain parameters and an application even if there are none: as `null`, and as empty strings.
    pub sends_empty_fields: bool,
    /// The form of polls.
    pub poll: Poll,
    /// The operations that can be asynchronous.
    pub asynchronous: Asynchronous,
}

/// The form of the location in a provision request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Location {
    /// In `organization_guid` and `space_guid`.
    Guids,
    /// In a `context` instead (S12).
    Context,
    /// In both.
    Both,
    /// In both, with the names and annotations of Cloud Foundry since 2.15 (PROF-02).
    Names,
    /// In both, with a namespace of Kubernetes (PROF-03).
    Namespace,
}

/// The place of `accepts_incomplete` in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Incomplete {
    /// Nowhere: the platform does not support asynchronous operations.
    Never,
    /// In the query.
    Query,
    /// In the body, or in the query of requests without a body (S11).
    Body,
}

/// The form of `previous_values` in an update.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Previous {
    /// `plan_id`, `service_id`, `organization_id`, `space_id` (S14).
    Ids,
    /// A `context` in place of organization and space (S13).
    Context,
    /// The ids and `maintenance_info`. Plan and parameters are always present, even if they don't change.
    Maintenance,
}

/// The form of the application in a bind request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Application {
    /// In `app_guid` (S09).
    TopLevel,
    /// In `bind_resource`, and in `app_guid` as before.
    Both,
    /// In `bind_resource`.
    Resource,
    /// In both, with more fields; `bind_resource` is present even without an application (PROF-05).
    Annotated,
}

/// The form of polls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Poll {
    /// With only the instance's id.
    Bare,
    /// With the ids of service and plan, and the `operation` of the 202.
    Hints,
}

/// The operations that can be asynchronous, and with them the endpoints that a platform uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asynchronous {
    /// None. There are neither updates nor polls.
    Nothing,
    /// Those of instances, which can be updated.
    Instances,
    /// Those of bindings too. Instances and bindings can be fetched.
    All,
}

/// Cloud Foundry with the service broker API 2.2: everything is synchronous, and there are no parameters and no
/// updates.
pub const V2_2: Platform = Platform {
    version_header: "X-Broker-Api-Version",
    version: "2.2",
    headers: &[("Accept", "application/json")],
    location: Location::Guids,
    incomplete: Incomplete::Never,
    previous: Previous::Ids,
    update_names_service: false,
    application: Application::TopLevel,
    sends_empty_fields: false,
    poll: Poll::Bare,
    asynchronous: Asynchronous::Nothing,
};

/// Cloud Foundry with 2.4 and the experiment of asynchronous operations.
pub const V2_4_ASYNC: Platform =
    Platform { version: "2.4", incomplete: Incomplete::Query, asynchronous: Asynchronous::Instances, ..V2_2 };

/// Cloud Foundry with 2.8: asynchronous operations, parameters, route services.
pub const V2_8: Platform = Platform {
    version: "2.8",
    incomplete: Incomplete::Body,
    update_names_service: true,
    application: Application::Both,
    ..V2_4_ASYNC
};

/// A fork of 2.9, whose platform sends a context instead of guids.
pub const V2_9_FORK: Platform =
    Platform { version: "2.9", location: Location::Context, previous: Previous::Context, poll: Poll::Hints, ..V2_8 };

/// The Open Service Broker API after 2.14 and before 2.15.
pub const V2_14: Platform = Platform {
    version_header: "X-Broker-API-Version",
    version: "2.14",
    headers: &[("Accept", "application/json"), ("X-Broker-API-Originating-Identity", ORIGIN)],
    location: Location::Both,
    incomplete: Incomplete::Query,
    application: Application::Resource,
    poll: Poll::Hints,
    asynchronous: Asynchronous::All,
    ..V2_8
};

/// The current Cloud Foundry. It sends version 2.15, but here it has the version that specifies all its fields.
pub const CLOUD_FOUNDRY: Platform = Platform {
    version_header: "X-Broker-Api-Version",
    version: "2.17",
    headers: &[
        ("Accept", "application/json"),
        ("X-VCAP-Request-ID", "6b0e9f8e-7d4e-4a3d-8d8e-2f2f0f0a5b5c"),
        ("X-Broker-API-Request-Identity", IDENTITY),
        ("X-Api-Info-Location", "api.example.com/v2/info"),
        ("X-Broker-Api-Originating-Identity", ORIGIN),
    ],
    location: Location::Names,
    previous: Previous::Maintenance,
    application: Application::Annotated,
    ..V2_14
};

/// The service catalog of Kubernetes, whose client stays at 2.14.
pub const KUBERNETES: Platform = Platform {
    location: Location::Namespace,
    headers: &[("X-Broker-API-Originating-Identity", "kubernetes eyJ1c2VybmFtZSI6ImR1a2UiLCJncm91cHMiOltdfQ==")],
    ..V2_14
};

/// Korifi, a Cloud Foundry on Kubernetes. The tests also update and fetch instances in its way, which it doesn't do.
pub const KORIFI: Platform = Platform {
    version_header: "X-Broker-Api-Version",
    version: "2.17",
    headers: &[("Content-Type", "application/json"), ("Accept-Encoding", "gzip")],
    location: Location::Guids,
    application: Application::Both,
    sends_empty_fields: true,
    ..V2_14
};

/// `{"user_id":"683ea748-3092-4ff4-b656-39cacc4d5360"}`
const ORIGIN: &str = "cloudfoundry eyJ1c2VyX2lkIjoiNjgzZWE3NDgtMzA5Mi00ZmY0LWI2NTYtMzljYWNjNGQ1MzYwIn0=";
/// The originating identity of all requests.
pub const IDENTITY: &str = "e26cee84-6b38-4456-b34e-d1a9f002c956";
/// The organization of all resources.
pub const ORGANIZATION: &str = "c2f7a5b0-9d2c-4b8e-9f39-3a1d5f0c1a01";
/// The space of all resources.
pub const SPACE: &str = "c2f7a5b0-9d2c-4b8e-9f39-3a1d5f0c1a02";
/// The application in bindings.
pub const APP: &str = "c2f7a5b0-9d2c-4b8e-9f39-3a1d5f0c1a03";

impl Platform {
    /// Returns the statuses that mean success; none if the platform does not use the endpoint. After any other 2xx the platform
    /// deletes the resource that it wanted to create.
    pub fn success(&self, endpoint: Endpoint) -> &'static [u16] {
        use Asynchronous::{All, Instances, Nothing};
        use Endpoint::{
            Bind, Catalog, Deprovision, FetchBinding, FetchInstance, PollBinding, PollInstance, Provision, Unbind,
            Update,
        };
        match (endpoint, self.asynchronous) {
            (Catalog, _) | (FetchInstance | FetchBinding, All) => &[200],
            (Provision, Nothing) | (Bind, Nothing | Instances) => &[200, 201],
            (Provision | Bind, _) => &[200, 201, 202],
            (Update, Instances | All) => &[200, 202],
            (Deprovision, Nothing)
            | (Unbind, Nothing | Instances)
            | (PollInstance, Instances | All)
            | (PollBinding, All) => &[200, 410],
            (Deprovision | Unbind, _) => &[200, 202, 410],
            _ => &[],
        }
    }

    /// Returns the context of all requests.
    pub fn context(&self) -> Value {
        match self.location {
            Location::Context => {
                json!({ "organization_guid": ORGANIZATION, "space_guid": SPACE, "some_field": "data" })
            }
            Location::Names => json!({
                "platform": "cloudfoundry", "organization_guid": ORGANIZATION, "space_guid": SPACE,
                "organization_name": "system", "space_name": "shop", "instance_name": "store",
                "organization_annotations": {}, "space_annotations": { "example.com/cost-center": "7" },
            }),
            Location::Namespace => {
                json!({ "platform": "kubernetes", "namespace": "shop", "clusterid": "c1", "instance_name": "store" })
            }
            _ => json!({ "platform": "cloudfoundry", "organization_guid": ORGANIZATION, "space_guid": SPACE }),
        }
    }

    /// Returns the body for creating an instance.
    pub fn provision(&self, service: &str, plan: &str, fields: &Value) -> Value {
        let mut body = json!({ "service_id": service, "plan_id": plan });
        if self.location != Location::Context {
            body["organization_guid"] = ORGANIZATION.into();
            body["space_guid"] = SPACE.into();
        }
        if self.location != Location::Guids {
            body["context"] = self.context();
        }
        if self.sends_empty_fields {
            body["parameters"] = Value::Null;
        }
        self.with(body, fields)
    }

    /// Returns the body for updating an instance with this plan.
    pub fn update(&self, service: &str, from: &str, fields: &Value) -> Value {
        let mut body = json!({ "previous_values": { "plan_id": from, "service_id": service } });
        if self.update_names_service {
            body["service_id"] = service.into();
        }
        let previous = &mut body["previous_values"];
        match self.previous {
            Previous::Context => previous["context"] = self.context(),
            Previous::Ids | Previous::Maintenance => {
                previous["organization_id"] = ORGANIZATION.into();
                previous["space_id"] = SPACE.into();
            }
        }
        if self.previous == Previous::Maintenance {
            previous["maintenance_info"] = Value::Null;
            body["plan_id"] = from.into();
            body["parameters"] = json!({});
        }
        if ![Location::Guids, Location::Context].contains(&self.location) {
            body["context"] = self.context();
        }
        self.with(body, fields)
    }

    /// Returns the body for creating a binding, with the application if `app` is true.
    pub fn bind(&self, service: &str, plan: &str, app: bool, fields: &Value) -> Value {
        let mut body = json!({ "service_id": service, "plan_id": plan });
        if app && self.application != Application::Resource {
            body["app_guid"] = APP.into();
        }
        match self.application {
            Application::Annotated if app => {
                body["bind_resource"] =
                    json!({ "app_guid": APP, "space_guid": SPACE, "app_annotations": { "example.com/tier": "web" } });
            }
            Application::Annotated => body["bind_resource"] = json!({}),
            Application::Both | Application::Resource if app => body["bind_resource"] = json!({ "app_guid": APP }),
            Application::TopLevel | Application::Both | Application::Resource => {}
        }
        if self.sends_empty_fields {
            body["parameters"] = Value::Null;
            if !app {
                (body["app_guid"], body["bind_resource"]) = ("".into(), json!({ "app_guid": "" }));
            }
        }
        if ![Location::Guids, Location::Context].contains(&self.location) {
            body["context"] = self.context();
        }
        merge(body, fields)
    }

    fn with(&self, mut body: Value, fields: &Value) -> Value {
        if self.incomplete == Incomplete::Body {
            body["accepts_incomplete"] = true.into();
        }
        merge(body, fields)
    }

    /// Returns the query `accepts_incomplete=true` if it belongs there.
    fn waits(&self, has_body: bool) -> Vec<(&'static str, String)> {
        let there = match self.incomplete {
            Incomplete::Never => false,
            Incomplete::Query => true,
            Incomplete::Body => !has_body,
        };
        if there { vec![("accepts_incomplete", "true".to_owned())] } else { Vec::new() }
    }
}

/// Sets fields, or removes them with `null`.
fn merge(mut body: Value, fields: &Value) -> Value {
    for (name, value) in fields.as_object().into_iter().flatten() {
        match (value, body.as_object_mut()) {
            (Value::Null, Some(body)) => drop(body.remove(name)),
            _ => body[name] = value.clone(),
        }
    }
    body
}

/// A platform and a broker.
#[derive(Debug, Clone)]
pub struct Session {
    /// The connection.
    pub wire: Arc<Wire>,
    /// The platform.
    pub platform: Platform,
    /// The service of all requests.
    pub service: &'static str,
}

impl Session {
    /// Starts the lab broker for a platform.
    pub async fn with_lab(platform: Platform) -> (Self, Lab) {
        let lab = Lab::default();
        (Self::with(platform, ids::LAB, LabBroker { lab: lab.clone() }).await, lab)
    }

    /// Starts a broker for a platform that uses this service.
    pub async fn with<B: Broker>(platform: Platform, service: &'static str, broker: B) -> Self {
        Self::over(platform, service, Wire::serve_with(broker, Settings::default()).await)
    }

    /// Connects a platform with a running broker.
    pub fn over(platform: Platform, service: &'static str, wire: Wire) -> Self {
        Self { wire: Arc::new(wire), platform, service }
    }

    /// Returns a session of another platform with the same broker.
    #[must_use]
    pub fn speaking(&self, platform: Platform) -> Self {
        Self { platform, ..self.clone() }
    }

    /// `GET /v2/catalog`
    pub async fn catalog(&self) -> Reply {
        self.send("GET", "/v2/catalog", &[], None).await
    }

    /// Creates an instance. Fields that are `null` are not sent.
    pub async fn create(&self, id: &str, plan: &str, fields: Value) -> Reply {
        let body = self.platform.provision(self.service, plan, &fields);
        let query = self.platform.waits(true);
        self.send("PUT", &instance(id), &query, Some(&body)).await
    }

    /// Fetches an instance.
    pub async fn fetch(&self, id: &str) -> Reply {
        self.send("GET", &instance(id), &[], None).await
    }

    /// Updates an instance that has this plan.
    pub async fn update(&self, id: &str, from: &str, fields: Value) -> Reply {
        let body = self.platform.update(self.service, from, &fields);
        let query = self.platform.waits(true);
        self.send("PATCH", &instance(id), &query, Some(&body)).await
    }

    /// Deletes an instance.
    pub async fn delete(&self, id: &str, plan: &str) -> Reply {
        let query = [self.ids(plan), self.platform.waits(false)].concat();
        self.send("DELETE", &instance(id), &query, None).await
    }

    /// Binds the application.
    pub async fn bind(&self, id: &str, bound: &str, plan: &str, fields: Value) -> Reply {
        self.bind_with(id, bound, &self.platform.bind(self.service, plan, true, &fields)).await
    }

    /// Binds without an application: a service key, unless the fields name a resource.
    pub async fn key(&self, id: &str, bound: &str, plan: &str, fields: Value) -> Reply {
        self.bind_with(id, bound, &self.platform.bind(self.service, plan, false, &fields)).await
    }

    /// Binds with this body.
    pub async fn bind_with(&self, id: &str, bound: &str, body: &Value) -> Reply {
        let query = self.binding_waits(true);
        self.send("PUT", &binding(id, bound), &query, Some(body)).await
    }

    /// Fetches a binding.
    pub async fn fetch_binding(&self, id: &str, bound: &str) -> Reply {
        self.send("GET", &binding(id, bound), &[], None).await
    }

    /// Deletes a binding.
    pub async fn unbind(&self, id: &str, bound: &str, plan: &str) -> Reply {
        let query = [self.ids(plan), self.binding_waits(false)].concat();
        self.send("DELETE", &binding(id, bound), &query, None).await
    }

    /// Polls an operation of an instance once, after this 202.
    pub async fn poll(&self, id: &str, plan: &str, accepted: &Reply) -> Reply {
        let path = format!("{}/last_operation", instance(id));
        self.send("GET", &path, &self.hints(plan, accepted), None).await
    }

    /// Polls an operation of a binding once, after this 202.
    pub async fn poll_binding(&self, id: &str, bound: &str, plan: &str, accepted: &Reply) -> Reply {
        let path = format!("{}/last_operation", binding(id, bound));
        self.send("GET", &path, &self.hints(plan, accepted), None).await
    }

    /// Polls until an operation of an instance has ended.
    pub async fn end(&self, id: &str, plan: &str, accepted: &Reply) -> Reply {
        loop {
            let told = self.poll(id, plan, accepted).await;
            if told.body["state"] != "in progress" {
                return told;
            }
        }
    }

    /// Polls until an operation of a binding has ended.
    pub async fn end_binding(&self, id: &str, bound: &str, plan: &str, accepted: &Reply) -> Reply {
        loop {
            let told = self.poll_binding(id, bound, plan, accepted).await;
            if told.body["state"] != "in progress" {
                return told;
            }
        }
    }

    fn ids(&self, plan: &str) -> Vec<(&'static str, String)> {
        vec![("service_id", self.service.to_owned()), ("plan_id", plan.to_owned())]
    }

    /// Bindings have been asynchronous since 2.14.
    fn binding_waits(&self, has_body: bool) -> Vec<(&'static str, String)> {
        if self.platform.asynchronous == Asynchronous::All { self.platform.waits(has_body) } else { Vec::new() }
    }

    fn hints(&self, plan: &str, accepted: &Reply) -> Vec<(&'static str, String)> {
        let mut query = Vec::new();
        if self.platform.poll == Poll::Hints {
            query.extend(self.ids(plan));
            query.extend(accepted.body["operation"].as_str().map(|id| ("operation", id.to_owned())));
        }
        query
    }

    /// Sends a request and checks its answer.
    ///
    /// # Panics
    ///
    /// If the platform does not have such requests, or if the answer is invalid.
    pub async fn send(&self, method: &str, path: &str, query: &[(&str, String)], body: Option<&Value>) -> Reply {
        let endpoint = Endpoint::of(method, path).expect("an endpoint");
        let success = self.platform.success(endpoint);
        assert!(!success.is_empty(), "a platform of version {} has no {method} {path}", self.platform.version);
        let pairs: Vec<String> = query.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let path = if pairs.is_empty() { path.to_owned() } else { format!("{path}?{}", pairs.join("&")) };
        let mut headers = vec![("Authorization", AUTHORIZATION), (self.platform.version_header, self.platform.version)];
        headers.extend(self.platform.headers);
        if body.is_some() && !headers.iter().any(|(name, _)| *name == "Content-Type") {
            headers.push(("Content-Type", "application/json"));
        }
        let reply = self.wire.exchange(method, &path, &headers, body).await;
        assert!(reply.status / 100 != 2 || success.contains(&reply.status), "T57: no success it knows: {reply:?}");
        assert!(!has_null(&reply.body), "a platform may reject `null` as malformed: {reply:?}");
        reply
    }
}

fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(has_null),
        // A schema may contain `null` in an `enum`.
        Value::Object(fields) => fields.iter().any(|(name, value)| name != "schemas" && has_null(value)),
        _ => false,
    }
}

/// Returns whether all fields of an object are among these.
pub fn only(value: &Value, names: &[&str]) -> bool {
    value
        .as_object()
        .is_some_and(|fields: &Map<String, Value>| fields.keys().all(|name| names.contains(&name.as_str())))
}
