//! Our validation agrees with that of an independent validator on the published document.

use std::sync::LazyLock;

use osb_runtime::{
    json::Json,
    prelude::*,
    schema::{self, Kind, Limit, Narrowed, Narrowing, Object, Property, Rule, Schema},
};
use osb_tests::seed::{Seed, leak, text};
use proptest::prelude::*;
use serde_json::{Value, json};

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
    // `PROPTEST_CASES=50000` compares a million values of each kind.
    #![proptest_config(ProptestConfig {
        cases: ProptestConfig::default().cases.max(500),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn validation_agrees_with_the_document(seed: u64) {
        let mut seed = Seed::new(seed);
        let schema = seed.schema(3);
        agrees_with_the_document(&schema, &mut seed)?;
    }

    #[test]
    fn validation_of_updates_agrees_with_the_document(seed: u64) {
        let mut seed = Seed::new(seed);
        let (schema, nullable) = (seed.schema(2), seed.coin());
        let property = Property::of(text("a"), schema).for_update(schema, nullable);
        agrees_with_the_document(&object(&property), &mut seed)?;
    }

    #[test]
    fn validation_by_narrowed_plans_agrees_with_the_document(seed: u64) {
        let mut seed = Seed::new(seed);
        let property = object(&Property::of(text("a"), seed.schema(1)));
        let (low, high) = (i128::from(seed.below(4)), i128::from(seed.below(4)) + 1);
        let digits = ["0", "1", "2", "3", "4"];
        let limit = |value: i128| Limit::integer(value, digits[usize::try_from(value).unwrap()]);
        let rules = [
            Rule::Minimum(limit(low), seed.coin()),
            Rule::Maximum(limit(high), seed.coin()),
            Rule::MultipleOf(limit(high)),
        ];
        let rules = leak(rules.into_iter().filter(|_| seed.coin()));
        let properties = schema::narrowed::<1>(&property, &[Narrowing { property: "a", rules }], Narrowed::Create);
        let narrowed = schema::with_properties(&property, leak(properties.into_iter()));
        agrees_with_the_document(&narrowed, &mut seed)?;
    }

    #[test]
    fn former_names_are_accepted(seed: u64) {
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
    fn accepted_values_satisfy_the_schema_of_schemars(seed: u64) {
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
    fn a_merge_of_accepted_values_follows_the_rfc(seed: u64) {
        let mut seed = Seed::new(seed);
        let (before, change) = (seed.value(&Everything::SCHEMA), seed.value(&EverythingChanges::SCHEMA));
        let [before, change] = [before, change].map(|value| schema::renamed(&Everything::SCHEMA, &value));
        let mut expected = before.clone();
        patch(&mut expected, &change);
        // Tagged enums are an exception, because they are replaced as a whole.
        if let (Some(expected), Some(shape)) = (expected.as_object_mut(), change.get("shape").filter(|shape| !shape.is_null())) {
            expected.insert("shape".to_owned(), shape.clone());
        }
        prop_assert_eq!(schema::merge(&Everything::SCHEMA, &before, &change), expected);
    }

    #[test]
    fn filling_in_defaults_is_valid_and_idempotent(seed: u64) {
        let value = Seed::new(seed).value(&Everything::SCHEMA);
        if schema::check(&Everything::SCHEMA, &value).is_empty() {
            let full = schema::with_defaults(&Everything::SCHEMA, &value);
            prop_assert_eq!(schema::check(&Everything::SCHEMA, &full), []);
            prop_assert_eq!(schema::with_defaults(&Everything::SCHEMA, &full), full);
        }
    }
}

fn agrees_with_the_document(schema: &Schema, seed: &mut Seed) -> Result<(), TestCaseError> {
    let document = published(schema);
    let validator = validator(&document);
    for _ in 0..20 {
        let value = seed.value(schema);
        let found = schema::check(schema, &value);
        prop_assert_eq!(
            found.is_empty(),
            validator.is_valid(&as_draft_04(schema, &value)),
            "{:#}\n{}\nwe say {:?}\nthey say {:?}",
            document,
            value,
            found,
            validator.iter_errors(&value).map(|error| error.to_string()).collect::<Vec<_>>()
        );
    }
    Ok(())
}

/// Returns a value with its whole numbers as draft-04 wants them. Later drafts have no integer with a decimal point: `60.0` is
/// 60, and so it is here.
fn as_draft_04(schema: &Schema, value: &Value) -> Value {
    schema::renamed(schema, value)
}

/// Returns the schema of an object with one property.
fn object(property: &Property) -> Schema {
    Schema::new(Kind::Object(Object { properties: leak([*property].into_iter()), open: false }))
}

/// Implements the pseudocode of RFC 7386.
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
            object.remove(name);
        } else {
            patch(object.entry(name).or_insert(Value::Null), value);
        }
    }
}

fn decodes<T: Parameters>(seed: u64) {
    let mut seed = Seed::new(seed);
    let document: Value = serde_json::from_slice(T::JSON).unwrap();
    assert_eq!(document, published(&T::SCHEMA));
    schema::check_document(&Json::read(T::JSON).unwrap()).unwrap();
    let validator = validator(&document);
    for _ in 0..20 {
        let value = seed.value(&T::SCHEMA);
        let accepted = validator.is_valid(&as_draft_04(&T::SCHEMA, &value));
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
    Ab { float: f32, map: Option<std::collections::HashMap<String, i16>> },
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
