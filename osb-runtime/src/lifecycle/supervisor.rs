//! The supervision of handlers: they run on tasks of their own, while the worker watches over its claim. It converts their results
//! and logs their errors.

use std::{sync::Arc, time::Duration};

use tracing::Instrument;

use super::{
    Lifecycle, answers,
    call::{Ending, message, run},
    clock::within,
    hooks::not_begun,
    job::Run,
    operations::Working,
    outcome::{HandlerError, HandlerResult},
    probe::Made,
    watch::CancelReason,
    worker::with_sources,
};
use crate::{
    protocol::{RequestIdentity, TraceParent},
    service::{Failure, FailureKind, Handler},
    store::Claim,
};

/// Writes a log line with the ids of instance, binding, operation and request.
macro_rules! log {
    ($watch:expr, $level:ident, $($rest:tt)+) => {
        tracing::$level!(
            instance = $watch.claim.key.instance.as_str(),
            binding = $watch.claim.key.binding_id(),
            operation = &*$watch.claim.operation,
            request = $watch.run.identity.as_ref().map(RequestIdentity::as_str),
            trace_id = $watch.run.handle.trace.as_ref().map(TraceParent::trace_id),
            $($rest)+
        )
    };
}

/// The supervision of one handler call.
#[derive(Clone, Copy)]
pub(super) struct HandlerSupervisor<'a> {
    pub(super) lifecycle: &'a Arc<Lifecycle>,
    pub(super) claim: &'a Claim,
    pub(super) run: &'a Run,
    pub(super) working: &'a Working,
    pub(super) name: &'static str,
}

impl HandlerSupervisor<'_> {
    /// Calls a handler on a task of its own, which isolates panics, and returns its result.
    pub(super) async fn over<T: Made + Send + Sync + 'static>(
        &self,
        handler: Handler<'static, T>,
        pause: Duration,
        done: impl FnOnce(T) -> HandlerResult,
    ) -> HandlerResult {
        let (handle, probe) = (Arc::clone(&self.run.handle), self.lifecycle.settings.probe.clone());
        let task = tokio::spawn(run(handler, handle, self.run, pause, probe).instrument(self.span()));
        let abort = task.abort_handle();
        match self.watch(task, || abort.abort()).await {
            (ended, None) => self.ended(ended, done),
            // It ended in time after all.
            (Ok(Some(Ok(made))), _) => done(made),
            (Ok(None), Some(reason)) => HandlerResult::Failed(self.not_begun(self.stopped(reason))),
            (ended, Some(reason)) => {
                self.log_late(ended);
                HandlerResult::Failed(self.stopped(reason))
            }
        }
    }

    /// [`over`](Self::over) for a handler that the plan may not have in this release.
    pub(super) async fn over_optional<T: Made + Send + Sync + 'static>(
        &self,
        handler: Option<Handler<'static, T>>,
        pause: Duration,
        done: impl FnOnce(T) -> HandlerResult,
    ) -> HandlerResult {
        match handler {
            Some(handler) => self.over(handler, pause, done).await,
            None => self.has_no_handler(),
        }
    }

    /// Returns the error of an operation that was stopped before its handler was called, as after a long wait for other handlers:
    /// there is nothing to roll back, unless an earlier attempt has called it.
    pub(super) fn not_begun(&self, error: HandlerError) -> HandlerError {
        if self.claim.attempt == 1 { not_begun(error, &self.claim.operation) } else { error }
    }

    /// Logs the error of a handler that was cancelled, which may be the cause.
    fn log_late<T>(&self, ended: Ending<T>) {
        let error = match ended {
            Ok(Some(Err(Failure(FailureKind::Refused(refusal))))) => refusal.description,
            Ok(Some(Err(Failure(FailureKind::Unexpected(error) | FailureKind::Temporary(error))))) => {
                readable(error.as_ref())
            }
            Err(error) if error.is_panic() => format!("a panic: {}", message(error)),
            Ok(_) | Err(_) => return,
        };
        log!(self, warn, error, "{} failed after it was cancelled", self.name);
    }

    /// Logs the reason for which a handler was cancelled.
    pub(super) fn stopped(&self, reason: CancelReason) -> HandlerError {
        match reason {
            CancelReason::Stopped => HandlerError::Stopped,
            CancelReason::HandedOver => {
                log!(
                    self,
                    info,
                    "{} is interrupted by the shutdown, and can be continued by another process",
                    self.name
                );
                HandlerError::HandedOver
            }
            CancelReason::Unconfirmed => {
                self.log_text(
                    "the record store has not confirmed the claim before the end of its lease",
                    "was interrupted",
                );
                HandlerError::Interrupted
            }
            CancelReason::TooSlow => {
                log!(self, error, "{} did not finish in time", self.name);
                HandlerError::TooSlow
            }
        }
    }

    /// Returns the span for the log lines of the handler.
    pub(super) fn span(&self) -> tracing::Span {
        let Self { name, claim, run, .. } = self;
        tracing::info_span!(
            "handler",
            handler = name,
            tenant = Some(claim.key.tenant.as_str()).filter(|name| !name.is_empty()),
            instance = claim.key.instance.as_str(),
            binding = claim.key.binding_id(),
            operation = &*claim.operation,
            request = run.identity.as_ref().map(RequestIdentity::as_str),
            trace_id = run.handle.trace.as_ref().map(TraceParent::trace_id),
            parent_span_id = run.handle.trace.as_ref().map(TraceParent::span_id),
            sampled = run.handle.trace.as_ref().map(TraceParent::is_sampled),
        )
    }

    /// Fails an operation that another release has started and for which the plan in this release has no handler.
    pub(super) fn has_no_handler(&self) -> HandlerResult {
        self.log_text(
            "the plan has no such handler in this release, but had one in the release that started the operation",
            "failed",
        );
        HandlerResult::Failed(HandlerError::Unexpected)
    }

    pub(super) fn ended<T>(&self, ended: Ending<T>, done: impl FnOnce(T) -> HandlerResult) -> HandlerResult {
        let fault = match ended {
            Ok(Some(Ok(made))) => return done(made),
            Ok(None) => HandlerError::Stopped,
            Ok(Some(Err(Failure(FailureKind::Refused(refusal))))) => HandlerError::Refused(answers::refused(&refusal)),
            Ok(Some(Err(Failure(FailureKind::Unexpected(error))))) => {
                self.log_text(&readable(error.as_ref()), "failed");
                HandlerError::Unexpected
            }
            Ok(Some(Err(Failure(FailureKind::Temporary(error))))) => {
                let (error, attempt) = (readable(error.as_ref()), self.claim.attempt);
                let pause = self.lifecycle.settings.retry.pause(self.run.temporary_failures.saturating_add(1));
                match pause.filter(|pause| within(*pause) < self.run.deadline()) {
                    Some(pause) => {
                        let retry_in = pause.as_secs_f64();
                        log!(self, warn, error, attempt, retry_in, "{} failed with a temporary error", self.name);
                    }
                    None => log!(self, error, error, attempt, "{} failed with a temporary error", self.name),
                }
                HandlerError::Temporary
            }
            Err(aborted) if aborted.is_cancelled() => HandlerError::Stopped,
            Err(panic) => {
                let (name, message) = (self.name, message(panic));
                log!(self, error, message, "{name} panicked");
                HandlerError::Unexpected
            }
        };
        HandlerResult::Failed(fault)
    }

    pub(super) fn log_text(&self, error: &str, how: &str) {
        log!(self, error, error, "{} {how}", self.name);
    }
}

/// Formats an error with its sources. `Display` of the error is the author's code, which may panic.
fn readable(error: &dyn std::error::Error) -> String {
    let text = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| with_sources(error)));
    text.unwrap_or_else(|_| "an error whose Display implementation panics".to_owned())
}
