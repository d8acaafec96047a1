//! URLs that a broker sends to a platform.

use std::borrow::Cow;

use osb_catalog::{
    text::Message,
    uri::{self, UriError},
};

/// The URL of an instance's dashboard: `http` or `https`, at most 16,000 characters, the limit of Cloud Foundry.
///
/// ```
/// use osb_runtime::prelude::*;
///
/// // Checked by the compiler.
/// const CONSOLE: DashboardUrl = DashboardUrl::from_static("https://console.example.com/stores");
///
/// fn dashboard(store: &str) -> Result<DashboardUrl, InvalidUrl> {
///     DashboardUrl::new(format!("https://console.example.com/stores/{store}"))
/// }
/// # assert!(dashboard("one").is_ok());
/// assert!(dashboard("two words").is_err());
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct DashboardUrl(Cow<'static, str>);

impl DashboardUrl {
    const RULES: Rules = Rules { name: "a dashboard URL", schemes: &["https", "http"], longest: 16_000 };

    /// Creates a dashboard URL from a literal. Assign it to a constant, so that the compiler checks it.
    ///
    /// # Panics
    ///
    /// If the URL is invalid; at compile time in a constant.
    #[track_caller]
    pub const fn from_static(url: &'static str) -> Self {
        Self(Self::RULES.literal(url))
    }

    /// Creates a dashboard URL from a computed text.
    ///
    /// # Errors
    ///
    /// If the URL is invalid: empty, relative, neither `http` nor `https`, without a host, longer than 16,000
    /// characters, or with a character that has to be percent-encoded.
    pub fn new(url: impl Into<String>) -> Result<Self, InvalidUrl> {
        Self::RULES.check(url).map(Self)
    }

    /// Returns the URL.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

crate::protocol::debug_text!(DashboardUrl, _ => "DashboardUrl(..)");

/// The error for an invalid URL. It does not contain the URL, which may be secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{name} {flaw}")]
pub struct InvalidUrl {
    name: &'static str,
    flaw: &'static str,
}

/// A validated value. Each type implements it for itself; the trait exists for the compiler's message about a string.
#[diagnostic::on_unimplemented(
    message = "expected `{T}`, found `{Self}`",
    label = "expected `{T}`",
    note = "write `{T}::new(...)?`, or for a literal `const NAME: {T} = {T}::from_static(\"...\")`"
)]
pub trait Validated<T>: Into<T> {}

impl<T> Validated<T> for T {}

/// The requirements for one kind of URL.
pub(super) struct Rules {
    /// The kind of URL, with an article.
    pub(super) name: &'static str,
    /// The schemes that are allowed; any if empty.
    pub(super) schemes: &'static [&'static str],
    /// The maximum number of characters.
    pub(super) longest: usize,
}

impl Rules {
    #[track_caller]
    pub(super) const fn literal(&self, url: &'static str) -> Cow<'static, str> {
        if let Some(flaw) = self.flaw(url) {
            Message::new(self.name).text(" ").text(flaw).text(": ").name(url).panic();
        }
        Cow::Borrowed(url)
    }

    pub(super) fn check(&self, url: impl Into<String>) -> Result<Cow<'static, str>, InvalidUrl> {
        let url = url.into();
        match self.flaw(&url) {
            Some(flaw) => Err(InvalidUrl { name: self.name, flaw }),
            None => Ok(Cow::Owned(url)),
        }
    }

    const fn flaw(&self, url: &str) -> Option<&'static str> {
        let bytes = url.as_bytes();
        if bytes.is_empty() {
            return Some("must not be empty");
        }
        if bytes.len() > self.longest {
            return Some("is longer than Cloud Foundry can store");
        }
        let url = match uri::parse(bytes) {
            Ok(url) => url,
            Err(UriError::Character) => return Some("has a character that must be percent-encoded"),
            Err(UriError::Scheme) => return Some(self.relative()),
            Err(UriError::Host) => return Some("has no valid host"),
        };
        match url.host {
            None => Some(self.relative()),
            Some(_) if !self.allows(url.scheme) => {
                Some(if self.schemes.len() == 1 { "must be https" } else { "must be https or http" })
            }
            Some([] | [b'.', ..]) => Some("has no valid host"),
            Some(_) => None,
        }
    }

    const fn relative(&self) -> &'static str {
        if self.schemes.is_empty() {
            "must be absolute, such as `syslog-tls://logs.example.com:6514`"
        } else {
            "must be absolute, such as `https://example.com`"
        }
    }

    const fn allows(&self, scheme: &[u8]) -> bool {
        let mut i = 0;
        while i < self.schemes.len() {
            if scheme.eq_ignore_ascii_case(self.schemes[i].as_bytes()) {
                return true;
            }
            i += 1;
        }
        self.schemes.is_empty()
    }
}

#[cfg(test)]
#[path = "../../tests/unit/url.rs"]
mod tests;
