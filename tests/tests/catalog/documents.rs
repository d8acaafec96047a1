//! The documents of brokers whose services use rare arguments.

use std::collections::BTreeMap;

use osb_runtime::prelude::*;
use serde_json::{Value, json};

use crate::openapi::{document, under};

/// Desks of wood.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "desks", plans(Low, Old), allow_context_updates)]
struct Desks;

/// For sitting.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "v1.5", create = NewDesk, bind = NewDesk, bindable, requires_app)]
struct Low;

/// No longer made.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "old", bindable, retired)]
struct Old;

/// A desk.
#[parameters]
struct NewDesk {
    /// Logins of the users who open it.
    #[param(example = [{"password": "hunter2"}])]
    logins: Vec<Login>,
    /// Its height.
    #[param(range(exclusive_min = 5))]
    height: u8,
    /// Which zone?
    #[param(example = "eu")]
    zone: Option<String>,
    /// Its weight.
    #[param(multiple_of = 0.5)]
    weight: Option<f64>,
    /// Its price.
    #[param(range(min = 1, max = 4_000_000_000))]
    price: Option<u64>,
    /// Its drawers.
    #[param(rename = "drawers.all")]
    drawers: Option<BTreeMap<String, u8>>,
    /// Its legs.
    legs: Option<BTreeMap<String, Leg>>,
}

/// A login for a desk.
#[parameters]
struct Login {
    /// Password of the login.
    #[param(secret)]
    password: String,
}

/// A leg.
#[parameters]
struct Leg {
    /// Its length.
    #[param(range(exclusive_min = 0))]
    length: f64,
}

/// Access to a desk.
#[credentials]
struct Key {
    /// Its number.
    number: u32,
}

/// Chairs.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "chairs", plans(Plain), instances_retrievable = false)]
struct Chairs;

/// For sitting.
#[plan(
    id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a05",
    name = "plain",
    create = NewChair,
    maintenance_info(version = "1.2.3")
)]
struct Plain;

/// A chair.
#[parameters]
struct NewChair {
    /// Its wood.
    #[param(immutable, example = "oak")]
    wood: Option<String>,
    /// Its height.
    height: Option<u8>,
}

/// Locks.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a06", name = "locks", plans(Coded))]
struct Locks;

/// With a code.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a07", name = "coded", create = NewLock)]
struct Coded;

/// A lock.
#[parameters]
struct NewLock {
    /// Seven digits.
    #[param(pattern = "^[0-9]{7}$")]
    code: String,
}

osb_lab::provision_nothing!(Desks, Chairs, Locks);
osb_lab::update_nothing!(Chairs: Plain);
osb_lab::bind_nothing! {
    Desks: Low => Credentials<Key> = |_request| Credentials(Key { number: 1 });
    Desks: Old => Credentials<Key> = |_request| Credentials(Key { number: 1 });
}

#[broker]
struct DeskBroker(Desks);

#[broker]
struct ChairBroker(Chairs);

#[broker]
struct LockBroker(Locks);

fn assert_says(document: &str, expected: &[&str]) {
    for text in expected {
        assert!(document.contains(text), "{text:?} in {document}");
    }
}

#[test]
fn parameters_are_described_with_all_their_limits() {
    let said = osb_docs::markdown::<DeskBroker>();
    assert_says(
        &said,
        &[
            "Which zone? For example `\"eu\"`.",
            "number, a multiple of 0.5",
            "integer, 1 to 4000000000",
            "`\"drawers.all\"`",
        ],
    );
    assert!(!said.contains("hunter2"), "an example with a secret is not shown: {said}");
    assert!(!said.contains("The same parameters"), "a plan doesn't refer to itself: {said}");
}

#[test]
fn examples_are_valid_or_left_out() {
    assert_says(&osb_docs::markdown::<DeskBroker>(), &["\"height\": 6"]);
    let chairs = osb_docs::markdown::<ChairBroker>();
    assert_says(&chairs, &["```json\n{\n  \"height\": 0\n}\n```"]);
    let locks = osb_docs::markdown::<LockBroker>();
    assert!(!locks.contains("Example:"), "no value is known for the pattern: {locks}");
}

#[test]
fn openapi_has_only_what_the_broker_offers() {
    let desks = document::<DeskBroker>();
    assert!(!desks.to_string().contains("8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03"), "no retired plan: {desks}");
    let instance = "/v2/service_instances/{instance_id}";
    let methods = |document: &Value| {
        let all = document["paths"][instance].as_object().expect("operations");
        let mut all: Vec<String> = all.keys().cloned().collect();
        all.sort();
        all
    };
    assert_eq!(methods(&desks), ["delete", "get", "patch", "put"], "updates of the context");
    let bind = &desks["paths"][format!("{instance}/service_bindings/{{binding_id}}")]["put"];
    let branch = &bind["requestBody"]["content"]["application/json"]["schema"]["oneOf"][0];
    assert_eq!(branch["required"], json!(["service_id", "plan_id", "parameters", "bind_resource"]));
    assert_eq!(branch["not"]["required"], json!(["predecessor_binding_id"]));
    let parameters = &branch["properties"]["parameters"]["properties"];
    let mut lengths = Vec::new();
    under(&parameters["legs"], "length", &mut lengths);
    assert_eq!(lengths.len(), 1, "{parameters}");
    assert_eq!((&lengths[0]["exclusiveMinimum"], lengths[0].get("minimum")), (&json!(0), None));

    let chairs = document::<ChairBroker>();
    assert_eq!(methods(&chairs), ["delete", "patch", "put"], "maintenance, and no fetch");
    let mut paths: Vec<_> = chairs["paths"].as_object().expect("paths").keys().cloned().collect();
    paths.sort();
    assert_eq!(paths, ["/v2/catalog", instance, &format!("{instance}/last_operation")], "no bindings");
    let create = &chairs["paths"][instance]["put"]["requestBody"]["content"]["application/json"]["schema"]["oneOf"][0];
    let mut versions = Vec::new();
    under(&create["properties"]["maintenance_info"], "version", &mut versions);
    assert_eq!(versions, [&json!({ "const": "1.2.3" })]);
}
