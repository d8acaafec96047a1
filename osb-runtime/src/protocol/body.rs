//! Parsing of JSON bodies. Errors are collected, so that one answer lists all of them. They contain the names and types
//! of fields, never values.

use serde_json::{Map, Value};

use super::{Context, parse::Malformed, uri::invalid_id_reason};
use crate::json::{self, LazyObject};

/// The errors found in a request.
#[derive(Debug, Default)]
pub(super) struct Problems(Vec<String>);

impl Problems {
    pub(super) fn add(&mut self, problem: impl Into<String>) {
        self.0.push(problem.into());
    }

    /// Returns the value, or records the error and returns the default.
    pub(super) fn take<T: Default>(&mut self, value: Result<T, Malformed>) -> T {
        value.unwrap_or_else(|malformed| {
            self.0.push(malformed.0);
            T::default()
        })
    }

    /// Returns the request if there are no errors.
    pub(super) fn into_result<T>(self, request: T) -> Result<T, Malformed> {
        if self.0.is_empty() { Ok(request) } else { Err(Malformed(self.0.join("; "))) }
    }
}

/// The fields of an object. `null` counts as absent; unknown fields are ignored (EXT-01).
pub(super) struct Fields {
    members: Map<String, Value>,
    /// The field `context`, if it is an object.
    context: Option<LazyObject>,
    /// The prefix of field names in errors: empty, or for example `bind_resource.`.
    within: &'static str,
}

impl Fields {
    pub(super) fn new(mut members: Map<String, Value>, within: &'static str) -> Self {
        let context = match members.get_mut("context") {
            Some(Value::Object(context)) => Some(std::mem::take(context).into()),
            _ => None,
        };
        Self { members, context, within }
    }

    /// Parses a body as a JSON object and ignores its `Content-Type` (HDR-08).
    pub(super) fn of_body(body: &[u8]) -> Result<Self, Malformed> {
        if body.iter().all(u8::is_ascii_whitespace) {
            return Err(Malformed::new("the body is empty; it has to be a JSON object"));
        }
        match json::object_with_lazy(body, "context") {
            Ok((members, context)) => Ok(Self { members, context, within: "" }),
            Err(error) => Err(match serde_json::from_slice(body) {
                Ok(other) => Malformed(format!("the body has to be a JSON object, not {}", kind(&other))),
                // Parsing a `Value` fails only for syntax errors, whose text contains no values.
                Err(syntax) if error.is_data() => Malformed(format!("the body is not JSON: {syntax}")),
                Err(_) => Malformed(format!("the body is not JSON: {error}")),
            }),
        }
    }

    fn take(&mut self, name: &str) -> Option<Value> {
        self.members.remove(name).filter(|value| !value.is_null())
    }

    /// Takes an optional string. `""` counts as absent, since Go structs serialize it that way (T39b).
    pub(super) fn text(&mut self, name: &str, problems: &mut Problems) -> Option<String> {
        match self.take(name)? {
            Value::String(text) => Some(text).filter(|text| !text.is_empty()),
            other => {
                problems.add(format!("`{}{name}` has to be a string, not {}", self.within, kind(&other)));
                None
            }
        }
    }

    /// Takes an optional string that must not be empty.
    pub(super) fn non_empty(&mut self, name: &str, problems: &mut Problems) -> Option<String> {
        if matches!(self.members.get(name), Some(Value::String(text)) if text.is_empty()) {
            problems.add(format!("`{}{name}` must not be empty", self.within));
        }
        self.text(name, problems)
    }

    /// Takes a required string. It is empty only if an error was recorded.
    pub(super) fn mandatory(&mut self, name: &str, problems: &mut Problems) -> String {
        if matches!(self.members.get(name), None | Some(Value::Null)) {
            problems.add(format!("`{}{name}` is missing", self.within));
        }
        self.non_empty(name, problems).unwrap_or_default()
    }

    /// Takes an optional id.
    pub(super) fn id<T: From<String>>(&mut self, name: &str, problems: &mut Problems) -> Option<T> {
        let text = self.text(name, problems)?;
        if let Some(why) = invalid_id_reason(&text) {
            problems.add(format!("`{}{name}` {why}", self.within));
        }
        Some(text.into())
    }

    /// Takes an optional object.
    pub(super) fn object(&mut self, name: &str, problems: &mut Problems) -> Option<Map<String, Value>> {
        match self.take(name)? {
            Value::Object(fields) => Some(fields),
            other => {
                problems.add(format!("`{}{name}` has to be an object, not {}", self.within, kind(&other)));
                None
            }
        }
    }

    /// Takes the optional `context`. `{}` counts as absent, since Go structs serialize it that way (T39b).
    pub(super) fn context(&mut self, problems: &mut Problems) -> Option<Context> {
        self.object("context", problems)?;
        self.context.take().filter(|context| !context.is_empty()).map(Context::from_fields)
    }

    /// Returns whether a field is `true`. Any other value counts as `false`.
    pub(super) fn flag(&self, name: &str) -> bool {
        self.members.get(name) == Some(&Value::Bool(true))
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
