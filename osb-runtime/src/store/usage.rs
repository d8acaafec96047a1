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
    /// Counts the plans that the instance and its bindings use. Tombstones use none, and an instance whose plan is being
    /// changed uses two.
    pub fn uses(&self) -> impl Iterator<Item = PlanUsage> {
        let mut instance = Vec::new();
        if self.status.phase != Phase::Gone {
            instance.push(&self.plan_id);
            if let (Phase::Updating, OperationKind::Update(change)) = (self.status.phase, &self.status.operation.kind)
                && change.plan_id != self.plan_id
            {
                instance.push(&change.plan_id);
            }
        }
        let instance = instance.into_iter().map(|plan_id| (&self.service_id, plan_id, 1, 0));
        let there = self.bindings.values().filter(|binding| binding.status.phase != Phase::Gone);
        let bindings = there.map(|binding| (&binding.service_id, &binding.plan_id, 0, 1));
        instance.chain(bindings).map(|(service_id, plan_id, instances, bindings)| PlanUsage {
            service_id: service_id.clone(),
            plan_id: plan_id.clone(),
            instances,
            bindings,
        })
    }
}

/// Adds up the uses of many records, so that each plan occurs once.
pub fn sum(uses: impl IntoIterator<Item = PlanUsage>) -> Vec<PlanUsage> {
    let mut counted = BTreeMap::<_, (u64, u64)>::new();
    for one in uses {
        let (instances, bindings) = counted.entry((one.service_id, one.plan_id)).or_default();
        *instances += one.instances;
        *bindings += one.bindings;
    }
    let counted = counted.into_iter();
    counted
        .map(|((service_id, plan_id), (instances, bindings))| PlanUsage { service_id, plan_id, instances, bindings })
        .collect()
}
