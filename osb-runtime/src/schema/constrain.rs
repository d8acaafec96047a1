//! Constraints written on a field, put on the schema of its type.
//!
//! Putting them on never fails: what doesn't apply is left out. Whether they apply is asked once, by the functions of
//! [`legal`](super::legal), so that a mistake is reported once.

use super::model::{Decimal, Format, Kind, Literal, Pattern, Property, Schema, StringRules, Text};

/// A number in a constraint: as a whole number if it is one, and with its digits if they are known.
#[derive(Debug, Clone, Copy)]
#[doc(hidden)]
pub struct Bound {
    pub integer: Option<i128>,
    pub decimal: Option<Decimal>,
}

impl Schema {
    /// With this minimum.
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

    /// With this maximum.
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

    /// Of which every value is a multiple.
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

    /// With this many characters, items or entries.
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

    /// Matching this expression.
    #[doc(hidden)]
    #[must_use]
    pub const fn pattern(mut self, pattern: Pattern) -> Self {
        if let Kind::String(rules) = &mut self.kind {
            rules.pattern = Some(pattern);
        }
        self
    }

    /// In this format.
    #[doc(hidden)]
    #[must_use]
    pub const fn format(mut self, format: Format) -> Self {
        if let Kind::String(rules) = &mut self.kind {
            rules.format = Some(format);
        }
        self
    }

    /// Without equal items.
    #[doc(hidden)]
    #[must_use]
    pub const fn unique(mut self) -> Self {
        if let Kind::Array(rules) = &mut self.kind {
            rules.unique = true;
        }
        self
    }

    /// What each item of a list or value of a map may be; anything for what has no elements.
    #[doc(hidden)]
    #[must_use]
    pub const fn element(&self) -> Self {
        match &self.kind {
            Kind::Array(rules) => *rules.items,
            Kind::Map(rules) => *rules.values,
            _ => Self::new(Kind::Any),
        }
    }

    /// With these rules for each item or value.
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

    /// With these words about it; what is `None` stays.
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

    /// With this default.
    #[doc(hidden)]
    #[must_use]
    pub const fn or(mut self, default: Literal) -> Self {
        self.default = Some(default);
        self
    }

    /// With these examples.
    #[doc(hidden)]
    #[must_use]
    pub const fn examples(mut self, examples: &'static [Literal]) -> Self {
        self.examples = examples;
        self
    }

    /// Never shown.
    #[doc(hidden)]
    #[must_use]
    pub const fn secret(mut self) -> Self {
        self.secret = true;
        self
    }

    /// As a property of an update: nothing is assumed, and how many entries a map has shows only after the merge.
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

    /// Whether some part of it is known only at run time.
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

    /// Whether a part of a value may be absent, so that a change of it is not a value of the same type.
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
    /// Any string.
    pub(crate) const ANY: Self = Self { min_length: None, max_length: None, pattern: None, format: None };
}
