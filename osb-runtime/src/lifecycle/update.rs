//! Updates: one PATCH changes parameters, plan, context and maintenance version together.

use std::sync::Arc;

use http::StatusCode;
use serde_json::Value;

use super::{
    Lifecycle, ResolvedPlan, answers,
    group::Group,
    instances::dashboard_url,
    key,
    mutation::{NewOperation, Step, Subject},
    note_stale,
    parameters::{apply, carry_over, check_result, keep_unknown, same_parameters},
    transitions::{self, Phase, RequestKind, Transition},
};
use crate::{
    catalog::PlanInfo,
    json::SharedValue,
    protocol::{Answer, PatchInstance},
    store::{InstanceRecord, Key, OperationKind, PlannedUpdate, UpdateKey},
};

impl Lifecycle {
    /// Answers `PATCH /v2/service_instances/{id}`.
    pub(crate) async fn update(self: &Arc<Self>, request: &PatchInstance) -> Answer {
        let update_key = UpdateKey {
            plan_id: request.plan_id.clone(),
            parameters: request.parameters.clone(),
            maintenance_version: request.maintenance_version.clone(),
            context: request.context.clone(),
        };
        let key = key(&request.meta, &request.instance, None);
        let dashboard = self.new_dashboard_url(&key, request).await;
        let decide = |group: &mut Group<'_>, new: &mut NewOperation<'_>| {
            let again = group.instance().map(|record| &record.status.operation).is_some_and(|operation| {
                matches!(&operation.kind, OperationKind::Update(change) if change.update_key == update_key)
                    && operation.is_running()
            });
            let kind = if again { RequestKind::PatchSame } else { RequestKind::Patch };
            let phase = group.phase();
            match (transitions::instance(kind, phase), group.instance_mut()) {
                (Transition::Join, _) => Ok(Step::Join),
                (Transition::Run, Some(record)) => {
                    self.begin_update(record, request, &update_key, dashboard.as_ref(), new)
                }
                (Transition::Busy, _) => Err(answers::concurrency()),
                (Transition::Failed, _) => {
                    Err(answers::deletion_failed(StatusCode::UNPROCESSABLE_ENTITY, "service instance"))
                }
                _ => Err(answers::none("service instance", phase)),
            }
        };
        self.handle_mutation(&key, None, &request.meta, decide).await
    }

    /// Returns the dashboard URL of the plan that the request changes to, which the first response has to contain (UPD-15); `None`
    /// if the request changes no plan. The author's function is called before the transaction, which blocks other requests.
    async fn new_dashboard_url(&self, key: &Key, request: &PatchInstance) -> Option<Result<Option<String>, Answer>> {
        let plan_id = request.plan_id.as_deref()?;
        let changed = self.read(key, |record| {
            let instance = record?.instance()?;
            (instance.plan_id != plan_id).then(|| self.route(&instance.service_id, plan_id).ok()).flatten()
        });
        match changed.await {
            Ok(resolved) => Some(dashboard_url(&resolved?, &request.meta, &request.instance)),
            // The store is unavailable.
            Err(answer) => Some(Err(answer)),
        }
    }

    fn begin_update(
        &self,
        record: &mut InstanceRecord,
        request: &PatchInstance,
        update_key: &UpdateKey,
        dashboard: Option<&Result<Option<String>, Answer>>,
        new: &mut NewOperation<'_>,
    ) -> Result<Step, Answer> {
        if self.settings.bind_blocks_instance && !record.busy.is_empty() {
            return Err(answers::concurrency());
        }
        let key = key(&request.meta, &request.instance, None);
        note_stale(&key, "previous_values.plan_id", request.previous.plan_id.as_deref(), &record.plan_id);
        let planned = self.plan_update(record, request, update_key)?;
        let (to, mut change) = planned.ok_or_else(|| Answer::empty(StatusCode::OK))?;
        // Handlers of bindings that run, or are to be repeated, have the state of the old plan.
        if change.plan_id != record.plan_id && !record.busy.is_empty() {
            return Err(answers::concurrency());
        }
        let response_mode = to.response_mode(Subject::Instance, &request.meta)?;
        change.dashboard_url = match dashboard {
            _ if change.plan_id == record.plan_id => None,
            Some(url) => url.clone()?,
            // The plan has changed since the request was read.
            None => return Err(answers::concurrency()),
        };
        self.enqueue(new, &to)?;
        let kind = OperationKind::Update(Box::new(change));
        record.status.begin(self.operation(new, kind, &request.meta, response_mode, to.info));
        record.status.phase = Phase::Updating;
        Ok(Step::Run(response_mode))
    }

    /// Validates an update. Returns `None` if no handler is needed: for an empty update, and for one of the context
    /// alone, which it stores.
    fn plan_update(
        &self,
        record: &mut InstanceRecord,
        request: &PatchInstance,
        update_key: &UpdateKey,
    ) -> Result<Option<(ResolvedPlan, PlannedUpdate)>, Answer> {
        let service_id = request.service_id.as_deref().or(request.previous.service_id.as_deref());
        if service_id.is_some_and(|id| id != record.service_id) {
            return Err(answers::bad_request("service_id is not the service of this instance; it cannot be changed."));
        }
        let from =
            self.route_stored(&key(&request.meta, &request.instance, None), &record.service_id, &record.plan_id)?;
        // Cloud Foundry sends the plan in every update; only a different one is a change (T27).
        let to = match &request.plan_id {
            Some(plan_id) if *plan_id != record.plan_id => self.change_to(&from, plan_id)?,
            _ => from.clone(),
        };
        let maintenance = maintenance(to.info, record, request)?;
        let (info, moves) = (to.info, to.info.spec.id != record.plan_id);
        let carried = carry_over(from.info, info, &record.parameters);
        let changes = request.parameters.clone().filter(|parameters| !parameters.is_empty()).map(Value::Object);
        let (after, acts) = match &changes {
            Some(changes) => apply(info, &carried, changes)?,
            None => (carried.clone(), false),
        };
        // Stored parameters may violate a newer schema; an update without parameters or plan is valid nevertheless.
        if moves || changes.is_some() {
            check_result(info, &after, changes.as_ref(), moves)?;
        }
        let reverts = changes.is_some() && record.half_updated;
        if !moves && !maintenance && !reverts && !acts && same_parameters(info.create.as_ref(), &carried, &after) {
            // Only the context changes, if the offering allows that (UPD-03), or nothing (UPD-11).
            if let (Some(context), true) = (&request.context, to.offering.allow_context_updates) {
                record.context = context.clone();
            }
            // A parameter that was reset has the value of its default, which a later release can change.
            if changes.is_some() {
                record.parameters = keep_unknown(info, after, &record.parameters).into();
            }
            return Ok(None);
        }
        let newest = info.spec.maintenance.map(|info| info.version.to_owned());
        let change = PlannedUpdate {
            update_key: update_key.clone(),
            plan_id: info.spec.id.to_owned(),
            dashboard_url: None,
            changes: changes.map(SharedValue::from),
            after: if moves { after } else { keep_unknown(info, after, &record.parameters) }.into(),
            maintenance,
            version: if moves || maintenance { newest } else { record.maintenance_version.clone() },
            // `allow_context_updates` is about updates of the context alone; others may always have one (UPD-08).
            context: request.context.clone(),
        };
        Ok(Some((to, change)))
    }

    /// Finds the new plan, if the offering supports the change (UPD-02, UPD-14).
    fn change_to(&self, from: &ResolvedPlan, plan_id: &str) -> Result<ResolvedPlan, Answer> {
        let (offering, now) = (from.offering, &from.info.spec);
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
            now.name, to.info.spec.name
        )))
    }
}

/// Returns whether an update has to perform maintenance (UPD-10): if the request has a version (T30), whose text differs
/// from the instance's.
fn maintenance(plan: &PlanInfo, record: &InstanceRecord, request: &PatchInstance) -> Result<bool, Answer> {
    let Some(requested) = &request.maintenance_version else { return Ok(false) };
    match plan.spec.maintenance {
        Some(info) if info.version == requested => Ok(record.maintenance_version.as_deref() != Some(info.version)),
        _ => Err(answers::maintenance_conflict(plan, requested)),
    }
}
