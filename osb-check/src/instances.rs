//! Checks the lifecycle of instances.

use serde_json::{Value, json};

use super::{
    SchemaKind, bindings, deletions, interruptions,
    parameters::Samples,
    plan::PlanUnderTest,
    session::{Ending, Exchange, Session, Stop},
    updates,
};
use osb_client::{Call, Payload, guid};

/// The instance under test.
pub(super) struct InstanceUnderTest<'a> {
    /// The current plan of the instance.
    pub(super) of: PlanUnderTest<'a>,
    pub(super) instance: String,
    pub(super) create: Samples,
    /// `true` if the broker answered the creation with 202.
    pub(super) asynchronous: bool,
    /// The refusals of requests that did not accept an asynchronous operation.
    refused: Vec<Exchange>,
    /// The request that created the instance, if the broker recognizes it when it is repeated.
    pub(super) repeatable: Option<Call>,
}

/// Takes an instance of a plan through its lifecycle.
pub(super) async fn check<'a>(session: &mut Session<'a>, of: PlanUnderTest<'a>) -> Result<(), Stop> {
    session.try_to("create an instance");
    let create = of.samples(session, SchemaKind::Create)?;
    let new = |session: &Session<'_>| of.put(session, &guid(), create.good.as_ref());
    let refused = session.create_synchronously(of, new).await?;
    let mut tested = InstanceUnderTest { of, instance: guid(), create, asynchronous: false, refused, repeatable: None };
    refusals(session, &tested).await?;

    let Some(made) = create_one(session, &mut tested).await? else { return Ok(()) };
    repeats(session, &mut tested, &made).await?;
    let shown = check_fetched(session, &tested, &made).await?;
    updates::check(session, &tested).await?;
    if tested.asynchronous {
        interruptions::during_creation(session, &tested).await?;
    }
    if of.plan.bindable {
        bindings::check(session, &tested).await?;
    }
    updates::change_plan(session, &mut tested, shown.as_ref()).await?;
    if tested.of.plan.bindable {
        bindings::leave_one(session, &tested).await?;
    }
    deletions::check(session, &tested).await
}

impl InstanceUnderTest<'_> {
    pub(super) fn put(&self, session: &Session<'_>, instance: &str, parameters: Option<&Value>) -> Call {
        self.of.put(session, instance, parameters)
    }

    pub(super) fn is_fetched(&self, session: &Session<'_>) -> bool {
        self.of.service.instances_retrievable && session.since(14)
    }

    /// Fetches the instance, if its service and the version of the platform support that.
    pub(super) async fn fetched(&self, session: &mut Session<'_>) -> Result<Option<Exchange>, Stop> {
        if !self.is_fetched(session) {
            return Ok(None);
        }
        session.ask(&Call::fetch_instance(&self.instance)).await.map(Some)
    }
}

/// Removes a field from the body of a request.
pub(super) fn without(call: &Call, field: &str) -> Call {
    let mut call = call.clone();
    if let Payload::Json(Value::Object(fields)) = &mut call.payload {
        fields.remove(field);
    }
    call
}

/// Adds fields that no version of the specification has to the body of a request and to the objects in it that platforms
/// may extend.
pub(super) fn with_unknown_fields(call: &Call) -> Call {
    let mut call = call.clone();
    if let Payload::Json(body @ Value::Object(_)) = &mut call.payload {
        for at in ["", "/context", "/bind_resource", "/previous_values"] {
            if let Some(Value::Object(fields)) = body.pointer_mut(at) {
                fields.insert("osb_check_unknown".to_owned(), json!({ "nested": [1, null] }));
            }
        }
    }
    call
}

/// Sends requests for instances that have to be refused.
async fn refusals(session: &mut Session<'_>, tested: &InstanceUnderTest<'_>) -> Result<(), Stop> {
    for (what, bad) in &tested.create.bad {
        session.try_to(format!("create an instance with parameters that the schema refuses: {what}"));
        let exchange = session.ask_waiting(tested.put(session, &guid(), Some(bad))).await?;
        session.demand_refusal("PROV-07", &exchange);
        session.demand_nothing_made(&exchange).await?;
    }
    if tested.of.plan.maintenance.is_some() && session.since(15) {
        session.try_to("create an instance with a maintenance_info.version other than the plan's");
        let call = tested.put(session, &guid(), tested.create.good.as_ref());
        let call = call.field("maintenance_info", json!({ "version": updates::NO_VERSION }));
        let exchange = session.ask_waiting(call).await?;
        let right = exchange.has_code("MaintenanceInfoConflict");
        session.demand(right, "PROV-08", "422 MaintenanceInfoConflict", &exchange);
        session.demand_nothing_made(&exchange).await?;
    }
    Ok(())
}

async fn create_one(session: &mut Session<'_>, tested: &mut InstanceUnderTest<'_>) -> Result<Option<Exchange>, Stop> {
    session.try_to("create an instance");
    let made = session.ask_waiting(tested.put(session, &tested.instance, tested.create.good.as_ref())).await?;
    match made.status() {
        202 => {
            tested.asynchronous = true;
            if !tested.refused.is_empty() {
                session.try_to("create an instance without accepts_incomplete=true");
                session.demand_async_required("PROV-09", &tested.refused);
            }
            session.try_to("create an instance again while it is being created");
            let other = others(session, tested).into_iter().next();
            let fetch = tested.is_fetched(session).then(|| Call::fetch_instance(&tested.instance));
            session.repeat_meanwhile(&made, other, fetch).await?;
            session.try_to("create an instance");
            if let Ending::Failed(why) = session.follow(&made).await? {
                return Err(Stop::Unchecked(format!("the operation failed: {why}")));
            }
            session.poll_afterwards(&made).await?;
        }
        201 => {}
        200 => drop(session.demand_status(&[201, 202], "PROV-10", &made)),
        // Platforms of this version cannot have asynchronous instances.
        _ if made.has_code("AsyncRequired") && !session.since(7) => return Ok(None),
        _ => {
            let why = format!("the broker responded {made}; provide other parameters with `--parameters`");
            return Err(Stop::Unchecked(why));
        }
    }
    Ok(Some(made))
}

/// Builds requests for the same instance id, with other parameters and with another plan.
pub(super) fn others(session: &Session<'_>, tested: &InstanceUnderTest<'_>) -> Vec<Call> {
    let parameters = tested.create.other.as_ref().map(|other| tested.put(session, &tested.instance, Some(other)));
    let plan = tested.of.others().next().and_then(|other| {
        let create = other.samples(session, SchemaKind::Create).ok()?;
        Some(other.put(session, &tested.instance, create.good.as_ref()))
    });
    parameters.into_iter().chain(plan).collect()
}

/// Repeats the request unchanged, with an unknown field, with an encoded path, and with different attributes.
async fn repeats(session: &mut Session<'_>, tested: &mut InstanceUnderTest<'_>, made: &Exchange) -> Result<(), Stop> {
    let again = session.try_to("repeat the creation").ask(&made.call).await?;
    session.demand_status(&[200], "PROV-11", &again);
    if again.is_success() {
        tested.repeatable = Some(made.call.clone());
        session.try_to("repeat the creation with an unknown field");
        let more = session.ask(&with_unknown_fields(&made.call)).await?;
        session.demand(more.status() == again.status(), "EXT-01", "the same status as without the field", &more);
        if again.call.json().get("context").is_some() {
            session.try_to("repeat the creation without a context");
            let less = session.ask(&without(&made.call, "context")).await?;
            // The context may be one of the attributes that are compared.
            let right = less.is_success() || less.status() == 409;
            session.demand(right, "PROV-06", "success or 409, as the context is optional", &less);
        }
        session.try_to("repeat the creation with its id percent-encoded");
        let encoded = session.ask(&percent_encoded(&made.call)).await?;
        session.demand(encoded.status() == again.status(), "URL-01", "the same status as without encoding", &encoded);
    }
    for other in others(session, tested) {
        session.try_to("create an instance with the same id and other attributes");
        let conflict = session.ask_waiting(other).await?;
        session.demand_status(&[409], "PROV-14", &conflict);
        session.finish(&conflict).await?;
    }
    Ok(())
}

/// Percent-encodes the first character of the id in the path, which does not change its meaning.
fn percent_encoded(call: &Call) -> Call {
    let (before, last) = call.path.rsplit_once('/').unwrap_or_default();
    let first = last.bytes().next().unwrap_or(b'-');
    Call { path: format!("{before}/%{first:02X}{}", &last[1..]), ..call.clone() }
}

/// Fetches the instance, and compares it with the response to its creation.
async fn check_fetched(
    session: &mut Session<'_>,
    tested: &InstanceUnderTest<'_>,
    made: &Exchange,
) -> Result<Option<Exchange>, Stop> {
    if !tested.is_fetched(session) {
        return Ok(None);
    }
    let fetched = session.try_to("fetch the instance").ask(&Call::fetch_instance(&tested.instance)).await?;
    if !session.demand_status(&[200], "GETI-01", &fetched) {
        return Ok(None);
    }
    for (name, id) in [("service_id", &tested.of.service.id), ("plan_id", &tested.of.plan.id)] {
        let said = &fetched.answer.body[name];
        session.demand(said.is_null() || said == id.as_str(), "GETI-04", &format!("its own {name}"), &fetched);
    }
    if session.since(16) {
        session.try_to("fetch the instance with its service and plan in the query");
        let hinted = Call::fetch_instance(&tested.instance).of(&tested.of.service.id, &tested.of.plan.id);
        let hinted = session.ask(&hinted).await?;
        session.demand_status(&[200], "GETI-03", &hinted);
        session.try_to("fetch the instance");
    }
    if let Some(sent) = made.call.json()["maintenance_info"]["version"].as_str().filter(|_| session.since(17)) {
        let version = &fetched.answer.body["maintenance_info"]["version"];
        let expected = format!("the maintenance_info.version {sent:?} that the instance was created with");
        session.demand(version.is_null() || version == sent, "GETI-08", &expected, &fetched);
    }
    let url = |exchange: &Exchange| exchange.answer.body["dashboard_url"].as_str().map(str::to_owned);
    let first = url(&fetched).is_none() || url(made).is_some();
    session.demand(first, "PROV-16", "the dashboard_url already in the first response", &fetched);
    Ok(Some(fetched))
}
