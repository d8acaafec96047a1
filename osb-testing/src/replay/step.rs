//! The requests of a replay.

use serde_json::{Value, json};

use crate::{Answer, Client};
use osb_runtime::{
    protocol::{BindingId, InstanceId, Tenant},
    store::Key,
};

pub(super) const INSTANCE: &str = "replayed";
pub(super) const FIRST: &str = "first";
pub(super) const SECOND: &str = "second";

/// The handlers that requests call.
pub(super) const HANDLERS: [&str; 6] = ["provision", "update", "change_plan", "deprovision", "bind", "unbind"];

/// A request of the platform.
#[derive(Debug, Clone)]
pub(super) enum Step {
    Provision(Value),
    Bind {
        binding: &'static str,
        parameters: Value,
    },
    Update(Value),
    /// The version of the maintenance.
    Maintain(&'static str),
    /// The id of the new plan, and parameters.
    ChangePlan(&'static str, Option<Value>),
    Rotate,
    Unbind(&'static str),
    Deprovision,
}

impl Step {
    /// Returns the handler that the step calls, and the special case of the call.
    const fn handler(&self) -> (&'static str, &'static str) {
        match self {
            Self::Provision(_) => ("provision", ""),
            Self::Bind { .. } => ("bind", ""),
            Self::Rotate => ("bind", " (a rotation)"),
            Self::Update(_) => ("update", ""),
            Self::Maintain(_) => ("update", " (maintenance)"),
            Self::ChangePlan(_, None) => ("change_plan", ""),
            Self::ChangePlan(_, Some(_)) => ("change_plan", " (with parameters)"),
            Self::Unbind(_) => ("unbind", ""),
            Self::Deprovision => ("deprovision", ""),
        }
    }

    pub(super) fn name(&self) -> String {
        let (handler, case) = self.handler();
        format!("{handler}{case}")
    }

    pub(super) fn calls(&self, handler: &str) -> bool {
        self.handler().0 == handler
    }

    /// Returns whether the step is the subject of a script of its own, whose other steps are those of the main script.
    pub(super) fn is_alone(&self) -> bool {
        matches!(self, Self::Maintain(_) | Self::ChangePlan(..))
    }

    /// Returns the key of the record that the step is about.
    pub(super) fn key(&self) -> Key {
        let binding = match self {
            Self::Bind { binding, .. } | Self::Unbind(binding) => Some(BindingId::from(*binding)),
            Self::Rotate => Some(BindingId::from(SECOND)),
            _ => None,
        };
        Key { tenant: Tenant::default(), instance: InstanceId::from(INSTANCE), binding }
    }

    pub(super) fn creates(&self) -> bool {
        matches!(self, Self::Provision(_) | Self::Bind { .. } | Self::Rotate)
    }

    pub(super) fn updates(&self) -> bool {
        matches!(self, Self::Update(_) | Self::Maintain(_) | Self::ChangePlan(..))
    }

    pub(super) async fn ask(&self, platform: &Client, service: &str, plan: &str) -> Answer {
        match self {
            Self::Provision(parameters) => platform.provision(INSTANCE, service, plan, parameters.clone()).await,
            Self::Bind { binding, parameters } => platform.bind(INSTANCE, binding, parameters.clone()).await,
            Self::Rotate => platform.rotate(INSTANCE, SECOND, FIRST).await,
            Self::Update(parameters) => platform.update(INSTANCE, parameters.clone()).await,
            Self::Maintain(version) => {
                let path = format!("/v2/service_instances/{INSTANCE}?accepts_incomplete=true");
                let (service_id, plan_id) = platform.ids(service, plan);
                let body = json!({
                    "service_id": service_id, "plan_id": plan_id, "maintenance_info": { "version": version },
                });
                platform.request("PATCH", &path, Some(body)).await
            }
            Self::ChangePlan(to, None) => platform.change_plan(INSTANCE, to, ()).await,
            Self::ChangePlan(to, Some(parameters)) => platform.change_plan(INSTANCE, to, parameters.clone()).await,
            Self::Unbind(binding) => platform.unbind(INSTANCE, binding).await,
            Self::Deprovision => platform.deprovision(INSTANCE).await,
        }
    }
}
