//! Statements that can't contain the text of a user unquoted. PostgreSQL takes bind parameters in queries only, so names,
//! passwords and comments become a part of other statements.

use serde::{Deserialize, Serialize};

/// The name of a database or of a role: `osb_` and the id of the operation that creates it, so that it doesn't depend on
/// the ids that platforms choose, which may contain any character.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct Name(String);

impl Name {
    pub(crate) fn new(operation: &str) -> Result<Self, String> {
        format!("osb_{operation}").try_into()
    }

    /// Returns the name without quotes, for bind parameters and credentials.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Name {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let digits = text.strip_prefix("osb_").unwrap_or_default();
        if digits.len() != 32 || digits.bytes().any(|byte| !matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
            return Err(format!("the name {text:?} is not `osb_` and 32 hexadecimal digits"));
        }
        Ok(Self(text))
    }
}

/// A value in a statement.
pub(crate) enum Value<'a> {
    Ident(&'a Name),
    /// An identifier that this program contains.
    Fixed(&'static str),
    Text(&'a str),
    Number(i32),
}

impl Value<'_> {
    fn quoted(&self) -> String {
        let identifier = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
        match self {
            Self::Ident(name) => identifier(&name.0),
            Self::Fixed(text) => identifier(text),
            // With E, the meaning of backslashes doesn't depend on the setting `standard_conforming_strings`.
            Self::Text(text) => format!(" E'{}'", text.replace('\\', r"\\").replace('\'', "''")),
            Self::Number(number) => number.to_string(),
        }
    }
}

/// Replaces `$1` to `$9` of a template, which is a literal of this program, with values.
pub(crate) fn sql(template: &'static str, values: &[Value<'_>]) -> String {
    let mut parts = template.split('$');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (digit, rest) = part.split_at(1);
        let number: usize = digit.parse().expect("a template has a digit after each $");
        text.extend([&values[number - 1].quoted(), rest]);
    }
    text
}
