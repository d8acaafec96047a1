//! Lists of the records.

use futures_util::{StreamExt as _, stream};
use http::StatusCode;
use serde::Serialize;

use crate::{
    catalog::{Offering, PlanNames},
    json::{Json, json},
    lifecycle::{Action, Lifecycle, Stage, events::event, stored::unreadable},
    protocol::{Answer, BindingId, RequestIdentity},
    service::timestamp,
    store::{Key, Page, Pages, Record, Store, StoreError, Timestamp},
};

/// Number of records that are re-encrypted at the same time: stores commit waiting records together.
const TOGETHER: usize = 64;

/// Selects rows of a list; `None` selects all. Its members have the names of the parameters of a request for the list.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Filter {
    /// The tenant.
    pub tenant: Option<String>,
    /// The id of the instance.
    pub instance: Option<String>,
    /// The service, by name or id.
    pub service: Option<String>,
    /// The plan, by name or id.
    pub plan: Option<String>,
    /// The phase, as in the JSON: one of [`PHASES`](Self::PHASES).
    pub phase: Option<String>,
    /// The state of the newest operation, as in the JSON: one of [`STATES`](Self::STATES).
    pub state: Option<String>,
    /// Words that are all in the texts of the row, in any case.
    pub search: Option<String>,
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
    pub fn name(self) -> &'static str {
        match self {
            Self::Instances => "instances",
            Self::Bindings => "bindings",
            Self::Operations => "operations",
        }
    }
}

/// A view of the records for operators.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// The records.
    pub store: &'a dyn Store,
    /// The offerings, for the names of services and plans.
    pub offerings: &'a [&'static Offering],
}

crate::protocol::debug_text!(View<'_>, _ => "View {{ .. }}");

impl View<'_> {
    /// Lists at most `limit` rows after a key; that of an unreadable record has its ids and the reason. Fails if the store does.
    pub async fn list(
        &self,
        kind: RecordKind,
        filter: &Filter,
        after: Option<Key>,
        limit: usize,
    ) -> Result<Page<Json>, StoreError> {
        let shown = |row: &Json| filter.matches_row(kind, row);
        let row = |key: &Key, record: Result<Record, StoreError>| match record {
            Ok(record) => self.row(kind, key, &record).filter(shown).map(|row| self.with_unreadable(row, key, &record)),
            Err(error) => unreadable_row(kind, key, &error).filter(shown),
        };
        Page::find(self.store, after, limit, |key, record| Ok(row(key, record))).await
    }

    /// Shows an instance with its bindings. Fails if one of their records can't be read.
    pub async fn show(&self, key: &Key) -> Result<Option<Json>, StoreError> {
        let mut seen = None;
        self.store.read(key, &mut |record| seen = record.cloned()).await?;
        let row = |kind, key: &Key, record: &Record| {
            self.row(kind, key, record).map(|row| self.with_unreadable(row, key, record))
        };
        let Some(mut shown) = seen.and_then(|record| row(RecordKind::Instances, key, &record)) else {
            return Ok(None);
        };
        let bindings = Pages::bindings(self.store, key, u64::MAX).await?;
        let rows = bindings.iter().filter_map(|(key, record)| row(RecordKind::Bindings, key, record));
        shown["bindings"] = rows.collect::<Vec<_>>().into();
        Ok(Some(shown))
    }

    /// Adds the reason if a record can't be decoded. Only for rows that are shown: decoding takes longer than everything else.
    fn with_unreadable(&self, mut row: Json, key: &Key, record: &Record) -> Json {
        if let (Some(members), Some(why)) = (row.as_object_mut(), unreadable(self.offerings, key, record)) {
            members.insert("unreadable", why);
        }
        row
    }

    /// Describes a record, if it is of this kind.
    fn row(&self, kind: RecordKind, key: &Key, record: &Record) -> Option<Json> {
        let is_binding = key.binding.is_some();
        let (service_id, plan_id) = record.plan().unzip();
        let named = PlanNames::find(self.offerings, service_id, plan_id);
        let instance = record.instance();
        let binding = record.binding();
        let context = |name| instance.and_then(|instance| instance.context.string(name)).as_deref().map(beginning);
        let mut row = json!({
            "tenant": key.tenant.non_empty(),
            "instance_id": key.instance.as_str(),
            "binding_id": key.binding_id(),
            "service": named.service,
            "plan": named.plan,
            "service_id": service_id,
            "plan_id": plan_id,
            "phase": record.phase().as_str(),
        });
        let more = match kind {
            RecordKind::Instances if !is_binding => json!({
                "instance_name": context("instance_name"),
                "organization_guid": instance.and_then(|instance| instance.organization_guid.as_deref()).map(beginning),
                "organization_name": context("organization_name"),
                "space_guid": instance.and_then(|instance| instance.space_guid.as_deref()).map(beginning),
                "space_name": context("space_name"),
                "namespace": context("namespace"),
                "dashboard_url": instance.and_then(|instance| instance.extras.dashboard_url.as_deref()),
                "maintenance_version": instance.and_then(|instance| instance.maintenance_version.as_deref()),
                "binding_count": instance.map(|instance| instance.bindings),
                "operation": newest(key, record),
            }),
            RecordKind::Bindings if is_binding => json!({
                "app_guid": binding.and_then(|binding| binding.resource.app_guid.as_deref()).map(beginning),
                "predecessor_binding_id":
                    binding.and_then(|binding| binding.predecessor.as_ref()).map(BindingId::as_str),
                "operation": newest(key, record),
            }),
            RecordKind::Operations => newest(key, record),
            RecordKind::Instances | RecordKind::Bindings => return None,
        };
        if let (Json::Object(row), Json::Object(more)) = (&mut row, more) {
            row.extend(more);
        }
        Some(without_absent(row))
    }

    /// Returns whether records are encrypted.
    pub fn is_sealed(&self) -> bool {
        self.store.is_sealed()
    }

    /// Re-encrypts the records that are sealed with an older key. Returns the number of all records that can be read, and the
    /// number of the others, which stay as they are. Fails if one can't be written.
    pub async fn reseal(&self) -> Result<(usize, usize), StoreError> {
        let (mut count, mut unreadable, mut pages) = (0, 0, Pages::of(self.store));
        while let Some(mut page) = pages.next_each().await? {
            unreadable += page.extract_if(.., |(_, record)| record.is_err()).count();
            count += page.len();
            let reseal = |(key, _)| async move { self.store.transact(&[key], &mut |_| ()).await };
            let resealed = stream::iter(page).map(reseal).buffer_unordered(TOGETHER);
            resealed.fold(Ok(()), async |all, one| all.and(one)).await?;
        }
        Ok((count, unreadable))
    }
}

/// Describes a record that can't be read, if it is of this kind.
fn unreadable_row(kind: RecordKind, key: &Key, error: &StoreError) -> Option<Json> {
    let is_of_kind = kind == RecordKind::Operations || key.binding.is_some() == (kind == RecordKind::Bindings);
    let (tenant, instance, error) = (key.tenant.non_empty(), key.instance.as_str(), error.to_string());
    let row = json!({ "tenant": tenant, "instance_id": instance, "binding_id": key.binding_id(), "unreadable": error });
    is_of_kind.then(|| without_absent(row))
}

/// Returns the beginning of a name that a platform has sent: it can be as long as a body, and a list has many of them.
fn beginning(name: &str) -> String {
    name.chars().take(256).collect()
}

/// Returns the newest operation of an instance or binding as JSON.
fn newest(key: &Key, record: &Record) -> Json {
    let time = |at: Timestamp| timestamp(at.into());
    if let Some(tombstone) = record.tombstone() {
        let action = match (&key.binding, tombstone.is_delete) {
            (None, true) => Action::Deprovision,
            (None, false) => Action::Provision,
            (Some(_), true) => Action::Unbind,
            (Some(_), false) => Action::Bind,
        };
        let failure = tombstone.failure.as_ref();
        return without_absent(json!({
            "operation": &*tombstone.operation,
            "action": action.as_str(),
            "state": if failure.is_some() { "failed" } else { "succeeded" },
            "status": failure.map(|failure| failure.status),
            "code": failure.and_then(|failure| failure.error.clone()),
            "description": failure.map(|failure| failure.description.as_str()),
            "forgotten_at": time(tombstone.forget_at),
        }));
    }
    let Some(status) = record.status() else { return Json::Null };
    let operation = &status.operation;
    let event = event(record, key, operation, Stage::Began, operation.began.into());
    let failure = operation.failure();
    let state = match (operation.is_running(), failure) {
        (true, _) => "in progress",
        (false, None) => "succeeded",
        (false, Some(_)) => "failed",
    };
    without_absent(json!({
        "operation": &*operation.id,
        "action": event.action.as_str(),
        "state": state,
        "attempt": operation.attempt,
        "progress": operation.progress.as_deref(),
        "status": failure.map(|failure| failure.status),
        "code": failure.and_then(|failure| failure.error.clone()),
        "description": failure.map(|failure| failure.description.as_str()),
        "began_at": Some(operation.began).filter(|began| *began > Timestamp::default()).and_then(time),
        "claimed_until": Some(operation.lease).filter(|_| operation.is_running() && !operation.is_released()).and_then(time),
        "deadline": Some(operation.deadline).filter(|_| operation.is_running()).and_then(time),
        "new_plan_id": event.new_plan_id,
        "platform": event.who.as_ref().map(|who| beginning(&who.platform)),
        "user": event.who.as_ref().and_then(|who| who.user.as_deref()).map(beginning),
        "request": event.request.as_ref().map(RequestIdentity::as_str),
    }))
}

/// Removes absent and empty values from an object.
fn without_absent(object: Json) -> Json {
    let Json::Object(fields) = object else { return object };
    let is_something = |value: &Json| *value != Json::Null && value.as_str() != Some("");
    Json::Object(fields.into_iter().filter(|(_, value)| is_something(value)).collect())
}

/// Appends the strings in a row, in lower case, a line each.
fn collect_texts(row: &Json, texts: &mut String) {
    match row {
        Json::String(text) => {
            texts.push_str(&text.to_lowercase());
            texts.push('\n');
        }
        Json::Object(members) => members.iter().for_each(|(_, value)| collect_texts(value, texts)),
        _ => {}
    }
}

impl Filter {
    /// The phases of records.
    pub const PHASES: [&'static str; 7] =
        ["creating", "ready", "create_failed", "updating", "deleting", "delete_failed", "gone"];
    /// The states of operations.
    pub const STATES: [&'static str; 3] = ["in progress", "succeeded", "failed"];

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
            && self.search.as_ref().is_none_or(|words| {
                let mut texts = String::new();
                collect_texts(row, &mut texts);
                words.split_whitespace().all(|word| texts.contains(&word.to_lowercase()))
            })
    }
}

impl Lifecycle {
    pub(crate) fn view(&self) -> View<'_> {
        View { store: self.settings.store.store(), offerings: self.offerings }
    }
}

/// Returns a page as a response.
pub(crate) fn listed(kind: RecordKind, page: Page<Json>) -> Answer {
    let mut answer = Answer::empty(StatusCode::OK);
    answer.insert(kind.name(), page.entries);
    if let Some(next) = page.next {
        let next = json!({
            "tenant": next.tenant.as_str(), "instance_id": next.instance.as_str(), "binding_id": next.binding_id(),
        });
        answer.insert("next", without_absent(next));
    }
    answer
}
