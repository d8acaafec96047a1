//! The command `client`: a platform on the command line, for any broker.

use std::io::Write as _;

use clap::{ArgMatches, FromArgMatches};
use serde_json::json;

use super::{
    Failure,
    client_args::{ClientArgs, Command, Given, What},
    look_up::nearest,
    overview::table,
    print,
};
use osb_client::{Answer, Call, Catalog, CatalogPlan, CatalogService, Client, ClientError, Polling, Progress, guid};
use osb_docs::pretty;
use osb_runtime::json::Json;

pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let options = ClientArgs::from_arg_matches(matches).map_err(|error| Failure::Usage(error.to_string()))?;
    let platform = options.platform;
    let client = options.at.client()?.user(platform.name(), &platform.user());
    super::blocking(async { Asking { client, options: &options }.ask().await })?
}

struct Asking<'a> {
    client: Client,
    options: &'a ClientArgs,
}

fn fetch(instance: &str, binding: Option<&str>) -> Call {
    binding.map_or_else(|| Call::fetch_instance(instance), |binding| Call::fetch_binding(instance, binding))
}

pub(super) fn broken(error: ClientError) -> Failure {
    match error {
        ClientError::Unauthorized => Failure::Broken(format!(
            "{error}\n  give --username and --password (OSB_CLIENT_USERNAME, OSB_CLIENT_PASSWORD), or --token"
        )),
        ClientError::Unreachable { .. } => {
            Failure::Broken(format!("{error}\n  --url (OSB_CLIENT_URL) says where it is"))
        }
        ClientError::Version { .. } => Failure::Broken(format!("{error}\n  --api-version says which one to speak")),
        ClientError::Url { .. } => Failure::Usage(error.to_string()),
        error => Failure::Broken(error.to_string()),
    }
}

impl Asking<'_> {
    async fn ask(&self) -> Result<(), Failure> {
        match &self.options.command {
            Command::Catalog => {
                let catalog = self.client.catalog().await.map_err(broken)?;
                if self.options.json { print(&indented(&catalog.text)) } else { print(&at_a_glance(&catalog)) }
            }
            Command::Provision { service, plan, instance, given } => {
                let catalog = self.client.catalog().await.map_err(broken)?;
                let (service, plan) = find(&catalog, service, plan)?;
                let instance = instance.clone().unwrap_or_else(guid);
                let call = Call::provision(&instance, &service.id, &plan.id);
                let call = self.dressed(maintained(call, plan), &instance, given);
                let answer = self.complete(call, Some(plan)).await?;
                let what = format!("instance {instance} of {} {}", service.name, plan.name);
                self.show(&answer, &said_of_instance(&what, &answer))
            }
            Command::Fetch { instance, binding } => {
                let answer = self.plain(&fetch(instance, binding.as_deref())).await?;
                print(&indented(&answer.text))
            }
            Command::Update { instance, to, upgrade, given, what } => {
                let catalog = self.client.catalog().await.map_err(broken)?;
                let (service, plan) = self.what(&catalog, instance, what).await?;
                let target = to.as_ref().map(|to| plan_of(service, to)).transpose()?;
                // Platforms always say the plan, whether or not it changes (T27).
                let mut call = Call::update(instance, &service.id).to_plan(&target.unwrap_or(plan).id);
                let mut before = json!({ "service_id": service.id, "plan_id": plan.id });
                if let Some(version) = &plan.maintenance {
                    before["maintenance_info"] = json!({ "version": version });
                }
                call = call.field("previous_values", before);
                if *upgrade || target.is_some() {
                    call = maintained(call, target.unwrap_or(plan));
                }
                let answer = self.complete(self.dressed(call, instance, given), Some(plan)).await?;
                self.show(&answer, &said_of_instance(&format!("instance {instance} updated"), &answer))
            }
            Command::Bind { instance, binding, rotate, given, what } => {
                let catalog = self.client.catalog().await.map_err(broken)?;
                let (service, plan) = self.what(&catalog, instance, what).await?;
                let binding = binding.clone().unwrap_or_else(guid);
                let mut call = Call::bind(instance, &binding, &service.id, &plan.id);
                if let Some(predecessor) = rotate {
                    call = call.field("predecessor_binding_id", predecessor.as_str().into());
                }
                let mut answer = self.complete(self.dressed(call, instance, given), Some(plan)).await?;
                if answer.status == 202 && !self.options.no_wait {
                    answer = self.plain(&fetch(instance, Some(&binding))).await?;
                }
                let made = format!("binding {binding} of {instance}\n{}", pretty(&answer.body.to_string()));
                self.show(&answer, &made)
            }
            Command::Unbind { instance, binding, what } => {
                let catalog = self.client.catalog().await.map_err(broken)?;
                let (service, plan) = self.what(&catalog, instance, what).await?;
                let call = Call::unbind(instance, binding, &service.id, &plan.id);
                self.delete(call, plan, &format!("binding {binding} of {instance}")).await
            }
            Command::Deprovision { instance, what } => {
                let catalog = self.client.catalog().await.map_err(broken)?;
                let (service, plan) = self.what(&catalog, instance, what).await?;
                let call = Call::deprovision(instance, &service.id, &plan.id);
                self.delete(call, plan, &format!("instance {instance}")).await
            }
            Command::Poll { instance, binding, operation } => {
                let poll = Call::poll(instance, binding.as_deref());
                let poll = operation.iter().fold(poll, |poll, operation| poll.ask("operation", operation));
                let answer = self.plain(&poll).await?;
                let state = answer.body["state"].as_str().unwrap_or("without a state");
                let description = answer.description().map(|text| format!(": {text}")).unwrap_or_default();
                self.show(&answer, &format!("{state}{description}\n"))
            }
        }
    }

    /// With what the platform and the user say.
    fn dressed(&self, call: Call, instance: &str, given: &Given) -> Call {
        let mut call = self.options.platform.dress(call, instance);
        if let Some(context) = &self.options.context {
            call = call.context(context.clone());
        }
        given.parameters.iter().fold(call, |call, parameters| call.parameters(parameters.clone()))
    }

    async fn plain(&self, call: &Call) -> Result<Answer, Failure> {
        self.client.send(call).await.and_then(Answer::success).map_err(broken)
    }

    /// Sends what may go on after the answer, and tells on standard error how it goes.
    async fn complete(&self, call: Call, plan: Option<&CatalogPlan>) -> Result<Answer, Failure> {
        let call = if self.options.synchronous { call } else { call.accepts_incomplete() };
        if self.options.no_wait {
            return self.plain(&call).await;
        }
        let mut polling = Polling::default().every(self.options.poll_every);
        if let Some(longest) = plan.and_then(|plan| plan.maximum_polling_duration) {
            polling = polling.at_most(longest);
        }
        let mut said = String::new();
        let tell = |progress: &Progress| {
            let line = progress.to_string();
            if line != said {
                // Nobody is left to hear that nobody listens.
                let _ = writeln!(std::io::stderr(), "{line}");
                said = line;
            }
        };
        let outcome = self.client.clone().polling(polling).complete(&call, tell).await.map_err(broken)?;
        if outcome.was_gone {
            return Err(Failure::Broken("the broker said 410 Gone: there is nothing to delete".to_owned()));
        }
        Ok(outcome.answer)
    }

    async fn delete(&self, call: Call, plan: &CatalogPlan, what: &str) -> Result<(), Failure> {
        let answer = self.complete(call, Some(plan)).await?;
        let goes_on = answer.status == 202 && self.options.no_wait;
        self.show(&answer, &format!("{what} {}\n", if goes_on { "is being deleted" } else { "deleted" }))
    }

    /// What an instance is: as the user says, as there is only one plan, or as the broker says.
    async fn what<'c>(
        &self,
        catalog: &'c Catalog,
        instance: &str,
        said: &What,
    ) -> Result<(&'c CatalogService, &'c CatalogPlan), Failure> {
        if let (Some(service), Some(plan)) = (&said.service, &said.plan) {
            return find(catalog, service, plan);
        }
        if let [service] = catalog.services.as_slice()
            && let [plan] = service.plans.as_slice()
        {
            return Ok((service, plan));
        }
        let fetched = self.client.send(&Call::fetch_instance(instance)).await.map_err(broken)?;
        let id = |name: &str| fetched.body[name].as_str().unwrap_or_default();
        catalog.find(id("service_id"), id("plan_id")).ok_or_else(|| {
            Failure::Usage(format!(
                "the broker does not say of which service and plan {instance} is ({}); give --service and --plan",
                fetched.status
            ))
        })
    }

    fn show(&self, answer: &Answer, said: &str) -> Result<(), Failure> {
        if self.options.json { print(&indented(&answer.text)) } else { print(said) }
    }
}

/// A broker's JSON for people; `null` if it isn't JSON.
fn indented(text: &str) -> String {
    pretty(&Json::read(text.as_bytes()).unwrap_or_default().to_string())
}

/// With the version that the catalog has, as Cloud Foundry says it.
fn maintained(call: Call, plan: &CatalogPlan) -> Call {
    plan.maintenance.iter().fold(call, |call, version| call.field("maintenance_info", json!({ "version": version })))
}

fn said_of_instance(what: &str, answer: &Answer) -> String {
    let operation = answer.operation().filter(|_| answer.status == 202).map(|text| format!("operation: {text}\n"));
    let dashboard = answer.body["dashboard_url"].as_str().map(|url| format!("dashboard: {url}\n"));
    format!("{what}\n{}{}", dashboard.unwrap_or_default(), operation.unwrap_or_default())
}

fn find<'a>(catalog: &'a Catalog, service: &str, plan: &str) -> Result<(&'a CatalogService, &'a CatalogPlan), Failure> {
    let known = |one: &&CatalogService| one.name == service || one.id == service;
    let found = catalog.services.iter().find(known).ok_or_else(|| {
        let names: Vec<&str> = catalog.services.iter().map(|service| service.name.as_str()).collect();
        missing("service", service, "", &names)
    })?;
    Ok((found, plan_of(found, plan)?))
}

fn plan_of<'a>(service: &'a CatalogService, plan: &str) -> Result<&'a CatalogPlan, Failure> {
    service.plan(plan).ok_or_else(|| {
        let names: Vec<&str> = service.plans.iter().map(|plan| plan.name.as_str()).collect();
        missing("plan", plan, &format!(" of service {}", service.name), &names)
    })
}

fn missing(what: &str, wanted: &str, of: &str, known: &[&str]) -> Failure {
    let near = nearest(known, wanted).map(|near| format!("\n  did you mean {near}?")).unwrap_or_default();
    Failure::Usage(format!("there is no {what} {wanted:?}{of}; there is {}{near}", known.join(", ")))
}

fn at_a_glance(catalog: &Catalog) -> String {
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
