//! Checks deletions of instances, and deletes instances and bindings as platforms do.

use super::{
    instances::{InstanceUnderTest, waiting},
    session::{Ending, Exchange, SYNCHRONOUS, Session, Stop, accepting, is_binding},
};
use osb_client::{Call, State, guid};

/// Deletes the instance, first with requests that the broker must refuse.
pub(super) async fn check(session: &mut Session<'_>, life: &InstanceUnderTest<'_>) -> Result<(), Stop> {
    let call = Call::deprovision(&life.instance, &life.service.id, &life.plan.id);
    let mut is_gone = false;
    for (missing, kept) in [("service_id and plan_id", ""), ("service_id", "plan_id"), ("plan_id", "service_id")] {
        if is_gone {
            break;
        }
        session.try_to(format!("delete the instance without {missing}"));
        let mut bare = call.clone();
        bare.query.retain(|(name, _)| name == kept);
        let exchange = session.ask(&waiting(session, bare, 7)).await?;
        session.demand_status(&[400], "DEP-03", &exchange);
        if exchange.status() == 202 {
            session.follow(&exchange).await?;
        }
        is_gone = exchange.is_success();
    }
    let mut refused = Vec::new();
    if life.asynchronous && !is_gone {
        match session.delete_synchronously(&call).await? {
            None => is_gone = true,
            Some(exchanges) => refused = exchanges,
        }
    }
    if !is_gone {
        session.try_to("delete the instance");
        let gone = session.delete(&call, 7).await?;
        for refused in refused.iter().filter(|_| gone.status() == 202) {
            session.demand(refused.has_code("AsyncRequired"), "DEP-05", "422 AsyncRequired", refused);
        }
    }
    session.try_to("repeat the deletion of the instance");
    let again = session.ask(&waiting(session, call, 7)).await?;
    session.demand_status(&[410], "DEP-04", &again);
    if again.status() == 202 {
        session.follow(&again).await?;
    }
    if life.service.instances_retrievable && session.since(14) {
        session.try_to("fetch the deleted instance");
        let fetched = session.ask(&Call::fetch_instance(&life.instance)).await?;
        session.demand_status(&[404], "GETI-05", &fetched);
    }
    if life.asynchronous && session.since(16) {
        session.try_to("poll an instance that never existed");
        let polled = session.ask_poll(&Call::poll(&guid(), None)).await?;
        session.demand_status(&[404], "LOI-06", &polled);
    }
    Ok(())
}

impl Session<'_> {
    /// Deletes an instance or a binding without accepting an asynchronous operation. Returns the refusals, or `None` once it
    /// is deleted.
    pub(super) async fn delete_synchronously(&mut self, call: &Call) -> Result<Option<Vec<Exchange>>, Stop> {
        let mut refused = Vec::new();
        for (how, value) in SYNCHRONOUS {
            self.try_to(format!("{} {how}", if is_binding(call) { "unbind" } else { "delete the instance" }));
            let gone = self.ask(&accepting(call, value)).await?;
            if gone.status() == 202 {
                self.follow(&gone).await?;
            }
            if gone.is_success() {
                return Ok(None);
            }
            refused.push(gone);
        }
        Ok(Some(refused))
    }

    /// Deletes an instance or a binding as platforms do, and polls the operation.
    pub(super) async fn delete(&mut self, call: &Call, waits_since: u32) -> Result<Exchange, Stop> {
        let rule = if is_binding(call) { "UNB-03" } else { "DEP-04" };
        let call = waiting(self, call.clone(), waits_since);
        let begun = self.ask(&call).await?;
        if begun.status() == 202 {
            let again = self.ask(&call).await?;
            let polled = self.poll(&begun).await?;
            if State::of(&polled.answer) == Some(State::InProgress) {
                self.same_operation(rule, &begun, &again);
            }
            if let Ending::Failed(why) = self.follow_from(&begun, polled).await? {
                return Err(Stop::Unchecked(format!("the operation failed: {why}")));
            }
        } else if !self.demand_status(&[200, 202], rule, &begun) {
            return Err(Stop::Unchecked(format!("the broker responded {begun}")));
        }
        Ok(begun)
    }
}
