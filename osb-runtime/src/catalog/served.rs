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
#[path = "../../tests/unit/served.rs"]
mod tests;
