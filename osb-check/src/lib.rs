//! Any broker, held against the rules of the specification.
//!
//! A [`Checker`] is a platform that leads instances and bindings of each plan through their lives, as a platform of a
//! given version would, and sends besides what a broker has to refuse. What the broker does wrong is in its [`Report`],
//! by the ids of the [rules](crate::rules). It is the command `check` of every broker that is built with the feature, and
//! a call for an author's own tests:
//!
//! ```
//! use osb_runtime::{check::Checker, client::Client};
//! # use osb_runtime::{http::{BrokerService, Credentials, HttpSettings}, service::Broker};
//! # async fn example<B: Broker>(broker: B) -> Result<(), Box<dyn std::error::Error>> {
//! let credentials = Credentials::basic("platform", "secret")?;
//! let service = BrokerService::start(broker, credentials, HttpSettings::default()).await?;
//! let report = Checker::new(Client::over(service).basic("platform", "secret")).run().await?;
//! assert!(report.is_clean(), "{report}");
//! # Ok(()) }
//! ```
//!
//! **It makes what it checks**: a few instances and bindings of each plan, which it deletes in the end, also if it is
//! interrupted. Whatever they cost is spent. What it could not delete is in [`Report::left_behind`].
//!
//! # What is sent
//!
//! For each plan: an instance created with and without `accepts_incomplete`, the same again, another one with the same
//! id, fetched, updated, moved to each other plan, and deleted, twice; and in it a binding likewise, rotated if the plan
//! says that it can be; and another instance that is deleted before its binding is. What is answered 202 is asked for
//! again while it goes on. Parameters are made from the plan's schemas, examples and defaults first, and so are parameters
//! that the schemas refuse; [`Checker::parameters`] is for plans whose schemas do not say enough. Once, with the first
//! plan: wrong credentials, versions and bodies, and services, plans, instances and bindings that there are not.
//!
//! Each answer is also held against what its endpoint may say at all: statuses, headers, the fields of the body.
//!
//! A rule that is a MUST (NOT), or says how something optional is done, makes an error; SHOULD (NOT) and RECOMMENDED make
//! warnings. With [`Checker::platform`] there are also errors by what that platform refuses although the specification
//! allows it, such as `CF-12`.
//!
//! Nothing is found fault with that the specification leaves to the broker. Where it matters when something is asked, as
//! with "while it goes on", it counts only if a poll says afterwards that it still goes on.
//!
//! # What it finds in other brokers
//!
//! In November 2026 it was tried with a broker of openbrokerapi 4.7.3 (Python, with Flask 3.1.3), which has two plans, one
//! of them asynchronous, and was written in 90 lines by the library's own documentation, with care for repeats, conflicts
//! and parameters. As a platform of version 2.17 it found, in 141 requests:
//!
//! | rule | what |
//! | --- | --- |
//! | ERR-01 | `X-Broker-API-Version: latest` is answered 500. |
//! | PROV-15 | Instances are made without `organization_guid` or `space_guid` if the context has them, and with a number for `service_id`; a text for `parameters` reaches the broker's code, and made this one fail with 500. |
//! | PROV-03 | Instances are made of a service that there is not; only the plan is looked at. |
//! | LOI-06 | A poll for an instance that there never was is answered 410, as if a deletion had succeeded. |
//! | HDR-05 | The identity of a request is not in its answer (a warning). |
//!
//! All the rest was right: statuses, repeats, conflicts, AsyncRequired with the sentence that Kubernetes compares, polls,
//! credentials, and bodies that are no JSON. The library says that it is for version 2.13 and newer; as a platform of
//! version 2.14 on Kubernetes, whose context has no guids, it found less: ERR-01, PROV-03, and PROV-15 for the number and
//! the text.

mod bindings;
mod instances;
#[doc(hidden)]
pub mod judge;
mod parameters;
mod refusals;
mod report;
mod requests;
pub mod rules;
mod session;
mod updates;

use std::{collections::BTreeMap, time::Duration};

use serde_json::Value;
use tokio_util::sync::CancellationToken;

pub use report::{Finding, Report, Severity, Unchecked};

use osb_client::{Call, Catalog, CatalogPlan, CatalogService, Client, ClientError, Platform};
use osb_runtime::protocol::ApiVersion;
use parameters::Samples;
use session::{Session, Stop};

/// What parameters are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Operation {
    /// A new instance.
    Create,
    /// An update of an instance.
    Update,
    /// A new binding.
    Bind,
}

/// A platform that checks a broker.
#[derive(Debug, Clone)]
#[must_use = "`run` does it"]
pub struct Checker {
    client: Client,
    settings: Settings,
}

#[derive(Debug, Clone)]
struct Settings {
    version: ApiVersion,
    platform: Option<Platform>,
    service: Option<String>,
    plan: Option<String>,
    only: Vec<String>,
    skip: Vec<String>,
    parameters: BTreeMap<(String, String, Operation), Vec<Value>>,
    pause: Duration,
    longest: Duration,
    stop: CancellationToken,
    /// What the broker offers, once that is known.
    catalog: Option<Catalog>,
}

impl Checker {
    /// Checks the broker of a client, which has its credentials.
    pub fn new(client: Client) -> Self {
        let settings = Settings {
            version: ApiVersion::LATEST,
            platform: None,
            service: None,
            plan: None,
            only: Vec::new(),
            skip: Vec::new(),
            parameters: BTreeMap::new(),
            pause: Duration::from_secs(1),
            longest: Duration::from_hours(1),
            stop: CancellationToken::new(),
            catalog: None,
        };
        Self { client, settings }
    }

    /// Behaves as a platform of this version; the default is the newest.
    pub fn version(mut self, version: ApiVersion) -> Self {
        self.settings.version = version;
        self
    }

    /// Behaves as this platform, and also reports what it refuses although the specification allows it. Without one,
    /// requests look like Cloud Foundry's.
    pub fn platform(mut self, platform: Platform) -> Self {
        self.settings.platform = Some(platform);
        self
    }

    /// Checks the plans of one service only, by name or id.
    pub fn service(mut self, service: &str) -> Self {
        self.settings.service = Some(service.to_owned());
        self
    }

    /// Checks plans with this name or id only.
    pub fn plan(mut self, plan: &str) -> Self {
        self.settings.plan = Some(plan.to_owned());
        self
    }

    /// Reports breaches of this rule, and of others that are named so, only. What is sent stays the same.
    pub fn only(mut self, rule: &str) -> Self {
        self.settings.only.push(rule.to_owned());
        self
    }

    /// Does not report breaches of this rule.
    pub fn skip(mut self, rule: &str) -> Self {
        self.settings.skip.push(rule.to_owned());
        self
    }

    /// Gives parameters for an operation, in place of those that are made from the schema; service and plan by name.
    /// Given twice, the second ones are those of a request that differs from the first.
    pub fn parameters(mut self, service: &str, plan: &str, operation: Operation, parameters: Value) -> Self {
        let of = (service.to_owned(), plan.to_owned(), operation);
        self.settings.parameters.entry(of).or_default().push(parameters);
        self
    }

    /// The pause between two polls, unless the broker asks for a longer one; the default is 1 s.
    pub fn poll_every(mut self, pause: Duration) -> Self {
        self.settings.pause = pause;
        self
    }

    /// For how long an operation is polled at most, unless its plan says less; the default is an hour.
    pub fn at_most(mut self, longest: Duration) -> Self {
        self.settings.longest = longest;
        self
    }

    /// Stops the check when the future ends, and deletes what was created. Has to be called within a tokio runtime, where
    /// the future runs.
    pub fn until(self, stop: impl Future<Output = ()> + Send + 'static) -> Self {
        let token = self.settings.stop.clone();
        tokio::spawn(async move {
            stop.await;
            token.cancel();
        });
        self
    }

    /// Checks the broker, and deletes what was made for it.
    ///
    /// # Errors
    ///
    /// If there is no catalog to begin with, or nothing in it of what is to be checked.
    pub async fn run(mut self) -> Result<Report, ClientError> {
        let platform = self.settings.platform.unwrap_or_default();
        let mut client = self.client.version(self.settings.version);
        if self.settings.version >= ApiVersion::new(2, 13) {
            client = client.user(platform.name(), &platform.user());
        }
        let catalog = client.catalog().await?;
        self.settings.catalog = Some(catalog.clone());
        let settings = self.settings;
        let chosen = settings.chosen(&catalog);
        if chosen.is_empty() && !catalog.services.is_empty() {
            return Err(ClientError::NoPlan { known: names(&catalog) });
        }

        let mut session = Session::new(&settings, client);
        session.try_to("ask for the catalog");
        // Asked again, as the first answer was not held against anything.
        let first = session.ask(&Call::catalog()).await;
        let mut stopped = first.is_err();
        for (number, (service, plan)) in chosen.iter().enumerate() {
            if stopped {
                break;
            }
            session.of = Some((service, plan));
            if number == 0 {
                stopped = tell(&mut session, Requests, service, plan).await;
            }
            if !stopped {
                stopped = tell(&mut session, Life, service, plan).await;
            }
            session.clean_up().await;
        }
        session.of = None;
        if !stopped {
            same_ids(&mut session, &catalog).await;
        }
        Ok(session.report)
    }
}

/// The ids that findings can have.
pub fn rule_ids() -> impl Iterator<Item = &'static str> {
    rules::RULES.iter().map(|rule| rule.id).chain(refusals::REFUSALS.iter().map(|refusal| refusal.id))
}

enum Part {
    Requests,
    Life,
}
use Part::{Life, Requests};

/// Does a part of the check, and says whether that was the last one.
async fn tell<'a>(session: &mut Session<'a>, part: Part, service: &'a CatalogService, plan: &'a CatalogPlan) -> bool {
    let done = match part {
        Requests => requests::check(session, service, plan).await,
        Life => instances::check(session, service, plan).await,
    };
    match done {
        Ok(()) => false,
        Err(Stop::Unchecked(why)) => {
            session.unchecked(why);
            false
        }
        Err(Stop::Asked) => {
            session.unchecked("it was interrupted");
            true
        }
    }
}

/// Ids stay what they are from one catalog to the next.
async fn same_ids(session: &mut Session<'_>, before: &Catalog) {
    session.try_to("ask for the catalog again");
    let Ok(exchange) = session.ask(&Call::catalog()).await else { return };
    let Some(after) = Catalog::read(exchange.answer.body.clone()) else { return };
    let ids = |catalog: &Catalog| -> Vec<(String, String)> {
        let plans = catalog.services.iter().flat_map(|service| {
            let own = std::iter::once((service.name.clone(), service.id.clone()));
            own.chain(service.plans.iter().map(|plan| (format!("{}/{}", service.name, plan.name), plan.id.clone())))
        });
        plans.collect()
    };
    let (before, after) = (ids(before), ids(&after));
    let changed = before.iter().find(|(name, id)| after.iter().any(|(known, new)| known == name && new != id));
    let expected = format!("the same ids as before, and {} has another", changed.map_or("none", |(name, _)| name));
    session.demand(changed.is_none(), "CAT-03", &expected, &exchange);
}

fn names(catalog: &Catalog) -> Vec<String> {
    let of = |service: &CatalogService| -> Vec<String> {
        service.plans.iter().map(|plan| format!("{}/{}", service.name, plan.name)).collect()
    };
    catalog.services.iter().flat_map(of).collect()
}

impl Settings {
    /// The plans to be checked, with their services.
    fn chosen<'a>(&self, catalog: &'a Catalog) -> Vec<(&'a CatalogService, &'a CatalogPlan)> {
        let is = |wanted: &Option<String>, name: &str, id: &str| {
            wanted.as_ref().is_none_or(|wanted| wanted == name || wanted == id)
        };
        let services = catalog.services.iter().filter(|service| is(&self.service, &service.name, &service.id));
        let plans = services.flat_map(|service| service.plans.iter().map(move |plan| (service, plan)));
        plans.filter(|(_, plan)| is(&self.plan, &plan.name, &plan.id)).collect()
    }

    fn catalog_services(&self) -> impl Iterator<Item = &CatalogService> {
        self.catalog.iter().flat_map(|catalog| &catalog.services)
    }
}

impl Session<'_> {
    /// Parameters for an operation, as they were given or as the schema is.
    fn samples(&self, service: &CatalogService, plan: &CatalogPlan, operation: Operation) -> Result<Samples, Stop> {
        // Before 2.5 there were none.
        if !self.since(5) {
            return Ok(Samples::default());
        }
        let (word, schema) = match operation {
            Operation::Create => ("create", &plan.schemas.create),
            Operation::Update => ("update", &plan.schemas.update),
            Operation::Bind => ("bind", &plan.schemas.bind),
        };
        let of = (service.name.clone(), plan.name.clone(), operation);
        let given = self.settings.parameters.get(&of).map_or([].as_slice(), Vec::as_slice);
        match (given, Samples::of(schema.as_ref())) {
            ([], Some(made)) => Ok(made),
            ([], None) => Err(Stop::Unchecked(format!(
                "no parameters can be made from the schema; give some by `--parameters '{}/{}/{word}={{...}}'`",
                service.name, plan.name
            ))),
            ([good, rest @ ..], made) => {
                let bad = made.map(|made| made.bad).unwrap_or_default();
                Ok(Samples { good: Some(good.clone()), other: rest.first().cloned(), bad })
            }
        }
    }
}
