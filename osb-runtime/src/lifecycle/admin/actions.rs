//! Administrative actions on failed instances and bindings.

use std::sync::Arc;

use http::StatusCode;
use serde_json::Map;

use crate::{
    lifecycle::{
        Action, Actor, Event, Lifecycle, Settings, Stage, answers,
        events::event,
        group::{self, Group},
        mutation::log_store_error,
    },
    protocol::{Answer, ApiVersion, DeleteResource, Origin, RequestMeta, headers::OPERATORS},
    store::{Key, OperationState, Pages, Phase, Record, Store, StoreError},
};

/// An administrative action on an instance or binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AdminAction {
    /// Repeats a failed deletion or rollback.
    Retry,
    /// Makes a record whose deletion or rollback failed a tombstone, without calling a handler.
    Abandon,
    /// Deletes, as if the platform had requested it.
    Purge,
    /// Ends the running operation, as its deadline would.
    Cancel,
}

impl AdminAction {
    pub(crate) const ALL: [(&str, Self); 4] =
        [("retry", Self::Retry), ("abandon", Self::Abandon), ("purge", Self::Purge), ("cancel", Self::Cancel)];

    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, action)| *action == self).map_or("", |(name, _)| name)
    }
}

impl Lifecycle {
    /// Performs an administrative action for `user`.
    pub(crate) async fn administer(self: &Arc<Self>, action: AdminAction, key: &Key, user: &str) -> Answer {
        let seen = self.read(key, |record| {
            let (service_id, plan_id) = record?.plan()?;
            Some((record?.phase(), service_id.to_owned(), plan_id.to_owned()))
        });
        let (phase, service_id, plan_id) = match seen.await {
            Ok(None) => return refusal(StatusCode::NOT_FOUND, ActionRefused::Unknown),
            Ok(Some(found)) => found,
            Err(answer) => return answer,
        };
        let has_failed = matches!(phase, Phase::CreateFailed | Phase::DeleteFailed);
        if matches!(action, AdminAction::Retry | AdminAction::Abandon) && !has_failed {
            return refusal(StatusCode::CONFLICT, ActionRefused::HasNotFailed);
        }
        let ((tenant, instance, binding), phase, name) = (key.ids(), phase.as_str(), action.name());
        tracing::warn!(tenant, instance, binding, phase, user, action = name, "administrative action");
        let store = self.settings.store.store();
        let (done, status) = match action {
            AdminAction::Retry | AdminAction::Purge => return self.delete(key, service_id, plan_id, user).await,
            AdminAction::Abandon => {
                let publish = |event| self.publish(event);
                (abandon_records(store, &self.settings, key, user, publish).await, StatusCode::OK)
            }
            // The worker of the operation ends it.
            AdminAction::Cancel => (cancel(store, key).await, StatusCode::ACCEPTED),
        };
        match done.inspect_err(log_store_error) {
            Ok(Ok(())) => Answer::empty(status),
            Ok(Err(reason)) => refusal(StatusCode::CONFLICT, reason),
            Err(_) => answers::no_store(),
        }
    }

    /// Deletes an instance or a binding for `user`.
    async fn delete(self: &Arc<Self>, key: &Key, service_id: String, plan_id: String, user: &str) -> Answer {
        let mut who = Map::new();
        who.insert("username".to_owned(), user.into());
        let request = DeleteResource {
            meta: RequestMeta {
                tenant: key.tenant.clone(),
                version: ApiVersion::LATEST,
                origin: Some(Arc::new(Origin { platform: OPERATORS.to_owned(), user: who.into() })),
                request_identity: None,
                trace: None,
                accepts_incomplete: true,
            },
            instance: key.instance.clone(),
            service_id,
            plan_id,
            malformed: None,
        };
        match &key.binding {
            None => self.deprovision(&request).await,
            Some(id) => self.unbind(id, &request).await,
        }
    }
}

/// The reason why [`abandon`] or [`cancel`] has changed nothing, except perhaps bindings of the instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ActionRefused {
    /// There is no such instance or binding.
    #[error("There is no such instance or binding. If its platform has a prefix, name it as the tenant (`--tenant`).")]
    Unknown,
    /// Neither its deletion nor its rollback has failed.
    #[error(
        "Only a failed deletion or rollback can be retried or abandoned (phase delete_failed or create_failed). After a \
         failed update the old plan and parameters apply; the platform can repeat the update. `cancel` ends an operation that \
         is running."
    )]
    HasNotFailed,
    /// An operation is running on it or on one of its bindings.
    #[error(
        "An operation on it or on one of its bindings is running, or has ended in the meantime; check its phase and try again."
    )]
    IsRunning,
    /// No operation is running on it.
    #[error("No operation is running on it.")]
    NotRunning,
}

/// Makes the deadline of a running operation one that has passed. Its handler is cancelled when its process next renews the lease,
/// after a third of [`lease`](Settings::lease) at the latest, and the operation fails; without a process, when one takes it over.
///
/// # Errors
///
/// If the record can't be read or written.
pub async fn cancel(store: &dyn Store, key: &Key) -> Result<Result<(), ActionRefused>, StoreError> {
    let mut cancelled = Ok(());
    let mut decide = |records: &mut [Option<Record>]| {
        cancelled = match records[0].as_mut().and_then(Record::status_mut).map(|status| &mut status.operation) {
            None => Err(ActionRefused::Unknown),
            Some(operation) if !operation.is_running() => Err(ActionRefused::NotRunning),
            Some(operation) => {
                operation.end_by_operator();
                Ok(())
            }
        };
    };
    store.transact(std::slice::from_ref(key), &mut decide).await?;
    Ok(cancelled)
}

/// Makes an instance with its bindings, or a binding, a tombstone if its deletion or rollback failed and no operation is
/// running on any of them, and logs the audit events of `user`.
///
/// # Errors
///
/// If a record can't be read or written.
pub async fn abandon(
    store: &dyn Store,
    settings: &Settings,
    key: &Key,
    user: &str,
) -> Result<Result<(), ActionRefused>, StoreError> {
    abandon_records(store, settings, key, user, |event| event.log()).await
}

/// [`abandon`], which calls `publish` with the event of each record once it is gone, even if a later one fails.
async fn abandon_records(
    store: &dyn Store,
    settings: &Settings,
    key: &Key,
    user: &str,
    publish: impl Fn(Event),
) -> Result<Result<(), ActionRefused>, StoreError> {
    let forget_at = settings.forget_at(settings.now());
    // The bindings first, so that none is ever without its instance.
    let bindings = if key.binding.is_none() { Pages::bindings(store, key, u64::MAX).await? } else { Vec::new() };
    let is_running = |record: &Record| record.status().is_some_and(|status| status.operation.is_running());
    if bindings.iter().any(|(_, record)| is_running(record)) {
        return Ok(Err(ActionRefused::IsRunning));
    }
    for (binding, _) in &bindings {
        let keys = [key.clone(), binding.clone()];
        let (mut has_begun, mut event) = (false, None);
        let mut decide = |records: &mut [Option<Record>]| {
            Group::new(&keys, records).decide(|group| {
                // A transaction can run more than once.
                event = None;
                has_begun = group.subject().is_some_and(is_running);
                if !has_begun && group.instance().is_some_and(|instance| has_failed(&instance.status)) {
                    event = abandoned_event(group, settings, user);
                    group.leave_tombstone_of_deletion(forget_at);
                }
            });
        };
        store.transact(&keys, &mut decide).await?;
        event.into_iter().for_each(&publish);
        if has_begun {
            return Ok(Err(ActionRefused::IsRunning));
        }
    }
    let (keys, mut abandoned, mut event) = (group::keys(key, None), Ok(()), None);
    let mut decide = |records: &mut [Option<Record>]| {
        Group::new(&keys, records).decide(|group| {
            event = None;
            abandoned = match group.status() {
                None => Err(ActionRefused::Unknown),
                Some(status) if status.operation.is_running() => Err(ActionRefused::IsRunning),
                Some(status) if !has_failed(status) => Err(ActionRefused::HasNotFailed),
                Some(_) => Ok(()),
            };
            if abandoned.is_ok() {
                event = abandoned_event(group, settings, user);
                group.leave_tombstone(forget_at);
            }
        });
    };
    store.transact(&keys, &mut decide).await?;
    event.into_iter().for_each(&publish);
    Ok(abandoned)
}

/// Returns the event of a record that is about to be removed: a deletion that called no handler. A tombstone has none.
fn abandoned_event(group: &Group<'_>, settings: &Settings, user: &str) -> Option<Event> {
    let (key, record) = group.key().zip(group.subject())?;
    let event = event(record, key, &record.status()?.operation, Stage::Abandoned, settings.clock.date());
    let action = if key.binding.is_none() { Action::Deprovision } else { Action::Unbind };
    let who = Some(Actor { platform: OPERATORS.to_owned(), user: Some(user.to_owned()) });
    // The request is the operator's, and not the platform's.
    Some(Event { action, who, request: None, trace: None, ..event })
}

fn has_failed(status: &OperationState) -> bool {
    !status.operation.is_running() && matches!(status.phase, Phase::CreateFailed | Phase::DeleteFailed)
}

fn refusal(status: StatusCode, reason: ActionRefused) -> Answer {
    Answer::error(status, None, reason.to_string())
}
