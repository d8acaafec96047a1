//! Checks updates of an instance: parameters, maintenance, context, plan.

use serde_json::json;

use super::{
    SchemaKind,
    instances::{InstanceUnderTest, waiting, without},
    session::{Ending, Exchange, Session, Stop},
};
use osb_client::{Call, guid};

/// A version that no plan has.
pub(super) const NO_VERSION: &str = "0.0.0-osb.check.has.no.such.version";

impl Session<'_> {
    /// Sends an update, polls its operation, and returns whether it succeeded.
    async fn patch(&mut self, call: Call) -> Result<(Exchange, bool), Stop> {
        let call = waiting(self, call, 7);
        let begun = self.ask(&call).await?;
        if begun.status() != 202 {
            let accepted = begun.is_success();
            return Ok((begun, accepted));
        }
        let again = self.ask(&call).await?;
        if self.goes_on(&begun).await? {
            self.same_operation("UPD-12", &begun, &again);
        }
        let ending = self.follow(&begun).await?;
        Ok((begun, ending == Ending::Succeeded))
    }
}

/// Builds an update that changes nothing.
fn patch(session: &Session<'_>, life: &InstanceUnderTest<'_>) -> Call {
    let call = session.dressed(Call::update(&life.instance, &life.service.id), &life.instance);
    call.field("previous_values", json!({ "service_id": life.service.id, "plan_id": life.plan.id }))
}

/// Updates the instance in every way that its plan supports, and in some that the broker must refuse.
pub(super) async fn check(session: &mut Session<'_>, life: &InstanceUnderTest<'_>) -> Result<(), Stop> {
    let (service, plan) = (life.service, life.plan);
    session.try_to("update the instance");
    let update = session.samples(service, plan, SchemaKind::Update)?;
    let has_parameters = plan.schemas.update.is_some() || update.good.is_some();
    let maintenance = plan.maintenance.is_some() && session.since(15);
    let context = service.allow_context_updates && session.since(15);
    // Without any of these in the catalog, a broker need not support updates.
    if !session.since(6) || !(has_parameters || maintenance || context || plan.plan_updateable) {
        return Ok(());
    }
    session.try_to("update the instance without service_id");
    let missing = without(&patch(session, life), "service_id");
    let exchange = session.ask(&waiting(session, missing, 7)).await?;
    session.demand_status(&[400], "UPD-13", &exchange);

    session.try_to("update the instance to an unknown plan");
    let unknown = patch(session, life).to_plan(&guid());
    let (exchange, _) = session.patch(unknown).await?;
    session.demand_refusal("UPD-05", &exchange);

    let before = shown(session, life).await?;
    for (what, bad) in &update.bad {
        session.try_to(format!("update the instance with parameters that the schema refuses: {what}"));
        let (exchange, _) = session.patch(patch(session, life).to_plan(&plan.id).parameters(bad.clone())).await?;
        if session.demand_refusal("UPD-07", &exchange)
            && let Some(before) = &before
            && let Some(after) = shown(session, life).await?
        {
            // Other fields may change on their own.
            let same = ["service_id", "plan_id", "parameters", "maintenance_info"]
                .iter()
                .all(|name| after.answer.body[name] == before.answer.body[name]);
            session.demand(same, "UPD-17", "the same values as before the refused update", &after);
        }
    }
    if let Some(good) = update.other.as_ref().or(update.good.as_ref()) {
        session.try_to("update the parameters of the instance");
        let (exchange, ended) = session.patch(patch(session, life).to_plan(&plan.id).parameters(good.clone())).await?;
        if !ended {
            session.unchecked(format!("the broker responded {exchange}; provide other parameters with `--parameters`"));
        }
    }
    if maintenance {
        session.try_to("update the instance to a maintenance_info.version other than the plan's");
        let call = patch(session, life).field("maintenance_info", json!({ "version": NO_VERSION }));
        let (exchange, _) = session.patch(call).await?;
        let right = exchange.has_code("MaintenanceInfoConflict");
        session.demand(right, "UPD-10", "422 MaintenanceInfoConflict", &exchange);
    }
    if context {
        session.try_to("update only the context of the instance");
        let (exchange, _) = session.patch(patch(session, life)).await?;
        session.demand_status(&[200, 202], "UPD-03", &exchange);
    }
    Ok(())
}

/// Fetches the instance, if the service supports it.
async fn shown(session: &mut Session<'_>, life: &InstanceUnderTest<'_>) -> Result<Option<Exchange>, Stop> {
    if !(life.service.instances_retrievable && session.since(14)) {
        return Ok(None);
    }
    let fetched = session.ask(&Call::fetch_instance(&life.instance)).await?;
    Ok(Some(fetched).filter(|fetched| fetched.status() == 200))
}

/// Changes the instance to each of the other plans and back, where the broker permits it.
pub(super) async fn change_plan<'a>(
    session: &mut Session<'a>,
    life: &mut InstanceUnderTest<'a>,
    shown_first: Option<&Exchange>,
) -> Result<(), Stop> {
    let (service, home) = (life.service, life.plan);
    if !session.since(6) {
        return Ok(());
    }
    for target in service.plans.iter().filter(|plan| plan.id != home.id) {
        session.try_to(format!("change the instance to plan {}", target.name));
        let (exchange, ended) = session.patch(patch(session, life).to_plan(&target.id)).await?;
        if !home.plan_updateable {
            session.demand(!ended, "UPD-01", "a refusal, as the plan is not plan_updateable", &exchange);
        } else if !exchange.is_success() {
            session.demand_refusal("UPD-14", &exchange);
        }
        if !ended {
            continue;
        }
        life.plan = target;
        if shown_first.is_some_and(|first| first.answer.body["plan_id"] == home.id.as_str())
            && let Some(after) = shown(session, life).await?
        {
            let right = after.answer.body["plan_id"] == target.id.as_str();
            session.demand(right, "UPD-11", "the new plan, as the update has succeeded", &after);
        }
        session.try_to(format!("change the instance back to plan {}", home.name));
        let (exchange, ended) = session.patch(patch(session, life).to_plan(&home.id)).await?;
        if !ended {
            if !exchange.is_success() {
                session.demand_refusal("UPD-14", &exchange);
            }
            break;
        }
        life.plan = home;
    }
    Ok(())
}
