//! Checks deletions of instances, and deletes instances and bindings as platforms do.

use super::{
    instances::InstanceUnderTest,
    session::{Ending, Exchange, SYNCHRONOUS, Session, Stop, accepting, is_binding},
};
use osb_client::{Call, State, guid};

/// Deletes the instance, and asks for it afterwards.
pub(super) async fn check(session: &mut Session<'_>, tested: &InstanceUnderTest<'_>) -> Result<(), Stop> {
    let call = tested.of.deprovision(&tested.instance);
    session.delete_thoroughly(&call, tested.asynchronous).await?;
    if tested.is_fetched(session) {
        let fetched = session.try_to("fetch the deleted instance").ask(&Call::fetch_instance(&tested.instance)).await?;
        session.demand_status(&[404], "GETI-05", &fetched);
    }
    if tested.asynchronous && session.since(16) {
        let polled = session.try_to("poll an instance that never existed").ask_poll(&Call::poll(&guid(), None)).await?;
        session.demand_status(&[404], "LOI-06", &polled);
    }
    Ok(())
}

impl Session<'_> {
    /// Deletes an instance or a binding: first with requests that the broker must refuse, then as platforms do, then once more.
    pub(super) async fn delete_thoroughly(&mut self, call: &Call, asynchronous: bool) -> Result<(), Stop> {
        let (what, incomplete, again, refusal) = if is_binding(call) {
            ("unbind", "UNB-02", "UNB-03", "UNB-04")
        } else {
            ("delete the instance", "DEP-03", "DEP-04", "DEP-05")
        };
        let mut is_gone = false;
        for (missing, kept) in [("service_id and plan_id", ""), ("service_id", "plan_id"), ("plan_id", "service_id")] {
            if is_gone {
                break;
            }
            self.try_to(format!("{what} without {missing}"));
            let mut bare = call.clone();
            bare.query.retain(|(name, _)| name == kept);
            let exchange = self.ask_waiting(bare).await?;
            self.demand_status(&[400], incomplete, &exchange);
            self.finish(&exchange).await?;
            is_gone = exchange.is_success();
        }
        let mut refused = Vec::new();
        if asynchronous && !is_gone {
            match self.delete_synchronously(call, what).await? {
                None => is_gone = true,
                Some(exchanges) => refused = exchanges,
            }
        }
        if !is_gone {
            let gone = self.try_to(what).delete(call).await?;
            if gone.status() == 202 {
                self.demand_async_required(refusal, &refused);
            }
        }
        let exchange = self.try_to(format!("{what} again")).ask_waiting(call.clone()).await?;
        self.demand_status(&[410], again, &exchange);
        self.finish(&exchange).await?;
        Ok(())
    }

    /// Deletes an instance or a binding without accepting an asynchronous operation. Returns the refusals, or `None` once it
    /// is deleted.
    async fn delete_synchronously(&mut self, call: &Call, what: &str) -> Result<Option<Vec<Exchange>>, Stop> {
        let mut refused = Vec::new();
        for (how, value) in SYNCHRONOUS {
            let gone = self.try_to(format!("{what} {how}")).ask(&accepting(call, value)).await?;
            self.finish(&gone).await?;
            if gone.is_success() {
                return Ok(None);
            }
            refused.push(gone);
        }
        Ok(Some(refused))
    }

    /// Deletes an instance or a binding with this value of `accepts_incomplete`, or as platforms do if the broker demands that.
    pub(super) async fn delete_accepting(&mut self, call: &Call, value: Option<&str>) -> Result<(), Stop> {
        let gone = self.ask(&accepting(call, value)).await?;
        if gone.has_code("AsyncRequired") {
            return self.delete(call).await.map(drop);
        }
        self.demand_status(&[200], if is_binding(call) { "UNB-03" } else { "DEP-04" }, &gone);
        self.finish(&gone).await.map(drop)
    }

    /// Deletes an instance or a binding as platforms do, and polls the operation.
    pub(super) async fn delete(&mut self, call: &Call) -> Result<Exchange, Stop> {
        let rule = if is_binding(call) { "UNB-03" } else { "DEP-04" };
        let begun = self.ask_waiting(call.clone()).await?;
        if begun.status() == 202 {
            let again = self.ask(&begun.call).await?;
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
