//! Validation of a value against a schema.

use std::{collections::HashSet, fmt};

use serde_json::{Map as JsonObject, Number as JsonNumber, Value};

use super::{
    compare, decimal,
    model::{Array, Choice, Integer, Kind, Map, Number, Object, Schema, StringRules, Tagged, Text},
    renamed,
};
use crate::json::pointer;

/// Maximum number of violations in a report, which limits the size of an answer.
const MAX_VIOLATIONS: usize = 100;
/// Maximum total length of the pointers in a report in bytes. Their names come from the request and may be long.
const MAX_POINTERS: usize = 16 << 10;

/// A part of a value that violates the schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The location as a JSON pointer (RFC 6901) of names on the wire; empty for the whole value.
    pub pointer: String,
    /// The problem, and the values that the schema accepts. It never contains a secret.
    pub message: String,
    /// The kind of the problem.
    pub kind: ViolationKind,
}

/// The kind of a violation, which says whether a stored value can be decoded all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ViolationKind {
    /// A required property is missing.
    Missing,
    /// The value has another type, or a name that the schema does not have.
    Undecodable,
    /// The value has the right type, but violates a constraint, so it may still be decoded.
    Constraint,
}

impl Violation {
    /// Creates a violation of the kind [`Undecodable`](ViolationKind::Undecodable).
    #[must_use]
    pub fn new(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), message: message.into(), kind: ViolationKind::Undecodable }
    }

    /// Returns the location for a message.
    #[must_use]
    pub fn place(&self) -> &str {
        if self.pointer.is_empty() { "parameters" } else { &self.pointer }
    }

    /// Describes the violation without the value, for logs.
    #[must_use]
    pub fn without_value(&self) -> String {
        let problem = if self.kind == ViolationKind::Missing { "is missing" } else { "can't be decoded" };
        format!("{} {problem}", self.place())
    }

    /// Returns the location as names after points, as in a file of overrides; empty for the whole value.
    pub(crate) fn dotted(&self) -> String {
        pointer::steps(&self.pointer).map(|step| format!(".{step}")).collect()
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place(), self.message)
    }
}

/// Validates `value` and returns the violations, at most 100. The list is empty if `schema` accepts the value.
#[must_use]
pub fn check(schema: &Schema, value: &Value) -> Vec<Violation> {
    check_exact(schema, value).0
}

/// [`check`], and whether an accepted value is exact: it has all its properties under their current names, with those that have
/// defaults, and no others, and whole numbers without a decimal point.
pub(super) fn check_exact(schema: &Schema, value: &Value) -> (Vec<Violation>, bool) {
    let mut checker = Checker { is_exact: true, ..Checker::default() };
    checker.value(schema, value);
    (checker.found, checker.is_exact)
}

#[derive(Default)]
struct Checker<'a> {
    found: Vec<Violation>,
    /// The total length of the pointers in `found`.
    length: usize,
    /// The place of the value, as the steps of a pointer. It becomes text only for a violation.
    path: Vec<PathStep<'a>>,
    /// Set inside a secret, where messages may contain neither values nor names.
    secret: bool,
    is_exact: bool,
}

#[derive(Clone, Copy)]
enum PathStep<'a> {
    Name(&'a str),
    Index(usize),
}

/// Returns a JSON pointer (RFC 6901).
fn pointer_to(path: &[PathStep<'_>]) -> String {
    let step = |step: &PathStep<'_>| match step {
        PathStep::Name(name) => pointer::member("", name),
        PathStep::Index(index) => format!("/{index}"),
    };
    path.iter().map(step).collect()
}

impl<'a> Checker<'a> {
    fn is_full(&self) -> bool {
        self.found.len() >= MAX_VIOLATIONS || self.length >= MAX_POINTERS
    }

    fn violates(&mut self, message: String) {
        self.report(ViolationKind::Constraint, message);
    }

    fn wrong(&mut self, message: impl Into<String>) {
        self.report(ViolationKind::Undecodable, message.into());
    }

    fn report(&mut self, kind: ViolationKind, message: String) {
        if !self.is_full() {
            let pointer = pointer_to(&self.path);
            self.length += pointer.len();
            self.found.push(Violation { pointer, message, kind });
        }
    }

    /// Runs `check` one level deeper, unless the report is full.
    fn at(&mut self, step: PathStep<'a>, check: impl FnOnce(&mut Self)) {
        if self.is_full() {
            return;
        }
        let length = self.path.len();
        if !self.secret {
            self.path.push(step);
        }
        check(self);
        self.path.truncate(length);
    }

    /// Formats a value for a message, unless it is secret.
    fn shown(&self, value: &Value) -> String {
        const MAX_CHARS: usize = 60;
        if self.secret {
            return "the value".to_owned();
        }
        match value {
            Value::Array(_) => "a list".to_owned(),
            Value::Object(_) => "an object".to_owned(),
            Value::String(text) if text.chars().count() > MAX_CHARS => {
                Value::from(text.chars().take(MAX_CHARS).chain(['…']).collect::<String>()).to_string()
            }
            scalar => scalar.to_string(),
        }
    }

    fn value(&mut self, schema: &'a Schema, value: &'a Value) {
        let outside = self.secret;
        self.secret |= schema.secret;
        if !(schema.nullable && value.is_null()) {
            self.kind(&schema.kind, value);
        }
        self.secret = outside;
    }

    fn kind(&mut self, kind: &'a Kind, value: &'a Value) {
        match (kind, value) {
            (Kind::Any, _) | (Kind::Boolean, Value::Bool(_)) => {}
            (Kind::Integer(rules), Value::Number(number)) => self.integer(rules, number, value),
            (Kind::Number(rules), Value::Number(number)) => self.number(rules, number, value),
            (Kind::String(rules), Value::String(text)) => self.string(rules, text, value),
            (Kind::Choice(choices), Value::String(text)) => self.choice(choices, text, value),
            (Kind::Array(rules), Value::Array(items)) => self.array(rules, items),
            (Kind::Map(rules), Value::Object(members)) => self.map(rules, members),
            (Kind::Object(object), Value::Object(members)) => self.object(object, None, members),
            (Kind::Tagged(tagged), Value::Object(members)) => self.tagged(tagged, members),
            (Kind::Foreign(foreign), _) => {
                if let Err(message) = (foreign.accept)(value) {
                    self.wrong(if self.secret { "the value is not accepted".to_owned() } else { message });
                }
            }
            (Kind::Boolean, _) => self.not("true or false", value),
            (Kind::Integer(_), _) => self.not("a whole number", value),
            (Kind::Number(_), _) => self.not("a number", value),
            (Kind::String(_), _) => self.not("a string", value),
            (Kind::Choice(choices), _) => self.not(&one_of(choices.iter().map(|choice| choice.value.json())), value),
            (Kind::Array(_), _) => self.not("a list", value),
            (Kind::Map(_) | Kind::Object(_) | Kind::Tagged(_), _) => self.not("an object", value),
        }
    }

    fn not(&mut self, expected: &str, value: &Value) {
        self.wrong(format!("{} is not {expected}", self.shown(value)));
    }

    fn missing(&mut self, name: &'a str, remedy: &str) {
        self.at(PathStep::Name(name), |this| {
            // The place is that of the secret, which isn't missing.
            let kind = if this.secret { ViolationKind::Undecodable } else { ViolationKind::Missing };
            let what = if this.secret { "a property is missing" } else { "is missing" };
            this.report(kind, format!("{what}{remedy}"));
        });
    }

    fn integer(&mut self, rules: &Integer, number: &JsonNumber, shown: &Value) {
        let Some(value) = whole(number) else {
            // Beyond 64 bits a parser makes a float of digits, too.
            return match number.as_f64() {
                Some(value) if value >= 18_446_744_073_709_551_616.0 => self.wrong("the number is too large"),
                Some(value) if value <= -9_223_372_036_854_775_808.0 => self.wrong("the number is too small"),
                Some(value) if value.fract() == 0.0 => {
                    self.wrong(format!("{} must be written without a decimal point or exponent", self.shown(shown)));
                }
                _ => self.not("a whole number", shown),
            };
        };
        self.is_exact &= !number.is_f64();
        if let Some(mut values) = rules.values() {
            if !values.any(|one| one == value) {
                let values = one_of(rules.values().into_iter().flatten());
                self.violates(format!("{} is not {values}", self.shown(shown)));
            }
            return;
        }
        let exclusive = (rules.exclusive_minimum, rules.exclusive_maximum);
        self.bounds(value, (rules.minimum, rules.maximum), exclusive, shown);
        if let Some(divisor) = rules.multiple_of
            && divisor != 0
            && value % divisor != 0
        {
            self.violates(format!("{} is not a multiple of {divisor}", self.shown(shown)));
        }
    }

    fn number(&mut self, rules: &Number, number: &JsonNumber, shown: &Value) {
        let Some(value) = number.as_f64() else { return self.not("a number", shown) };
        let bounds = (rules.minimum.map(|bound| bound.value), rules.maximum.map(|bound| bound.value));
        self.bounds(value, bounds, (rules.exclusive_minimum, rules.exclusive_maximum), shown);
        if let Some(divisor) = rules.multiple_of
            && !decimal::is_multiple(&number.to_string(), divisor.text)
        {
            self.violates(format!("{} is not a multiple of {}", self.shown(shown), divisor.text));
        }
    }

    fn bounds<T: PartialOrd + fmt::Display>(
        &mut self,
        value: T,
        (low, high): (Option<T>, Option<T>),
        (exclusive_low, exclusive_high): (bool, bool),
        shown: &Value,
    ) {
        if let Some(low) = low {
            if value < low {
                self.violates(format!("{} is less than the minimum {low}", self.shown(shown)));
            } else if exclusive_low && value <= low {
                self.violates(format!("{} is not greater than {low}", self.shown(shown)));
            }
        }
        if let Some(high) = high {
            if value > high {
                self.violates(format!("{} is greater than the maximum {high}", self.shown(shown)));
            } else if exclusive_high && value >= high {
                self.violates(format!("{} is not less than {high}", self.shown(shown)));
            }
        }
    }

    fn string(&mut self, rules: &StringRules, text: &str, value: &Value) {
        if rules.min_length.is_some() || rules.max_length.is_some() {
            let shown = |this: &Self| this.shown(value);
            self.count(text.chars().count(), rules.min_length, rules.max_length, "characters", shown);
        }
        if let Some(pattern) = &rules.pattern
            && !(pattern.matches)(text)
        {
            self.violates(format!("{} does not match the pattern {}", self.shown(value), pattern.source.get()));
        }
        if let Some(format) = rules.format
            && !format.accepts(text)
        {
            self.violates(format!("{} is not {}", self.shown(value), format.noun()));
        }
    }

    fn count(&mut self, count: usize, min: Option<u64>, max: Option<u64>, unit: &str, shown: impl Fn(&Self) -> String) {
        let count = count as u64;
        if let Some(min) = min
            && count < min
        {
            self.violates(format!("{} has fewer than {min} {unit}", shown(self)));
        }
        if let Some(max) = max
            && count > max
        {
            self.violates(format!("{} has more than {max} {unit}", shown(self)));
        }
    }

    fn choice(&mut self, choices: &[Choice], text: &str, value: &Value) {
        if !choices.iter().any(|choice| choice.value.is(text)) {
            self.not(&one_of(choices.iter().map(|choice| choice.value.json())), value);
        }
    }

    fn array(&mut self, rules: &'a Array, items: &'a [Value]) {
        self.count(items.len(), rules.min_items, rules.max_items, "items", |_| "the list".to_owned());
        for (index, item) in items.iter().enumerate() {
            self.at(PathStep::Index(index), |this| this.value(rules.items, item));
        }
        if rules.unique {
            let mut seen = HashSet::new();
            for (index, item) in items.iter().enumerate() {
                if !seen.insert(compare::canonical(&renamed(rules.items, item))) {
                    self.at(PathStep::Index(index), |this| {
                        this.violates(format!("{} is already in the list", this.shown(item)));
                    });
                }
            }
        }
    }

    fn map(&mut self, rules: &'a Map, members: &'a JsonObject<String, Value>) {
        self.count(members.len(), rules.min_properties, rules.max_properties, "entries", |_| "the object".to_owned());
        for (name, value) in members {
            self.at(PathStep::Name(name), |this| this.value(rules.values, value));
        }
    }

    fn object(&mut self, object: &'a Object, tag: Option<Text>, members: &'a JsonObject<String, Value>) {
        let mut known_members = usize::from(tag.is_some());
        for property in object.properties {
            let name = property.name.get();
            let mut given = property.names().filter_map(|name| Some((name, members.get(name)?)));
            match given.next() {
                Some((given_as, value)) => {
                    known_members += 1;
                    self.is_exact &= given_as == name;
                    self.at(PathStep::Name(given_as), |this| this.value(&property.schema, value));
                    for (again, _) in given {
                        let message = if self.secret {
                            "a property is set under two names".to_owned()
                        } else {
                            format!("is another name of `{given_as}`, which is also set; remove one of them")
                        };
                        self.at(PathStep::Name(again), |this| this.wrong(message));
                    }
                }
                None if property.required => self.missing(name, ""),
                None => self.is_exact &= property.schema.default.is_none(),
            }
        }
        self.is_exact &= known_members == members.len();
        if object.open || known_members == members.len() {
            return;
        }
        let known = || object.properties.iter().map(|property| property.name).chain(tag).map(|name| name.get());
        for name in members.keys() {
            if self.is_full() {
                return;
            }
            if !known().any(|known| known == name) && !object.properties.iter().any(|property| property.is_called(name))
            {
                let message = match compare::nearest(name, known()) {
                    _ if self.secret => "a property is not known".to_owned(),
                    Some(near) => format!("is not a known property; did you mean `{near}`?"),
                    None => "is not a known property".to_owned(),
                };
                self.at(PathStep::Name(name), |this| this.wrong(message));
            }
        }
    }

    fn tagged(&mut self, tagged: &'a Tagged, members: &'a JsonObject<String, Value>) {
        let names = || tagged.variants.iter().map(|variant| variant.name.json());
        let tag = tagged.tag.get();
        let Some(value) = members.get(tag) else {
            return self.missing(tag, &format!("; it has to be {}", one_of(names())));
        };
        let variant = tagged.variants.iter().find(|variant| value.as_str().is_some_and(|name| variant.name.is(name)));
        match variant {
            Some(variant) => self.object(&variant.object, Some(tagged.tag), members),
            None => self.at(PathStep::Name(tag), |this| this.not(&one_of(names()), value)),
        }
    }
}

/// Doubles up to this have the exact value of a whole number that was written as one.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// Returns the value of a whole number. With a decimal point or an exponent, as in `60.0`, it is one as well, if it is small
/// enough to be exact.
pub(crate) fn whole(number: &JsonNumber) -> Option<i128> {
    let written_as_fraction = || {
        let value = number.as_f64().filter(|value| value.fract() == 0.0 && value.abs() < MAX_EXACT)?;
        #[expect(clippy::cast_possible_truncation, reason = "it is whole, and below 2^53")]
        Some(value as i128)
    };
    number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from)).or_else(written_as_fraction)
}

fn one_of(values: impl Iterator<Item = impl ToString>) -> String {
    let values: Vec<_> = values.map(|value| value.to_string()).collect();
    match &*values {
        [one] => one.clone(),
        many => format!("one of {}", many.join(", ")),
    }
}
