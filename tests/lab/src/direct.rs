//! A platform in the broker's process. Without sockets a test can control the time.

use std::convert::Infallible;

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Request, Response};
use http_body_util::{BodyExt, Full};
use osb_runtime::{
    http::BrokerService,
    lifecycle::{Clock, Settings},
    service::Broker,
};
use serde_json::Value;
use tower_service::Service;

use crate::{
    bodies,
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
        bodies::prepare();
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
        let sent = body.map(|body| Bytes::from(body.to_string())).unwrap_or_default();
        let headers = [("Authorization", AUTHORIZATION), ("X-Broker-API-Version", "2.17")];
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let request = request.body(Full::new(sent)).expect("a valid method and path");
        let Ok(answer) = self.0.clone().call(request).await;
        let (parts, got) = answer.into_parts();
        let Ok(got) = got.collect().await;
        let text = String::from_utf8(got.to_bytes().into()).expect("a body is UTF-8");
        let got = serde_json::from_str(&text).expect("a body is JSON");
        let line =
            |(name, value): (&HeaderName, &HeaderValue)| format!("{name}: {}\r\n", value.to_str().expect("ASCII"));
        let head = parts.headers.iter().map(line).collect();
        let reply = Reply { status: parts.status.as_u16(), head, body: got, text };
        messages::hold(Asked { method, path, headers: &headers, body: body.unwrap_or(&Value::Null) }, &reply);
        reply
    }
}

/// Sends a request to a service in process, and returns the status and the body of its answer.
///
/// # Panics
///
/// If the request is invalid, or the answer is not text.
pub async fn ask<S>(service: &S, method: &str, path: &str, authorization: &str, body: &Value) -> (u16, String)
where
    S: Service<Request<Full<Bytes>>, Response = Response<Full<Bytes>>, Error = Infallible> + Clone,
{
    let request = Request::builder().method(method).uri(path).header("X-Broker-API-Version", "2.17");
    let request = request.header("Content-Type", "application/json");
    let request = request.header("Authorization", authorization).body(Full::new(Bytes::from(body.to_string())));
    let Ok(answer) = service.clone().call(request.expect("a valid method and path")).await;
    let (parts, body) = answer.into_parts();
    let Ok(body) = body.collect().await;
    (parts.status.as_u16(), String::from_utf8(body.to_bytes().to_vec()).expect("it is text"))
}
