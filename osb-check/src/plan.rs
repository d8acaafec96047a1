//! The plan under test, its parameters, and the requests that name it.

use std::fmt;

use serde_json::{Value, json};

use super::{
    GivenParameters, SchemaKind,
    parameters::Samples,
    session::{Session, Stop},
};
use osb_client::{Call, CatalogPlan, CatalogService, guid};

/// A plan under test, with its service.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlanUnderTest<'a> {
    pub(super) service: &'a CatalogService,
    pub(super) plan: &'a CatalogPlan,
}

impl fmt::Display for PlanUnderTest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.service.name, self.plan.name)
    }
}

impl PlanUnderTest<'_> {
    /// Returns the other plans of the service.
    pub(super) fn others(self) -> impl Iterator<Item = Self> {
        let others = self.service.plans.iter().filter(move |other| other.id != self.plan.id);
        others.map(move |plan| Self { plan, ..self })
    }

    pub(super) fn provision(self, instance: &str) -> Call {
        Call::provision(instance, &self.service.id, &self.plan.id)
    }

    pub(super) fn deprovision(self, instance: &str) -> Call {
        Call::deprovision(instance, &self.service.id, &self.plan.id)
    }

    /// Builds the request that deletes what a request creates.
    pub(super) fn deletion_of(self, call: &Call) -> Call {
        Call::deletion_of(call, &self.service.id, &self.plan.id)
    }

    /// Builds a request for an instance with the catalog's maintenance version, as Cloud Foundry sends it.
    pub(super) fn put(self, session: &Session<'_>, instance: &str, parameters: Option<&Value>) -> Call {
        let call = session.dressed(self.provision(instance), instance);
        let call = parameters.into_iter().fold(call, |call, parameters| call.parameters(parameters.clone()));
        match &self.plan.maintenance {
            Some(version) if session.since(15) => call.field("maintenance_info", json!({ "version": version })),
            _ => call,
        }
    }

    /// Creates another instance of the plan, and returns its id; `None` if the broker does not create it.
    pub(super) async fn another(
        self,
        session: &mut Session<'_>,
        parameters: Option<&Value>,
    ) -> Result<Option<String>, Stop> {
        let instance = guid();
        let made = session.ask_waiting(self.put(session, &instance, parameters)).await?;
        Ok(session.finish(&made).await?.then_some(instance))
    }

    /// Returns parameters for an operation: the given ones, or else ones generated from the schema.
    pub(super) fn samples(self, session: &Session<'_>, operation: SchemaKind) -> Result<Samples, Stop> {
        // Platforms before 2.5 send no parameters.
        if !session.since(5) {
            return Ok(Samples::default());
        }
        let Self { service, plan } = self;
        let (word, schema) = match operation {
            SchemaKind::Create => ("create", &plan.schemas.create),
            SchemaKind::Update => ("update", &plan.schemas.update),
            SchemaKind::Bind => ("bind", &plan.schemas.bind),
        };
        let is_of = |given: &&GivenParameters| {
            let is_service = [&service.name, &service.id].contains(&&given.service);
            is_service && [&plan.name, &plan.id].contains(&&given.plan) && given.operation == operation
        };
        let given: Vec<_> = session.settings.parameters.iter().filter(is_of).map(|given| &given.parameters).collect();
        match (given.as_slice(), Samples::of(schema.as_ref())) {
            ([], Some(made)) => Ok(made),
            ([], None) => Err(Stop::Unchecked(format!(
                "cannot generate parameters from the schema; provide them with `--parameters '{self}/{word}={{...}}'`"
            ))),
            ([good, rest @ ..], made) => {
                let bad = made.map(|made| made.bad).unwrap_or_default();
                let other = rest.iter().copied().find(|other| other != good).cloned();
                Ok(Samples { good: Some((*good).clone()), other, bad })
            }
        }
    }
}
