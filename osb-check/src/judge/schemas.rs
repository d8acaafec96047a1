//! Validates messages against JSON Schemas whose comments name the rules.

use std::collections::BTreeMap;

use jsonschema::Validator;
use serde_json::Value;

use super::Breach;

/// A set of definitions, one for each kind of message. A `$comment` begins with the rule for the schema around it.
#[derive(Debug, Default)]
pub struct Schemas {
    document: Value,
    validators: BTreeMap<String, Validator>,
}

impl Schemas {
    /// Reads a document of definitions; `None` if it is not a valid schema.
    pub fn read(document: &str) -> Option<Self> {
        let document: Value = serde_json::from_str(document).ok()?;
        let definitions = document["$defs"].as_object()?;
        let validator = |name: &String| {
            let mut schema = document.clone();
            schema["$ref"] = format!("#/$defs/{name}").into();
            Some((name.clone(), jsonschema::validator_for(&schema).ok()?))
        };
        let validators = definitions.keys().map(validator).collect::<Option<_>>()?;
        Some(Self { document, validators })
    }

    /// Returns the violations in a message. `otherwise` is the rule for places without a comment, and for an unknown
    /// definition.
    pub fn breaches(&self, definition: &str, message: &Value, otherwise: &'static str) -> Vec<Breach> {
        let Some(validator) = self.validators.get(definition) else {
            return vec![Breach::new(otherwise, format!("there is no definition `{definition}`"))];
        };
        let errors = validator.iter_errors(message);
        let breach = |error: jsonschema::ValidationError<'_>| {
            let comment = self.comment(definition, error.evaluation_path().as_str());
            let place = error.instance_path().to_string();
            let pointer = place.clone();
            let place = if place.is_empty() { "the body".to_owned() } else { format!("`{place}`") };
            // Without the value, which may be secret; the report shows the response anyway.
            let what = error.masked_with("the value");
            Breach {
                rule: comment.and_then(first_rule).unwrap_or(otherwise),
                what: format!("{place}: {what}"),
                comment: comment.map(str::to_owned),
                pointer,
            }
        };
        errors.map(breach).collect()
    }

    /// Finds the innermost comment on the evaluation path of an error.
    fn comment(&self, definition: &str, path: &str) -> Option<&str> {
        let (mut schema, mut comment) = (&self.document["$defs"][definition], None);
        // Skips the empty part before the first slash, and the reference to the definition.
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

/// Returns the rule at the beginning of a comment.
fn first_rule(comment: &str) -> Option<&'static str> {
    let id = comment.split([',', ':', ' ']).next()?;
    Some(crate::rules::rule(id)?.id)
}
