//! Limits the work of a search: a few lines of a hostile schema can have more alternatives than can be tried.

use std::{cell::Cell, collections::HashMap, ptr};

use jsonschema::{PatternOptions, Validator};
use serde_json::{Map, Value};

/// The limit of a search, in evaluations of a schema on a value: a second or two.
const MOST: u64 = 10_000_000;

/// The cost of resolving a schema into its alternatives, which copies it.
const RESOLVING: u64 = 500;

/// The cost of matching a pattern, and the limit of a match that goes back and tries again.
const MATCHING: u64 = 100;
const BACKTRACKS: usize = 10_000;

/// The limit of schemas within each other, which keeps the stack small.
const DEEPEST: usize = 200;

/// A search for parameters of a schema.
pub(super) struct Search<'s> {
    pub(super) schema: &'s Value,
    validator: Validator,
    left: Cell<u64>,
}

impl<'s> Search<'s> {
    /// Begins a search; `None` if the schema is invalid.
    pub(super) fn new(schema: &'s Value) -> Option<Self> {
        let patterns = PatternOptions::fancy_regex().backtrack_limit(BACKTRACKS);
        let validator = jsonschema::options().with_pattern_options(patterns).build(schema).ok()?;
        Some(Self { schema, validator, left: Cell::new(MOST) })
    }

    /// Returns whether the limit allows to resolve another schema.
    pub(super) fn resolves(&self) -> bool {
        self.spend(RESOLVING)
    }

    /// Returns whether the schema accepts a value; `None` once the limit is reached.
    pub(super) fn is_valid(&self, value: &Value) -> Option<bool> {
        let evaluations = Evaluations { search: self, counted: HashMap::new(), depth: 0 }.of(self.schema, value);
        self.spend(evaluations).then(|| self.validator.is_valid(value))
    }

    /// Subtracts from the work that is left, and returns whether it sufficed. Otherwise the search is over.
    fn spend(&self, work: u64) -> bool {
        let left = self.left.get().checked_sub(work);
        self.left.set(left.unwrap_or(0));
        left.is_some()
    }
}

/// Counts how often a validator evaluates a schema and its parts. A validator may evaluate a part once for each way that leads
/// to it; the count remembers the parts, and so is fast.
struct Evaluations<'s> {
    search: &'s Search<'s>,
    counted: HashMap<(*const Value, *const Value), u64>,
    depth: usize,
}

impl<'s> Evaluations<'s> {
    fn of(&mut self, schema: &'s Value, value: &Value) -> u64 {
        let key = (ptr::from_ref(schema), ptr::from_ref(value));
        if let Some(known) = self.counted.get(&key) {
            return *known;
        }
        if self.depth == DEEPEST || !self.search.spend(1) {
            return u64::MAX;
        }
        // A schema that applies itself to the same value is evaluated once.
        self.counted.insert(key, 0);
        self.depth += 1;
        let mut all: u64 = 1;
        let is_root = ptr::eq(schema, self.search.schema);
        for (word, part) in schema.as_object().into_iter().flatten() {
            if is_root && matches!(word.as_str(), "id" | "$id") {
                continue;
            }
            all = all.saturating_add(self.of_keyword(word, part, value));
        }
        self.depth -= 1;
        self.counted.insert(key, all);
        all
    }

    fn of_keyword(&mut self, word: &str, part: &'s Value, value: &Value) -> u64 {
        let root = self.search.schema;
        match (word, part) {
            ("definitions" | "$defs" | "enum" | "const" | "default" | "example" | "examples", _) => 0,
            ("$ref", Value::String(reference)) => {
                let target = reference.strip_prefix('#').and_then(|pointer| root.pointer(pointer));
                // A validator may find what is not found here, and what it costs is not known.
                target.map_or(u64::MAX, |target| self.of(target, value))
            }
            // They change what references mean.
            ("id" | "$id" | "$anchor" | "$dynamicRef" | "$recursiveRef", Value::String(_)) => u64::MAX,
            ("pattern", _) => MATCHING,
            ("properties", Value::Object(parts)) => {
                self.sum(parts.iter().filter_map(|(name, part)| Some((part, value.get(name)?))))
            }
            ("patternProperties", Value::Object(parts)) => {
                self.sum(parts.values().flat_map(|part| members(value).map(move |member| (part, member))))
            }
            (
                "items"
                | "additionalItems"
                | "unevaluatedItems"
                | "contains"
                | "additionalProperties"
                | "unevaluatedProperties"
                | "propertyNames",
                Value::Object(_),
            ) => self.sum(members(value).map(|member| (part, member))),
            ("items" | "prefixItems", Value::Array(parts)) => self.sum(parts.iter().zip(members(value))),
            ("dependencies" | "dependentSchemas", Value::Object(parts)) => {
                self.sum(parts.values().map(|part| (part, value)))
            }
            (_, Value::Array(parts)) => self.sum(parts.iter().map(|part| (part, value))),
            _ => self.of(part, value),
        }
    }

    fn sum<'v>(&mut self, applied: impl Iterator<Item = (&'s Value, &'v Value)>) -> u64 {
        applied.fold(0, |sum, (schema, value)| sum.saturating_add(self.of(schema, value)))
    }
}

/// Returns the items of an array, or the values of an object.
fn members(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten().chain(value.as_object().into_iter().flat_map(Map::values))
}
