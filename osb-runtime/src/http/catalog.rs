//! The catalog that is served.

use std::borrow::Cow;

use bytes::Bytes;
use http::HeaderValue;
use sha2::{Digest, Sha256};

/// The catalog's JSON and its `ETag`.
#[derive(Debug, Clone)]
pub(super) struct Served {
    pub(super) json: Bytes,
    pub(super) etag: HeaderValue,
}

impl Served {
    pub(super) fn new(json: Cow<'static, [u8]>) -> Self {
        let etag = etag(&json);
        let json = match json {
            Cow::Borrowed(constant) => Bytes::from_static(constant),
            Cow::Owned(json) => json.into(),
        };
        Self { json, etag }
    }
}

pub(super) fn etag(content: &[u8]) -> HeaderValue {
    let digits: String = Sha256::digest(content).iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    HeaderValue::try_from(format!("\"{digits}\"")).expect("hexadecimal digits in quotes")
}

#[cfg(test)]
#[path = "../../tests/unit/served.rs"]
mod tests;
