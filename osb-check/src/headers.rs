//! Checks requests with wrong credentials, versions or identities, and conditional ones.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::{
    HeaderName,
    header::{AUTHORIZATION, ETAG, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED, WWW_AUTHENTICATE},
};
use serde_json::json;

use super::{
    plan::PlanUnderTest,
    session::{Exchange, Session, Stop},
};
use osb_client::{Call, Client, Payload, guid};
use osb_runtime::protocol::headers::{ORIGINATING_IDENTITY, REQUEST_IDENTITY, VERSION};

/// Sends requests whose headers a broker must refuse, or at least survive.
pub(super) async fn check(session: &mut Session<'_>, of: PlanUnderTest<'_>) -> Result<(), Stop> {
    credentials(session, of).await?;
    versions(session).await?;
    identities(session, of).await
}

/// Returns clients without credentials, and with wrong ones.
fn strangers(client: &Client) -> Vec<(&'static str, Client)> {
    let mut found = vec![
        ("without credentials", client.clone().header(&AUTHORIZATION, None)),
        ("with wrong credentials", client.clone().basic("osb-check", &guid())),
        ("with malformed credentials", client.clone().header(&AUTHORIZATION, Some("Basic =osb-check="))),
    ];
    let own = client.credentials().and_then(|value| value.to_str().ok()?.strip_prefix("Basic "));
    let own = own.and_then(|own| String::from_utf8(STANDARD.decode(own).ok()?).ok());
    if let Some((user, password)) = own.as_ref().and_then(|own| own.split_once(':')) {
        found.push(("with another user", client.clone().basic(&guid(), password)));
        let beginning: String = password.chars().take(password.chars().count().saturating_sub(1)).collect();
        if !beginning.is_empty() {
            found.push(("with the beginning of the password", client.clone().basic(user, &beginning)));
        }
        let other_case: String = password.chars().map(with_other_case).collect();
        if other_case != password {
            found.push(("with the password in the other case", client.clone().basic(user, &other_case)));
        }
        if !password.is_empty() {
            found.push(("with an empty password", client.clone().basic(user, "")));
        }
    }
    found
}

/// Returns the upper-case form of a lower-case ASCII letter, and the lower-case form of an upper-case one.
fn with_other_case(letter: char) -> char {
    if letter.is_ascii_lowercase() { letter.to_ascii_uppercase() } else { letter.to_ascii_lowercase() }
}

/// Sends requests without credentials, and with wrong ones. Authentication is only recommended; but a broker that demands
/// it for one endpoint must demand it for all.
async fn credentials(session: &mut Session<'_>, of: PlanUnderTest<'_>) -> Result<(), Stop> {
    if session.client.credentials().is_none() {
        return Ok(());
    }
    let PlanUnderTest { service, plan } = of;
    let (instance, binding) = (guid(), guid());
    let empty = |call: Call| Call { payload: Payload::Json(json!({})), ..call };
    // Bodies are invalid, so that nothing is created. Optional endpoints are left out, as they may be answered 404; polls
    // are checked once they are known to work.
    let updates = plan.plan_updateable || plan.schemas.update.is_some();
    let fetches = session.since(14);
    let calls = [
        (true, Call::catalog()),
        (true, empty(of.provision(&instance))),
        (fetches && service.instances_retrievable, Call::fetch_instance(&instance)),
        (session.since(6) && updates, empty(Call::update(&instance, &service.id))),
        (plan.bindable, empty(Call::bind(&instance, &binding, &service.id, &plan.id))),
        (fetches && service.bindings_retrievable, Call::fetch_binding(&instance, &binding)),
        (plan.bindable, Call::unbind(&instance, &binding, &service.id, &plan.id)),
        (true, of.deprovision(&instance)),
    ];
    let mut answered = Vec::new();
    for (how, client) in strangers(&session.client) {
        for (_, call) in calls.iter().filter(|(has, _)| *has) {
            session.try_to(format!("send a request {how}"));
            answered.push((how, session.ask_as(&client, call).await?));
        }
    }
    // The broker answers the catalog to those who have credentials. The first request has none.
    let (_, catalog) = &answered[0];
    let is_open = catalog.is_success() && answered.iter().all(|(_, exchange)| ![401, 403].contains(&exchange.status()));
    session.demands_credentials = !is_open;
    let mut has_challenges = true;
    for (how, exchange) in answered {
        session.try_to(format!("send {} {} {how}", exchange.call.method, exchange.call.path));
        if is_open {
            session.demand(false, "AUTH-04", "401 for at least one request", &exchange);
            break;
        }
        session.demand_status(&[401], "AUTH-01", &exchange);
        if exchange.status() == 401 && has_challenges {
            // A rule of HTTP, of which one warning suffices; platforms send their credentials without being asked.
            let expected =
                "a `WWW-Authenticate` header with the 401, such as `Basic realm=\"broker\"` (RFC 9110, section 11.6.1)";
            has_challenges = exchange.answer.headers.contains_key(&WWW_AUTHENTICATE);
            session.recommend(has_challenges, "AUTH-01", expected, &exchange);
        }
    }
    Ok(())
}

impl Session<'_> {
    /// Checks that a request which was answered needs credentials, if the broker demands them at all.
    pub(super) async fn demand_credentials(&mut self, answered: &Exchange) -> Result<(), Stop> {
        if !self.demands_credentials {
            return Ok(());
        }
        for (how, client) in strangers(&self.client).into_iter().take(2) {
            self.try_to(format!("send {} {} {how}", answered.call.method, answered.call.path));
            let exchange = self.ask_as(&client, &answered.call).await?;
            self.demand_status(&[401], "AUTH-01", &exchange);
        }
        Ok(())
    }
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

/// Sends malformed identities of users and requests. A broker may refuse them or ignore them. The body of the creation lacks
/// mandatory fields, so that nothing is created; a broker that refuses it otherwise than with 400 is reported elsewhere.
async fn identities(session: &mut Session<'_>, of: PlanUnderTest<'_>) -> Result<(), Stop> {
    let create = Call { payload: Payload::Json(json!({})), ..of.provision(&guid()) };
    let usual = session.try_to("create an instance with an empty body").ask(&create).await?.status();
    let base64 = |text: &str| STANDARD.encode(text);
    let users: [(&str, Option<String>); 6] = [
        ("no originating identity", None),
        ("an empty originating identity", Some(String::new())),
        ("an originating identity without a user", Some("cloudfoundry".to_owned())),
        ("an originating identity that is not base64", Some("cloudfoundry !osb-check!".to_owned())),
        ("an originating identity that is not JSON", Some(format!("cloudfoundry {}", base64("osb-check")))),
        ("an originating identity that is a list", Some(format!("cloudfoundry {}", base64("[]")))),
    ];
    let users = users.map(|(what, value)| (what, ORIGINATING_IDENTITY, value, "HDR-04", 13));
    let request = ("an empty request identity", REQUEST_IDENTITY, Some(String::new()), "HDR-05", 15);
    for (what, header, value, rule, since) in users.into_iter().chain([request]) {
        if !session.since(since) {
            continue;
        }
        let of_catalog: &[u16] = if value.is_some() { &[200, 400] } else { &[200] };
        for (call, statuses) in [(Call::catalog(), of_catalog), (create.clone(), &[400, usual])] {
            session.try_to(format!("send {} {} with {what}", call.method, call.path));
            let mut request = session.request(&call)?;
            replace(request.headers_mut(), &header, value.as_deref());
            let exchange = session.send(&call, request).await?;
            session.demand_status(statuses, rule, &exchange);
        }
    }
    Ok(())
}

fn replace(headers: &mut http::HeaderMap, name: &HeaderName, value: Option<&str>) {
    headers.remove(name);
    if let Some(value) = value.and_then(|value| value.parse().ok()) {
        headers.insert(name, value);
    }
}

/// Fetches the catalog under the conditions for which the broker offers validators.
pub(super) async fn conditions(session: &mut Session<'_>, fetched: &Exchange) -> Result<(), Stop> {
    for (validator, condition, other) in [
        (ETAG, IF_NONE_MATCH, "\"osb-check-has-no-such-tag\""),
        (LAST_MODIFIED, IF_MODIFIED_SINCE, "Thu, 01 Jan 1970 00:00:00 GMT"),
    ] {
        let Some(value) = fetched.answer.header(validator.as_str()).map(str::to_owned) else { continue };
        session.try_to(format!("fetch the catalog with {condition}: {value}"));
        let client = session.client.clone().header(&condition, Some(&value));
        let same = session.ask_as(&client, &Call::catalog()).await?;
        let changed = same.status() == 200 && same.answer.header(validator.as_str()) != Some(value.as_str());
        session.demand(same.status() == 304 || changed, "HDR-11", "304, as the catalog is the same", &same);
        if same.status() == 304 && session.demands_credentials {
            session.try_to(format!("fetch the catalog with {condition}: {value}, without credentials"));
            let exchange = session.ask_as(&client.header(&AUTHORIZATION, None), &Call::catalog()).await?;
            session.demand_status(&[401], "AUTH-01", &exchange);
        }
        if value == other {
            continue;
        }
        session.try_to(format!("fetch the catalog with {condition}: {other}"));
        let client = session.client.clone().header(&condition, Some(other));
        let differs = session.ask_as(&client, &Call::catalog()).await?;
        session.demand_status(&[200], "HDR-11", &differs);
    }
    Ok(())
}
