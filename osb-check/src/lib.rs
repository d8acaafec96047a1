//! Checks any broker for conformance with the Open Service Broker API specification.
//!
//! A [`Checker`] acts as a platform of a given version: it takes instances and bindings of each plan through their whole
//! lifecycle, and also sends requests that a broker must refuse. Its [`Report`] lists violations by the ids of the
//! [`rules`]. It is available as the command `check` of every broker built with the feature, and as a
//! function for an author's own tests:
//!
//! ```
//! use osb_check::Checker;
//! use osb_client::Client;
//! # use osb_runtime::{http::{BrokerService, AcceptedCredentials, HttpSettings}, service::Broker};
//! # async fn example<B: Broker>(broker: B) -> Result<(), Box<dyn std::error::Error>> {
//! let credentials = AcceptedCredentials::basic("platform", "secret")?;
//! let service = BrokerService::start(broker, credentials, HttpSettings::default()).await?;
//! let report = Checker::new(Client::over(service).basic("platform", "secret")).run().await?;
//! assert!(report.is_clean(), "{report}");
//! # Ok(()) }
//! ```
//!
//! **The check creates real resources**: a few instances and bindings of each plan. It deletes them at the end, even if it
//! is interrupted, but costs that they caused are spent. [`Report::left_behind`] lists those that it failed to delete.
//!
//! # Requests
//!
//! For each plan: an instance is created with and without `accepts_incomplete`, created again with the same and with
//! different attributes, fetched, updated, changed to each other plan, and deleted twice. A binding of it goes through the
//! same, next to a second one, and is rotated if the plan is `binding_rotatable`. Another instance is deleted before its
//! binding, and another one while it is being created. A request that is answered 202 is repeated while its operation
//! continues, and one that is answered 429, for example by a gateway in front of the broker, after a pause. After a refused
//! creation, the check makes sure that nothing was created. Valid and invalid parameters are
//! generated from the plan's schemas, preferring examples and defaults; [`Checker::parameters`] is for plans whose schemas are
//! not specific enough. Once, with the first plan: wrong credentials, versions, identities, content types and bodies, unknown
//! services, plans, instances and bindings, a conditional request for the catalog if it has an entity tag, and 20 requests for
//! the same instance or binding at the same time, equal and different ones.
//!
//! Each response is also validated against the statuses, headers and body fields that its endpoint allows.
//!
//! The check reports only rules that the version of the platform has. Violations of a MUST (NOT) are errors, and so are
//! mistakes in an optional feature; SHOULD (NOT) and RECOMMENDED cause warnings. With [`Checker::platform`], behaviour that
//! this platform refuses although the specification allows it is an error too, such as `CF-12`.
//!
//! Choices that the specification leaves to the broker are never reported. A response that depends on an operation being in
//! progress is judged only if a later poll confirms that the operation was still in progress.
//!
//! # Measured
//!
//! A test broker, 1,100 lines of Python that were written without this check, can have one of 417 planted faults, and behave in
//! 74 unusual ways. 45 of the faults break no rule. A fault counts for a version if platforms of that version can notice it:
//! before 2.13 they have no schemas of parameters, and before 2.14 they fetch nothing and bind synchronously. The broker then
//! behaves as one of that version: without later fields, endpoints and codes. In November 2026, with operations of 60 ms:
//!
//! | version | faults | found |
//! | --- | --: | --: |
//! | 2.3 | 106 | 106 |
//! | 2.8 | 173 | 170 |
//! | 2.12 | 193 | 190 |
//! | 2.14 | 300 | 300 |
//! | 2.15 | 334 | 334 |
//! | 2.16 | 360 | 360 |
//! | 2.17 | 372 | 372 |
//!
//! A finding is any error or warning; at 2.17, 27 faults cause warnings only. Five of the faults end the check with a message, because
//! there is no catalog or no version to continue with. Missed before 2.14, where nothing can be fetched: an update that is
//! answered 200 before it is done, or polled as succeeded before it is; at 2.8 also 201 for an instance that is still being created,
//! and at 2.12 a broker that forgets an ended operation at once, which no rule of that version forbids.
//!
//! The unusual behaviours raised no false alarm at any version from 2.2 to 2.17; two with a `Retry-After`, which take long, were measured
//! at 2.17 only. Errors without a body, which do violate rules, are not counted, nor are the two warnings since 2.12 about
//! 409 for each repeated request, where a SHOULD demands 200.
//!
//! # Results for another broker
//!
//! In November 2026 the check ran against a broker written with openbrokerapi 4.7.3 (Python, with Flask 3.1.3): 90 lines with
//! two plans, one of them asynchronous, written according to the library's documentation, with attention to repeated requests,
//! conflicts and parameters. As a platform of version 2.17 it reported, after 141 requests:
//!
//! | rule | finding |
//! | --- | --- |
//! | ERR-01 | `X-Broker-API-Version: latest` is answered 500. |
//! | PROV-15 | Instances are created without `organization_guid` or `space_guid` if the context has them, and with a number as `service_id`; a string as `parameters` reaches the broker's code, and caused a 500. |
//! | PROV-03 | Instances of an unknown service are created; only the plan is validated. |
//! | LOI-06 | A poll for an instance that never existed is answered 410, as if a deletion had succeeded. |
//! | HDR-05 | The response does not repeat the request identity (a warning). |
//!
//! Everything else was right: statuses, repeated requests, conflicts, `AsyncRequired` with the description that Kubernetes
//! compares, polls, credentials, and bodies that are not JSON. The library supports version 2.13 and newer; as a platform
//! of version 2.14 on Kubernetes, whose context has no guids, the check reported less: ERR-01, PROV-03, and PROV-15 for
//! the number and the string.

mod bindings;
mod creations;
mod deletions;
mod headers;
mod instances;
mod interruptions;
pub mod judge;
mod parameters;
mod plan;
mod races;
mod refusals;
mod report;
mod requests;
mod rotations;
pub mod rules;
mod session;
mod updates;

use std::{collections::BTreeSet, fmt, sync::Arc, time::Duration};

use serde_json::Value;
use tokio_util::sync::CancellationToken;

pub use report::{Finding, Report, SentRequest, Severity, Unchecked};

use osb_client::{Call, Catalog, Client, ClientError, Platform};
use osb_runtime::protocol::ApiVersion;
use plan::PlanUnderTest;
use session::{Exchange, Session, Stop};

/// The operation to which parameters belong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SchemaKind {
    /// Creating an instance.
    Create,
    /// Updating an instance.
    Update,
    /// Creating a binding.
    Bind,
}

/// A configurable conformance check of a broker.
#[derive(Debug, Clone)]
#[must_use = "call `run` to start the check"]
pub struct Checker {
    client: Client,
    settings: CheckSettings,
}

#[derive(Debug, Clone)]
struct CheckSettings {
    version: ApiVersion,
    platform: Option<Platform>,
    service: Option<String>,
    plan: Option<String>,
    only: Vec<String>,
    skip: Vec<String>,
    fail_fast: bool,
    parameters: Vec<GivenParameters>,
    pause: Duration,
    longest: Duration,
    stop: CancellationToken,
    progress: ProgressFn,
}

/// Parameters of an operation; service and plan are given by name or id.
#[derive(Debug, Clone)]
struct GivenParameters {
    service: String,
    plan: String,
    operation: SchemaKind,
    parameters: Value,
}

/// A function that is called with the plan and the name of each step.
type OnStep = dyn Fn(&str, &str) + Send + Sync;

#[derive(Clone)]
struct ProgressFn(Arc<OnStep>);

impl fmt::Debug for ProgressFn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProgressFn")
    }
}

impl Checker {
    /// Creates a check of the broker that the client connects to. The client needs the broker's credentials.
    pub fn new(client: Client) -> Self {
        let settings = CheckSettings {
            version: ApiVersion::LATEST,
            platform: None,
            service: None,
            plan: None,
            only: Vec::new(),
            skip: Vec::new(),
            fail_fast: false,
            parameters: Vec::new(),
            pause: Duration::from_secs(1),
            longest: Duration::from_hours(1),
            stop: CancellationToken::new(),
            progress: ProgressFn(Arc::new(|_, _| {})),
        };
        Self { client, settings }
    }

    /// Acts as a platform of this version; the default is the latest.
    pub fn version(mut self, version: ApiVersion) -> Self {
        self.settings.version = version;
        self
    }

    /// Acts as this platform, and also reports behaviour that it refuses although the specification allows it. By default,
    /// requests look like those of Cloud Foundry, without these extra findings.
    pub fn platform(mut self, platform: Platform) -> Self {
        self.settings.platform = Some(platform);
        self
    }

    /// Checks only the plans of this service, given by name or id.
    pub fn service(mut self, service: &str) -> Self {
        self.settings.service = Some(service.to_owned());
        self
    }

    /// Checks only plans with this name or id.
    pub fn plan(mut self, plan: &str) -> Self {
        self.settings.plan = Some(plan.to_owned());
        self
    }

    /// Reports only violations of this rule, and of others given to this method. The requests stay the same.
    pub fn only(mut self, rule: &str) -> Self {
        self.settings.only.push(rule.to_owned());
        self
    }

    /// Does not report violations of this rule.
    pub fn skip(mut self, rule: &str) -> Self {
        self.settings.skip.push(rule.to_owned());
        self
    }

    /// Stops the check at the first violation that is reported as an error, and deletes the created resources.
    pub fn fail_fast(mut self) -> Self {
        self.settings.fail_fast = true;
        self
    }

    /// Sets the parameters of an operation, instead of those generated from the schema; service and plan are given by
    /// name or id. A second call for the same operation sets the different parameters that a conflicting request uses.
    pub fn parameters(mut self, service: &str, plan: &str, operation: SchemaKind, parameters: Value) -> Self {
        let (service, plan) = (service.to_owned(), plan.to_owned());
        self.settings.parameters.push(GivenParameters { service, plan, operation, parameters });
        self
    }

    /// Sets the pause between two polls, unless the broker asks for a longer one; the default is 1 s.
    pub fn poll_every(mut self, pause: Duration) -> Self {
        self.settings.pause = pause;
        self
    }

    /// Sets the maximum time to poll an operation, unless its plan sets a shorter one; the default is an hour.
    pub fn at_most(mut self, longest: Duration) -> Self {
        self.settings.longest = longest;
        self
    }

    /// Stops the check when the future ends, and deletes the created resources. Has to be called within a tokio runtime, where
    /// the future runs.
    pub fn until(self, stop: impl Future<Output = ()> + Send + 'static) -> Self {
        let token = self.settings.stop.clone();
        tokio::spawn(async move {
            stop.await;
            token.cancel();
        });
        self
    }

    /// Calls a function with the plan and the name of each step when it begins, such as `kv/free` and `create an instance`; the
    /// plan is empty if the step concerns no plan in particular.
    pub fn on_step(mut self, report: impl Fn(&str, &str) + Send + Sync + 'static) -> Self {
        self.settings.progress = ProgressFn(Arc::new(report));
        self
    }

    /// Runs the check, and deletes the resources that it created.
    ///
    /// # Errors
    ///
    /// If the catalog cannot be fetched, has none of the plans to check, or lacks a plan for which parameters are given; and if
    /// [`only`](Self::only) or [`skip`](Self::skip) name a rule that does not exist, before anything is sent.
    pub async fn run(self) -> Result<Report, ClientError> {
        // With a misspelt rule, `only` would never report anything.
        let settings = self.settings;
        let mut named = settings.only.iter().chain(&settings.skip);
        if let Some(wanted) = named.find(|rule| !rule_ids().any(|known| known == rule.as_str())) {
            return Err(ClientError::NoRule { wanted: wanted.clone() });
        }
        let platform = settings.platform.unwrap_or_default();
        let mut client = self.client.version(settings.version);
        if settings.version >= ApiVersion::new(2, 13) {
            client = client.user(platform.name(), &platform.user());
        }
        let catalog = client.catalog().await?;
        let chosen = settings.chosen(&catalog);
        let is_absent = |of: &&GivenParameters| catalog.find(&of.service, &of.plan).is_none();
        if catalog.services.iter().all(|service| service.plans.is_empty()) {
            // A finding says so.
        } else if chosen.is_empty() {
            return Err(ClientError::NoPlan { known: names(&catalog) });
        } else if let Some(of) = settings.parameters.iter().find(is_absent) {
            let wanted = format!("{}/{}", of.service, of.plan);
            return Err(ClientError::NoPlanOfParameters { wanted, known: names(&catalog) });
        }

        let mut session = Session::new(&settings, client, &catalog);
        note(everything(&mut session, &chosen).await, &mut session);
        session.under_test = None;
        Ok(session.report)
    }
}

/// Checks the catalog, and the chosen plans one after the other.
async fn everything<'a>(session: &mut Session<'a>, chosen: &[PlanUnderTest<'a>]) -> Result<(), Stop> {
    session.try_to("fetch the catalog again");
    // The first response was not validated.
    let fetched = session.ask(&Call::catalog()).await?;
    if !same_ids(session, &fetched) {
        return Err(Stop::Unchecked("the ids change from one catalog to the next".to_owned()));
    }
    for (number, of) in chosen.iter().copied().enumerate() {
        session.under_test = Some(of);
        if number == 0 {
            // For these, one plan is enough.
            note(headers::check(session, of).await, session);
            note(headers::conditions(session, &fetched).await, session);
            note(requests::check(session, of).await, session);
            note(races::check(session, of).await, session);
        }
        note(instances::check(session, of).await, session);
        session.clean_up().await;
        if session.has_ended {
            return Ok(());
        }
    }
    session.under_test = None;
    let fetched = session.try_to("fetch the catalog again").ask(&Call::catalog()).await?;
    same_ids(session, &fetched);
    Ok(())
}

/// Returns the ids that findings can have.
pub fn rule_ids() -> impl Iterator<Item = &'static str> {
    rules::RULES.iter().map(|rule| rule.id).chain(refusals::REFUSALS.iter().map(|refusal| refusal.id))
}

/// Checks that ids stay the same from one catalog to the next.
fn same_ids(session: &mut Session<'_>, exchange: &Exchange) -> bool {
    let Some(after) = Catalog::read(exchange.answer.body.clone()) else { return true };
    let ids = |catalog: &Catalog| -> Vec<(String, String)> {
        let plans = catalog.services.iter().flat_map(|service| {
            let own = std::iter::once((service.name.clone(), service.id.clone()));
            own.chain(service.plans.iter().map(|plan| (format!("{}/{}", service.name, plan.name), plan.id.clone())))
        });
        plans.collect()
    };
    let (before, after) = (ids(session.catalog), ids(&after));
    // A name that occurs twice doesn't say which id is whose; it is reported as such.
    let ids_of = |catalog: &[(String, String)], name: &str| -> BTreeSet<String> {
        catalog.iter().filter(|(known, _)| known == name).map(|(_, id)| id.clone()).collect()
    };
    let changed = before.iter().find(|(name, _)| {
        let now = ids_of(&after, name);
        !now.is_empty() && now != ids_of(&before, name)
    });
    let expected = format!("the same ids as before; the id of {} changed", changed.map_or("none", |(name, _)| name));
    session.demand(changed.is_none(), "CAT-03", &expected, exchange)
}

/// Returns all plans of a catalog.
fn plans(catalog: &Catalog) -> impl Iterator<Item = PlanUnderTest<'_>> {
    catalog.services.iter().flat_map(|service| service.plans.iter().map(move |plan| PlanUnderTest { service, plan }))
}

fn names(catalog: &Catalog) -> Vec<String> {
    plans(catalog).map(|plan| plan.to_string()).collect()
}

impl CheckSettings {
    /// Returns the plans to check.
    fn chosen<'a>(&self, catalog: &'a Catalog) -> Vec<PlanUnderTest<'a>> {
        let is = |wanted: &Option<String>, name: &str, id: &str| {
            wanted.as_ref().is_none_or(|wanted| wanted == name || wanted == id)
        };
        let is_chosen = |of: &PlanUnderTest<'_>| {
            is(&self.service, &of.service.name, &of.service.id) && is(&self.plan, &of.plan.name, &of.plan.id)
        };
        plans(catalog).filter(is_chosen).collect()
    }
}

/// Records why a part of the check ended early, if it did.
fn note(checked: Result<(), Stop>, session: &mut Session<'_>) {
    match checked {
        Ok(()) => {}
        Err(Stop::Unchecked(why)) => session.unchecked(why),
        Err(Stop::Ended(_)) if session.has_ended => {}
        Err(Stop::Ended(why)) => {
            session.has_ended = true;
            session.unchecked(why);
        }
    }
}
