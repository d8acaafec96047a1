//! What a broker answered.

use http::{HeaderMap, StatusCode};
use serde_json::Value;

use super::ClientError;

/// What a broker answered.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Answer {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body; `null` if there is none, or if it is no JSON.
    pub body: Value,
    /// The body as it was sent; what is no UTF-8 in it has become U+FFFD.
    pub text: String,
}

impl Answer {
    /// Reads an answer.
    pub fn new(status: StatusCode, headers: HeaderMap, body: &[u8]) -> Self {
        let text = String::from_utf8_lossy(body).into_owned();
        Self { status, headers, body: osb_runtime::json::from_slice(body).unwrap_or_default(), text }
    }

    /// The answer, if it is one of success with a JSON object. A 410 is none: it depends on the request.
    ///
    /// # Errors
    ///
    /// If the broker refused or failed, or if what answered is no broker.
    pub fn success(self) -> Result<Self, ClientError> {
        match self.status.as_u16() {
            _ if !self.status.is_success() => Err(ClientError::of(&self)),
            _ if self.body.is_object() => Ok(self),
            _ => Err(ClientError::NotABroker { status: self.status, said: self.excerpt() }),
        }
    }

    /// A header, by its name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The code of an error.
    pub fn error(&self) -> Option<&str> {
        self.body["error"].as_str()
    }

    /// What is said to the user, without control characters, which a terminal would obey.
    pub fn description(&self) -> Option<String> {
        let text = self.body["description"].as_str().filter(|text| !text.is_empty())?;
        Some(text.replace(char::is_control, " "))
    }

    /// The operation of a 202.
    pub fn operation(&self) -> Option<&str> {
        self.body["operation"].as_str().filter(|text| !text.is_empty())
    }

    /// The beginning of the body, in a line.
    pub fn excerpt(&self) -> String {
        const LENGTH: usize = 200;
        let line: String = self.text.chars().take(LENGTH).map(|c| if c.is_control() { ' ' } else { c }).collect();
        if line.len() < self.text.len() { format!("{line}...") } else { line }
    }
}
