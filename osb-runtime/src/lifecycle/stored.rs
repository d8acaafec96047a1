//! Stored states and parameters, decoded by the types of this release.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    catalog::{Offering, PlanInfo, StartError},
    json::SharedValue,
    schema::Violation,
    service::StateJson,
    store::{Key, OperationKind, Pages, Phase, Record, Records},
};

/// Number of ids in a problem.
const SHOWN: usize = 10;

/// The state and the parameters of an instance or a binding, as they are stored.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StoredValues {
    /// The tenant; empty if the broker serves one platform.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tenant: String,
    /// The id of the instance.
    pub instance_id: String,
    /// The id of the binding; `None` for the instance itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binding_id: Option<String>,
    /// The id of the service.
    pub service_id: String,
    /// The id of the plan.
    pub plan_id: String,
    /// The state, if a handler saved one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<StateJson>,
    /// The parameters as the user sent them; `None` for the checkpoint of a failed change of plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Value>,
}

/// Omits the state and the parameters, since they may contain secrets (T68).
impl fmt::Debug for StoredValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StoredValues({self})")
    }
}

/// The ids.
impl fmt::Display for StoredValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.tenant.is_empty() {
            write!(f, "{}: ", self.tenant)?;
        }
        f.write_str(&self.instance_id)?;
        self.binding_id.as_ref().map_or(Ok(()), |id| write!(f, "/{id}"))
    }
}

/// The part of the stored values that can't be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ValueKind {
    State,
    Parameters,
}

impl ValueKind {
    /// The part, and its correction, which the reason of a state has.
    fn texts(self) -> (&'static str, &'static str) {
        match self {
            Self::State => ("state", ""),
            Self::Parameters => {
                ("parameters", "keep the old type, value or name (`alias`), give the new parameter a default, ")
            }
        }
    }
}

impl StoredValues {
    /// Returns the values of an instance or a binding: more than one during and after a failed change of plan. Tombstones
    /// have none.
    pub fn of(key: &Key, record: &Record) -> Vec<Self> {
        let values = |service_id: &str, plan_id: &str, state, parameters: Option<&SharedValue>| Self {
            tenant: key.tenant.as_str().to_owned(),
            instance_id: key.instance.as_str().to_owned(),
            binding_id: key.binding_id().map(str::to_owned),
            service_id: service_id.to_owned(),
            plan_id: plan_id.to_owned(),
            state,
            parameters: parameters.map(|parameters| Value::clone(parameters)),
        };
        let mut all = Vec::new();
        if let Some(instance) = record.instance() {
            let service = &*instance.service_id;
            let operation = &instance.status.operation;
            let mut checkpoint = operation.checkpoint.clone();
            if let (Phase::Updating, OperationKind::Update(change)) = (instance.status.phase, &operation.kind)
                && change.plan_id != instance.plan_id
            {
                all.push(values(service, &change.plan_id, checkpoint.take(), Some(&change.after)));
            }
            if let Some((plan, state)) = &instance.unfinished {
                all.push(values(service, plan, Some(state.clone()), None));
            }
            let state = checkpoint.or_else(|| instance.state.clone());
            all.push(values(service, &instance.plan_id, state, Some(&instance.parameters)));
        }
        if let Some(binding) = record.binding() {
            let state = binding.status.operation.checkpoint.clone().or_else(|| binding.state.clone());
            all.push(values(&binding.service_id, &binding.plan_id, state, Some(&binding.parameters)));
        }
        all
    }

    /// Returns the reasons why the types of the broker can't decode the values; none if they can. The reasons contain no values.
    pub fn unreadable(&self, offerings: &[&Offering]) -> Vec<String> {
        let Some(plan) = offerings.iter().find(|one| one.id == self.service_id).and_then(|one| one.plan(&self.plan_id))
        else {
            return vec![format!("the broker has no plan {} of service {}", self.plan_id, self.service_id)];
        };
        self.problems(plan).map(|(part, reason)| format!("{}: {reason}", part.texts().0)).collect()
    }

    fn problems(&self, plan: &PlanInfo) -> impl Iterator<Item = (ValueKind, String)> {
        let (state, parameters) = match self.binding_id {
            None => (&plan.states.instance, &plan.create),
            Some(_) => (&plan.states.binding, &plan.bind),
        };
        let state = self.state.as_ref().and_then(|saved| (state.decode)(saved.version, &saved.value).err());
        let parameters = parameters.as_ref().zip(self.parameters.as_ref()).and_then(|(info, parameters)| {
            let violations = (info.check_stored)(parameters).err()?;
            let mut reasons: Vec<_> = violations.iter().map(Violation::without_value).collect();
            reasons.dedup();
            Some(reasons.join(", "))
        });
        let state = state.map(|reason| (ValueKind::State, reason));
        state.into_iter().chain(parameters.map(|text| (ValueKind::Parameters, text)))
    }
}

/// Decodes all stored states and parameters with the types of the broker.
///
/// # Errors
///
/// If some can't be decoded, with one problem for each plan and reason; or, as a [temporary](StartError::is_temporary)
/// error, if the records can't be read.
pub async fn check_stored_values(offerings: &[&Offering], records: &Records) -> Result<(), StartError> {
    let mut found: BTreeMap<_, (usize, Vec<String>)> = BTreeMap::new();
    let mut changes: BTreeMap<_, usize> = BTreeMap::new();
    let mut pages = Pages::of(records.store());
    let broken = |error| StartError::temporary(format!("the records can't be read: {error}"));
    while let Some(page) = pages.next().await.map_err(broken)? {
        for values in page.iter().flat_map(|(key, record)| StoredValues::of(key, record)) {
            let offering = offerings.iter().find(|offering| offering.id == values.service_id);
            let Some((offering, plan)) = offering.and_then(|one| Some((one.name, one.plan(&values.plan_id)?))) else {
                // Others use the plan, and `check_records` reports it.
                if values.parameters.is_none() {
                    *changes.entry((values.service_id, values.plan_id)).or_default() += 1;
                }
                continue;
            };
            for (part, reason) in values.problems(plan) {
                let what = if values.binding_id.is_some() { "binding" } else { "instance" };
                let (count, ids) = found.entry((offering, plan.spec.name, what, part, reason)).or_default();
                *count += 1;
                if ids.len() < SHOWN {
                    ids.push(values.to_string());
                }
            }
        }
    }
    let problems = found.into_iter().map(|((service, plan, what, part, reason), (count, ids))| {
        let ((part, remedy), plural) = (part.texts(), if count == 1 { "" } else { "s" });
        let more = if count > ids.len() { format!(" and {} more", count - ids.len()) } else { String::new() };
        format!(
            "the {part} of {count} {what}{plural} of plan {plan:?} of service {service:?} can't be decoded: {reason} \
             ({what}{plural} {}{more}); {remedy}or allow unreadable states (--allow-unreadable-state)",
            ids.join(", ")
        )
    });
    let changes = changes.into_iter().map(|((service, plan), count)| {
        format!(
            "the records have {count} failed change{} to plan {plan} of service {service}, which this release doesn't have, so \
             that a deletion can't read their states; restore the plan (`retired` accepts no new instances), or allow \
             unreadable states (--allow-unreadable-state)",
            if count == 1 { "" } else { "s" }
        )
    });
    let problems: Vec<_> = problems.chain(changes).collect();
    if problems.is_empty() { Ok(()) } else { Err(StartError::new(problems)) }
}

/// Returns the reasons why the state or the parameters of an instance or binding can't be decoded.
pub(super) fn unreadable(offerings: &[&Offering], key: &Key, record: &Record) -> Option<String> {
    let all = StoredValues::of(key, record);
    let reasons: Vec<_> = all.iter().flat_map(|values| values.unreadable(offerings)).collect();
    (!reasons.is_empty()).then(|| reasons.join("; "))
}
