//! `last_operation`: the state of the newest operation.

use http::StatusCode;

use super::{
    Lifecycle,
    answers::{self, Progress},
    note_stale,
    transitions::{self, RequestKind, Transition},
};
use crate::{
    json::json,
    protocol::{Answer, GetLastOperation},
    store::Record,
};

impl Lifecycle {
    /// Answers `GET …/last_operation` of an instance or a binding. All query parameters are hints (T39).
    pub(crate) async fn last_operation(&self, request: &GetLastOperation) -> Answer {
        let key = super::key(&request.meta, &request.instance, request.binding.as_ref());
        let (missing, table): (_, fn(_, _) -> _) = match &request.binding {
            None => (answers::no_instance(), transitions::instance),
            Some(_) => (answers::no_binding(), transitions::binding),
        };
        let answer = self.read(&key, |record| {
            let record = record?;
            if let Some((service_id, _)) = record.plan() {
                // Either plan is right: polls of a change name the old one, those of a binding that of its instance (T15).
                note_stale(&key, "service_id", request.service_id.as_deref(), service_id);
            }
            match table(RequestKind::Poll, record.phase()) {
                Transition::Report => Some(self.report(record, request.operation.as_deref())),
                _ => None,
            }
        });
        answer.await.map_or_else(|answer| answer, |answer| answer.unwrap_or(missing))
    }

    fn report(&self, record: &Record, operation: Option<&str>) -> Answer {
        let (_, cancelled) = record.newest();
        if let Some(cancelled) = cancelled {
            // A create that a deletion has cancelled has failed. A poll without an operation id means the deletion,
            // unless that was synchronous and has succeeded: then only the create can be polled (T17, DEP-07).
            let was_synchronous = record.tombstone().is_some_and(|tombstone| !tombstone.accepted);
            if operation == Some(cancelled) || (operation.is_none() && was_synchronous) {
                let description = answers::failed_by_deletion().description;
                return Answer::object(StatusCode::OK, json!({ "state": "failed", "description": description }));
            }
        }
        let progress = match (record.status(), record.tombstone()) {
            (Some(status), _) => {
                let earlier = status.earlier.iter().find(|earlier| Some(&*earlier.id) == operation);
                match earlier {
                    Some(earlier) => {
                        Progress::Ended { is_delete: earlier.is_delete, failure: earlier.failure.as_ref() }
                    }
                    // An unknown operation id stands for the newest operation (T39a).
                    None => Progress::from(&status.operation),
                }
            }
            (None, Some(tombstone)) => {
                Progress::Ended { is_delete: tombstone.is_delete, failure: tombstone.failure.as_ref() }
            }
            (None, None) => return answers::no_instance(),
        };
        answers::progress(&progress, &self.settings)
    }
}
