//! The catalog as it is served: the constant, with what only the running program knows put in.

use std::fmt;

use bytes::Bytes;
use http::HeaderValue;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{Offering, ParametersInfo};
use crate::{
    schema::{check_document, fill_foreign},
    service::Broker,
};

/// What stands in the way of serving a broker: everything that is wrong, not only the first of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartError {
    problems: Vec<String>,
}

impl StartError {
    /// Each problem, with what to do about it.
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

/// The catalog's bytes and what identifies them.
#[derive(Debug, Clone)]
pub(crate) struct Served {
    pub(crate) json: Bytes,
    pub(crate) etag: HeaderValue,
}

impl Served {
    /// The catalog of `B`; `environment` gives the values of environment variables.
    pub(crate) fn new<B: Broker>(environment: impl Fn(&str) -> Option<String>) -> Result<Self, StartError> {
        let complete = !B::DYNAMIC && B::OFFERINGS.iter().all(|offering| offering.dashboard_client.is_none());
        let json = if complete { Bytes::from_static(B::CATALOG) } else { assemble::<B>(environment)?.into() };
        let digest = Sha256::digest(&json);
        let etag: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        let etag = HeaderValue::try_from(format!("\"{etag}\"")).map_err(|error| problem(error.to_string()))?;
        Ok(Self { json, etag })
    }
}

fn problem(text: String) -> StartError {
    StartError { problems: vec![text] }
}

fn assemble<B: Broker>(environment: impl Fn(&str) -> Option<String>) -> Result<Vec<u8>, StartError> {
    let mut problems = Vec::new();
    let mut catalog: Value = serde_json::from_slice(B::CATALOG).map_err(|error| problem(error.to_string()))?;
    for (offering, json) in B::OFFERINGS.iter().zip(catalog["services"].as_array_mut().into_iter().flatten()) {
        if let Some(client) = &offering.dashboard_client {
            match environment(client.secret_env).filter(|secret| !secret.trim().is_empty()) {
                Some(secret) => json["dashboard_client"]["secret"] = Value::String(secret),
                None => problems.push(format!(
                    "the environment variable {} is not set; it holds the secret of the dashboard client of service {:?}",
                    client.secret_env, offering.name
                )),
            }
        }
        fill_schemas(offering, json, &mut problems);
    }
    if problems.is_empty() { Ok(catalog.to_string().into_bytes()) } else { Err(StartError { problems }) }
}

/// Puts in the schemas that are not in the constant, each held against the rules that the constant ones obey.
fn fill_schemas(offering: &Offering, json: &mut Value, problems: &mut Vec<String>) {
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
