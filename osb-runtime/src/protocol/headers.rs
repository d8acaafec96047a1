//! The headers that concern every request: the version of the API, the identities, and the trace.

use std::sync::Arc;

use base64::{Engine, alphabet, engine::GeneralPurpose, engine::general_purpose::PAD_INDIFFERENT};
use http::{HeaderMap, HeaderName, HeaderValue};

use super::{MalformedIdentity, Origin, Policies, TraceParent, parse::Malformed};
use crate::json::{LazyObject, RawObject};

/// `X-Broker-API-Version` (HDR-01)
pub const VERSION: HeaderName = HeaderName::from_static("x-broker-api-version");
/// `X-Broker-API-Request-Identity` (HDR-05)
pub const REQUEST_IDENTITY: HeaderName = HeaderName::from_static("x-broker-api-request-identity");
/// `X-Broker-API-Originating-Identity` (HDR-04)
pub const ORIGINATING_IDENTITY: HeaderName = HeaderName::from_static("x-broker-api-originating-identity");

/// Finds headers in one pass, which takes less time than a search for each. Returns for each how many there are, and the first.
/// Names are texts, because a constant [`HeaderName`] is built and dropped for each comparison.
pub(crate) fn find<'h, const N: usize>(
    headers: &'h HeaderMap,
    names: [&str; N],
) -> [(usize, Option<&'h HeaderValue>); N] {
    let mut found = [(0, None); N];
    for (name, value) in headers {
        if let Some(at) = names.iter().position(|one| *one == name.as_str()) {
            found[at] = (found[at].0 + 1, found[at].1.or(Some(value)));
        }
    }
    found
}

/// The headers of one request.
pub(crate) struct RequestHeaders<'h> {
    pub(crate) version: Option<&'h HeaderValue>,
    /// The request identity. It counts as absent if it is too long or contains characters other than printable ASCII.
    pub(crate) identity: Option<&'h str>,
    /// The header of the identity, as it was sent.
    pub(crate) echo: Option<&'h HeaderValue>,
    originating_identity: Option<&'h HeaderValue>,
    /// A header that is malformed, or there twice, counts as absent, as the specification says.
    pub(crate) trace: Option<TraceParent>,
}

impl<'h> RequestHeaders<'h> {
    pub(crate) fn of(headers: &'h HeaderMap) -> Self {
        let [(_, version), (_, echo), (_, originating_identity), (traces, trace)] = find(
            headers,
            [
                "x-broker-api-version",
                "x-broker-api-request-identity",
                "x-broker-api-originating-identity",
                "traceparent",
            ],
        );
        // Without an early return, so that the compiler looks at many bytes at once.
        let is_printable = |text: &str| text.bytes().fold(true, |all, byte| all & matches!(byte, b' '..=b'~'));
        let is_identity = |text: &&str| (1..=MAX_IDENTITY).contains(&text.len()) && is_printable(text);
        let text = echo.and_then(|value| std::str::from_utf8(value.as_bytes()).ok());
        let identity = text.map(str::trim_ascii).filter(is_identity);
        let trace = trace.filter(|_| traces == 1).and_then(|value| value.to_str().ok()?.parse().ok());
        Self { version, identity, echo: echo.filter(|_| identity.is_some()), originating_identity, trace }
    }

    /// Parses the originating identity. It is optional, so a malformed one is ignored unless the policy rejects it
    /// (T41). Its value identifies a user and is not logged.
    pub(crate) fn origin(&self, policies: &Policies) -> Result<Option<Arc<Origin>>, Malformed> {
        let Some(value) = self.originating_identity else { return Ok(None) };
        let origin = value.to_str().ok().and_then(read_origin);
        match (origin, policies.malformed_identity) {
            (None, MalformedIdentity::Refuse) => Err(Malformed::new(
                "the header X-Broker-API-Originating-Identity must consist of a platform other than `admin`, a space, and a JSON object in Base64",
            )),
            (None, MalformedIdentity::Ignore) => {
                tracing::warn!(
                    "ignored an X-Broker-API-Originating-Identity that is not `<platform> <base64 of a JSON object>`, or names `admin`"
                );
                Ok(None)
            }
            (origin, _) => Ok(origin.map(Arc::new)),
        }
    }
}

/// The platform of operators, for handlers, hooks and the audit log. No request of a platform can name it.
pub(crate) const OPERATORS: &str = "admin";

/// Base64 with the standard alphabet; padding is optional.
const BASE64: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, PAD_INDIFFERENT);

pub(crate) fn decode_base64(encoded: &[u8]) -> Option<Vec<u8>> {
    // Faster than `decode`, which asks the allocator for zeroed memory.
    let mut decoded = Vec::with_capacity(encoded.len());
    BASE64.decode_vec(encoded, &mut decoded).ok()?;
    Some(decoded)
}

/// Maximum length of a request identity that is echoed and logged. Platforms send GUIDs.
const MAX_IDENTITY: usize = 256;

fn read_origin(text: &str) -> Option<Origin> {
    let (platform, encoded) = text.trim().split_once(' ').filter(|(platform, _)| *platform != OPERATORS)?;
    let user = decode_base64(encoded.trim_start().as_bytes())?;
    let user = std::str::from_utf8(&user).ok()?;
    let user = LazyObject::from_text(&*RawObject::read_str(user)?.with_plain_zeros(user));
    Some(Origin { platform: platform.to_owned(), user })
}
