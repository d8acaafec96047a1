//! What a request is for.

/// What a request is for, as its method and path say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Endpoint {
    /// `GET /v2/catalog`
    Catalog,
    /// `PUT` of an instance
    Provision,
    /// `GET` of an instance
    FetchInstance,
    /// `PATCH` of an instance
    Update,
    /// `DELETE` of an instance
    Deprovision,
    /// `GET` of an instance's `last_operation`
    PollInstance,
    /// `PUT` of a binding
    Bind,
    /// `GET` of a binding
    FetchBinding,
    /// `DELETE` of a binding
    Unbind,
    /// `GET` of a binding's `last_operation`
    PollBinding,
}

use Endpoint::{
    Bind, Catalog, Deprovision, FetchBinding, FetchInstance, PollBinding, PollInstance, Provision, Unbind, Update,
};

impl Endpoint {
    /// The endpoint of a request, behind a prefix or not: `None` if there is none.
    pub fn of(method: &str, path: &str) -> Option<Self> {
        let segments: Vec<_> = path.split('?').next()?.split('/').skip_while(|segment| *segment != "v2").collect();
        Some(match (method, segments.get(1..)?) {
            ("GET", ["catalog"]) => Catalog,
            ("PUT", ["service_instances", _]) => Provision,
            ("GET", ["service_instances", _]) => FetchInstance,
            ("PATCH", ["service_instances", _]) => Update,
            ("DELETE", ["service_instances", _]) => Deprovision,
            ("GET", ["service_instances", _, "last_operation"]) => PollInstance,
            ("PUT", ["service_instances", _, "service_bindings", _]) => Bind,
            ("GET", ["service_instances", _, "service_bindings", _]) => FetchBinding,
            ("DELETE", ["service_instances", _, "service_bindings", _]) => Unbind,
            ("GET", ["service_instances", _, "service_bindings", _, "last_operation"]) => PollBinding,
            _ => return None,
        })
    }

    /// The methods that a path has, in the order of the alphabet.
    pub fn methods(path: &str) -> Vec<&'static str> {
        ["DELETE", "GET", "PATCH", "PUT"].into_iter().filter(|method| Self::of(method, path).is_some()).collect()
    }
}
