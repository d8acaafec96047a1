//! Error codes of an author's own.

use std::{borrow::Cow, fmt};

use osb_catalog::text::{Message, same};

/// The error code of a refusal: one word in CamelCase (ERR-02), such as `QuotaExceeded`.
///
/// A broker can't use the codes that the specification defines, because platforms act on them: for `ConcurrencyError` and
/// `RequiresApp` the error types have functions, and the runtime sends the others.
///
/// ```
/// use osb_runtime::prelude::*;
///
/// // Checked by the compiler.
/// const QUOTA: ErrorCode = ErrorCode::from_static("QuotaExceeded");
///
/// let error = ProvisionError::refused("The limit is 10 stores.").code(QUOTA);
/// # let _ = error;
/// assert!(ErrorCode::new("quota exceeded").is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorCode(pub(super) Cow<'static, str>);

impl ErrorCode {
    /// Creates an error code from a literal. Assign it to a constant, so that the compiler checks it.
    ///
    /// # Panics
    ///
    /// If the text is not a valid error code; at compile time in a constant.
    #[track_caller]
    pub const fn from_static(code: &'static str) -> Self {
        match flaw(code) {
            None => Self(Cow::Borrowed(code)),
            Some(InvalidErrorCode::NotAWord) => Message::new("the error code ")
                .name(code)
                .text(" is not one word in CamelCase; write one like `QuotaExceeded` (ERR-02)")
                .panic(),
            Some(InvalidErrorCode::Reserved) => Message::new("the error code ")
                .name(code)
                .text(" is reserved by the specification, and platforms act on it; use another word")
                .panic(),
        }
    }

    /// Creates an error code from a computed text.
    ///
    /// # Errors
    ///
    /// If the text is not one word in CamelCase, or is a code of the specification.
    pub fn new(code: impl Into<String>) -> Result<Self, InvalidErrorCode> {
        let code = code.into();
        match flaw(&code) {
            None => Ok(Self(Cow::Owned(code))),
            Some(flaw) => Err(flaw),
        }
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The error for a text that is not an [`ErrorCode`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidErrorCode {
    /// The text is not one word in CamelCase.
    #[error("an error code must be one word in CamelCase")]
    NotAWord,
    /// The specification defines the code, and platforms act on it.
    #[error("the specification reserves this error code")]
    Reserved,
}

/// The error codes that the specification defines.
const SPECIFIED: [&str; 4] = ["AsyncRequired", "ConcurrencyError", "MaintenanceInfoConflict", "RequiresApp"];

const fn flaw(code: &str) -> Option<InvalidErrorCode> {
    let bytes = code.as_bytes();
    if bytes.is_empty() || !bytes[0].is_ascii_uppercase() {
        return Some(InvalidErrorCode::NotAWord);
    }
    let mut i = 0;
    while i < bytes.len() {
        if !bytes[i].is_ascii_alphanumeric() {
            return Some(InvalidErrorCode::NotAWord);
        }
        i += 1;
    }
    let mut i = 0;
    while i < SPECIFIED.len() {
        if same(code, SPECIFIED[i]) {
            return Some(InvalidErrorCode::Reserved);
        }
        i += 1;
    }
    None
}
