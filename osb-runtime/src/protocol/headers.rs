//! The headers that correlate a request: its identity, and who caused it.

use base64::{Engine, alphabet, engine::GeneralPurpose, engine::general_purpose::PAD_INDIFFERENT};
use http::{HeaderMap, HeaderName, HeaderValue};

use super::{MalformedOrigin, Origin, Policies, RequestIdentity, parse::Malformed};

/// `X-Broker-API-Version` (HDR-01)
pub const VERSION: HeaderName = HeaderName::from_static("x-broker-api-version");
/// `X-Broker-API-Request-Identity` (HDR-05)
pub const REQUEST_IDENTITY: HeaderName = HeaderName::from_static("x-broker-api-request-identity");
/// `X-Broker-API-Originating-Identity` (HDR-04)
pub const ORIGINATING_IDENTITY: HeaderName = HeaderName::from_static("x-broker-api-originating-identity");

/// Base64 as platforms write it: the standard alphabet, padded or not.
const BASE64: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, PAD_INDIFFERENT);

/// What base64 stands for, if it is some.
pub(crate) fn decode_base64(encoded: &[u8]) -> Option<Vec<u8>> {
    // Faster than `decode`, which asks the allocator for zeroed memory.
    let mut decoded = Vec::with_capacity(encoded.len());
    BASE64.decode_vec(encoded, &mut decoded).ok()?;
    Some(decoded)
}

/// The longest request identity that is echoed and logged; platforms send guids.
const LONGEST_IDENTITY: usize = 256;

/// The request's identity, and the header to echo. One that is too long for a log line counts as absent, and so does one
/// with characters that aren't printable ASCII.
pub(crate) fn request_identity(headers: &HeaderMap) -> Option<(RequestIdentity, HeaderValue)> {
    let value = headers.get(REQUEST_IDENTITY)?;
    let text = value.to_str().ok()?.trim();
    // Apart from tabs, what `to_str` lets through is printable.
    let fit = (1..=LONGEST_IDENTITY).contains(&text.len()) && !text.contains('\t');
    fit.then(|| (text.into(), value.clone()))
}

/// Who caused the request. It is optional, so a malformed one is ignored unless that is refused (T41); its value names a
/// user and is not logged.
pub(crate) fn origin(policies: &Policies, headers: &HeaderMap) -> Result<Option<Origin>, Malformed> {
    let Some(value) = headers.get(ORIGINATING_IDENTITY) else { return Ok(None) };
    let origin = value.to_str().ok().and_then(read_origin);
    match (origin, policies.malformed_origin) {
        (None, MalformedOrigin::Refuse400) => Err(Malformed::new(
            "the header X-Broker-API-Originating-Identity has to be a platform, a space, and a JSON object in Base64",
        )),
        (None, MalformedOrigin::Ignore) => {
            tracing::warn!(
                "ignored an X-Broker-API-Originating-Identity that is not `<platform> <base64 of a JSON object>`"
            );
            Ok(None)
        }
        (origin, _) => Ok(origin),
    }
}

fn read_origin(text: &str) -> Option<Origin> {
    let (platform, encoded) = text.trim().split_once(' ')?;
    let user = crate::json::from_slice(&decode_base64(encoded.trim_start().as_bytes())?).ok()?;
    Some(Origin { platform: platform.to_owned(), user })
}
