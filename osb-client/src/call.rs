//! A request as data.

use bytes::Bytes;
use http::Method;
use serde_json::{Value, json};

/// A request to a broker, without what all of a platform's requests have: the version, credentials and the user.
///
/// The constructors put in what the specification demands, and the methods add to it.
#[derive(Debug, Clone, PartialEq)]
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

/// The body of a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Payload {
    /// There is none.
    None,
    /// As all platforms send it.
    Json(Value),
    /// Any text, sent as if it were JSON.
    Text(String),
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
    fn new(method: Method, path: String, payload: Payload) -> Self {
        Self { method, path, query: Vec::new(), payload }
    }

    /// Asks for the catalog.
    pub fn catalog() -> Self {
        Self::new(Method::GET, "/v2/catalog".to_owned(), Payload::None)
    }

    /// Creates an instance. For platforms without organisations and spaces their mandatory guids are `osb`.
    pub fn provision(instance: &str, service_id: &str, plan_id: &str) -> Self {
        let body = json!({
            "service_id": service_id, "plan_id": plan_id, "organization_guid": "osb", "space_guid": "osb",
        });
        Self::new(Method::PUT, path(instance, None), Payload::Json(body))
    }

    /// Asks what an instance is.
    pub fn fetch_instance(instance: &str) -> Self {
        Self::new(Method::GET, path(instance, None), Payload::None)
    }

    /// Changes an instance: its [`parameters`](Self::parameters), its [plan](Self::to_plan) or its
    /// [`context`](Self::context).
    pub fn update(instance: &str, service_id: &str) -> Self {
        Self::new(Method::PATCH, path(instance, None), Payload::Json(json!({ "service_id": service_id })))
    }

    /// Deletes an instance.
    pub fn deprovision(instance: &str, service_id: &str, plan_id: &str) -> Self {
        Self::new(Method::DELETE, path(instance, None), Payload::None).of(service_id, plan_id)
    }

    /// Creates a binding.
    pub fn bind(instance: &str, binding: &str, service_id: &str, plan_id: &str) -> Self {
        let body = json!({ "service_id": service_id, "plan_id": plan_id });
        Self::new(Method::PUT, path(instance, Some(binding)), Payload::Json(body))
    }

    /// Asks what a binding gives.
    pub fn fetch_binding(instance: &str, binding: &str) -> Self {
        Self::new(Method::GET, path(instance, Some(binding)), Payload::None)
    }

    /// Deletes a binding.
    pub fn unbind(instance: &str, binding: &str, service_id: &str, plan_id: &str) -> Self {
        Self::new(Method::DELETE, path(instance, Some(binding)), Payload::None).of(service_id, plan_id)
    }

    /// Deletes what a request is for, be it an instance or a binding.
    pub fn deletion_of(call: &Self, service_id: &str, plan_id: &str) -> Self {
        Self::new(Method::DELETE, call.path.clone(), Payload::None).of(service_id, plan_id)
    }

    /// Asks what became of an operation on an instance, or on one of its bindings.
    pub fn poll(instance: &str, binding: Option<&str>) -> Self {
        Self::new(Method::GET, path(instance, binding) + "/last_operation", Payload::None)
    }

    /// The poll of what this request began: with its service and plan, and the operation if the answer named one. While
    /// an update changes the plan, polls name the old one (LOI-01).
    #[must_use]
    pub fn poll_of_it(&self, operation: Option<&str>) -> Self {
        let body = self.json();
        let in_query = |name: &str| self.query.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
        let previous = body["previous_values"]["plan_id"].as_str();
        let service = in_query("service_id").or(body["service_id"].as_str());
        let plan = in_query("plan_id").or(previous).or(body["plan_id"].as_str());
        let hints = [("service_id", service), ("plan_id", plan), ("operation", operation)];
        let hints = hints.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())));
        Self {
            query: hints.collect(),
            ..Self::new(Method::GET, format!("{}/last_operation", self.path), Payload::None)
        }
    }

    /// Says in the query what an instance is: mandatory for deletions, and a hint for what only looks.
    #[must_use]
    pub fn of(self, service_id: &str, plan_id: &str) -> Self {
        self.ask("service_id", service_id).ask("plan_id", plan_id)
    }

    /// Takes a 202 for an answer.
    #[must_use]
    pub fn accepts_incomplete(self) -> Self {
        self.ask("accepts_incomplete", "true")
    }

    /// Adds to the query.
    #[must_use]
    pub fn ask(mut self, name: &str, value: &str) -> Self {
        self.query.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Parameters.
    #[must_use]
    pub fn parameters(self, parameters: Value) -> Self {
        self.field("parameters", parameters)
    }

    /// Where on the platform something is.
    #[must_use]
    pub fn context(self, context: Value) -> Self {
        self.field("context", context)
    }

    /// The plan of an update.
    #[must_use]
    pub fn to_plan(self, plan_id: &str) -> Self {
        self.field("plan_id", plan_id.into())
    }

    /// Any field of the body.
    #[must_use]
    pub fn field(mut self, name: &str, value: Value) -> Self {
        if let Payload::Json(Value::Object(fields)) = &mut self.payload {
            fields.insert(name.to_owned(), value);
        }
        self
    }

    /// The body, `null` if there is none or if it is no JSON.
    pub fn json(&self) -> &Value {
        match &self.payload {
            Payload::Json(value) => value,
            Payload::None | Payload::Text(_) => &Value::Null,
        }
    }

    /// Path and query, as in the first line of the request.
    pub fn target(&self) -> String {
        let pairs = self.query.iter().map(|(name, value)| format!("{}={}", encode(name), encode(value)));
        let query = pairs.collect::<Vec<_>>().join("&");
        if query.is_empty() { self.path.clone() } else { format!("{}?{query}", self.path) }
    }
}

fn path(instance: &str, binding: Option<&str>) -> String {
    let instance = format!("/v2/service_instances/{}", encode(instance));
    binding.map_or_else(|| instance.clone(), |binding| format!("{instance}/service_bindings/{}", encode(binding)))
}

/// A segment of a path, or a value in a query (URL-01).
pub fn encode(text: &str) -> String {
    let keep = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~');
    text.bytes().map(|byte| if keep(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}
