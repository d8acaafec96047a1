//! Builder methods that add the constraints of a field to the schema of its type.
//!
//! They ignore constraints that don't apply. Only the functions of [`constraints`](super::constraints) report these, so that a
//! mistake makes one error.

use super::model::{Decimal, Format, Kind, Literal, Pattern, Property, Schema, StringRules, Text};

/// A number in a constraint: as an integer if it is whole, and with its digits if they are known.
#[derive(Debug, Clone, Copy)]
#[doc(hidden)]
pub struct Limit {
    pub integer: Option<i128>,
    pub decimal: Option<Decimal>,
}

impl Limit {
    /// A whole number, as it is written.
    #[expect(clippy::cast_precision_loss, reason = "a bound of numbers that have the same precision")]
    #[must_use]
    pub const fn integer(value: i128, text: &'static str) -> Self {
        Self { integer: Some(value), decimal: Some(Decimal { value: value as f64, text }) }
    }

    /// A number with a decimal point.
    #[must_use]
    pub const fn decimal(value: Decimal) -> Self {
        Self { integer: None, decimal: Some(value) }
    }

    /// The value of a constant of the author's, whose digits are not known.
    #[must_use]
    pub const fn constant(value: i128) -> Self {
        Self { integer: Some(value), decimal: None }
    }
}

/// A constraint that an author wrote on a field.
#[derive(Debug, Clone, Copy)]
#[doc(hidden)]
pub enum Rule {
    /// The bound, and whether it is exclusive.
    Minimum(Limit, bool),
    /// The bound, and whether it is exclusive.
    Maximum(Limit, bool),
    MultipleOf(Limit),
    /// The only values.
    OneOf(&'static [i128]),
    /// The smallest and the largest number of characters, items or entries.
    Length(Option<i128>, Option<i128>),
    Pattern(Pattern),
    Format(Format),
    Unique,
}

impl Schema {
    /// Adds the rules that apply.
    #[doc(hidden)]
    #[must_use]
    pub const fn with(mut self, rules: &[Rule]) -> Self {
        let mut at = 0;
        while at < rules.len() {
            self.add(rules[at]);
            at += 1;
        }
        self
    }

    /// [`with`](Self::with) in an update, which has only the changed entries of a map: their number is known after the merge.
    #[doc(hidden)]
    #[must_use]
    pub const fn with_changed(self, rules: &[Rule]) -> Self {
        let mut schema = self.with(rules);
        if let Kind::Map(map) = &mut schema.kind
            // Entries of a map in a list can't be removed one by one: an update replaces the list.
            && map.values.nullable
        {
            (map.min_properties, map.max_properties) = (None, None);
        }
        schema
    }

    const fn add(&mut self, rule: Rule) {
        match (&mut self.kind, rule) {
            (Kind::Integer(rules), Rule::Minimum(bound, exclusive)) if bound.integer.is_some() => {
                rules.minimum = bound.integer;
                rules.exclusive_minimum = exclusive;
            }
            (Kind::Number(rules), Rule::Minimum(bound, exclusive)) if bound.decimal.is_some() => {
                rules.minimum = bound.decimal;
                rules.exclusive_minimum = exclusive;
            }
            (Kind::Integer(rules), Rule::Maximum(bound, exclusive)) if bound.integer.is_some() => {
                rules.maximum = bound.integer;
                rules.exclusive_maximum = exclusive;
            }
            (Kind::Number(rules), Rule::Maximum(bound, exclusive)) if bound.decimal.is_some() => {
                rules.maximum = bound.decimal;
                rules.exclusive_maximum = exclusive;
            }
            (Kind::Integer(rules), Rule::MultipleOf(divisor)) => rules.multiple_of = divisor.integer,
            (Kind::Number(rules), Rule::MultipleOf(divisor)) => rules.multiple_of = divisor.decimal,
            (Kind::Integer(rules), Rule::OneOf(values)) => rules.one_of = Some(values),
            (Kind::String(rules), Rule::Length(min, max)) => {
                set(&mut rules.min_length, min);
                set(&mut rules.max_length, max);
            }
            (Kind::Array(rules), Rule::Length(min, max)) => {
                set(&mut rules.min_items, min);
                set(&mut rules.max_items, max);
            }
            (Kind::Map(rules), Rule::Length(min, max)) => {
                set(&mut rules.min_properties, min);
                set(&mut rules.max_properties, max);
            }
            (Kind::String(rules), Rule::Pattern(pattern)) => rules.pattern = Some(pattern),
            (Kind::String(rules), Rule::Format(format)) => rules.format = Some(format),
            (Kind::Array(rules), Rule::Unique) => rules.unique = true,
            _ => {}
        }
    }

    /// Returns the schema of the items of a list or the values of a map; `Any` for other kinds.
    #[doc(hidden)]
    #[must_use]
    pub const fn element(&self) -> Self {
        match &self.kind {
            Kind::Array(rules) => *rules.items,
            Kind::Map(rules) => *rules.values,
            _ => Self::new(Kind::Any),
        }
    }

    /// Sets the schema of items or values.
    #[doc(hidden)]
    #[must_use]
    pub const fn items(mut self, element: &'static Self) -> Self {
        match &mut self.kind {
            Kind::Array(rules) => rules.items = element,
            Kind::Map(rules) => rules.values = element,
            _ => {}
        }
        self
    }

    /// Sets title and description. `None` keeps the existing one.
    #[doc(hidden)]
    #[must_use]
    pub const fn described(mut self, title: Option<Text>, description: Option<Text>) -> Self {
        if title.is_some() {
            self.title = title;
        }
        if description.is_some() {
            self.description = description;
        }
        self
    }

    /// Sets the examples.
    #[doc(hidden)]
    #[must_use]
    pub const fn examples(mut self, examples: &'static [Literal]) -> Self {
        self.examples = examples;
        self
    }

    /// Marks the value as secret.
    #[doc(hidden)]
    #[must_use]
    pub const fn secret(mut self) -> Self {
        self.secret = true;
        self
    }

    /// Returns whether a part of the schema is known only at run time.
    #[must_use]
    pub const fn has_foreign(&self) -> bool {
        match &self.kind {
            Kind::Foreign(_) => true,
            Kind::Array(rules) => rules.items.has_foreign(),
            Kind::Map(rules) => rules.values.has_foreign(),
            Kind::Object(object) => any_foreign(object.properties),
            Kind::Tagged(tagged) => {
                let mut at = 0;
                while at < tagged.variants.len() {
                    if any_foreign(tagged.variants[at].object.properties) {
                        return true;
                    }
                    at += 1;
                }
                false
            }
            Kind::Any | Kind::Boolean | Kind::Integer(_) | Kind::Number(_) | Kind::String(_) | Kind::Choice(_) => false,
        }
    }

    /// Returns whether parts of a value may be absent or may not change, so a partial change is not a value of the same
    /// type.
    #[doc(hidden)]
    #[must_use]
    pub const fn has_gaps(&self) -> bool {
        match &self.kind {
            Kind::Map(_) => true,
            Kind::Object(object) => {
                let mut at = 0;
                while at < object.properties.len() {
                    let property = &object.properties[at];
                    if !property.required || property.immutable || property.schema.has_gaps() {
                        return true;
                    }
                    at += 1;
                }
                false
            }
            _ => false,
        }
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in the range of `u64`")]
const fn set(limit: &mut Option<u64>, value: Option<i128>) {
    match value {
        None => {}
        Some(..0) => *limit = Some(0),
        Some(value) if value > u64::MAX as i128 => *limit = Some(u64::MAX),
        Some(value) => *limit = Some(value as u64),
    }
}

/// Builds the property of a field in a constant.
#[doc(hidden)]
impl Property {
    /// A required property.
    #[must_use]
    pub const fn of(name: Text, schema: Schema) -> Self {
        Self { name, aliases: &[], schema, required: true, immutable: false, update_only: false }
    }

    /// Makes the property optional, with a default.
    #[must_use]
    pub const fn or(mut self, default: Literal) -> Self {
        self.schema.default = Some(default);
        self.required = false;
        self
    }

    #[must_use]
    pub const fn optional(mut self) -> Self {
        self.required = false;
        self
    }

    #[must_use]
    pub const fn aliases(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    #[must_use]
    pub const fn immutable(mut self) -> Self {
        self.immutable = true;
        self
    }

    #[must_use]
    pub const fn update_only(mut self) -> Self {
        self.update_only = true;
        self
    }

    /// Returns the property of an update that changes this one to a value of `schema`. It has no default, and the number
    /// of entries of a map that is merged is known only after the merge.
    #[must_use]
    pub const fn for_update(self, mut schema: Schema, nullable: bool) -> Self {
        schema.title = self.schema.title;
        schema.description = self.schema.description;
        schema.examples = self.schema.examples;
        schema.secret = self.schema.secret;
        schema.default = None;
        schema.nullable = nullable;
        if let (Kind::Map(rules), false) = (&mut schema.kind, self.update_only) {
            rules.min_properties = None;
            rules.max_properties = None;
        }
        Self { schema, required: false, immutable: false, ..self }
    }
}

const fn any_foreign(properties: &[Property]) -> bool {
    let mut at = 0;
    while at < properties.len() {
        if properties[at].schema.has_foreign() {
            return true;
        }
        at += 1;
    }
    false
}

impl StringRules {
    /// The rules that accept any string.
    pub(crate) const ANY: Self = Self { min_length: None, max_length: None, pattern: None, format: None };
}
