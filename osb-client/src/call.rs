//! Requests as data.

use std::fmt;

use bytes::Bytes;
use http::Method;
use osb_runtime::protocol::Endpoint;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

/// A request to a broker, without the parts that the [`Client`](super::Client) adds: version, credentials and user.
///
/// The constructors set the mandatory fields, and the methods add optional ones.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct Call {
    /// The method.
    pub method: Method,
    /// The path below the broker's URL, percent-encoded.
    pub path: String,
    /// Names and values of the query, not encoded.
    pub query: Vec<(String, String)>,
    /// The body.
    pub payload: Payload,
}

/// The body of a request. Its `Debug` output has the names of the members, but no values, because these may be secret.
#[derive(Clone, PartialEq)]
pub enum Payload {
    /// No body.
    None,
    /// A JSON body.
    Json(Value),
    /// Any text, sent with the content type of JSON.
    Text(String),
}

impl fmt::Debug for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("None"),
            Self::Json(body) => {
                f.debug_tuple("Json").field(&body.as_object().map(|body| body.keys().collect::<Vec<_>>())).finish()
            }
            Self::Text(text) => write!(f, "Text({} bytes)", text.len()),
        }
    }
}

impl Payload {
    pub(super) fn bytes(&self) -> Bytes {
        match self {
            Self::None => Bytes::new(),
            Self::Json(value) => value.to_string().into(),
            Self::Text(text) => text.clone().into(),
        }
    }
}

impl Call {
    fn new(endpoint: Endpoint, instance: &str, binding: &str, payload: Payload) -> Self {
        let path = endpoint.path().replace("{instance_id}", &encode(instance));
        let path = path.replace("{binding_id}", &encode(binding));
        Self { method: method(endpoint), path, query: Vec::new(), payload }
    }

    /// Fetches the catalog.
    pub fn catalog() -> Self {
        Self::new(Endpoint::Catalog, "", "", Payload::None)
    }

    /// Creates an instance. The mandatory guids of organization and space are set to `osb`.
    pub fn provision(instance: &str, service_id: &str, plan_id: &str) -> Self {
        let body = json!({
            "service_id": service_id, "plan_id": plan_id, "organization_guid": "osb", "space_guid": "osb",
        });
        Self::new(Endpoint::Provision, instance, "", Payload::Json(body))
    }

    /// Fetches an instance.
    pub fn fetch_instance(instance: &str) -> Self {
        Self::new(Endpoint::FetchInstance, instance, "", Payload::None)
    }

    /// Updates an instance: its [`parameters`](Self::parameters), its [plan](Self::to_plan) or its
    /// [`context`](Self::context).
    pub fn update(instance: &str, service_id: &str) -> Self {
        Self::new(Endpoint::Update, instance, "", Payload::Json(json!({ "service_id": service_id })))
    }

    /// Deletes an instance.
    pub fn deprovision(instance: &str, service_id: &str, plan_id: &str) -> Self {
        Self::new(Endpoint::Deprovision, instance, "", Payload::None).of(service_id, plan_id)
    }

    /// Creates a binding.
    pub fn bind(instance: &str, binding: &str, service_id: &str, plan_id: &str) -> Self {
        let body = json!({ "service_id": service_id, "plan_id": plan_id });
        Self::new(Endpoint::Bind, instance, binding, Payload::Json(body))
    }

    /// Fetches a binding.
    pub fn fetch_binding(instance: &str, binding: &str) -> Self {
        Self::new(Endpoint::FetchBinding, instance, binding, Payload::None)
    }

    /// Deletes a binding.
    pub fn unbind(instance: &str, binding: &str, service_id: &str, plan_id: &str) -> Self {
        Self::new(Endpoint::Unbind, instance, binding, Payload::None).of(service_id, plan_id)
    }

    /// Deletes the instance or binding of another request.
    pub fn deletion_of(call: &Self, service_id: &str, plan_id: &str) -> Self {
        Self { method: Method::DELETE, path: call.path.clone(), query: Vec::new(), payload: Payload::None }
            .of(service_id, plan_id)
    }

    /// Polls the last operation of an instance, or of one of its bindings.
    pub fn poll(instance: &str, binding: Option<&str>) -> Self {
        let endpoint = if binding.is_some() { Endpoint::PollBinding } else { Endpoint::PollInstance };
        Self::new(endpoint, instance, binding.unwrap_or_default(), Payload::None)
    }

    /// Returns the request that polls the operation begun by this one, with its service and plan, and the `operation` of
    /// the 202. While an update changes the plan, polls name the [old plan](Self::previous_plan) (LOI-01).
    pub fn poll_of_it(&self, operation: Option<&str>) -> Self {
        let body = self.json();
        let in_query = |name: &str| self.query.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
        let previous = body["previous_values"]["plan_id"].as_str();
        let service = in_query("service_id").or(body["service_id"].as_str());
        let plan = in_query("plan_id").or(previous).or(body["plan_id"].as_str());
        let hints = [("service_id", service), ("plan_id", plan), ("operation", operation)];
        let hints = hints.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())));
        Self {
            method: Method::GET,
            path: format!("{}/last_operation", self.path),
            query: hints.collect(),
            payload: Payload::None,
        }
    }

    /// Adds service and plan to the query: mandatory for deletions, and a hint for fetches and polls.
    pub fn of(self, service_id: &str, plan_id: &str) -> Self {
        self.ask("service_id", service_id).ask("plan_id", plan_id)
    }

    /// Accepts an asynchronous operation, that is, a 202.
    pub fn accepts_incomplete(self) -> Self {
        self.ask("accepts_incomplete", "true")
    }

    /// Adds a parameter to the query.
    pub fn ask(mut self, name: &str, value: &str) -> Self {
        self.query.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sets the parameters.
    pub fn parameters(self, parameters: Value) -> Self {
        self.field("parameters", parameters)
    }

    /// Sets the platform context.
    pub fn context(self, context: Value) -> Self {
        self.field("context", context)
    }

    /// Makes a binding the successor of another one of the instance: a rotation.
    pub fn predecessor(self, binding: &str) -> Self {
        self.field("predecessor_binding_id", binding.into())
    }

    /// Sets the plan of an update. If it differs from the [`previous_plan`](Self::previous_plan), set that too.
    pub fn to_plan(self, plan_id: &str) -> Self {
        self.field("plan_id", plan_id.into())
    }

    /// Sets the plan that the instance has before an update, as `previous_values`. Polls of the update
    /// [name it](Self::poll_of_it).
    pub fn previous_plan(self, plan_id: &str) -> Self {
        self.field("previous_values", json!({ "plan_id": plan_id }))
    }

    /// Sets any field of a JSON body.
    pub fn field(mut self, name: &str, value: Value) -> Self {
        if let Payload::Json(Value::Object(fields)) = &mut self.payload {
            fields.insert(name.to_owned(), value);
        }
        self
    }

    /// Returns the body; `null` if it is empty or not JSON.
    pub fn json(&self) -> &Value {
        match &self.payload {
            Payload::Json(value) => value,
            Payload::None | Payload::Text(_) => &Value::Null,
        }
    }

    /// Returns path and query, as in the request line.
    pub fn target(&self) -> String {
        let pairs = self.query.iter().map(|(name, value)| format!("{}={}", encode(name), encode(value)));
        let query = pairs.collect::<Vec<_>>().join("&");
        if query.is_empty() { self.path.clone() } else { format!("{}?{query}", self.path) }
    }
}

fn method(endpoint: Endpoint) -> Method {
    Method::from_bytes(endpoint.method().as_bytes()).unwrap_or_default()
}

/// Percent-encodes a path segment or a query value (URL-01).
pub fn encode(text: &str) -> String {
    const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
    utf8_percent_encode(text, UNRESERVED).to_string()
}
