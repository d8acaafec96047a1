//! The scripts of a plan: the requests that replay its handlers.

use osb_runtime::catalog::{Offering, PlanInfo};
use serde_json::Value;

use super::{
    Replay, is_called,
    step::{FIRST, SECOND, Step},
};
use crate::samples;

/// Returns the scripts of a plan: one of its own life, one of its maintenance, and those of its changes to other plans.
pub(super) fn scripts(replay: &Replay, offering: &Offering, plan: &'static PlanInfo) -> Vec<Vec<Step>> {
    let name = format!("{}/{}", offering.name, plan.spec.name);
    let new = given(&name, replay.parameters.as_ref(), samples::create(plan.create.as_ref()), "parameters");
    let mut scripts = vec![life(replay, plan, &name, &new)];
    if !samples::fits(plan.create.as_ref(), &new, None) {
        // The provision is going to fail, and says why.
        return scripts;
    }
    let maintenance = plan.spec.maintenance.map(|maintenance| Step::Maintain(maintenance.version));
    let changes = changes(replay, offering, plan, &name, &new);
    let alone = |step| vec![Step::Provision(new.clone()), step, Step::Deprovision];
    scripts.extend(maintenance.into_iter().chain(changes).map(alone));
    scripts
}

/// Returns the parameters that the author has set, or those that were found.
fn given(plan: &str, given: Option<&Value>, found: Result<Value, String>, method: &str) -> Value {
    given.cloned().map_or(found, Ok).unwrap_or_else(|why| {
        panic!(
            "no parameters were found for plan `{plan}`: {why}\n  help: set them with `.{method}(json!({{ ... }}))`, or add \
             examples to the parameters"
        )
    })
}

/// Returns the requests from the creation of an instance to its deletion.
fn life(replay: &Replay, plan: &PlanInfo, name: &str, new: &Value) -> Vec<Step> {
    let mut steps = vec![Step::Provision(new.clone())];
    if plan.spec.bindable {
        let bind = given(name, replay.bind.as_ref(), samples::create(plan.bind.as_ref()), "bind");
        steps.push(Step::Bind { binding: FIRST, parameters: bind });
    }
    if let (Some(update), Some(create)) = (&plan.update, &plan.create) {
        let found = samples::update(update, create, new);
        let found = found.ok_or_else(|| "no other value of a parameter is known".to_owned());
        steps.push(Step::Update(given(name, replay.update.as_ref(), found, "update")));
    }
    if plan.spec.bindable {
        let rotations = if plan.spec.rotatable { vec![Step::Rotate, Step::Unbind(SECOND)] } else { Vec::new() };
        steps.extend(rotations.into_iter().chain([Step::Unbind(FIRST)]));
    }
    steps.push(Step::Deprovision);
    steps
}

/// Returns the changes to other plans, each without parameters, with some, or both.
fn changes(replay: &Replay, offering: &Offering, plan: &PlanInfo, name: &str, new: &Value) -> Vec<Step> {
    let mut steps = Vec::new();
    let targets = offering.changes.iter().filter(|change| change.from == plan.spec.id);
    let is_played =
        |target: &&PlanInfo| !replay.without.iter().any(|[from, to]| is_called(plan, from) && is_called(target, to));
    for target in targets.filter_map(|change| offering.plan(change.to)).filter(is_played) {
        let create = target.create.as_ref();
        let needs_none = samples::fits(create, new, None);
        if needs_none {
            steps.push(Step::ChangePlan(target.spec.id, None));
        }
        let is_target = |(to, _): &&(String, Value)| is_called(target, to);
        let given = replay.changes.iter().find(is_target).map(|(_, parameters)| parameters.clone());
        let found = || {
            let found = if needs_none {
                samples::update(&target.update?, create?, new)
            } else {
                samples::missing(create?, new)
            };
            found.filter(|change| samples::fits(create, new, Some(change)))
        };
        match given.or_else(found) {
            Some(parameters) => steps.push(Step::ChangePlan(target.spec.id, Some(parameters))),
            None if needs_none => {}
            None => panic!(
                "no parameters were found for the change of plan `{name}` to `{to}`\n  help: set them with \
                 `.change_plan({to:?}, json!({{ ... }}))`",
                to = target.spec.name
            ),
        }
    }
    steps
}
