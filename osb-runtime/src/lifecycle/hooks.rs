//! Hooks before and after operations.

use std::{future::Future, pin::Pin, sync::Arc, time::Duration};

use http::StatusCode;
use tokio::time::timeout;

use super::{
    Action, Event, Lifecycle, Stage,
    outcome::{AttemptError, Outcome},
    supervisor::HandlerSupervisor,
    watch::CancelReason,
};
use crate::{
    protocol::debug_fields,
    service::{AsyncHandler, BoxError, Description, ErrorCode, Failure, HandlerError, Validated},
    store::{Claim, ClaimStatus, StoredBinding},
};

/// Hooks around the operations of all services: for quotas, maintenance windows and notifications. An event does not name the
/// organization, but its instance is already among [`Records::instances`](crate::store::Records::instances): see
/// [quotas](https://docs.rs/osb-tool/latest/osb_tool/guide/existing_broker/#quotas).
///
/// ```
/// use osb_runtime::lifecycle::{Action, AnyHooks, Event, HookError, Hooks, Settings};
/// use osb_runtime::service::ErrorCode;
///
/// const MAINTENANCE: ErrorCode = ErrorCode::from_static("Maintenance");
///
/// /// Refuses all operations on instances.
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
#[diagnostic::on_unimplemented(message = "expected a struct of yours with `impl Hooks`")]
// The methods repeat `Self: Sync`, so that the compiler doesn't report the future of each if the type isn't.
pub trait Hooks: Send + Sync + 'static {
    /// Called when an operation has been claimed, before its handler. An error ends the operation: its handler is not
    /// called, nothing changes, and the platform gets the error in the response or the next poll. After a
    /// [temporary](Failure::temporary) error, the hook is called again as a handler would be.
    ///
    /// The calls count towards the operation's deadline. Until one has succeeded, they may be repeated after a takeover too; make
    /// them idempotent by the [operation's id](Event::operation). The hook is not called for the deletion that cancels a create,
    /// for bindings to which the deletion of an instance cascades, or for the rollback of a failed create.
    fn before(&self, event: &Event) -> impl AsyncHandler<Output = Result<(), HookError>> + Send
    where
        Self: Sync,
    {
        _ = event;
        async { Ok(()) }
    }

    /// Called after an operation that has succeeded, including each unbind by the cascading deletion of an instance.
    ///
    /// The response does not wait for it. It is cancelled after [`sync_deadline`](super::Settings::sync_deadline), and not
    /// repeated if the process dies.
    fn after(&self, event: &Event) -> impl AsyncHandler<Output = ()> + Send
    where
        Self: Sync,
    {
        _ = event;
        async {}
    }

    /// Called once when a binding has [expired](crate::service::Bound::expires_at), within 10 s of that time, if the broker is
    /// running then, or else after its next start. The binding stays until the platform deletes it.
    ///
    /// One process of several calls it. It is cancelled as [`after`](Self::after) is, and not repeated if the process dies.
    /// Bindings made by an earlier release might not be reported, and bindings whose deletion has failed are not.
    fn expired(&self, binding: &StoredBinding) -> impl AsyncHandler<Output = ()> + Send
    where
        Self: Sync,
    {
        _ = binding;
        async {}
    }

    /// Called after an operation that has failed or was cancelled, including by an error of [`before`](Self::before);
    /// with the same limits as [`after`](Self::after).
    fn on_error(&self, event: &Event) -> impl AsyncHandler<Output = ()> + Send
    where
        Self: Sync,
    {
        _ = event;
        async {}
    }
}

/// An error of [`Hooks::before`], which prevents an operation.
///
/// `?` keeps the kind of a [`Failure`], and converts any other error to an unexpected one: the user sees a generic description and
/// status 500, and the details are logged.
#[derive(Debug)]
#[must_use = "an error has no effect until it is returned: `return Err(...)`"]
pub struct HookError(Failure);

impl HookError {
    /// Refuses the operation with a description for the user. The status is 422, except for a provision and a bind: theirs is 400,
    /// because after a 422 Cloud Foundry deletes the instance or binding (T55, T56).
    pub fn refused(description: impl Description) -> Self {
        Self(Failure::refused(description))
    }

    /// Sets the error code of a refusal (ERR-02), see [`Failure::code`].
    pub fn code(self, code: impl Validated<ErrorCode>) -> Self {
        Self(self.0.code(code))
    }

    /// Reports an unexpected error, as `?` does.
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

impl<E: HandlerError> From<E> for HookError {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

/// [`Hooks`] of any type, for [`Settings::hooks`](super::Settings::hooks). Clones share the hooks.
#[derive(Clone)]
pub struct AnyHooks(Arc<dyn Erased>);

impl AnyHooks {
    /// Wraps hooks.
    pub fn of(hooks: impl Hooks) -> Self {
        Self(Arc::new(hooks))
    }
}

debug_fields!(AnyHooks {});

type Pending<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

trait Erased: Send + Sync {
    fn before<'a>(&'a self, event: &'a Event) -> Pending<'a, Result<(), HookError>>;
    fn ended<'a>(&'a self, event: &'a Event) -> Pending<'a, ()>;
    fn expired<'a>(&'a self, binding: &'a StoredBinding) -> Pending<'a, ()>;
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

    fn expired<'a>(&'a self, binding: &'a StoredBinding) -> Pending<'a, ()> {
        Box::pin(Hooks::expired(self, binding))
    }
}

/// A pending call of [`Hooks::before`].
pub(super) struct BeforeHook {
    hooks: AnyHooks,
    event: Event,
}

impl BeforeHook {
    pub(super) async fn call(self: Box<Self>) -> Result<(), Failure> {
        let admitted = self.hooks.0.before(&self.event).await;
        admitted.map_err(|error| error.into_failure(self.event.action))
    }
}

impl HandlerSupervisor<'_> {
    /// Calls [`Hooks::before`] after a delay. The error ends the attempt, without a call of the handler.
    pub(super) async fn call_before_hook(&self, hook: Box<BeforeHook>, pause: Duration) -> Result<(), AttemptError> {
        let (this, claim) = (Self { name: "the hook before an operation", ..*self }, &self.attempt.claim);
        if let Outcome::Failed(error) = this.supervise(Some(Box::pin(hook.call())), pause, |()| Outcome::Removed).await
        {
            return Err(error.before_handler(&claim.operation));
        }
        if !self.lifecycle.admit(claim).await {
            return Err(AttemptError::Stopped);
        }
        // The hook ended after its cancellation, which is not one of the handler that follows.
        match self.attempt.cancel_reason.get() {
            Some(&reason @ CancelReason::TooSlow(_)) => Err(this.cancelled(reason).before_handler(&claim.operation)),
            Some(_) => Err(AttemptError::Interrupted),
            None => Ok(()),
        }
    }
}

impl Lifecycle {
    /// Prepares the call of [`Hooks::before`], if there are hooks.
    pub(super) fn before_hook(&self, event: impl FnOnce() -> Event) -> Option<Box<BeforeHook>> {
        self.settings.hooks.clone().map(|hooks| Box::new(BeforeHook { hooks, event: event() }))
    }

    /// Records that the hook has admitted an operation, for later attempts too. Returns whether the claim is still valid.
    async fn admit(&self, claim: &Claim) -> bool {
        self.commit_with_retry(&claim.keys(), |group| {
            let status = group.status_mut().filter(|status| status.claim_status(claim) == ClaimStatus::Holds);
            status.map(|status| status.operation.admitted = true).is_some()
        })
        .await
    }

    pub(super) fn call_after(&self, event: Event) {
        let name = format!("{} of operation {}", event.stage.as_str(), event.operation);
        self.call_hook(name, |hooks| async move { hooks.0.ended(&event).await });
    }

    pub(super) fn call_expired(&self, binding: StoredBinding) {
        let name = format!("expiry of binding {}", binding.key.binding_id().unwrap_or_default());
        self.call_hook(name, |hooks| async move { hooks.0.expired(&binding).await });
    }

    /// Calls a hook on its own task, which isolates panics.
    fn call_hook<F: Future<Output = ()> + Send + 'static>(&self, name: String, call: impl FnOnce(AnyHooks) -> F) {
        let Some(hooks) = self.settings.hooks.clone() else { return };
        let (limit, called) = (self.settings.sync_deadline, call(hooks));
        self.operations.tasks.spawn(async move {
            match tokio::spawn(timeout(limit, called)).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) => tracing::error!(hook = name, "a hook did not finish in time"),
                Err(_) => tracing::error!(hook = name, "a hook panicked"),
            }
        });
    }
}
