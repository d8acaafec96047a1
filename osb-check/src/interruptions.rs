//! Checks requests for an instance that is being created or updated.

use serde_json::Value;

use super::{
    instances::InstanceUnderTest,
    plan::PlanUnderTest,
    session::{Ending, Exchange, Session, Stop},
    updates::patch_of,
};
use osb_client::{Call, guid};

/// Deletes an instance while it is being created: the broker may refuse that, or cancel the creation.
pub(super) async fn during_creation(session: &mut Session<'_>, tested: &InstanceUnderTest<'_>) -> Result<(), Stop> {
    session.try_to("delete an instance while it is being created");
    let made = session.ask_waiting(tested.put(session, &guid(), tested.create.good.as_ref())).await?;
    if made.status() != 202 {
        return Ok(());
    }
    delete_meanwhile(session, tested, &made, "DEP-06").await
}

/// Changes the plan of an instance while its parameters are being updated, and deletes it. The broker may refuse both.
pub(super) async fn during_update(
    session: &mut Session<'_>,
    tested: &InstanceUnderTest<'_>,
    parameters: &Value,
) -> Result<(), Stop> {
    // Before 2.14, platforms send one request after the other.
    if !session.since(14) {
        return Ok(());
    }
    session.try_to("create another instance");
    let good = tested.create.good.as_ref();
    let Some(instance) = tested.of.another(session, good).await? else { return Ok(()) };
    session.try_to("update the parameters of another instance");
    // The plan stays the same, and may therefore be changed by another request.
    let update = patch_of(session, tested, &instance).parameters(parameters.clone());
    let begun = session.ask_waiting(update).await?;
    let mut of = tested.of;
    if begun.status() == 202 {
        let now = match tested.of.others().next() {
            Some(target) => change_meanwhile(session, tested, &begun, &instance, target).await?,
            None => None,
        };
        let Some(now) = now else {
            session.try_to("delete an instance while it is being updated");
            return delete_meanwhile(session, tested, &begun, "DEP-04").await;
        };
        of = now;
    }
    session.delete(&of.deprovision(&instance)).await.map(drop)
}

/// Changes the plan during an update that is not about the plan. If the broker accepts it, returns the plan that the instance
/// has after the ends of both operations.
async fn change_meanwhile<'a>(
    session: &mut Session<'_>,
    tested: &InstanceUnderTest<'a>,
    begun: &Exchange,
    instance: &str,
    target: PlanUnderTest<'a>,
) -> Result<Option<PlanUnderTest<'a>>, Stop> {
    session.try_to(format!("change an instance to plan {} while its parameters are being updated", target.plan.name));
    let change = patch_of(session, tested, instance).to_plan(&target.plan.id);
    let changed = session.ask_waiting(change).await?;
    if !changed.is_success() {
        return Ok(None);
    }
    let (is_updated, is_changed) = (session.finish(begun).await?, session.finish(&changed).await?);
    if is_updated && is_changed && tested.of.service.instances_retrievable {
        let after = session.ask(&Call::fetch_instance(instance)).await?;
        let plan = &after.answer.body["plan_id"];
        let expected = "the new plan, as the change was answered with success and not with 422 ConcurrencyError";
        session.demand(plan.is_null() || plan == target.plan.id.as_str(), "UPD-11", expected, &after);
    }
    if !is_changed {
        return Ok(Some(tested.of));
    }
    session.moved(instance, target);
    Ok(Some(target))
}

/// Deletes an instance during an operation on it. `denied` is the rule for the answer that there is no such instance.
async fn delete_meanwhile(
    session: &mut Session<'_>,
    tested: &InstanceUnderTest<'_>,
    begun: &Exchange,
    denied: &'static str,
) -> Result<(), Stop> {
    let deletion = tested.of.deletion_of(&begun.call);
    let gone = session.ask_waiting(deletion.clone()).await?;
    let is_unknown = [404, 410].contains(&gone.status());
    let right = [200, 202].contains(&gone.status()) || session.is_blocked(&gone);
    session.demand(right, if is_unknown { denied } else { "DEP-05" }, "200, 202 or 422 ConcurrencyError", &gone);
    if !gone.is_success() {
        session.follow(begun).await?;
        return session.delete(&deletion).await.map(drop);
    }
    if gone.status() == 202
        && let Ending::Failed(why) = session.follow(&gone).await?
    {
        return Err(Stop::Unchecked(format!("the deletion failed: {why}")));
    }
    session.try_to("delete an instance again that was deleted during another operation");
    let again = session.ask(&gone.call).await?;
    session.demand_status(&[410], denied, &again);
    session.finish(&again).await?;
    Ok(())
}
