//! `last_operation`: the state of the newest operation.

use http::StatusCode;
use serde_json::json;

use super::{
    Lifecycle, answers, note_stale_hints,
    table::{self, Asked, Move},
};
use crate::{
    protocol::{Answer, PollRequest},
    store::{Life, Phase, Place},
};

impl Lifecycle {
    /// Answers `GET …/last_operation` of an instance or a binding. All query parameters are hints (T39).
    pub(crate) async fn last_operation(&self, request: PollRequest) -> Answer {
        let key = super::key(&request.meta, &request.instance);
        let (place, missing, table): (_, _, fn(_, _) -> _) = match &request.binding {
            None => (Place::Instance, answers::no_instance(), table::instance),
            Some(id) => (Place::Binding(id.clone()), answers::no_binding(), table::binding),
        };
        let answer = self.read(&key, |record| {
            let life = record?.life(&place)?;
            // After a change of plan the platform may still send the old one (T15).
            let known = [record?.service_id.as_str(), record?.plan_id.as_str()];
            note_stale_hints(&request.instance, [&request.service_id, &request.plan_id], known);
            match table(Asked::Poll, life.phase) {
                Move::Tell => Some(self.tell(life, request.operation.as_deref())),
                _ => None,
            }
        });
        match answer.await {
            Ok(answer) => answer.unwrap_or(missing),
            Err(answer) => answer,
        }
    }

    fn tell(&self, life: &Life, asked: Option<&str>) -> Answer {
        if let Some(cancelled) = &life.cancelled {
            // A create that a deletion has cancelled has failed. A poll without an operation id means the deletion,
            // unless that was synchronous and has succeeded: then only the create can be polled (T17, DEP-07).
            let by_id = asked == Some(cancelled.operation.id.as_str());
            if by_id || (asked.is_none() && !life.operation.accepted && life.phase == Phase::Gone) {
                let description = answers::failed_by_deletion().description;
                return Answer::object(StatusCode::OK, json!({ "state": "failed", "description": description }));
            }
        }
        // An unknown operation id stands for the newest operation (T39a).
        answers::progress(&life.operation, &self.settings)
    }
}
