//! The errors of the handlers: one type for each operation, so that none can produce an answer that the specification forbids for
//! it. They don't implement `std::error::Error`, so that `?` can convert any other error into an unexpected one.

mod code;

use std::borrow::Cow;

use http::StatusCode;

pub use self::code::{ErrorCode, InvalidErrorCode};
use super::Validated;

/// The description of `RequiresApp`. Platforms compare these three sentences letter by letter (S21).
pub const REQUIRES_APP: &str = "This service supports generation of credentials through binding an application only.";
/// The description of `AsyncRequired`.
pub const ASYNC_REQUIRED: &str = "This service plan requires client support for asynchronous service operations.";
/// The description of `ConcurrencyError`.
pub const CONCURRENCY: &str = "The Service Broker does not support concurrent requests that mutate the same resource.";

/// An error of any type.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The failure of a handler of any operation. All error types of the handlers can be created from it.
///
/// Convert your own error type into it once, and `?` works in every handler. Each variant says for itself whether it is
/// a refusal that the user should read, a temporary error that a retry may resolve, or unexpected:
///
/// ```
/// use osb_runtime::prelude::*;
///
/// const DISK_FULL: ErrorCode = ErrorCode::from_static("DiskFull");
///
/// /// The errors of our own backend. The type does not implement `std::error::Error`.
/// enum StoreError {
///     Full { free: u64 },
///     Unreachable(std::io::Error),
///     Corrupt(String),
/// }
///
/// impl From<StoreError> for Failure {
///     fn from(error: StoreError) -> Self {
///         match error {
///             StoreError::Full { free } => Failure::refused(format!("Only {free} MB are free.")).code(DISK_FULL),
///             StoreError::Unreachable(error) => Failure::temporary(error),
///             StoreError::Corrupt(detail) => Failure::unexpected(detail),
///         }
///     }
/// }
///
/// # async fn create() -> Result<u64, StoreError> { Err(StoreError::Corrupt("the index has no root".to_owned())) }
/// async fn provision() -> Result<Provisioned<u64>, ProvisionError> {
///     Ok(Provisioned::new(create().await?))
/// }
/// ```
///
/// For one operation only, implement `From` for its error type, such as `impl From<StoreError> for UpdateError`. A type that
/// implements `std::error::Error` can have neither implementation (the compiler's E0119), because `?` already turns it into
/// an unexpected error. Give it a method that returns a `Failure`, and write `.map_err(StoreError::classify)?`.
#[derive(Debug)]
#[must_use = "an error has no effect until it is returned: `return Err(...)`"]
pub struct Failure(pub(crate) FailureKind);

/// The reason why a handler failed.
#[derive(Debug)]
pub(crate) enum FailureKind {
    /// The author's handler declined the request, with a description for the user.
    Refused(Refusal),
    /// An error that the user can do nothing about. Only the log shows it.
    Unexpected(BoxError),
    /// An unexpected error that a retry may resolve.
    Temporary(BoxError),
}

/// A declared refusal: always a 4xx, and the resource is unchanged (ERR-08).
#[derive(Debug)]
pub(crate) struct Refusal {
    /// `None` until the operation is known, whose refusals have a status of their own.
    pub(crate) status: Option<StatusCode>,
    pub(crate) code: Option<Cow<'static, str>>,
    pub(crate) description: String,
    pub(crate) instance_usable: Option<bool>,
    pub(crate) update_repeatable: Option<bool>,
}

impl Failure {
    fn declined(status: Option<StatusCode>, code: Option<&'static str>, description: impl Description) -> Self {
        Self(FailureKind::Refused(Refusal {
            status,
            code: code.map(Cow::Borrowed),
            description: description.into(),
            instance_usable: None,
            update_repeatable: None,
        }))
    }

    /// Refuses the operation, for a reason that the user should read: 400 for a provision and a bind, 422 for an
    /// update, a deprovision and an unbind.
    pub fn refused(description: impl Description) -> Self {
        Self::declined(None, None, description)
    }

    /// Rejects a request that is well-formed but invalid: 400 with this description (ERR-13).
    pub fn invalid(description: impl Description) -> Self {
        Self::declined(Some(StatusCode::BAD_REQUEST), None, description)
    }

    /// Rejects the request because another operation on the same resource is running: 422 `ConcurrencyError`
    /// (ERR-05). The platform may retry later.
    pub fn concurrency() -> Self {
        Self::declined(Some(StatusCode::UNPROCESSABLE_ENTITY), Some("ConcurrencyError"), CONCURRENCY)
    }

    /// Reports an error that the user can do nothing about: 500 with a generic description. The log has the details.
    /// `?` does the same with any other error.
    pub fn unexpected(error: impl Into<BoxError>) -> Self {
        Self(FailureKind::Unexpected(error.into()))
    }

    /// Reports an error that a retry may resolve, such as a refused connection. The runtime calls the handler again
    /// after a delay, until the number of attempts in [`RetryPolicy`](crate::lifecycle::RetryPolicy) or the operation's
    /// deadline is reached. The error of the last attempt counts as [`unexpected`](Self::unexpected).
    pub fn temporary(error: impl Into<BoxError>) -> Self {
        Self(FailureKind::Temporary(error.into()))
    }

    /// Sets the error code of a refusal (ERR-02). Only [`refused`](Self::refused) and [`invalid`](Self::invalid) can
    /// have one: any other failure becomes an unexpected error that mentions the code in the log.
    pub fn code(self, code: impl Validated<ErrorCode>) -> Self {
        let code = code.into();
        match self.0 {
            FailureKind::Refused(mut refusal) if refusal.code.is_none() => {
                refusal.code = Some(code.0);
                Self(FailureKind::Refused(refusal))
            }
            _ => self.misused(&format!("the error code `{code}`")),
        }
    }

    /// Sets a property of a refusal.
    fn refusal(self, what: &str, set: impl FnOnce(&mut Refusal)) -> Self {
        match self.0 {
            FailureKind::Refused(mut refusal) => {
                set(&mut refusal);
                Self(FailureKind::Refused(refusal))
            }
            _ => self.misused(what),
        }
    }

    /// Notes in the log that the author set a property that this failure can't have.
    fn misused(self, what: &str) -> Self {
        match self.0 {
            FailureKind::Temporary(error) => Self::temporary(Misused::new(what, "a temporary error", error)),
            FailureKind::Unexpected(error) => Self::unexpected(Misused::new(what, "an unexpected error", error)),
            FailureKind::Refused(refusal) => {
                let code = refusal.code.unwrap_or_default();
                Self::unexpected(Misused::new(what, &format!("a `{code}` refusal"), refusal.description.into()))
            }
        }
    }

    /// Sets the status of a refusal that depends on the operation.
    pub(crate) fn or_status(mut self, status: StatusCode) -> Self {
        if let FailureKind::Refused(refusal) = &mut self.0 {
            refusal.status.get_or_insert(status);
        }
        self
    }
}

impl<E: Into<BoxError>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::unexpected(error)
    }
}

osb_catalog::__private::arguments! {
    /// The text of a refusal.
    Description(String): "a refusal is a text for the user, not `{Self}`", "expected a text", "write `\"...\"` or `format!(\"...\")`; an error that the user can do nothing about is `unexpected(error)`, as `?` makes it";
    /// An error that `?` converts in a handler: any that converts into a [`Failure`], which explains how your own types do, and
    /// why some implementations conflict (E0119).
    HandlerError(Failure): "`{Self}` can't be the error of a handler", "write `impl From<{Self}> for Failure`, or make it a `std::error::Error` that is `Send` and `Sync`: `BoxError` for `Box<dyn Error>`, `Failure` for the error of another operation";
}

/// A property set on a failure that can't have it.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
struct Misused {
    message: String,
    #[source]
    error: BoxError,
}

impl Misused {
    fn new(what: &str, of: &str, error: BoxError) -> Self {
        Self { message: format!("the handler set {what} on {of}, which can't have it"), error }
    }
}

macro_rules! error {
    ($(#[$doc:meta])* $name:ident, $refused:expr, $refused_doc:literal) => {
        $(#[$doc])*
        ///
        /// `?` converts any other error into an unexpected one: the user gets status 500 and a generic description, and
        /// the log has the details. For your own error types see [`Failure`].
        #[derive(Debug)]
        #[must_use = "an error has no effect until it is returned: `return Err(...)`"]
        pub struct $name(Failure);

        impl $name {
            #[doc = $refused_doc]
            pub fn refused(description: impl Description) -> Self {
                Failure::refused(description).into()
            }

            /// Rejects a request that is well-formed but invalid: 400 with this description (ERR-13).
            pub fn invalid(description: impl Description) -> Self {
                Failure::invalid(description).into()
            }

            /// Rejects the request because another operation on the same resource is running, see [`Failure::concurrency`].
            pub fn concurrency() -> Self {
                Failure::concurrency().into()
            }

            /// Reports an error that the user can do nothing about. `?` does the same with any other error.
            pub fn unexpected(error: impl Into<BoxError>) -> Self {
                Failure::unexpected(error).into()
            }

            /// Reports an error that a retry may resolve, such as a refused connection, see [`Failure::temporary`].
            pub fn temporary(error: impl Into<BoxError>) -> Self {
                Failure::temporary(error).into()
            }

            /// Sets the error code of a refusal (ERR-02), see [`Failure::code`].
            pub fn code(self, code: impl Validated<ErrorCode>) -> Self {
                Self(self.0.code(code))
            }

            pub(crate) fn into_failure(self) -> Failure {
                self.0
            }
        }

        impl<E: HandlerError> From<E> for $name {
            fn from(error: E) -> Self {
                Self(error.into().or_status($refused))
            }
        }
    };
}

error! {
    /// The error of [`Provision::provision`](super::Provision::provision).
    ProvisionError, StatusCode::BAD_REQUEST,
    "Refuses to create the instance, for a reason that the user should read, such as a quota: 400. After a 422 or 5xx \
     Cloud Foundry would try to delete the instance (T55, T56)."
}

error! {
    /// The error of [`Provision::deprovision`](super::Provision::deprovision).
    DeprovisionError, StatusCode::UNPROCESSABLE_ENTITY,
    "Refuses to delete the instance now, for a reason that the user should read: 422."
}

error! {
    /// The error of [`Update::update`](super::Update::update) and [`ChangePlan::change_plan`](super::ChangePlan::change_plan).
    UpdateError, StatusCode::UNPROCESSABLE_ENTITY,
    "Refuses a change that is not supported, or not possible in the instance's current state, such as exceeding the \
     quota of the new plan: 422 (UPD-14)."
}

error! {
    /// The error of [`Bind::bind`](super::Bind::bind).
    BindError, StatusCode::BAD_REQUEST,
    "Refuses to create the binding, for a reason that the user should read: 400. After a 422 or 5xx Cloud Foundry \
     would try to unbind it (T55, T56)."
}

error! {
    /// The error of [`Bind::unbind`](super::Bind::unbind).
    UnbindError, StatusCode::UNPROCESSABLE_ENTITY,
    "Refuses to delete the binding now, for a reason that the user should read: 422."
}

impl BindError {
    /// Rejects a binding that needs an application because the request names none: 422 `RequiresApp` (ERR-06). If that
    /// applies to all bindings of a plan, declare `requires_app` in its attribute instead.
    pub fn requires_app() -> Self {
        Failure::declined(Some(StatusCode::UNPROCESSABLE_ENTITY), Some("RequiresApp"), REQUIRES_APP).into()
    }
}

impl UpdateError {
    /// Says whether the instance still works after the refused change (`instance_usable`, ERR-10). Platforms assume `true`.
    pub fn instance_usable(self, usable: bool) -> Self {
        Self(self.0.refusal("`instance_usable`", |refusal| refusal.instance_usable = Some(usable)))
    }

    /// Says whether the same change may be retried (`update_repeatable`, ERR-11). Platforms assume `true`.
    pub fn update_repeatable(self, repeatable: bool) -> Self {
        Self(self.0.refusal("`update_repeatable`", |refusal| refusal.update_repeatable = Some(repeatable)))
    }
}

impl DeprovisionError {
    /// Says whether the instance still works after the refused deletion (`instance_usable`, ERR-10). Platforms assume `true`.
    pub fn instance_usable(self, usable: bool) -> Self {
        Self(self.0.refusal("`instance_usable`", |refusal| refusal.instance_usable = Some(usable)))
    }
}
