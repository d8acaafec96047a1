//! URLs that a broker sends to a platform.

use std::{borrow::Cow, error::Error, fmt};

use crate::schema::Message;

/// The URL of an instance's dashboard: `http` or `https`, at most 16,000 characters, which is the room that Cloud Foundry
/// has for it.
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

/// Omits the URL, since it may contain a token.
impl fmt::Debug for DashboardUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DashboardUrl(..)")
    }
}

/// The error for an invalid URL. It does not contain the URL, which may be secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidUrl {
    name: &'static str,
    flaw: &'static str,
}

impl fmt::Display for InvalidUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.flaw)
    }
}

impl Error for InvalidUrl {}

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

    /// Returns the reason why `url` is invalid. Ours, because neither `http::Uri` nor the `url` crate parses in const
    /// evaluation.
    const fn flaw(&self, url: &str) -> Option<&'static str> {
        let url = url.as_bytes();
        if url.is_empty() {
            return Some("must not be empty");
        }
        if url.len() > self.longest {
            return Some("is too long");
        }
        if !has_valid_characters(url) {
            return Some("has a character that must be percent-encoded");
        }
        let scheme = scheme_len(url);
        if scheme == 0 {
            return Some("must be absolute, such as `https://example.com`");
        }
        if !self.allows(url, scheme) {
            return Some(if self.schemes.len() == 1 { "must be https" } else { "must be https or http" });
        }
        if has_host(url, scheme + 3) { None } else { Some("has no valid host") }
    }

    const fn allows(&self, url: &[u8], scheme: usize) -> bool {
        let mut i = 0;
        while i < self.schemes.len() {
            let allowed = self.schemes[i].as_bytes();
            if url.split_at(scheme).0.eq_ignore_ascii_case(allowed) {
                return true;
            }
            i += 1;
        }
        self.schemes.is_empty()
    }
}

/// Returns whether all characters may be in a URL (RFC 3986), and a `%` has two digits.
const fn has_valid_characters(url: &[u8]) -> bool {
    let mut i = 0;
    while i < url.len() {
        match url[i] {
            b'%' if i + 2 >= url.len() || !url[i + 1].is_ascii_hexdigit() || !url[i + 2].is_ascii_hexdigit() => {
                return false;
            }
            b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}' => return false,
            b'!'..=b'~' => i += 1,
            _ => return false,
        }
    }
    true
}

/// Returns the length of the scheme before `://`; 0 if there is none.
const fn scheme_len(url: &[u8]) -> usize {
    let mut i = 0;
    while i < url.len() && (url[i].is_ascii_alphanumeric() || (i > 0 && matches!(url[i], b'+' | b'-' | b'.'))) {
        i += 1;
    }
    let separated = i + 2 < url.len() && url[i] == b':' && url[i + 1] == b'/' && url[i + 2] == b'/';
    if separated && url[0].is_ascii_alphabetic() { i } else { 0 }
}

/// Returns whether the authority that begins at `at` has a host, and a number as port if there is one.
const fn has_host(url: &[u8], at: usize) -> bool {
    let (mut host, mut end) = (at, at);
    while end < url.len() && !matches!(url[end], b'/' | b'?' | b'#') {
        if url[end] == b'@' {
            host = end + 1;
        }
        end += 1;
    }
    let mut i = host;
    if i < end && url[i] == b'[' {
        while i < end && url[i] != b']' {
            i += 1;
        }
        if i == end || i == host + 1 {
            return false;
        }
        i += 1;
    } else {
        while i < end && (url[i].is_ascii_alphanumeric() || matches!(url[i], b'.' | b'-' | b'_' | b'~' | b'%')) {
            i += 1;
        }
        if i == host || url[host] == b'.' {
            return false;
        }
    }
    if i < end && url[i] == b':' {
        i += 1;
        while i < end && url[i].is_ascii_digit() {
            i += 1;
        }
    }
    i == end
}

#[cfg(test)]
#[path = "../../tests/unit/url.rs"]
mod tests;
