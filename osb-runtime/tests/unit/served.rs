//! Tests of the catalog as it is served.

use super::Served;
use crate::{
    catalog::{EffectiveCatalog, StartError},
    prelude::*,
    service::Broker,
};
use serde_json::{Value, json};

/// With a dashboard.
#[service(
    id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name = "kv",
    plans(Free),
    dashboard_client(id = "kv-dashboard", secret_env = "KV_SECRET", redirect_uri = "https://kv.example.com")
)]
struct Kv;

/// Without parameters.
#[plan(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "free")]
struct Free;

/// Without a dashboard.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "plain", plans(Plain, Nested))]
struct Other;

/// With a type whose schema comes from schemars.
#[plan(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "plain", create = Foreign<Point>)]
struct Plain;

/// With such a type in a field.
#[plan(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "nested", create = Place)]
struct Nested;

#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Point {
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    x: f64,
    y: Option<u8>,
}

/// A place.
#[parameters]
struct Place {
    /// The coordinates.
    at: Foreign<Point>,
}

macro_rules! provision {
    ($($service:ty),+) => {$(
        impl<P: Plan> Provision<P> for $service {
            type State = ();
            async fn provision(&self, _: ProvisionRequest<P>, _: &Operation) -> Result<Provisioned, ProvisionError> {
                Ok(Provisioned::new(()))
            }
            async fn deprovision(&self, _: DeprovisionRequest<P>, _: &Operation) -> Result<(), DeprovisionError> {
                Ok(())
            }
        }
    )+};
}

provision!(Kv, Other, Bad);

#[path = "defaults.rs"]
mod defaults;

#[broker]
struct WithDashboard(Kv);

#[broker(dynamic)]
struct Dynamic(Other);

fn start<B: Broker>(environment: impl Fn(&str) -> Option<String>) -> Result<Served, StartError> {
    EffectiveCatalog::unchanged(B::OFFERINGS).json(B::CATALOG, B::DYNAMIC, environment).map(Served::new)
}

fn catalog(served: &Served) -> Value {
    serde_json::from_slice(&served.json).expect("it is JSON")
}

#[test]
fn the_secret_of_a_dashboard_client_comes_from_the_environment() {
    assert!(!WithDashboard::CATALOG_JSON.contains("secret"), "the secret is not part of the program");
    let environment = |name: &str| (name == "KV_SECRET").then(|| "hush".to_owned());
    let served = start::<WithDashboard>(environment).expect("it starts");
    let client = r#""dashboard_client":{"id":"kv-dashboard","secret":"hush","redirect_uri":"https://kv.example.com"}"#;
    assert!(String::from_utf8_lossy(&served.json).contains(client));
    for missing in [None, Some(" ".to_owned())] {
        let error = start::<WithDashboard>(|_| missing.clone()).expect_err("it does not start");
        assert!(error.to_string().contains("KV_SECRET"), "{error}");
    }
}

#[test]
fn foreign_schemas_are_inserted_at_start_up() {
    let served = start::<Dynamic>(|_| None).expect("it starts");
    let catalog = catalog(&served);
    let schema =
        |plan: usize| &catalog["services"][0]["plans"][plan]["schemas"]["service_instance"]["create"]["parameters"];
    assert_eq!(schema(0)["$schema"], json!("http://json-schema.org/draft-04/schema#"));
    assert_eq!(schema(0)["properties"]["x"]["exclusiveMinimum"], json!(true), "draft-04");
    assert_eq!(schema(1)["properties"]["at"]["properties"]["x"]["minimum"], json!(0.0));
    assert_eq!(schema(1)["additionalProperties"], json!(false));
}

/// A type that draft-04 can't represent.
#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct TooNew {
    #[schemars(extend("if" = { "minimum": 1 }, "then" = { "maximum": 2 }))]
    x: f64,
}

/// Too new.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a06", name = "bad", plans(BadPlan))]
struct Bad;

/// Too new.
#[plan(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a07", name = "worse", create = Foreign<TooNew>)]
struct BadPlan;

#[broker(dynamic)]
struct Unservable(Bad);

#[test]
fn schemas_that_platforms_reject_are_start_errors() {
    let error: StartError = start::<Unservable>(|_| None).expect_err("it does not start");
    assert!(error.to_string().contains("worse") && error.to_string().contains("then"), "{error}");
}

#[test]
fn the_etag_depends_on_the_catalog() {
    let served = |secret: &'static str| start::<WithDashboard>(move |_| Some(secret.to_owned()));
    let (a, b, c) = (served("a"), served("a"), served("c"));
    let etag = |served: Result<Served, StartError>| served.expect("it starts").etag;
    let (a, b, c) = (etag(a), etag(b), etag(c));
    assert_eq!(a, b);
    assert_ne!(a, c);
}
