//! `last_operation`: the state of the newest operation.

use http::StatusCode;

use super::{
    Lifecycle, answers, note_stale_hints,
    transitions::{self, RequestKind, Transition},
};
use crate::{
    json::json,
    protocol::{Answer, GetLastOperation},
    store::{OperationState, Phase, Subject},
};

impl Lifecycle {
    /// Answers `GET …/last_operation` of an instance or a binding. All query parameters are hints (T39).
    pub(crate) async fn last_operation(&self, request: GetLastOperation) -> Answer {
        let key = super::key(&request.meta, &request.instance);
        let (subject, missing, table): (_, _, fn(_, _) -> _) = match &request.binding {
            None => (Subject::Instance, answers::no_instance(), transitions::instance),
            Some(id) => (Subject::Binding(id.clone()), answers::no_binding(), transitions::binding),
        };
        let answer = self.read(&key, |record| {
            let status = record?.status(&subject)?;
            // After a change of plan the platform may still send the old one (T15).
            let known = [record?.service_id.as_str(), record?.plan_id.as_str()];
            note_stale_hints(&request.instance, [&request.service_id, &request.plan_id], known);
            match table(RequestKind::Poll, status.phase) {
                Transition::Tell => Some(self.tell(status, request.operation.as_deref())),
                _ => None,
            }
        });
        match answer.await {
            Ok(answer) => answer.unwrap_or(missing),
            Err(answer) => answer,
        }
    }

    fn tell(&self, status: &OperationState, asked: Option<&str>) -> Answer {
        if let Some(cancelled) = &status.cancelled {
            // A create that a deletion has cancelled has failed. A poll without an operation id means the deletion,
            // unless that was synchronous and has succeeded: then only the create can be polled (T17, DEP-07).
            let by_id = asked == Some(cancelled.operation.id.as_str());
            if by_id || (asked.is_none() && !status.operation.accepted && status.phase == Phase::Gone) {
                let description = answers::failed_by_deletion().description;
                return Answer::object(StatusCode::OK, json!({ "state": "failed", "description": description }));
            }
        }
        // An unknown operation id stands for the newest operation (T39a).
        answers::progress(&status.operation, &self.settings)
    }
}
