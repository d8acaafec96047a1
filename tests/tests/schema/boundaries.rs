//! Values at the bounds of a schema, which random values rarely are: our validation agrees with the published document.

use std::collections::BTreeMap;

use osb_runtime::{
    prelude::*,
    schema::{self, Array, Decimal, Integer, Kind, Map, Number, Schema, StringRules},
};
use serde_json::{Value, json};

#[track_caller]
fn assert_accepts(schema: &Schema, cases: &[(Value, bool)]) {
    let document: Value = serde_json::from_str(&schema::document(schema)).expect("JSON");
    let validator = jsonschema::draft4::new(&document).expect("a schema");
    for (value, accepted) in cases {
        assert_eq!(schema::check(schema, value).is_empty(), *accepted, "{value} by {document}");
        assert_eq!(validator.is_valid(value), *accepted, "{value} by the document {document}");
    }
}

const EITHER: [bool; 2] = [false, true];

#[test]
fn bounds_of_integers_are_published_as_they_are_validated() {
    for (exclusive_minimum, exclusive_maximum) in EITHER.into_iter().flat_map(|min| EITHER.map(|max| (min, max))) {
        let (minimum, maximum) = (Some(3), Some(7));
        let rules = Integer { minimum, maximum, exclusive_minimum, exclusive_maximum, ..Integer::default() };
        let cases = [(2, false), (3, !exclusive_minimum), (4, true), (6, true), (7, !exclusive_maximum), (8, false)];
        let cases = cases.map(|(value, accepted)| (json!(value), accepted));
        assert_accepts(&Schema::new(Kind::Integer(rules)), &cases);
    }
    let rules = Integer { multiple_of: Some(3), ..Integer::default() };
    let cases = [(-3, true), (-1, false), (0, true), (2, false), (3, true), (4, false)];
    assert_accepts(&Schema::new(Kind::Integer(rules)), &cases.map(|(value, accepted)| (json!(value), accepted)));
    // Whole numbers with a decimal point are equal to those without.
    let rules = Integer { one_of: Some(&[-2, 1, 3]), ..Integer::default() };
    let cases = [(json!(-2), true), (json!(-1), false), (json!(1), true), (json!(2), false), (json!(3), true)];
    assert_accepts(&Schema::new(Kind::Integer(rules)), &cases);
    // A plan may have narrower bounds.
    let narrowed = Integer { minimum: Some(0), multiple_of: Some(3), ..rules };
    assert_accepts(&Schema::new(Kind::Integer(narrowed)), &[(json!(-2), false), (json!(1), false), (json!(3), true)]);
    let nullable = Schema { nullable: true, ..Schema::new(Kind::Integer(rules)) };
    assert_accepts(&nullable, &[(json!(null), true), (json!(1), true), (json!(2), false)]);
}

#[test]
fn bounds_of_numbers_are_published_as_they_are_validated() {
    let decimal = |value, text| Some(Decimal { value, text });
    for (exclusive_minimum, exclusive_maximum) in EITHER.into_iter().flat_map(|min| EITHER.map(|max| (min, max))) {
        let (minimum, maximum) = (decimal(-0.5, "-0.5"), decimal(2.5, "2.5"));
        let rules = Number { minimum, maximum, exclusive_minimum, exclusive_maximum, multiple_of: None };
        let cases = [
            (-0.500_1, false),
            (-0.5, !exclusive_minimum),
            (-0.499_9, true),
            (2.499_9, true),
            (2.5, !exclusive_maximum),
            (2.500_1, false),
        ];
        let cases = cases.map(|(value, accepted)| (json!(value), accepted));
        assert_accepts(&Schema::new(Kind::Number(rules)), &cases);
    }
    let rules = Number { multiple_of: decimal(0.1, "0.1"), ..Number::default() };
    let cases = [(0.3, true), (0.35, false), (0.0, true), (1.0, true), (-0.7, true), (0.05, false)];
    assert_accepts(&Schema::new(Kind::Number(rules)), &cases.map(|(value, accepted)| (json!(value), accepted)));
}

#[test]
fn bounds_of_lengths_are_published_as_they_are_validated() {
    const ITEM: &Schema = &Schema::new(Kind::Any);
    let (min, max) = (Some(2), Some(3));
    let accepted = [false, false, true, true, false];
    let text = Kind::String(StringRules { min_length: min, max_length: max, ..StringRules::default() });
    let cases = [0, 1, 2, 3, 4].map(|length| (json!("é".repeat(length)), accepted[length]));
    assert_accepts(&Schema::new(text), &cases);
    let list = Kind::Array(Array { items: ITEM, min_items: min, max_items: max, unique: true });
    let cases = [0, 1, 2, 3, 4].map(|length| (json!((0..length).collect::<Vec<_>>()), accepted[length]));
    assert_accepts(&Schema::new(list), &cases);
    assert_accepts(&Schema::new(list), &[(json!([1, 1]), false), (json!([1, "1"]), true)]);
    let map = Kind::Map(Map { values: ITEM, min_properties: min, max_properties: max });
    let entries = |length| (0..length).map(|n: usize| (n.to_string(), n)).collect::<BTreeMap<_, _>>();
    let cases = [0, 1, 2, 3, 4].map(|length| (json!(entries(length)), accepted[length]));
    assert_accepts(&Schema::new(map), &cases);
}

#[parameters(partial = ShelfChanges)]
struct Shelf {
    /// Its labels.
    #[param(length(min = 2, max = 3))]
    labels: BTreeMap<String, u8>,
    /// Its boards.
    #[param(range(min = 1, exclusive_max = 10), default = 3)]
    boards: u32,
    /// Its boxes, each with labels.
    #[param(items(length(min = 1), items(length(min = 1))))]
    boxes: Option<BTreeMap<String, BTreeMap<String, String>>>,
    /// The labels of each thing on it.
    #[param(items(length(min = 1)))]
    things: Option<Vec<BTreeMap<String, u8>>>,
}

#[test]
fn updates_have_the_bounds_that_a_change_can_have() {
    let entries =
        |length: usize| json!({ "labels": (0..length).map(|n| (n.to_string(), n)).collect::<BTreeMap<_, _>>() });
    let cases = [0, 1, 2, 3, 4].map(|length| (entries(length), (2..=3).contains(&length)));
    assert_accepts(&Shelf::SCHEMA, &cases);
    // The number of entries is known only after the merge.
    assert_accepts(&ShelfChanges::SCHEMA, &[0, 1, 2, 3, 4].map(|length| (entries(length), true)));
    for (boards, accepted) in [(json!(0), false), (json!(1), true), (json!(9), true), (json!(10), false)] {
        assert_accepts(&ShelfChanges::SCHEMA, &[(json!({ "boards": boards }), accepted)]);
    }
    assert_accepts(&ShelfChanges::SCHEMA, &[(json!({ "boards": null }), true), (json!({}), true)]);
    // The same holds for maps in maps, but not for those in a list, which an update replaces.
    for (boxes, created, changed) in [
        (json!({ "a": {} }), false, true),
        (json!({ "a": { "b": null } }), false, true),
        (json!({ "a": { "b": "" } }), false, false),
        (json!({ "a": { "b": "c" } }), true, true),
    ] {
        let value = json!({ "labels": { "a": 1, "b": 2 }, "boxes": boxes });
        assert_accepts(&Shelf::SCHEMA, &[(value, created)]);
        assert_accepts(&ShelfChanges::SCHEMA, &[(json!({ "boxes": boxes }), changed)]);
    }
    for (things, accepted) in [(json!([{}]), false), (json!([{ "a": 1 }]), true), (json!([{ "a": null }]), false)] {
        assert_accepts(&ShelfChanges::SCHEMA, &[(json!({ "things": things }), accepted)]);
    }
    assert_accepts(&Shelf::SCHEMA, &[(json!({ "labels": { "a": 1, "b": 2 }, "boards": null }), false)]);
}
