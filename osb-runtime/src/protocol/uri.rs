//! Percent-encoded ids in paths, and queries (URL-01).
//!
//! Hand-written, because `percent-encoding` accepts a `%` without two hexadecimal digits.

use std::borrow::Cow;

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

/// The parameters of a query: decoded names, and values that are decoded on access.
#[derive(Default)]
pub(crate) struct Query<'a>(Vec<(Cow<'a, str>, &'a str)>);

impl<'a> Query<'a> {
    pub(crate) fn of(raw: &'a str) -> Self {
        // Names and values are too short for the search of `str::split` to pay.
        let cut = |text: &'a str, at: u8| match text.bytes().position(|byte| byte == at) {
            Some(at) => (&text[..at], Some(&text[at + 1..])),
            None => (text, None),
        };
        let mut rest = Some(raw);
        let pairs = std::iter::from_fn(|| {
            let (pair, more) = cut(rest?, b'&');
            rest = more;
            Some(cut(pair, b'='))
        });
        Self(pairs.filter_map(|(name, value)| Some((decode(name, true)?, value.unwrap_or_default()))).collect())
    }

    /// Returns the value of a parameter, the first one if there are several.
    pub(crate) fn get(&self, name: &str) -> Result<Option<Cow<'a, str>>, Malformed> {
        let Some((_, value)) = self.0.iter().find(|(found, _)| found == name) else { return Ok(None) };
        let wrong = || Malformed::new(format!("the query parameter `{name}` is not percent-encoded UTF-8 without NUL"));
        decode(value, true).filter(|text| !text.contains('\0')).map(Some).ok_or_else(wrong)
    }
}
