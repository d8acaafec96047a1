//! The interface between HTTP and the broker.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use http::HeaderValue;
use tracing::Instrument;

use super::body::Reservation;
use crate::protocol::{Answer, HtmlBody, Request};

/// A pending answer. It is dropped if the platform hangs up. That of a change then continues in a task of its own: it must not leave
/// a claim without a worker (T62).
pub(super) struct Reply {
    answer: Option<Pin<Box<dyn Future<Output = Answer> + Send>>>,
    /// The memory for the body of a change.
    memory: Option<Reservation>,
}

impl Reply {
    pub(super) fn new(answer: impl Future<Output = Answer> + Send + 'static) -> Self {
        Self { answer: Some(Box::pin(answer)), memory: None }
    }

    /// Returns the answer to a request that changes something. The memory for its body is released after it.
    #[inline] // the future is large, and would be copied once more
    pub(super) fn of_change(memory: Reservation, answer: impl Future<Output = Answer> + Send + 'static) -> Self {
        Self { answer: Some(Box::pin(answer)), memory: Some(memory) }
    }
}

impl Future for Reply {
    type Output = Answer;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Answer> {
        // Taken, so that it does not continue after a panic.
        let Some(mut answer) = self.answer.take() else { return Poll::Pending };
        let polled = answer.as_mut().poll(context);
        if polled.is_pending() {
            self.answer = Some(answer);
        }
        polled
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        if let (Some(memory), Some(answer)) = (self.memory.take(), self.answer.take())
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let rest = async move {
                let _memory = memory;
                answer.await
            };
            // The span of the request, which is entered while its future is dropped.
            runtime.spawn(rest.in_current_span());
        }
    }
}

/// A future that completes when no handler is running.
pub(super) type Idle = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A broker that answers parsed requests.
pub(super) trait Handle: Send + Sync + 'static {
    /// Returns the catalog's JSON and its `ETag`.
    fn catalog(&self) -> (Bytes, HeaderValue);
    /// Returns the documentation page, if it is turned on.
    fn page(&self) -> Option<Arc<HtmlBody>>;
    /// Answers a request, and then releases the memory for its body.
    fn answer(&self, request: Request, memory: Reservation) -> Reply;
    /// Waits until no handler is running.
    fn idle(&self) -> Idle;
    /// Cancels the handlers, and releases their operations for other processes.
    fn hand_over(&self) -> Idle;
}
