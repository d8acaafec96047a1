//! What a client knows of its instances and bindings: what it was told, and what it asked without being told.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::subject::{Inventory, Subject};

/// An instance or a binding, as its client sees it.
#[derive(Debug, Default, Clone)]
pub(crate) struct Thing {
    /// What there was when the client last knew for certain.
    pub(crate) is: Option<What>,
    /// What it has asked for since then, and how that ended is not known yet.
    pub(crate) asked: Option<Asked>,
}

/// An instance or a binding that exists.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct What {
    /// Its place in the list of plans.
    pub(crate) plan: usize,
    pub(crate) parameters: Value,
    /// Of a binding; null before they were given.
    pub(crate) credentials: Value,
}

/// Something that was asked for.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) request: Request,
    pub(crate) wish: Wish,
    /// What there is if it is done; a deletion makes nothing.
    pub(crate) then: Option<What>,
    /// It is bound to fail.
    pub(crate) fails: bool,
    /// How much had been noted of calls before.
    pub(crate) since: usize,
    /// The operation's id, if it was accepted.
    pub(crate) operation: Option<String>,
    /// The create that this deletion cancels, which had been accepted.
    pub(crate) cancels: Option<Box<Self>>,
}

/// What can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wish {
    Create,
    Update,
    Delete,
}

/// A request that can be made again.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: &'static str,
    pub(crate) path: String,
    pub(crate) body: Value,
    /// Whether the platform accepts to poll.
    pub(crate) polls: bool,
}

/// Where things are.
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

    /// The handler that does it.
    pub(crate) fn handler(&self, wish: Wish) -> &'static str {
        match (wish, &self.binding) {
            (Wish::Create, None) => "provision",
            (Wish::Create, Some(_)) => "bind",
            (Wish::Update, _) => "update",
            (Wish::Delete, None) => "deprovision",
            (Wish::Delete, Some(_)) => "unbind",
        }
    }

    /// As handlers call it.
    pub(crate) fn name(&self) -> String {
        self.binding.as_ref().map_or_else(|| self.instance.clone(), |binding| format!("{}/{binding}", self.instance))
    }
}

/// An instance with its bindings.
#[derive(Debug, Default)]
pub(crate) struct Slot {
    pub(crate) id: String,
    pub(crate) instance: Thing,
    pub(crate) bindings: BTreeMap<String, Thing>,
}

impl Slot {
    pub(crate) fn thing(&mut self, binding: Option<&str>) -> &mut Thing {
        match binding {
            Some(id) => self.bindings.entry(id.to_owned()).or_default(),
            None => &mut self.instance,
        }
    }

    pub(crate) fn paths(&self, binding: Option<&str>) -> Paths {
        Paths { instance: self.id.clone(), binding: binding.map(str::to_owned) }
    }

    /// Whether something is going on with it.
    pub(crate) fn is_busy(&self) -> bool {
        self.instance.asked.is_some() || self.bindings.values().any(|binding| binding.asked.is_some())
    }

    /// Whether a binding has been asked for that succeeds this one.
    pub(crate) fn is_being_succeeded(&self, id: &str) -> bool {
        let mut asked = self.bindings.values().filter_map(|binding| binding.asked.as_ref());
        asked.any(|asked| asked.request.body["predecessor_binding_id"] == id)
    }

    /// What really has to exist of it, when nothing is going on.
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

/// Parameters after an update.
pub(crate) fn merged(before: &Value, changes: &Value) -> Value {
    let mut after: Map<String, Value> = before.as_object().cloned().unwrap_or_default();
    after.extend(changes.as_object().cloned().unwrap_or_default());
    Value::Object(after)
}
