//! Percent-encoded ids in paths, and queries (URL-01).
//!
//! Hand-written, because `percent-encoding` accepts a `%` without two hexadecimal digits.

use std::borrow::Cow;

use osb_catalog::uri::decode;

use super::parse::Malformed;

/// Maximum length of an id in bytes. Platforms use GUIDs; stores limit the length of keys.
const MAX_ID: usize = 1024;

/// Decodes an id in a raw path. The path has to be split into segments before (T37).
pub(crate) fn path_id<T: From<String>>(segment: &str, name: &str) -> Result<T, Malformed> {
    let text = decode(segment, false).ok_or_else(|| {
        Malformed::new(format!("the {name} in the path is not percent-encoded UTF-8: `%` and two hexadecimal digits"))
    })?;
    match invalid_id_reason(&text) {
        None => Ok(text.into_owned().into()),
        Some(why) => Err(Malformed::new(format!("the {name} in the path {why}"))),
    }
}

/// Returns the reason if a text is not a valid id. Otherwise an id may contain any character.
pub(crate) fn invalid_id_reason(id: &str) -> Option<&'static str> {
    if id.is_empty() {
        Some("must not be empty")
    } else if id.len() > MAX_ID {
        Some("must not be longer than 1024 bytes")
    } else if id.contains('\0') {
        // PostgreSQL can't store it.
        Some("must not contain U+0000")
    } else {
        None
    }
}

/// A raw query, whose parameters are decoded on access.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Query<'a>(pub(crate) &'a str);

impl<'a> Query<'a> {
    /// Returns the value of a parameter, the first one if there are several.
    pub(crate) fn get(self, name: &str) -> Result<Option<Cow<'a, str>>, Malformed> {
        for pair in self.0.split('&') {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            if key == name || decode(key, true).as_deref() == Some(name) {
                return match decode(value, true) {
                    Some(value) => Ok(Some(value)),
                    None => Err(Malformed::new(format!("the query parameter `{name}` is not percent-encoded UTF-8"))),
                };
            }
        }
        Ok(None)
    }
}
