//! The broker as a `tower` and `hyper` service: for the server of this crate, or to be mounted in another one.

use std::{
    convert::Infallible,
    pin::Pin,
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use http::{Method, Request, Response, header::CONTENT_LENGTH};
use http_body::Body;
use http_body_util::Full;

use super::{
    AcceptedCredentials, Admin, HttpSettings, IntoPlatforms, Monitor, Platforms, body::BodyMemory, current::Current,
    handle::Handle, monitor::MonitorEndpoint, respond::respond, slots::Slot,
};
use crate::{lifecycle::Lifecycle, protocol::debug_text, service::BoxError};

/// Time in which the store records that handlers have ended after their cancellation.
const RELEASE_TIME: Duration = Duration::from_millis(500);

/// A broker that answers HTTP requests. Cloning it is cheap.
///
/// [`serve`](super::serve) runs it. It is also a [`tower_service::Service`] and a [`hyper::service::Service`], so
/// axum, tower and hyper programs can mount it. A program that mounts it below a path has to strip that path, as axum's
/// `nest_service` does. The broker checks credentials itself; limits, and the refusal of two `Host`s, are the program's part.
#[derive(Clone)]
pub struct BrokerService {
    shared: Arc<Shared>,
}

pub(super) struct Shared {
    pub(super) handle: Arc<dyn Handle>,
    pub(super) lifecycle: Arc<Lifecycle>,
    pub(super) platforms: Current<Platforms>,
    pub(super) settings: HttpSettings,
    pub(super) body_memory: BodyMemory,
    /// Set when the broker has been told to shut down, so that `/readyz` fails.
    pub(super) fails_readiness: AtomicBool,
    /// Set when it refuses changes.
    pub(super) refuses_changes: AtomicBool,
}

impl BrokerService {
    pub(super) fn over(
        handle: Arc<dyn Handle>,
        lifecycle: Arc<Lifecycle>,
        platforms: Platforms,
        settings: HttpSettings,
    ) -> Self {
        let (platforms, body_memory) = (Current::new(platforms), BodyMemory::new(settings.body_memory));
        let (fails_readiness, refuses_changes) = (AtomicBool::new(false), AtomicBool::new(false));
        let shared = Shared { handle, lifecycle, platforms, settings, body_memory, fails_readiness, refuses_changes };
        Self { shared: Arc::new(shared) }
    }

    /// Returns the settings that it was started with.
    pub fn settings(&self) -> &HttpSettings {
        &self.shared.settings
    }

    /// Serves these platforms from now on, such as the same ones with other credentials. Requests that run are not affected.
    pub fn set_platforms(&self, platforms: impl IntoPlatforms) {
        self.shared.platforms.set(platforms.into());
    }

    /// Returns the service for health checks and metrics, which needs no credentials.
    pub fn monitor(&self) -> Monitor {
        Monitor::new(Arc::clone(&self.shared))
    }

    /// Returns the service for operators, with its own credentials.
    pub fn admin(&self, credentials: AcceptedCredentials) -> Admin {
        Admin::new(Arc::clone(&self.shared), credentials)
    }

    /// Makes `/readyz` fail from now on, as [`serve`](super::serve) does when its shutdown begins. Each answer then closes
    /// its connection, so that the next request of a client that keeps connections open can reach another process.
    pub fn fail_readiness(&self) {
        self.shared.fails_readiness.store(true, Ordering::Relaxed);
    }

    /// Answers changes with 503 and `Retry-After` from now on, as [`serve`](super::serve) does after
    /// [`shutdown_delay`](HttpSettings::shutdown_delay). The catalog, fetches and polls are still answered.
    pub fn refuse_changes(&self) {
        self.shared.refuses_changes.store(true, Ordering::Relaxed);
    }

    /// Returns the last part of [`shutdown_grace`](HttpSettings::shutdown_grace), in which operations that still run are handed
    /// over: a fifth, or half a second more than [`cancel_grace`](crate::lifecycle::Settings::cancel_grace) if that is longer,
    /// but at most half.
    pub fn hand_over_time(&self) -> Duration {
        let grace = self.shared.settings.shutdown_grace;
        let cancel_grace = self.shared.lifecycle.settings.cancel_grace;
        cancel_grace.saturating_add(RELEASE_TIME).clamp(grace / 5, grace / 2)
    }

    /// Waits until no handler is running.
    pub async fn idle(&self) {
        self.shared.handle.idle().await;
    }

    /// Cancels the handlers, and releases the operations that have not ended within
    /// [`cancel_grace`](crate::lifecycle::Settings::cancel_grace): another process with the same records, or the next one,
    /// continues them at once, from their last checkpoint. Changes are answered 503 from then on. [`serve`](super::serve) calls
    /// this method when the broker shuts down.
    ///
    /// It waits as long as the record store does not answer: limit it, such as by [`hand_over_time`](Self::hand_over_time).
    pub async fn hand_over(&self) {
        self.shared.handle.hand_over().await;
    }

    fn answer<B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static>(&self, request: Request<B>) -> Answering {
        let slot = request.extensions().get().cloned().unwrap_or_default();
        Box::pin(self.clone().respond(request, slot))
    }

    /// Answers a request, with a future that isn't boxed.
    pub(super) fn respond<B>(self, request: Request<B>, slot: Weak<Slot>) -> impl Future<Output = Answered> + Send
    where
        B: Body<Data: Send, Error: Into<BoxError>> + Send,
    {
        let (parts, body) = request.into_parts();
        async move {
            if self.shared.settings.monitor
                && let Some(probe) = MonitorEndpoint::find(parts.uri.path())
            {
                return Ok(probe.answer(&self.shared, &parts).await);
            }
            respond(&self.shared, &parts, body, slot).await
        }
    }
}

/// A pending response.
pub(super) type Answering = Pin<Box<dyn Future<Output = Answered> + Send>>;

pub(super) type Answered = Result<Response<Full<Bytes>>, Infallible>;

/// Removes the content of the answer to HEAD, as hyper doesn't over HTTP/2. A 304 has none, and must not get the length 0.
fn without_content(mut response: Response<Full<Bytes>>) -> Response<Full<Bytes>> {
    let length = std::mem::take(response.body_mut()).size_hint().lower();
    if length > 0 {
        response.headers_mut().insert(CONTENT_LENGTH, length.into());
    }
    response
}

/// Implements the service traits of tower and hyper for types with a method `answer`.
macro_rules! services {
    ($($service:ty),*) => {$(
        impl<B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static> tower_service::Service<Request<B>> for $service {
            type Response = Response<Full<Bytes>>;
            type Error = Infallible;
            type Future = Answering;

            fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
                Poll::Ready(Ok(()))
            }

            fn call(&mut self, request: Request<B>) -> Answering {
                hyper::service::Service::call(self, request)
            }
        }

        impl<B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static> hyper::service::Service<Request<B>> for $service {
            type Response = Response<Full<Bytes>>;
            type Error = Infallible;
            type Future = Answering;

            fn call(&self, request: Request<B>) -> Answering {
                let (is_head, answer) = (request.method() == Method::HEAD, self.answer(request));
                if is_head { Box::pin(async { answer.await.map(without_content) }) } else { answer }
            }
        }
    )*};
}

services!(BrokerService, Monitor, Admin);

debug_text!(BrokerService, Self { shared } => "BrokerService {{ settings: {:?}, .. }}", shared.settings);
