//! Schemas that Cloud Foundry refuses with the whole catalog: the runtime finds each at start, with its place, and the
//! checker in any broker.

use http::{HeaderMap, StatusCode};
use osb_check::judge::{JudgedRequest, breaches, catalog_findings};
use osb_client::Answer;
use osb_runtime::{
    json::Json,
    schema::{MAX_BYTES, SchemaProblem, check_document, schema_problems},
};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Wrong values of keywords in schemas of the property `a`, by the place of the mistake: its first word is the keyword,
/// and there is none if the schema itself is wrong.
const WRONG: &[(&str, &str)] = &[
    // A schema is an object.
    ("", r#"[true, false, null, [], "string", 1]"#),
    ("/items", r#"[true, "string", []]"#),
    ("/items/0", "[[true]]"),
    ("/items/1", "[[{}, 1]]"),
    ("/additionalItems", "[1, [{}]]"),
    ("/additionalProperties", r#"["no", null]"#),
    ("/additionalProperties/type", r#"[{ "type": "text" }]"#),
    ("/not", "[false, [{}]]"),
    ("/not/minimum", r#"[{ "minimum": "1" }]"#),
    // Objects of schemas.
    ("/properties", "[[], true, null]"),
    ("/properties/b", r#"[{ "b": true }, { "b": "string" }]"#),
    ("/properties/b~1c", r#"[{ "b/c": null }]"#),
    ("/properties/b~0c", r#"[{ "b~c": [] }]"#),
    ("/properties/enum/enum", r#"[{ "enum": { "enum": [] } }]"#),
    ("/patternProperties", "[[]]"),
    ("/patternProperties/^x", r#"[{ "^x": true }]"#),
    ("/patternProperties/(", r#"[{ "(": {} }]"#),
    ("/definitions", r#"[[], "none"]"#),
    ("/definitions/b", r#"[{ "b": 1 }]"#),
    ("/definitions/b/type", r#"[{ "b": { "type": "date" } }]"#),
    // Lists of schemas.
    ("/allOf", "[[], {}]"),
    ("/allOf/0", "[[true]]"),
    ("/anyOf", "[[], null]"),
    ("/anyOf/1", r#"[[{}, "b"]]"#),
    ("/oneOf", r#"[[], { "type": "string" }]"#),
    ("/oneOf/0/required", r#"[[{ "required": [] }]]"#),
    // Types.
    ("/type", r#"["text", "String", "int", "any", "", [], null, {}, 1, true, ["string", "text"], ["string", 1]]"#),
    ("/type", r#"[[{ "type": "string" }]]"#),
    ("/type/1", r#"[["string", "string"]]"#),
    ("/type/2", r#"[["null", "string", "null"]]"#),
    // Lists of names and values.
    ("/required", r#"[[], true, "b", null, { "b": true }]"#),
    ("/required/0", "[[1]]"),
    ("/required/1", r#"[["b", null], ["b", "b"]]"#),
    ("/required/2", r#"[["b", "c", "b"]]"#),
    ("/enum", r#"[[], "b", null, { "b": 1 }]"#),
    ("/enum/1", r#"[["b", "b"], [1, 1], [1, 1.0], [null, null]]"#),
    ("/enum/2", r#"[[{ "b": 1, "c": 2 }, 0, { "c": 2, "b": 1 }]]"#),
    ("/dependencies", r#"[[], "b"]"#),
    ("/dependencies/b", r#"[{ "b": "c" }, { "b": [] }, { "b": true }]"#),
    ("/dependencies/b/0", r#"[{ "b": [1] }]"#),
    ("/dependencies/b/1", r#"[{ "b": ["c", "c"] }]"#),
    ("/dependencies/b/type", r#"[{ "b": { "type": "text" } }]"#),
    // Counts.
    ("/minLength", r#"[-1, 1.0, 1.5, "1", null]"#),
    ("/maxLength", "[-1, 1e2, true]"),
    ("/minItems", "[-1, 0.0, []]"),
    ("/maxItems", r#"[-1, "many"]"#),
    ("/minProperties", "[-1, 2.0]"),
    ("/maxProperties", "[-5, {}]"),
    // Numbers.
    ("/minimum", r#"["1", null, true]"#),
    ("/maximum", r#"["10", [10]]"#),
    ("/exclusiveMinimum", "[1, true, false]"),
    ("/exclusiveMaximum", "[1.5, true]"),
    ("/multipleOf", r#"[0, 0.0, -2, "2", null]"#),
    // Flags and texts.
    ("/uniqueItems", r#"["true", 1, null]"#),
    ("/title", r#"[1, null, ["b"]]"#),
    ("/description", r#"[true, { "en": "b" }]"#),
    ("/format", r#"[1, ["ipv4", "ipv6"]]"#),
    ("/id", "[1]"),
    ("/pattern", r#"[1, null, "[", "(a", "a)", "*a", "a{3,2}", "[z-a]", "a\\"]"#),
    // References and dialects.
    ("/$ref", r#"["https://example.com/schema", "other.json", "file:///etc/passwd", 1, { "type": "string" }]"#),
    ("/$ref", r##"["#/definitions/none", "#none"]"##),
    ("/extends", r#"["other.json"]"#),
    ("/$schema", r#"["http://json-schema.org/draft-07/schema#", "http://json-schema.org/draft-04/schema#"]"#),
];

/// Keywords that are wrong beside each other.
const WRONG_TOGETHER: &[(&str, &str)] = &[
    ("/exclusiveMinimum", r#"{ "minimum": 1, "exclusiveMinimum": 1 }"#),
    ("/exclusiveMinimum", r#"{ "maximum": 1, "exclusiveMinimum": true }"#),
    ("/exclusiveMaximum", r#"{ "maximum": 1, "exclusiveMaximum": "true" }"#),
    ("/$ref", r##"{ "$ref": "#/properties/a/enum/2", "enum": [1, 2] }"##),
    // Schemas that apply themselves to the same value.
    ("/$ref", r##"{ "$ref": "#/properties/a" }"##),
    ("/allOf/0/$ref", r##"{ "allOf": [{ "$ref": "#/properties/a" }] }"##),
    ("/anyOf/1/not/$ref", r##"{ "anyOf": [{}, { "not": { "$ref": "#/properties/a" } }] }"##),
    ("/dependencies/b/$ref", r##"{ "dependencies": { "b": { "$ref": "#/properties/a" } } }"##),
    (
        "/items/oneOf/0/$ref",
        r##"{ "items": { "oneOf": [{ "$ref": "#/properties/a" }] }, "not": { "$ref": "#/properties/a/items" } }"##,
    ),
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
    r##"{ "properties": { "b": { "$ref": "#/properties/a" } }, "items": { "anyOf": [{ "$ref": "#" }, {}] } }"##,
    r##"{ "allOf": [{ "$ref": "#/properties/a/not" }, { "$ref": "#/properties/a/not" }], "not": { "minimum": 1 } }"##,
    r##"{ "$ref": "#/properties/a/not", "not": {}, "allOf": [{ "$ref": "#/properties/a" }] }"##,
    r##"{ "id": "#b", "definitions": { "c": {} }, "items": { "$ref": "#/properties/a/definitions/c" } }"##,
    r#"{ "id": "http://broker.example/a" }"#,
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
    let mut all: Vec<(&str, String)> =
        WRONG_TOGETHER.iter().map(|(place, schema)| (*place, (*schema).to_owned())).collect();
    for (place, values) in WRONG {
        let keyword = place.split('/').nth(1);
        let Json::Array(values) = Json::read(values.as_bytes()).expect("JSON") else { panic!("{values} is no list") };
        for value in values {
            all.push((*place, keyword.map_or(value.to_string(), |keyword| format!("{{ {keyword:?}: {value} }}"))));
        }
    }
    assert_eq!(all.len(), 155);
    for (place, schema) in all {
        let (document, pointer) = (document(&schema), format!("#/properties/a{place}"));
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

/// Each is accepted or refused by Cloud Foundry, whose library reads references only where it evaluates the schema.
#[test]
fn references_are_relative_to_the_ids_around_them() {
    for (is_right, schema) in [
        (true, r##"{ "id": "b", "definitions": { "c": {} }, "items": { "$ref": "#/definitions/c" } }"##),
        (true, r#"{ "definitions": { "c": { "id": "b" } }, "items": { "$ref": "b" } }"#),
        (true, r#"{ "definitions": { "c": { "id": "b#", "not": {} } }, "items": { "$ref": "b#/not" } }"#),
        (false, r##"{ "id": "b", "items": { "$ref": "#/properties/a" } }"##),
        (false, r#"{ "definitions": { "c": { "id": "b" } }, "items": { "$ref": "b#/not" } }"#),
        (false, r##"{ "definitions": { "c": { "id": "#b" } }, "items": { "$ref": "#b" } }"##),
    ] {
        let found = schema_problems(&document(schema));
        let places: Vec<_> = found.iter().map(|problem| (problem.rule, &*problem.pointer)).collect();
        let wrong: &[_] = if is_right { &[] } else { &[("CAT-54", "#/properties/a/items/$ref")] };
        assert_eq!(places, wrong, "{schema}");
    }
}

/// Cloud Foundry remembers a schema by its id, also that of an older catalog.
#[test]
fn ids_beside_references_are_refused_in_our_own_schemas_only() {
    let places = |document: &Json| {
        let found = check_document(document).expect_err("it has an id and a reference");
        found.into_iter().map(|problem| problem.pointer).collect::<Vec<_>>()
    };
    let mut whole = document(r##"{ "$ref": "#/definitions/b" }"##);
    whole["id"] = "http://broker.example/parameters".into();
    assert_eq!(places(&whole), ["#/id", "#/properties/a/$ref"], "there are no definitions either");
    whole["definitions"] = Json::from(json!({ "b": {} }));
    assert_eq!(places(&whole), ["#/id"]);
    assert_eq!(schema_problems(&whole), []);
    let inside = document(r##"{ "properties": { "b": { "id": "b", "items": { "$ref": "#" } } } }"##);
    assert_eq!(places(&inside), ["#/properties/a/properties/b/id"]);
    assert_eq!(schema_problems(&inside), []);
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

/// The Cloud Controller compiles no pattern of a catalog. One that is wrong in any dialect breaks a rule of draft-04.
#[test]
fn patterns_of_any_dialect_are_accepted() {
    for pattern in [r"^[\w-.]+$", "(?i)abc", r"\p{Lu}", "(?'name'a)", r"[a-z&&[^b]]", "]", r"(?<n>a)\k<n>"] {
        let schema = document(&json!({ "pattern": pattern }).to_string());
        let catalog = json!({ "services": [{
            "id": "s", "name": "s", "description": "A service.", "bindable": true,
            "plans": [{
                "id": "p", "name": "p", "description": "A plan.",
                "schemas": { "service_instance": { "create": { "parameters": Value::from(schema) } } },
            }],
        }] });
        let found: Vec<_> = catalog_findings(&catalog).into_iter().map(|finding| finding.what).collect();
        assert_eq!(found, [""; 0], "{pattern}");
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
