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
        let digest = Sha256::digest(&json);
        let etag: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        let etag = HeaderValue::try_from(format!("\"{etag}\"")).expect("hexadecimal digits in quotes");
        let json = match json {
            Cow::Borrowed(constant) => Bytes::from_static(constant),
            Cow::Owned(json) => json.into(),
        };
        Self { json, etag }
    }
}

#[cfg(test)]
#[path = "../../tests/unit/served.rs"]
mod tests;

#[cfg(test)]
#[path = "../../tests/unit/defaults.rs"]
mod defaults;

#[cfg(test)]
#[path = "../../tests/unit/catalog_json.rs"]
mod order;
