//! A client's knowledge of its instances and bindings, and its requests without a known outcome.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::subject::{Inventory, Subject};

/// An instance or a binding, as its client sees it.
#[derive(Debug, Default, Clone)]
pub(crate) struct Tracked {
    /// Its last known state; `None` if it does not exist.
    pub(crate) is: Option<Resource>,
    /// A later request whose outcome is not known yet.
    pub(crate) pending: Option<Pending>,
}

/// An instance or a binding that exists.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Resource {
    /// The index of its plan.
    pub(crate) plan: usize,
    pub(crate) parameters: Value,
    /// Credentials of a binding; null while unknown.
    pub(crate) credentials: Value,
}

/// A request without a known outcome.
#[derive(Debug, Clone)]
pub(crate) struct Pending {
    pub(crate) request: Request,
    pub(crate) action: Action,
    /// The result if it succeeds; `None` for a deletion.
    pub(crate) then: Option<Resource>,
    /// `true` if it is expected to fail.
    pub(crate) fails: bool,
    /// Length of the call log before the request.
    pub(crate) since: usize,
    /// The operation's id, if it was accepted.
    pub(crate) operation: Option<String>,
    /// The accepted create that this deletion cancels.
    pub(crate) cancels: Option<Box<Self>>,
}

/// The kind of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    Create,
    Update,
    Delete,
}

/// A request that can be repeated.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: &'static str,
    pub(crate) path: String,
    pub(crate) body: Value,
    /// `true` if the client accepts a 202.
    pub(crate) polls: bool,
}

/// The paths of a resource.
#[derive(Debug, Clone)]
pub(crate) struct Paths {
    pub(crate) instance: String,
    pub(crate) binding: Option<String>,
}

impl Paths {
    pub(crate) fn resource(&self) -> String {
        let binding = self.binding.as_ref().map(|id| format!("/service_bindings/{id}")).unwrap_or_default();
        format!("/v2/service_instances/{}{binding}", self.instance)
    }

    pub(crate) fn poll(&self, operation: Option<&str>) -> String {
        let operation = operation.map(|id| format!("?operation={id}")).unwrap_or_default();
        format!("{}/last_operation{operation}", self.resource())
    }

    /// Returns the handler for a request.
    pub(crate) fn handler(&self, action: Action) -> &'static str {
        match (action, &self.binding) {
            (Action::Create, None) => "provision",
            (Action::Create, Some(_)) => "bind",
            (Action::Update, _) => "update",
            (Action::Delete, None) => "deprovision",
            (Action::Delete, Some(_)) => "unbind",
        }
    }

    /// Returns the name in the call log.
    pub(crate) fn name(&self) -> String {
        self.binding.as_ref().map_or_else(|| self.instance.clone(), |binding| format!("{}/{binding}", self.instance))
    }
}

/// An instance with its bindings.
#[derive(Debug, Default)]
pub(crate) struct Slot {
    pub(crate) id: String,
    pub(crate) instance: Tracked,
    pub(crate) bindings: BTreeMap<String, Tracked>,
}

impl Slot {
    pub(crate) fn tracked(&mut self, binding: Option<&str>) -> &mut Tracked {
        match binding {
            Some(id) => self.bindings.entry(id.to_owned()).or_default(),
            None => &mut self.instance,
        }
    }

    pub(crate) fn paths(&self, binding: Option<&str>) -> Paths {
        Paths { instance: self.id.clone(), binding: binding.map(str::to_owned) }
    }

    /// Returns whether an operation is pending on it.
    pub(crate) fn is_busy(&self) -> bool {
        self.instance.pending.is_some() || self.bindings.values().any(|binding| binding.pending.is_some())
    }

    /// Returns whether a rotation of this binding is pending, or was cancelled by a deletion that is pending: its handler may
    /// still run.
    pub(crate) fn is_being_rotated(&self, id: &str) -> bool {
        let pending = self.bindings.values().filter_map(|binding| binding.pending.as_ref());
        let mut all = pending.flat_map(|pending| [Some(pending), pending.cancels.as_deref()]).flatten();
        all.any(|one| one.request.body["predecessor_binding_id"] == id)
    }

    /// Adds the resources that must exist while no operation is running.
    pub(crate) fn expect(&self, subject: &dyn Subject, all: &mut Inventory) {
        if let Some(made) = &self.instance.is {
            let what = subject.instance(&subject.plans()[made.plan], &made.parameters);
            all.instances.push((self.id.clone(), what));
        }
        for (id, bound) in &self.bindings {
            if let Some(bound) = &bound.is {
                all.bindings.push(((self.id.clone(), id.clone()), subject.binding(&bound.credentials)));
            }
        }
    }
}

/// Returns the parameters after an update.
pub(crate) fn merged(before: &Value, changes: &Value) -> Value {
    let mut after: Map<String, Value> = before.as_object().cloned().unwrap_or_default();
    after.extend(changes.as_object().cloned().unwrap_or_default());
    Value::Object(after)
}
