//! The catalog that is served: the constant, completed with values that are known only at start-up.

use std::fmt;

use bytes::Bytes;
use http::HeaderValue;
use sha2::{Digest, Sha256};

use super::{EffectiveCatalog, Offering, ParametersInfo, defaults::check_defaults};
use crate::{
    json::Json,
    schema::{check_document, fill_foreign},
};

/// The error for a broker that can't be started. It contains all problems, not only the first one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartError {
    problems: Vec<String>,
}

impl StartError {
    /// An error that lists problems.
    #[must_use]
    pub fn new(problems: Vec<String>) -> Self {
        Self { problems }
    }

    /// Returns the problems, each with its remedy.
    #[must_use]
    pub fn problems(&self) -> &[String] {
        &self.problems
    }
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problems.join("\n"))
    }
}

impl std::error::Error for StartError {}

/// The catalog's JSON and its `ETag`.
#[derive(Debug, Clone)]
pub struct Served {
    /// The catalog's JSON.
    pub json: Bytes,
    /// Its `ETag`.
    pub etag: HeaderValue,
}

impl Served {
    /// Completes the catalog of a broker: `constant` is its [`CATALOG`](crate::service::Broker::CATALOG), `dynamic` its
    /// [`DYNAMIC`](crate::service::Broker::DYNAMIC), and `environment` returns the values of environment variables.
    ///
    /// # Errors
    ///
    /// If the secret of a dashboard client is not in the environment, or a schema that only the running program knows
    /// breaks a rule.
    pub fn new(
        shown: &EffectiveCatalog,
        constant: &'static [u8],
        dynamic: bool,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, StartError> {
        let mut problems = Vec::new();
        for offering in shown.offerings {
            check_defaults(offering, &mut problems);
        }
        let has_secrets = shown.offerings.iter().any(|offering| offering.dashboard_client.is_some());
        let json = if dynamic || has_secrets || shown.is_changed() {
            assemble(shown, constant, environment, &mut problems)?.into()
        } else {
            Bytes::from_static(constant)
        };
        if !problems.is_empty() {
            return Err(StartError { problems });
        }
        let digest = Sha256::digest(&json);
        let etag: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        let etag = HeaderValue::try_from(format!("\"{etag}\"")).map_err(|error| problem(error.to_string()))?;
        Ok(Self { json, etag })
    }
}

fn problem(text: String) -> StartError {
    StartError { problems: vec![text] }
}

fn assemble(
    shown: &EffectiveCatalog,
    constant: &'static [u8],
    environment: impl Fn(&str) -> Option<String>,
    problems: &mut Vec<String>,
) -> Result<Vec<u8>, StartError> {
    let mut catalog = Json::read(constant).map_err(|error| problem(error.to_string()))?;
    shown.patch(&mut catalog);
    for (offering, json) in shown.in_catalog().into_iter().zip(catalog["services"].as_array_mut().into_iter().flatten())
    {
        if let Some(client) = &offering.dashboard_client {
            match environment(client.secret_env).filter(|secret| !secret.trim().is_empty()) {
                Some(secret) => {
                    if let Some(client) = json["dashboard_client"].as_object_mut() {
                        // After `id`, the order in the specification.
                        client.insert_before(|name| name != "id", "secret", secret);
                    }
                }
                None => problems.push(format!(
                    "the environment variable {} is not set; it holds the secret of the dashboard client of service {:?}",
                    client.secret_env, offering.name
                )),
            }
        }
        fill_schemas(offering, json, problems);
    }
    Ok(catalog.to_string().into_bytes())
}

/// Inserts the schemas that are known only at run time, and checks them.
fn fill_schemas(offering: &Offering, json: &mut Json, problems: &mut Vec<String>) {
    let shown = offering.plans.iter().filter(|plan| !plan.spec.retired);
    for (plan, json) in shown.zip(json["plans"].as_array_mut().into_iter().flatten()) {
        let all: [(&str, &str, Option<ParametersInfo>); 3] = [
            ("service_instance", "create", plan.create),
            ("service_instance", "update", plan.update),
            ("service_binding", "create", plan.bind),
        ];
        for (of, operation, parameters) in all {
            let Some(parameters) = parameters.filter(|parameters| parameters.json.is_empty()) else { continue };
            let document = fill_foreign(parameters.schema);
            if let Err(found) = check_document(&document) {
                problems.extend(found.into_iter().map(|found| {
                    format!("the schema {of}.{operation} of plan {:?} of {:?}: {found}", plan.spec.name, offering.name)
                }));
            }
            json["schemas"][of][operation]["parameters"] = document;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{EffectiveCatalog, Served, StartError};
    use crate::{prelude::*, service::Broker};
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

    #[broker]
    struct WithDashboard(Kv);

    #[broker(dynamic)]
    struct Dynamic(Other);

    fn start<B: Broker>(environment: impl Fn(&str) -> Option<String>) -> Result<Served, StartError> {
        Served::new(&EffectiveCatalog::unchanged(B::OFFERINGS), B::CATALOG, B::DYNAMIC, environment)
    }

    fn catalog(served: &Served) -> Value {
        serde_json::from_slice(&served.json).expect("it is JSON")
    }

    #[test]
    fn the_secret_of_a_dashboard_client_comes_from_the_environment() {
        assert!(!WithDashboard::CATALOG_JSON.contains("secret"), "the secret is not part of the program");
        let environment = |name: &str| (name == "KV_SECRET").then(|| "hush".to_owned());
        let served = start::<WithDashboard>(environment).expect("it starts");
        let client =
            r#""dashboard_client":{"id":"kv-dashboard","secret":"hush","redirect_uri":"https://kv.example.com"}"#;
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
}
