//! Validation of values against schemas with all kinds of constraints. The result has to be that of another validator
//! on the published document, and accepted values can be decoded.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    net::{Ipv4Addr, Ipv6Addr},
    num::NonZeroU16,
    sync::LazyLock,
};

use jsonschema::{Draft, Validator};
use osb_runtime::{
    prelude::*,
    schema::{self, Schema, Violation},
};
use serde_json::{Value, json};

/// Numbers.
#[parameters]
struct Numbers {
    #[param(range(min = -3, max = 9))]
    signed: Option<i8>,
    #[param(range(exclusive_min = 0, exclusive_max = 100), multiple_of = 5)]
    fives: Option<u16>,
    port: Option<NonZeroU16>,
    large: Option<u64>,
    least: Option<i64>,
    #[param(range(min = -1.5, exclusive_max = 1e3))]
    double: Option<f64>,
    #[param(range(exclusive_min = 0, max = 2), multiple_of = 0.25)]
    quarters: Option<f64>,
    #[param(multiple_of = 0.1)]
    tenths: Option<f64>,
    single: Option<f32>,
    #[param(default = 3)]
    three: u8,
}

/// Text.
#[parameters]
struct Texts {
    #[param(length(min = 1, max = 5))]
    short: Option<String>,
    #[param(pattern = r"^[a-z][a-z0-9-]{0,3}$")]
    name: Option<String>,
    #[param(pattern = r"^\w+\s?\S*$", length(max = 12))]
    words: Option<String>,
    #[param(pattern = r"\d+\.\d|^[^\d\s]+$|\bab?\b")]
    either: Option<String>,
    #[param(format = "date-time")]
    at: Option<String>,
    #[param(format = "email")]
    email: Option<String>,
    #[param(format = "hostname")]
    host: Option<String>,
    #[param(format = "uri")]
    link: Option<String>,
    v4: Option<Ipv4Addr>,
    v6: Option<Ipv6Addr>,
    letter: Option<char>,
    #[param(secret, length(min = 8))]
    secret: Option<String>,
    #[param(default = "calm")]
    mood: Behaviour,
}

#[parameters(rename_all = "kebab-case")]
enum Behaviour {
    Calm,
    VeryCalm,
}

/// Lists and maps.
#[parameters(open)]
struct Many {
    #[param(length(min = 1, max = 3), items(range(max = 4)))]
    few: Option<Vec<u8>>,
    #[param(unique)]
    unique: Option<Vec<f64>>,
    #[param(default = ["a"])]
    set: BTreeSet<String>,
    pair: Option<[bool; 2]>,
    nested: Option<Vec<Vec<Inner>>>,
    #[param(length(min = 1, max = 2))]
    map: Option<BTreeMap<String, Inner>>,
    holes: Option<HashMap<String, i16>>,
    #[param(unique)]
    anything: Option<Vec<Value>>,
}

/// Parameters with nested objects.
#[parameters(partial = OuterChanges, rename_all = "camelCase")]
struct Outer {
    inner_one: Inner,
    boxed: Option<Box<Inner>>,
    #[param(default = { "kind": "square", "side": 2 })]
    shape: Shape,
    #[param(immutable)]
    even: Option<Even>,
    any: Option<Value>,
    #[param(rename = "a/b~c")]
    escaped: Option<bool>,
}

#[parameters(partial = InnerChanges)]
struct Inner {
    #[param(default = true)]
    a: bool,
    b: Option<u32>,
}

#[parameters(tag = "kind", rename_all = "lowercase")]
enum Shape {
    Point,
    Square {
        #[param(range(min = 1))]
        side: u8,
    },
    Circle {
        radius: f64,
        label: Option<String>,
    },
}

#[parameters]
struct Even(#[param(multiple_of = 2)] u8);

/// A type, and what is to be known of it.
struct Kind {
    schema: &'static Schema,
    validator: Validator,
    decode: fn(&Value) -> Result<(), Vec<Violation>>,
}

impl Kind {
    fn of<T: Parameters>() -> Self {
        let document = serde_json::from_slice(T::JSON).expect("it is JSON");
        let validator = jsonschema::options().with_draft(Draft::Draft4).should_validate_formats(true);
        Self {
            schema: &T::SCHEMA,
            validator: validator.build(&document).expect("it is a schema"),
            decode: |value| schema::decode::<T>(value).map(drop),
        }
    }
}

/// Checks a JSON value. The first byte selects the type.
///
/// # Panics
///
/// If the results differ, or if an accepted value can't be decoded.
pub fn parameters(data: &[u8]) {
    static KINDS: LazyLock<[Kind; 6]> = LazyLock::new(|| {
        [
            Kind::of::<Numbers>(),
            Kind::of::<Texts>(),
            Kind::of::<Many>(),
            Kind::of::<Outer>(),
            Kind::of::<OuterChanges>(),
            Kind::of::<Shape>(),
        ]
    });
    let [which, value @ ..] = data else { return };
    let Ok(value) = serde_json::from_slice::<Value>(value) else { return };
    let Kind { schema, validator, decode } = &KINDS[usize::from(*which) % KINDS.len()];

    let found = schema::check(schema, &value);
    // In draft-04, a whole number has no decimal point.
    let draft_04 = schema::renamed(schema, &value);
    let theirs = validator.iter_errors(&draft_04).map(|error| error.to_string()).collect::<Vec<_>>();
    // The other validator accepts the time `12:00:0.Z`, which is invalid in RFC 3339, and from 2^63 on whole numbers with an exponent,
    // which it refuses below that.
    let is_theirs = |violation: &Violation| match &*violation.pointer {
        "/at" => true,
        "/large" => value["large"].is_f64() && value["large"].as_f64() >= Some(2_f64.powi(63)),
        _ => false,
    };
    if found.is_empty() || !found.iter().all(is_theirs) {
        assert_eq!(found.is_empty(), theirs.is_empty(), "{value}\nwe say {found:?}\nthey say {theirs:?}");
    }

    let decoded = decode(&value);
    let accepted = found.is_empty() || value.is_null() && schema::check(schema, &json!({})).is_empty();
    assert_eq!(decoded.is_ok(), accepted, "{value}\n{decoded:?}");
    if found.is_empty() {
        let full = schema::with_defaults(schema, &value);
        assert_eq!(schema::check(schema, &full), [], "{value}");
        assert_eq!(schema::with_defaults(schema, &full), full);
    }
    // These must not panic for any value.
    let _ = (schema::without_secrets(schema, &value), schema::merge(schema, &value, &value));
}
