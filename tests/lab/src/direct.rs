//! A platform in the broker's process. Without sockets a test can control the time.

use std::convert::Infallible;

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Request, Response, response::Parts};
use http_body_util::{BodyExt, Full};
use osb_runtime::{
    http::BrokerService,
    lifecycle::{Clock, Settings},
    service::Broker,
};
use serde_json::Value;
use tower_service::Service;

use crate::{
    lab::{Lab, LabBroker},
    messages::{self, Asked},
    wire::{AUTHORIZATION, Reply, start},
};

/// A broker that is called in process.
#[derive(Debug, Clone)]
pub struct Direct(BrokerService);

impl Direct {
    /// Starts a broker.
    ///
    /// # Panics
    ///
    /// If it does not start.
    pub async fn start<B: Broker>(broker: B, settings: Settings) -> Self {
        messages::prepare();
        Self(start(broker, settings).await.expect("the broker starts"))
    }

    /// Starts a lab broker on tokio's clock, with changed settings.
    pub async fn lab(change: impl FnOnce(&mut Settings)) -> (Self, Lab) {
        let (lab, mut settings) = (Lab::default(), Settings::default());
        settings.clock = Clock::of_runtime();
        change(&mut settings);
        (Self::start(LabBroker { lab: lab.clone() }, settings).await, lab)
    }

    /// Hands the operations over, as a broker does that shuts down.
    pub async fn hand_over(&self) {
        self.0.hand_over().await;
    }

    /// Sends a request.
    ///
    /// # Panics
    ///
    /// If the answer is invalid.
    pub async fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Reply {
        let headers = [("Authorization", AUTHORIZATION), ("X-Broker-API-Version", "2.17")];
        let sent = body.map(Value::to_string).unwrap_or_default();
        let (parts, text) = exchange(&self.0, method, path, &headers, &sent).await;
        let got = serde_json::from_str(&text).expect("a body is JSON");
        let line =
            |(name, value): (&HeaderName, &HeaderValue)| format!("{name}: {}\r\n", value.to_str().expect("ASCII"));
        let head = parts.headers.iter().map(line).collect();
        let reply = Reply { status: parts.status.as_u16(), head, body: got, text };
        messages::hold(Asked { method, path, headers: &headers, body: body.unwrap_or(&Value::Null) }, &reply);
        reply
    }
}

/// A service that answers in this process: a broker, its monitor, or its administration.
pub trait InProcess:
    Service<Request<Full<Bytes>>, Response = Response<Full<Bytes>>, Error = Infallible> + Clone
{
}

impl<S: Service<Request<Full<Bytes>>, Response = Response<Full<Bytes>>, Error = Infallible> + Clone> InProcess for S {}

/// Sends a request, and returns the status and the body of its answer.
///
/// # Panics
///
/// If the request is invalid, or the answer is not text.
pub async fn ask(
    service: &impl InProcess,
    method: &str,
    path: &str,
    authorization: &str,
    body: &Value,
) -> (u16, String) {
    let json = ("Content-Type", "application/json");
    let headers = [("Authorization", authorization), ("X-Broker-API-Version", "2.17"), json];
    let (parts, text) = exchange(service, method, path, &headers, &body.to_string()).await;
    (parts.status.as_u16(), text)
}

/// Sends a request with these headers, and returns the head and the body of its answer.
///
/// # Panics
///
/// If the request is invalid, or the answer is not text.
pub async fn exchange(
    service: &impl InProcess,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> (Parts, String) {
    let request = Request::builder().method(method).uri(path);
    let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
    let request = request.body(Full::new(Bytes::from(body.to_owned()))).expect("a valid method and path");
    let Ok(answer) = service.clone().call(request).await;
    let (parts, body) = answer.into_parts();
    let Ok(body) = body.collect().await;
    (parts, String::from_utf8(body.to_bytes().into()).expect("a body is UTF-8"))
}
