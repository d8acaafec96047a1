//! The life of an instance of a plan.

use serde_json::{Value, json};

use super::{
    Operation, bindings,
    parameters::Samples,
    session::{Ending, Exchange, Session, Stop},
    updates,
};
use osb_client::{Call, CatalogPlan, CatalogService, Payload, guid};

/// What is known of an instance.
pub(super) struct Life<'a> {
    pub(super) service: &'a CatalogService,
    /// The plan that the instance has by now.
    pub(super) plan: &'a CatalogPlan,
    pub(super) instance: String,
    create: Samples,
    /// Whether anything was answered 202.
    asynchronous: bool,
}

/// Leads an instance of a plan through its life.
pub(super) async fn check<'a>(
    session: &mut Session<'a>,
    service: &'a CatalogService,
    plan: &'a CatalogPlan,
) -> Result<(), Stop> {
    session.try_to("create an instance");
    let create = session.samples(service, plan, Operation::Create)?;
    let mut life = Life { service, plan, instance: guid(), create, asynchronous: false };
    if session.since(7) {
        synchronously(session, &life).await?;
    }
    refusals(session, &life).await?;

    let Some(made) = create_one(session, &mut life).await? else { return Ok(()) };
    repeats(session, &life, &made).await?;
    let shown = fetch(session, &life, &made).await?;
    updates::check(session, &life).await?;
    if plan.bindable {
        bindings::check(session, &life).await?;
    }
    updates::change_plan(session, &mut life, shown.as_ref()).await?;
    if life.plan.bindable {
        bindings::leave_one(session, &life).await?;
    }
    delete(session, &life).await
}

impl Life<'_> {
    fn put(&self, session: &Session<'_>, instance: &str, parameters: Option<&Value>) -> Call {
        new_instance(session, self.service, self.plan, instance, parameters)
    }
}

/// A request for an instance, with the maintenance that the catalog has, as Cloud Foundry sends it.
pub(super) fn new_instance(
    session: &Session<'_>,
    service: &CatalogService,
    plan: &CatalogPlan,
    instance: &str,
    parameters: Option<&Value>,
) -> Call {
    let mut call = session.dressed(Call::provision(instance, &service.id, &plan.id), instance);
    if let Some(parameters) = parameters {
        call = call.parameters(parameters.clone());
    }
    match &plan.maintenance {
        Some(version) if session.since(15) => call.field("maintenance_info", json!({ "version": version })),
        _ => call,
    }
}

/// What a platform that can wait adds.
pub(super) fn waiting(session: &Session<'_>, call: Call, since: u32) -> Call {
    if session.since(since) { call.accepts_incomplete() } else { call }
}

/// A request whose body lacks a field.
pub(super) fn without(call: &Call, field: &str) -> Call {
    let mut call = call.clone();
    if let Payload::Json(Value::Object(fields)) = &mut call.payload {
        fields.remove(field);
    }
    call
}

/// An instance that is made and deleted while the platform waits for the answers, or is said to be asynchronous.
async fn synchronously(session: &mut Session<'_>, life: &Life<'_>) -> Result<(), Stop> {
    session.try_to("create an instance without accepts_incomplete");
    let instance = guid();
    let call = life.put(session, &instance, life.create.good.as_ref());
    let made = session.ask(&call).await?;
    match made.status() {
        202 => drop(session.follow(&made).await?),
        200 => drop(session.demand_status(&[201], "PROV-10", &made)),
        // It may be asynchronous only; what else is wrong shows when it is tried again, and can be said then.
        _ if !made.is_success() => return Ok(()),
        _ => {}
    }
    session.try_to("delete an instance without accepts_incomplete");
    let call = Call::deprovision(&instance, &life.service.id, &life.plan.id);
    let gone = session.ask(&call).await?;
    if gone.has_code("AsyncRequired") {
        return session.delete(&call, 7).await.map(drop);
    }
    session.demand_status(&[200], "DEP-04", &gone);
    Ok(())
}

/// What cannot be made, each of it with an id of its own.
async fn refusals(session: &mut Session<'_>, life: &Life<'_>) -> Result<(), Stop> {
    for (what, bad) in &life.create.bad {
        session.try_to(format!("create an instance with parameters that the schema refuses, {what}"));
        let call = waiting(session, life.put(session, &guid(), Some(bad)), 7);
        let exchange = session.ask(&call).await?;
        session.demand_refusal("PROV-07", &exchange);
    }
    if life.plan.maintenance.is_some() && session.since(15) {
        session.try_to("create an instance with a maintenance_info.version that the plan does not have");
        let call = waiting(session, life.put(session, &guid(), life.create.good.as_ref()), 7);
        let call = call.field("maintenance_info", json!({ "version": updates::NO_VERSION }));
        let exchange = session.ask(&call).await?;
        let right = exchange.has_code("MaintenanceInfoConflict");
        session.demand(right, "PROV-08", "422 MaintenanceInfoConflict", &exchange);
    }
    Ok(())
}

async fn create_one(session: &mut Session<'_>, life: &mut Life<'_>) -> Result<Option<Exchange>, Stop> {
    session.try_to("create an instance");
    let call = waiting(session, life.put(session, &life.instance, life.create.good.as_ref()), 7);
    let made = session.ask(&call).await?;
    match made.status() {
        202 => {
            life.asynchronous = true;
            session.try_to("create an instance, while it is being created");
            let again = session.ask(&call).await?;
            let other = other(session, life);
            let conflict = match &other {
                Some(other) => Some(session.ask(&waiting(session, other.clone(), 7)).await?),
                None => None,
            };
            let fetch = life.service.instances_retrievable && session.since(14);
            let fetched = if fetch { Some(session.ask(&Call::fetch_instance(&life.instance)).await?) } else { None };
            if session.goes_on(&made).await? {
                session.same_operation("PROV-13", &made, &again);
                if let Some(conflict) = conflict {
                    let right = conflict.status() == 409 || conflict.has_code("ConcurrencyError");
                    session.demand(right, "PROV-14", "409 for other attributes", &conflict);
                }
                if let Some(fetched) = fetched {
                    session.demand_status(&[404], "GETI-05", &fetched);
                }
            }
            session.try_to("create an instance");
            if let Ending::Failed(why) = session.follow(&made).await? {
                return Err(Stop::Unchecked(format!("it failed: {why}")));
            }
            if session.since(16) {
                session.try_to("poll again after the end");
                let polled = session.poll(&made).await?;
                session.demand(polled.answer.body["state"] == "succeeded", "LOI-09", "the same again", &polled);
            }
        }
        201 => {}
        200 => drop(session.demand_status(&[201, 202], "PROV-10", &made)),
        // A platform of this version cannot have what is only asynchronous.
        _ if made.has_code("AsyncRequired") && !session.since(7) => return Ok(None),
        _ => return Err(Stop::Unchecked(format!("the broker said {made}; `--parameters` may give others"))),
    }
    Ok(Some(made))
}

/// A request that differs from that of the instance in what nobody can overlook: the parameters, or else the plan.
fn other(session: &Session<'_>, life: &Life<'_>) -> Option<Call> {
    if let Some(other) = &life.create.other {
        return Some(life.put(session, &life.instance, Some(other)));
    }
    let plan = life.service.plans.iter().find(|plan| plan.id != life.plan.id)?;
    let create = session.samples(life.service, plan, Operation::Create).ok()?;
    Some(new_instance(session, life.service, plan, &life.instance, create.good.as_ref()))
}

/// The same request again, as it was, as it may be written, and with a difference.
async fn repeats(session: &mut Session<'_>, life: &Life<'_>, made: &Exchange) -> Result<(), Stop> {
    session.try_to("create the same instance again");
    let again = session.ask(&made.call).await?;
    session.demand_status(&[200], "PROV-11", &again);
    if again.is_success() {
        session.try_to("create the same instance again, with a field that is not specified");
        let more = made.call.clone().field("osb_check_unknown", json!({ "nested": [1, null] }));
        let more = session.ask(&more).await?;
        session.demand(more.status() == again.status(), "EXT-01", "the same answer as without", &more);
        session.try_to("create the same instance again, with its id percent-encoded");
        let encoded = session.ask(&spelt_otherwise(&made.call)).await?;
        session.demand(encoded.status() == again.status(), "URL-01", "the same answer as otherwise", &encoded);
    }
    if let Some(other) = other(session, life) {
        session.try_to("create another instance with the same id");
        let conflict = session.ask(&waiting(session, other, 7)).await?;
        session.demand_status(&[409], "PROV-14", &conflict);
        if conflict.status() == 202 {
            session.follow(&conflict).await?;
        }
    }
    Ok(())
}

/// The same request, whose path means the same and is written otherwise: a letter or digit is encoded.
fn spelt_otherwise(call: &Call) -> Call {
    let (before, last) = call.path.rsplit_once('/').unwrap_or_default();
    let first = last.bytes().next().unwrap_or(b'-');
    Call { path: format!("{before}/%{first:02X}{}", &last[1..]), ..call.clone() }
}

/// What the broker says of the instance, if it can.
async fn fetch(session: &mut Session<'_>, life: &Life<'_>, made: &Exchange) -> Result<Option<Exchange>, Stop> {
    if !(life.service.instances_retrievable && session.since(14)) {
        return Ok(None);
    }
    session.try_to("fetch the instance");
    let fetched = session.ask(&Call::fetch_instance(&life.instance)).await?;
    if !session.demand_status(&[200], "GETI-01", &fetched) {
        return Ok(None);
    }
    for (name, id) in [("service_id", &life.service.id), ("plan_id", &life.plan.id)] {
        let said = &fetched.answer.body[name];
        session.demand(said.is_null() || said == id.as_str(), "GETI-04", &format!("its own {name}"), &fetched);
    }
    let url = |exchange: &Exchange| exchange.answer.body["dashboard_url"].as_str().map(str::to_owned);
    let first = url(&fetched).is_none() || url(made).is_some();
    session.demand(first, "PROV-16", "a dashboard_url that was in the first answer", &fetched);
    Ok(Some(fetched))
}

impl Session<'_> {
    /// The same request again while its work goes on: 202 with the same operation.
    pub(super) fn same_operation(&mut self, rule: &'static str, first: &Exchange, again: &Exchange) {
        if self.demand_status(&[202], rule, again) && self.since(14) {
            let (first, second) = (first.answer.operation(), again.answer.operation());
            self.demand(first == second, rule, &format!("the operation of the first answer, {first:?}"), again);
        }
    }

    /// Deletes something as platforms do, and follows it.
    pub(super) async fn delete(&mut self, call: &Call, waits_since: u32) -> Result<Exchange, Stop> {
        let rule = if call.path.contains("/service_bindings/") { "UNB-03" } else { "DEP-04" };
        let call = waiting(self, call.clone(), waits_since);
        let begun = self.ask(&call).await?;
        if begun.status() == 202 {
            let again = self.ask(&call).await?;
            if self.goes_on(&begun).await? {
                self.same_operation(rule, &begun, &again);
            }
            if let Ending::Failed(why) = self.follow(&begun).await? {
                return Err(Stop::Unchecked(format!("it failed: {why}")));
            }
        } else if !self.demand_status(&[200, 202], rule, &begun) {
            return Err(Stop::Unchecked(format!("the broker said {begun}")));
        }
        Ok(begun)
    }
}

async fn delete(session: &mut Session<'_>, life: &Life<'_>) -> Result<(), Stop> {
    session.try_to("delete the instance without service_id and plan_id");
    let call = Call::deprovision(&life.instance, &life.service.id, &life.plan.id);
    let bare = Call { query: Vec::new(), ..call.clone() };
    let exchange = session.ask(&waiting(session, bare, 7)).await?;
    session.demand_status(&[400], "DEP-03", &exchange);
    if exchange.status() == 202 {
        session.follow(&exchange).await?;
    }
    if !exchange.is_success() {
        session.try_to("delete the instance");
        session.delete(&call, 7).await?;
    }
    session.try_to("delete the instance again");
    let again = session.ask(&waiting(session, call, 7)).await?;
    session.demand_status(&[410], "DEP-04", &again);
    if again.status() == 202 {
        session.follow(&again).await?;
    }
    if life.service.instances_retrievable && session.since(14) {
        session.try_to("fetch the instance that was deleted");
        let fetched = session.ask(&Call::fetch_instance(&life.instance)).await?;
        session.demand_status(&[404], "GETI-05", &fetched);
    }
    if life.asynchronous && session.since(16) {
        session.try_to("poll an instance that there never was");
        let polled = session.ask(&Call::poll(&guid(), None)).await?;
        session.demand_status(&[404], "LOI-06", &polled);
    }
    Ok(())
}
