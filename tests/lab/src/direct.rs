//! A platform in the broker's own process: without sockets, time can be the test's.

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Full};
use osb_runtime::{
    http::{BrokerService, Credentials, HttpSettings},
    lifecycle::Settings,
    service::Broker,
};
use serde_json::Value;
use tower_service::Service;

use crate::{messages, wire::Reply};

/// A broker, and what a platform knows of it.
#[derive(Debug, Clone)]
pub struct Direct(BrokerService);

impl Direct {
    /// Starts a broker.
    ///
    /// # Panics
    ///
    /// If it does not start.
    pub async fn start<B: Broker>(broker: B, settings: Settings) -> Self {
        let credentials = Credentials::basic("user", "pass").expect("a user without colon");
        let service = BrokerService::start_with(broker, credentials, HttpSettings::default(), settings).await;
        Self(service.expect("the broker starts"))
    }

    /// One request.
    ///
    /// # Panics
    ///
    /// If the answer is not one that a platform understands.
    pub async fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Reply {
        let body = body.map(|body| Bytes::from(body.to_string())).unwrap_or_default();
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("Authorization", "Basic dXNlcjpwYXNz")
            .header("X-Broker-API-Version", "2.17")
            .body(Full::new(body))
            .expect("method and path are good");
        let Ok(answer) = self.0.clone().call(request).await;
        let (parts, body) = answer.into_parts();
        let Ok(body) = body.collect().await;
        let body: Value = serde_json::from_slice(&body.to_bytes()).expect("a body is JSON");
        assert!(body.is_object(), "a body is an object: {body}");
        let mut head = format!("HTTP/1.1 {}\r\n", parts.status);
        for (name, value) in &parts.headers {
            head.push_str(&format!("{name}: {}\r\n", String::from_utf8_lossy(value.as_bytes())));
        }
        let reply = Reply { status: parts.status.as_u16(), head, body };
        let wrong = messages::wrong(method, path, "2.17", &reply);
        assert!(wrong.is_empty(), "{method} {path}: {}\n{reply:#?}", wrong.join("\n"));
        reply
    }
}
