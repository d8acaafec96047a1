//! Tests that generated parameters are valid or invalid as intended.

use serde_json::json;

use super::*;

fn samples(mut schema: Value) -> Samples {
    schema["$schema"] = json!("http://json-schema.org/draft-04/schema#");
    schema["type"] = json!("object");
    Samples::of(Some(&schema)).unwrap_or_else(|| panic!("no valid parameters for {schema}"))
}

#[test]
fn required_properties_are_set_and_optional_ones_are_not() {
    let made = samples(json!({
        "properties": { "a": { "type": "integer", "minimum": 3 }, "b": { "type": "string" } }, "required": ["a"],
    }));
    assert_eq!((made.good, made.other), (Some(json!({ "a": 3 })), Some(json!({ "a": 4 }))));
}

#[test]
fn examples_and_defaults_come_first() {
    let made = samples(
        json!({ "properties": { "name": { "type": "string" }, "ttl": { "type": "integer", "minimum": 1, "default": 60 } } }),
    );
    assert_eq!((made.good, made.other), (Some(json!({ "ttl": 60 })), Some(json!({ "ttl": 1 }))));
    let made = samples(json!({ "properties": { "zone": { "examples": ["eu", "us"] } }, "required": ["zone"] }));
    assert_eq!((made.good, made.other), (Some(json!({ "zone": "eu" })), Some(json!({ "zone": "us" }))));
}

#[test]
fn other_parameters_differ_in_more_than_the_notation_of_a_number() {
    let made = samples(json!({ "properties": { "rate": { "type": "number", "minimum": 1, "default": 1.0 } } }));
    assert_eq!((made.good, made.other), (Some(json!({ "rate": 1.0 })), Some(json!({ "rate": 2 }))));
    let made = samples(json!({ "properties": { "p": { "enum": [{ "a": [1] }, { "a": [1.0] }, { "a": [2] }] } } }));
    assert_eq!((made.good, made.other), (Some(json!({ "p": { "a": [1] } })), Some(json!({ "p": { "a": [2] } }))));
}

#[test]
fn every_keyword_of_draft_4_is_respected() {
    for property in [
        json!({ "type": "integer", "minimum": 5, "exclusiveMinimum": true, "multipleOf": 4 }),
        json!({ "type": "integer", "maximum": -3, "multipleOf": 5 }),
        json!({ "type": "number", "minimum": 0.25, "maximum": 0.5 }),
        json!({ "type": "string", "minLength": 5, "maxLength": 5 }),
        json!({ "type": "string", "pattern": "^[a-z][a-z0-9-]{2,31}$" }),
        json!({ "type": "string", "pattern": "^(eu|us)-[0-9]+$", "minLength": 8 }),
        json!({ "type": "string", "format": "ipv4" }),
        json!({ "type": "array", "minItems": 2, "uniqueItems": true, "items": { "type": "boolean" } }),
        json!({ "type": "array", "items": { "enum": ["x"] } }),
        json!({ "type": ["null", "boolean"] }),
        json!({ "enum": [1, "two"] }),
        json!({ "oneOf": [{ "type": "integer", "minimum": 7 }, { "type": "boolean" }] }),
        json!({ "anyOf": [{ "$ref": "#/definitions/size" }] }),
        json!({ "allOf": [{ "type": "integer" }, { "minimum": 9 }] }),
        json!({ "$ref": "#/definitions/tree" }),
    ] {
        let made = samples(json!({
            "properties": { "p": property }, "required": ["p"], "additionalProperties": false,
            "definitions": {
                "size": { "enum": ["small", "large"] },
                "tree": { "type": "object", "properties": { "of": { "$ref": "#/definitions/tree" } } },
            },
        }));
        assert!(made.good.as_ref().is_some_and(|good| good.get("p").is_some()), "{property}: {made:?}");
    }
}

#[test]
fn alternatives_of_the_whole_schema_are_supported() {
    let made = samples(json!({ "oneOf": [
        { "properties": { "kind": { "enum": ["a"] }, "size": { "type": "integer" } }, "required": ["kind", "size"] },
        { "properties": { "kind": { "enum": ["b"] } }, "required": ["kind"] },
    ] }));
    assert_eq!(made.good, Some(json!({ "kind": "a", "size": 1 })));
}

#[test]
fn invalid_parameters_are_refused_by_the_schema() {
    let made = samples(json!({
        "properties": {
            "a": { "type": "integer", "minimum": 1 }, "b": { "enum": ["x", "y"] }, "c": { "type": "string", "minLength": 1 },
        },
        "required": ["a"], "additionalProperties": false,
    }));
    let said: Vec<&str> = made.bad.iter().map(|(what, _)| what.as_str()).collect();
    assert_eq!(
        said,
        [
            "without the required `a`",
            "with {\"not\":\"of this type\"} as `a`",
            "with {\"not\":\"of this type\"} as `c`",
            "with 0 as `a`",
            "with \"none of them\" as `b`",
            "with \"\" as `c`",
            "with the unknown property `osb_check_has_no_such_property`",
        ]
    );
    assert_eq!(samples(json!({})).bad, [], "nothing is invalid");
}

#[test]
fn an_unsupported_schema_is_reported() {
    let schema = json!({ "type": "object", "properties": { "p": { "pattern": "(?=a)b" } }, "required": ["p"] });
    assert_eq!(Samples::of(Some(&schema)), None);
    assert_eq!(Samples::of(None), Some(Samples::default()));
}

#[test]
fn no_huge_parameters_are_generated() {
    let huge = 1_u64 << 60;
    let nested = (0..6).fold(json!({ "type": "string" }), |items, _| json!({ "minItems": 1_000, "items": items }));
    for property in [
        json!({ "type": "string", "minLength": huge }),
        json!({ "type": "array", "minItems": huge, "items": { "type": "boolean" } }),
        nested,
    ] {
        let schema = json!({ "type": "object", "properties": { "p": property }, "required": ["p"] });
        assert_eq!(Samples::of(Some(&schema)), None, "{schema}");
    }
    for pattern in ["(?:(?:a{99999}){99999}){99999}", "(?:(?:a?){999999999}){999999999}"] {
        assert_eq!(pattern::texts(pattern, 0), [""; 0], "{pattern}");
    }
}

mod properties {
    use proptest::prelude::*;

    use super::*;

    fn property() -> impl Strategy<Value = Value> {
        let number = (-50_i64..50, 0_i64..50, 1_i64..7).prop_map(|(low, span, step)| {
            json!({ "type": "integer", "minimum": low, "maximum": low + span + step, "multipleOf": step })
        });
        let text = (0_usize..5, 0_usize..5).prop_map(
            |(shortest, more)| json!({ "type": "string", "minLength": shortest, "maxLength": shortest + more }),
        );
        let pattern =
            "\\^\\[a-f\\]\\{[1-3]\\}(x|-[0-9])?\\$".prop_map(|pattern| json!({ "type": "string", "pattern": pattern }));
        let list = (0_usize..3)
            .prop_map(|least| json!({ "type": "array", "minItems": least, "items": { "type": "boolean" } }));
        prop_oneof![number, text, pattern, list, Just(json!({ "type": "boolean" })), Just(json!({ "enum": [1, "a"] }))]
    }

    proptest! {
        #[test]
        fn valid_parameters_are_accepted_invalid_ones_refused_and_others_differ(
            properties in prop::collection::vec((property(), any::<bool>()), 0..5),
            closed in any::<bool>(),
        ) {
            let mut schema = json!({ "type": "object", "properties": {}, "additionalProperties": !closed });
            let mut required = Vec::new();
            for (number, (property, is_required)) in properties.into_iter().enumerate() {
                let name = format!("p{number}");
                if is_required {
                    required.push(name.clone());
                }
                schema["properties"][name] = property;
            }
            if !required.is_empty() {
                schema["required"] = required.into();
            }
            let validator = jsonschema::validator_for(&schema).expect("a schema");
            let made = Samples::of(Some(&schema)).expect("valid parameters exist");
            let good = made.good.expect("a schema has parameters");
            prop_assert!(validator.is_valid(&good), "{good} for {schema}");
            if let Some(other) = made.other {
                prop_assert!(validator.is_valid(&other) && other != good, "{other} for {schema}");
            }
            for (what, bad) in made.bad {
                prop_assert!(!validator.is_valid(&bad), "{what}: {bad} for {schema}");
            }
        }
    }
}

/// Each alternative refers to the next definition twice, so that 40 of them are a million million alternatives.
#[test]
fn a_search_ends_in_a_schema_with_too_many_alternatives() {
    let chain = |innermost: Value, link: fn(Value) -> Value| {
        let mut schema = json!({
            "$schema": "http://json-schema.org/draft-04/schema#",
            "type": "object",
            "definitions": { "d40": innermost },
            "allOf": [{ "$ref": "#/definitions/d0" }],
        });
        for number in 0..40 {
            let next = json!({ "$ref": format!("#/definitions/d{}", number + 1) });
            schema["definitions"][format!("d{number}")] = link(next);
        }
        schema
    };
    let one = json!({ "required": ["q"], "properties": { "q": { "enum": [1] } } });
    let twice: fn(Value) -> Value = |next| json!({ "anyOf": [next, next] });
    assert_eq!(Samples::of(Some(&chain(one.clone(), twice))), None);
    // The same in the value of a property that is not required.
    let within: fn(Value) -> Value = |next| json!({ "properties": { "p": { "anyOf": [next, next] } } });
    assert!(Samples::of(Some(&chain(one, within))).is_some());
}

/// 1,000 references at each of the levels that a search follows.
#[test]
fn a_search_ends_in_a_wide_schema() {
    let next: Vec<_> = (0..1_000).map(|_| json!({ "$ref": "#/definitions/d" })).collect();
    let schema = json!({ "type": "object", "definitions": { "d": { "anyOf": next } }, "anyOf": next });
    assert_eq!(Samples::of(Some(&schema)), None);
}

#[test]
fn a_schema_that_refers_to_itself_has_parameters() {
    let made = samples(json!({
        "definitions": {
            "rule": {
                "type": "object",
                "properties": {
                    "name": { "type": "string", "pattern": "^[a-z]{3}$" },
                    "any": { "type": "array", "items": { "$ref": "#/definitions/rule" } },
                },
                "required": ["name"],
            },
        },
        "properties": { "rule": { "$ref": "#/definitions/rule" } },
        "required": ["rule"],
    }));
    assert_eq!(made.good, Some(json!({ "rule": { "name": "aaa" } })));
}

#[test]
fn a_search_ends_in_a_deep_schema() {
    let mut schema =
        json!({ "type": "object", "definitions": { "1000": {} }, "allOf": [{ "$ref": "#/definitions/0" }] });
    for number in 0..1_000 {
        let next = json!({ "$ref": format!("#/definitions/{}", number + 1) });
        schema["definitions"][number.to_string()] = json!({ "allOf": [next] });
    }
    assert_eq!(Samples::of(Some(&schema)), None);
}
