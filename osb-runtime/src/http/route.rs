//! The endpoints, found on the raw path; only then are its segments decoded (T37).

use http::Method;

use super::refusal::Refusal;
use crate::protocol::{BindingId, InstanceId, path_id};

/// What a request asks for.
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
    /// How it is called in metrics.
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

    /// The identifiers in its path.
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

/// A path's shape, before anything in it was decoded.
#[derive(Debug, Clone, Copy)]
pub(super) enum Route<'a> {
    /// The documentation, which is no part of the API.
    Docs,
    Catalog,
    Instance(&'a str),
    InstanceOperation(&'a str),
    Binding(&'a str, &'a str),
    BindingOperation(&'a str, &'a str),
}

impl<'a> Route<'a> {
    /// The route of a raw path, by the number of its segments: `last_operation` may be an identifier too. Cloud Foundry
    /// sends two slashes in front if the broker's URL ends with one.
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

    /// How it is written in logs and metrics.
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

    /// What a method does here, with the identifiers decoded.
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
