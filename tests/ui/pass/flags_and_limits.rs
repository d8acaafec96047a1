//! Flags that are false switch nothing on, and values at their limits have no warning.

#![deny(warnings, missing_docs)]

use osb_runtime::{
    prelude::*,
    schema::Parameters,
    service::{Family, Rotatable},
};
use serde_json::{Value, json};

include!("../handlers.rs");

/// A store.
#[service(
    id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name = "kv",
    tags("the \"kv\" store"),
    plans(Free, Pro, Sized),
    allow_context_updates = false,
    extensions("acme_region": "eu"),
)]
pub struct Kv {
    /// Threads can share it.
    pub clock: Option<Box<dyn Fn() -> u64 + Send + Sync>>,
    /// A field that is left out, with its type.
    #[cfg(target_os = "none")]
    pub cache: missing::Cache,
}

/// 10 MB.
///
/// A macro can't read the rest.
#[doc = include_str!("../Cargo.toml")]
#[plan(
    id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name = "free",
    bindable,
    rotatable = false,
    requires_app = false,
    retired = false,
    asynchronous(instances = never),
    maximum_polling_duration = 604_800,
    metadata(costs()),
)]
pub struct Free;

#[expect(missing_docs)]
#[plan(
    id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02",
    name = "pro",
    description = "1 \"GB\".",
    bindable,
    rotatable,
    metadata(costs((usd = 0, unit = "MONTHLY"))),
)]
pub struct Pro;

/// Storage of any size.
#[plan(name = "sized", family = NewStore)]
pub struct Sized;

provisions!(Kv);
binds!(Kv, Free = LogDrain, Pro = LogDrain);

/// The broker.
#[broker]
pub struct Broker {
    kv: Kv,
}

/// The parameters of a new store.
#[parameters(open = false)]
pub struct NewStore {
    #[doc = include_str!("../Cargo.toml")]
    #[param(description = "Gigabytes.", range(exclusive_max = 64))]
    pub size: Option<f64>,
    /// Names.
    #[param(unique = false)]
    pub names: Option<Vec<String>>,
    /// Words.
    #[param(unique, title = "Words")]
    pub words: Option<Vec<String>>,
}

/// The credentials.
#[credentials]
pub struct Access {
    /// The host.
    #[param(public = false)]
    pub host: String,
}

fn rotates<P: Rotatable>() {}
fn is_family<P: Family>() {}

pub(super) fn main() {
    let catalog: Value = serde_json::from_slice(Broker::CATALOG).expect("JSON");
    let service = &catalog["services"][0];
    assert_eq!(service["allow_context_updates"], false);
    let plan = &service["plans"][0];
    assert_eq!((&plan["name"], &plan["binding_rotatable"]), (&json!("free"), &json!(false)), "{service:#}");
    assert_eq!((&plan["description"], plan.get("metadata")), (&json!("10 MB."), None));
    assert_eq!(plan["maximum_polling_duration"], 604_800);
    let offering = Broker::OFFERINGS[0];
    assert_eq!((offering.plans[0].spec.requires_app, offering.plans[0].spec.retired), (false, false));
    assert_eq!(
        (&service["tags"][0], &service["plans"][1]["description"]),
        (&json!("the \"kv\" store"), &json!("1 \"GB\"."))
    );
    rotates::<Pro>();
    is_family::<Sized>();

    let schema: Value = serde_json::from_slice(NewStore::JSON).expect("JSON");
    assert_eq!(schema["additionalProperties"], false);
    let size = json!({ "type": "number", "maximum": 64, "exclusiveMaximum": true, "description": "Gigabytes." });
    assert_eq!(schema["properties"]["size"], size);
    assert_eq!(schema["properties"]["names"].get("uniqueItems"), None);
    let words = &schema["properties"]["words"];
    assert_eq!((&words["uniqueItems"], &words["title"]), (&json!(true), &json!("Words")));
    assert_eq!(format!("{:?}", Access { host: "x".to_owned() }), "Access { host: [secret] }");
}
