//! Reading JSON with exact numbers.

use std::fmt;

use serde::{
    Deserializer,
    de::{DeserializeOwned, DeserializeSeed, MapAccess, SeqAccess, Visitor},
};
use serde_json::Error;

use super::{Json, Members};

/// Reads JSON; every number becomes the closest double, so a number that was printed is read as it was.
///
/// # Errors
///
/// If the text isn't JSON, or isn't a `T`.
pub fn from_slice<T: DeserializeOwned>(text: &[u8]) -> Result<T, Error> {
    // Without fractions there is nothing that serde_json could read differently.
    if Floats(text).next().is_none() {
        return serde_json::from_slice(text);
    }
    T::deserialize(Json::read(text)?)
        // For its error, which has the position in the text.
        .or_else(|_| serde_json::from_slice(text))
}

/// [`from_slice`] for a string.
///
/// # Errors
///
/// If the text isn't JSON, or isn't a `T`.
pub fn from_str<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    from_slice(text.as_bytes())
}

/// The numbers of a text that are read as floats, in order. While it reads values, it gives each float that serde_json
/// meets its exact value: without `float_roundtrip` serde_json's own may be the next one or the one after that.
pub(super) struct Floats<'t>(pub(super) &'t [u8]);

impl Iterator for Floats<'_> {
    type Item = f64;

    fn next(&mut self) -> Option<f64> {
        loop {
            let at = self.0.iter().position(|byte| matches!(byte, b'"' | b'-' | b'0'..=b'9'))?;
            if self.0[at] == b'"' {
                self.0 = after_string(&self.0[at + 1..])?;
                continue;
            }
            let text = &self.0[at..];
            let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-');
            let end = text.iter().position(|byte| !is_part(byte)).unwrap_or(text.len());
            let (number, rest) = text.split_at(end);
            self.0 = rest;
            if let Some(float) = float(number) {
                return Some(float);
            }
        }
    }
}

/// Returns the rest of a JSON text after a string whose opening quote has been read; `None` if the string does not end.
///
/// ```
/// # use osb_catalog::json::after_string;
/// assert_eq!(after_string(br#"a\"b", 1]"#), Some(&b", 1]"[..]));
/// ```
#[must_use]
pub fn after_string(mut text: &[u8]) -> Option<&[u8]> {
    loop {
        let at = plain_len(text);
        match text.get(at)? {
            b'"' => return text.get(at + 1..),
            b'\\' => text = text.get(at + 2..)?,
            // No string of JSON has it, but not every text is JSON.
            _control => text = &text[at + 1..],
        }
    }
}

/// Returns the number of bytes before the first one that is a quote, a backslash or a control character.
#[must_use]
#[inline]
pub(super) fn plain_len(text: &[u8]) -> usize {
    const ONES: u64 = u64::MAX / 0xFF;
    const HIGH: u64 = ONES << 7;
    // Sets the high bit of the first byte that is less than `n`, and maybe of later ones.
    let less = |word: u64, n: u64| word.wrapping_sub(ONES * n) & !word;
    let (words, rest) = text.as_chunks::<8>();
    for (at, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        // With this bit flipped, a quote follows the control characters.
        let special = (less(word ^ (ONES * 2), 0x21) | less(word ^ (ONES * u64::from(b'\\')), 1)) & HIGH;
        if special != 0 {
            return at * 8 + special.trailing_zeros() as usize / 8;
        }
    }
    let is_special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
    text.len() - rest.len() + rest.iter().position(is_special).unwrap_or(rest.len())
}

/// The value of a number, unless it is an integer that serde_json reads as one.
fn float(number: &[u8]) -> Option<f64> {
    let number = std::str::from_utf8(number).ok()?;
    let is_integer = number.parse::<i64>().is_ok() || number.parse::<u64>().is_ok();
    if is_integer && number != "-0" { None } else { number.parse().ok() }
}

fn number(text: &str) -> Option<Json> {
    let whole = || text.parse::<i64>().map(Json::from).or_else(|_| text.parse::<u64>().map(Json::from)).ok();
    float(text.as_bytes()).filter(|number| number.is_finite()).map(Json::from).or_else(whole)
}

impl<'de> DeserializeSeed<'de> for &mut Floats<'_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for &mut Floats<'_> {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, nearly: f64) -> Result<Json, E> {
        Ok(self.next().filter(|exact| exact.is_finite()).unwrap_or(nearly).into())
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(text.into())
    }

    fn visit_string<E>(self, text: String) -> Result<Json, E> {
        Ok(Json::String(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = array.next_element_seed(&mut *self)? {
            items.push(item);
        }
        Ok(Json::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Json, A::Error> {
        let mut members: Vec<(String, Json)> = Vec::new();
        while let Some(name) = object.next_key::<String>()? {
            let value = object.next_value_seed(&mut *self)?;
            // With `arbitrary_precision`, serde_json gives each number as an object of its text.
            if name == "$serde_json::private::Number"
                && let Some(number) = value.as_str().and_then(number)
            {
                return Ok(number);
            }
            members.push((name, value));
        }
        Ok(Json::Object(Members(members)))
    }
}
