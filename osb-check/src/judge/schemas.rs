//! Messages held against JSON Schemas whose comments name the rules.

use std::collections::BTreeMap;

use jsonschema::Validator;
use serde_json::{Map, Value, json};

use super::Breach;

/// A document of definitions, each a kind of message. A `$comment` begins with the rule of what is around.
#[derive(Debug)]
pub struct Schemas {
    document: Value,
    validators: BTreeMap<String, Validator>,
}

impl Schemas {
    /// Reads documents, whose definitions may refer to each other's: `None` if one of them is no schema.
    pub fn read(documents: &[&str]) -> Option<Self> {
        let mut definitions = Map::new();
        for document in documents {
            let document: Value = serde_json::from_str(document).ok()?;
            definitions.extend(document["$defs"].as_object()?.clone());
        }
        let dialect = "https://json-schema.org/draft/2020-12/schema";
        let document = json!({ "$schema": dialect, "$defs": definitions });
        let validator = |name: &String| {
            let mut schema = document.clone();
            schema["$ref"] = format!("#/$defs/{name}").into();
            Some((name.clone(), jsonschema::validator_for(&schema).ok()?))
        };
        let validators = definitions.keys().map(validator).collect::<Option<_>>()?;
        Some(Self { document, validators })
    }

    /// The document that all of them make.
    pub fn document(&self) -> &Value {
        &self.document
    }

    /// What is wrong with a message; nothing if it is a good one, or if there is no such definition. `otherwise` is the
    /// rule where no comment names one.
    pub fn breaches(&self, definition: &str, message: &Value, otherwise: &'static str) -> Vec<Breach> {
        let Some(validator) = self.validators.get(definition) else { return Vec::new() };
        let errors = validator.iter_errors(message);
        let breach = |error: jsonschema::ValidationError<'_>| {
            let comment = self.comment(definition, error.evaluation_path().as_str());
            let place = error.instance_path().to_string();
            let place = if place.is_empty() { "the body".to_owned() } else { format!("`{place}`") };
            // Without its value, which may be secret and is shown with the answer.
            let what = error.masked_with("it");
            Breach {
                rule: comment.and_then(first_rule).unwrap_or(otherwise),
                what: format!("{place}: {what}"),
                comment: comment.map(str::to_owned),
            }
        };
        errors.map(breach).collect()
    }

    /// The innermost comment on the way that a validation took.
    fn comment(&self, definition: &str, path: &str) -> Option<&str> {
        let (mut schema, mut comment) = (&self.document["$defs"][definition], None);
        // The first step is the reference to the definition.
        for step in path.split('/').skip(2) {
            comment = schema["$comment"].as_str().or(comment);
            schema = match (step, schema) {
                ("$ref", schema) => self.document.pointer(schema["$ref"].as_str()?.strip_prefix('#')?)?,
                (step, Value::Array(schemas)) => schemas.get(step.parse::<usize>().ok()?)?,
                (step, schema) => schema.get(step)?,
            };
        }
        schema["$comment"].as_str().or(comment)
    }
}

/// The rule that a comment begins with.
fn first_rule(comment: &str) -> Option<&'static str> {
    let id = comment.split([',', ':', ' ']).next()?;
    Some(crate::rules::rule(id)?.id)
}
