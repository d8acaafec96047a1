//! Builder methods that add the constraints of a field to the schema of its type.
//!
//! They ignore constraints that don't apply. Only the functions of [`legal`](super::legal) report these, so that a
//! mistake makes one error.

use super::model::{Decimal, Format, Kind, Literal, Pattern, Property, Schema, StringRules, Text};

/// A number in a constraint: as an integer if it is whole, and with its digits if they are known.
#[derive(Debug, Clone, Copy)]
#[doc(hidden)]
pub struct Bound {
    pub integer: Option<i128>,
    pub decimal: Option<Decimal>,
}

impl Schema {
    /// Sets the minimum.
    #[doc(hidden)]
    #[must_use]
    pub const fn minimum(mut self, bound: Bound, exclusive: bool) -> Self {
        match &mut self.kind {
            Kind::Integer(rules) if bound.integer.is_some() => {
                rules.minimum = bound.integer;
                rules.exclusive_minimum = exclusive;
            }
            Kind::Number(rules) if bound.decimal.is_some() => {
                rules.minimum = bound.decimal;
                rules.exclusive_minimum = exclusive;
            }
            _ => {}
        }
        self
    }

    /// Sets the maximum.
    #[doc(hidden)]
    #[must_use]
    pub const fn maximum(mut self, bound: Bound, exclusive: bool) -> Self {
        match &mut self.kind {
            Kind::Integer(rules) if bound.integer.is_some() => {
                rules.maximum = bound.integer;
                rules.exclusive_maximum = exclusive;
            }
            Kind::Number(rules) if bound.decimal.is_some() => {
                rules.maximum = bound.decimal;
                rules.exclusive_maximum = exclusive;
            }
            _ => {}
        }
        self
    }

    /// Sets the divisor: every value is a multiple of this number.
    #[doc(hidden)]
    #[must_use]
    pub const fn multiple_of(mut self, divisor: Bound) -> Self {
        match &mut self.kind {
            Kind::Integer(rules) => rules.multiple_of = divisor.integer,
            Kind::Number(rules) => rules.multiple_of = divisor.decimal,
            _ => {}
        }
        self
    }

    /// Sets the number of characters, items or entries.
    #[doc(hidden)]
    #[must_use]
    pub const fn length(mut self, min: Option<u64>, max: Option<u64>) -> Self {
        let (low, high) = match &mut self.kind {
            Kind::String(rules) => (&mut rules.min_length, &mut rules.max_length),
            Kind::Array(rules) => (&mut rules.min_items, &mut rules.max_items),
            Kind::Map(rules) => (&mut rules.min_properties, &mut rules.max_properties),
            _ => return self,
        };
        if min.is_some() {
            *low = min;
        }
        if max.is_some() {
            *high = max;
        }
        self
    }

    /// Sets the pattern.
    #[doc(hidden)]
    #[must_use]
    pub const fn pattern(mut self, pattern: Pattern) -> Self {
        if let Kind::String(rules) = &mut self.kind {
            rules.pattern = Some(pattern);
        }
        self
    }

    /// Sets the format.
    #[doc(hidden)]
    #[must_use]
    pub const fn format(mut self, format: Format) -> Self {
        if let Kind::String(rules) = &mut self.kind {
            rules.format = Some(format);
        }
        self
    }

    /// Forbids equal items.
    #[doc(hidden)]
    #[must_use]
    pub const fn unique(mut self) -> Self {
        if let Kind::Array(rules) = &mut self.kind {
            rules.unique = true;
        }
        self
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

    /// Sets the default.
    #[doc(hidden)]
    #[must_use]
    pub const fn or(mut self, default: Literal) -> Self {
        self.default = Some(default);
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

    /// Converts the schema for a property of an update: it has no default, and the size of a map is validated only
    /// after the merge.
    #[doc(hidden)]
    #[must_use]
    pub const fn for_update(mut self, nullable: bool) -> Self {
        self.default = None;
        self.nullable = nullable;
        if let Kind::Map(rules) = &mut self.kind {
            rules.min_properties = None;
            rules.max_properties = None;
        }
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

    /// Returns whether parts of a value may be absent, so that a partial change is not a value of the same type.
    #[doc(hidden)]
    #[must_use]
    pub const fn has_gaps(&self) -> bool {
        match &self.kind {
            Kind::Map(_) => true,
            Kind::Object(object) => {
                let mut at = 0;
                while at < object.properties.len() {
                    if !object.properties[at].required || object.properties[at].schema.has_gaps() {
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
