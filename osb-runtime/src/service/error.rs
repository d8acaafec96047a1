//! The errors of the handlers: one type for each operation, so that none can produce an answer that the specification
//! forbids for it.
//!
//! These types don't implement `std::error::Error`, so that `?` can convert any other error into an unexpected one.

use http::StatusCode;

/// The description of `RequiresApp`. Platforms compare these three sentences letter by letter (S21).
pub const REQUIRES_APP: &str = "This service supports generation of credentials through binding an application only.";
/// The description of `AsyncRequired`.
pub const ASYNC_REQUIRED: &str = "This service plan requires client support for asynchronous service operations.";
/// The description of `ConcurrencyError`.
pub const CONCURRENCY: &str = "The Service Broker does not support concurrent requests that mutate the same resource.";

/// An error of any type.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The reason why a handler failed.
#[doc(hidden)]
#[derive(Debug)]
pub enum Failure {
    /// The author's handler declined the request, with a description for the user.
    Refused(Refusal),
    /// An error that the user can do nothing about. Only the log shows it.
    Unexpected(BoxError),
    /// An unexpected error that a retry may resolve.
    Temporary(BoxError),
}

/// A declared refusal: always a 4xx, and the resource is unchanged (ERR-08).
#[doc(hidden)]
#[derive(Debug)]
pub struct Refusal {
    pub(crate) status: StatusCode,
    pub(crate) code: Option<String>,
    pub(crate) description: String,
    pub(crate) instance_usable: Option<bool>,
    pub(crate) update_repeatable: Option<bool>,
}

impl Refusal {
    fn new(status: StatusCode, code: Option<&str>, description: impl Into<String>) -> Self {
        Self {
            status,
            code: code.map(str::to_owned),
            description: description.into(),
            instance_usable: None,
            update_repeatable: None,
        }
    }
}

/// Returns whether `code` is a valid error code: one word in CamelCase (ERR-02).
pub(crate) const fn is_code(code: &str) -> bool {
    let bytes = code.as_bytes();
    let mut i = 0;
    while i < bytes.len() {
        if !bytes[i].is_ascii_alphanumeric() || (i == 0 && !bytes[i].is_ascii_uppercase()) {
            return false;
        }
        i += 1;
    }
    !bytes.is_empty()
}

/// The error codes that the specification defines.
const SPECIFIED: [&str; 4] = ["AsyncRequired", "ConcurrencyError", "MaintenanceInfoConflict", "RequiresApp"];

macro_rules! error {
    ($(#[$doc:meta])* $name:ident, $refused:expr, $refused_doc:literal) => {
        $(#[$doc])*
        ///
        /// `?` converts any other error into an unexpected one: the user gets status 500 and a generic description, and
        /// the log has the details.
        #[derive(Debug)]
        pub struct $name(Failure);

        impl $name {
            #[doc = $refused_doc]
            pub fn refused(description: impl Into<String>) -> Self {
                Self(Failure::Refused(Refusal::new($refused, None, description)))
            }

            /// Rejects a request that is well-formed but invalid: 400 with this description (ERR-13).
            pub fn invalid(description: impl Into<String>) -> Self {
                Self(Failure::Refused(Refusal::new(StatusCode::BAD_REQUEST, None, description)))
            }

            /// Rejects the request because another operation on the same resource is running: 422 `ConcurrencyError`
            /// (ERR-05). The platform may retry later.
            pub fn concurrency() -> Self {
                Self(Failure::Refused(Refusal::new(
                    StatusCode::UNPROCESSABLE_ENTITY,
                    Some("ConcurrencyError"),
                    CONCURRENCY,
                )))
            }

            /// Reports an error that the user can do nothing about. `?` does the same with any other error.
            pub fn unexpected(error: impl Into<BoxError>) -> Self {
                Self(Failure::Unexpected(error.into()))
            }

            /// Reports an error that a retry may resolve, such as a refused connection. The runtime calls the handler
            /// again after a delay, until the number of attempts in [`Retries`](crate::lifecycle::Retries) or the
            /// operation's deadline is reached. The error of the last attempt counts as
            /// [`unexpected`](Self::unexpected).
            pub fn temporary(error: impl Into<BoxError>) -> Self {
                Self(Failure::Temporary(error.into()))
            }

            /// Sets the error code of a refusal: one word in CamelCase (ERR-02). Any other text is ignored, and so are
            /// the codes of the specification, which platforms act on: those have their own functions.
            pub fn code(mut self, code: &str) -> Self {
                if let Failure::Refused(refusal) = &mut self.0
                    && refusal.code.is_none()
                    && is_code(code)
                    && !SPECIFIED.contains(&code)
                {
                    refusal.code = Some(code.to_owned());
                }
                self
            }

            pub(crate) fn into_failure(self) -> Failure {
                self.0
            }
        }

        impl<E: Into<BoxError>> From<E> for $name {
            fn from(error: E) -> Self {
                Self::unexpected(error)
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
    /// The error of [`Update::update`](super::Update::update) and
    /// [`ChangePlan::change_plan`](super::ChangePlan::change_plan).
    UpdateError, StatusCode::UNPROCESSABLE_ENTITY,
    "Refuses a change that is not supported, or not possible in the instance's present state, such as exceeding the \
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
        Self(Failure::Refused(Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, Some("RequiresApp"), REQUIRES_APP)))
    }
}

impl UpdateError {
    /// Says whether the instance still works after the refused change (`instance_usable`, ERR-10). Platforms assume
    /// `true`.
    pub fn instance_usable(mut self, usable: bool) -> Self {
        if let Failure::Refused(refusal) = &mut self.0 {
            refusal.instance_usable = Some(usable);
        }
        self
    }

    /// Says whether the same change may be retried (`update_repeatable`, ERR-11). Platforms assume `true`.
    pub fn update_repeatable(mut self, repeatable: bool) -> Self {
        if let Failure::Refused(refusal) = &mut self.0 {
            refusal.update_repeatable = Some(repeatable);
        }
        self
    }
}

impl DeprovisionError {
    /// Says whether the instance still works after the refused deletion (`instance_usable`, ERR-10). Platforms assume
    /// `true`.
    pub fn instance_usable(mut self, usable: bool) -> Self {
        if let Failure::Refused(refusal) = &mut self.0 {
            refusal.instance_usable = Some(usable);
        }
        self
    }
}
