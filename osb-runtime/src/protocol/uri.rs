//! Percent-encoded ids in paths, and queries (URL-01).
//!
//! Hand-written, because `percent-encoding` accepts a `%` without two hexadecimal digits.

use std::borrow::Cow;

use memchr::{memchr, memchr3};
use osb_catalog::uri::decode;

use super::parse::Malformed;

/// Maximum length of an id in bytes. Platforms use GUIDs; stores limit the length of keys.
const MAX_ID: usize = 1024;

/// Decodes an id in a raw path. The path has to be split into segments before (T37).
pub(crate) fn path_id<T: for<'a> From<&'a str>>(segment: &str, name: &str) -> Result<T, Malformed> {
    let text = decode(segment, false).ok_or_else(|| {
        Malformed::new(format!("the {name} in the path is not percent-encoded UTF-8: `%` and two hexadecimal digits"))
    })?;
    match invalid_id_reason(&text) {
        None => Ok((&*text).into()),
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

/// The parameters of a query.
pub(crate) struct Query<'a> {
    raw: &'a str,
    /// False if no name and no value has an escape, which is usual.
    is_encoded: bool,
}

impl<'a> Query<'a> {
    pub(crate) fn of(raw: &'a str) -> Self {
        Self { raw, is_encoded: memchr3(b'%', b'+', b'\0', raw.as_bytes()).is_some() }
    }

    /// Returns the value of a parameter, the first one if there are several.
    pub(crate) fn get(&self, name: &str) -> Result<Option<Cow<'a, str>>, Malformed> {
        let mut pairs = std::iter::successors(Some(cut(self.raw, b'&')), |(_, more)| Some(cut((*more)?, b'&')));
        let Some(value) = pairs.find_map(|(pair, _)| self.value(pair, name)) else { return Ok(None) };
        let wrong = || Malformed::new(format!("the query parameter `{name}` is not percent-encoded UTF-8 without NUL"));
        self.decode(value).map(Some).ok_or_else(wrong)
    }

    /// Returns the value in a pair, if it has this name.
    fn value(&self, pair: &'a str, name: &str) -> Option<&'a str> {
        if self.is_encoded {
            let (raw, value) = cut(pair, b'=');
            return (self.decode(raw)? == name).then(|| value.unwrap_or_default());
        }
        let rest = pair.strip_prefix(name)?;
        rest.strip_prefix('=').or(rest.is_empty().then_some(""))
    }

    fn decode(&self, text: &'a str) -> Option<Cow<'a, str>> {
        if self.is_encoded { decode(text, true).filter(|text| !text.contains('\0')) } else { Some(text.into()) }
    }
}

/// Splits a text at a byte, which is ASCII.
pub(super) fn cut(text: &str, at: u8) -> (&str, Option<&str>) {
    memchr(at, text.as_bytes()).map_or((text, None), |at| (&text[..at], Some(&text[at + 1..])))
}
