//! Creates instances and bindings without accepting an operation, and sends requests while one is running.

use super::{
    plan::PlanUnderTest,
    session::{Exchange, SYNCHRONOUS, Session, Stop, accepting, is_binding},
};
use osb_client::Call;

impl Session<'_> {
    /// Creates and deletes instances or bindings synchronously. Returns the responses of those that the broker has not created.
    pub(super) async fn create_synchronously(
        &mut self,
        of: PlanUnderTest<'_>,
        new: impl Fn(&Session<'_>) -> Call,
    ) -> Result<Vec<Exchange>, Stop> {
        let mut refused = Vec::new();
        let first = new(self);
        let (create, delete, rule) = if is_binding(&first) {
            ("bind", "unbind", "BIND-07")
        } else {
            ("create an instance", "delete an instance", "PROV-10")
        };
        for (how, value) in if self.polls(&first) { SYNCHRONOUS.as_slice() } else { &[] } {
            self.try_to(format!("{create} {how}"));
            let made = self.ask(&accepting(&new(self), *value)).await?;
            if !made.is_success() {
                // The plan may be asynchronous only. Any other failure is reported when the creation is tried again.
                refused.push(made);
                continue;
            }
            // A 202 breaks a rule of its own.
            if made.status() != 202 {
                self.demand_status(&[201], rule, &made);
            }
            self.finish(&made).await?;
            self.try_to(format!("{delete} {how}"));
            self.delete_accepting(&of.deletion_of(&made.call), *value).await?;
        }
        Ok(refused)
    }

    /// Sends requests for an instance or a binding while it is being created: the same again, one with other attributes, and a
    /// fetch.
    pub(super) async fn repeat_meanwhile(
        &mut self,
        made: &Exchange,
        other: Option<Call>,
        fetch: Option<Call>,
    ) -> Result<(), Stop> {
        let (same, conflicting, unknown) =
            if is_binding(&made.call) { ("BIND-09", "BIND-11", "GETB-03") } else { ("PROV-13", "PROV-14", "GETI-05") };
        let again = self.ask(&made.call).await?;
        let conflict = match other {
            Some(other) => Some(self.ask_waiting(other).await?),
            None => None,
        };
        let fetched = match fetch {
            Some(fetch) => Some(self.ask(&fetch).await?),
            None => None,
        };
        // The answers say nothing if it has ended in the meantime.
        if !self.goes_on(made).await? {
            return Ok(());
        }
        self.same_operation(same, made, &again);
        if let Some(conflict) = conflict {
            let right = conflict.status() == 409 || self.is_blocked(&conflict);
            self.demand(right, conflicting, "409 for other attributes", &conflict);
        }
        if let Some(fetched) = fetched {
            self.demand_status(&[404], unknown, &fetched);
        }
        Ok(())
    }

    /// Checks the response to a repeated request during its operation: 202 with the same `operation`.
    pub(super) fn same_operation(&mut self, rule: &'static str, first: &Exchange, again: &Exchange) {
        let accepted = again.status() == 202;
        if self.demand(accepted, rule, "202 for the repeated request, as the operation is in progress", again)
            && self.since(14)
        {
            let (first, second) = (first.answer.operation(), again.answer.operation());
            let expected = first.map_or_else(
                || "no operation, as in the first response".to_owned(),
                |first| format!("the operation of the first response, {first:?}"),
            );
            self.demand(first == second, rule, &expected, again);
        }
    }

    /// Polls an operation after it has finished.
    pub(super) async fn poll_afterwards(&mut self, made: &Exchange) -> Result<(), Stop> {
        let (again, poll) = if is_binding(&made.call) { ("LOB-04", "LOB-01") } else { ("LOI-09", "LOI-01") };
        let mut polled = self.poll(made).await?;
        if self.since(16) {
            self.try_to("poll again after the operation has finished");
            polled = self.poll(made).await?;
            self.demand(polled.answer.body["state"] == "succeeded", again, "the same state again", &polled);
        }
        if polled.is_success() {
            self.poll_without_hints(&polled, poll).await?;
            self.demand_credentials(&polled).await?;
        }
        Ok(())
    }

    /// Polls once with nothing but the operation in the query: service and plan are optional.
    async fn poll_without_hints(&mut self, polled: &Exchange, rule: &'static str) -> Result<(), Stop> {
        self.try_to("poll without service_id and plan_id");
        let mut poll = polled.call.clone();
        poll.query.retain(|(name, _)| name == "operation");
        let bare = self.ask_poll(&poll).await?;
        self.demand(bare.status() == polled.status(), rule, "the same status as with service_id and plan_id", &bare);
        Ok(())
    }
}
