//! Which plans live records are of.

use std::collections::BTreeMap;

use super::{InstanceRecord, Kind, Phase};

/// A plan, and how much there is of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Use {
    pub(crate) service_id: String,
    pub(crate) plan_id: String,
    pub(crate) instances: u64,
    pub(crate) bindings: u64,
}

impl InstanceRecord {
    /// The plans that the instance and its bindings are of. What is gone has none, and an instance that is being moved
    /// has two.
    pub(crate) fn uses(&self) -> impl Iterator<Item = Use> {
        let mut instance = Vec::new();
        if self.life.phase != Phase::Gone {
            instance.push(&self.plan_id);
            if let (Phase::Updating, Kind::Update(change)) = (self.life.phase, &self.life.operation.kind)
                && change.plan_id != self.plan_id
            {
                instance.push(&change.plan_id);
            }
        }
        let instance = instance.into_iter().map(|plan_id| (&self.service_id, plan_id, 1, 0));
        let there = self.bindings.values().filter(|binding| binding.life.phase != Phase::Gone);
        let bindings = there.map(|binding| (&binding.service_id, &binding.plan_id, 0, 1));
        instance.chain(bindings).map(|(service_id, plan_id, instances, bindings)| Use {
            service_id: service_id.clone(),
            plan_id: plan_id.clone(),
            instances,
            bindings,
        })
    }
}

/// The uses of many records, each plan once.
pub(crate) fn sum(uses: impl IntoIterator<Item = Use>) -> Vec<Use> {
    let mut counted = BTreeMap::<_, (u64, u64)>::new();
    for one in uses {
        let (instances, bindings) = counted.entry((one.service_id, one.plan_id)).or_default();
        *instances += one.instances;
        *bindings += one.bindings;
    }
    let counted = counted.into_iter();
    counted
        .map(|((service_id, plan_id), (instances, bindings))| Use { service_id, plan_id, instances, bindings })
        .collect()
}
