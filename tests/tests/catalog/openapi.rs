//! The OpenAPI document is valid, and its request bodies accept what the broker accepts.
//!
//! The tests validate it against the schema of the OpenAPI Initiative, and each schema in it against its dialect. The
//! documents of this test and of the examples were also validated manually, with `openapi-spec-validator` 0.9 (Python) and
//! `@apidevtools/swagger-parser` 13 (JavaScript). `PROGRAM docs --format openapi --out api.json` writes such a document.

use std::sync::LazyLock;

use jsonschema::{Draft, Validator};
use osb_lab::{
    all_parameter_types::{EveryBroker, values},
    route_service::RouteServiceBroker,
};
use osb_runtime::service::Broker;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

pub(crate) fn document<B: Broker>() -> Value {
    serde_json::from_str(&osb_docs::openapi::<B>()).expect("it is JSON")
}

fn assert_valid(validator: &Validator, value: &Value, what: &str) {
    let errors: Vec<_> =
        validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{what}:\n{}", errors.join("\n"));
}

/// Collects all values of a key, at any depth.
pub(crate) fn under<'a>(value: &'a Value, key: &str, found: &mut Vec<&'a Value>) {
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
        let schema = serde_json::from_str(include_str!("../../golden/openapi/schema-3.1.json")).expect("it is JSON");
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
        let pointer =
            reference.as_str().and_then(|text| text.strip_prefix('#')).expect("a reference within the document");
        assert!(document.pointer(pointer).is_some(), "{reference} has no target");
    }
}

#[test]
fn the_document_is_valid_openapi() {
    assert_is_openapi(&document::<EveryBroker>());
    assert_is_openapi(&document::<RouteServiceBroker>());
}

#[test]
fn paths_are_those_of_the_broker() {
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

/// Swagger UI shows no parameters of a path, so each operation has all of its own.
#[test]
fn each_operation_has_its_parameters_and_statuses() {
    let document = document::<EveryBroker>();
    for (path, item) in document["paths"].as_object().expect("there are some") {
        for (method, operation) in item.as_object().expect("operations") {
            let place = format!("{method} {path}");
            let described: Vec<_> = operation["parameters"].as_array().into_iter().flatten().collect();
            let names: Vec<_> = described.iter().map(|one| one["name"].as_str().expect("no reference")).collect();
            let required = described.iter().filter(|one| one["required"] == true);
            let mut expected: Vec<_> = path.split(['{', '}']).skip(1).step_by(2).collect();
            expected.push("X-Broker-API-Version");
            if method == "delete" {
                expected.extend(["service_id", "plan_id"]);
            }
            assert_eq!(required.map(|one| &one["name"]).collect::<Vec<_>>(), expected, "{place}");
            assert_eq!(
                names.iter().collect::<std::collections::BTreeSet<_>>().len(),
                names.len(),
                "{place}: {names:?}"
            );
            let statuses = operation["responses"].as_object().expect("responses");
            for status in ["400", "401", "412", "414", "431", "500", "503"] {
                assert!(statuses.contains_key(status), "{place}: {status}");
            }
            assert_eq!(statuses.contains_key("413"), operation.get("requestBody").is_some(), "{place}");
        }
    }
}

/// A validator for the body of a request.
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
fn bodies_match_the_plans() {
    let places = json!({ "organization_guid": "o", "space_guid": "s", "unknown": 1 });
    let create = |plan, parameters: Value| with(with(ids(plan), places.clone()), json!({ "parameters": parameters }));
    for (good, body) in [
        (true, create(0, json!({ "name": "a" }))),
        (false, create(0, json!({}))),
        (false, with(ids(0), places.clone())),
        (false, with(ids(0), json!({ "parameters": { "name": "a" } }))),
        (true, create(2, json!({}))),
        (true, with(ids(2), places.clone())),
        (true, with(create(2, Value::Null), json!({ "context": null }))),
        (false, create(0, Value::Null)),
        (false, with(with(ids(2), places.clone()), json!({ "space_guid": null }))),
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
        (true, with(service.clone(), json!({ "plan_id": null, "parameters": null, "previous_values": null }))),
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
        (true, with(ids(0), json!({ "predecessor_binding_id": null, "bind_resource": null, "parameters": null }))),
        (false, ids(2)),
    ] {
        assert_eq!(BIND.is_valid(&body), good, "{body}");
    }
}

fn objects() -> impl Strategy<Value = Value> {
    let names = prop::sample::select(vec!["fives", "ratio", "name", "target", "which", "other"]);
    prop::collection::btree_map(names, prop::sample::select(values()), 0..4).prop_map(|members| {
        members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>().into()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    /// Compares with the runtime's own validation. `named` makes valid parameters frequent enough.
    #[test]
    fn bodies_accept_the_parameters_that_the_broker_accepts(mut parameters in objects(), named: bool) {
        if named {
            parameters["name"] = "a".into();
        }
        let accepts = |info: Option<&osb_runtime::catalog::ParametersInfo>| info.expect("it has parameters").check(&parameters).is_ok();
        let plan = &EveryBroker::OFFERINGS[0].plans[0];
        let create = with(ids(0), json!({ "organization_guid": "o", "space_guid": "s", "parameters": parameters }));
        prop_assert_eq!(PROVISION.is_valid(&create), accepts(plan.create.as_ref()), "{}", create);
        let update = with(ids(0), json!({ "parameters": parameters }));
        prop_assert_eq!(UPDATE.is_valid(&update), accepts(plan.update.as_ref()), "{}", update);
    }
}
