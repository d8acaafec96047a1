//! What is remembered.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::{
    protocol::{BindResource, BindingId, Context},
    service::Extras,
};

/// An instance, and its bindings.
#[derive(Debug, Clone)]
pub(crate) struct InstanceRecord {
    pub(crate) service_id: String,
    pub(crate) plan_id: String,
    pub(crate) organization_guid: Option<String>,
    pub(crate) space_guid: Option<String>,
    pub(crate) context: Context,
    /// As the user gave them: defaults are filled in when they are read.
    pub(crate) parameters: Value,
    /// The author's; missing until the create has succeeded or saved some.
    pub(crate) state: Option<Value>,
    pub(crate) extras: Extras,
    pub(crate) maintenance_version: Option<String>,
    pub(crate) phase: Phase,
    pub(crate) bindings: HashMap<BindingId, BindingRecord>,
}

impl InstanceRecord {
    /// The instance without its bindings, of which there may be many.
    pub(crate) fn alone(&self) -> Self {
        Self {
            service_id: self.service_id.clone(),
            plan_id: self.plan_id.clone(),
            organization_guid: self.organization_guid.clone(),
            space_guid: self.space_guid.clone(),
            context: self.context.clone(),
            parameters: self.parameters.clone(),
            state: self.state.clone(),
            extras: self.extras.clone(),
            maintenance_version: self.maintenance_version.clone(),
            phase: self.phase.clone(),
            bindings: HashMap::new(),
        }
    }
}

/// A binding.
#[derive(Debug, Clone)]
pub(crate) struct BindingRecord {
    pub(crate) service_id: String,
    pub(crate) plan_id: String,
    pub(crate) parameters: Value,
    pub(crate) resource: BindResource,
    pub(crate) predecessor: Option<BindingId>,
    pub(crate) state: Option<Value>,
    /// What the binding gives: `credentials` and the like.
    pub(crate) output: Map<String, Value>,
    pub(crate) phase: Phase,
}

/// What is going on with an instance or a binding. The operation's id is the claim: whoever holds it runs the handler.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Phase {
    Creating(String),
    Ready,
    /// What the failed create left behind could not be removed yet.
    CreateFailed,
    Updating(String, Box<Wish>),
    Deleting(String),
    DeleteFailed,
}

/// What an update is to reach, to recognise the same request when it comes again.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Wish {
    pub(crate) plan_id: Option<String>,
    pub(crate) parameters: Option<Map<String, Value>>,
    pub(crate) maintenance_version: Option<String>,
    pub(crate) context: Option<Context>,
}
