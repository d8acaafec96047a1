//! The headers for the request identity and the originating identity.

use base64::{Engine, alphabet, engine::GeneralPurpose, engine::general_purpose::PAD_INDIFFERENT};
use http::{HeaderMap, HeaderName, HeaderValue};

use super::{MalformedIdentity, Origin, Policies, parse::Malformed};
use crate::json::{LazyObject, RawObject};

/// `X-Broker-API-Version` (HDR-01)
pub const VERSION: HeaderName = HeaderName::from_static("x-broker-api-version");
/// `X-Broker-API-Request-Identity` (HDR-05)
pub const REQUEST_IDENTITY: HeaderName = HeaderName::from_static("x-broker-api-request-identity");
/// `X-Broker-API-Originating-Identity` (HDR-04)
pub const ORIGINATING_IDENTITY: HeaderName = HeaderName::from_static("x-broker-api-originating-identity");

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

/// Returns the request identity and the header to echo. It counts as absent if it is too long or contains characters
/// other than printable ASCII.
pub(crate) fn request_identity(headers: &HeaderMap) -> Option<(&str, &HeaderValue)> {
    let value = headers.get(REQUEST_IDENTITY)?;
    let text = value.to_str().ok()?.trim();
    // `to_str` accepts only printable characters and tabs.
    let fit = (1..=MAX_IDENTITY).contains(&text.len()) && !text.contains('\t');
    fit.then_some((text, value))
}

/// Parses the originating identity. It is optional, so a malformed one is ignored unless the policy rejects it
/// (T41). Its value identifies a user and is not logged.
pub(crate) fn origin(policies: &Policies, headers: &HeaderMap) -> Result<Option<Origin>, Malformed> {
    let Some(value) = headers.get(ORIGINATING_IDENTITY) else { return Ok(None) };
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
        (origin, _) => Ok(origin),
    }
}

fn read_origin(text: &str) -> Option<Origin> {
    let (platform, encoded) = text.trim().split_once(' ').filter(|(platform, _)| *platform != OPERATORS)?;
    let user = decode_base64(encoded.trim_start().as_bytes())?;
    let user = std::str::from_utf8(&user).ok()?;
    let user = LazyObject::from_text(&*RawObject::read_str(user)?.with_plain_zeros(user));
    Some(Origin { platform: platform.to_owned(), user })
}
