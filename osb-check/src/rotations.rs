//! Checks rotations of bindings, and that bindings are independent of each other.

use std::time::SystemTime;

use serde_json::{Value, json};

use super::{
    bindings::{BindingUnderTest, contents},
    judge::sortable,
    session::{Ending, Exchange, Session, Stop},
};
use osb_client::{Call, Payload, guid};
use osb_runtime::service::timestamp;

/// A binding that other requests must not change.
pub(super) struct ValidBinding {
    pub(super) id: String,
    /// The request that created it, if the broker answers it 200 when it is repeated.
    pub(super) repeatable: Option<Call>,
    /// Its contents, if they are known.
    pub(super) contents: Value,
}

impl ValidBinding {
    /// Checks that the broker still has the binding.
    pub(super) async fn demand_valid(
        &self,
        session: &mut Session<'_>,
        tested: &BindingUnderTest<'_>,
        rule: &'static str,
        after: &str,
    ) -> Result<(), Stop> {
        if tested.is_fetched(session) {
            session.try_to(format!("fetch a binding after {after}"));
            let fetched = session.ask(&Call::fetch_binding(tested.instance, &self.id)).await?;
            session.demand_status(&[200], rule, &fetched);
        }
        if let Some(call) = &self.repeatable {
            let again = session.try_to(format!("repeat a bind request after {after}")).ask(call).await?;
            session.demand_status(&[200], rule, &again);
            session.finish(&again).await?;
        }
        Ok(())
    }

    /// Recommends that another binding has other credentials than this one, if there is a secret in them: an address or a
    /// path can be the same for all.
    pub(super) fn demand_other_credentials(&self, session: &mut Session<'_>, other: &Value, made: &Exchange) {
        let credentials = &self.contents["credentials"];
        let same = has_secret(credentials) && *credentials == other["credentials"];
        session.recommend(!same, "BIND-16", "credentials other than those of another binding", made);
    }
}

/// Returns whether a member has the name of a secret, or a URL has a user.
fn has_secret(credentials: &Value) -> bool {
    const SECRETS: [&str; 8] = ["pass", "pwd", "secret", "token", "key", "credential", "auth", "user"];
    match credentials {
        Value::Object(members) => members.iter().any(|(name, value)| {
            let name = name.to_ascii_lowercase();
            SECRETS.iter().any(|secret| name.contains(secret)) || has_secret(value)
        }),
        Value::Array(items) => items.iter().any(has_secret),
        Value::String(text) => text.split_once("://").is_some_and(|(_, rest)| rest.contains('@')),
        _ => false,
    }
}

/// Checks that a new binding does not expire at once. The format of the time is checked with the response.
pub(super) fn demand_unexpired(session: &mut Session<'_>, binding: &Value, made: &Exchange) {
    let Some(end) = binding["metadata"]["expires_at"].as_str() else { return };
    let now = timestamp(SystemTime::now()).unwrap_or_default();
    let expired = sortable(end) < sortable(&now);
    session.demand(!expired, "BIND-24", "an `expires_at` in the future", made);
}

/// Rotates a binding; both bindings have to stay valid.
pub(super) async fn check(
    session: &mut Session<'_>,
    tested: &BindingUnderTest<'_>,
    old: &ValidBinding,
) -> Result<(), Stop> {
    session.try_to("rotate a binding that never existed");
    let refused = session.ask_waiting(tested.put(session, &guid(), None).predecessor(&guid())).await?;
    session.demand_refusal("ROT-02", &refused);

    session.try_to("rotate the binding");
    let new = guid();
    let made = session.ask_waiting(tested.put(session, &new, None).predecessor(&old.id)).await?;
    if !session.demand_status(&[201, 202], "ROT-04", &made) {
        return Ok(());
    }
    if made.status() == 202
        && let Ending::Failed(why) = session.follow(&made).await?
    {
        session.unchecked(format!("the operation failed: {why}"));
        return Ok(());
    }
    let made_contents = contents(session, tested, &made).await?;
    old.demand_other_credentials(session, &made_contents, &made);
    demand_unexpired(session, &made_contents, &made);
    let successor = ValidBinding { id: new, repeatable: None, contents: made_contents };
    old.demand_valid(session, tested, "ROT-03", "its rotation").await?;
    successor.demand_valid(session, tested, "ROT-03", "a rotation that created it").await?;
    session.try_to("rotate the successor with nothing but predecessor_binding_id");
    let third = guid();
    let call = tested.put(session, &third, None);
    let call = Call { payload: Payload::Json(json!({ "predecessor_binding_id": successor.id })), ..call };
    let made = session.ask_waiting(call).await?;
    // The OpenAPI document of the specification requires more than its text.
    session.recommend(made.is_success(), "ROT-02", "success, as the other fields are optional", &made);
    let lasts = session.finish(&made).await?;

    session.try_to("unbind the successor").delete(&tested.deletion(&successor.id)).await?;
    old.demand_valid(session, tested, "ROT-03", "the deletion of its successor").await?;
    if lasts {
        let third = ValidBinding { id: third, repeatable: None, contents: Value::Null };
        third.demand_valid(session, tested, "ROT-03", "the deletion of its predecessor").await?;
        session.try_to("unbind the successor of the successor").delete(&tested.deletion(&third.id)).await?;
    }
    Ok(())
}

/// Rotates a binding of another instance. Platforms must not do so; a broker that accepts it may carry over values from the
/// instance of another user.
pub(super) async fn of_another_instance(
    session: &mut Session<'_>,
    tested: &BindingUnderTest<'_>,
    predecessor: &str,
) -> Result<(), Stop> {
    session.try_to("rotate a binding of another instance");
    let binding = guid();
    let made = session.ask_waiting(tested.put(session, &binding, None).predecessor(predecessor)).await?;
    session.recommend(made.is_refused(), "ROT-02", "a refusal with a 4xx", &made);
    if session.finish(&made).await? {
        session.delete(&tested.deletion(&binding)).await?;
    }
    Ok(())
}
