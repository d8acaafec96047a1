//! Our verdict on a value is that of an independent validator on the document that we publish.

use std::sync::LazyLock;

use osb_runtime::{
    prelude::*,
    schema::{
        self, Array, Choice, Decimal, Format, Integer, Kind, Map, Number, Object, Pattern, Property, Schema,
        StringRules, Tagged, Text, Variant,
    },
};
use proptest::prelude::*;
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

/// Numbers out of a seed; of the values made with them one in `chaos` is wrong on purpose.
struct Seed {
    state: u64,
    chaos: u64,
}

impl Seed {
    fn new(seed: u64) -> Self {
        Self { state: seed, chaos: if seed.is_multiple_of(2) { 6 } else { 200 } }
    }

    fn slip(&mut self) -> bool {
        self.below(self.chaos) == 0
    }

    fn below(&mut self, n: u64) -> u64 {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) % n
    }

    fn coin(&mut self) -> bool {
        self.below(2) == 0
    }

    fn maybe<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.coin().then(|| make(self))
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[usize::try_from(self.below(from.len() as u64)).unwrap()]
    }

    fn schema(&mut self, depth: u64) -> Schema {
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
                let from = usize::try_from(self.below(10)).unwrap();
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
                let variants = leak((0..=self.below(3).min(2)).map(|index| Variant {
                    name: text(names[usize::try_from(index).unwrap()]),
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
        let properties = leak((0..self.below(4)).map(|index| usize::try_from(index).unwrap()).map(|index| Property {
            name: text(names[index]),
            aliases: aliases[index],
            schema: self.schema(depth),
            required: self.coin(),
            immutable: false,
        }));
        Object { properties, open: self.coin() }
    }

    /// A value that `schema` might accept.
    fn value(&mut self, schema: &Schema) -> Value {
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
            Kind::Integer(_) => json!(i64::try_from(self.below(12)).unwrap() - 5),
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

    /// The same value, some of whose properties have former names.
    fn former(&mut self, schema: &Schema, value: &Value) -> Value {
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
        let members = value.as_object().into_iter().flatten().map(|(name, value)| {
            match object.properties.iter().find(|property| property.name.get() == name) {
                Some(property) => {
                    let value = self.former(&property.schema, value);
                    let renamed = !property.aliases.is_empty() && self.coin();
                    (if renamed { (*self.pick(property.aliases)).to_owned() } else { name.clone() }, value)
                }
                None => (name.clone(), value.clone()),
            }
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

fn leak<T>(items: impl Iterator<Item = T>) -> &'static [T] {
    Box::leak(items.collect::<Vec<_>>().into_boxed_slice())
}

fn text(raw: &'static str) -> Text {
    Text::new(raw, Box::leak(Value::from(raw).to_string().into_boxed_str()))
}

fn decimal(text: &'static str) -> Decimal {
    Decimal { value: text.parse().unwrap(), text }
}

fn validator(document: &Value) -> jsonschema::Validator {
    jsonschema::options()
        .with_draft(jsonschema::Draft::Draft4)
        .should_validate_formats(true)
        .build(document)
        .unwrap_or_else(|error| panic!("{error}\n{document:#}"))
}

fn published(schema: &Schema) -> Value {
    let document: Value = serde_json::from_str(&schema::document(schema)).unwrap();
    assert!(jsonschema::draft4::meta::is_valid(&document), "not draft-04: {document:#}");
    document
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_schema_says_what_we_check(seed: u64) {
        let mut seed = Seed::new(seed);
        let schema = seed.schema(3);
        let document = published(&schema);
        let validator = validator(&document);
        for _ in 0..20 {
            let value = seed.value(&schema);
            let found = schema::check(&schema, &value);
            prop_assert_eq!(
                found.is_empty(), validator.is_valid(&value),
                "{:#}\n{}\nwe say {:?}\nthey say {:?}", document, value, found,
                validator.iter_errors(&value).map(|error| error.to_string()).collect::<Vec<_>>()
            );
        }
    }

    #[test]
    fn a_former_name_means_the_property(seed: u64) {
        let mut seed = Seed::new(seed);
        let schema = seed.schema(3);
        for _ in 0..20 {
            let (value, change) = (seed.value(&schema), seed.value(&schema));
            let (old_value, old_change) = (seed.former(&schema, &value), seed.former(&schema, &change));
            let (today, formerly) = (schema::check(&schema, &value), schema::check(&schema, &old_value));
            let messages = |found: Vec<schema::Violation>| found.into_iter().map(|one| one.message).collect::<Vec<_>>();
            prop_assert_eq!(messages(today), messages(formerly), "{} {}", value, old_value);
            prop_assert_eq!(schema::with_defaults(&schema, &value), schema::with_defaults(&schema, &old_value));
            prop_assert_eq!(schema::without_secrets(&schema, &value), schema::without_secrets(&schema, &old_value));
            let merged = schema::merge(&schema, &value, &change);
            prop_assert_eq!(merged, schema::merge(&schema, &old_value, &old_change));
        }
    }

    #[test]
    fn accepted_values_decode(seed: u64) {
        decodes::<Everything>(seed);
        decodes::<EverythingChanges>(seed);
        decodes::<Shape>(seed);
    }

    #[test]
    fn nothing_is_accepted_that_schemars_would_refuse(seed: u64) {
        static THEIRS: LazyLock<jsonschema::Validator> =
            LazyLock::new(|| jsonschema::validator_for(&schemars::schema_for!(theirs::Everything).to_value()).unwrap());
        let mut seed = Seed::new(seed);
        for _ in 0..20 {
            let value = seed.value(&Everything::SCHEMA);
            if schema::check(&Everything::SCHEMA, &value).is_empty() {
                prop_assert!(THEIRS.is_valid(&value), "{}", value);
            }
        }
    }

    #[test]
    fn a_merge_of_what_is_accepted_follows_the_rfc(seed: u64) {
        let mut seed = Seed::new(seed);
        let (before, change) = (seed.value(&Everything::SCHEMA), seed.value(&EverythingChanges::SCHEMA));
        let mut expected = before.clone();
        patch(&mut expected, &change);
        // Except where an enum is replaced as a whole.
        if let (Some(expected), Some(shape)) = (expected.as_object_mut(), change.get("shape").filter(|shape| !shape.is_null())) {
            expected.insert("shape".to_owned(), shape.clone());
        }
        prop_assert_eq!(schema::merge(&Everything::SCHEMA, &before, &change), expected);
    }

    #[test]
    fn defaults_are_accepted_and_change_nothing_twice(seed: u64) {
        let value = Seed::new(seed).value(&Everything::SCHEMA);
        if schema::check(&Everything::SCHEMA, &value).is_empty() {
            let full = schema::with_defaults(&Everything::SCHEMA, &value);
            prop_assert_eq!(schema::check(&Everything::SCHEMA, &full), []);
            prop_assert_eq!(schema::with_defaults(&Everything::SCHEMA, &full), full);
        }
    }
}

/// RFC 7386, as it is written there.
fn patch(target: &mut Value, change: &Value) {
    let Value::Object(members) = change else {
        *target = change.clone();
        return;
    };
    if !target.is_object() {
        *target = json!({});
    }
    let object = target.as_object_mut().unwrap();
    for (name, value) in members {
        if value.is_null() {
            object.shift_remove(name);
        } else {
            patch(object.entry(name).or_insert(Value::Null), value);
        }
    }
}

fn decodes<T: Parameters>(seed: u64) {
    let mut seed = Seed::new(seed);
    let document: Value = serde_json::from_slice(T::JSON).unwrap();
    assert_eq!(document, published(&T::SCHEMA));
    schema::check_document(&document).unwrap();
    let validator = validator(&document);
    for _ in 0..20 {
        let value = seed.value(&T::SCHEMA);
        let accepted = validator.is_valid(&value);
        let decoded = schema::decode::<T>(&value).map(drop);
        assert_eq!(
            decoded.is_ok(),
            accepted || value.is_null() && validator.is_valid(&json!({})),
            "{value}\n{decoded:?}"
        );
    }
}

/// Every feature.
#[parameters(partial = EverythingChanges, rename_all = "camelCase")]
struct Everything {
    #[param(range(min = 1, exclusive_max = 9), multiple_of = 2, default = 4)]
    some_number: i8,
    #[param(range(min = -1.5, max = 1e3), default = 1)]
    float: f32,
    double: Option<f64>,
    letter: Option<char>,
    #[param(length(min = 1, max = 5), pattern = "^[a-z ]*$", default = "abc")]
    text: String,
    flag: Option<bool>,
    #[param(length(max = 3), items(range(max = 4)))]
    list: Option<Vec<u8>>,
    #[param(default = ["a"])]
    set: std::collections::BTreeSet<String>,
    pair: Option<[i64; 2]>,
    map: Option<std::collections::BTreeMap<String, Inner>>,
    anything: Option<Value>,
    address: Option<std::net::Ipv4Addr>,
    #[param(default = "ipv6")]
    color: Color,
    shape: Option<Shape>,
    inner: Inner,
    boxed: Option<Box<Inner>>,
    #[param(immutable, secret)]
    fixed: Option<std::num::NonZeroU16>,
    even: Option<Even>,
    #[param(format = "date-time")]
    at: Option<String>,
}

#[parameters(partial = InnerChanges)]
struct Inner {
    #[param(default = true)]
    a: bool,
    r#b: Option<u64>,
}

#[parameters(rename_all = "lowercase")]
enum Color {
    Ipv4,
    Ipv6,
}

#[parameters(tag = "kind", rename_all = "lowercase", open)]
enum Shape {
    X,
    Name {
        a: u8,
        #[param(default = { "b": 5 })]
        inner: Inner,
        list: Option<Vec<Shape2>>,
    },
}

#[parameters(tag = "kind")]
enum Shape2 {
    #[param(rename = "a/b")]
    Ab { float: f32, map: Option<std::collections::HashMap<String, Option<i16>>> },
}

#[parameters]
struct Even(#[param(multiple_of = 2)] u8);

mod theirs {
    #[derive(schemars::JsonSchema, serde::Deserialize)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    #[expect(dead_code, reason = "only the schema is of interest")]
    pub(super) struct Everything {
        #[serde(default)]
        some_number: i8,
        #[serde(default)]
        float: f32,
        double: Option<f64>,
        letter: Option<char>,
        #[serde(default)]
        text: String,
        flag: Option<bool>,
        list: Option<Vec<u8>>,
        #[serde(default)]
        set: std::collections::BTreeSet<String>,
        pair: Option<[i64; 2]>,
        map: Option<std::collections::BTreeMap<String, Inner>>,
        anything: Option<serde_json::Value>,
        address: Option<std::net::Ipv4Addr>,
        color: Option<Color>,
        shape: Option<Shape>,
        inner: Inner,
        boxed: Option<Box<Inner>>,
        fixed: Option<std::num::NonZeroU16>,
        even: Option<u8>,
        at: Option<String>,
    }

    #[derive(schemars::JsonSchema, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only the schema is of interest")]
    pub(super) struct Inner {
        #[serde(default)]
        a: bool,
        b: Option<u64>,
    }

    #[derive(schemars::JsonSchema, serde::Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub(super) enum Color {
        Ipv4,
        Ipv6,
    }

    #[derive(schemars::JsonSchema, serde::Deserialize)]
    #[serde(tag = "kind", rename_all = "lowercase")]
    #[expect(dead_code, reason = "only the schema is of interest")]
    pub(super) enum Shape {
        X,
        Name { a: u8, inner: Option<Inner> },
    }
}
