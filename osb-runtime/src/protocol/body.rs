//! Parsing of JSON bodies. Errors are collected, so that one answer lists all of them. They contain the names and types
//! of fields, never values.

use serde_json::{Map, Value};

use super::{parse::Malformed, uri::invalid_id_reason};
use crate::json::{self, LazyObject, RawObject};

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
pub(super) struct Fields<'t> {
    object: RawObject<'t>,
    /// The prefix of field names in errors: empty, or for example `bind_resource.`.
    within: &'static str,
}

impl<'t> Fields<'t> {
    /// Parses a body as a JSON object and ignores its `Content-Type` (HDR-08).
    pub(super) fn of_body(body: &'t [u8]) -> Result<Self, Malformed> {
        if let Some(object) = RawObject::read(body) {
            return Ok(Self { object, within: "" });
        }
        if body.trim_ascii().is_empty() {
            return Err(Malformed::new("the body is empty; it has to be a JSON object"));
        }
        let too_deep = || Malformed(format!("the body is nested deeper than {} levels", json::MAX_DEPTH));
        Err(match serde_json::from_slice::<Value>(body) {
            Ok(Value::Object(_)) => too_deep(),
            Err(error) if error.to_string().starts_with("recursion limit exceeded") => too_deep(),
            Ok(other) => Malformed(format!("the body has to be a JSON object, not {}", kind(&other.to_string()))),
            // Numbers beyond `f64` and lone surrogates end here, too. The message of serde_json quotes no values.
            Err(error) => Malformed(format!("the body can't be read as JSON: {error}")),
        })
    }

    /// Returns the text of a field's value.
    fn get(&self, name: &str) -> Option<&str> {
        self.object.get(name).filter(|text| *text != "null")
    }

    /// Returns a field's value if `read` can read it, and records an error otherwise.
    fn read<'f, T>(
        &'f self,
        name: &str,
        expected: &str,
        problems: &mut Problems,
        read: impl FnOnce(&'f str) -> Option<T>,
    ) -> Option<T> {
        let text = self.get(name)?;
        let value = read(text);
        if value.is_none() {
            problems.add(format!("`{}{name}` has to be {expected}, not {}", self.within, kind(text)));
        }
        value
    }

    /// Returns an optional string. `""` counts as absent, since Go structs serialize it that way (T39b).
    pub(super) fn text(&self, name: &str, problems: &mut Problems) -> Option<String> {
        self.read(name, "a string", problems, json::string).filter(|text| !text.is_empty()).map(Into::into)
    }

    /// Returns an optional string that must not be empty.
    pub(super) fn non_empty(&self, name: &str, problems: &mut Problems) -> Option<String> {
        let text = self.read(name, "a string", problems, json::string)?;
        if text.is_empty() {
            problems.add(format!("`{}{name}` must not be empty", self.within));
        }
        (!text.is_empty()).then(|| text.into_owned())
    }

    /// Returns a required string. It is empty only if an error was recorded.
    pub(super) fn mandatory(&self, name: &str, problems: &mut Problems) -> String {
        let known = problems.0.len();
        let text = self.non_empty(name, problems);
        if text.is_none() && problems.0.len() == known {
            problems.add(format!("`{}{name}` is missing", self.within));
        }
        text.unwrap_or_default()
    }

    pub(super) fn id<T: From<String>>(&self, name: &str, problems: &mut Problems) -> Option<T> {
        let text = self.text(name, problems)?;
        if let Some(why) = invalid_id_reason(&text) {
            problems.add(format!("`{}{name}` {why}", self.within));
        }
        Some(text.into())
    }

    /// Returns the fields of an optional object; its own fields are named `within` in errors.
    pub(super) fn fields(&self, name: &str, within: &'static str, problems: &mut Problems) -> Option<Fields<'_>> {
        let object = self.read(name, "an object", problems, RawObject::read_str)?;
        Some(Fields { object, within })
    }

    pub(super) fn object(&self, name: &str, problems: &mut Problems) -> Option<Map<String, Value>> {
        self.read(name, "an object", problems, |text| self.object.object(text))
    }

    /// Returns the optional `context`. `{}` counts as absent, since Go structs serialize it that way (T39b).
    pub(super) fn context(&self, problems: &mut Problems) -> Option<LazyObject> {
        let is_object = |text: &&str| text.starts_with('{');
        let text = self.read("context", "an object", problems, |text| Some(text).filter(is_object))?;
        Some(LazyObject::from_text(&*self.object.with_plain_zeros(text))).filter(|context| !context.is_empty())
    }

    /// Returns whether a field is `true`. Any other value counts as `false`.
    pub(super) fn flag(&self, name: &str) -> bool {
        self.get(name) == Some("true")
    }
}

/// Returns the kind of a value from its text.
fn kind(text: &str) -> &'static str {
    match text.as_bytes().first() {
        Some(b'n') | None => "null",
        Some(b't' | b'f') => "a boolean",
        Some(b'"') => "a string",
        Some(b'[') => "an array",
        Some(b'{') => "an object",
        Some(_) => "a number",
    }
}
