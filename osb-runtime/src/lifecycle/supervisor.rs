//! The supervision of handlers: it isolates panics, converts results, and logs errors.

use std::{sync::Arc, time::Duration};

use tracing::{Instrument, field::Empty};

use super::{
    Lifecycle, answers,
    call::{CallResult, call_handler, isolated},
    clock::within,
    job::Attempt,
    observer::Made,
    outcome::{AttemptError, Outcome},
    watch::CancelReason,
    worker::with_sources,
};
use crate::{
    protocol::{RequestIdentity, TraceParent},
    service::{Failure, FailureKind, Handler},
    store::Key,
};

/// Writes a log line with the ids of instance, binding, operation and request.
macro_rules! log {
    ($supervisor:expr, $level:ident, $($rest:tt)+) => {{
        let (tenant, instance, binding) = $supervisor.key.ids();
        tracing::$level!(
            tenant, instance, binding,
            operation = &*$supervisor.attempt.claim.operation,
            request = $supervisor.attempt.identity.as_ref().map(RequestIdentity::as_str),
            trace_id = $supervisor.attempt.handle.trace.as_ref().map(TraceParent::trace_id),
            $($rest)+
        )
    }};
}

/// The supervision of one handler call.
#[derive(Clone, Copy)]
pub(super) struct HandlerSupervisor<'a> {
    pub(super) lifecycle: &'a Arc<Lifecycle>,
    pub(super) attempt: &'a Arc<Attempt>,
    /// That of the binding while the bindings of an instance are unbound.
    pub(super) key: &'a Key,
    pub(super) name: &'static str,
}

impl HandlerSupervisor<'_> {
    /// Calls a handler, which the plan may not have in this release, and returns its result.
    pub(super) async fn supervise<T: Made>(
        &self,
        handler: Option<Handler<'_, T>>,
        pause: Duration,
        done: impl FnOnce(T) -> Outcome,
    ) -> Outcome {
        let Some(handler) = handler else { return self.convert(Ok(Some(Err(no_handler()))), done) };
        let (handle, observer) = (Arc::clone(&self.attempt.handle), self.lifecycle.settings.observer.clone());
        let call = call_handler(handler, handle, Arc::clone(self.attempt), pause, observer).instrument(self.span());
        match (isolated(call, self.attempt).await, self.attempt.cancel_reason.get().copied()) {
            (ended, None) => self.convert(ended, done),
            // It ended in time after all.
            (Ok(Some(Ok(made))), _) => done(made),
            (Ok(None), Some(reason)) => Outcome::Failed(self.not_begun(self.cancelled(reason))),
            (ended, Some(reason)) => {
                self.log_late(ended, reason);
                Outcome::Failed(self.cancelled(reason))
            }
        }
    }

    /// Returns the error of an operation that was stopped before its handler was called, as after a long wait for other handlers:
    /// there is nothing to roll back, unless an earlier attempt has called it.
    pub(super) fn not_begun(&self, error: AttemptError) -> AttemptError {
        if self.attempt.claim.attempt == 1 { error.before_handler(&self.attempt.claim.operation) } else { error }
    }

    /// Logs the error of a handler that was cancelled, which may be the cause.
    fn log_late<T>(&self, ended: CallResult<T>, reason: CancelReason) {
        let error = match ended {
            // As handlers should: the next process calls this one again, or a deletion follows.
            Ok(Some(Err(_))) if matches!(reason, CancelReason::HandedOver | CancelReason::Stopped) => return,
            Ok(Some(Err(Failure(FailureKind::Refused(refusal))))) => refusal.description,
            Ok(Some(Err(Failure(FailureKind::Unexpected(error) | FailureKind::Temporary(error))))) => {
                readable(error.as_ref())
            }
            Err(Some(message)) => format!("a panic: {message}"),
            Ok(_) | Err(_) => return,
        };
        log!(self, warn, error, "{} failed after it was cancelled", self.name);
    }

    /// Logs the reason for which a handler was cancelled, and returns the error of its attempt.
    pub(super) fn cancelled(&self, reason: CancelReason) -> AttemptError {
        match reason {
            CancelReason::Stopped => AttemptError::Stopped,
            CancelReason::HandedOver => {
                log!(self, info, "the shutdown interrupts {}, which another process can continue", self.name);
                AttemptError::HandedOver
            }
            CancelReason::Unconfirmed => {
                self.log_text("the store has not confirmed the claim by the end of its lease", "was interrupted");
                AttemptError::Interrupted
            }
            CancelReason::TooSlow(how) => {
                log!(self, error, "{} {how}", self.name);
                AttemptError::TooSlow(how)
            }
        }
    }

    /// Returns the span for the log lines of the handler.
    pub(super) fn span(&self) -> tracing::Span {
        let Self { name, attempt, key, .. } = self;
        tracing::info_span!(
            "handler",
            handler = name,
            tenant = key.tenant.non_empty(),
            instance = key.instance.as_str(),
            binding = key.binding_id(),
            operation = &*attempt.claim.operation,
            request = attempt.identity.as_ref().map(RequestIdentity::as_str),
            trace_id = attempt.handle.trace.as_ref().map(TraceParent::trace_id),
            parent_span_id = attempt.handle.trace.as_ref().map(TraceParent::span_id),
            sampled = attempt.handle.trace.as_ref().map(TraceParent::is_sampled),
            otel.status_code = Empty, // recorded if it fails, for exporters
        )
    }

    pub(super) fn convert<T>(&self, ended: CallResult<T>, done: impl FnOnce(T) -> Outcome) -> Outcome {
        let error = match ended {
            Ok(Some(Ok(value))) => return done(value),
            Ok(None) | Err(None) => AttemptError::Stopped,
            Ok(Some(Err(Failure(FailureKind::Refused(refusal))))) => AttemptError::Refused(answers::refused(&refusal)),
            Ok(Some(Err(Failure(FailureKind::Unexpected(error))))) => {
                self.log_text(&readable(error.as_ref()), "failed");
                AttemptError::Unexpected
            }
            Ok(Some(Err(Failure(FailureKind::Temporary(error))))) => {
                let (error, attempt) = (readable(error.as_ref()), self.attempt.claim.attempt);
                let pause = self.lifecycle.settings.retry.pause(self.attempt.temporary_failures.saturating_add(1));
                match pause.filter(|pause| within(*pause) < self.attempt.handle.deadline()) {
                    Some(pause) => {
                        let retry_in = pause.as_secs_f64();
                        log!(self, warn, error, attempt, retry_in, "{} failed with a temporary error", self.name);
                    }
                    None => log!(self, error, error, attempt, "{} failed in its last attempt", self.name),
                }
                AttemptError::Temporary
            }
            Err(Some(message)) => {
                log!(self, error, error = message, "{} panicked", self.name);
                AttemptError::Unexpected
            }
        };
        Outcome::Failed(error)
    }

    pub(super) fn log_text(&self, error: &str, how: &str) {
        log!(self, error, error, "{} {how}", self.name);
    }
}

/// The failure of an operation that another release has started, and for which the plan in this release has no handler.
pub(super) fn no_handler() -> Failure {
    Failure::unexpected(
        "the plan has no such handler in this release, but had one in the release that started the operation",
    )
}

/// Formats an error with its sources. `Display` of the error is the author's code, which may panic.
fn readable(error: &dyn std::error::Error) -> String {
    let text = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| with_sources(error)));
    text.unwrap_or_else(|_| "an error whose Display implementation panics".to_owned())
}
