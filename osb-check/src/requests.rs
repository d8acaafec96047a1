//! Checks that requests with wrong credentials, versions, bodies or ids are refused.

use http::header::AUTHORIZATION;
use serde_json::json;

use super::{
    SchemaKind,
    instances::{new_instance, waiting, without},
    session::{Session, Stop},
};
use osb_client::{Call, CatalogPlan, CatalogService, Payload, guid};
use osb_runtime::protocol::headers::VERSION;

/// Sends requests that a broker must refuse.
pub(super) async fn check(session: &mut Session<'_>, service: &CatalogService, plan: &CatalogPlan) -> Result<(), Stop> {
    credentials(session, service, plan).await?;
    versions(session).await?;
    bodies(session, service, plan).await?;
    unknown_ids(session, service, plan).await
}

/// Sends requests without credentials, and with wrong ones. Authentication is only recommended; but a broker that demands
/// it for one endpoint must demand it for all.
async fn credentials(session: &mut Session<'_>, service: &CatalogService, plan: &CatalogPlan) -> Result<(), Stop> {
    if !session.client.has_credentials() {
        return Ok(());
    }
    let (instance, binding) = (guid(), guid());
    let empty = |call: Call| Call { payload: Payload::Json(json!({})), ..call };
    // Bodies are invalid, so that nothing is created. Optional endpoints are left out, as they may be answered 404.
    let updates = plan.plan_updateable || plan.schemas.update.is_some();
    let fetches = session.since(14);
    let calls = [
        (true, Call::catalog()),
        (true, empty(Call::provision(&instance, &service.id, &plan.id))),
        (fetches && service.instances_retrievable, Call::fetch_instance(&instance)),
        (session.since(6) && updates, empty(Call::update(&instance, &service.id))),
        (plan.bindable, empty(Call::bind(&instance, &binding, &service.id, &plan.id))),
        (fetches && service.bindings_retrievable, Call::fetch_binding(&instance, &binding)),
        (plan.bindable, Call::unbind(&instance, &binding, &service.id, &plan.id)),
        (true, Call::deprovision(&instance, &service.id, &plan.id)),
    ];
    let clients = [
        ("without credentials", session.client.clone().header(&AUTHORIZATION, None)),
        ("with wrong credentials", session.client.clone().basic("osb-check", &guid())),
    ];
    let mut answered = Vec::new();
    for (how, client) in clients {
        for (_, call) in calls.iter().filter(|(has, _)| *has) {
            session.try_to(format!("send a request {how}"));
            answered.push((how, session.ask_as(&client, call).await?));
        }
    }
    let is_open = answered.iter().all(|(_, exchange)| exchange.status() != 401);
    for (how, exchange) in answered {
        session.try_to(format!("send {} {} {how}", exchange.call.method, exchange.call.path));
        if is_open {
            session.demand(false, "AUTH-04", "401 for at least one request", &exchange);
            break;
        }
        session.demand_status(&[401], "AUTH-01", &exchange);
    }
    Ok(())
}

async fn versions(session: &mut Session<'_>) -> Result<(), Stop> {
    // A broker may support any version; but if it refuses one, it has to use a specified status.
    for (how, version, refusal) in [
        ("without a version", None, [400, 412].as_slice()),
        ("with version 1.0", Some("1.0"), &[412]),
        ("with version 3.0", Some("3.0"), &[412]),
        ("with an invalid version", Some("latest"), &[400, 412]),
    ] {
        session.try_to(format!("fetch the catalog {how}"));
        let client = session.client.clone().header(&VERSION, version);
        let exchange = session.ask_as(&client, &Call::catalog()).await?;
        let statuses: Vec<_> = refusal.iter().map(u16::to_string).collect();
        let right = exchange.status() == 200 || refusal.contains(&exchange.status());
        session.demand(right, "ERR-01", &format!("200, or a refusal with {}", statuses.join(" or ")), &exchange);
    }
    Ok(())
}

async fn bodies(session: &mut Session<'_>, service: &CatalogService, plan: &CatalogPlan) -> Result<(), Stop> {
    let create = session.samples(service, plan, SchemaKind::Create)?;
    let good = |session: &Session<'_>| {
        waiting(session, new_instance(session, service, plan, &guid(), create.good.as_ref()), 7)
    };
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
    }
    for field in ["service_id", "plan_id", "organization_guid", "space_guid"] {
        session.try_to(format!("create an instance without {field}"));
        let exchange = session.ask(&without(&good(session), field)).await?;
        session.demand_status(&[400], "PROV-15", &exchange);
    }
    for (field, value) in [("service_id", json!(5)), ("plan_id", json!({})), ("parameters", json!("text"))] {
        session.try_to(format!("create an instance with {value} as {field}"));
        let exchange = session.ask(&good(session).field(field, value)).await?;
        session.demand_status(&[400], "PROV-15", &exchange);
    }
    Ok(())
}

/// Sends requests for services, plans, instances and bindings that do not exist.
async fn unknown_ids(session: &mut Session<'_>, service: &CatalogService, plan: &CatalogPlan) -> Result<(), Stop> {
    let create = session.samples(service, plan, SchemaKind::Create)?;
    let call = |session: &Session<'_>| {
        waiting(session, new_instance(session, service, plan, &guid(), create.good.as_ref()), 7)
    };
    session.try_to("create an instance of an unknown service");
    let exchange = session.ask(&call(session).field("service_id", guid().into())).await?;
    session.demand_refusal("PROV-03", &exchange);
    session.try_to("create an instance of an unknown plan");
    let exchange = session.ask(&call(session).field("plan_id", guid().into())).await?;
    session.demand_refusal("PROV-04", &exchange);
    let elsewhere = session.settings.catalog_services().find(|other| other.id != service.id);
    if let Some(other) = elsewhere.and_then(|other| other.plans.first()) {
        session.try_to("create an instance of a plan of another service");
        let exchange = session.ask(&call(session).field("plan_id", other.id.as_str().into())).await?;
        session.demand_refusal("PROV-04", &exchange);
    }
    session.try_to("delete an instance that never existed");
    let gone = waiting(session, Call::deprovision(&guid(), &service.id, &plan.id), 7);
    let exchange = session.ask(&gone).await?;
    session.demand_status(&[410], "DEP-04", &exchange);
    if plan.bindable {
        session.try_to("delete a binding that never existed");
        let gone = waiting(session, Call::unbind(&guid(), &guid(), &service.id, &plan.id), 14);
        let exchange = session.ask(&gone).await?;
        session.demand_status(&[410], "UNB-03", &exchange);
    }
    if service.instances_retrievable && session.since(14) {
        session.try_to("fetch an instance that never existed");
        let exchange = session.ask(&Call::fetch_instance(&guid())).await?;
        session.demand_status(&[404], "GETI-05", &exchange);
    }
    Ok(())
}
