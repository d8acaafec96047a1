//! What an operation can fail with: one type each, so that none can answer what the specification forbids it.
//!
//! These types are no `std::error::Error`s: that is what lets `?` turn any other error into "unexpected".

use http::StatusCode;

/// The description of `RequiresApp`. Platforms compare these three sentences letter by letter (S21).
pub const REQUIRES_APP: &str = "This service supports generation of credentials through binding an application only.";
/// The description of `AsyncRequired`.
pub const ASYNC_REQUIRED: &str = "This service plan requires client support for asynchronous service operations.";
/// The description of `ConcurrencyError`.
pub const CONCURRENCY: &str = "The Service Broker does not support concurrent requests that mutate the same resource.";

/// An error of any type.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Why an operation failed.
#[doc(hidden)]
#[derive(Debug)]
pub enum Failure {
    /// The author says no, and why: the user's to read.
    Refused(Refusal),
    /// Something went wrong that the user can do nothing about: for the log.
    Unexpected(BoxError),
    /// The same, and it may go well if it is tried again.
    Temporary(BoxError),
}

/// A declared refusal: always a 4xx, after which everything is as it was (ERR-08).
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

/// Whether `code` is what the specification calls an error code: one word in CamelCase (ERR-02).
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

/// The codes of the specification.
const SPECIFIED: [&str; 4] = ["AsyncRequired", "ConcurrencyError", "MaintenanceInfoConflict", "RequiresApp"];

macro_rules! error {
    ($(#[$doc:meta])* $name:ident, $refused:expr, $refused_doc:literal) => {
        $(#[$doc])*
        ///
        /// Any other error becomes this one by `?` and means "unexpected": the user sees a general sentence and status
        /// 500, the log has the detail.
        #[derive(Debug)]
        pub struct $name(Failure);

        impl $name {
            #[doc = $refused_doc]
            pub fn refused(description: impl Into<String>) -> Self {
                Self(Failure::Refused(Refusal::new($refused, None, description)))
            }

            /// What the user sent is well-formed, but cannot be: 400 with this description (ERR-13).
            pub fn invalid(description: impl Into<String>) -> Self {
                Self(Failure::Refused(Refusal::new(StatusCode::BAD_REQUEST, None, description)))
            }

            /// Other work on the same resource is in the way: 422 `ConcurrencyError` (ERR-05). The platform may come
            /// back later.
            pub fn concurrency() -> Self {
                Self(Failure::Refused(Refusal::new(
                    StatusCode::UNPROCESSABLE_ENTITY,
                    Some("ConcurrencyError"),
                    CONCURRENCY,
                )))
            }

            /// Something went wrong that the user can do nothing about; what `?` does with any other error.
            pub fn unexpected(error: impl Into<BoxError>) -> Self {
                Self(Failure::Unexpected(error.into()))
            }

            /// Something went wrong that may go well if it is tried again, such as a connection that was refused: the
            /// runtime calls the handler again after a pause, as [`Retries`](crate::lifecycle::Retries) say, and while
            /// there is time. After the last attempt it is as if the error were [`unexpected`](Self::unexpected).
            pub fn temporary(error: impl Into<BoxError>) -> Self {
                Self(Failure::Temporary(error.into()))
            }

            /// An error code of the author's own for a refusal, one word in CamelCase (ERR-02); anything else is left
            /// out, and so are the codes of the specification, which platforms act on: those have functions of their
            /// own.
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
    /// Why an instance was not made.
    ProvisionError, StatusCode::BAD_REQUEST,
    "The instance can't be made, for a reason that the user should read, such as a quota: 400. A 422 or 5xx would make \
     Cloud Foundry delete what it thinks is half an instance (T55, T56)."
}

error! {
    /// Why an instance was not removed.
    DeprovisionError, StatusCode::UNPROCESSABLE_ENTITY,
    "The instance can't be removed now, for a reason that the user should read: 422."
}

error! {
    /// Why an instance was not changed.
    UpdateError, StatusCode::UNPROCESSABLE_ENTITY,
    "The change is not supported, or not possible in the present state, such as over the quota of the new plan: 422 \
     (UPD-14)."
}

error! {
    /// Why a binding was not made.
    BindError, StatusCode::BAD_REQUEST,
    "The binding can't be made, for a reason that the user should read: 400. A 422 or 5xx would make Cloud Foundry \
     unbind what it thinks is half a binding (T55, T56)."
}

error! {
    /// Why a binding was not removed.
    UnbindError, StatusCode::UNPROCESSABLE_ENTITY,
    "The binding can't be removed now, for a reason that the user should read: 422."
}

impl BindError {
    /// This binding needs an application, and none was named: 422 `RequiresApp` (ERR-06). A plan of which that is
    /// always true says `requires_app`.
    pub fn requires_app() -> Self {
        Self(Failure::Refused(Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, Some("RequiresApp"), REQUIRES_APP)))
    }
}

impl UpdateError {
    /// Whether the instance still works after the refused change (`instance_usable`, ERR-10; assumed if not said).
    pub fn instance_usable(mut self, usable: bool) -> Self {
        if let Failure::Refused(refusal) = &mut self.0 {
            refusal.instance_usable = Some(usable);
        }
        self
    }

    /// Whether the same change may be tried again (`update_repeatable`, ERR-11; assumed if not said).
    pub fn update_repeatable(mut self, repeatable: bool) -> Self {
        if let Failure::Refused(refusal) = &mut self.0 {
            refusal.update_repeatable = Some(repeatable);
        }
        self
    }
}

impl DeprovisionError {
    /// Whether the instance still works after the refused removal (`instance_usable`, ERR-10; assumed if not said).
    pub fn instance_usable(mut self, usable: bool) -> Self {
        if let Failure::Refused(refusal) = &mut self.0 {
            refusal.instance_usable = Some(usable);
        }
        self
    }
}
