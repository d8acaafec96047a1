//! The response of a broker.

use std::fmt;

use http::{HeaderMap, StatusCode};
use serde_json::Value;

use super::ClientError;

/// The members of responses whose values are secret, so that logs and reports don't show them.
pub const SECRET_MEMBERS: [&str; 6] =
    ["credentials", "secret", "password", "token", "syslog_drain_url", "mount_config"];

/// The response of a broker. Its `Debug` output has the status and the names of the body's members, but no values, because
/// the body may contain credentials.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct Answer {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body; `null` if it is empty or not JSON.
    pub body: Value,
    /// The raw body; bytes that are not UTF-8 are replaced by U+FFFD.
    pub text: String,
    /// The identity of the request, by which the broker's log may name it.
    pub request_identity: Option<String>,
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let members: Vec<_> = self.body.as_object().into_iter().flat_map(|body| body.keys()).collect();
        f.debug_struct("Answer").field("status", &self.status).field("members", &members).finish_non_exhaustive()
    }
}

impl Answer {
    /// Builds an answer, and parses its body.
    pub fn new(status: StatusCode, headers: HeaderMap, body: &[u8]) -> Self {
        let text = String::from_utf8_lossy(body).into_owned();
        Self {
            status,
            headers,
            body: osb_runtime::json::from_slice(body).unwrap_or_default(),
            text,
            request_identity: None,
        }
    }

    /// Returns the answer if it has a 2xx status and a JSON object. A 410 counts as an error, although it means success
    /// for a deletion.
    ///
    /// # Errors
    ///
    /// If the broker refused the request or failed, or if the server is not a broker.
    pub fn success(self) -> Result<Self, ClientError> {
        match self.status.as_u16() {
            _ if !self.status.is_success() => Err(ClientError::of(&self)),
            _ if self.body.is_object() => Ok(self),
            _ => Err(ClientError::NotABroker { status: self.status, said: self.excerpt(), request_identity: None }),
        }
    }

    /// Returns the value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Returns the error code.
    pub fn error(&self) -> Option<&str> {
        self.body["error"].as_str()
    }

    /// Returns the message for the user. Control characters are replaced, as a terminal would interpret them.
    pub fn description(&self) -> Option<String> {
        let text = self.body["description"].as_str().filter(|text| !text.is_empty())?;
        Some(text.replace(char::is_control, " "))
    }

    /// Returns the operation of a 202.
    pub fn operation(&self) -> Option<&str> {
        self.body["operation"].as_str().filter(|text| !text.is_empty())
    }

    /// Returns the beginning of the body on one line. It ends after a word such as `credentials`, because it appears in errors
    /// and logs, and a body that isn't JSON can be a truncated response with credentials.
    pub fn excerpt(&self) -> String {
        const LENGTH: usize = 200;
        let line: String = self.text.chars().take(LENGTH).map(|c| if c.is_control() { ' ' } else { c }).collect();
        // The position is the same in the lower case of ASCII.
        let lower = line.to_ascii_lowercase();
        let secret = SECRET_MEMBERS.iter().filter_map(|word| Some(lower.find(word)? + word.len())).min();
        match secret.filter(|end| *end < self.text.len()) {
            Some(end) => format!("{}... (the rest is not shown, as it may be secret)", &line[..end]),
            None if line.len() < self.text.len() => format!("{line}..."),
            None => line,
        }
    }
}
