//! Reading the fields of a JSON body. What is wrong is collected, so that one answer names all of it, and names fields and
//! types, never values.

use serde_json::{Map, Value};

use super::{parse::Malformed, uri::unfit};
use crate::json;

/// Everything wrong with a request.
#[derive(Debug, Default)]
pub(super) struct Problems(Vec<String>);

impl Problems {
    pub(super) fn add(&mut self, problem: impl Into<String>) {
        self.0.push(problem.into());
    }

    /// Takes a value, or notes why there is none.
    pub(super) fn take<T: Default>(&mut self, value: Result<T, Malformed>) -> T {
        value.unwrap_or_else(|malformed| {
            self.0.push(malformed.0);
            T::default()
        })
    }

    /// The request, if nothing is wrong with it.
    pub(super) fn unless_any<T>(self, request: T) -> Result<T, Malformed> {
        if self.0.is_empty() { Ok(request) } else { Err(Malformed(self.0.join("; "))) }
    }
}

/// The JSON object that a body has to be, whatever its `Content-Type` says (HDR-08).
pub(super) fn object(body: &[u8]) -> Result<Map<String, Value>, Malformed> {
    if body.iter().all(u8::is_ascii_whitespace) {
        return Err(Malformed::new("the body is empty; it has to be a JSON object"));
    }
    match json::from_slice(body) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(other) => Err(Malformed(format!("the body has to be a JSON object, not {}", kind(&other)))),
        // Into a `Value` only syntax can fail, and of that serde_json says what was expected and where.
        Err(error) => Err(Malformed(format!("the body is not JSON: {error}"))),
    }
}

/// An object whose known fields are taken out. `null` counts as absent; the rest is ignored (EXT-01).
pub(super) struct Fields {
    fields: Map<String, Value>,
    /// What to write before a field's name: `` or `bind_resource.`.
    within: &'static str,
}

impl Fields {
    pub(super) fn new(fields: Map<String, Value>, within: &'static str) -> Self {
        Self { fields, within }
    }

    fn take(&mut self, name: &str) -> Option<Value> {
        self.fields.remove(name).filter(|value| !value.is_null())
    }

    /// Text that may be absent; `""` counts as absent, as Go structs write it (T39b).
    pub(super) fn text(&mut self, name: &str, problems: &mut Problems) -> Option<String> {
        match self.take(name)? {
            Value::String(text) => Some(text).filter(|text| !text.is_empty()),
            other => {
                problems.add(format!("`{}{name}` has to be a string, not {}", self.within, kind(&other)));
                None
            }
        }
    }

    /// Text that may be absent, but not empty.
    pub(super) fn filled(&mut self, name: &str, problems: &mut Problems) -> Option<String> {
        if matches!(self.fields.get(name), Some(Value::String(text)) if text.is_empty()) {
            problems.add(format!("`{}{name}` must not be empty", self.within));
        }
        self.text(name, problems)
    }

    /// Text that has to be there; empty only if a problem was noted.
    pub(super) fn mandatory(&mut self, name: &str, problems: &mut Problems) -> String {
        if matches!(self.fields.get(name), None | Some(Value::Null)) {
            problems.add(format!("`{}{name}` is missing", self.within));
        }
        self.filled(name, problems).unwrap_or_default()
    }

    /// An identifier that may be absent.
    pub(super) fn id<T: From<String>>(&mut self, name: &str, problems: &mut Problems) -> Option<T> {
        let text = self.text(name, problems)?;
        if let Some(why) = unfit(&text) {
            problems.add(format!("`{}{name}` {why}", self.within));
        }
        Some(text.into())
    }

    /// An object that may be absent.
    pub(super) fn object(&mut self, name: &str, problems: &mut Problems) -> Option<Map<String, Value>> {
        match self.take(name)? {
            Value::Object(fields) => Some(fields),
            other => {
                problems.add(format!("`{}{name}` has to be an object, not {}", self.within, kind(&other)));
                None
            }
        }
    }

    /// An object that may be absent; `{}` counts as absent, as Go structs write it (T39b).
    pub(super) fn filled_object(&mut self, name: &str, problems: &mut Problems) -> Option<Map<String, Value>> {
        self.object(name, problems).filter(|fields| !fields.is_empty())
    }

    /// Whether a flag is set; anything but `true` is not.
    pub(super) fn flag(&self, name: &str) -> bool {
        self.fields.get(name) == Some(&Value::Bool(true))
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
