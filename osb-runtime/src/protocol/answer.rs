//! Answers: a status with a JSON object, or an HTML page for browsers.

use std::{fmt, sync::Arc};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode};
use serde::Serialize;

use crate::json::{Json, Members};

/// The answer to a request. Answers to platforms always have a JSON object as body (S04).
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) body: Body,
    pub(crate) header: Option<AnswerHeader>,
}

/// The additional header of an [`Answer`]. No endpoint has more than one.
#[derive(Debug, Clone)]
pub(crate) enum AnswerHeader {
    /// `ETag`, on the catalog (HDR-11).
    ETag(HeaderValue),
    /// `Retry-After`, in seconds (HDR-10).
    RetryAfter(u32),
}

/// The body of an [`Answer`].
#[derive(Clone)]
pub(crate) enum Body {
    /// An object, serialized when the answer is sent.
    Object(Members),
    /// Serialized JSON.
    Ready(Bytes),
    /// A page for browsers.
    Html(Arc<HtmlBody>),
}

/// Prints the names of an object's fields, and otherwise the number of bytes: credentials and parameters are secret (T68).
impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Object(fields) => {
                f.debug_tuple("Object").field(&fields.iter().map(|(name, _)| name).collect::<Vec<_>>()).finish()
            }
            Self::Ready(bytes) => f.debug_tuple("Ready").field(&bytes.len()).finish(),
            Self::Html(page) => f.debug_tuple("Html").field(&page.content.len()).finish(),
        }
    }
}

/// Maximum length of a description in characters; Cloud Foundry can't store a longer one.
const MAX_DESCRIPTION: usize = 10_000;

/// Cuts a description that is too long, and ends it with an ellipsis.
pub(crate) fn shorten(mut description: String) -> String {
    // Most descriptions have fewer bytes.
    if description.len() > MAX_DESCRIPTION
        && let Some((end, _)) = description.char_indices().nth(MAX_DESCRIPTION - 1)
        && description[end..].chars().nth(1).is_some()
    {
        description.truncate(end);
        description.push('…');
    }
    description
}

/// A page for browsers, with its headers except for the type.
pub(crate) struct HtmlBody {
    pub(crate) headers: HeaderMap,
    pub(crate) content: Bytes,
}

impl Answer {
    /// Creates an answer with an object, such as `json!({...})`; anything else counts as an empty one.
    pub(crate) fn object(status: StatusCode, body: impl Into<Json>) -> Self {
        let Json::Object(fields) = body.into() else { return Self::object(status, Members::default()) };
        Self { status, body: Body::Object(fields), header: None }
    }

    /// Creates an answer with an object that is serialized now.
    pub(crate) fn serialized(status: StatusCode, body: &impl Serialize) -> Self {
        // Most fit: a buffer that grows costs more than a large one, and leaves copies of credentials in memory.
        let mut text = Vec::with_capacity(512);
        let written = serde_json::to_writer(&mut text, body);
        let body = if written.is_ok() { Body::Ready(text.into()) } else { Body::Object(Members::default()) };
        Self { status, body, header: None }
    }

    /// Creates an answer with the body `{}`.
    pub(crate) fn empty(status: StatusCode) -> Self {
        Self::object(status, Members::default())
    }

    /// Creates an error answer with a description for the user and, where the specification defines one, an error code
    /// (ERR-02, ERR-03).
    pub(crate) fn error(status: StatusCode, code: Option<&str>, description: impl Into<String>) -> Self {
        let description = shorten(description.into());
        let mut answer = Self::empty(status);
        if let Some(code) = code {
            answer.insert("error", code);
        }
        if !description.is_empty() {
            answer.insert("description", description);
        }
        answer
    }

    /// Sets `Retry-After`, the seconds until the platform should poll again (HDR-10).
    pub(crate) fn retry_after(mut self, seconds: u32) -> Self {
        self.header = Some(AnswerHeader::RetryAfter(seconds));
        self
    }

    /// Adds a field to the body.
    pub(crate) fn insert(&mut self, name: &str, value: impl Into<Json>) {
        if let Body::Object(fields) = &mut self.body {
            fields.insert(name, value);
        }
    }
}
