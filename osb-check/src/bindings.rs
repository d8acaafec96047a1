//! Checks the lifecycle of bindings.

use serde_json::Value;

use super::{
    SchemaKind,
    instances::{InstanceUnderTest, new_instance, waiting, without},
    session::{Ending, Exchange, Session, Stop},
};
use osb_client::{Call, CatalogPlan, CatalogService, guid};

/// The minor version since which bindings may be asynchronous.
const WAITS: u32 = 14;

/// The instance to bind, with its service and plan.
struct BindingUnderTest<'a> {
    service: &'a CatalogService,
    plan: &'a CatalogPlan,
    instance: &'a str,
}

impl BindingUnderTest<'_> {
    fn put(&self, session: &Session<'_>, binding: &str, parameters: Option<&Value>) -> Call {
        let call = Call::bind(self.instance, binding, &self.service.id, &self.plan.id);
        let call = session.dressed(call, self.instance);
        parameters.into_iter().fold(call, |call, parameters| call.parameters(parameters.clone()))
    }

    fn deletion(&self, binding: &str) -> Call {
        Call::unbind(self.instance, binding, &self.service.id, &self.plan.id)
    }

    fn is_fetched(&self, session: &Session<'_>) -> bool {
        self.service.bindings_retrievable && session.since(14)
    }
}

/// Takes a binding of an instance through its lifecycle.
pub(super) async fn check(session: &mut Session<'_>, life: &InstanceUnderTest<'_>) -> Result<(), Stop> {
    let of = BindingUnderTest { service: life.service, plan: life.plan, instance: &life.instance };
    session.try_to("bind");
    let bind = session.samples(of.service, of.plan, SchemaKind::Bind)?;
    refusals(session, &of, &bind.bad, bind.good.as_ref()).await?;

    let binding = guid();
    let Some(made) = create(session, &of, &binding, bind.good.as_ref(), bind.other.as_ref()).await? else {
        return Ok(());
    };
    session.try_to("repeat the bind request");
    let again = session.ask(&made.call).await?;
    session.demand_status(&[200], "BIND-08", &again);
    if let Some(other) = &bind.other {
        session.try_to("bind with other parameters and the same id");
        let conflict = session.ask(&waiting(session, of.put(session, &binding, Some(other)), WAITS)).await?;
        session.demand_status(&[409], "BIND-11", &conflict);
    }
    if of.plan.binding_rotatable && session.since(17) {
        rotate(session, &of, &binding).await?;
    }
    delete(session, &of, &binding).await
}

async fn refusals(
    session: &mut Session<'_>,
    of: &BindingUnderTest<'_>,
    bad: &[(String, Value)],
    good: Option<&Value>,
) -> Result<(), Stop> {
    for (what, bad) in bad {
        session.try_to(format!("bind with parameters that the schema refuses: {what}"));
        let call = waiting(session, of.put(session, &guid(), Some(bad)), WAITS);
        let exchange = session.ask(&call).await?;
        session.demand_refusal("BIND-06", &exchange);
    }
    for field in ["service_id", "plan_id"] {
        session.try_to(format!("bind without {field}"));
        let call = waiting(session, without(&of.put(session, &guid(), good), field), WAITS);
        let exchange = session.ask(&call).await?;
        session.demand_status(&[400], "BIND-15", &exchange);
    }
    Ok(())
}

/// Creates two bindings, the first one without `accepts_incomplete`, and returns the second; `None` if this platform
/// cannot have bindings.
async fn create(
    session: &mut Session<'_>,
    of: &BindingUnderTest<'_>,
    binding: &str,
    good: Option<&Value>,
    other: Option<&Value>,
) -> Result<Option<Exchange>, Stop> {
    if session.since(WAITS) {
        session.try_to("bind without accepts_incomplete");
        let other_binding = guid();
        let made = session.ask(&of.put(session, &other_binding, good)).await?;
        if made.is_success() {
            session.demand_status(&[201], "BIND-07", &made);
            session.try_to("unbind without accepts_incomplete");
            let gone = session.ask(&of.deletion(&other_binding)).await?;
            if gone.has_code("AsyncRequired") {
                session.delete(&of.deletion(&other_binding), WAITS).await?;
            } else {
                session.demand_status(&[200], "UNB-03", &gone);
            }
        }
    }
    session.try_to("bind");
    let call = waiting(session, of.put(session, binding, good), WAITS);
    let made = session.ask(&call).await?;
    match made.status() {
        202 => {
            let again = session.ask(&call).await?;
            let conflict = match other {
                Some(other) => {
                    Some(session.ask(&waiting(session, of.put(session, binding, Some(other)), WAITS)).await?)
                }
                None => None,
            };
            let fetched = if of.is_fetched(session) {
                Some(session.ask(&Call::fetch_binding(of.instance, binding)).await?)
            } else {
                None
            };
            if session.goes_on(&made).await? {
                session.same_operation("BIND-09", &made, &again);
                if let Some(conflict) = conflict {
                    let right = conflict.status() == 409 || conflict.has_code("ConcurrencyError");
                    session.demand(right, "BIND-11", "409 for other parameters", &conflict);
                }
                if let Some(fetched) = fetched {
                    session.demand_status(&[404], "GETB-03", &fetched);
                }
            }
            if session.settings.platform == Some(osb_client::Platform::CloudFoundry) {
                let can = of.service.bindings_retrievable;
                session.demand(can, "CF-16", "bindings_retrievable, as bindings are asynchronous", &made);
            }
            if let Ending::Failed(why) = session.follow(&made).await? {
                session.unchecked(format!("the operation failed: {why}"));
                return Ok(None);
            }
        }
        201 => {}
        200 => drop(session.demand_status(&[201, 202], "BIND-07", &made)),
        // Platforms of this version cannot have asynchronous bindings.
        _ if made.has_code("AsyncRequired") && !session.since(WAITS) => return Ok(None),
        // This platform has no applications.
        _ if made.has_code("RequiresApp") && call.json().get("app_guid").is_none() => return Ok(None),
        _ => {
            session.unchecked(format!("the broker responded {made}; provide other parameters with `--parameters`"));
            return Ok(None);
        }
    }
    if of.is_fetched(session) {
        session.try_to("fetch the binding");
        let fetched = session.ask(&Call::fetch_binding(of.instance, binding)).await?;
        session.demand_status(&[200], if made.status() == 202 { "GETB-02" } else { "GETB-01" }, &fetched);
        check_requires(session, of.service, &fetched);
    }
    check_requires(session, of.service, &made);
    Ok(Some(made))
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
        session.demand(
            !given || said,
            rule,
            &format!("`{field}` only from services that require `{needed}`"),
            exchange,
        );
    }
}

/// Rotates a binding; both bindings have to stay valid.
async fn rotate(session: &mut Session<'_>, of: &BindingUnderTest<'_>, old: &str) -> Result<(), Stop> {
    session.try_to("rotate the binding");
    let new = guid();
    let call = of.put(session, &new, None).field("predecessor_binding_id", old.into());
    let made = session.ask(&waiting(session, call, WAITS)).await?;
    if !session.demand_status(&[201, 202], "ROT-04", &made) {
        return Ok(());
    }
    if made.status() == 202
        && let Ending::Failed(why) = session.follow(&made).await?
    {
        session.unchecked(format!("the operation failed: {why}"));
        return Ok(());
    }
    if of.is_fetched(session) {
        for (binding, which) in [(old, "the old"), (&new, "the new")] {
            session.try_to(format!("fetch {which} binding after a rotation"));
            let fetched = session.ask(&Call::fetch_binding(of.instance, binding)).await?;
            session.demand_status(&[200], "ROT-03", &fetched);
        }
    }
    session.try_to("unbind the successor");
    session.delete(&of.deletion(&new), WAITS).await.map(drop)
}

/// Deletes an instance that has a binding. Whether that succeeds, and whether it deletes the binding, is the broker's
/// choice (DEP-02); but a later deletion of the binding has to succeed, even if the binding no longer exists.
pub(super) async fn leave_one(session: &mut Session<'_>, life: &InstanceUnderTest<'_>) -> Result<(), Stop> {
    let of = BindingUnderTest { service: life.service, plan: life.plan, instance: &life.instance };
    session.try_to("delete an instance that has a binding");
    let (create, bind) = (
        session.samples(of.service, of.plan, SchemaKind::Create)?,
        session.samples(of.service, of.plan, SchemaKind::Bind)?,
    );
    let (instance, binding) = (guid(), guid());
    let call = new_instance(session, of.service, of.plan, &instance, create.good.as_ref());
    let made = session.ask(&waiting(session, call, 7)).await?;
    let of = BindingUnderTest { instance: &instance, ..of };
    if !made.is_success() || made.status() == 202 && session.follow(&made).await? != Ending::Succeeded {
        return Ok(());
    }
    let bound = session.ask(&waiting(session, of.put(session, &binding, bind.good.as_ref()), WAITS)).await?;
    if !bound.is_success() || bound.status() == 202 && session.follow(&bound).await? != Ending::Succeeded {
        return Ok(());
    }
    let call = Call::deprovision(&instance, &of.service.id, &of.plan.id);
    let gone = session.ask(&waiting(session, call, 7)).await?;
    if gone.status() == 202 {
        session.follow(&gone).await?;
    }
    session.try_to("unbind after the deletion of the instance");
    let unbound = session.ask(&waiting(session, of.deletion(&binding), WAITS)).await?;
    session.demand_status(&[200, 202, 410], "ORP-02", &unbound);
    if unbound.status() == 202 {
        session.follow(&unbound).await?;
    }
    Ok(())
}

async fn delete(session: &mut Session<'_>, of: &BindingUnderTest<'_>, binding: &str) -> Result<(), Stop> {
    session.try_to("unbind without service_id and plan_id");
    let call = of.deletion(binding);
    let bare = Call { query: Vec::new(), ..call.clone() };
    let exchange = session.ask(&waiting(session, bare, WAITS)).await?;
    session.demand_status(&[400], "UNB-02", &exchange);
    if exchange.status() == 202 {
        session.follow(&exchange).await?;
    }
    if !exchange.is_success() {
        session.try_to("unbind");
        session.delete(&call, WAITS).await?;
    }
    session.try_to("repeat the unbind request");
    let again = session.ask(&waiting(session, call, WAITS)).await?;
    session.demand_status(&[410], "UNB-03", &again);
    if again.status() == 202 {
        session.follow(&again).await?;
    }
    if of.is_fetched(session) {
        session.try_to("fetch the deleted binding");
        let fetched = session.ask(&Call::fetch_binding(of.instance, binding)).await?;
        session.demand_status(&[404], "GETB-03", &fetched);
    }
    Ok(())
}
