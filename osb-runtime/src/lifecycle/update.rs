//! Update: parameters, plan, context and maintenance of one PATCH, together.

use std::sync::Arc;

use http::StatusCode;
use serde_json::{Map, Value};

use super::{
    Lifecycle, Route, answers, check_parameters, note_stale,
    operation::{Job, Outcome, Step, attend},
    same_parameters,
};
use crate::{
    catalog::PlanInfo,
    protocol::{Answer, Context, InstanceId, UpdateRequest},
    schema::{Kind, merge},
    service::{Common, Extras, Maintained, UpdateCall, WorkHandle},
    store::{InstanceRecord, Phase, Wish},
};

/// What an update comes to, once it is known to be allowed.
struct Plan {
    from: Route,
    to: Route,
    changes: Option<Value>,
    /// The parameters as they will be.
    after: Value,
    maintenance: Option<Maintained>,
    /// The context to remember, if that changes.
    context: Option<Context>,
}

impl Plan {
    fn changes_plan(&self) -> bool {
        self.from.info().spec.id != self.to.info().spec.id
    }
}

impl Lifecycle {
    /// `PATCH /v2/service_instances/{id}`
    pub(crate) async fn update(self: &Arc<Self>, request: UpdateRequest) -> Answer {
        let wish = Wish {
            plan_id: request.plan_id.clone(),
            parameters: request.parameters.clone(),
            maintenance_version: request.maintenance_version.clone(),
            context: request.context.clone(),
        };
        let decided = self
            .decide(&request.instance, |record, claim| {
                let Some(record) = record else { return Step::Answer(answers::no_instance()) };
                match &record.phase {
                    Phase::Updating(running, other) if **other == wish => return Step::Join(running.clone()),
                    Phase::Ready => {}
                    Phase::CreateFailed => return Step::Answer(answers::no_instance()),
                    _ => return Step::Answer(answers::concurrency()),
                }
                match self.plan_update(record, &request) {
                    Err(answer) => Step::Answer(answer),
                    Ok(None) => Step::Answer(Answer::empty(StatusCode::OK)),
                    Ok(Some(plan)) => {
                        record.phase = Phase::Updating(claim.id(), Box::new(wish.clone()));
                        Step::Run((plan, record.alone()))
                    }
                }
            })
            .await;
        match decided {
            Err(answer) => answer,
            Ok((claim, (plan, record))) => {
                if let Some(hint) = &request.previous.plan_id {
                    note_stale(&request.instance, "previous_values.plan_id", hint, &record.plan_id);
                }
                let work = self.limits.work(claim.id());
                self.run(claim, Arc::clone(self).change(work, plan, record, request)).await
            }
        }
    }

    /// What is to be done, or why it can't be. `None`: nothing is left to do but what is done here.
    fn plan_update(&self, record: &mut InstanceRecord, request: &UpdateRequest) -> Result<Option<Plan>, Answer> {
        let service_id = request.service_id.as_deref().or(request.previous.service_id.as_deref());
        if service_id.is_some_and(|id| id != record.service_id) {
            return Err(answers::bad_request("service_id is not the service of this instance; it cannot be changed."));
        }
        let from = self.route(&record.service_id, &record.plan_id)?;
        // Cloud Foundry names the plan in every update; only another one is a change (T27).
        let to = match &request.plan_id {
            Some(plan_id) if *plan_id != record.plan_id => self.change_to(&from, plan_id)?,
            _ => from.clone(),
        };
        let maintenance = maintenance(to.info(), record, request)?;
        let carried = carry_over(to.info(), &record.parameters);
        let changes = request.parameters.clone().filter(|parameters| !parameters.is_empty()).map(Value::Object);
        let after = match &changes {
            Some(changes) => apply(from.info(), to.info(), &carried, changes)?,
            None => carried,
        };
        check_parameters(to.info(), to.info().create.as_ref(), &after)?;
        let plan = Plan { from, to, changes, after, maintenance, context: request.context.clone() };
        let create = plan.to.info().create;
        let nothing = !plan.changes_plan()
            && plan.maintenance.is_none()
            && same_parameters(create.as_ref(), &record.parameters, &plan.after);
        if nothing {
            // UPD-03: context alone, if the offering takes it; UPD-11: or no change at all.
            if let (Some(context), true) = (plan.context, plan.to.offering.allow_context_updates) {
                record.context = context;
            }
            return Ok(None);
        }
        Ok(Some(plan))
    }

    /// The plan to change to, if the offering supports that change (UPD-02, UPD-14).
    fn change_to(&self, from: &Route, plan_id: &str) -> Result<Route, Answer> {
        let (offering, now) = (from.offering, &from.info().spec);
        let to = self.route(offering.id, plan_id)?;
        if offering.changes(now.id, plan_id) {
            return Ok(to);
        }
        let targets = offering.plans.iter().filter(|plan| offering.changes(now.id, plan.spec.id));
        let targets: Vec<String> = targets.map(|plan| format!("{:?}", plan.spec.name)).collect();
        let possible = match targets.as_slice() {
            [] => "It cannot be changed at all.".to_owned(),
            list => format!("It can be changed to {}.", list.join(" or ")),
        };
        Err(answers::unsupported(format!(
            "Plan {:?} cannot be changed to {:?}. {possible}",
            now.name,
            to.info().spec.name
        )))
    }

    async fn change(
        self: Arc<Self>,
        work: Arc<WorkHandle>,
        plan: Plan,
        record: InstanceRecord,
        request: UpdateRequest,
    ) -> Answer {
        let instance = &request.instance;
        let call = UpdateCall {
            common: Common {
                instance: instance.clone(),
                context: plan.context.clone().unwrap_or(record.context),
                origin: request.meta.origin.clone(),
                work: Arc::clone(&work),
            },
            state: record.state.unwrap_or_default(),
            changes: plan.changes.clone(),
            before: record.parameters,
            after: plan.after.clone(),
            maintenance: plan.maintenance.clone(),
        };
        let target = plan.to.info();
        let handler = if plan.changes_plan() {
            plan.from.plan.change_plan(target.spec.id, call)
        } else {
            plan.from.plan.update(call)
        };
        let Some(handler) = handler else {
            self.unchanged(instance, None).await;
            return answers::unsupported(format!("Nothing of plan {:?} can be updated.", target.spec.name));
        };
        let outcome = attend(handler, &work, self.limits.grace).await;
        let failure = outcome.failure(&Job { what: "update", instance, meta: &request.meta });
        // What came to its end within the grace period is done, and there is time left to say so.
        let (Outcome::Done(made) | Outcome::TooSlow(Some(made))) = outcome else {
            // The old plan and parameters are still the instance's (UPD-17). What was saved is of the new plan's type.
            self.unchanged(instance, work.saved().filter(|_| !plan.changes_plan())).await;
            return failure.unwrap_or_else(answers::unexpected);
        };
        let mut answer = Answer::empty(StatusCode::OK);
        answers::add_extras(&mut answer, &made.extras);
        self.store
            .transact(instance, |record| {
                let Some(record) = record else { return };
                record.phase = Phase::Ready;
                target.spec.id.clone_into(&mut record.plan_id);
                record.parameters = plan.after.clone();
                record.state = Some(made.state.clone());
                record.extras = newer(&record.extras, &made.extras);
                if plan.changes_plan() || plan.maintenance.is_some() {
                    record.maintenance_version = target.spec.maintenance.map(|info| info.version.to_owned());
                }
                if let Some(context) = &plan.context {
                    record.context = context.clone();
                }
            })
            .await;
        answer
    }

    /// Ends an update that failed. Whatever its handler saved is there for those that come after it.
    async fn unchanged(&self, instance: &InstanceId, state: Option<Value>) {
        self.store
            .transact(instance, |record| {
                if let Some(record) = record {
                    record.phase = Phase::Ready;
                    record.state = state.clone().or(record.state.take());
                }
            })
            .await;
    }
}

/// The maintenance to perform (UPD-10): compared as text, and only if the request has a version (T30).
fn maintenance(
    plan: &PlanInfo,
    record: &InstanceRecord,
    request: &UpdateRequest,
) -> Result<Option<Maintained>, Answer> {
    let Some(requested) = &request.maintenance_version else { return Ok(None) };
    match plan.spec.maintenance {
        Some(info) if info.version == requested => {
            let due = record.maintenance_version.as_deref() != Some(info.version);
            Ok(due.then(|| Maintained { from: record.maintenance_version.clone(), to: info }))
        }
        _ => Err(answers::maintenance_conflict(plan, requested)),
    }
}

/// On a change of plan, the parameters that the target knows.
fn carry_over(to: &PlanInfo, parameters: &Value) -> Value {
    let (Some(create), Value::Object(all)) = (&to.create, parameters) else { return Value::Object(Map::new()) };
    let Kind::Object(object) = &create.schema.kind else { return parameters.clone() };
    let known = |name: &str| object.open || object.properties.iter().any(|property| property.name.get() == name);
    Value::Object(all.iter().filter(|(name, _)| known(name)).map(|(k, v)| (k.clone(), v.clone())).collect())
}

/// What was sent, checked and merged into what there is (RFC 7386).
fn apply(from: &PlanInfo, to: &PlanInfo, current: &Value, changes: &Value) -> Result<Value, Answer> {
    let (Some(update), Some(create)) = (&to.update, &to.create) else {
        return Err(answers::unsupported(format!("Plan {:?} has no parameters that can be updated.", to.spec.name)));
    };
    if let (Kind::Object(object), Value::Object(sent)) = (&create.schema.kind, changes) {
        // The update's schema does not know them, and "unknown" would be a lie.
        let fixed = |name: &str| object.properties.iter().any(|p| p.immutable && p.name.get() == name);
        let fixed: Vec<&str> = sent.keys().map(String::as_str).filter(|name| fixed(name)).collect();
        if !fixed.is_empty() && from.spec.id == to.spec.id {
            return Err(answers::bad_request(format!(
                "Invalid parameters: {} cannot be changed once the instance exists.",
                fixed.join(", ")
            )));
        }
    }
    check_parameters(to, Some(update), changes)?;
    Ok(merge(create.schema, current, changes))
}

/// What an update did not mention stays as it was.
fn newer(old: &Extras, new: &Extras) -> Extras {
    let or =
        |new: &Map<String, Value>, old: &Map<String, Value>| if new.is_empty() { old.clone() } else { new.clone() };
    Extras {
        dashboard_url: new.dashboard_url.clone().or_else(|| old.dashboard_url.clone()),
        labels: or(&new.labels, &old.labels),
        attributes: or(&new.attributes, &old.attributes),
    }
}
