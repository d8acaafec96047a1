//! What is made of a schema is what the schema says.

use serde_json::json;

use super::*;

fn samples(mut schema: Value) -> Samples {
    schema["$schema"] = json!("http://json-schema.org/draft-04/schema#");
    schema["type"] = json!("object");
    Samples::of(Some(&schema)).unwrap_or_else(|| panic!("nothing is good for {schema}"))
}

#[test]
fn what_is_required_is_there_and_what_is_optional_is_not() {
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
fn every_word_of_draft_4_is_followed() {
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
fn one_of_several_shapes_of_the_whole_is_taken() {
    let made = samples(json!({ "oneOf": [
        { "properties": { "kind": { "enum": ["a"] }, "size": { "type": "integer" } }, "required": ["kind", "size"] },
        { "properties": { "kind": { "enum": ["b"] } }, "required": ["kind"] },
    ] }));
    assert_eq!(made.good, Some(json!({ "kind": "a", "size": 1 })));
}

#[test]
fn what_is_spoilt_is_refused_by_the_schema() {
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
            "without `a`, which is required",
            "with {\"not\":\"of this type\"} for `a`",
            "with {\"not\":\"of this type\"} for `c`",
            "with 0 for `a`",
            "with \"none of them\" for `b`",
            "with \"\" for `c`",
            "with the property `osb_check_has_no_such_property`",
        ]
    );
    assert_eq!(samples(json!({})).bad, [], "what accepts everything");
}

#[test]
fn what_nothing_can_be_made_for_is_said_so() {
    let schema = json!({ "type": "object", "properties": { "p": { "pattern": "(?=a)b" } }, "required": ["p"] });
    assert_eq!(Samples::of(Some(&schema)), None);
    assert_eq!(Samples::of(None), Some(Samples::default()));
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
        fn good_ones_are_accepted_bad_ones_refused_and_others_differ(
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
            let made = Samples::of(Some(&schema)).expect("something is good");
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
