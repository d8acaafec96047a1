//! The administration interface, by which operators list and repair records.

mod abandoning;
mod access;
mod actions;
mod lists;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use osb_lab::{
    direct::{InProcess, ask, exchange},
    prelude::*,
};
use osb_runtime::{
    http::{AcceptedCredentials, Admin, Platforms},
    lifecycle::{Audit, Event, Hooks},
};

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

    async fn bind(&self, of: &str, id: &str) {
        let (status, body) = self.platform("PUT", &binding(of, id), bind(ids::SMALL, json!({}))).await;
        assert_eq!(status, 201, "{body}");
    }

    /// Sends a deletion as a platform, and returns its status.
    async fn delete(&self, path: &str) -> u16 {
        self.platform("DELETE", &format!("{path}?{DELETE}"), Value::Null).await.0
    }

    /// Waits for the end of a deletion.
    async fn deleted(&self, path: &str) {
        while self.platform("GET", &format!("{path}/last_operation"), Value::Null).await.0 == 200 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    /// Creates an instance whose deletion has failed, with a binding.
    async fn failed(&self) {
        self.failed_with(&["b"]).await;
    }

    /// Creates an instance whose deletion has failed, with these bindings.
    async fn failed_with(&self, bindings: &[&str]) {
        self.make("i").await;
        for id in bindings {
            self.bind("i", id).await;
        }
        self.lab.deletions_go(Behaviour::Fail);
        assert_eq!(self.delete(&instance("i")).await, 500);
    }
}

async fn send(service: &impl InProcess, method: &str, path: &str, authorization: &str, body: &Value) -> (u16, Value) {
    let (status, text) = ask(service, method, path, authorization, body).await;
    (status, serde_json::from_str(&text).expect("it is JSON"))
}

fn ids_of(list: &Value, kind: &str, id: &str) -> Vec<String> {
    let rows = list[kind].as_array().expect("it is a list");
    rows.iter().map(|row| row[id].as_str().expect("an id").to_owned()).collect()
}

/// An audit that keeps the events of administrators, and hooks that count calls.
#[derive(Clone, Default)]
struct Watching {
    events: Notes<Value>,
    calls: Notes,
}

impl Audit for Watching {
    fn record(&self, event: &Event) {
        if event.who.as_ref().is_some_and(|who| who.platform == "admin") {
            self.events.add(event.to_json());
        }
    }
}

impl Hooks for Watching {
    async fn on_error(&self, event: &Event) {
        self.calls.add(event.stage.as_str().to_owned());
    }
}

/// Sends a request of the platform with an originating identity: this word, and a user.
async fn as_user_of(world: &World, origin: &str, path: &str, body: &Value) -> u16 {
    let identity = format!("{origin} {}", STANDARD.encode(json!({ "username": "operator" }).to_string()));
    let headers = [
        ("Authorization", AUTHORIZATION),
        ("X-Broker-API-Version", "2.17"),
        ("X-Broker-API-Originating-Identity", &identity),
    ];
    exchange(&world.broker, "PUT", path, &headers, &body.to_string()).await.0.status.as_u16()
}
