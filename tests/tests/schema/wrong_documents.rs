//! Schemas that Cloud Foundry refuses with the whole catalog: the runtime finds each at start, with its place, and the
//! checker in any broker.

use http::{HeaderMap, StatusCode};
use osb_check::judge::{JudgedRequest, breaches};
use osb_client::Answer;
use osb_runtime::{
    json::Json,
    schema::{MAX_BYTES, SchemaProblem, check_document, schema_problems},
};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Schemas of the property `a`, each with the place of its mistake in it.
const WRONG: &[(&str, &str)] = &[
    // A schema is an object.
    ("", "true"),
    ("", "false"),
    ("", "null"),
    ("", "[]"),
    ("", r#""string""#),
    ("", "1"),
    ("/items", r#"{ "items": true }"#),
    ("/items", r#"{ "items": "string" }"#),
    ("/items", r#"{ "items": [] }"#),
    ("/items/0", r#"{ "items": [true] }"#),
    ("/items/1", r#"{ "items": [{}, 1] }"#),
    ("/additionalItems", r#"{ "additionalItems": 1 }"#),
    ("/additionalItems", r#"{ "additionalItems": [{}] }"#),
    ("/additionalProperties", r#"{ "additionalProperties": "no" }"#),
    ("/additionalProperties", r#"{ "additionalProperties": null }"#),
    ("/additionalProperties/type", r#"{ "additionalProperties": { "type": "text" } }"#),
    ("/not", r#"{ "not": false }"#),
    ("/not", r#"{ "not": [{}] }"#),
    ("/not/minimum", r#"{ "not": { "minimum": "1" } }"#),
    // Objects of schemas.
    ("/properties", r#"{ "properties": [] }"#),
    ("/properties", r#"{ "properties": true }"#),
    ("/properties", r#"{ "properties": null }"#),
    ("/properties/b", r#"{ "properties": { "b": true } }"#),
    ("/properties/b", r#"{ "properties": { "b": "string" } }"#),
    ("/properties/b~1c", r#"{ "properties": { "b/c": null } }"#),
    ("/properties/b~0c", r#"{ "properties": { "b~c": [] } }"#),
    ("/properties/enum/enum", r#"{ "properties": { "enum": { "enum": [] } } }"#),
    ("/patternProperties", r#"{ "patternProperties": [] }"#),
    ("/patternProperties/^x", r#"{ "patternProperties": { "^x": true } }"#),
    ("/patternProperties/(", r#"{ "patternProperties": { "(": {} } }"#),
    ("/definitions", r#"{ "definitions": [] }"#),
    ("/definitions", r#"{ "definitions": "none" }"#),
    ("/definitions/b", r#"{ "definitions": { "b": 1 } }"#),
    ("/definitions/b/type", r#"{ "definitions": { "b": { "type": "date" } } }"#),
    // Lists of schemas.
    ("/allOf", r#"{ "allOf": [] }"#),
    ("/allOf", r#"{ "allOf": {} }"#),
    ("/allOf/0", r#"{ "allOf": [true] }"#),
    ("/anyOf", r#"{ "anyOf": [] }"#),
    ("/anyOf", r#"{ "anyOf": null }"#),
    ("/anyOf/1", r#"{ "anyOf": [{}, "b"] }"#),
    ("/oneOf", r#"{ "oneOf": [] }"#),
    ("/oneOf", r#"{ "oneOf": { "type": "string" } }"#),
    ("/oneOf/0/required", r#"{ "oneOf": [{ "required": [] }] }"#),
    // Types.
    ("/type", r#"{ "type": "text" }"#),
    ("/type", r#"{ "type": "String" }"#),
    ("/type", r#"{ "type": "int" }"#),
    ("/type", r#"{ "type": "any" }"#),
    ("/type", r#"{ "type": "" }"#),
    ("/type", r#"{ "type": [] }"#),
    ("/type", r#"{ "type": null }"#),
    ("/type", r#"{ "type": {} }"#),
    ("/type", r#"{ "type": 1 }"#),
    ("/type", r#"{ "type": true }"#),
    ("/type", r#"{ "type": ["string", "text"] }"#),
    ("/type", r#"{ "type": ["string", 1] }"#),
    ("/type", r#"{ "type": [{ "type": "string" }] }"#),
    ("/type/1", r#"{ "type": ["string", "string"] }"#),
    ("/type/2", r#"{ "type": ["null", "string", "null"] }"#),
    // Lists of names and values.
    ("/required", r#"{ "required": [] }"#),
    ("/required", r#"{ "required": true }"#),
    ("/required", r#"{ "required": "b" }"#),
    ("/required", r#"{ "required": null }"#),
    ("/required", r#"{ "required": { "b": true } }"#),
    ("/required/0", r#"{ "required": [1] }"#),
    ("/required/1", r#"{ "required": ["b", null] }"#),
    ("/required/1", r#"{ "required": ["b", "b"] }"#),
    ("/required/2", r#"{ "required": ["b", "c", "b"] }"#),
    ("/enum", r#"{ "enum": [] }"#),
    ("/enum", r#"{ "enum": "b" }"#),
    ("/enum", r#"{ "enum": null }"#),
    ("/enum", r#"{ "enum": { "b": 1 } }"#),
    ("/enum/1", r#"{ "enum": ["b", "b"] }"#),
    ("/enum/1", r#"{ "enum": [1, 1] }"#),
    ("/enum/1", r#"{ "enum": [1, 1.0] }"#),
    ("/enum/1", r#"{ "enum": [null, null] }"#),
    ("/enum/2", r#"{ "enum": [{ "b": 1, "c": 2 }, 0, { "c": 2, "b": 1 }] }"#),
    ("/dependencies", r#"{ "dependencies": [] }"#),
    ("/dependencies", r#"{ "dependencies": "b" }"#),
    ("/dependencies/b", r#"{ "dependencies": { "b": "c" } }"#),
    ("/dependencies/b", r#"{ "dependencies": { "b": [] } }"#),
    ("/dependencies/b", r#"{ "dependencies": { "b": true } }"#),
    ("/dependencies/b/0", r#"{ "dependencies": { "b": [1] } }"#),
    ("/dependencies/b/1", r#"{ "dependencies": { "b": ["c", "c"] } }"#),
    ("/dependencies/b/type", r#"{ "dependencies": { "b": { "type": "text" } } }"#),
    // Counts.
    ("/minLength", r#"{ "minLength": -1 }"#),
    ("/minLength", r#"{ "minLength": 1.0 }"#),
    ("/minLength", r#"{ "minLength": 1.5 }"#),
    ("/minLength", r#"{ "minLength": "1" }"#),
    ("/minLength", r#"{ "minLength": null }"#),
    ("/maxLength", r#"{ "maxLength": -1 }"#),
    ("/maxLength", r#"{ "maxLength": 1e2 }"#),
    ("/maxLength", r#"{ "maxLength": true }"#),
    ("/minItems", r#"{ "minItems": -1 }"#),
    ("/minItems", r#"{ "minItems": 0.0 }"#),
    ("/minItems", r#"{ "minItems": [] }"#),
    ("/maxItems", r#"{ "maxItems": -1 }"#),
    ("/maxItems", r#"{ "maxItems": "many" }"#),
    ("/minProperties", r#"{ "minProperties": -1 }"#),
    ("/minProperties", r#"{ "minProperties": 2.0 }"#),
    ("/maxProperties", r#"{ "maxProperties": -5 }"#),
    ("/maxProperties", r#"{ "maxProperties": {} }"#),
    // Numbers.
    ("/minimum", r#"{ "minimum": "1" }"#),
    ("/minimum", r#"{ "minimum": null }"#),
    ("/minimum", r#"{ "minimum": true }"#),
    ("/maximum", r#"{ "maximum": "10" }"#),
    ("/maximum", r#"{ "maximum": [10] }"#),
    ("/exclusiveMinimum", r#"{ "exclusiveMinimum": 1 }"#),
    ("/exclusiveMinimum", r#"{ "minimum": 1, "exclusiveMinimum": 1 }"#),
    ("/exclusiveMinimum", r#"{ "exclusiveMinimum": true }"#),
    ("/exclusiveMinimum", r#"{ "maximum": 1, "exclusiveMinimum": true }"#),
    ("/exclusiveMinimum", r#"{ "exclusiveMinimum": false }"#),
    ("/exclusiveMaximum", r#"{ "exclusiveMaximum": 1.5 }"#),
    ("/exclusiveMaximum", r#"{ "exclusiveMaximum": true }"#),
    ("/exclusiveMaximum", r#"{ "maximum": 1, "exclusiveMaximum": "true" }"#),
    ("/multipleOf", r#"{ "multipleOf": 0 }"#),
    ("/multipleOf", r#"{ "multipleOf": 0.0 }"#),
    ("/multipleOf", r#"{ "multipleOf": -2 }"#),
    ("/multipleOf", r#"{ "multipleOf": "2" }"#),
    ("/multipleOf", r#"{ "multipleOf": null }"#),
    // Flags and texts.
    ("/uniqueItems", r#"{ "uniqueItems": "true" }"#),
    ("/uniqueItems", r#"{ "uniqueItems": 1 }"#),
    ("/uniqueItems", r#"{ "uniqueItems": null }"#),
    ("/title", r#"{ "title": 1 }"#),
    ("/title", r#"{ "title": null }"#),
    ("/title", r#"{ "title": ["b"] }"#),
    ("/description", r#"{ "description": true }"#),
    ("/description", r#"{ "description": { "en": "b" } }"#),
    ("/format", r#"{ "format": 1 }"#),
    ("/format", r#"{ "format": ["ipv4", "ipv6"] }"#),
    ("/id", r#"{ "id": 1 }"#),
    ("/pattern", r#"{ "pattern": 1 }"#),
    ("/pattern", r#"{ "pattern": null }"#),
    ("/pattern", r#"{ "pattern": "[" }"#),
    ("/pattern", r#"{ "pattern": "(a" }"#),
    ("/pattern", r#"{ "pattern": "a)" }"#),
    ("/pattern", r#"{ "pattern": "*a" }"#),
    ("/pattern", r#"{ "pattern": "a{3,2}" }"#),
    ("/pattern", r#"{ "pattern": "[z-a]" }"#),
    ("/pattern", r#"{ "pattern": "a\\" }"#),
    // References and dialects.
    ("/$ref", r#"{ "$ref": "https://example.com/schema" }"#),
    ("/$ref", r#"{ "$ref": "other.json" }"#),
    ("/$ref", r#"{ "$ref": "file:///etc/passwd" }"#),
    ("/$ref", r#"{ "$ref": 1 }"#),
    ("/$ref", r#"{ "$ref": { "type": "string" } }"#),
    ("/$ref", r##"{ "$ref": "#/definitions/none" }"##),
    ("/$ref", r##"{ "$ref": "#/properties/a/enum/2", "enum": [1, 2] }"##),
    ("/$ref", r##"{ "$ref": "#none" }"##),
    ("/$schema", r#"{ "$schema": "http://json-schema.org/draft-07/schema#" }"#),
    ("/$schema", r#"{ "$schema": "http://json-schema.org/draft-04/schema#" }"#),
];

/// Schemas that Cloud Foundry accepts.
const RIGHT: &[&str] = &[
    "{}",
    r#"{ "type": ["string", "null"], "minLength": 0, "maxLength": 3, "pattern": "^(a)(?!x)\\d+(?=y)\\1$" }"#,
    r#"{ "minimum": -1.5, "exclusiveMinimum": true, "maximum": 1e3, "exclusiveMaximum": false, "multipleOf": 0.5 }"#,
    r#"{ "enum": [1, "1", null, [], {}, false], "default": { "type": 1 }, "title": "", "description": "<&>" }"#,
    r#"{ "items": [{}, { "not": {} }], "additionalItems": false, "uniqueItems": true, "minItems": 0, "maxItems": 9 }"#,
    r#"{ "properties": {}, "patternProperties": { "^a|b$": {} }, "additionalProperties": { "type": "null" } }"#,
    r#"{ "required": ["b"], "dependencies": { "b": ["c"], "c": { "minProperties": 1 } }, "maxProperties": 3 }"#,
    r#"{ "allOf": [{}], "anyOf": [{}, {}], "oneOf": [{ "format": "uint32" }], "x-order": true, "$comment": 1 }"#,
    r##"{ "definitions": { "b c": { "$ref": "#" } }, "items": { "$ref": "#/properties/a/definitions/b%20c" } }"##,
    r##"{ "definitions": { "b/c~d": {} }, "items": { "$ref": "#/properties/a/definitions/b~1c~0d" } }"##,
    r##"{ "anyOf": [{}, { "type": "string" }], "items": { "$ref": "#/properties/a/anyOf/1" } }"##,
    r##"{ "id": "http://broker.example/a", "definitions": { "b": {} }, "items": { "$ref": "#/definitions/b" } }"##,
    r#"{ "$ref": "http://json-schema.org/draft-04/schema#" }"#,
    r#"{ "properties": { "$ref": { "type": "string" }, "$schema": {}, "type": { "enum": ["b"] }, "id": {} } }"#,
];

fn document(a: &str) -> Json {
    let whole = format!(
        r#"{{ "$schema": "http://json-schema.org/draft-04/schema#", "type": "object", "properties": {{ "a": {a} }} }}"#
    );
    Json::read(whole.as_bytes()).expect("JSON")
}

/// Returns the violations in the schemas that the checker finds in a catalog with this schema.
fn checked(schema: Json) -> Vec<String> {
    let parameters = json!({ "service_instance": { "create": { "parameters": Value::from(schema) } } });
    let plan = json!({ "id": "p", "name": "p", "description": "A plan.", "schemas": parameters });
    let service = json!({ "id": "s", "name": "s", "description": "A service.", "bindable": true, "plans": [plan] });
    let body = json!({ "services": [service] }).to_string();
    let headers = HeaderMap::new();
    let asked = JudgedRequest { method: "GET", path: "/v2/catalog", headers: &headers, body: &Value::Null };
    let found = breaches(asked, &Answer::new(StatusCode::OK, HeaderMap::new(), body.as_bytes()));
    found.into_iter().filter(|breach| breach.rule.starts_with("CAT-5")).map(|breach| breach.what).collect()
}

#[test]
fn each_wrong_schema_is_found_at_its_place() {
    assert!(WRONG.len() >= 140);
    for (place, schema) in WRONG {
        let (document, pointer) = (document(schema), format!("#/properties/a{place}"));
        let at_start: Vec<_> = check_document(&document).err().unwrap_or_default();
        let found = at_start.iter().any(|problem| problem.pointer == pointer);
        assert!(found, "{schema}: {pointer} is not among {at_start:?}");
        assert!(at_start.iter().all(|problem| problem.pointer.starts_with(&pointer)), "{schema}: {at_start:?}");
        assert!(checked(document).iter().any(|what| what.contains(&pointer)), "the checker: {schema}");
    }
}

#[test]
fn right_schemas_are_accepted() {
    for schema in RIGHT {
        let document = document(schema);
        assert_eq!(check_document(&document), Ok(()), "{schema}");
        assert_eq!(checked(document.clone()), [""; 0], "{schema}");
        assert!(jsonschema::draft4::meta::is_valid(&Value::from(document)), "{schema}");
    }
}

/// Draft-04 ignores them, so another broker can have them for clients that know later drafts.
#[test]
fn keywords_of_later_drafts_are_refused_in_our_own_schemas_only() {
    for keyword in ["const", "if", "propertyNames", "$defs"] {
        let document = document(&format!(r#"{{ "{keyword}": {{}} }}"#));
        let found = check_document(&document).expect_err("validators would ignore it");
        assert_eq!(found[0].pointer, format!("#/properties/a/{keyword}"));
        assert_eq!(schema_problems(&document), [], "{keyword}");
    }
}

/// Below an id, references are relative to it. The id of the whole document changes nothing.
#[test]
fn references_are_followed_beside_the_id_of_the_document() {
    let mut document = document(r##"{ "$ref": "#/definitions/b" }"##);
    document["id"] = "http://broker.example/parameters".into();
    let found = check_document(&document).expect_err("there are no definitions");
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].pointer, "#/properties/a/$ref");
}

#[test]
fn dialects_are_those_of_cloud_foundry() {
    let with = |dialect: &str| {
        let mut document = document("{}");
        document["$schema"] = dialect.into();
        document
    };
    for draft in ["draft-03", "draft-04", "draft-06"] {
        for end in ["", "#"] {
            assert_eq!(
                schema_problems(&with(&format!("http://json-schema.org/{draft}/schema{end}"))),
                [],
                "{draft}{end}"
            );
        }
    }
    for (dialect, is_allowed) in [
        // The specification allows later drafts, which Cloud Foundry refuses.
        ("http://json-schema.org/draft-07/schema#", true),
        ("https://json-schema.org/draft/2020-12/schema", true),
        ("https://json-schema.org/draft-04/schema#", false),
        ("http://json-schema.org/schema#", false),
        ("", false),
    ] {
        assert_eq!(checked(with(dialect)).is_empty(), is_allowed, "{dialect}");
        assert!(check_document(&with(dialect)).is_err(), "{dialect}");
    }
    assert!(check_document(&with("http://json-schema.org/draft-06/schema#")).is_err(), "our own are draft-04");
}

#[test]
fn sizes_are_counted_as_rails_writes_json() {
    let with = |text: String| {
        let mut document = document("{}");
        document["description"] = text.into();
        document
    };
    let room = MAX_BYTES - with(String::new()).to_string().len();
    for (character, counted) in
        [('a', 1), ('<', 6), ('>', 6), ('&', 6), ('\u{2028}', 6), ('\u{2029}', 6), ('\u{202A}', 3), ('€', 3)]
    {
        let fits = character.to_string().repeat(room / counted) + &"a".repeat(room % counted);
        assert_eq!(check_document(&with(fits.clone())), Ok(()), "{character:?}");
        let wrong = checked(with(fits + "a"));
        assert!(wrong.iter().any(|what| what.contains("has 65537 characters")), "{character:?}: {wrong:?}");
    }
}

/// Values that occur in schemas, and others.
fn value() -> impl Strategy<Value = Value> {
    let words = ["string", "object", "none", "#", "#/properties/a", "^a+$", "[", "a", "b"];
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-2..4_i64).prop_map(Value::from),
        (-2..4).prop_map(|half| Value::from(f64::from(half) / 2.0)),
        prop::sample::select(words.to_vec()).prop_map(Value::from),
    ];
    scalar.prop_recursive(4, 24, 4, |inner| {
        let keywords = [
            "additionalItems",
            "additionalProperties",
            "allOf",
            "anyOf",
            "definitions",
            "dependencies",
            "description",
            "enum",
            "exclusiveMaximum",
            "exclusiveMinimum",
            "items",
            "maxItems",
            "maxLength",
            "maxProperties",
            "maximum",
            "minItems",
            "minLength",
            "minProperties",
            "minimum",
            "multipleOf",
            "not",
            "oneOf",
            "pattern",
            "patternProperties",
            "properties",
            "required",
            "title",
            "type",
            "uniqueItems",
            "default",
            "other",
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(prop::sample::select(keywords.to_vec()).prop_map(str::to_owned), inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    /// Cloud Foundry refuses two things that this validator accepts: `1.0` as a count, and an `enum` without values or with
    /// one twice.
    #[test]
    fn the_metaschema_agrees_with_a_validator(schema in value()) {
        let theirs = jsonschema::draft4::meta::is_valid(&schema);
        let ours = schema_problems(&Json::from(schema.clone()));
        let only_theirs = |problem: &SchemaProblem| problem.message.contains("decimal point") || problem.pointer.contains("/enum");
        prop_assert!(theirs == ours.is_empty() || theirs && ours.iter().all(only_theirs), "{}: {} {:?}", schema, theirs, ours);
    }
}
