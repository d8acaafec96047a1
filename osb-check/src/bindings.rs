//! Checks the lifecycle of bindings.

use serde_json::Value;

use super::{
    SchemaKind,
    instances::{InstanceUnderTest, with_unknown_fields, without},
    plan::PlanUnderTest,
    rotations,
    session::{ASYNCHRONOUS_BINDINGS_SINCE, Ending, Exchange, Session, Stop},
};
use osb_client::{Call, CatalogService, Payload, guid};

/// The instance to bind, with its plan.
pub(super) struct BindingUnderTest<'a> {
    pub(super) of: PlanUnderTest<'a>,
    pub(super) instance: &'a str,
}

impl BindingUnderTest<'_> {
    pub(super) fn put(&self, session: &Session<'_>, binding: &str, parameters: Option<&Value>) -> Call {
        let call = Call::bind(self.instance, binding, &self.of.service.id, &self.of.plan.id);
        let call = session.dressed(call, self.instance);
        parameters.into_iter().fold(call, |call, parameters| call.parameters(parameters.clone()))
    }

    pub(super) fn deletion(&self, binding: &str) -> Call {
        Call::unbind(self.instance, binding, &self.of.service.id, &self.of.plan.id)
    }

    pub(super) fn is_fetched(&self, session: &Session<'_>) -> bool {
        self.of.service.bindings_retrievable && session.since(14)
    }

    /// Fetches a binding, if the service and the version of the platform support that.
    async fn fetched(&self, session: &mut Session<'_>, binding: &str) -> Result<Option<Exchange>, Stop> {
        if !self.is_fetched(session) {
            return Ok(None);
        }
        session.ask(&Call::fetch_binding(self.instance, binding)).await.map(Some)
    }
}

/// Takes a binding of an instance through its lifecycle.
pub(super) async fn check(session: &mut Session<'_>, instance: &InstanceUnderTest<'_>) -> Result<(), Stop> {
    let tested = BindingUnderTest { of: instance.of, instance: &instance.instance };
    session.try_to("bind");
    let bind = instance.of.samples(session, SchemaKind::Bind)?;
    refusals(session, &tested, &bind.bad, bind.good.as_ref()).await?;

    let binding = guid();
    let Some(made) = create(session, &tested, &binding, bind.good.as_ref(), bind.other.as_ref()).await? else {
        return Ok(());
    };
    let again = session.try_to("repeat the bind request").ask(&made.call).await?;
    session.demand_status(&[200], "BIND-08", &again);
    recommend_same_credentials(session, "BIND-08", &made, &again);
    if again.is_success() {
        session.try_to("repeat the bind request with an unknown field");
        let more = session.ask(&with_unknown_fields(&made.call)).await?;
        session.demand(more.status() == again.status(), "EXT-01", "the same status as without the field", &more);
    }
    if let Some(other) = &bind.other {
        session.try_to("bind with other parameters and the same id");
        let conflict = session.ask_waiting(tested.put(session, &binding, Some(other))).await?;
        session.demand_status(&[409], "BIND-11", &conflict);
    }
    without_application(session, &tested, &made, bind.good.as_ref()).await?;
    let repeatable = (again.status() == 200).then(|| made.call.clone());
    let first = rotations::ValidBinding { id: binding, repeatable, contents: contents(session, &tested, &made).await? };
    rotations::demand_unexpired(session, &first.contents, &made);
    second(session, &tested, &first, bind.good.as_ref()).await?;
    if tested.of.plan.binding_rotatable && session.since(17) {
        rotations::check(session, &tested, &first).await?;
    }
    delete(session, &tested, &first.id, made.status() == 202).await
}

/// Returns the contents of a new binding; `null` if the broker does not show them.
pub(super) async fn contents(
    session: &mut Session<'_>,
    tested: &BindingUnderTest<'_>,
    made: &Exchange,
) -> Result<Value, Stop> {
    if made.status() != 202 {
        return Ok(made.answer.body.clone());
    }
    let binding = made.call.path.rsplit('/').next().unwrap_or_default();
    let fetched = tested.fetched(session, binding).await?.filter(|fetched| fetched.status() == 200);
    Ok(fetched.map(|fetched| fetched.answer.body).unwrap_or_default())
}

/// Repeats a binding of an application without the application. The broker may accept it or answer `RequiresApp`.
async fn without_application(
    session: &mut Session<'_>,
    tested: &BindingUnderTest<'_>,
    made: &Exchange,
    good: Option<&Value>,
) -> Result<(), Stop> {
    let proxied = tested.of.service.requires.iter().any(|required| required == "route_forwarding");
    if made.call.json().get("app_guid").is_none() || proxied || !session.since(6) {
        return Ok(());
    }
    session.try_to("bind without an application");
    let binding = guid();
    let call = without(&without(&tested.put(session, &binding, good), "app_guid"), "bind_resource");
    let bound = session.ask_waiting(call).await?;
    let mut made = guid();
    if bound.is_refused() && !bound.has_code("RequiresApp") {
        // The refusal may have another reason, such as a limit.
        let control = session.ask_waiting(tested.put(session, &made, good)).await?;
        session.demand(!control.is_success(), "BIND-12", "422 RequiresApp, as it is possible with one", &bound);
        if !session.finish(&control).await? {
            return Ok(());
        }
    } else if session.finish(&bound).await? {
        made = binding;
    } else {
        return Ok(());
    }
    session.delete(&tested.deletion(&made)).await.map(drop)
}

/// Creates and deletes a second binding, which has credentials of its own and leaves the first one alone.
async fn second(
    session: &mut Session<'_>,
    tested: &BindingUnderTest<'_>,
    first: &rotations::ValidBinding,
    good: Option<&Value>,
) -> Result<(), Stop> {
    session.try_to("create a second binding");
    let binding = guid();
    let made = session.ask_waiting(tested.put(session, &binding, good)).await?;
    // A broker may limit the number of bindings.
    if !session.finish(&made).await? {
        return Ok(());
    }
    let second = contents(session, tested, &made).await?;
    first.demand_other_credentials(session, &second, &made);
    session.try_to("delete the second binding").delete(&tested.deletion(&binding)).await?;
    first.demand_valid(session, tested, "UNB-01", "the deletion of another one").await
}

async fn refusals(
    session: &mut Session<'_>,
    tested: &BindingUnderTest<'_>,
    bad: &[(String, Value)],
    good: Option<&Value>,
) -> Result<(), Stop> {
    for (what, bad) in bad {
        session.try_to(format!("bind with parameters that the schema refuses: {what}"));
        let exchange = session.ask_waiting(tested.put(session, &guid(), Some(bad))).await?;
        session.demand_refusal("BIND-06", &exchange);
        session.demand_nothing_made(&exchange).await?;
    }
    for field in ["service_id", "plan_id"] {
        session.try_to(format!("bind without {field}"));
        let exchange = session.ask_waiting(without(&tested.put(session, &guid(), good), field)).await?;
        session.demand_status(&[400], "BIND-15", &exchange);
        session.demand_nothing_made(&exchange).await?;
    }
    for (what, text) in [("that is not JSON", "{"), ("that is a list", "[]")] {
        session.try_to(format!("bind with a body {what}"));
        let call = Call { payload: Payload::Text(text.to_owned()), ..tested.put(session, &guid(), good) };
        let exchange = session.ask_waiting(call).await?;
        session.demand_refusal("BIND-15", &exchange);
    }
    Ok(())
}

/// Creates a binding, after others without `accepts_incomplete`, and returns its response; `None` if this platform cannot have
/// bindings.
async fn create(
    session: &mut Session<'_>,
    tested: &BindingUnderTest<'_>,
    binding: &str,
    good: Option<&Value>,
    other: Option<&Value>,
) -> Result<Option<Exchange>, Stop> {
    let new = |session: &Session<'_>| tested.put(session, &guid(), good);
    let refused = session.create_synchronously(tested.of, new).await?;
    session.try_to("bind");
    let made = session.ask_waiting(tested.put(session, binding, good)).await?;
    match made.status() {
        202 => {
            session.demand_async_required("BIND-14", &refused);
            let other = other.map(|other| tested.put(session, binding, Some(other)));
            let fetch = tested.is_fetched(session).then(|| Call::fetch_binding(tested.instance, binding));
            session.repeat_meanwhile(&made, other, fetch).await?;
            if session.settings.platform == Some(osb_client::Platform::CloudFoundry) {
                let can = tested.of.service.bindings_retrievable;
                session.demand(can, "CF-16", "bindings_retrievable, as bindings are asynchronous", &made);
            }
            if let Ending::Failed(why) = session.follow(&made).await? {
                session.unchecked(format!("the operation failed: {why}"));
                return Ok(None);
            }
            session.poll_afterwards(&made).await?;
            if session.since(16) {
                session.try_to("poll a binding that never existed");
                let unknown = session.ask_poll(&Call::poll(tested.instance, Some(&guid()))).await?;
                session.demand_status(&[404], "LOB-01", &unknown);
            }
            session.try_to("bind");
        }
        201 => {}
        200 => drop(session.demand_status(&[201, 202], "BIND-07", &made)),
        // Platforms of this version cannot have asynchronous bindings.
        _ if made.has_code("AsyncRequired") && !session.since(ASYNCHRONOUS_BINDINGS_SINCE) => return Ok(None),
        // This platform has no applications.
        _ if made.has_code("RequiresApp") && made.call.json().get("app_guid").is_none() => return Ok(None),
        _ => {
            session.unchecked(format!("the broker responded {made}; provide other parameters with `--parameters`"));
            return Ok(None);
        }
    }
    if tested.is_fetched(session) {
        fetch(session, tested, binding, &made).await?;
    }
    check_requires(session, tested.of.service, &made);
    Ok(Some(made))
}

/// Fetches a binding, with and without the hints of 2.16.
async fn fetch(
    session: &mut Session<'_>,
    tested: &BindingUnderTest<'_>,
    binding: &str,
    made: &Exchange,
) -> Result<(), Stop> {
    let fetched = session.try_to("fetch the binding").ask(&Call::fetch_binding(tested.instance, binding)).await?;
    session.demand_status(&[200], if made.status() == 202 { "GETB-02" } else { "GETB-01" }, &fetched);
    check_requires(session, tested.of.service, &fetched);
    recommend_same_credentials(session, "GETB-01", made, &fetched);
    if session.since(16) {
        session.try_to("fetch the binding with its service and plan in the query");
        let hinted = Call::fetch_binding(tested.instance, binding).of(&tested.of.service.id, &tested.of.plan.id);
        let hinted = session.ask(&hinted).await?;
        session.demand(hinted.status() == fetched.status(), "GETB-05", "the same status as without them", &hinted);
        recommend_same_credentials(session, "GETB-01", &fetched, &hinted);
    }
    Ok(())
}

/// Recommends that a later response has the credentials of an earlier one, if both have some: an application with the earlier
/// ones may be cut off otherwise.
fn recommend_same_credentials(session: &mut Session<'_>, rule: &'static str, earlier: &Exchange, later: &Exchange) {
    let [old, new] = [earlier, later].map(|exchange| &exchange.answer.body["credentials"]);
    if earlier.is_success() && later.is_success() && !old.is_null() && !new.is_null() {
        let expected = "the credentials of the response to the bind, or to an earlier fetch";
        session.recommend(old == new, rule, expected, later);
    }
}

/// Checks that `requires` in the catalog covers the fields of a binding.
fn check_requires(session: &mut Session<'_>, service: &CatalogService, exchange: &Exchange) {
    for (field, needed, rule) in [
        ("syslog_drain_url", "syslog_drain", "BIND-18"),
        ("route_service_url", "route_forwarding", "BIND-19"),
        ("volume_mounts", "volume_mount", "BIND-20"),
    ] {
        let value = &exchange.answer.body[field];
        let given = !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty());
        let said = service.requires.iter().any(|known| known == needed);
        if field == "volume_mounts" && session.settings.platform == Some(osb_client::Platform::CloudFoundry) {
            let expected = "no `volume_mounts`, or a service that requires `volume_mount`";
            session.demand(value.is_null() || said, "CF-18", expected, exchange);
        }
        session.demand(
            !given || said,
            rule,
            &format!("`{field}` only from services that require `{needed}`"),
            exchange,
        );
    }
}

/// Deletes an instance that has a binding. Whether that succeeds, and whether it deletes the binding, is the broker's
/// choice (DEP-02); but a later deletion of the binding has to succeed, even if the binding no longer exists.
pub(super) async fn leave_one(session: &mut Session<'_>, home: &InstanceUnderTest<'_>) -> Result<(), Stop> {
    let plan = home.of;
    session.try_to("delete an instance that has a binding");
    let (create, bind) = (plan.samples(session, SchemaKind::Create)?, plan.samples(session, SchemaKind::Bind)?);
    let Some(instance) = plan.another(session, create.good.as_ref()).await? else { return Ok(()) };
    let tested = BindingUnderTest { of: plan, instance: &instance };
    let binding = guid();
    let bound = session.ask_waiting(tested.put(session, &binding, bind.good.as_ref())).await?;
    if !session.finish(&bound).await? {
        return Ok(());
    }
    if tested.of.plan.binding_rotatable && session.since(17) {
        let elsewhere = BindingUnderTest { instance: &home.instance, ..tested };
        rotations::of_another_instance(session, &elsewhere, &binding).await?;
    }
    let gone = session.try_to("delete an instance that has a binding").ask_waiting(plan.deprovision(&instance)).await?;
    session.finish(&gone).await?;
    session.try_to("unbind after the deletion of the instance");
    let unbound = session.ask_waiting(tested.deletion(&binding)).await?;
    session.demand_status(&[200, 202, 410], "ORP-02", &unbound);
    session.finish(&unbound).await?;
    Ok(())
}

async fn delete(
    session: &mut Session<'_>,
    tested: &BindingUnderTest<'_>,
    binding: &str,
    asynchronous: bool,
) -> Result<(), Stop> {
    session.delete_thoroughly(&tested.deletion(binding), asynchronous).await?;
    if tested.is_fetched(session) {
        session.try_to("fetch the deleted binding");
        let fetched = session.ask(&Call::fetch_binding(tested.instance, binding)).await?;
        session.demand_status(&[404], "GETB-03", &fetched);
    }
    Ok(())
}
