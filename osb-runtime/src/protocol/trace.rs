//! The context of a distributed trace (W3C Trace Context, level 1).

use std::{fmt, str::FromStr};

use http::HeaderName;
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};

use super::debug_text;
use crate::json::Shared;

/// `traceparent`
pub const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// The header `traceparent` of a request: the trace that it belongs to. The log lines of the request and of its operation have
/// the trace's id, and a handler passes it on to other services, as it is:
///
/// ```
/// let parent: osb_runtime::protocol::TraceParent =
///     "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01".parse().unwrap();
/// assert_eq!(parent.trace_id(), "0af7651916cd43dd8448eb211c80319c");
/// assert_eq!(parent.span_id(), "b7ad6b7169203331");
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Serialize)]
pub struct TraceParent(Shared<str>);

impl TraceParent {
    /// Returns the header's value.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the id of the trace: 32 hexadecimal digits.
    pub fn trace_id(&self) -> &str {
        &self.0[3..35]
    }

    /// Returns the id of the sender's span: 16 hexadecimal digits.
    pub fn span_id(&self) -> &str {
        &self.0[36..52]
    }

    /// Returns whether the sender records the trace.
    pub fn is_sampled(&self) -> bool {
        u8::from_str_radix(&self.0[53..55], 16).is_ok_and(|flags| flags & 1 == 1)
    }
}

/// The error for an invalid [`TraceParent`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a traceparent is 00-<32 hexadecimal digits>-<16 hexadecimal digits>-<2 hexadecimal digits>")]
pub struct InvalidTraceParent;

impl FromStr for TraceParent {
    type Err = InvalidTraceParent;

    fn from_str(text: &str) -> Result<Self, InvalidTraceParent> {
        let is_hex = |text: &str| text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let is_zero = |text: &str| text.bytes().all(|byte| byte == b'0');
        let parts: Vec<&str> = text.split('-').collect();
        let &[version, trace, span, flags, ref more @ ..] = parts.as_slice() else { return Err(InvalidTraceParent) };
        // Later versions may have more parts.
        let is_known = [version, trace, span, flags].map(str::len) == [2, 32, 16, 2] && version != "ff";
        let is_valid = is_known && (more.is_empty() || version != "00") && text.len() <= 256;
        let all = [version, trace, span, flags].into_iter().all(is_hex);
        if is_valid && all && !is_zero(trace) && !is_zero(span) {
            Ok(Self(text.into()))
        } else {
            Err(InvalidTraceParent)
        }
    }
}

impl fmt::Display for TraceParent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

debug_text!(TraceParent, Self(text) => "{:?}", &**text);

impl<'de> Deserialize<'de> for TraceParent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
#[path = "../../tests/unit/trace.rs"]
mod tests;
