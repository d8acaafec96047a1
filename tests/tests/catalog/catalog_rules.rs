//! The catalog has the mandatory fields, and the broker behaves as it declares.

use std::collections::BTreeMap;

use osb_lab::prelude::*;
use osb_runtime::prelude::*;

/// A shelf.
#[service(id = "8f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "shelf", plans(Upper, Lower))]
#[allow(deprecated, reason = "the names differ in case only")]
struct Shelf;

/// The upper plan.
#[plan(id = "8f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "Oak", create = Books)]
struct Upper;

/// The lower plan.
#[plan(id = "8f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "oak", create = Books)]
struct Lower;

/// The books on a shelf.
#[parameters]
struct Books {
    /// The titles, in order.
    titles: Option<Vec<Book>>,
    /// The books by name.
    shelved: Option<BTreeMap<String, Book>>,
}

/// A book.
#[parameters]
struct Book {
    /// Its title.
    title: String,
}

osb_lab::provision_nothing!(Shelf);

#[broker]
struct Both {
    shelf: Shelf,
    lab: Lab,
}

async fn services() -> Vec<Value> {
    let wire = Wire::serve(Both { shelf: Shelf, lab: Lab::default() }).await;
    let reply = wire.get("/v2/catalog").await;
    assert_eq!(reply.status, 200, "CAT-01");
    reply.body["services"].as_array().expect("CAT-01: an array").clone()
}

fn plans(service: &Value) -> &Vec<Value> {
    service["plans"].as_array().expect("CAT-22: an array")
}

/// Returns whether a value is a string that is not blank.
fn says(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.trim().is_empty())
}

/// Returns all schemas of a service.
fn schemas(service: &Value) -> impl Iterator<Item = &Value> {
    let places = ["/service_instance/create", "/service_instance/update", "/service_binding/create"];
    let all = plans(service).iter().flat_map(move |plan| places.map(|place| plan["schemas"].pointer(place)));
    all.flatten().map(|schema| &schema["parameters"])
}

/// Calls a function with the name and the value of each field, at any depth.
fn visit(value: &Value, seen: &mut impl FnMut(&str, &Value)) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            seen(name, value);
            visit(value, seen);
        }),
        Value::Array(values) => values.iter().for_each(|value| visit(value, seen)),
        _ => {}
    }
}

#[tokio::test]
async fn cat_01_services_and_plans_have_their_mandatory_fields() {
    let services = services().await;
    assert_eq!(services.len(), 2, "CAT-01");
    for service in &services {
        assert!(says(&service["name"]), "CAT-10: {service}");
        assert!(says(&service["id"]), "CAT-11: {service}");
        assert!(says(&service["description"]), "CAT-12: {service}");
        assert!(!plans(service).is_empty(), "CAT-22: {service}");
        for plan in plans(service) {
            assert!(says(&plan["id"]) && says(&plan["name"]), "CAT-30, CAT-31: {plan}");
            assert!(says(&plan["description"]), "CAT-32: {plan}");
        }
    }
}

#[tokio::test]
async fn cat_03_ids_are_the_same_after_every_start() {
    let ids_of = |services: &[Value]| -> Vec<(Value, Vec<Value>)> {
        let plans = |service: &Value| plans(service).iter().map(|plan| plan["id"].clone()).collect();
        services.iter().map(|service| (service["id"].clone(), plans(service))).collect()
    };
    let (first, second) = (services().await, services().await);
    assert_eq!(ids_of(&first), ids_of(&second), "CAT-03");
    let chosen = [ids::SMALL, ids::LARGE, ids::CLOSED, ids::TWIN, ids::SLOW, ids::QUICK].map(Value::from).to_vec();
    assert_eq!(ids_of(&first)[1], (json!(ids::LAB), chosen), "CAT-03");
}

#[tokio::test]
async fn cat_05_names_that_differ_in_case_differ() {
    let services = services().await;
    let names: Vec<_> = plans(&services[0]).iter().map(|plan| &plan["name"]).collect();
    assert_eq!(names, ["Oak", "oak"], "CAT-05, CAT-31");
}

#[tokio::test]
async fn cat_14_cat_15_services_declare_permissions_and_bindability() {
    for service in services().await {
        for word in service["requires"].as_array().into_iter().flatten() {
            assert!(
                ["syslog_drain", "route_forwarding", "volume_mount"].map(Value::from).contains(word),
                "CAT-14: {word}"
            );
        }
        let bindable = service["bindable"].as_bool().expect("CAT-15, T45: present even if it is false");
        let of_plan = |plan: &Value| plan["bindable"].as_bool().unwrap_or(bindable);
        assert_eq!(plans(&service).iter().any(of_plan), bindable, "CAT-15");
    }
    let services = services().await;
    assert_eq!((&services[0]["bindable"], &services[1]["bindable"]), (&json!(false), &json!(true)), "CAT-15");
    assert_eq!(services[1]["requires"], json!(["syslog_drain", "volume_mount"]), "CAT-14");
    for name in ["instances_retrievable", "bindings_retrievable", "plan_updateable"] {
        assert_eq!(services[1][name], json!(true), "CAT-16, CAT-17, CAT-21, EXT-03: {name}");
    }
}

#[tokio::test]
async fn cat_51_cat_52_cat_53_cat_55_schemas_are_objects_without_external_references() {
    let services = services().await;
    let all: Vec<&Value> = services.iter().flat_map(schemas).collect();
    assert_eq!(all.len(), 14, "two of the shelf; three of three plans, two of one, one of another");
    for schema in all {
        assert_eq!(schema["$schema"], json!("http://json-schema.org/draft-04/schema#"), "CAT-51, CAT-54");
        assert_eq!(schema["type"], json!("object"), "CAT-55: {schema}");
        assert!(schema["properties"].is_object(), "CAT-55: {schema}");
        assert!(schema.to_string().len() <= 65_536, "CAT-53, X13");
        visit(schema, &mut |name, value| {
            let elsewhere = name == "$ref" && value.as_str().is_some_and(|to| !to.starts_with('#'));
            assert!(!elsewhere && name != "id", "CAT-52: {name} is {value}");
        });
    }
}

/// Returns the plans that are not always asynchronous.
fn synchronous(service: &Value) -> impl Iterator<Item = &Value> {
    plans(service).iter().filter(|plan| plan["id"] != ids::SLOW)
}

#[tokio::test]
async fn bind_01_only_bindable_plans_can_be_bound() {
    let wire = Wire::serve(LabBroker { lab: Lab::default() }).await;
    let catalog = wire.get("/v2/catalog").await;
    for plan in synchronous(&catalog.body["services"][0]) {
        let (id, name) = (plan["id"].as_str().expect("an id"), plan["name"].as_str().expect("a name"));
        wire.put(&instance(name), new(id, json!({}))).await;
        let mut body = bind(id, json!({}));
        body["app_guid"] = json!("a");
        let status = wire.put(&binding(name, "b"), body).await.status;
        let expected = if plan["bindable"] == json!(true) { 201 } else { 400 };
        assert_eq!(status, expected, "BIND-01: {name}");
        let status = wire.put(&binding(name, "next"), json!({ "predecessor_binding_id": "b" })).await.status;
        let expected = if plan["binding_rotatable"] == json!(true) { 201 } else { 400 };
        assert_eq!(status, expected, "ROT-01: {name}");
    }
}

#[tokio::test]
async fn upd_01_only_updateable_plans_can_be_changed() {
    let wire = Wire::serve(LabBroker { lab: Lab::default() }).await;
    let catalog = wire.get("/v2/catalog").await;
    let service = &catalog.body["services"][0];
    let mut any = false;
    for from in synchronous(service) {
        let mut left = false;
        for to in plans(service).iter().filter(|to| to["id"] != from["id"]) {
            let (from_id, path) =
                (from["id"].as_str().expect("an id"), instance(&format!("{}{}", from["id"], to["id"])));
            assert_eq!(wire.put(&path, new(from_id, json!({}))).await.status, 201);
            let status = wire.patch(&path, change(json!({ "plan_id": to["id"] }))).await.status;
            assert!([200, 422].contains(&status), "UPD-14: {status}");
            left |= status == 200;
        }
        assert_eq!(from["plan_updateable"], json!(left), "UPD-01: {}", from["name"]);
        any |= left;
    }
    assert_eq!(service["plan_updateable"], json!(any), "UPD-01");
}
