//! Counts the plans that are in use.

use std::collections::BTreeMap;

use super::{OperationKind, Phase, Record};

/// The number of instances and bindings of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanUsage {
    /// The id of the plan's service.
    pub service_id: String,
    /// The id of the plan.
    pub plan_id: String,
    /// The number of instances.
    pub instances: u64,
    /// The number of bindings.
    pub bindings: u64,
}

impl Record {
    /// Counts the plans that the instance or binding uses. A tombstone uses none, and an instance whose plan is being
    /// changed uses two.
    pub fn plan_usage(&self) -> impl Iterator<Item = PlanUsage> {
        let (instances, bindings) = if self.binding().is_some() { (0, 1) } else { (1, 0) };
        let next = self.status().and_then(|status| match &status.operation.kind {
            OperationKind::Update(change) if status.phase == Phase::Updating => Some(change.plan_id.as_str()),
            _ => None,
        });
        let plan = self.plan();
        let next = plan.zip(next).filter(|((_, plan), next)| plan != next).map(|((service, _), next)| (service, next));
        plan.into_iter().chain(next).map(move |(service_id, plan_id)| PlanUsage {
            service_id: service_id.to_owned(),
            plan_id: plan_id.to_owned(),
            instances,
            bindings,
        })
    }
}

impl PlanUsage {
    /// Adds up the usage of many records, so that each plan occurs once.
    pub fn sum(all: impl IntoIterator<Item = Self>) -> Vec<Self> {
        let mut counted = BTreeMap::<_, (u64, u64)>::new();
        for one in all {
            let (instances, bindings) = counted.entry((one.service_id, one.plan_id)).or_default();
            *instances += one.instances;
            *bindings += one.bindings;
        }
        let counted = counted.into_iter();
        counted
            .map(|((service_id, plan_id), (instances, bindings))| Self { service_id, plan_id, instances, bindings })
            .collect()
    }
}
