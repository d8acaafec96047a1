//! The rules for a schema document: the metaschema of draft-04, and those of Cloud Foundry, which refuses the whole
//! catalog of a broker with a document that breaks one. They are checked in documents that no constant holds: those of
//! foreign types when a program starts, and those of any broker by the checker.

use std::{collections::HashSet, fmt};

use regex_syntax::ast::{ErrorKind, parse::Parser};
use serde_json::Value;

use super::{DRAFT_04, MAX_BYTES, canonical, json::counted_len, recursion::endless};
use crate::{
    json::{Json, Members, pointer},
    uri,
};

/// A rule that a schema document breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaProblem {
    /// The id of the rule.
    pub rule: &'static str,
    /// The location as a URI fragment, such as `#/properties/size`.
    pub pointer: String,
    /// The problem.
    pub message: String,
}

impl fmt::Display for SchemaProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.pointer {
            "#" => f.write_str(&self.message),
            pointer => write!(f, "{pointer}: {}", self.message),
        }
    }
}

/// The dialects that Cloud Foundry accepts, apart from a `#` at the end. It requires the metaschema of draft-04 of all.
const DIALECTS: [&str; 3] = [
    "http://json-schema.org/draft-04/schema",
    "http://json-schema.org/draft-06/schema",
    "http://json-schema.org/draft-03/schema",
];

/// Keywords of later drafts without an equivalent in draft-04, whose validators ignore them.
const LATER_KEYWORDS: [&str; 18] = [
    "const",
    "if",
    "then",
    "else",
    "contains",
    "minContains",
    "maxContains",
    "propertyNames",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedProperties",
    "unevaluatedItems",
    "prefixItems",
    "$defs",
    "$anchor",
    "$dynamicRef",
    "$dynamicAnchor",
    "$recursiveRef",
];

/// The values that a keyword can have.
#[derive(Clone, Copy)]
enum Shape {
    Boolean,
    BooleanOrSchema,
    Count,
    Dependencies,
    /// A boolean beside this bound.
    Exclusive(&'static str),
    Number,
    Pattern,
    Positive,
    Reference,
    Schema,
    /// A list of schemas.
    SchemaList,
    SchemaOrList,
    /// An object of schemas.
    Schemas,
    /// The same, with patterns as names.
    SchemasByPattern,
    String,
    /// A list of strings.
    Strings,
    Type,
    /// A list of values.
    Values,
}

impl Shape {
    /// Returns the message about a value that has another shape.
    fn refusal(self, value: &Json) -> String {
        let problem = match self {
            Self::Boolean => "not true or false",
            Self::BooleanOrSchema => "neither a schema nor true or false",
            Self::Count => "not a whole number of 0 or more without a decimal point",
            Self::Dependencies => "not an object of schemas and lists of names",
            Self::Exclusive(_) => return "in draft-04 this is a boolean beside the bound".to_owned(),
            Self::Number => "not a number",
            Self::Pattern => "not a regular expression",
            Self::Positive => "not a number greater than 0",
            Self::Reference => "not a reference",
            Self::Schema => "not a schema in draft-04, which allows only objects",
            Self::SchemaList | Self::Strings | Self::Values => {
                return "draft-04 requires a list here that is not empty".to_owned();
            }
            Self::SchemaOrList => "neither a schema nor a list of schemas",
            Self::Schemas | Self::SchemasByPattern => "not an object of schemas",
            Self::String => "not a string",
            Self::Type => "neither a type nor a list of types",
        };
        format!("{value} is {problem}")
    }
}

/// The keywords of draft-04. Others are ignored, as the metaschema does.
const KEYWORDS: [(&str, Shape); 32] = [
    ("$ref", Shape::Reference),
    ("additionalItems", Shape::BooleanOrSchema),
    ("additionalProperties", Shape::BooleanOrSchema),
    ("allOf", Shape::SchemaList),
    ("anyOf", Shape::SchemaList),
    ("definitions", Shape::Schemas),
    ("dependencies", Shape::Dependencies),
    ("description", Shape::String),
    ("enum", Shape::Values),
    ("exclusiveMaximum", Shape::Exclusive("maximum")),
    ("exclusiveMinimum", Shape::Exclusive("minimum")),
    ("format", Shape::String),
    ("id", Shape::String),
    ("items", Shape::SchemaOrList),
    ("maxItems", Shape::Count),
    ("maxLength", Shape::Count),
    ("maxProperties", Shape::Count),
    ("maximum", Shape::Number),
    ("minItems", Shape::Count),
    ("minLength", Shape::Count),
    ("minProperties", Shape::Count),
    ("minimum", Shape::Number),
    ("multipleOf", Shape::Positive),
    ("not", Shape::Schema),
    ("oneOf", Shape::SchemaList),
    ("pattern", Shape::Pattern),
    ("patternProperties", Shape::SchemasByPattern),
    ("properties", Shape::Schemas),
    ("required", Shape::Strings),
    ("title", Shape::String),
    ("type", Shape::Type),
    ("uniqueItems", Shape::Boolean),
];

/// The types of draft-04.
const TYPES: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];

/// Returns the rules that the schema of any broker breaks: the metaschema of draft-04, and those of Cloud Foundry.
#[must_use]
pub fn schema_problems(document: &Json) -> Vec<SchemaProblem> {
    let mut checker = Checker::new(document, false);
    if let Some(dialect) = document.get("$schema") {
        let known = dialect.as_str().is_some_and(|text| DIALECTS.contains(&text.strip_suffix('#').unwrap_or(text)));
        if !known {
            checker.wrong("CAT-54", format!("`$schema` is {dialect}, but Cloud Foundry knows only \"{DRAFT_04}\""));
        }
    }
    checker.document();
    checker.found
}

/// Checks that all platforms accept `document` as a schema of parameters, and returns all problems otherwise. Keywords that
/// draft-04 validators would ignore are problems too.
pub fn check_document(document: &Json) -> Result<(), Vec<SchemaProblem>> {
    let mut checker = Checker::new(document, true);
    match document.get("$schema") {
        Some(dialect) if dialect.as_str() == Some(DRAFT_04) => {}
        Some(other) => {
            checker.wrong("CAT-54", format!("`$schema` is {other}, but platforms accept only \"{DRAFT_04}\""));
        }
        None => checker.wrong("CAT-51", format!("`$schema` is missing; it has to be \"{DRAFT_04}\"")),
    }
    if document["type"].as_str() != Some("object") {
        checker.wrong("CAT-55", "`type` has to be \"object\": parameters have names");
    }
    checker.document();
    if checker.found.is_empty() { Ok(()) } else { Err(checker.found) }
}

struct Identified<'a> {
    id: &'a str,
    schema: &'a Json,
    pointer: String,
}

struct Reference<'a> {
    /// The value of `$ref`.
    value: &'a Json,
    target: &'a str,
    pointer: String,
    /// The index of the schema that it is relative to.
    base: usize,
}

struct Checker<'a> {
    document: &'a Json,
    /// True if what some platform or validator ignores or confuses is reported too.
    is_strict: bool,
    pointer: String,
    /// The schemas that have an `id`, which references are relative to within them. The first is the document.
    identified: Vec<Identified<'a>>,
    /// The index of the innermost of them around the place.
    base: usize,
    references: Vec<Reference<'a>>,
    found: Vec<SchemaProblem>,
}

impl<'a> Checker<'a> {
    fn new(document: &'a Json, is_strict: bool) -> Self {
        let pointer = "#".to_owned();
        let root =
            Identified { id: id_of(document).unwrap_or_default(), schema: document, pointer: format!("{pointer}/id") };
        Self {
            document,
            is_strict,
            pointer,
            identified: vec![root],
            base: 0,
            references: Vec::new(),
            found: Vec::new(),
        }
    }

    fn wrong(&mut self, rule: &'static str, message: impl Into<String>) {
        self.found.push(SchemaProblem { rule, pointer: self.pointer.clone(), message: message.into() });
    }

    /// Reports a value that the metaschema of draft-04 rejects.
    fn reject(&mut self, message: impl Into<String>) {
        self.wrong("CAT-54", message);
    }

    /// Runs `check` one level deeper.
    fn at(&mut self, name: &str, check: impl FnOnce(&mut Self)) {
        let length = self.pointer.len();
        self.pointer = pointer::member(&self.pointer, name);
        check(self);
        self.pointer.truncate(length);
    }

    fn document(&mut self) {
        let size = counted_len(self.document.to_string().as_bytes());
        if size > MAX_BYTES {
            self.wrong("CAT-53", format!("the schema has {size} characters, but platforms accept at most {MAX_BYTES}"));
        }
        self.schema(self.document);
        self.references();
    }

    fn references(&mut self) {
        if self.is_strict && !self.references.is_empty() {
            for one in self.identified.iter().filter(|one| !one.id.is_empty()) {
                let message = "Cloud Foundry remembers schemas of all brokers by their `id`, and follows a reference in another \
                               one with this `id`; remove it";
                let (pointer, message) = (one.pointer.clone(), message.to_owned());
                self.found.push(SchemaProblem { rule: "CAT-54", pointer, message });
            }
        }
        let (mut followed, mut places) = (Vec::new(), Vec::new());
        for Reference { value, target, pointer, base } in std::mem::take(&mut self.references) {
            let (document, fragment) = target.split_once('#').unwrap_or((target, ""));
            let schema = match document {
                "" => Some(self.identified[base].schema),
                id => self.identified.iter().find(|one| one.id == id).map(|one| one.schema),
            };
            let (rule, message) = match schema.map(|schema| resolve(schema, fragment)) {
                None => ("CAT-52", "platforms reject references to other documents".to_owned()),
                Some(None) => ("CAT-54", format!("the reference \"{target}\" leads to nothing in the schema")),
                Some(Some(schema)) => {
                    followed.push((value, schema));
                    places.push(pointer);
                    continue;
                }
            };
            self.found.push(SchemaProblem { rule, pointer, message });
        }
        for index in endless(&followed) {
            let message = "the reference leads back to itself for the same value, so validators never finish";
            let (pointer, message) = (places[index].clone(), message.to_owned());
            self.found.push(SchemaProblem { rule: "CAT-54", pointer, message });
        }
    }

    fn schema(&mut self, schema: &'a Json) {
        let Json::Object(members) = schema else {
            return self.reject(Shape::Schema.refusal(schema));
        };
        let outer = self.base;
        if let Some(id) = id_of(schema).filter(|_| self.pointer != "#") {
            self.base = self.identified.len();
            self.identified.push(Identified { id, schema, pointer: format!("{}/id", self.pointer) });
        }
        for (word, value) in members.iter() {
            self.at(word, |this| this.keyword(word, value, members));
        }
        self.base = outer;
    }

    fn keyword(&mut self, word: &str, value: &'a Json, siblings: &Members) {
        let is_inside = self.pointer.matches('/').count() > 1;
        match word {
            "$schema" if is_inside => self.reject("`$schema` belongs at the top of the document only"),
            // A keyword of draft-03, in which Cloud Foundry follows references.
            "extends" if value.as_str().is_some() => {
                return self.wrong("CAT-52", "platforms reject references to other documents");
            }
            word if self.is_strict && LATER_KEYWORDS.contains(&word) => {
                return self.reject(format!("draft-04 does not define `{word}`, and validators ignore it"));
            }
            _ => {}
        }
        let Some((_, shape)) = KEYWORDS.iter().find(|(known, _)| *known == word) else { return };
        self.value(*shape, value, siblings);
    }

    fn value(&mut self, shape: Shape, value: &'a Json, siblings: &Members) {
        match (shape, value) {
            (Shape::Boolean | Shape::BooleanOrSchema, Json::Bool(_))
            | (Shape::String, Json::String(_))
            | (Shape::Number, Json::Number(_)) => {}
            (Shape::Count, Json::Number(number)) if number.is_u64() => {}
            (Shape::Positive, Json::Number(number)) if number.as_f64().is_some_and(|number| number > 0.0) => {}
            (Shape::Schema | Shape::BooleanOrSchema | Shape::SchemaOrList, Json::Object(_)) => self.schema(value),
            (Shape::SchemaList | Shape::SchemaOrList, Json::Array(schemas)) if !schemas.is_empty() => {
                for (index, schema) in schemas.iter().enumerate() {
                    self.at(&index.to_string(), |this| this.schema(schema));
                }
            }
            (Shape::Schemas | Shape::SchemasByPattern, Json::Object(schemas)) => {
                for (name, schema) in schemas.iter() {
                    self.at(name, |this| {
                        if let (Shape::SchemasByPattern, Some(reason)) = (shape, invalid_pattern(name)) {
                            this.reject(format!("the name is not a regular expression: {reason}"));
                        }
                        this.schema(schema);
                    });
                }
            }
            (Shape::Dependencies, Json::Object(dependencies)) => {
                for (name, dependency) in dependencies.iter() {
                    self.at(name, |this| match dependency {
                        Json::Object(_) => this.schema(dependency),
                        _ => this.value(Shape::Strings, dependency, siblings),
                    });
                }
            }
            (Shape::Strings | Shape::Values, Json::Array(items)) if !items.is_empty() => {
                self.distinct(items, matches!(shape, Shape::Strings));
            }
            (Shape::Exclusive(bound), Json::Bool(_)) => {
                if siblings.get(bound).is_none() {
                    self.reject(format!("draft-04 requires `{bound}` beside it"));
                }
            }
            (Shape::Pattern, Json::String(source)) => {
                if let Some(reason) = invalid_pattern(source) {
                    self.reject(format!("{value} is not a regular expression: {reason}"));
                }
            }
            (Shape::Type, Json::String(_)) => self.type_names(std::slice::from_ref(value)),
            (Shape::Type, Json::Array(names)) if !names.is_empty() => self.type_names(names),
            (Shape::Reference, Json::String(target)) if target.trim_end_matches('#') == DIALECTS[0] => {}
            (Shape::Reference, Json::String(target)) => {
                self.references.push(Reference { value, target, pointer: self.pointer.clone(), base: self.base });
            }
            _ => self.reject(shape.refusal(value)),
        }
    }

    /// Checks a list whose items have to be different.
    fn distinct(&mut self, items: &[Json], are_strings: bool) {
        let mut seen = HashSet::new();
        for (index, item) in items.iter().enumerate() {
            if are_strings && item.as_str().is_none() {
                self.at(&index.to_string(), |this| this.reject(format!("{item} is not a string")));
            } else if !seen.insert(canonical(&Value::from(item.clone()))) {
                self.at(&index.to_string(), |this| this.reject(format!("{item} is already in the list")));
            }
        }
    }

    fn type_names(&mut self, names: &[Json]) {
        for name in names {
            if !name.as_str().is_some_and(|name| TYPES.contains(&name)) {
                self.reject(format!("{name} is not a type; the types are {}", TYPES.join(", ")));
            }
        }
        self.distinct(names, false);
    }
}

/// Returns the `id` of a schema without the `#` at its end. One that only names a fragment changes no reference.
fn id_of(schema: &Json) -> Option<&str> {
    let id = schema.get("id")?.as_str()?;
    Some(id.strip_suffix('#').unwrap_or(id)).filter(|id| !id.is_empty() && !id.starts_with('#'))
}

/// Returns the value in the schema to which the fragment of a reference leads. Cloud Foundry knows no fragments but pointers.
fn resolve<'a>(schema: &'a Json, fragment: &str) -> Option<&'a Json> {
    let pointer = uri::decode(fragment, false).filter(|pointer| pointer.is_empty() || pointer.starts_with('/'))?;
    pointer::steps(&pointer).try_fold(schema, |value, name| match value {
        Json::Array(items) => name.parse().ok().and_then(|index: usize| items.get(index)),
        value => value.get(&name),
    })
}

/// Returns the reason why no regular expression is written like this, in any dialect. Syntax that only some dialects have
/// is accepted.
fn invalid_pattern(source: &str) -> Option<String> {
    let error = Parser::new().parse(source).err()?;
    let is_wrong_everywhere = matches!(
        error.kind(),
        ErrorKind::ClassRangeInvalid
            | ErrorKind::ClassUnclosed
            | ErrorKind::EscapeUnexpectedEof
            | ErrorKind::GroupUnclosed
            | ErrorKind::GroupUnopened
            | ErrorKind::RepetitionCountInvalid
            | ErrorKind::RepetitionMissing
    );
    is_wrong_everywhere.then(|| error.kind().to_string())
}
