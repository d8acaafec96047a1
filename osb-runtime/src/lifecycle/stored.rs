//! Stored states and parameters, decoded by the types of this release.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    catalog::{Offering, PlanInfo},
    json::SharedValue,
    schema::Violation,
    service::StateJson,
    store::{Key, OperationKind, Phase, Record},
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

/// A part of the stored values that can't be decoded, and its correction, which the reason of a state has.
type Part = (&'static str, &'static str);

const STATE: Part = ("state", "");
const PARAMETERS: Part =
    ("parameters", "keep the old type, value or name (`alias`), give the new parameter a default, ");

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
        self.problems(plan).map(|(part, reason)| format!("{}: {reason}", part.0)).collect()
    }

    fn problems(&self, plan: &PlanInfo) -> impl Iterator<Item = (Part, String)> {
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
        let state = state.map(|reason| (STATE, reason));
        state.into_iter().chain(parameters.map(|text| (PARAMETERS, text)))
    }
}

/// The end of a problem, which names the plan, its beginning before the number, the noun after that, and the remedy.
type Problem = (String, String, &'static str, &'static str);

/// The stored states and parameters that the types of the broker can't decode: their number and the first ids for each problem.
#[derive(Default)]
pub(super) struct UnreadableValues(BTreeMap<Problem, (usize, Vec<String>)>);

impl UnreadableValues {
    /// Decodes the values of a record.
    pub(super) fn add(&mut self, offerings: &[&Offering], key: &Key, record: &Record) {
        for values in StoredValues::of(key, record) {
            let StoredValues { service_id, plan_id, .. } = &values;
            let offering = offerings.iter().find(|offering| offering.id == service_id);
            if let Some((offering, plan)) = offering.and_then(|one| Some((one.name, one.plan(plan_id)?))) {
                for ((part, remedy), reason) in values.problems(plan) {
                    let noun = if values.binding_id.is_some() { "binding" } else { "instance" };
                    let plan = plan.spec.name;
                    let rest = format!("of plan {plan:?} of service {offering:?} can't be decoded: {reason}");
                    let (count, ids) = self.0.entry((rest, format!("the {part} of"), noun, remedy)).or_default();
                    *count += 1;
                    if ids.len() < SHOWN {
                        ids.push(values.to_string());
                    }
                }
            } else if values.parameters.is_none() {
                // A failed change to the plan. If others use it, that is a problem of its own.
                let rest = format!(
                    "to plan {plan_id} of service {service_id}, which this release doesn't have, so that a deletion can't \
                     read their states"
                );
                let remedy = "restore the plan (`retired` accepts no new instances), ";
                self.0.entry((rest, "the records have".to_owned(), "failed change", remedy)).or_default().0 += 1;
            }
        }
    }

    /// Returns one text for each problem.
    pub(super) fn into_problems(self) -> impl Iterator<Item = String> {
        self.0.into_iter().map(|((rest, start, noun, remedy), (count, ids))| {
            let s = if count == 1 { "" } else { "s" };
            let more = if count > ids.len() { format!(" and {} more", count - ids.len()) } else { String::new() };
            let ids = if ids.is_empty() { ids.concat() } else { format!(" ({noun}{s} {}{more})", ids.join(", ")) };
            format!(
                "{start} {count} {noun}{s} {rest}{ids}; {remedy}or allow unreadable states (--allow-unreadable-state)"
            )
        })
    }
}

/// Returns the reasons why the state or the parameters of an instance or binding can't be decoded.
pub(super) fn unreadable(offerings: &[&Offering], key: &Key, record: &Record) -> Option<String> {
    let all = StoredValues::of(key, record);
    let reasons: Vec<_> = all.iter().flat_map(|values| values.unreadable(offerings)).collect();
    (!reasons.is_empty()).then(|| reasons.join("; "))
}
