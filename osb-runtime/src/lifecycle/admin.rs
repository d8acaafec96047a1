//! Administration: lists of the records for operators, without secrets (no parameters, credentials or state), and
//! actions on failed instances and bindings.

use std::sync::Arc;

use http::StatusCode;
use serde_json::Map;

use super::{
    Lifecycle, Settings,
    audit::event,
    outcome::{OutcomeContext, tombstone},
    stored::unreadable,
};
use crate::{
    catalog::{Offering, PlanNames},
    json::{Json, json},
    protocol::{Answer, ApiVersion, BindingId, DeleteResource, Origin, RequestIdentity, RequestMeta},
    service::timestamp,
    store::{Key, OperationState, Phase, Record, Store, StoreError, Subject, Timestamp},
};

/// Number of records that are read at once.
const PAGE: usize = 256;

/// Selects rows of a list; `None` selects all.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// The tenant.
    pub tenant: Option<String>,
    /// The id of the instance.
    pub instance: Option<String>,
    /// The service, by name or id.
    pub service: Option<String>,
    /// The plan, by name or id.
    pub plan: Option<String>,
    /// The phase, as in the JSON.
    pub phase: Option<String>,
    /// The state of the newest operation, as in the JSON.
    pub state: Option<String>,
}

/// The subject of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordKind {
    /// Service instances.
    Instances,
    /// Bindings.
    Bindings,
    /// The newest operation of each instance and binding.
    Operations,
}

impl RecordKind {
    /// Returns the name in JSON, which is also the name of the endpoint and of the command.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Instances => "instances",
            Self::Bindings => "bindings",
            Self::Operations => "operations",
        }
    }
}

/// An administrative action on an instance or binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AdminAction {
    /// Repeats a failed deletion or rollback.
    Retry,
    /// Makes a record whose deletion or rollback failed a tombstone, without calling a handler.
    Abandon,
    /// Deletes, as if the platform had requested it.
    Purge,
}

impl AdminAction {
    pub(crate) const ALL: [(&str, Self); 3] =
        [("retry", Self::Retry), ("abandon", Self::Abandon), ("purge", Self::Purge)];
}

/// A page of a list.
#[derive(Debug, Clone)]
pub struct Page {
    /// The rows, as JSON objects.
    pub found: Vec<Json>,
    /// The key after which the next page starts, if there is one.
    pub next: Option<Key>,
}

/// A view of the records for operators.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// The records.
    pub store: &'a dyn Store,
    /// The offerings, for the names of services and plans.
    pub offerings: &'a [&'static Offering],
}

impl std::fmt::Debug for View<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("View").finish_non_exhaustive()
    }
}

impl View<'_> {
    /// Lists rows, starting after a key: at least `most` if there are so many, and the others of the last record.
    ///
    /// # Errors
    ///
    /// If the records can't be read.
    pub async fn list(
        &self,
        kind: RecordKind,
        filter: &Filter,
        after: Option<Key>,
        most: usize,
    ) -> Result<Page, StoreError> {
        let (mut found, mut last) = (Vec::new(), after);
        loop {
            let page = self.store.list(last.as_ref(), PAGE).await?;
            let is_last = page.len() < PAGE;
            for (key, record) in page {
                found.extend(self.rows(kind, &key, &record).into_iter().filter(|row| filter.matches_row(kind, row)));
                last = Some(key);
                if found.len() >= most {
                    return Ok(Page { found, next: last });
                }
            }
            if is_last {
                return Ok(Page { found, next: None });
            }
        }
    }

    /// Shows an instance with its bindings.
    ///
    /// # Errors
    ///
    /// If the record can't be read.
    pub async fn show(&self, key: &Key) -> Result<Option<Json>, StoreError> {
        let mut seen = None;
        self.store.read(key, &mut |record| seen = record.cloned()).await?;
        Ok(seen.map(|record| {
            let mut shown = self.instance(key, &record);
            shown["bindings"] = self.rows(RecordKind::Bindings, key, &record).into();
            shown
        }))
    }

    fn rows(&self, kind: RecordKind, key: &Key, record: &Record) -> Vec<Json> {
        let subjects = || record.bindings.keys().map(|id| Subject::Binding(id.clone()));
        match kind {
            RecordKind::Instances => vec![self.instance(key, record)],
            RecordKind::Bindings => subjects().map(|subject| self.binding(key, record, &subject)).collect(),
            RecordKind::Operations => {
                let all = std::iter::once(Subject::Instance).chain(subjects());
                all.filter_map(|subject| self.operation(key, record, &subject)).collect()
            }
        }
    }

    fn instance(&self, key: &Key, record: &Record) -> Json {
        let live = record.bindings.values().filter(|binding| binding.status.phase != Phase::Gone).count();
        let context = |name| record.context.fields().string(name);
        let named = PlanNames::find(self.offerings, Some(&record.service_id), Some(&record.plan_id));
        without_absent(json!({
            "tenant": Some(key.tenant.as_str()).filter(|tenant| !tenant.is_empty()),
            "instance_id": key.instance.as_str(),
            "instance_name": context("instance_name"),
            "service": named.service,
            "plan": named.plan,
            "service_id": record.service_id.as_str(),
            "plan_id": record.plan_id.as_str(),
            "phase": name(record.status.phase),
            "organization_guid": record.organization_guid.as_deref(),
            "organization_name": context("organization_name"),
            "space_guid": record.space_guid.as_deref(),
            "space_name": context("space_name"),
            "namespace": context("namespace"),
            "dashboard_url": record.extras.dashboard_url.as_deref(),
            "maintenance_version": record.maintenance_version.as_deref(),
            "binding_count": live,
            "unreadable": unreadable(self.offerings, key, record, &Subject::Instance),
            "operation": newest(key, record, &Subject::Instance),
        }))
    }

    fn binding(&self, key: &Key, record: &Record, subject: &Subject) -> Json {
        let Subject::Binding(id) = subject else { return Json::Null };
        let Some(binding) = record.bindings.get(id) else { return Json::Null };
        let named = PlanNames::find(self.offerings, Some(&binding.service_id), Some(&binding.plan_id));
        without_absent(json!({
            "tenant": Some(key.tenant.as_str()).filter(|tenant| !tenant.is_empty()),
            "instance_id": key.instance.as_str(),
            "binding_id": id.as_str(),
            "service": named.service,
            "plan": named.plan,
            "service_id": binding.service_id.as_str(),
            "plan_id": binding.plan_id.as_str(),
            "phase": name(binding.status.phase),
            "app_guid": binding.resource.app_guid.as_deref(),
            "predecessor_binding_id": binding.predecessor.as_ref().map(BindingId::as_str),
            "unreadable": unreadable(self.offerings, key, record, subject),
            "operation": newest(key, record, subject),
        }))
    }

    fn operation(&self, key: &Key, record: &Record, subject: &Subject) -> Option<Json> {
        let event = event(
            record,
            key,
            subject,
            &record.status(subject)?.operation,
            super::Stage::Began,
            Timestamp::default().into(),
        );
        let named = PlanNames::find(self.offerings, Some(&event.service_id), Some(&event.plan_id));
        let mut row = json!({
            "tenant": Some(key.tenant.as_str()).filter(|tenant| !tenant.is_empty()),
            "instance_id": key.instance.as_str(),
            "binding_id": event.binding.as_ref().map(BindingId::as_str),
            "service": named.service,
            "plan": named.plan,
            "phase": name(record.status(subject)?.phase),
        });
        if let (Json::Object(row), Json::Object(more)) = (&mut row, newest(key, record, subject)) {
            row.extend(more);
            row.insert("unreadable", unreadable(self.offerings, key, record, subject));
        }
        Some(without_absent(row))
    }

    /// Re-encrypts the records that are sealed with an older key, and returns the number of all records.
    ///
    /// # Errors
    ///
    /// If a record can't be read or written.
    pub async fn reseal(&self) -> Result<usize, StoreError> {
        let (mut count, mut last) = (0, None);
        loop {
            let page = self.store.list(last.as_ref(), PAGE).await?;
            let Some((key, _)) = page.last() else { return Ok(count) };
            last = Some(key.clone());
            for (key, _) in &page {
                self.store.transact(key, &mut |_| ()).await?;
            }
            count += page.len();
        }
    }
}

/// Returns the newest operation of an instance or binding as JSON.
fn newest(key: &Key, record: &Record, subject: &Subject) -> Json {
    let Some(status) = record.status(subject) else { return Json::Null };
    let operation = &status.operation;
    let event = event(record, key, subject, operation, super::Stage::Began, Timestamp::default().into());
    let time = |at: Timestamp| timestamp(at.into());
    let failure = operation.failure();
    without_absent(json!({
        "operation": operation.id.as_str(),
        "action": event.action.as_str(),
        "state": state(status),
        "attempt": operation.attempt,
        "progress": operation.progress.as_deref(),
        "status": failure.map(|failure| failure.status),
        "code": failure.and_then(|failure| failure.error.clone()),
        "description": failure.map(|failure| failure.description.as_str()),
        "claimed_until": Some(operation.lease).filter(|_| operation.is_running()).and_then(time),
        "deadline": Some(operation.deadline).filter(|_| operation.is_running()).and_then(time),
        "forgotten_at": status.forget_at.and_then(time),
        "new_plan_id": event.new_plan_id,
        "platform": event.who.as_ref().map(|who| who.platform.clone()),
        "user": event.who.as_ref().and_then(|who| who.user.clone()),
        "request": event.request.as_ref().map(RequestIdentity::as_str),
    }))
}

/// Returns the state of the newest operation in the specification's words (LOI-03).
fn state(status: &OperationState) -> &'static str {
    match (status.operation.is_running(), status.operation.failure()) {
        (true, _) => "in progress",
        (false, None) => "succeeded",
        (false, Some(_)) => "failed",
    }
}

/// Removes absent and empty values from an object.
fn without_absent(object: Json) -> Json {
    let Json::Object(fields) = object else { return object };
    let is_something = |value: &Json| *value != Json::Null && value.as_str() != Some("");
    Json::Object(fields.into_iter().filter(|(_, value)| is_something(value)).collect())
}

/// Returns the name of a phase.
fn name(phase: Phase) -> Json {
    Json::of(&phase).unwrap_or_default()
}

impl Filter {
    fn matches_row(&self, kind: RecordKind, row: &Json) -> bool {
        // Tombstones are kept for polls only.
        if kind != RecordKind::Operations && self.phase.is_none() && row["phase"].as_str() == Some("gone") {
            return false;
        }
        let operation = row.get("operation").filter(|operation| operation.as_object().is_some()).unwrap_or(row);
        let has = |wanted: &Option<String>, values: &[&Json]| {
            wanted.as_ref().is_none_or(|wanted| values.iter().any(|value| value.as_str().unwrap_or_default() == wanted))
        };
        has(&self.tenant, &[&row["tenant"]])
            && has(&self.instance, &[&row["instance_id"]])
            && has(&self.service, &[&row["service"], &row["service_id"]])
            && has(&self.plan, &[&row["plan"], &row["plan_id"]])
            && has(&self.phase, &[&row["phase"]])
            && has(&self.state, &[&operation["state"]])
    }
}

impl Lifecycle {
    pub(crate) fn view(&self) -> View<'_> {
        View { store: self.settings.store.store(), offerings: self.offerings }
    }

    /// Performs an administrative action for `user`.
    pub(crate) async fn administer(
        self: &Arc<Self>,
        action: AdminAction,
        key: &Key,
        subject: &Subject,
        user: &str,
    ) -> Answer {
        let seen = self.read(key, |record| {
            let status = record?.status(subject)?;
            let (service_id, plan_id) = match subject {
                Subject::Instance => (&record?.service_id, &record?.plan_id),
                Subject::Binding(id) => {
                    record?.bindings.get(id).map(|binding| (&binding.service_id, &binding.plan_id))?
                }
            };
            Some((status.phase, service_id.clone(), plan_id.clone()))
        });
        let (phase, service_id, plan_id) = match seen.await {
            Ok(Some((Phase::None | Phase::Gone, ..)) | None) => {
                return refusal(StatusCode::NOT_FOUND, "There is no such instance or binding.");
            }
            Ok(Some(found)) => found,
            Err(answer) => return answer,
        };
        let has_failed = matches!(phase, Phase::CreateFailed | Phase::DeleteFailed);
        if action != AdminAction::Purge && !has_failed {
            return refusal(
                StatusCode::CONFLICT,
                "Only a failed deletion or rollback can be retried or abandoned (phase delete_failed or create_failed). \
                 After a failed update the old plan and parameters apply; the platform can repeat the update.",
            );
        }
        let (tenant, instance) = (key.tenant.as_str(), key.instance.as_str());
        tracing::warn!(tenant, instance, ?subject, ?phase, user, ?action, "administrative action");
        if action == AdminAction::Abandon {
            return self.abandon(key, subject).await;
        }
        let mut who = Map::new();
        who.insert("username".to_owned(), user.into());
        let request = DeleteResource {
            meta: RequestMeta {
                tenant: key.tenant.clone(),
                version: ApiVersion::LATEST,
                origin: Some(Origin { platform: "admin".to_owned(), user: who }),
                request_identity: None,
                accepts_incomplete: true,
            },
            instance: key.instance.clone(),
            binding: match subject {
                Subject::Instance => None,
                Subject::Binding(id) => Some(id.clone()),
            },
            service_id,
            plan_id,
            malformed: None,
        };
        match subject {
            Subject::Instance => self.deprovision(request).await,
            Subject::Binding(_) => self.unbind(request).await,
        }
    }

    async fn abandon(&self, key: &Key, subject: &Subject) -> Answer {
        match abandon(self.settings.store.store(), &self.settings, key, subject).await {
            Ok(true) => Answer::empty(StatusCode::OK),
            Ok(false) => refusal(
                StatusCode::CONFLICT,
                "Another operation on it has started or ended in the meantime; check its phase and try again.",
            ),
            Err(error) => {
                tracing::error!(%error, "the record store is unavailable");
                super::answers::no_store()
            }
        }
    }
}

/// Makes an instance or a binding a tombstone if its deletion or rollback failed and no operation is running. Returns
/// whether it did.
///
/// # Errors
///
/// If the record can't be read or written.
pub async fn abandon(store: &dyn Store, settings: &Settings, key: &Key, subject: &Subject) -> Result<bool, StoreError> {
    let mut abandoned = false;
    let forget = &mut |record: &mut Option<Record>| {
        let Some(record) = record else { return };
        let status = record.status(subject).filter(|status| !status.operation.is_running());
        abandoned = status.is_some_and(|status| matches!(status.phase, Phase::CreateFailed | Phase::DeleteFailed));
        if abandoned {
            tombstone(record, subject, &OutcomeContext { at: settings.clock.now(), settings });
        }
    };
    store.transact(key, forget).await?;
    Ok(abandoned)
}

fn refusal(status: StatusCode, description: &str) -> Answer {
    Answer::error(status, None, description)
}

/// Returns a page as a response.
pub(crate) fn listed(kind: RecordKind, page: Page) -> Answer {
    let mut answer = Answer::empty(StatusCode::OK);
    answer.insert(kind.name(), page.found);
    if let Some(next) = page.next {
        answer.insert("next", json!({ "tenant": next.tenant.as_str(), "instance_id": next.instance.as_str() }));
    }
    answer
}
