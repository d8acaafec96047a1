//! Checks that requests with wrong bodies or ids are refused.

use http::{HeaderValue, header::CONTENT_TYPE};
use serde_json::{Value, json};

use super::{
    SchemaKind,
    instances::without,
    plan::PlanUnderTest,
    plans,
    session::{Exchange, Session, Stop},
};
use osb_client::{Call, Payload, guid};

/// The depth of a body that exhausts the stack of a recursive parser without a limit.
const DEPTH: usize = 100_000;

/// Sends requests that a broker must refuse.
pub(super) async fn check(session: &mut Session<'_>, of: PlanUnderTest<'_>) -> Result<(), Stop> {
    unknown_ids(session, of).await?;
    unknown_plans(session, of).await?;
    bodies(session, of).await?;
    content_types(session, of).await?;
    nested_body(session, of).await
}

async fn bodies(session: &mut Session<'_>, of: PlanUnderTest<'_>) -> Result<(), Stop> {
    let create = of.samples(session, SchemaKind::Create)?;
    let good = |session: &Session<'_>| session.waiting(of.put(session, &guid(), create.good.as_ref()));
    for (what, text) in [
        ("that is not JSON", "{"),
        ("that is empty", ""),
        ("that is a list", "[]"),
        ("that is a string", "\"osb\""),
        ("that is null", "null"),
    ] {
        session.try_to(format!("create an instance with a body {what}"));
        let call = Call { payload: Payload::Text(text.to_owned()), ..good(session) };
        let exchange = session.ask(&call).await?;
        // Any other 4xx is a refusal as well, but not with the recommended status.
        let rule = if exchange.is_refused() { "HDR-09" } else { "ERR-12" };
        session.demand_status(&[400], rule, &exchange);
        session.demand_nothing_made(&exchange).await?;
    }
    for field in ["service_id", "plan_id", "organization_guid", "space_guid"] {
        session.try_to(format!("create an instance without {field}"));
        let exchange = session.ask(&without(&good(session), field)).await?;
        session.demand_status(&[400], "PROV-15", &exchange);
        session.demand_nothing_made(&exchange).await?;
    }
    for (field, value) in [("service_id", json!(5)), ("plan_id", json!({})), ("parameters", json!("text"))] {
        session.try_to(format!("create an instance with {value} as {field}"));
        let exchange = session.ask(&good(session).field(field, value)).await?;
        session.demand_status(&[400], "PROV-15", &exchange);
        session.demand_nothing_made(&exchange).await?;
    }
    Ok(())
}

/// Sends bodies with another content type. They lack mandatory fields, so that 400 is right whether the broker reads them or
/// not.
async fn content_types(session: &mut Session<'_>, of: PlanUnderTest<'_>) -> Result<(), Stop> {
    for kind in [Some("text/plain"), Some("application/x-www-form-urlencoded"), None] {
        session.try_to(format!("create an instance with a body of {}", kind.unwrap_or("no content type")));
        let call = Call { payload: Payload::Json(json!({})), ..of.provision(&guid()) };
        let call = session.waiting(call);
        let mut request = session.request(&call)?;
        match kind {
            Some(kind) => drop(request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind))),
            None => drop(request.headers_mut().remove(CONTENT_TYPE)),
        }
        let exchange = session.send(&call, request).await?;
        let rule = if exchange.is_refused() { "HDR-09" } else { "ERR-12" };
        session.demand_status(&[400], rule, &exchange);
    }
    Ok(())
}

/// Sends a body that is nested deeply, which must not exhaust the broker's stack.
async fn nested_body(session: &mut Session<'_>, of: PlanUnderTest<'_>) -> Result<(), Stop> {
    session.try_to(format!("create an instance with a body that is nested {DEPTH} deep"));
    let text = format!("{{\"parameters\":{}{}}}", "[".repeat(DEPTH), "]".repeat(DEPTH));
    let call = Call { payload: Payload::Text(text), ..of.provision(&guid()) };
    match session.ask_waiting(call).await {
        Ok(exchange) => drop(session.demand_refusal("ERR-12", &exchange)),
        Err(end @ Stop::Ended(_)) => return Err(end),
        // It is reported, and the requests that follow show whether the broker still works.
        Err(Stop::Unchecked(_)) => {}
    }
    Ok(())
}

impl Session<'_> {
    /// Checks that the refusal of a creation left nothing to delete.
    pub(super) async fn demand_nothing_made(&mut self, refused: &Exchange) -> Result<(), Stop> {
        let Some(of) = self.under_test else { return Ok(()) };
        if !refused.is_refused() || self.deletes_anything {
            return Ok(());
        }
        let gone = self.ask_waiting(of.deletion_of(&refused.call)).await?;
        self.demand(!gone.is_success(), "ERR-08", "410, as the request to create it was refused", &gone);
        self.finish(&gone).await?;
        Ok(())
    }
}

/// Deletes instances that do not exist, with percent-encoded characters in the query and in the path.
async fn encoded(session: &mut Session<'_>, of: PlanUnderTest<'_>, as_usual: &Exchange) -> Result<(), Stop> {
    session.try_to("delete an instance that never existed, with its service_id percent-encoded");
    let call = as_usual.call.clone();
    let mut request = session.request(&call)?;
    let first = of.service.id.bytes().next().unwrap_or(b'-');
    let query = request.uri().to_string();
    let query = query.replacen(&format!("service_id={}", char::from(first)), &format!("service_id=%{first:02X}"), 1);
    *request.uri_mut() = query.parse().map_err(|error| Stop::Unchecked(format!("{error}")))?;
    let exchange = session.send(&call, request).await?;
    session.demand(exchange.status() == as_usual.status(), "URL-01", "the same status as without encoding", &exchange);

    session.try_to("delete an instance that never existed, with a slash in its id");
    let id = format!("{}/{}", guid(), guid());
    let exchange = session.ask_waiting(of.deprovision(&id)).await?;
    // Some servers and proxies can't tell an encoded slash from another one.
    session.recommend(
        exchange.status() == as_usual.status(),
        "URL-01",
        "the same status as without a slash",
        &exchange,
    );
    Ok(())
}

/// Sends requests for instances and bindings that do not exist.
async fn unknown_ids(session: &mut Session<'_>, of: PlanUnderTest<'_>) -> Result<(), Stop> {
    let exchange = session.try_to("delete an instance that never existed").ask_waiting(of.deprovision(&guid())).await?;
    session.deletes_anything = !session.demand_status(&[410], "DEP-04", &exchange) && exchange.is_success();
    encoded(session, of, &exchange).await?;
    let PlanUnderTest { service, plan } = of;
    if plan.bindable {
        session.try_to("delete a binding that never existed");
        let exchange = session.ask_waiting(Call::unbind(&guid(), &guid(), &service.id, &plan.id)).await?;
        session.demand_status(&[410], "UNB-03", &exchange);
        session.try_to("bind to an instance that never existed");
        let bind = of.samples(session, SchemaKind::Bind)?;
        let instance = guid();
        let call = session.dressed(Call::bind(&instance, &guid(), &service.id, &plan.id), &instance);
        let call = bind.good.into_iter().fold(call, Call::parameters);
        let exchange = session.ask_waiting(call).await?;
        session.demand_refusal("BIND-02", &exchange);
    }
    if service.instances_retrievable && session.since(14) {
        session.try_to("fetch an instance that never existed");
        let exchange = session.ask(&Call::fetch_instance(&guid())).await?;
        session.demand_status(&[404], "GETI-05", &exchange);
    }
    Ok(())
}

/// Sends requests for services and plans that do not exist, or don't belong together.
async fn unknown_plans(session: &mut Session<'_>, of: PlanUnderTest<'_>) -> Result<(), Stop> {
    let create = of.samples(session, SchemaKind::Create)?;
    let call =
        |session: &Session<'_>, parameters: Option<&Value>| session.waiting(of.put(session, &guid(), parameters));
    session.try_to("create an instance of an unknown service");
    let unknown = call(session, create.good.as_ref()).field("service_id", guid().into());
    let exchange = session.ask(&unknown).await?;
    session.demand_refusal("PROV-03", &exchange);
    // With and without the parameters and the maintenance version of the plan, as they could cause the refusal.
    session.try_to("create an instance of an unknown plan");
    let unknown = call(session, create.good.as_ref()).field("plan_id", guid().into());
    for call in [unknown.clone(), without(&without(&unknown, "maintenance_info"), "parameters")] {
        let exchange = session.ask(&call).await?;
        session.demand_refusal("PROV-04", &exchange);
        session.demand_nothing_made(&exchange).await?;
    }
    let other = plans(session.catalog).find(|other| other.service.id != of.service.id);
    if let Some(other) = other {
        session.try_to("create an instance of a plan of another service");
        let its = other.samples(session, SchemaKind::Create).unwrap_or_default();
        let alien = |call: Call| call.field("plan_id", other.plan.id.as_str().into());
        let with_its_own = match &other.plan.maintenance {
            Some(version) if session.since(15) => {
                call(session, its.good.as_ref()).field("maintenance_info", json!({ "version": version }))
            }
            _ => without(&call(session, its.good.as_ref()), "maintenance_info"),
        };
        let bare = without(&without(&call(session, None), "maintenance_info"), "parameters");
        for call in [call(session, create.good.as_ref()), with_its_own, bare] {
            let exchange = session.ask(&alien(call)).await?;
            session.demand_refusal("PROV-04", &exchange);
            session.demand_nothing_made(&exchange).await?;
        }
    }
    Ok(())
}
