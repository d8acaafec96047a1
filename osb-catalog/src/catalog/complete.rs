//! The constant catalog, completed with values that are known only at start-up.

use std::{borrow::Cow, fmt};

use super::{EffectiveCatalog, Offering, ParametersInfo, defaults::check_defaults};
use crate::{
    json::Json,
    schema::{check_document, fill_foreign},
};

/// The error for a broker that can't be started. It contains all problems, not only the first one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartError {
    problems: Vec<String>,
    is_temporary: bool,
}

impl StartError {
    /// An error that lists problems.
    #[must_use]
    pub fn new(problems: Vec<String>) -> Self {
        Self { problems, is_temporary: false }
    }

    /// An error that another start may not have, such as that of an unreachable database.
    #[must_use]
    pub fn temporary(problem: String) -> Self {
        Self { problems: vec![problem], is_temporary: true }
    }

    /// Joins the problems of several errors. It is temporary if all of them are.
    #[must_use]
    pub fn join(errors: Vec<Self>) -> Self {
        let is_temporary = errors.iter().all(|error| error.is_temporary);
        Self { problems: errors.into_iter().flat_map(|error| error.problems).collect(), is_temporary }
    }

    /// Returns whether another start with the same program and configuration may succeed: the records can't be read.
    #[must_use]
    pub fn is_temporary(&self) -> bool {
        self.is_temporary
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

impl EffectiveCatalog {
    /// Returns the JSON of the catalog: `constant`, which is the JSON of a broker's offerings, with the overrides. `dynamic` is
    /// true if a schema is known only at run time, and `environment` returns the values of environment variables.
    ///
    /// # Errors
    ///
    /// If the secret of a dashboard client is not in the environment, a schema that is known only at run time breaks a rule, a
    /// type rejects its default, or a deployment lists no plans for a service that has only families.
    pub fn json(
        &self,
        constant: &'static [u8],
        dynamic: bool,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<Cow<'static, [u8]>, StartError> {
        let mut problems = Vec::new();
        for offering in self.offerings {
            if self.is_changed() && offering.plans.is_empty() {
                problems.push(without_plans(offering.name));
            }
            check_defaults(offering, &mut problems);
        }
        let has_secrets = self.offerings.iter().any(|offering| offering.dashboard_client.is_some());
        let json = if dynamic || has_secrets || self.is_changed() {
            assemble(self, constant, environment, &mut problems)?.into()
        } else {
            constant.into()
        };
        if problems.is_empty() { Ok(json) } else { Err(StartError::new(problems)) }
    }
}

fn without_plans(service: &str) -> String {
    format!(
        "service {service:?} has no plans (CAT-22): its families have none in this deployment; list them in the file of \
         catalog overrides (--catalog-overrides), `[services.{service}.plans.NAME]` with `family` and `id`"
    )
}

fn problem(text: String) -> StartError {
    StartError::new(vec![text])
}

fn assemble(
    shown: &EffectiveCatalog,
    constant: &'static [u8],
    environment: impl Fn(&str) -> Option<String>,
    problems: &mut Vec<String>,
) -> Result<Vec<u8>, StartError> {
    let mut catalog = Json::read(constant).map_err(|error| problem(error.to_string()))?;
    shown.patch(&mut catalog);
    for json in catalog["services"].as_array_mut().into_iter().flatten() {
        let Some(offering) = shown.offerings.iter().find(|offering| json["id"].as_str() == Some(offering.id)) else {
            continue;
        };
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
