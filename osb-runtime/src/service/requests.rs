//! What the operations are given, and what they give back.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Plan, Saved};
use crate::{
    catalog::Maintenance,
    protocol::{BindResource, BindingId, Context, InstanceId, Origin, Tenant},
};

/// An instance to make.
#[derive(Debug)]
#[non_exhaustive]
pub struct New<P: Plan> {
    /// Whose it is, where several platforms are served: another one may use the same ids.
    pub tenant: Tenant,
    /// The instance's id.
    pub instance: InstanceId,
    /// What the user chose, defaults filled in.
    pub parameters: P::Create,
    /// Where on the platform it is to be.
    pub context: Context,
    /// Who asked for it, if the platform says.
    pub origin: Option<Origin>,
}

impl<P: Plan> New<P> {
    /// The instance's id. It may contain any character, so it is no file name.
    pub fn id(&self) -> &str {
        self.instance.as_str()
    }
}

/// An instance that was made.
#[derive(Debug)]
pub struct Provisioned<S = ()> {
    pub(crate) state: S,
    pub(crate) extras: Extras,
}

/// What an answer about an instance can say beside its status.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Extras {
    pub(crate) dashboard_url: Option<String>,
    pub(crate) labels: Map<String, Value>,
    pub(crate) attributes: Map<String, Value>,
}

macro_rules! extras {
    () => {
        /// Where users find the instance's dashboard. It has to be known by now: a platform looks for it in the first
        /// answer only (PROV-16).
        pub fn dashboard(mut self, url: impl Into<String>) -> Self {
            self.extras.dashboard_url = Some(url.into()).filter(|url| !url.trim().is_empty());
            self
        }

        /// A label, for information. Platforms replace all labels by those of the newest answer (META-01).
        pub fn label(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
            self.extras.labels.insert(name.into(), Value::String(value.into()));
            self
        }

        /// An attribute, which may change how the platform treats the instance (META-02). One that is `null` is left
        /// out, as everything is that has no value.
        pub fn attribute(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
            let name = name.into();
            match value.into() {
                Value::Null => self.extras.attributes.remove(&name),
                value => self.extras.attributes.insert(name, value),
            };
            self
        }
    };
}

impl<S> Provisioned<S> {
    /// The instance is there; `state` is what to remember of it.
    pub fn new(state: S) -> Self {
        Self { state, extras: Extras::default() }
    }

    extras!();
}

/// An instance to remove, or what a failed create left of it.
///
/// Types outlive releases, and nothing may become undeletable: parameters and state that no longer decode are `None`
/// here, with what is stored beside them.
#[non_exhaustive]
pub struct Remains<P: Plan, S = ()> {
    /// Whose it is, where several platforms are served: another one may use the same ids.
    pub tenant: Tenant,
    /// The instance's id.
    pub instance: InstanceId,
    /// What is remembered of it. Missing if the create did not get so far, or if it no longer decodes and can't be
    /// [migrated](super::Provision::migrate_state).
    pub state: Option<S>,
    /// The state as it was saved, if any was.
    pub raw_state: Option<Saved>,
    /// The parameters it has, unless they no longer decode.
    pub parameters: Option<P::Create>,
    /// The parameters as they were given.
    pub raw_parameters: Value,
    /// Where on the platform it is.
    pub context: Context,
    /// Who asked for the removal, if the platform says.
    pub origin: Option<Origin>,
}

/// Without what is stored raw: nobody knows what of it is secret (T68).
impl<P: Plan<Create: fmt::Debug>, S: fmt::Debug> fmt::Debug for Remains<P, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remains")
            .field("instance", &self.instance)
            .field("state", &self.state)
            .field("parameters", &self.parameters)
            .field("context", &self.context)
            .field("origin", &self.origin)
            .finish_non_exhaustive()
    }
}

impl<P: Plan, S> Remains<P, S> {
    /// The instance's id. It may contain any character, so it is no file name.
    pub fn id(&self) -> &str {
        self.instance.as_str()
    }
}

/// Everything that one PATCH asks of an instance. `From` and `To` are the same plan unless the plan changes.
#[derive(Debug)]
#[non_exhaustive]
pub struct PlanUpdate<From: Plan, To: Plan, S> {
    /// Whose it is, where several platforms are served: another one may use the same ids.
    pub tenant: Tenant,
    /// The instance's id.
    pub instance: InstanceId,
    /// What is remembered of it.
    pub state: S,
    /// The parameters that the user sent, and nothing filled in; `None` if the PATCH has none.
    pub changes: Option<To::Update>,
    /// The parameters as they are so far; `None` if they are from an earlier release and no longer decode, which must
    /// not be in the way of an update that mends that.
    pub before: Option<From::Create>,
    /// The parameters as they will be, defaults filled in: what there was, merged with what was sent (RFC 7386).
    pub parameters: To::Create,
    /// The maintenance to perform, if the platform asks for it.
    pub maintenance: Option<Maintained>,
    /// Where on the platform it is.
    pub context: Context,
    /// Who asked for it, if the platform says.
    pub origin: Option<Origin>,
}

impl<From: Plan, To: Plan, S> PlanUpdate<From, To, S> {
    /// The instance's id. It may contain any character, so it is no file name.
    pub fn id(&self) -> &str {
        self.instance.as_str()
    }
}

/// A request to bring an instance to the version that the catalog states.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Maintained {
    /// The version it has, as far as is known.
    pub from: Option<String>,
    /// The version it is to get.
    pub to: Maintenance,
}

/// An instance that was changed.
#[derive(Debug)]
pub struct Updated<S = ()> {
    pub(crate) state: S,
    pub(crate) extras: Extras,
}

impl<S> Updated<S> {
    /// The instance is changed; `state` is what to remember of it from now on.
    pub fn new(state: S) -> Self {
        Self { state, extras: Extras::default() }
    }

    extras!();
}

/// A binding to make.
#[derive(Debug)]
#[non_exhaustive]
pub struct NewBinding<P: Plan, I, B = ()> {
    /// Whose it is, where several platforms are served: another one may use the same ids.
    pub tenant: Tenant,
    /// The binding's id.
    pub binding: BindingId,
    /// The instance's id.
    pub instance: InstanceId,
    /// What is remembered of the instance.
    pub state: I,
    /// The parameters that the instance has.
    pub instance_parameters: P::Create,
    /// What the user chose for the binding, defaults filled in.
    pub parameters: P::Bind,
    /// What the binding is for: an application, a route.
    pub resource: BindResource,
    /// The binding to succeed, on a rotation.
    pub predecessor: Option<Predecessor<B>>,
    /// Where on the platform it is to be.
    pub context: Context,
    /// Who asked for it, if the platform says.
    pub origin: Option<Origin>,
}

impl<P: Plan, I, B> NewBinding<P, I, B> {
    /// The binding's id. It may contain any character, so it is no file name.
    pub fn id(&self) -> &str {
        self.binding.as_str()
    }
}

/// A binding that a new one succeeds.
#[derive(Debug)]
#[non_exhaustive]
pub struct Predecessor<B = ()> {
    /// Its id.
    pub binding: BindingId,
    /// What is remembered of it.
    pub state: B,
}

/// A binding to remove, or what a failed bind left of it. See [`Remains`] for what may be missing.
#[non_exhaustive]
pub struct BindingRemains<P: Plan, I, B = ()> {
    /// Whose it is, where several platforms are served: another one may use the same ids.
    pub tenant: Tenant,
    /// The binding's id.
    pub binding: BindingId,
    /// The instance's id.
    pub instance: InstanceId,
    /// What is remembered of the binding.
    pub state: Option<B>,
    /// The same as it was saved, if any was.
    pub raw_state: Option<Saved>,
    /// What is remembered of the instance.
    pub instance_state: Option<I>,
    /// The same as it was saved, if any was.
    pub raw_instance_state: Option<Saved>,
    /// The binding's parameters, unless they no longer decode.
    pub parameters: Option<P::Bind>,
    /// The binding's parameters as they were given.
    pub raw_parameters: Value,
    /// Who asked for the removal, if the platform says.
    pub origin: Option<Origin>,
}

/// Without what is stored raw: nobody knows what of it is secret (T68).
impl<P: Plan<Bind: fmt::Debug>, I: fmt::Debug, B: fmt::Debug> fmt::Debug for BindingRemains<P, I, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BindingRemains")
            .field("binding", &self.binding)
            .field("instance", &self.instance)
            .field("state", &self.state)
            .field("instance_state", &self.instance_state)
            .field("parameters", &self.parameters)
            .field("origin", &self.origin)
            .finish_non_exhaustive()
    }
}

impl<P: Plan, I, B> BindingRemains<P, I, B> {
    /// The binding's id. It may contain any character, so it is no file name.
    pub fn id(&self) -> &str {
        self.binding.as_str()
    }
}
