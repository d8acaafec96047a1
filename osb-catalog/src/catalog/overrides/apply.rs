//! Application of overrides to the offerings and their JSON.

use serde_json::Value;

use super::{Replacement, ServiceChange, rules};
use crate::{
    catalog::{Offering, PlanChange, PlanInfo, Requires, json},
    json::{Json, Members},
};

/// The offerings of a broker with overrides applied.
#[derive(Debug, Clone)]
pub struct EffectiveCatalog {
    /// All offerings, in the order of the broker. A hidden plan is `retired`.
    pub offerings: &'static [&'static Offering],
    /// The changes in the same order, if there are any.
    changes: Option<&'static [ServiceChange]>,
    /// Warnings for the operator.
    pub warnings: Vec<String>,
}

impl EffectiveCatalog {
    /// Returns the offerings without overrides.
    #[must_use]
    pub fn unchanged(offerings: &'static [&'static Offering]) -> Self {
        Self { offerings, changes: None, warnings: Vec::new() }
    }

    pub(super) fn changed(
        offerings: &'static [&'static Offering],
        changes: Vec<ServiceChange>,
        warnings: Vec<String>,
    ) -> Self {
        let changes = changes.leak();
        let copies = offerings.iter().zip(&*changes).map(|(offering, change)| &*Box::leak(changed(offering, change)));
        Self { offerings: copies.collect::<Vec<_>>().leak(), changes: Some(changes), warnings }
    }

    /// Returns whether the catalog differs from the constant.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        self.changes.is_some()
    }

    /// Returns the offerings in the catalog: those with at least one plan that is not retired.
    #[must_use]
    pub fn in_catalog(&self) -> Vec<&'static Offering> {
        self.offerings.iter().copied().filter(|offering| is_shown(offering)).collect()
    }

    /// Applies the changes to the JSON of the constant catalog.
    pub(crate) fn patch(&self, catalog: &mut Json) {
        let Some(services) = catalog["services"].as_array_mut().filter(|_| self.is_changed()) else { return };
        let mut all = self.offerings.iter().zip(self.changes.unwrap_or_default());
        services.retain_mut(|json| {
            let Some((offering, change)) = all.next() else { return false };
            if let Some(name) = &change.name {
                json["name"] = name.as_str().into();
            }
            patch(json, &change.own);
            if let Some(client) = &change.client {
                json["dashboard_client"]["id"] = client.id.into();
                json["dashboard_client"]["redirect_uri"] = client.redirect_uri.into();
            }
            // Families without plans in this deployment don't count.
            let bindable = shown_plans(offering).any(|plan| plan.spec.bindable);
            json["bindable"] = bindable.into();
            json["bindings_retrievable"] = (offering.bindings_retrievable && bindable).into();
            json["plan_updateable"] = shown_plans(offering).any(|plan| plan.updateable).into();
            if !change.members.is_empty() {
                let requires = offering.plans.iter().fold(Requires::NONE, |all, plan| all.or(plan.requires));
                set_requires(json, requires);
            }
            if let Some(plans) = json["plans"].as_array_mut() {
                plans.retain_mut(|json| {
                    let at = offering.plans.iter().position(|plan| json["id"].as_str() == Some(plan.spec.id));
                    let shown = at.filter(|at| !offering.plans[*at].spec.retired);
                    if let Some(at) = shown {
                        patch(json, &change.plans[at]);
                        json["plan_updateable"] = offering.plans[at].updateable.into();
                    }
                    shown.is_some()
                });
                let members = shown_plans(offering).filter(|plan| plan.member.is_some());
                plans.extend(members.filter_map(|plan| Json::read(&json::plan(plan)).ok()));
            }
            is_shown(offering)
        });
    }
}

/// Sets `requires`, which comes before `bindable` in the specification.
fn set_requires(offering: &mut Json, requires: Requires) {
    let list = json::requires_list(requires).and_then(|list| Json::read(list.as_bytes()).ok());
    if let (Some(list), Some(members)) = (list, offering.as_object_mut()) {
        members.remove("requires");
        members.insert_before(|name| name == "bindable", "requires", list);
    }
}

fn shown_plans(offering: &Offering) -> impl Iterator<Item = &'static PlanInfo> {
    offering.plans.iter().filter(|plan| !plan.spec.retired)
}

fn is_shown(offering: &Offering) -> bool {
    shown_plans(offering).next().is_some()
}

fn changed(offering: &Offering, change: &'static ServiceChange) -> Box<Offering> {
    let mut plans: Vec<PlanInfo> =
        offering.plans.iter().zip(&change.plans).map(|(plan, change)| changed_plan(plan, change)).collect();
    plans.extend(&change.members);
    let changes = changes(offering, &plans);
    for plan in &mut plans {
        plan.updateable = changes.iter().any(|change| change.from == plan.spec.id);
    }
    let own = &change.own;
    Box::new(Offering {
        name: change.name.as_deref().unwrap_or(offering.name),
        description: own.description.as_deref().unwrap_or(offering.description),
        display_name: own.text("displayName").or(offering.display_name),
        long_description: own.text("longDescription").or(offering.long_description),
        documentation_url: own.text("documentationUrl").or(offering.documentation_url),
        support_url: own.text("supportUrl").or(offering.support_url),
        image_url: own.text("imageUrl").or(offering.image_url),
        dashboard_client: change.client.or(offering.dashboard_client),
        plans: plans.leak(),
        changes: changes.leak(),
        ..*offering
    })
}

/// Returns the changes between `plans`: those of a family apply to each of its plans. Instances can't change to a hidden
/// plan.
fn changes(offering: &Offering, plans: &[PlanInfo]) -> Vec<PlanChange> {
    let of = |id: &'static str| plans.iter().filter(move |plan| plan.type_id() == id).map(|plan| &plan.spec);
    let between = |change: &PlanChange| {
        let to = *change;
        of(to.from).flat_map(move |from| {
            let targets = of(to.to).filter(move |to| to.id != from.id && !to.retired);
            targets.map(move |to| PlanChange { from: from.id, to: to.id })
        })
    };
    offering.changes.iter().flat_map(between).collect()
}

pub(super) fn changed_plan(plan: &PlanInfo, change: &'static Replacement) -> PlanInfo {
    let mut spec = plan.spec;
    spec.description = change.description.as_deref().unwrap_or(spec.description);
    spec.display_name = change.text("displayName").or(spec.display_name);
    spec.retired |= change.hidden;
    if let Some(bullets) = change.list("bullets") {
        spec.bullets = bullets.iter().filter_map(Value::as_str).collect::<Vec<_>>().leak();
    }
    if let Some(costs) = change.list("costs") {
        spec.costs = costs.iter().map(|cost| &*rules::in_words(cost).leak()).collect::<Vec<_>>().leak();
    }
    PlanInfo { spec, ..*plan }
}

impl Replacement {
    fn text(&self, name: &str) -> Option<&str> {
        self.metadata.get(name).and_then(Value::as_str)
    }

    fn list(&self, name: &str) -> Option<&Vec<Value>> {
        self.metadata.get(name).and_then(Value::as_array)
    }
}

/// Applies a change to the JSON of a service or a plan.
pub(super) fn patch(json: &mut Json, change: &Replacement) {
    if let Some(description) = &change.description {
        json["description"] = description.as_str().into();
    }
    let Some(json) = json.as_object_mut().filter(|_| !change.metadata.is_empty()) else { return };
    if json.get("metadata").is_none() {
        // In the specification's order, `metadata` comes before these fields.
        let is_next = |name: &str| matches!(name, "free" | "dashboard_client" | "plan_updateable");
        json.insert_before(is_next, "metadata", Members::default());
    }
    let Some(metadata) = json.get_mut("metadata").and_then(Json::as_object_mut) else { return };
    for (name, value) in &change.metadata {
        if value.as_array().is_some_and(Vec::is_empty) {
            metadata.remove(name);
        } else {
            metadata.insert(name, value.clone());
        }
    }
    if metadata.is_empty() {
        json.remove("metadata");
    }
}
