//! Schemas that are changed, written and measured when the program runs. Most of this runs in the compiler too, where `tests/ui`
//! tests it.

use serde_json::{Value, from_str, json};

use super::{
    Array, Decimal, Foreign, ForeignType, Integer, Kind, Limit, Literal, Map, Narrowed, Narrowing, Number, Object,
    Parameter, Property, Rule, Schema, StringRules, Tagged, Text, Variant,
    constraints::{constraint, rule as rule_of_type},
    document, fill_foreign, is_multiple,
    json::{Draft, counted_len, render},
    merge, narrow_at_start, nearest, schemars_schema, too_large,
};

const ANY: Schema = Schema::new(Kind::Any);
const STRING: Kind = Kind::String(StringRules::ANY);
const LIST: Kind = list(&ANY);
const MAP: Kind = map(&ANY);
const WHOLE: Kind = Kind::Integer(Integer {
    minimum: Some(1),
    maximum: Some(9),
    exclusive_minimum: false,
    exclusive_maximum: false,
    multiple_of: None,
    one_of: None,
});
const NUMBER: Kind = Kind::Number(Number {
    minimum: Some(decimal(0.25, "0.25")),
    maximum: Some(decimal(9.5, "9.5")),
    exclusive_minimum: false,
    exclusive_maximum: false,
    multiple_of: None,
});

const fn decimal(value: f64, text: &'static str) -> Decimal {
    Decimal { value, text }
}

const fn list(items: &'static Schema) -> Kind {
    Kind::Array(Array { items, min_items: None, max_items: None, unique: false })
}

const fn map(values: &'static Schema) -> Kind {
    Kind::Map(Map { values, min_properties: None, max_properties: None })
}

const fn object(properties: &'static [Property]) -> Kind {
    Kind::Object(Object { properties, open: false })
}

const fn property(json: &'static str, kind: Kind) -> Property {
    Property::of(Text::plain(json), Schema::new(kind))
}

fn foreign() -> Value {
    json!({
        "description": "#/definitions/Node",
        "anyOf": [{ "$ref": "#/definitions/Node" }, { "enum": ["#"] }],
        "properties": { "title": { "$ref": "#/definitions/Leaf" }, "own": { "$ref": "#other" } },
        "definitions": { "Node": { "items": [{ "$ref": "#/definitions/Leaf" }] }, "Leaf": { "type": "string" } },
    })
}

const FOREIGN: Schema =
    Schema::new(Kind::Foreign(ForeignType { type_name: || "a::Tree", schema: foreign, accept: |_| Ok(()) }));

/// Returns the document of a schema, without its dialect.
fn written(schema: &Schema) -> Value {
    let mut document: Value = from_str(&document(schema)).expect("it is JSON");
    document.as_object_mut().and_then(|document| document.remove("$schema")).expect("it has a dialect");
    document
}

#[test]
fn a_rule_is_added_to_the_kinds_that_have_it() {
    let (three, half, unknown) = (Limit::integer(3, "3"), Limit::decimal(decimal(0.5, "0.5")), Limit::constant(3));
    let whole = |mut more: Value| {
        let mut schema = json!({ "type": "integer", "minimum": 1, "maximum": 9 });
        schema.as_object_mut().expect("an object").append(more.as_object_mut().expect("an object"));
        schema
    };
    let number = |mut more: Value| {
        let mut schema = json!({ "type": "number", "minimum": 0.25, "maximum": 9.5 });
        schema.as_object_mut().expect("an object").append(more.as_object_mut().expect("an object"));
        schema
    };
    let (string, any) = (json!({ "type": "string" }), json!({}));
    let (list, map) =
        (json!({ "type": "array", "items": any }), json!({ "type": "object", "additionalProperties": any }));
    let cases = [
        (WHOLE, Rule::Minimum(three, true), whole(json!({ "minimum": 3, "exclusiveMinimum": true }))),
        (WHOLE, Rule::Maximum(three, true), whole(json!({ "maximum": 3, "exclusiveMaximum": true }))),
        (WHOLE, Rule::MultipleOf(three), whole(json!({ "multipleOf": 3 }))),
        (NUMBER, Rule::Minimum(half, true), number(json!({ "minimum": 0.5, "exclusiveMinimum": true }))),
        (NUMBER, Rule::Maximum(half, true), number(json!({ "maximum": 0.5, "exclusiveMaximum": true }))),
        (NUMBER, Rule::MultipleOf(half), number(json!({ "multipleOf": 0.5 }))),
        // Such a mistake is reported elsewhere.
        (WHOLE, Rule::Minimum(half, true), whole(json!({}))),
        (WHOLE, Rule::Maximum(half, true), whole(json!({}))),
        (NUMBER, Rule::Minimum(unknown, true), number(json!({}))),
        (NUMBER, Rule::Maximum(unknown, true), number(json!({}))),
        (STRING, Rule::Unique, string.clone()),
        (STRING, Rule::Length(Some(1), Some(3)), json!({ "type": "string", "minLength": 1, "maxLength": 3 })),
        (
            STRING,
            Rule::Length(Some(-1), Some(1 << 64)),
            json!({ "type": "string", "minLength": 0, "maxLength": u64::MAX }),
        ),
        (STRING, Rule::Length(None, None), string),
        (LIST, Rule::Length(Some(1), Some(3)), json!({ "type": "array", "items": any, "minItems": 1, "maxItems": 3 })),
        (LIST, Rule::Unique, json!({ "type": "array", "items": any, "uniqueItems": true })),
        (LIST, Rule::MultipleOf(three), list),
        (
            MAP,
            Rule::Length(Some(1), Some(3)),
            json!({ "type": "object", "additionalProperties": any, "minProperties": 1, "maxProperties": 3 }),
        ),
        (MAP, Rule::Unique, map),
    ];
    for (kind, rule, expected) in cases {
        assert_eq!(written(&Schema::new(kind).with(&[rule])), expected, "{rule:?}");
    }
    let twice = Schema::new(STRING).with(&[Rule::Length(Some(1), Some(9)), Rule::Length(None, Some(3))]);
    assert_eq!(written(&twice), json!({ "type": "string", "minLength": 1, "maxLength": 3 }));
}

#[test]
fn a_deployment_narrows_the_bounds_of_its_properties() {
    const EXAMPLES: &[Literal] = &[Literal::Integer(9)];
    const SIZE: Property = Property::of(Text::plain("\"maxSize\""), Schema::new(WHOLE).examples(EXAMPLES));
    const TYPE: Schema = Schema::new(Kind::Object(Object {
        properties: &[SIZE, property("\"name\"", STRING), property("\"tags\"", LIST), property("\"labels\"", MAP)],
        open: true,
    }));
    const TWO: &[Rule] = &[Rule::Minimum(Limit::integer(2, "2"), false), Rule::Maximum(Limit::integer(2, "2"), false)];
    const HUGE: &[Rule] = &[Rule::Maximum(Limit::integer(i128::MAX, "1"), false)];
    let narrowings = [("max_size", TWO), ("name", HUGE), ("tags", TWO)];
    let narrowings = narrowings.map(|(property, rules)| Narrowing { property, rules });
    let narrowed = narrow_at_start(&TYPE, &narrowings, Narrowed::Create);
    assert_eq!(
        written(narrowed)["properties"],
        json!({
            "maxSize": { "type": "integer", "minimum": 2, "maximum": 2 },
            "name": { "type": "string", "maxLength": u64::MAX },
            "tags": { "type": "array", "items": {}, "minItems": 2, "maxItems": 2 },
            "labels": { "type": "object", "additionalProperties": {} },
        })
    );
    let Kind::Object(Object { properties, open: true }) = narrowed.kind else { panic!("{narrowed:?}") };
    assert!(properties[0].schema.examples.is_empty(), "they may be outside of the bounds");
    assert_eq!(
        written(narrow_at_start(&Schema::new(STRING), &narrowings, Narrowed::Create)),
        json!({ "type": "string" })
    );
}

/// An update has only the changed entries of a map, and its type can have narrower bounds than the plan.
#[test]
fn the_parameters_of_an_update_are_narrowed_only_if_that_leaves_less() {
    let at_most = |most| Rule::Maximum(Limit::integer(most, "n"), false);
    let sizes = [("\"wide\"", 100), ("\"tight\"", 10)]
        .map(|(name, most)| Property { schema: Schema::new(WHOLE).with(&[at_most(most)]), ..property(name, WHOLE) });
    let properties = vec![sizes[0], sizes[1], property("\"labels\"", MAP)].leak();
    let update = Schema::new(Kind::Object(Object { properties, open: false }));
    let rules: &[Rule] = vec![at_most(50)].leak();
    let narrowings = ["wide", "tight", "labels"].map(|property| Narrowing { property, rules });
    assert_eq!(
        written(narrow_at_start(&update, &narrowings, Narrowed::Update(&update)))["properties"],
        json!({
            "wide": { "type": "integer", "minimum": 1, "maximum": 50 },
            "tight": { "type": "integer", "minimum": 1, "maximum": 10 },
            "labels": { "type": "object", "additionalProperties": {} },
        })
    );
}

/// The values of a plan replace those of the type. An update whose own values are fewer keeps them, and its bounds stay.
#[test]
fn a_plan_lists_fewer_values() {
    let property = |name, least, values| {
        let rules = Integer { minimum: least, one_of: values, ..Integer::default() };
        Property { schema: Schema::new(Kind::Integer(rules)), ..property(name, WHOLE) }
    };
    let properties = vec![
        property("\"same\"", None, Some(&[1, 3, 5, 7])),
        property("\"fewer\"", None, Some(&[3])),
        property("\"bounded\"", Some(2), None),
        property("\"apart\"", Some(8), None),
    ];
    let update = Schema::new(Kind::Object(Object { properties: properties.leak(), open: false }));
    let narrowings =
        ["same", "fewer", "bounded", "apart"].map(|property| Narrowing { property, rules: &[Rule::OneOf(&[1, 3, 5])] });
    let written = |of| written(narrow_at_start(&update, &narrowings, of))["properties"].clone();
    assert_eq!(
        written(Narrowed::Update(&update)),
        json!({
            "same": { "type": "integer", "enum": [1, 3, 5] },
            "fewer": { "type": "integer", "enum": [3] },
            "bounded": { "type": "integer", "minimum": 2, "enum": [1, 3, 5] },
            "apart": { "type": "integer", "minimum": 8 },
        })
    );
    assert_eq!(written(Narrowed::Create)["same"], json!({ "type": "integer", "enum": [1, 3, 5] }));
}

#[test]
fn a_property_has_the_same_name_in_any_case() {
    const TYPE: Schema = Schema::new(object(&[property("\"max-Size\"", WHOLE)]));
    const EVEN: &[Rule] = &[Rule::MultipleOf(Limit::integer(2, "2"))];
    let is_called = |property| {
        let narrowed = written(narrow_at_start(&TYPE, &[Narrowing { property, rules: EVEN }], Narrowed::Create));
        narrowed["properties"]["max-Size"]["multipleOf"] == 2
    };
    for same in ["max-Size", "maxSize", "max_size", "MAXSIZE", "_max__size_", "m-a-x-s-i-z-e"] {
        assert!(is_called(same), "{same}");
    }
    for other in ["", "_", "max", "maxSizes", "maxSise", "naxSize", "ma"] {
        assert!(!is_called(other), "{other}");
    }
}

/// Such names may differ in case alone.
#[test]
fn bounds_are_those_of_the_property_with_the_exact_name() {
    const TYPE: Schema = Schema::new(object(&[property("\"maxsize\"", WHOLE), property("\"max_size\"", WHOLE)]));
    const UPDATE: Schema = Schema::new(object(&[property("\"maxsize\"", WHOLE)]));
    const RENAMED: Schema = Schema::new(object(&[
        property("\"node_count\"", WHOLE),
        Property { aliases: &["nodeCount"], ..property("\"nodes\"", WHOLE) },
    ]));
    const EVEN: &[Rule] = &[Rule::MultipleOf(Limit::integer(2, "2"))];
    let narrowed = |schema, property, of| -> Vec<bool> {
        let narrowed = narrow_at_start(schema, &[Narrowing { property, rules: EVEN }], of);
        let Kind::Object(object) = &narrowed.kind else { panic!("{narrowed:?}") };
        let is_even = |one: &Property| matches!(one.schema.kind, Kind::Integer(Integer { multiple_of: Some(2), .. }));
        object.properties.iter().map(is_even).collect()
    };
    assert_eq!(narrowed(&TYPE, "maxsize", Narrowed::Create), [true, false]);
    assert_eq!(narrowed(&TYPE, "max_size", Narrowed::Create), [false, true]);
    assert_eq!(narrowed(&TYPE, "maxSize", Narrowed::Create), [true, false], "the first one");
    assert_eq!(narrowed(&UPDATE, "maxsize", Narrowed::Update(&TYPE)), [true]);
    assert_eq!(narrowed(&UPDATE, "max_size", Narrowed::Update(&TYPE)), [false], "an update doesn't change it");
    assert_eq!(narrowed(&RENAMED, "nodeCount", Narrowed::Create), [false, true], "the former name of the second one");
}

/// Otherwise filling in defaults later would find the property present, with what the change says of it alone.
#[test]
fn a_change_begins_with_the_default_of_an_absent_property() {
    const KEEP: Literal = Literal::Object(&[(Text::plain("\"keep\""), Literal::Integer(8))]);
    const BACKUP: Schema = Schema::new(object(&[
        property("\"hour\"", WHOLE).or(Literal::Integer(3)),
        property("\"keep\"", WHOLE).or(Literal::Integer(7)),
    ]));
    const NESTED: Schema = Schema::new(object(&[Property::of(Text::plain("\"backup\""), BACKUP).or(KEEP)]));
    const TYPE: Schema = Schema::new(object(&[
        Property::of(Text::plain("\"backup\""), BACKUP).or(KEEP),
        property("\"labels\"", MAP).or(KEEP),
        property("\"any\"", Kind::Any).or(KEEP),
        Property::of(Text::plain("\"nested\""), NESTED).optional(),
        property("\"size\"", WHOLE).or(Literal::Integer(1)),
    ]));
    let merged = |before: Value, change: Value| merge(&TYPE, &before, &change);
    for name in ["backup", "labels", "any"] {
        let change = json!({ name: { "hour": 5 } });
        assert_eq!(merged(json!({}), change.clone()), json!({ name: { "keep": 8, "hour": 5 } }));
        assert_eq!(merged(json!({ name: { "keep": 9 } }), change.clone()), json!({ name: { "keep": 9, "hour": 5 } }));
        assert_eq!(merged(json!({ name: {} }), change), json!({ name: { "hour": 5 } }), "no default of a part");
        assert_eq!(merged(json!({}), json!({ name: { "keep": null } })), json!({ name: {} }));
        assert_eq!(merged(json!({}), json!({ name: null })), json!({}));
    }
    let change = json!({ "nested": { "backup": { "hour": 5 } }, "size": 2 });
    assert_eq!(merged(json!({}), change), json!({ "nested": { "backup": { "keep": 8, "hour": 5 } }, "size": 2 }));
}

/// An update has such a value as a whole, and it may be an enum of serde's: `{"A": ..}` or `{"B": ..}`.
#[test]
fn a_change_replaces_the_property_of_a_type_of_schemars() {
    const TYPE: Schema = Schema::new(object(&[Property::of(Text::plain("\"of\""), FOREIGN)]));
    let [before, change] = ["A", "B"].map(|variant| json!({ "of": { variant: { "x": 1 } } }));
    assert_eq!(merge(&TYPE, &before, &change), change);
    let (before, change) = (json!({ "a": 1, "b": 2 }), json!({ "b": 3 }));
    assert_eq!(merge(&FOREIGN, &before, &change), json!({ "a": 1, "b": 3 }), "parameters keep what isn't mentioned");
}

#[test]
fn a_type_of_schemars_is_foreign_anywhere() {
    const PROPERTY: Property = Property::of(Text::plain("\"a\""), FOREIGN);
    const NONE: Property = property("\"b\"", STRING);
    const fn variant(properties: &'static [Property]) -> Variant {
        Variant { name: Text::plain("\"v\""), description: None, object: Object { properties, open: false } }
    }
    const fn tagged(variants: &'static [Variant]) -> Kind {
        Kind::Tagged(Tagged { tag: Text::plain("\"t\""), variants })
    }
    const ONE: Kind = tagged(&[variant(&[NONE])]);
    const TWO: Kind = tagged(&[variant(&[NONE]), variant(&[PROPERTY])]);
    for kind in [FOREIGN.kind, list(&FOREIGN), map(&FOREIGN), object(&[NONE, PROPERTY]), TWO] {
        assert!(Schema::new(kind).has_foreign(), "{kind:?}");
    }
    for kind in [STRING, LIST, MAP, object(&[]), object(&[NONE]), tagged(&[]), ONE] {
        assert!(!Schema::new(kind).has_foreign(), "{kind:?}");
    }
}

#[test]
fn references_of_a_foreign_schema_lead_to_the_definitions_of_the_document() {
    const NULLABLE: Schema = Schema { nullable: true, ..FOREIGN };
    const BOTH: Schema = Schema::new(object(&[
        Property::of(Text::plain("\"plain\""), FOREIGN),
        Property::of(Text::plain("\"nullable\""), NULLABLE),
    ]));
    let embedded = json!({
        "description": "#/definitions/Node",
        "anyOf": [{ "$ref": "#/definitions/a..Tree.Node" }, { "enum": ["#"] }],
        "properties": { "title": { "$ref": "#/definitions/a..Tree.Leaf" }, "own": { "$ref": "#other" } },
    });
    let filled = Value::from(fill_foreign(&BOTH));
    assert_eq!(filled["properties"]["plain"], embedded);
    assert_eq!(filled["properties"]["nullable"], json!({ "anyOf": [{ "type": "null" }, embedded] }));
    assert_eq!(
        filled["definitions"],
        json!({
            "a..Tree.Node": { "items": [{ "$ref": "#/definitions/a..Tree.Leaf" }] }, "a..Tree.Leaf": { "type": "string" },
        })
    );
}

#[test]
fn a_value_that_may_be_null_is_written_so() {
    const VARIANT: Variant =
        Variant { name: Text::plain("\"v\""), description: None, object: Object { properties: &[], open: false } };
    const TAGGED: Schema = Schema::new(Kind::Tagged(Tagged { tag: Text::plain("\"t\""), variants: &[VARIANT] }));
    let nullable = |schema: Schema| written(&Schema { nullable: true, ..schema });
    assert_eq!(nullable(TAGGED), json!({ "anyOf": [{ "type": "null" }, written(&TAGGED)] }));
    assert_eq!(nullable(FOREIGN), json!({ "anyOf": [{ "type": "null" }, {}] }));
    assert_eq!(nullable(ANY), json!({}));
    assert_eq!(nullable(Schema::new(STRING)), json!({ "type": ["string", "null"] }));
}

#[test]
fn a_default_is_written_as_json() {
    const LITERAL: Literal = Literal::Object(&[
        (
            Text::plain("\"list\""),
            Literal::Array(&[
                Literal::Integer(-1),
                Literal::Null,
                Literal::Number(decimal(0.5, "0.5")),
                Literal::Array(&[]),
            ]),
        ),
        (Text::plain("\"flags\""), Literal::Object(&[(Text::plain("\"on\""), Literal::Boolean(true))])),
        (Text::plain("\"text\""), Literal::String(Text::plain("\"a\""))),
    ]);
    let schema = Schema { default: Some(LITERAL), ..ANY };
    let expected = json!({ "list": [-1, null, 0.5, []], "flags": { "on": true }, "text": "a" });
    assert_eq!(written(&schema), json!({ "default": expected }));
}

/// Cloud Foundry counts the bytes after Rails has escaped some characters.
#[test]
fn the_size_of_a_document_counts_escapes() {
    let many = "a".repeat(12_000);
    let sized = |more: &str| counted_len(format!("{many}{more}").as_bytes()) - many.len();
    for escaped in ["<", ">", "&", "\u{2028}", "\u{2029}"] {
        assert_eq!((sized(escaped), sized(&format!("{escaped} "))), (6, 7), "{escaped:?}");
    }
    for plain in ["a", "é", "\u{2027}", "\u{2068}", "€"] {
        assert_eq!(sized(plain), plain.len(), "{plain:?}");
    }
    // A slice of a text can end within a character.
    assert_eq!(counted_len(&[many.as_bytes(), &[0xE2, 0x80]].concat()), many.len() + 2);
    // A small document is not looked at, since it is far below the limit.
    assert_eq!(counted_len(b"<"), 1);
}

#[test]
fn multiples_are_those_of_the_digits() {
    for (value, divisor) in [("1.0", "1"), ("20.0", "1"), ("0.3", "0.1"), ("1e12", "1e11"), ("-2.5", "0.5"), ("0", "7")]
    {
        assert!(is_multiple(value, divisor), "{value} {divisor}");
    }
    for (value, divisor) in [("0.5", "1"), ("1.5", "1"), ("1e10", "1e11"), ("0.35", "0.1"), ("1", "0")] {
        assert!(!is_multiple(value, divisor), "{value} {divisor}");
    }
}

/// Deployments can narrow plans when the program starts.
#[test]
fn a_bound_that_the_type_does_not_have_is_reported() {
    const PRIMES: Kind = listed(WHOLE);
    const fn listed(mut kind: Kind) -> Kind {
        if let Kind::Integer(rules) = &mut kind {
            rules.one_of = Some(&[2, 3, 5]);
        }
        kind
    }
    const FIVES: Kind = divisible(WHOLE);
    const QUARTERS: Kind = divisible(NUMBER);
    const fn divisible(mut kind: Kind) -> Kind {
        match &mut kind {
            Kind::Integer(rules) => rules.multiple_of = Some(5),
            Kind::Number(rules) => rules.multiple_of = Some(decimal(0.25, "0.25")),
            _ => {}
        }
        kind
    }
    const ABOVE: Kind = exclusive(WHOLE);
    const BETWEEN: Kind = exclusive(NUMBER);
    const fn exclusive(mut kind: Kind) -> Kind {
        match &mut kind {
            Kind::Integer(rules) => (rules.exclusive_minimum, rules.exclusive_maximum) = (true, true),
            Kind::Number(rules) => (rules.exclusive_minimum, rules.exclusive_maximum) = (true, true),
            _ => {}
        }
        kind
    }
    const fn number(value: f64, text: &'static str) -> Limit {
        Limit::decimal(decimal(value, text))
    }
    let problem = |kind: Kind, rule: Rule| {
        let message = rule_of_type(&Schema::new(kind), "`size`", &rule);
        message.map(|message| message.get().trim_start_matches("this ").to_owned()).unwrap_or_default()
    };
    let (least, most) = (|bound| Rule::Minimum(bound, false), |bound| Rule::Maximum(bound, false));
    let [zero, one, nine, ten] = [(0, "0"), (1, "1"), (9, "9"), (10, "10")].map(|(n, text)| Limit::integer(n, text));
    let [low, quarter, high] = [number(0.0, "0"), number(0.25, "0.25"), number(9.5, "9.5")];
    let outside =
        |word: &str, side: &str| format!("{word} is outside the range of the type of `size`, which is {side}");
    let multiples =
        |of: &str| format!("the type of `size` accepts only multiples of {of}: write a multiple of that number");
    for (kind, rule, expected) in [
        (WHOLE, least(zero), outside("minimum", "at least 1")),
        (WHOLE, least(one), String::new()),
        (WHOLE, least(nine), String::new()),
        (WHOLE, least(ten), outside("minimum", "at most 9")),
        (WHOLE, most(ten), outside("maximum", "at most 9")),
        (WHOLE, most(nine), String::new()),
        (WHOLE, most(one), String::new()),
        (WHOLE, most(zero), outside("maximum", "at least 1")),
        (ABOVE, least(one), outside("minimum", "greater than 1")),
        (ABOVE, Rule::Minimum(one, true), String::new()),
        (ABOVE, most(nine), outside("maximum", "less than 9")),
        (ABOVE, Rule::Maximum(nine, true), String::new()),
        (NUMBER, least(low), outside("minimum", "at least 0.25")),
        (NUMBER, least(quarter), String::new()),
        (NUMBER, most(low), outside("maximum", "at least 0.25")),
        (NUMBER, most(high), String::new()),
        (NUMBER, least(number(9.6, "9.6")), outside("minimum", "at most 9.5")),
        (NUMBER, most(number(9.6, "9.6")), outside("maximum", "at most 9.5")),
        (BETWEEN, least(quarter), outside("minimum", "greater than 0.25")),
        (BETWEEN, Rule::Minimum(quarter, true), String::new()),
        (BETWEEN, most(high), outside("maximum", "less than 9.5")),
        (BETWEEN, Rule::Maximum(high, true), String::new()),
        (WHOLE, most(high), "`size` is a whole number: write this number without a fraction".to_owned()),
        (NUMBER, Rule::MultipleOf(zero), "`multiple_of` has to be greater than 0".to_owned()),
        (WHOLE, Rule::MultipleOf(zero), "`multiple_of` has to be greater than 0".to_owned()),
        (WHOLE, Rule::MultipleOf(one), String::new()),
        (FIVES, Rule::MultipleOf(ten), String::new()),
        (FIVES, Rule::MultipleOf(nine), multiples("5")),
        (FIVES, Rule::MultipleOf(one), multiples("5")),
        (QUARTERS, Rule::MultipleOf(number(0.5, "0.5")), String::new()),
        (QUARTERS, Rule::MultipleOf(quarter), String::new()),
        (QUARTERS, Rule::MultipleOf(number(0.4, "0.4")), multiples("0.25")),
        (NUMBER, Rule::MultipleOf(number(0.4, "0.4")), String::new()),
        (STRING, Rule::Unique, String::new()),
        (WHOLE, Rule::OneOf(&[1, 5, 9]), String::new()),
        (WHOLE, Rule::OneOf(&[0, 5]), "a value of `size` is 0, but the minimum is 1".to_owned()),
        (WHOLE, Rule::OneOf(&[5, 10]), "a value of `size` is 10, but the maximum is 9".to_owned()),
        (WHOLE, Rule::OneOf(&[5, 1, 5]), "the value 5 of `size` is given twice".to_owned()),
        (FIVES, Rule::OneOf(&[5, 6]), "a value of `size` is 6, which is not a multiple of 5".to_owned()),
        (PRIMES, Rule::OneOf(&[5, 2]), String::new()),
        (PRIMES, Rule::OneOf(&[2, 4]), "a value of `size` is 4, but the values are 2, 3, 5".to_owned()),
    ] {
        assert_eq!(problem(kind, rule), expected, "{rule:?}");
    }
}

#[test]
fn a_document_that_platforms_do_not_store_is_reported() {
    let problem = |json: &str| too_large(json.as_bytes(), "Small").map(|message| message.get().to_owned());
    assert_eq!(problem(&"a".repeat(65_536)), None);
    let large = problem(&"a".repeat(65_537)).expect("it is too large");
    assert!(large.contains("`Small` has 65537 bytes") && large.ends_with("remove parameters"), "{large}");
    let escaped = problem(&"<".repeat(10_923)).expect("it is too large");
    assert!(
        escaped.contains("`Small` has 65538 bytes") && escaped.ends_with("as Cloud Foundry escapes them"),
        "{escaped}"
    );
}

#[test]
fn a_document_longer_than_a_page_is_written_again() {
    type Render = fn(&Draft, &Schema) -> Vec<u8>;
    let sizes: [(usize, Render); 4] = [
        (4095, |draft, schema| render::<4095>(draft, schema).to_vec()),
        (4096, |draft, schema| render::<4096>(draft, schema).to_vec()),
        (4097, |draft, schema| render::<4097>(draft, schema).to_vec()),
        (8192, |draft, schema| render::<8192>(draft, schema).to_vec()),
    ];
    let described = |json: &str| ANY.described(None, Some(Text::new("", json.to_owned().leak())));
    let rest = document(&described("")).len();
    for (size, render) in sizes {
        let schema = described(&"a".repeat(size - rest));
        let draft = Draft::of(&schema);
        assert_eq!(draft.size(), size);
        assert!(render(&draft, &schema) == document(&schema).into_bytes(), "{size}");
    }
}

/// A type whose schema of `schemars` has keywords that draft-04 has in another form, or not at all.
#[derive(serde::Serialize, serde::Deserialize)]
struct Newer;

/// The keywords, and their form in draft-04.
fn newer() -> Vec<(Value, Value)> {
    vec![
        (json!({ "exclusiveMinimum": 1 }), json!({ "minimum": 1, "exclusiveMinimum": true })),
        (json!({ "exclusiveMaximum": 9 }), json!({ "maximum": 9, "exclusiveMaximum": true })),
        // Of two bounds the tighter one counts, and of equal ones the exclusive one.
        (json!({ "exclusiveMinimum": 2, "minimum": 1 }), json!({ "minimum": 2, "exclusiveMinimum": true })),
        (json!({ "exclusiveMinimum": 1, "minimum": 2 }), json!({ "minimum": 2 })),
        (json!({ "exclusiveMinimum": 2, "minimum": 2 }), json!({ "minimum": 2, "exclusiveMinimum": true })),
        (json!({ "exclusiveMaximum": 1, "maximum": 2 }), json!({ "maximum": 1, "exclusiveMaximum": true })),
        (json!({ "exclusiveMaximum": 2, "maximum": 1 }), json!({ "maximum": 1 })),
        (json!({ "exclusiveMaximum": 2, "maximum": 2 }), json!({ "maximum": 2, "exclusiveMaximum": true })),
        (json!({ "minimum": 1, "exclusiveMinimum": true }), json!({ "minimum": 1, "exclusiveMinimum": true })),
        (json!({ "format": "uri" }), json!({ "format": "uri" })),
        (json!({ "format": "uint32", "type": "integer" }), json!({ "type": "integer" })),
        (json!({ "required": [] }), json!({})),
        (json!({ "required": ["a"] }), json!({ "required": ["a"] })),
        (
            json!({ "$id": "a", "examples": [1], "deprecated": true, "readOnly": true, "$comment": "c" }),
            json!({ "id": "a" }),
        ),
        (json!({ "const": 1 }), json!({ "enum": [1] })),
        (json!({ "additionalProperties": false }), json!({ "additionalProperties": false })),
        (json!({ "not": true }), json!({ "not": {} })),
        (
            json!({ "prefixItems": [{ "const": 1 }], "items": { "exclusiveMinimum": 1 } }),
            json!({ "items": [{ "enum": [1] }], "additionalItems": { "minimum": 1, "exclusiveMinimum": true } }),
        ),
    ]
}

impl schemars::JsonSchema for Newer {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Newer".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let properties = newer().into_iter().enumerate().map(|(number, (keywords, _))| (number.to_string(), keywords));
        schemars::json_schema!({ "properties": properties.collect::<serde_json::Map<_, _>>() })
    }
}

#[test]
fn keywords_of_later_drafts_are_converted() {
    let converted = Value::from(fill_foreign(&Foreign::<Newer>::SCHEMA));
    for (number, (keywords, expected)) in newer().into_iter().enumerate() {
        assert_eq!(converted["properties"][number.to_string()], expected, "{keywords}");
    }
}

#[test]
fn exclusive_bounds_are_converted_for_schemars() {
    const OPEN: Kind = Kind::Number(Number {
        minimum: Some(decimal(0.25, "0.25")),
        maximum: Some(decimal(9.5, "9.5")),
        exclusive_minimum: true,
        exclusive_maximum: true,
        multiple_of: None,
    });
    const ITEM: Schema = Schema::new(WHOLE);
    let converted = |kind| schemars_schema(&Schema::new(kind)).to_value();
    assert_eq!(converted(OPEN), json!({ "type": "number", "exclusiveMinimum": 0.25, "exclusiveMaximum": 9.5 }));
    assert_eq!(converted(list(&ITEM))["items"], json!({ "type": "integer", "minimum": 1, "maximum": 9 }));
}

#[test]
fn the_most_similar_name_is_meant() {
    let known = ["max_size", "min_size", "region", "ttl", "b"];
    for (name, meant) in [
        ("region", Some("region")),
        ("reagion", Some("region")),    // one letter too many
        ("regon", Some("region")),      // too few
        ("regiom", Some("region")),     // another one
        ("rgeion", Some("region")),     // two are swapped, which counts as two
        ("rgeionn", None),              // a third of the letters may differ, and no more
        ("maxSize", Some("max_size")),  // in another case
        ("MAX-SIZE", Some("max_size")), // with another separator
        ("mix_size", Some("max_size")), // the first of those that are equally similar
        ("min_siz", Some("min_size")),
        ("tll", Some("ttl")),
        ("tl", Some("ttl")),
        ("lt", None),
        ("c", None),
        ("B", Some("b")),
        ("", None),
    ] {
        assert_eq!(nearest(name, known.into_iter()), meant, "{name}");
    }
    let long = "x".repeat(100);
    assert_eq!(nearest(&"x".repeat(64), [&*long].into_iter()), Some(&*long), "only the beginning is compared");
}

#[test]
fn bounds_without_a_listed_value_are_reported() {
    let primes = |minimum, maximum, multiple_of| {
        let (minimum, maximum) = (Some(minimum), Some(maximum));
        Kind::Integer(Integer { minimum, maximum, multiple_of, one_of: Some(&[2, 3, 5]), ..Integer::default() })
    };
    let nothing = "no value fits: the bounds of `size` leave none of its values";
    for (kind, expected) in [
        (primes(2, 2, None), ""),
        (primes(4, 9, None), ""),
        (primes(6, 9, None), nothing),
        (primes(0, 1, None), nothing),
        (primes(0, 9, Some(5)), ""),
        (primes(0, 9, Some(4)), nothing),
        (primes(3, 2, None), "no value fits: the minimum of `size`'s `range` is greater than the maximum"),
    ] {
        for word in ["range", "multiple_of"] {
            let message = constraint(&Schema::new(kind), &Schema::new(kind), "`size`", word);
            let message = message.map(|message| message.get().to_owned()).unwrap_or_default();
            assert_eq!(message, expected, "{kind:?} by {word}");
        }
    }
}

/// The finished bounds have to contain a multiple; a divisor of the type is tried with the bounds of a plan.
#[test]
fn bounds_without_a_multiple_are_reported() {
    let whole = |minimum, maximum, exclusive, divisor| {
        let (exclusive_minimum, exclusive_maximum) = (exclusive, exclusive);
        let (minimum, maximum) = (Some(minimum), Some(maximum));
        Kind::Integer(Integer {
            minimum,
            maximum,
            exclusive_minimum,
            exclusive_maximum,
            multiple_of: Some(divisor),
            one_of: None,
        })
    };
    let number = |low: &'static str, high: &'static str, exclusive, divisor: &'static str| {
        let decimal = |text: &'static str| Some(decimal(text.parse().expect("a number"), text));
        let (exclusive_minimum, exclusive_maximum) = (exclusive, exclusive);
        let (minimum, maximum, multiple_of) = (decimal(low), decimal(high), decimal(divisor));
        Kind::Number(Number { minimum, maximum, exclusive_minimum, exclusive_maximum, multiple_of })
    };
    let nothing = |of: &str| format!("no value fits: the range of `size` has no multiple of {of}");
    for (kind, expected) in [
        (whole(6, 9, false, 5), nothing("5")),
        (whole(6, 10, false, 5), String::new()),
        (whole(5, 9, false, 5), String::new()),
        (whole(5, 10, true, 5), nothing("5")),
        (whole(4, 6, true, 5), String::new()),
        (whole(-9, -6, false, 5), nothing("5")),
        (whole(-5, -1, false, 5), String::new()),
        (whole(-4, 4, false, 5), String::new()),
        (number("0.3", "0.4", false, "0.25"), nothing("0.25")),
        (number("0.3", "0.5", false, "0.25"), String::new()),
        (number("0.3", "0.5", true, "0.25"), nothing("0.25")),
    ] {
        // A plan narrows the range of a type that has the divisor, or the divisor of a type that has the range.
        let without = if matches!(kind, Kind::Integer(_)) { WHOLE } else { NUMBER };
        for (base, word) in [(kind, "range"), (without, "multiple_of")] {
            let message = constraint(&Schema::new(base), &Schema::new(kind), "`size`", word);
            let message = message.map(|message| message.get().to_owned()).unwrap_or_default();
            assert_eq!(message, expected, "{kind:?} by {word}");
        }
    }
}
