//! Gateways that limit the rate of requests before they reach the broker.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use http::{Request, Response, StatusCode, header::RETRY_AFTER};
use http_body_util::{BodyExt, Full};
use osb_client::Client;
use osb_lab::prelude::*;
use tower_service::Service;

use crate::{checked, checker, lab};

#[derive(Clone)]
struct Gateway {
    broker: BrokerService,
    /// Decides by the number of requests so far which ones are refused.
    refuses: fn(usize) -> bool,
    requests: Arc<AtomicUsize>,
}

impl Gateway {
    async fn new(refuses: fn(usize) -> bool) -> Self {
        Self { broker: lab().await.1, refuses, requests: Arc::default() }
    }
}

impl Service<Request<Full<Bytes>>> for Gateway {
    type Response = Response<Full<Bytes>>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Self::Response>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Full<Bytes>>) -> Self::Future {
        let Self { mut broker, refuses, requests } = self.clone();
        Box::pin(async move {
            if refuses(requests.fetch_add(1, Ordering::Relaxed)) {
                let mut response = Response::new(Full::from("<h1>Too many requests</h1>"));
                *response.status_mut() = StatusCode::TOO_MANY_REQUESTS;
                response.headers_mut().insert(RETRY_AFTER, 0.into());
                return Ok(response);
            }
            let Ok(response) = broker.call(request).await;
            let (parts, body) = response.into_parts();
            let Ok(body) = body.collect().await;
            Ok(Response::from_parts(parts, Full::new(body.to_bytes())))
        })
    }
}

#[tokio::test]
async fn requests_that_a_gateway_refuses_are_sent_again() {
    let gateway = Gateway::new(|number| number % 3 == 2).await;
    let report = checked(checker(Client::over(gateway), "succeed").plan("quick")).await;
    assert!(report.findings.is_empty() && report.unchecked.is_empty(), "{report}");
}

#[tokio::test]
async fn a_check_of_which_all_requests_are_refused_ends() {
    let gateway = Gateway::new(|number| number > 0).await;
    let requests = Arc::clone(&gateway.requests);
    let report = checked(checker(Client::over(gateway), "succeed").plan("quick")).await;
    assert!(report.errors().next().is_some(), "{report}");
    // Only the first one is sent again.
    let sent = requests.load(Ordering::Relaxed);
    assert!(sent < report.requests + 10, "{sent} requests in place of {}", report.requests);
}
