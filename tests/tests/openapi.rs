//! The OpenAPI document is one, and its bodies are what the broker takes.
//!
//! Here it is held against the schema that the OpenAPI Initiative publishes, and each schema in it against that of its
//! dialect. By hand, the documents of this test and of the examples were given to `openapi-spec-validator` 0.9 (Python)
//! and `@apidevtools/swagger-parser` 13 (JavaScript), which took them: `PROGRAM docs --format openapi --out api.json`
//! writes one to try it with.

use std::sync::LazyLock;

use jsonschema::{Draft, Validator};
use osb_lab::{crossing::CrossingBroker, every::EveryBroker};
use osb_runtime::service::Broker;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn document<B: Broker>() -> Value {
    serde_json::from_str(&osb_docs::openapi::<B>()).expect("it is JSON")
}

fn assert_valid(validator: &Validator, value: &Value, what: &str) {
    let errors: Vec<_> =
        validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{what}:\n{}", errors.join("\n"));
}

/// What stands under a key somewhere in `value`.
fn under<'a>(value: &'a Value, key: &str, found: &mut Vec<&'a Value>) {
    match value {
        Value::Object(members) => {
            found.extend(members.get(key));
            members.values().for_each(|member| under(member, key, found));
        }
        Value::Array(items) => items.iter().for_each(|item| under(item, key, found)),
        _ => {}
    }
}

fn assert_is_openapi(document: &Value) {
    static OPENAPI: LazyLock<Validator> = LazyLock::new(|| {
        let schema = serde_json::from_str(include_str!("../golden/openapi/schema-3.1.json")).expect("it is JSON");
        jsonschema::options().with_draft(Draft::Draft202012).build(&schema).expect("it is a schema")
    });
    assert_valid(&OPENAPI, document, "the document");

    let mut schemas = Vec::new();
    under(document, "schema", &mut schemas);
    schemas.extend(document["components"]["schemas"].as_object().expect("there are some").values());
    assert!(schemas.len() > 20, "{}", schemas.len());
    for schema in schemas {
        if let Err(error) = jsonschema::draft202012::meta::validate(schema) {
            panic!("{error} in {schema}");
        }
    }

    let mut references = Vec::new();
    under(document, "$ref", &mut references);
    for reference in references {
        let pointer = reference.as_str().and_then(|text| text.strip_prefix('#')).expect("it is within the document");
        assert!(document.pointer(pointer).is_some(), "{reference} leads nowhere");
    }
}

#[test]
fn a_public_schema_takes_it() {
    assert_is_openapi(&document::<EveryBroker>());
    assert_is_openapi(&document::<CrossingBroker>());
}

#[test]
fn there_is_what_the_broker_has_and_nothing_else() {
    let paths = |document: &Value| {
        let paths = document["paths"].as_object().expect("there are some").iter();
        let methods = |item: &Value| {
            ["get", "put", "patch", "delete"]
                .into_iter()
                .filter(|method| item.get(method).is_some())
                .collect::<Vec<_>>()
                .join(" ")
        };
        paths.map(|(path, item)| format!("{path}: {}", methods(item))).collect::<Vec<_>>()
    };
    assert_eq!(
        paths(&document::<EveryBroker>()),
        [
            "/v2/catalog: get",
            "/v2/service_instances/{instance_id}: get put patch delete",
            "/v2/service_instances/{instance_id}/last_operation: get",
            "/v2/service_instances/{instance_id}/service_bindings/{binding_id}: get put delete",
            "/v2/service_instances/{instance_id}/service_bindings/{binding_id}/last_operation: get",
        ]
    );
}

/// The schema of a request's body, with what it refers to.
fn body(path: &str, method: &str) -> Validator {
    let mut document = document::<EveryBroker>();
    let path = format!("/v2/service_instances/{{instance_id}}{path}");
    let mut schema = document["paths"][path][method]["requestBody"]["content"]["application/json"]["schema"].take();
    schema["components"] = document["components"].take();
    jsonschema::options().with_draft(Draft::Draft202012).build(&schema).expect("it is a schema")
}

static PROVISION: LazyLock<Validator> = LazyLock::new(|| body("", "put"));
static UPDATE: LazyLock<Validator> = LazyLock::new(|| body("", "patch"));
static BIND: LazyLock<Validator> = LazyLock::new(|| body("/service_bindings/{binding_id}", "put"));

fn ids(plan: usize) -> Value {
    json!({ "service_id": EveryBroker::OFFERINGS[0].id, "plan_id": EveryBroker::OFFERINGS[0].plans[plan].spec.id })
}

fn with(mut body: Value, more: Value) -> Value {
    let Value::Object(more) = more else { panic!("an object") };
    body.as_object_mut().expect("an object").extend(more);
    body
}

#[test]
fn bodies_are_those_of_the_plans() {
    let places = json!({ "organization_guid": "o", "space_guid": "s", "unknown": 1 });
    let create = |plan, parameters: Value| with(with(ids(plan), places.clone()), json!({ "parameters": parameters }));
    for (good, body) in [
        (true, create(0, json!({ "name": "a" }))),
        (false, create(0, json!({}))),
        (false, with(ids(0), places.clone())),
        (false, with(ids(0), json!({ "parameters": { "name": "a" } }))),
        (true, create(2, json!({}))),
        (true, with(ids(2), places.clone())),
        (false, create(2, json!({ "name": "a" }))),
        (true, create(1, json!({ "tree": { "size": 1, "pair": [true, 1], "branches": [{ "size": 2 }] } }))),
        (false, create(1, json!({ "tree": { "size": 0 } }))),
        (false, create(1, json!({ "tree": { "size": 1, "pair": [1, true] } }))),
        (false, create(1, json!({ "tree": { "size": 1, "branches": [{ "size": 0 }] } }))),
        (false, with(create(0, json!({ "name": "a" })), json!({ "plan_id": "other" }))),
    ] {
        assert_eq!(PROVISION.is_valid(&body), good, "{body}");
    }
    let service = json!({ "service_id": EveryBroker::OFFERINGS[0].id });
    for (good, body) in [
        (true, with(service.clone(), json!({ "parameters": { "fives": null } }))),
        (true, ids(2)),
        (false, with(service, json!({ "parameters": { "fives": 7 } }))),
        (false, json!({})),
    ] {
        assert_eq!(UPDATE.is_valid(&body), good, "{body}");
    }
    for (good, body) in [
        (true, ids(0)),
        (true, with(ids(0), json!({ "parameters": { "read_only": true } }))),
        (false, with(ids(0), json!({ "parameters": { "read_only": 1 } }))),
        (true, json!({ "predecessor_binding_id": "b" })),
        (false, ids(2)),
    ] {
        assert_eq!(BIND.is_valid(&body), good, "{body}");
    }
}

/// Values near the limits, and beyond them.
fn values() -> impl Strategy<Value = Value> {
    let pool = [
        json!(0),
        json!(5),
        json!(7),
        json!(95),
        json!(100),
        json!(-5),
        json!(0.5),
        json!(1.0),
        json!(null),
        json!("a"),
        json!("abcd"),
        json!("Red"),
        json!(["Red"]),
        json!(["Red", "Blue", "Red"]),
        json!(["x"]),
        json!([]),
        json!({}),
        json!({ "kind": "Bucket" }),
        json!({ "kind": "Bucket", "name": "n" }),
        json!({ "kind": "Nowhere" }),
        json!({ "kind": "Nowhere", "name": "n" }),
        json!(true),
    ];
    prop::sample::select(pool.to_vec())
}

fn objects() -> impl Strategy<Value = Value> {
    let names = prop::sample::select(vec!["fives", "ratio", "name", "target", "which", "other"]);
    prop::collection::btree_map(names, values(), 0..4).prop_map(|members| {
        members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>().into()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    /// With the runtime's own verdict, and a good value more often than chance has it.
    #[test]
    fn parameters_are_good_in_a_body_if_the_broker_takes_them(mut parameters in objects(), named: bool) {
        if named {
            parameters["name"] = "a".into();
        }
        let accepts = |info: Option<&osb_runtime::catalog::ParametersInfo>| (info.expect("it has parameters").check)(&parameters).is_ok();
        let plan = &EveryBroker::OFFERINGS[0].plans[0];
        let create = with(ids(0), json!({ "organization_guid": "o", "space_guid": "s", "parameters": parameters }));
        prop_assert_eq!(PROVISION.is_valid(&create), accepts(plan.create.as_ref()), "{}", create);
        let update = with(ids(0), json!({ "parameters": parameters }));
        prop_assert_eq!(UPDATE.is_valid(&update), accepts(plan.update.as_ref()), "{}", update);
    }
}
