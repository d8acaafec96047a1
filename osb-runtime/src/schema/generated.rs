//! What the code that `#[parameters]` writes calls.

use regex::Regex;

use super::{Literal, Parameter, Schema, message::Message};

/// The compiled form of a pattern that the macro has compiled before.
#[must_use]
pub fn compiled(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap_or_else(|error| panic!("the macro has accepted a pattern that doesn't compile: {error}"))
}

/// The value of a default that no literal of Rust stands for.
///
/// [`decode`](super::decode) has filled in defaults before serde asks for them, so that a request can't get here.
#[must_use]
pub fn default_value<T: Parameter>(literal: &Literal) -> T {
    T::deserialize(serde_json::Value::from(literal))
        .unwrap_or_else(|error| panic!("the default of a {} can't be read: {error}", std::any::type_name::<T>()))
}

/// See [`Parameter::WITHOUT_PARTIAL`].
#[must_use]
pub const fn without_partial(schema: &Schema, name: &'static str) -> Option<&'static str> {
    if schema.has_gaps() { Some(name) } else { None }
}

/// Whether a field can stand in a type with a partial type.
#[track_caller]
pub const fn check_partial(without: Option<&str>, hidden_option: bool, field: &str) {
    if let Some(name) = without {
        Message::new("")
            .name(name)
            .text(" has properties that may be absent, and no partial type to change them one by one; help: write `#[parameters(partial = ")
            .text(name)
            .text("Changes)]` on it")
            .panic();
    }
    if hidden_option {
        Message::new("the type of ")
            .name(field)
            .text(" hides an `Option`; help: write `Option<...>` here, so that `null` can reset it")
            .panic();
    }
}

/// How long [`quoted`] makes a text.
#[must_use]
pub const fn quoted_len(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut at, mut len) = (0, 2);
    while at < bytes.len() {
        len += escape(bytes[at]).1;
        at += 1;
    }
    len
}

/// `text` as a JSON string, quotes included.
#[must_use]
pub const fn quoted<const LEN: usize>(text: &str) -> [u8; LEN] {
    let bytes = text.as_bytes();
    let mut out = [b'"'; LEN];
    let (mut at, mut to) = (0, 1);
    while at < bytes.len() {
        let (escape, len) = escape(bytes[at]);
        let mut part = 0;
        while part < len {
            out[to + part] = escape[part];
            part += 1;
        }
        to += len;
        at += 1;
    }
    out
}

/// The text that `bytes` are.
#[must_use]
pub const fn text_of(bytes: &'static [u8]) -> &'static str {
    match core::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => panic!("a text that is no text"),
    }
}

/// How a byte of a JSON string is written, and with how many bytes.
const fn escape(byte: u8) -> ([u8; 6], usize) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    match byte {
        b'"' | b'\\' => ([b'\\', byte, 0, 0, 0, 0], 2),
        0..0x20 => ([b'\\', b'u', b'0', b'0', HEX[(byte >> 4) as usize], HEX[(byte & 15) as usize]], 6),
        _ => ([byte, 0, 0, 0, 0, 0], 1),
    }
}
