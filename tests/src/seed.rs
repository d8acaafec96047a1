//! Random schemas of all kinds and values that are valid or nearly valid, from a seed.

use osb_runtime::{
    prelude::*,
    schema::{
        self, Array, Choice, Decimal, Format, Integer, Kind, Map, Number, Object, Pattern, Property, Schema,
        StringRules, Tagged, Text, Variant,
    },
};
use serde_json::{Value, json};

macro_rules! patterns {
    ($($name:ident = $pattern:literal),*) => {
        $(#[parameters] struct $name(#[param(pattern = $pattern)] String);)*
        const PATTERNS: &[Schema] = &[$(<$name as Parameter>::SCHEMA),*];
    };
}
patterns!(
    A = r"^[a-z][a-z0-9-]{0,3}$",
    B = r"\d+\.\d",
    C = r"^\w*\s?\S$",
    D = r"a|^b*$",
    E = r"^.{2}$",
    F = r"\bab?\b",
    G = r"^[^\d\s]+$"
);

const WORDS: &[&str] = &[
    "",
    "a",
    "ab",
    "abc",
    "a b",
    "é",
    "日本",
    "1.5",
    "b",
    "bbb",
    "a\nb",
    "~",
    "a/b",
    "\u{2028}",
    "\u{a0}x",
    "٣",
    "2024-02-29T12:00:00Z",
    "2023-02-29T12:00:00Z",
    "2024-01-01T00:00:00.5+01:30",
    "1990-12-31T23:59:60Z",
    "2024-01-01 00:00:00Z",
    "a@example.com",
    "a@b@c.d",
    "@b",
    "example.com",
    "-a.b",
    "a..b",
    "127.0.0.1",
    "127.0.0.256",
    "01.2.3.4",
    "::1",
    "::ffff:1.2.3.4",
    "1::2::3",
    "https://example.com/a?b=c#d",
    "http://[::1]:80/",
    "http://a b/",
    "urn:x:y",
    "/relative",
    "http://%zz/",
    "mailto:a@b.c",
    "kind",
    "x",
    "name",
];

/// Pseudo-random numbers. One in `chaos` of the values made with them is invalid on purpose.
pub struct Seed {
    state: u64,
    chaos: u64,
}

impl Seed {
    /// Creates a generator. The same seed gives the same schemas and values.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { state: seed, chaos: if seed.is_multiple_of(2) { 6 } else { 200 } }
    }

    fn slip(&mut self) -> bool {
        self.below(self.chaos) == 0
    }

    /// Returns a number less than `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) % n
    }

    /// Returns `true` half of the time.
    pub fn coin(&mut self) -> bool {
        self.below(2) == 0
    }

    fn maybe<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.coin().then(|| make(self))
    }

    /// Returns one of the items, of which there must be at least one.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.index(from.len())]
    }

    fn index(&mut self, len: usize) -> usize {
        usize::try_from(self.below(len as u64)).unwrap()
    }

    /// Returns a schema with at most this depth.
    pub fn schema(&mut self, depth: u64) -> Schema {
        let kinds = if depth == 0 { 6 } else { 10 };
        let kind = match self.below(kinds) {
            0 => Kind::Any,
            1 => Kind::Boolean,
            2 => Kind::Integer(Integer {
                // Every integer type states its bounds; without them the other validator takes 1e300 for a whole number.
                minimum: Some(i128::from(self.below(7)) - 3),
                maximum: Some(i128::from(self.below(7)) + 2),
                exclusive_minimum: self.coin(),
                exclusive_maximum: self.coin(),
                multiple_of: self.maybe(|seed| i128::from(seed.below(3)) + 1),
                one_of: (self.below(4) == 0).then(|| {
                    let from = i128::from(self.below(5)) - 2;
                    leak((0..=i128::from(self.below(3))).map(|at| from + 2 * at))
                }),
            }),
            3 => Kind::Number(Number {
                minimum: self.maybe(|seed| decimal(seed.pick::<&str>(&["-1.5", "0", "0.1", "-1e1"]))),
                maximum: self.maybe(|seed| decimal(seed.pick::<&str>(&["1.5", "2", "0.3", "1e3"]))),
                exclusive_minimum: self.coin(),
                exclusive_maximum: self.coin(),
                multiple_of: self.maybe(|seed| decimal(seed.pick::<&str>(&["0.1", "0.25", "2", "1.5", "1e-3"]))),
            }),
            4 => self.string(),
            5 => {
                let from = self.index(10);
                Kind::Choice(leak(
                    WORDS[from..from + 3].iter().map(|word| Choice { value: text(word), description: None }),
                ))
            }
            6 => Kind::Array(Array {
                items: Box::leak(Box::new(self.schema(depth - 1))),
                min_items: self.maybe(|seed| seed.below(3)),
                max_items: self.maybe(|seed| seed.below(3) + 1),
                unique: self.coin(),
            }),
            7 => Kind::Map(Map {
                values: Box::leak(Box::new(self.schema(depth - 1))),
                min_properties: self.maybe(|seed| seed.below(3)),
                max_properties: self.maybe(|seed| seed.below(3) + 1),
            }),
            8 => Kind::Object(self.object(depth - 1)),
            _ => {
                let names = ["x", "name", "a/b"];
                let variants = leak((0..=self.index(3)).map(|index| Variant {
                    name: text(names[index]),
                    description: None,
                    object: self.object(depth - 1),
                }));
                Kind::Tagged(Tagged { tag: text("kind"), variants })
            }
        };
        let mut schema = Schema::new(kind);
        schema.nullable = self.below(4) == 0;
        schema.secret = self.below(6) == 0;
        schema.description = self.maybe(|seed| text(seed.pick::<&str>(WORDS)));
        schema
    }

    fn string(&mut self) -> Kind {
        let pattern: Option<Pattern> = self.maybe(|seed| match seed.pick(PATTERNS).kind {
            Kind::String(rules) => rules.pattern.unwrap(),
            _ => unreachable!(),
        });
        let formats = [Format::DateTime, Format::Email, Format::Hostname, Format::Ipv4, Format::Ipv6, Format::Uri];
        Kind::String(StringRules {
            min_length: self.maybe(|seed| seed.below(4)),
            max_length: self.maybe(|seed| seed.below(40)),
            pattern,
            format: self.maybe(|seed| *seed.pick(&formats)),
        })
    }

    fn object(&mut self, depth: u64) -> Object {
        let names = ["a", "b~c", "é\"", "name"];
        let aliases: [&[&str]; 4] = [&["was a"], &["was b", "was c"], &[], &["was a name"]];
        let properties = leak((0..self.index(4)).map(|index| Property {
            name: text(names[index]),
            aliases: aliases[index],
            schema: self.schema(depth),
            required: self.coin(),
            immutable: false,
            update_only: false,
        }));
        Object { properties, open: self.coin() }
    }

    /// Returns a value that may be valid.
    pub fn value(&mut self, schema: &Schema) -> Value {
        if self.slip() {
            return if self.coin() { self.anything(2) } else { Value::Null };
        }
        let mut value = self.guess(schema);
        let simple = matches!(schema.kind, Kind::Integer(_) | Kind::Number(_) | Kind::String(_));
        for _ in 0..if simple { 40 } else { 0 } {
            if schema::check(schema, &value).is_empty() {
                break;
            }
            value = self.guess(schema);
        }
        value
    }

    fn guess(&mut self, schema: &Schema) -> Value {
        match &schema.kind {
            Kind::Boolean => Value::Bool(self.coin()),
            Kind::Integer(_) => {
                let whole = i32::try_from(self.below(12)).unwrap() - 5;
                if self.below(6) == 0 { json!(f64::from(whole)) } else { json!(whole) }
            }
            Kind::Number(_) => self.number(),
            Kind::String(_) => Value::from(*self.pick(WORDS)),
            Kind::Choice(choices) => Value::from(self.pick(choices).value.get()),
            Kind::Array(rules) => (0..self.below(4)).map(|_| self.value(rules.items)).collect(),
            Kind::Map(rules) => Value::Object(
                (0..self.below(4)).map(|_| ((*self.pick(WORDS)).to_owned(), self.value(rules.values))).collect(),
            ),
            Kind::Object(object) => self.members(object, None),
            Kind::Tagged(tagged) => {
                let variant = *self.pick(tagged.variants);
                self.members(&variant.object, Some((tagged.tag, variant.name)))
            }
            _ => self.anything(2),
        }
    }

    fn members(&mut self, object: &Object, tag: Option<(Text, Text)>) -> Value {
        let mut members = serde_json::Map::new();
        if let Some((name, value)) = tag.filter(|_| !self.slip()) {
            members.insert(name.get().to_owned(), Value::from(value.get()));
        }
        for property in object.properties {
            if if property.required { !self.slip() } else { self.coin() } {
                members.insert(property.name.get().to_owned(), self.value(&property.schema));
            }
        }
        if self.slip() {
            members.insert((*self.pick(WORDS)).to_owned(), self.anything(1));
        }
        Value::Object(members)
    }

    /// Returns the value with former names for some of its properties.
    pub fn former(&mut self, schema: &Schema, value: &Value) -> Value {
        let object = match (&schema.kind, value) {
            (Kind::Array(rules), Value::Array(items)) => {
                return items.iter().map(|item| self.former(rules.items, item)).collect();
            }
            (Kind::Map(rules), Value::Object(members)) => {
                let members = members.iter().map(|(name, value)| (name.clone(), self.former(rules.values, value)));
                return Value::Object(members.collect());
            }
            (Kind::Object(object), Value::Object(_)) => object,
            (Kind::Tagged(tagged), Value::Object(members)) => {
                let tag = members.get(tagged.tag.get());
                match tagged.variants.iter().find(|variant| tag.is_some_and(|tag| tag == variant.name.get())) {
                    Some(variant) => &variant.object,
                    None => return value.clone(),
                }
            }
            _ => return value.clone(),
        };
        let members = value.as_object().into_iter().flatten().map(|(name, value)| match object.property(name) {
            Some(property) => {
                let value = self.former(&property.schema, value);
                let renamed = !property.aliases.is_empty() && self.coin();
                (if renamed { (*self.pick(property.aliases)).to_owned() } else { name.clone() }, value)
            }
            None => (name.clone(), value.clone()),
        });
        Value::Object(members.collect())
    }

    fn number(&mut self) -> Value {
        self.pick(&[
            json!(0),
            json!(0.3),
            json!(0.1),
            json!(-1.5),
            json!(1),
            json!(1.0),
            json!(2),
            json!(1.5),
            json!(0.25),
            json!(1e3),
            json!(1.25e-3),
            json!(4_000_000_000_u64),
            json!(-4_000_000_000_i64),
            json!(-0.0),
            json!(1e15),
            json!(0.1 + 0.2),
        ])
        .clone()
    }

    fn anything(&mut self, depth: u64) -> Value {
        match self.below(if depth == 0 { 4 } else { 6 }) {
            0 => Value::Null,
            1 => Value::Bool(self.coin()),
            2 => self.number(),
            3 => Value::from(*self.pick(WORDS)),
            4 => (0..self.below(3)).map(|_| self.anything(depth - 1)).collect(),
            _ => Value::Object(
                (0..self.below(3)).map(|_| ((*self.pick(WORDS)).to_owned(), self.anything(depth - 1))).collect(),
            ),
        }
    }
}

/// Leaks the items, for use in constants.
pub fn leak<T>(items: impl Iterator<Item = T>) -> &'static [T] {
    Box::leak(items.collect::<Vec<_>>().into_boxed_slice())
}

/// Returns a text for use in constants.
#[must_use]
pub fn text(raw: &'static str) -> Text {
    Text::new(raw, Box::leak(Value::from(raw).to_string().into_boxed_str()))
}

fn decimal(text: &'static str) -> Decimal {
    Decimal { value: text.parse().unwrap(), text }
}
