//! The router. It matches the raw path, and percent-decodes the segments only after that (T37).

use http::Method;

use super::refusal::Refusal;
use crate::protocol::{BindingId, InstanceId, path_id};

/// An operation of the API, with the ids from the path.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Endpoint {
    Catalog,
    FetchInstance(InstanceId),
    Provision(InstanceId),
    Update(InstanceId),
    Deprovision(InstanceId),
    FetchBinding(InstanceId, BindingId),
    Bind(InstanceId, BindingId),
    Unbind(InstanceId, BindingId),
    PollInstance(InstanceId),
    PollBinding(InstanceId, BindingId),
}

impl Endpoint {
    /// Returns the name for metrics.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Catalog => "catalog",
            Self::FetchInstance(_) => "fetch_instance",
            Self::Provision(_) => "provision",
            Self::Update(_) => "update",
            Self::Deprovision(_) => "deprovision",
            Self::FetchBinding(..) => "fetch_binding",
            Self::Bind(..) => "bind",
            Self::Unbind(..) => "unbind",
            Self::PollInstance(_) => "poll_instance",
            Self::PollBinding(..) => "poll_binding",
        }
    }

    /// Returns the ids from the path.
    pub(super) fn ids(&self) -> (Option<&InstanceId>, Option<&BindingId>) {
        match self {
            Self::Catalog => (None, None),
            Self::FetchInstance(instance)
            | Self::Provision(instance)
            | Self::Update(instance)
            | Self::Deprovision(instance)
            | Self::PollInstance(instance) => (Some(instance), None),
            Self::FetchBinding(instance, binding)
            | Self::Bind(instance, binding)
            | Self::Unbind(instance, binding)
            | Self::PollBinding(instance, binding) => (Some(instance), Some(binding)),
        }
    }
}

/// A matched path whose segments are still percent-encoded.
#[derive(Debug, Clone, Copy)]
pub(super) enum Route<'a> {
    /// The documentation page, which is not part of the API.
    Docs,
    Catalog,
    Instance(&'a str),
    InstanceOperation(&'a str),
    Binding(&'a str, &'a str),
    BindingOperation(&'a str, &'a str),
}

impl<'a> Route<'a> {
    /// Finds the route of a raw path. The number of segments decides, because an id may be `last_operation` too.
    /// Leading slashes are ignored: Cloud Foundry sends two if the broker's URL ends with one.
    pub(super) fn find(path: &'a str) -> Option<Self> {
        let mut segments = path.trim_start_matches('/').splitn(7, '/');
        match [(); 7].map(|()| segments.next()) {
            [Some("docs"), None, ..] | [Some("docs"), Some(""), None, ..] => Some(Self::Docs),
            [Some("v2"), Some("catalog"), None, ..] => Some(Self::Catalog),
            [Some("v2"), Some("service_instances"), Some(instance), None, ..] => Some(Self::Instance(instance)),
            [Some("v2"), Some("service_instances"), Some(instance), Some("last_operation"), None, ..] => {
                Some(Self::InstanceOperation(instance))
            }
            [
                Some("v2"),
                Some("service_instances"),
                Some(instance),
                Some("service_bindings"),
                Some(binding),
                more,
                None,
            ] => match more {
                None => Some(Self::Binding(instance, binding)),
                Some("last_operation") => Some(Self::BindingOperation(instance, binding)),
                Some(_) => None,
            },
            _ => None,
        }
    }

    /// Returns the pattern for the access log.
    pub(super) fn pattern(self) -> &'static str {
        match self {
            Self::Docs => "/docs",
            Self::Catalog => "/v2/catalog",
            Self::Instance(_) => "/v2/service_instances/{instance_id}",
            Self::InstanceOperation(_) => "/v2/service_instances/{instance_id}/last_operation",
            Self::Binding(..) => "/v2/service_instances/{instance_id}/service_bindings/{binding_id}",
            Self::BindingOperation(..) => {
                "/v2/service_instances/{instance_id}/service_bindings/{binding_id}/last_operation"
            }
        }
    }

    /// Returns the endpoint for a method, with the ids decoded.
    pub(super) fn endpoint(self, method: &Method) -> Result<Endpoint, Refusal> {
        match self {
            Self::Docs => Err(Refusal::NotFound),
            Self::Catalog => match *method {
                Method::GET => Ok(Endpoint::Catalog),
                _ => Err(Refusal::Method("GET")),
            },
            Self::Instance(instance) => {
                let endpoint = match *method {
                    Method::GET => Endpoint::FetchInstance,
                    Method::PUT => Endpoint::Provision,
                    Method::PATCH => Endpoint::Update,
                    Method::DELETE => Endpoint::Deprovision,
                    _ => return Err(Refusal::Method("GET, PUT, PATCH, DELETE")),
                };
                Ok(endpoint(path_id(instance, "instance id")?))
            }
            Self::InstanceOperation(instance) => match *method {
                Method::GET => Ok(Endpoint::PollInstance(path_id(instance, "instance id")?)),
                _ => Err(Refusal::Method("GET")),
            },
            Self::Binding(instance, binding) => {
                let endpoint = match *method {
                    Method::GET => Endpoint::FetchBinding,
                    Method::PUT => Endpoint::Bind,
                    Method::DELETE => Endpoint::Unbind,
                    _ => return Err(Refusal::Method("GET, PUT, DELETE")),
                };
                Ok(endpoint(path_id(instance, "instance id")?, path_id(binding, "binding id")?))
            }
            Self::BindingOperation(instance, binding) => match *method {
                Method::GET => {
                    Ok(Endpoint::PollBinding(path_id(instance, "instance id")?, path_id(binding, "binding id")?))
                }
                _ => Err(Refusal::Method("GET")),
            },
        }
    }
}
