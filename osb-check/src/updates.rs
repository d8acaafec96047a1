//! Checks updates of an instance: parameters, maintenance, context, plan.

use serde_json::{Value, json};

use super::{
    SchemaKind,
    instances::{InstanceUnderTest, with_unknown_fields, without},
    interruptions,
    plan::PlanUnderTest,
    plans,
    session::{Ending, Exchange, SYNCHRONOUS, Session, Stop, accepting},
};
use osb_client::{Call, Payload, guid};

/// A version that no plan has.
pub(super) const NO_VERSION: &str = "0.0.0-osb.check.has.no.such.version";

impl Session<'_> {
    /// Sends an update, polls its operation, and returns whether it succeeded.
    async fn patch(&mut self, call: Call) -> Result<(Exchange, bool), Stop> {
        let begun = self.ask_waiting(call).await?;
        if begun.status() != 202 {
            let accepted = begun.is_success();
            return Ok((begun, accepted));
        }
        let again = self.ask(&begun.call).await?;
        if self.goes_on(&begun).await? {
            self.same_operation("UPD-12", &begun, &again);
        }
        let ending = self.follow(&begun).await?;
        Ok((begun, ending == Ending::Succeeded))
    }

    /// Sends an update without accepting an asynchronous operation, and one that reverts it. While the first one is refused,
    /// it is repeated: an update without effect may be answered at once. Returns the refusals.
    async fn patch_synchronously(
        &mut self,
        tested: &InstanceUnderTest<'_>,
        [first, back]: &[Call; 2],
        created: Option<&Exchange>,
    ) -> Result<Vec<Exchange>, Stop> {
        let mut refused = Vec::new();
        if !self.since(7) {
            return Ok(refused);
        }
        let mut next = first;
        for (how, value) in SYNCHRONOUS {
            self.try_to(format!("update the parameters of the instance {how}"));
            let exchange = self.ask(&accepting(next, value)).await?;
            if !exchange.is_success() {
                refused.push(exchange);
                continue;
            }
            self.finish(&exchange).await?;
            demand_unchanged(self, tested, created, &["plan_id"]).await?;
            next = back;
        }
        Ok(refused)
    }
}

/// Builds an update that changes nothing.
fn patch(session: &Session<'_>, tested: &InstanceUnderTest<'_>) -> Call {
    patch_of(session, tested, &tested.instance)
}

/// Builds an update that changes nothing of another instance of the same plan.
pub(super) fn patch_of(session: &Session<'_>, tested: &InstanceUnderTest<'_>, instance: &str) -> Call {
    let call = session.dressed(Call::update(instance, &tested.of.service.id), instance);
    call.field("previous_values", json!({ "service_id": tested.of.service.id, "plan_id": tested.of.plan.id }))
}

/// Updates the instance in every way that its plan supports, and in some that the broker must refuse.
pub(super) async fn check(session: &mut Session<'_>, tested: &InstanceUnderTest<'_>) -> Result<(), Stop> {
    let PlanUnderTest { service, plan } = tested.of;
    session.try_to("update the instance");
    let update = tested.of.samples(session, SchemaKind::Update)?;
    let has_parameters = plan.schemas.update.is_some() || update.good.is_some();
    let maintenance = plan.maintenance.is_some() && session.since(15);
    let context = service.allow_context_updates && session.since(15);
    // Without any of these in the catalog, a broker need not support updates.
    if !session.since(6) || !(has_parameters || maintenance || context || plan.plan_updateable) {
        return Ok(());
    }
    malformed(session, tested).await?;

    let created = shown(session, tested).await?;
    for (what, bad) in &update.bad {
        session.try_to(format!("update the instance with parameters that the schema refuses: {what}"));
        let (exchange, _) = session.patch(patch(session, tested).to_plan(&plan.id).parameters(bad.clone())).await?;
        if session.demand_refusal("UPD-07", &exchange) {
            demand_untouched(session, tested, created.as_ref()).await?;
        }
    }
    if let Some(target) = tested.of.others().next() {
        session.try_to("change the plan of the instance, with a string as parameters");
        let (exchange, _) =
            session.patch(patch(session, tested).to_plan(&target.plan.id).parameters(json!("osb"))).await?;
        if session.demand_refusal("UPD-13", &exchange) {
            demand_untouched(session, tested, created.as_ref()).await?;
        }
    }
    without_parameters(session, tested, created.as_ref()).await?;
    if let Some(good) = &update.good {
        let other = update.other.as_ref().unwrap_or(good);
        if parameters(session, tested, good, other, created.as_ref()).await? {
            interruptions::during_update(session, tested, other).await?;
        }
    }
    if maintenance {
        session.try_to("update the instance to a maintenance_info.version other than the plan's");
        let call = patch(session, tested).field("maintenance_info", json!({ "version": NO_VERSION }));
        let (exchange, _) = session.patch(call).await?;
        let right = exchange.has_code("MaintenanceInfoConflict");
        session.demand(right, "UPD-10", "422 MaintenanceInfoConflict", &exchange);
        session.try_to(
            "update the instance to the plan's maintenance_info.version, with other fields in maintenance_info",
        );
        let more = json!({ "version": plan.maintenance, "description": "osb check", "osb_check_unknown": [null] });
        let (exchange, _) = session.patch(patch(session, tested).field("maintenance_info", more)).await?;
        // A broker may refuse maintenance for other reasons.
        let right = exchange.status() != 400 && !exchange.has_code("MaintenanceInfoConflict");
        session.demand(right, "UPD-10", "no regard to fields other than `version`", &exchange);
    }
    if context {
        session.try_to("update only the context of the instance");
        let before = shown(session, tested).await?;
        let (exchange, _) = session.patch(patch(session, tested)).await?;
        session.demand_status(&[200, 202], "UPD-03", &exchange);
        demand_unchanged(session, tested, before.as_ref(), &["parameters", "plan_id"]).await?;
    }
    Ok(())
}

/// Sends updates that lack something, or name something that does not exist.
async fn malformed(session: &mut Session<'_>, tested: &InstanceUnderTest<'_>) -> Result<(), Stop> {
    session.try_to("update the instance without service_id");
    let exchange = session.ask_waiting(without(&patch(session, tested), "service_id")).await?;
    session.demand_status(&[400], "UPD-13", &exchange);
    for (what, text) in [("that is not JSON", "{"), ("that is a list", "[]")] {
        session.try_to(format!("update the instance with a body {what}"));
        let call = Call { payload: Payload::Text(text.to_owned()), ..patch(session, tested) };
        let exchange = session.ask_waiting(call).await?;
        session.demand_refusal("UPD-13", &exchange);
    }

    session.try_to("update the instance to an unknown plan");
    let (exchange, _) = session.patch(patch(session, tested).to_plan(&guid())).await?;
    session.demand_refusal("UPD-05", &exchange);
    let other = plans(session.catalog).find(|other| other.service.id != tested.of.service.id);
    if let Some(other) = other {
        session.try_to("update the instance to a plan of another service");
        let (exchange, _) = session.patch(patch(session, tested).to_plan(&other.plan.id)).await?;
        session.demand_refusal("UPD-05", &exchange);
    }
    session.try_to("update an instance that never existed");
    let call = Call::update(&guid(), &tested.of.service.id).to_plan(&tested.of.plan.id);
    let (exchange, _) = session.patch(call).await?;
    session.demand_refusal("UPD-14", &exchange);
    Ok(())
}

/// Sends an update without parameters, which must not change them, whether the broker accepts it or not.
async fn without_parameters(
    session: &mut Session<'_>,
    tested: &InstanceUnderTest<'_>,
    created: Option<&Exchange>,
) -> Result<(), Stop> {
    session.try_to("update the instance without parameters");
    let call = patch(session, tested).to_plan(&tested.of.plan.id);
    let (_, ended) = session.patch(call.clone()).await?;
    if ended {
        session.try_to("update the instance without parameters, with unknown fields");
        let (more, _) = session.patch(with_unknown_fields(&call)).await?;
        // Either may be asynchronous.
        session.demand(more.is_success(), "EXT-01", "success, as without the fields", &more);
    }
    demand_unchanged(session, tested, created, &["parameters", "plan_id"]).await?;
    if let Some(creation) = &tested.repeatable {
        let again = session.try_to("repeat the creation after an update without parameters").ask(creation).await?;
        session.demand(again.is_success(), "UPD-06", "success, as the attributes are still the same", &again);
        session.finish(&again).await?;
    }
    Ok(())
}

/// Updates the parameters of the instance, without and with `accepts_incomplete`. Returns whether an update is asynchronous.
async fn parameters(
    session: &mut Session<'_>,
    tested: &InstanceUnderTest<'_>,
    good: &Value,
    other: &Value,
    created: Option<&Exchange>,
) -> Result<bool, Stop> {
    let to = |session: &Session<'_>, parameters: &Value| patch(session, tested).parameters(parameters.clone());
    // The first without `plan_id`, which is optional.
    let calls = [to(session, other), to(session, good).to_plan(&tested.of.plan.id)];
    let refused = session.patch_synchronously(tested, &calls, created).await?;

    session.try_to("update the parameters of the instance");
    let begun = session.ask_waiting(to(session, other).to_plan(&tested.of.plan.id)).await?;
    let (mut ended, mut overtaken) = (begun.is_success(), false);
    if begun.status() == 202 {
        session.demand_async_required("UPD-14", &refused);
        (ended, overtaken) = during(session, tested, &begun, &to(session, good).to_plan(&tested.of.plan.id)).await?;
    }
    if !ended {
        session.unchecked(format!("the broker responded {begun}; provide other parameters with `--parameters`"));
        return Ok(false);
    }
    let asynchronous = begun.status() == 202;
    let (Some(created), false) = (created, overtaken) else { return Ok(asynchronous) };
    let after = session.ask(&Call::fetch_instance(&tested.instance)).await?;
    if !session.demand(after.status() == 200, "UPD-11", "200, as the update has succeeded", &after) {
        return Ok(asynchronous);
    }
    session.demand(
        after.answer.body["plan_id"] == created.answer.body["plan_id"],
        "UPD-05",
        "the same plan as before the update",
        &after,
    );
    // Some brokers do not show parameters as they are given.
    let (given, shown) = (tested.create.good.as_ref(), &created.answer.body["parameters"]);
    let given = given.and_then(Value::as_object).filter(|given| !given.is_empty());
    if let Some(given) = given
        && given.iter().all(|(name, value)| shown[name] == *value)
    {
        let now = &after.answer.body["parameters"];
        let is_applied = |(name, value): (&String, &Value)| {
            value.is_null() || now[name] == *value || now[name].is_null() && !given.contains_key(name)
        };
        let right = other.as_object().into_iter().flatten().all(is_applied);
        session.demand(right, "UPD-11", "the parameters of the update, as it has succeeded", &after);
    }
    Ok(asynchronous)
}

/// Sends requests while an update is in progress, and polls its operation. Returns whether it succeeded, and whether another
/// update was accepted in the meantime.
async fn during(
    session: &mut Session<'_>,
    tested: &InstanceUnderTest<'_>,
    begun: &Exchange,
    other: &Call,
) -> Result<(bool, bool), Stop> {
    let again = session.ask(&begun.call).await?;
    let fetched = tested.fetched(session).await?;
    // Before another update is sent: platforms older than 2.14 poll without an `operation`, and would be told about that one.
    if session.goes_on(begun).await? {
        session.same_operation("UPD-12", begun, &again);
        if let Some(fetched) = fetched {
            let right = fetched.status() == 200 || fetched.has_code("ConcurrencyError");
            session.demand(right, "GETI-06", "200 or 422 ConcurrencyError", &fetched);
        }
    }
    session.try_to("update the instance while another update is in progress");
    let blocked = session.ask_waiting(other.clone()).await?;
    session.try_to("update the parameters of the instance");
    if session.goes_on(begun).await? {
        let right = blocked.is_success() || session.is_blocked(&blocked);
        session.demand(right, "BLK-02", "success, or 422 ConcurrencyError, for another update", &blocked);
    }
    let ended = session.follow(begun).await? == Ending::Succeeded;
    // If the update has ended before, these are others.
    for exchange in [&again, &blocked] {
        if exchange.status() == 202 && exchange.answer.operation() != begun.answer.operation() {
            session.follow(exchange).await?;
        }
    }
    Ok((ended, blocked.is_success()))
}

/// Checks that these fields of a fetched instance are the same as before an update that did not mention them.
async fn demand_unchanged(
    session: &mut Session<'_>,
    tested: &InstanceUnderTest<'_>,
    before: Option<&Exchange>,
    fields: &[&str],
) -> Result<(), Stop> {
    if let Some(before) = before
        && let Some(after) = shown(session, tested).await?
    {
        for field in fields {
            let same = after.answer.body[field] == before.answer.body[field];
            let rule = if *field == "plan_id" { "UPD-05" } else { "UPD-06" };
            session.demand(same, rule, &format!("the same {field} as before"), &after);
        }
    }
    Ok(())
}

/// Checks that a refused update changed nothing.
async fn demand_untouched(
    session: &mut Session<'_>,
    tested: &InstanceUnderTest<'_>,
    before: Option<&Exchange>,
) -> Result<(), Stop> {
    if let Some(before) = before
        && let Some(after) = shown(session, tested).await?
    {
        // Other fields may change on their own.
        let same = ["service_id", "plan_id", "parameters", "maintenance_info"]
            .iter()
            .all(|name| after.answer.body[name] == before.answer.body[name]);
        session.demand(same, "UPD-17", "the same values as before the refused update", &after);
    }
    Ok(())
}

/// Returns the instance as the broker shows it, if it does.
async fn shown(session: &mut Session<'_>, tested: &InstanceUnderTest<'_>) -> Result<Option<Exchange>, Stop> {
    Ok(tested.fetched(session).await?.filter(|fetched| fetched.status() == 200))
}

/// Changes the instance to each of the other plans and back, where the broker permits it. An instance that cannot go back is
/// followed by a new one.
pub(super) async fn change_plan<'a>(
    session: &mut Session<'a>,
    tested: &mut InstanceUnderTest<'a>,
    shown_first: Option<&Exchange>,
) -> Result<(), Stop> {
    let home = tested.of;
    if !session.since(6) {
        return Ok(());
    }
    let targets: Vec<_> = home.others().collect();
    let mut ways = SYNCHRONOUS;
    for (number, target) in targets.iter().copied().enumerate() {
        if !change(session, tested, target, ways[0].1, shown_first).await? {
            continue;
        }
        ways.reverse();
        if change(session, tested, home, ways[0].1, None).await? || number + 1 == targets.len() {
            continue;
        }
        session.try_to("create another instance");
        let good = tested.create.good.as_ref();
        let Some(instance) = home.another(session, good).await? else { return Ok(()) };
        session.delete(&tested.of.deprovision(&tested.instance)).await?;
        (tested.instance, tested.of) = (instance, home);
    }
    Ok(())
}

/// Changes the plan of the instance, and returns whether it succeeded. If no other update has asked for it, this one is asked
/// synchronously first, by this value of `accepts_incomplete`.
async fn change<'a>(
    session: &mut Session<'a>,
    tested: &mut InstanceUnderTest<'a>,
    target: PlanUnderTest<'a>,
    synchronously: Option<&str>,
    shown_first: Option<&Exchange>,
) -> Result<bool, Stop> {
    let home = tested.of;
    session.try_to(format!("change the instance from plan {} to {}", home.plan.name, target.plan.name));
    let call = patch(session, tested).to_plan(&target.plan.id);
    // Without parameters, there was no synchronous update before.
    let is_first = session.since(7) && home.samples(session, SchemaKind::Update)?.good.is_none();
    let refused = if is_first { Some(session.ask(&accepting(&call, synchronously)).await?) } else { None };
    let (exchange, ended) = match &refused {
        Some(done) if done.is_success() => (done.clone(), session.finish(done).await?),
        _ => session.patch(call).await?,
    };
    if let Some(refused) = refused
        && exchange.status() == 202
        && !refused.is_success()
    {
        session.demand(refused.has_code("AsyncRequired"), "UPD-14", "422 AsyncRequired", &refused);
    }
    // Platforms before 2.15 read the catalog's `plan_updateable` of the service only.
    let may = home.plan.plan_updateable || !session.since(15) && home.service.plan_updateable;
    if !may {
        session.demand(!ended, "UPD-01", "a refusal, as the plan is not plan_updateable", &exchange);
    } else if !exchange.is_success() {
        session.demand_refusal("UPD-14", &exchange);
    }
    if !ended {
        return Ok(false);
    }
    tested.of = target;
    session.moved(&tested.instance, target);
    if shown_first.is_some_and(|first| first.answer.body["plan_id"] == home.plan.id.as_str())
        && let Some(after) = shown(session, tested).await?
    {
        let right = after.answer.body["plan_id"] == target.plan.id.as_str();
        session.demand(right, "UPD-11", "the new plan, as the update has succeeded", &after);
    }
    Ok(true)
}
