//! What an operator lets happen before an operation, and after it.

use std::{fmt, future::Future, pin::Pin, sync::Arc};

use http::StatusCode;
use tokio::time::timeout;

use super::{Action, Event, Lifecycle, Stage, answers};
use crate::{
    service::{BoxError, ErrorCode, Failure},
    store::{Claim, Failed, Fence},
};

/// What is done around every operation, whichever service it is for: quotas, maintenance windows, notifications.
///
/// ```
/// use osb_runtime::lifecycle::{Action, AnyHooks, Event, HookError, Hooks, Settings};
/// use osb_runtime::service::ErrorCode;
///
/// const MAINTENANCE: ErrorCode = ErrorCode::from_static("Maintenance");
///
/// /// While it lasts, nothing is begun.
/// struct MaintenanceWindow;
///
/// impl Hooks for MaintenanceWindow {
///     async fn before(&self, event: &Event) -> Result<(), HookError> {
///         match event.action {
///             Action::Bind | Action::Unbind => Ok(()),
///             _ => Err(HookError::refused("There is maintenance until 6:00 UTC.").code(MAINTENANCE)),
///         }
///     }
/// }
///
/// let mut settings = Settings::default();
/// settings.hooks = Some(AnyHooks::of(MaintenanceWindow));
/// ```
pub trait Hooks: Send + Sync + 'static {
    /// Called when an operation has been claimed, before its handler. An error ends the operation: its handler is not
    /// called, everything stays as it was, and whoever waits or polls gets the error.
    ///
    /// It runs within the time that the operation has. Until it has said yes once it may be called again for the same
    /// operation, because another process took it over; so a reservation belongs under the
    /// [operation's id](Event::operation). It is not called for the deletion that cancels a create, which is no longer
    /// to be stopped, nor for bindings that go with their instance, or when what a failed create made is removed.
    fn before(&self, event: &Event) -> impl Future<Output = Result<(), HookError>> + Send {
        _ = event;
        async { Ok(()) }
    }

    /// Called after an operation that has succeeded, bindings that went with their instance included.
    ///
    /// The answer does not wait for it. It is given up after [`deadline`](super::Settings::deadline), and not made up
    /// for when the process dies.
    fn after(&self, event: &Event) -> impl Future<Output = ()> + Send {
        _ = event;
        async {}
    }

    /// Called after an operation that has failed or was cancelled, an error of [`before`](Self::before) included; with
    /// the same limits as [`after`](Self::after).
    fn on_error(&self, event: &Event) -> impl Future<Output = ()> + Send {
        _ = event;
        async {}
    }
}

/// Why an operation does not begin.
///
/// Any other error becomes this one by `?` and means "unexpected": the user sees a general sentence and status 500, the
/// log has the detail. The handler is not called then either.
#[derive(Debug)]
pub struct HookError(Failure);

impl HookError {
    /// It may not be done, for a reason that the user should read: 400 for a provision and a bind, after which a 422
    /// would make Cloud Foundry delete what it thinks is half made (T55, T56); 422 for everything else.
    pub fn refused(description: impl Into<String>) -> Self {
        Self(Failure::refused(description))
    }

    /// Sets the error code of a refusal (ERR-02), see [`Failure::code`].
    pub fn code(self, code: ErrorCode) -> Self {
        Self(self.0.code(code))
    }

    /// It can't be found out whether it may be done; what `?` does with any other error.
    pub fn unexpected(error: impl Into<BoxError>) -> Self {
        Self(Failure::unexpected(error))
    }

    fn into_failure(self, action: Action) -> Failure {
        self.0.or_status(match action {
            Action::Provision | Action::Bind => StatusCode::BAD_REQUEST,
            _ => StatusCode::UNPROCESSABLE_ENTITY,
        })
    }
}

impl<E: Into<Failure>> From<E> for HookError {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

/// [`Hooks`] of any type, for [`Settings::hooks`](super::Settings::hooks). Clones are the same hooks.
#[derive(Clone)]
pub struct AnyHooks(Arc<dyn Erased>);

impl AnyHooks {
    /// These hooks.
    pub fn of(hooks: impl Hooks) -> Self {
        Self(Arc::new(hooks))
    }
}

impl fmt::Debug for AnyHooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnyHooks").finish_non_exhaustive()
    }
}

type Pending<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

trait Erased: Send + Sync {
    fn before<'a>(&'a self, event: &'a Event) -> Pending<'a, Result<(), HookError>>;
    fn ended<'a>(&'a self, event: &'a Event) -> Pending<'a, ()>;
}

impl<H: Hooks> Erased for H {
    fn before<'a>(&'a self, event: &'a Event) -> Pending<'a, Result<(), HookError>> {
        Box::pin(Hooks::before(self, event))
    }

    fn ended<'a>(&'a self, event: &'a Event) -> Pending<'a, ()> {
        match event.stage {
            Stage::Succeeded => Box::pin(self.after(event)),
            _ => Box::pin(self.on_error(event)),
        }
    }
}

/// A call of [`Hooks::before`] that is due.
pub(super) struct Ask {
    hooks: AnyHooks,
    event: Event,
}

impl Ask {
    pub(super) async fn ask(self) -> Result<(), Failure> {
        let asked = self.hooks.0.before(&self.event).await;
        asked.map_err(|error| error.into_failure(self.event.action))
    }
}

impl Lifecycle {
    /// The question whether an operation may begin, if there is anybody to ask.
    pub(super) fn ask(&self, event: impl FnOnce() -> Event) -> Option<Ask> {
        self.settings.hooks.clone().map(|hooks| Ask { hooks, event: event() })
    }

    /// Remembers that an operation may begin, whoever works on it. Returns whether the claim still holds.
    pub(super) async fn admit(&self, claim: &Claim) -> bool {
        self.insist(claim, |record| {
            let life = record.as_mut().and_then(|record| record.life_mut(&claim.place));
            let Some(life) = life.filter(|life| life.fence(claim) == Fence::Holds) else { return false };
            life.operation.admitted = true;
            true
        })
        .await
    }

    /// Calls the hook for the end of an operation, on a task of its own: a panic ends that task and no more.
    pub(super) fn call_after(&self, event: Event) {
        let Some(hooks) = self.settings.hooks.clone() else { return };
        let patience = self.settings.deadline;
        self.operations.tasks.spawn(async move {
            let (operation, stage) = (event.operation.clone(), event.stage.as_str());
            let called = tokio::spawn(async move { timeout(patience, hooks.0.ended(&event)).await }).await;
            match called {
                Ok(Ok(())) => {}
                Ok(Err(_)) => tracing::error!(operation, stage, "the hook after an operation did not finish in time"),
                Err(_) => tracing::error!(operation, stage, "the hook after an operation panicked"),
            }
        });
    }
}

/// What becomes of an operation whose hook did not say yes: nothing has been done yet, so nothing is left.
pub(super) fn not_begun(fault: super::settle::Fault) -> super::settle::Fault {
    use super::settle::Fault;
    let failed: Failed = match fault {
        Fault::Temporary | Fault::Unexpected => answers::failed_unexpectedly(),
        Fault::TooSlow => answers::failed_too_slow(),
        Fault::Refused(_) | Fault::Stopped => return fault,
    };
    Fault::Refused(failed)
}
