//! The command `client`: sends the requests of a platform to any broker.

use clap::{ArgMatches, FromArgMatches};
use serde_json::json;

use super::{
    Failure,
    client_args::{ClientArgs, Command, Given, Offering},
    look_up::{self, did_you_mean},
    overview::{one_line, table},
    print, tell,
};
use osb_client::{
    Answer, Call, Catalog, CatalogPlan, CatalogService, Client, ClientError, Polling, Progress, State, guid,
};
use osb_docs::pretty;
use osb_runtime::json::Json;

pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let options = ClientArgs::from_arg_matches(matches)?;
    let platform = options.platform;
    let client = options.broker.client()?.user(platform.name(), &platform.user()).trace(options.trace.as_ref());
    super::blocking(async { Session { client, options: &options }.run().await })?
}

/// The result of a search for the service and the plan of an instance.
enum Found<'a> {
    Offering(Offered<'a>),
    /// The broker has no instance with the id, says this answer to a poll.
    NoInstance(Answer),
}

/// The service and the plan of an instance. The catalog shows neither hidden nor retired plans.
struct Offered<'a> {
    service_id: String,
    plan_id: String,
    service: Option<&'a CatalogService>,
    plan: Option<&'a CatalogPlan>,
    /// `true` if neither the user nor the broker has named the plan, but the catalog has no other one.
    is_assumed: bool,
}

impl<'a> Offered<'a> {
    fn of((service, plan): (&'a CatalogService, &'a CatalogPlan)) -> Self {
        let (service_id, plan_id) = (service.id.clone(), plan.id.clone());
        Self { service_id, plan_id, service: Some(service), plan: Some(plan), is_assumed: false }
    }

    /// Returns the plan of a fetched instance.
    fn fetched(catalog: &'a Catalog, instance: &Answer) -> Option<Self> {
        let id = |name: &str| instance.body[name].as_str().filter(|id| !id.is_empty()).map(str::to_owned);
        let (service_id, plan_id) = (id("service_id")?, id("plan_id")?);
        let service = catalog.services.iter().find(|service| service.id == service_id);
        let plan = service.and_then(|service| service.plans.iter().find(|plan| plan.id == plan_id));
        Some(Self { service_id, plan_id, service, plan, is_assumed: false })
    }
}

struct Session<'a> {
    client: Client,
    options: &'a ClientArgs,
}

fn fetch(instance: &str, binding: Option<&str>) -> Call {
    binding.map_or_else(|| Call::fetch_instance(instance), |binding| Call::fetch_binding(instance, binding))
}

/// Returns the request of an update. `to`: the plan to change to; `upgrade`: to the newest maintenance of the present one.
fn update(
    instance: &str,
    catalog: &Catalog,
    offered: &Offered<'_>,
    to: Option<&str>,
    upgrade: bool,
) -> Result<Call, Failure> {
    let target = match (to, offered.service) {
        (None, _) => None,
        (Some(to), Some(service)) => Some(plan_of(service, to)?),
        (Some(to), None) => Some(find(catalog, &offered.service_id, to)?.1),
    };
    let mut call = Call::update(instance, &offered.service_id);
    // Platforms always send the plan, even if it does not change (T27). A wrong one would change it.
    if target.is_some() || !offered.is_assumed {
        call = call.to_plan(target.map_or(&offered.plan_id, |target| &target.id));
    }
    let mut before = json!({ "service_id": offered.service_id });
    if !offered.is_assumed {
        before["plan_id"] = offered.plan_id.as_str().into();
        if let Some(version) = offered.plan.and_then(|plan| plan.maintenance.as_ref()) {
            before["maintenance_info"] = json!({ "version": version });
        }
    }
    call = call.field("previous_values", before);
    Ok(match target.or(offered.plan.filter(|_| upgrade)) {
        Some(newest) => with_maintenance(call, newest),
        None => call,
    })
}

pub(super) fn broken(error: ClientError) -> Failure {
    match error {
        ClientError::Unauthorized => Failure::Broken(format!(
            "{error}\n  give --username and --password (OSB_CLIENT_USERNAME, OSB_CLIENT_PASSWORD), or --token"
        )),
        ClientError::Unreachable { .. } => Failure::Broken(format!(
            "{error}\n  check that the broker is running, and its URL (for `client`: --url, OSB_CLIENT_URL)"
        )),
        ClientError::Version { .. } => Failure::Broken(format!("{error}\n  use another --api-version")),
        ClientError::Url { .. } => Failure::Usage(error.to_string()),
        ClientError::NoPlanOfParameters { ref wanted, ref known } => {
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            Failure::Usage(format!("{error}{}", did_you_mean(&known, wanted)))
        }
        error => Failure::of_request(&error, "", "OSB_CLIENT"),
    }
}

/// Returns the id that the user has given, or a new one, which is printed before the request: that may fail after the instance or
/// binding was made. Standard output is for the result.
fn given_or_new(kind: &str, given: Option<&str>) -> String {
    given.map_or_else(
        || {
            let id = guid();
            tell(&format!("{kind} {id}\n"));
            id
        },
        str::to_owned,
    )
}

impl Session<'_> {
    async fn run(&self) -> Result<(), Failure> {
        match &self.options.command {
            Command::Catalog => {
                let catalog = self.catalog().await?;
                if self.options.json { print(&indented(&catalog.text)) } else { print(&at_a_glance(&catalog)) }
            }
            Command::Provision { service, plan, instance, given } => {
                self.provision([service, plan], instance.as_deref(), given).await
            }
            Command::Fetch { instance, binding } => {
                let answer = self.send(&fetch(instance, binding.as_deref())).await?;
                print(&indented(&answer.text))
            }
            Command::Update { instance, plan: to, upgrade, given, service, from } => {
                let catalog = self.catalog().await?;
                let current = Offering { service: service.clone(), plan: from.clone() };
                let offered = self.offering(&catalog, instance, &current).await?;
                let call = update(instance, &catalog, &offered, to.as_deref(), *upgrade)?;
                let answer = self.complete(self.with_context(call, instance, given), offered.plan).await?;
                self.show(&answer, &describe_instance(&format!("instance {instance} updated"), &answer))
            }
            Command::Bind { instance, binding, rotate, given, offering } => {
                self.bind(instance, binding.as_deref(), rotate.as_deref(), given, offering).await
            }
            Command::Unbind { instance, binding, offering } => {
                let unbind = |service: &str, plan: &str| Call::unbind(instance, binding, service, plan);
                self.delete(unbind, instance, offering, &format!("binding {binding} of {instance}")).await
            }
            Command::Deprovision { instance, offering } => {
                let deprovision = |service: &str, plan: &str| Call::deprovision(instance, service, plan);
                self.delete(deprovision, instance, offering, &format!("instance {instance}")).await
            }
            Command::Poll { instance, binding, operation } => {
                let poll = Call::poll(instance, binding.as_deref());
                let poll = operation.iter().fold(poll, |poll, operation| poll.ask("operation", operation));
                let answer = self.send(&poll).await?;
                let state = answer.body["state"].as_str().unwrap_or("no state");
                let description = answer.description().map(|text| format!(": {text}")).unwrap_or_default();
                self.show(&answer, &(one_line(&format!("{state}{description}")) + "\n"))
            }
        }
    }

    async fn provision(
        &self,
        [service, plan]: [&str; 2],
        instance: Option<&str>,
        given: &Given,
    ) -> Result<(), Failure> {
        let catalog = self.catalog().await?;
        let (service, plan) = find(&catalog, service, plan)?;
        let instance = given_or_new("instance", instance);
        let call = Call::provision(&instance, &service.id, &plan.id);
        let call = self.with_context(with_maintenance(call, plan), &instance, given);
        let answer = self.complete(call, Some(plan)).await?;
        let what = format!("instance {instance} of {} {}", service.name, plan.name);
        self.show(&answer, &describe_instance(&what, &answer))
    }

    async fn bind(
        &self,
        instance: &str,
        binding: Option<&str>,
        predecessor: Option<&str>,
        given: &Given,
        offering: &Offering,
    ) -> Result<(), Failure> {
        let catalog = self.catalog().await?;
        let offered = self.offering(&catalog, instance, offering).await?;
        let binding = given_or_new("binding", binding);
        let call = Call::bind(instance, &binding, &offered.service_id, &offered.plan_id);
        let call = predecessor.into_iter().fold(call, Call::predecessor);
        let mut answer = self.complete(self.with_context(call, instance, given), offered.plan).await?;
        if answer.status == 202 && !self.options.no_wait {
            answer = self.send(&fetch(instance, Some(&binding))).await?;
        }
        print(&indented(&answer.text))
    }

    async fn catalog(&self) -> Result<Catalog, Failure> {
        self.client.catalog().await.map_err(broken)
    }

    /// Adds the platform's context and the parameters.
    fn with_context(&self, call: Call, instance: &str, given: &Given) -> Call {
        let mut call = self.options.platform.dress(call, instance);
        if let Some(context) = &self.options.context {
            call = call.context(context.clone());
        }
        given.parameters.iter().fold(call, |call, parameters| call.parameters(parameters.clone()))
    }

    async fn send(&self, call: &Call) -> Result<Answer, Failure> {
        self.client.send(call).await.and_then(Answer::success).map_err(broken)
    }

    /// Sends a request, polls until the operation ends, and prints its progress to standard error.
    async fn complete(&self, call: Call, plan: Option<&CatalogPlan>) -> Result<Answer, Failure> {
        let call = if self.options.synchronous { call } else { call.accepts_incomplete() };
        if self.options.no_wait {
            let answer = self.client.send(&call).await.map_err(broken)?;
            let was_gone = call.method == http::Method::DELETE && answer.status == 410;
            return if was_gone { Ok(answer) } else { answer.success().map_err(broken) };
        }
        let mut polling = Polling::default().every(self.options.poll_every);
        if let Some(longest) = plan.and_then(|plan| plan.maximum_polling_duration) {
            polling = polling.at_most(longest);
        }
        let mut last = None;
        let print_progress = |progress: &Progress| {
            // The texts of failures that repeat differ in the identity of the request.
            let failure = progress.failure.as_ref().map(std::mem::discriminant);
            let news = Some((progress.state, progress.description.clone(), failure));
            // The failure of the operation is the error of the command.
            if news != last && progress.state != State::Failed {
                tell(&format!("{progress}\n"));
                last = news;
            }
        };
        let outcome = self.client.clone().polling(polling).complete(&call, print_progress).await.map_err(broken)?;
        Ok(outcome.answer)
    }

    /// Deletes an instance, or a binding of it, by a request with its service and plan.
    async fn delete(
        &self,
        call: impl FnOnce(&str, &str) -> Call,
        instance: &str,
        offering: &Offering,
        what: &str,
    ) -> Result<(), Failure> {
        let catalog = self.catalog().await?;
        let offered = match self.known_offering(&catalog, instance, offering).await? {
            Found::Offering(offered) => offered,
            // Platforms count that as a success, too.
            Found::NoInstance(answer) => return self.show(&answer, &format!("{what} does not exist\n")),
        };
        let answer = self.complete(call(&offered.service_id, &offered.plan_id), offered.plan).await?;
        let done = match answer.status.as_u16() {
            202 if self.options.no_wait => "is being deleted",
            // Platforms count that as a success, too.
            410 => "does not exist",
            _ => "deleted",
        };
        self.show(&answer, &format!("{what} {done}\n"))
    }

    /// Returns the service and the plan of an instance, which a request needs that changes it.
    async fn offering<'c>(
        &self,
        catalog: &'c Catalog,
        instance: &str,
        given: &Offering,
    ) -> Result<Offered<'c>, Failure> {
        match self.known_offering(catalog, instance, given).await? {
            Found::Offering(offered) => Ok(offered),
            Found::NoInstance(_) => Err(Failure::Broken(format!("the instance {instance} does not exist"))),
        }
    }

    /// Returns the service and the plan of an instance: those given, or those of the fetched instance, or the only ones.
    async fn known_offering<'c>(
        &self,
        catalog: &'c Catalog,
        instance: &str,
        given: &Offering,
    ) -> Result<Found<'c>, Failure> {
        if let (Some(service), Some(plan)) = (&given.service, &given.plan) {
            return find(catalog, service, plan).map(|found| Found::Offering(Offered::of(found)));
        }
        let fetched = self.client.send(&Call::fetch_instance(instance)).await.map_err(broken)?;
        if let Some(offered) = Offered::fetched(catalog, &fetched) {
            return Ok(Found::Offering(offered));
        }
        // Where all instances can be fetched, and no operation is known either, this one does not exist. One that is being
        // created is answered 404, too.
        if fetched.status == 404 && catalog.services.iter().all(|service| service.instances_retrievable) {
            let polled = self.client.send(&Call::poll(instance, None)).await.map_err(broken)?;
            if [404, 410].contains(&polled.status.as_u16()) {
                return Ok(Found::NoInstance(polled));
            }
        }
        if let [service] = catalog.services.as_slice()
            && let [plan] = service.plans.as_slice()
        {
            return Ok(Found::Offering(Offered { is_assumed: true, ..Offered::of((service, plan)) }));
        }
        let status = fetched.status;
        // Such as 422 while an operation runs: the reason is in the response.
        if status != 404
            && let Err(error) = fetched.success()
        {
            return Err(broken(error).with_advice("give --service and --plan, which the broker does not return now"));
        }
        Err(Failure::Usage(format!(
            "the broker does not return the service and the plan of {instance} ({status}); give --service and --plan"
        )))
    }

    fn show(&self, answer: &Answer, text: &str) -> Result<(), Failure> {
        if self.options.json { print(&indented(&answer.text)) } else { print(text) }
    }
}

/// Formats JSON of a broker for reading; `null` if it is not JSON.
fn indented(text: &str) -> String {
    pretty(&Json::read(text.as_bytes()).unwrap_or_default().to_string())
}

/// Adds the maintenance version of the catalog, as Cloud Foundry does.
fn with_maintenance(call: Call, plan: &CatalogPlan) -> Call {
    plan.maintenance.iter().fold(call, |call, version| call.field("maintenance_info", json!({ "version": version })))
}

fn describe_instance(what: &str, answer: &Answer) -> String {
    let operation = answer.operation().filter(|_| answer.status == 202).map(|text| format!("operation: {text}"));
    let dashboard = answer.body["dashboard_url"].as_str().map(|url| format!("dashboard: {url}"));
    let lines = [Some(what.to_owned()), dashboard, operation];
    lines.iter().flatten().map(|line| one_line(line) + "\n").collect()
}

fn find<'a>(catalog: &'a Catalog, service: &str, plan: &str) -> Result<(&'a CatalogService, &'a CatalogPlan), Failure> {
    let names = |service: &'a CatalogService| [service.name.as_str(), service.id.as_str()];
    let found = look_up::find(&catalog.services, names, "service", service, "")?;
    Ok((found, plan_of(found, plan)?))
}

fn plan_of<'a>(service: &'a CatalogService, plan: &str) -> Result<&'a CatalogPlan, Failure> {
    let names = |plan: &'a CatalogPlan| [plan.name.as_str(), plan.id.as_str()];
    look_up::find(&service.plans, names, "plan", plan, &format!(" of service {}", service.name))
}

pub(super) fn at_a_glance(catalog: &Catalog) -> String {
    let yes = |flag: bool| if flag { "yes" } else { "no" }.to_owned();
    let mut rows = vec![["SERVICE", "PLAN", "FREE", "BINDABLE", "DESCRIPTION"].map(str::to_owned)];
    for service in &catalog.services {
        rows.extend(service.plans.iter().map(|plan| {
            let (name, free, bindable) = (plan.name.clone(), yes(plan.free), yes(plan.bindable));
            [service.name.clone(), name, free, bindable, plan.description.clone()]
        }));
    }
    table(&rows)
}
