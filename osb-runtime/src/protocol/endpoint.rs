//! The endpoints of the API, in one table for the server, the client, the documents and the checker.

use super::{Target, uri::cut};

/// An endpoint of the Open Service Broker API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Endpoint {
    /// Fetches the catalog.
    Catalog,
    /// Fetches an instance.
    FetchInstance,
    /// Creates an instance.
    Provision,
    /// Updates an instance.
    Update,
    /// Deletes an instance.
    Deprovision,
    /// Polls the last operation of an instance.
    PollInstance,
    /// Fetches a binding.
    FetchBinding,
    /// Creates a binding.
    Bind,
    /// Deletes a binding.
    Unbind,
    /// Polls the last operation of a binding.
    PollBinding,
}

const CATALOG: &str = "/v2/catalog";
const INSTANCE: &str = "/v2/service_instances/{instance_id}";
const INSTANCE_OPERATION: &str = "/v2/service_instances/{instance_id}/last_operation";
const BINDING: &str = "/v2/service_instances/{instance_id}/service_bindings/{binding_id}";
const BINDING_OPERATION: &str = "/v2/service_instances/{instance_id}/service_bindings/{binding_id}/last_operation";

/// Endpoint, method, path and name.
type Row = (Endpoint, &'static str, &'static str, &'static str);

#[rustfmt::skip]
const TABLE: [Row; 10] = [
    (Endpoint::Catalog,       "GET",    CATALOG,            "catalog"),
    (Endpoint::FetchInstance, "GET",    INSTANCE,           "fetch_instance"),
    (Endpoint::Provision,     "PUT",    INSTANCE,           "provision"),
    (Endpoint::Update,        "PATCH",  INSTANCE,           "update"),
    (Endpoint::Deprovision,   "DELETE", INSTANCE,           "deprovision"),
    (Endpoint::PollInstance,  "GET",    INSTANCE_OPERATION, "poll_instance"),
    (Endpoint::FetchBinding,  "GET",    BINDING,            "fetch_binding"),
    (Endpoint::Bind,          "PUT",    BINDING,            "bind"),
    (Endpoint::Unbind,        "DELETE", BINDING,            "unbind"),
    (Endpoint::PollBinding,   "GET",    BINDING_OPERATION,  "poll_binding"),
];

const _: () = {
    let mut i = 0;
    while i < TABLE.len() {
        assert!(TABLE[i].0 as usize == i, "the rows are in the order of the variants");
        i += 1;
    }
};

impl Endpoint {
    /// Finds the endpoint of a request by its method and raw path, with or without a prefix and a query.
    ///
    /// ```
    /// use osb_runtime::protocol::Endpoint;
    /// assert_eq!(Endpoint::of("PUT", "/prefix/v2/service_instances/i?a=b"), Some(Endpoint::Provision));
    /// ```
    pub fn of(method: &str, path: &str) -> Option<Self> {
        PathMatch::find(without_prefix(path)?)?.endpoint(method)
    }

    /// Returns the methods of a path in alphabetical order; none if the API has no such path.
    pub fn methods(path: &str) -> Vec<&'static str> {
        let mut methods = without_prefix(path).and_then(PathMatch::find).map(PathMatch::methods).unwrap_or_default();
        methods.sort_unstable();
        methods
    }

    /// Returns the HTTP method.
    pub const fn method(self) -> &'static str {
        TABLE[self as usize].1
    }

    /// Returns the path, with `{instance_id}` and `{binding_id}` in the place of ids.
    pub const fn path(self) -> &'static str {
        TABLE[self as usize].2
    }

    /// Returns the name in metrics, such as `fetch_instance`.
    pub const fn name(self) -> &'static str {
        TABLE[self as usize].3
    }

    /// Returns whether requests have a body.
    pub fn has_body(self) -> bool {
        matches!(self.method(), "PUT" | "PATCH")
    }
}

/// Returns the part of a path from `/v2` on.
fn without_prefix(path: &str) -> Option<&str> {
    let path = path.split('?').next()?;
    path.match_indices("/v2/")
        .next()
        .map(|(start, _)| &path[start..])
        .or_else(|| path.starts_with("v2/").then_some(path))
}

/// A raw path that matches the path of an endpoint. Its ids are still percent-encoded (T37).
#[derive(Debug, Clone, Copy)]
pub(crate) struct PathMatch<'a> {
    /// The path of the endpoints.
    pub(crate) pattern: &'static str,
    pub(crate) target: Target<&'a str, &'a str>,
}

impl<'a> PathMatch<'a> {
    /// Matches a raw path. The number of segments decides, because an id may be `last_operation` too. Leading slashes are
    /// ignored: Cloud Foundry sends two if the broker's URL ends with one.
    pub(crate) fn find(path: &'a str) -> Option<Self> {
        let path = path.trim_start_matches('/').strip_prefix("v2/")?;
        let Some(path) = path.strip_prefix("service_instances/") else {
            return (path == "catalog").then_some(Self { pattern: CATALOG, target: Target::Catalog });
        };
        let (instance, rest) = cut(path, b'/');
        let binding = rest.and_then(|rest| rest.strip_prefix("service_bindings/")).map(|rest| cut(rest, b'/'));
        let (pattern, target) = match (rest, binding) {
            (None, _) => (INSTANCE, Target::Instance(instance)),
            (Some("last_operation"), _) => (INSTANCE_OPERATION, Target::Instance(instance)),
            (_, Some((binding, None))) => (BINDING, Target::Binding(instance, binding)),
            (_, Some((binding, Some("last_operation")))) => (BINDING_OPERATION, Target::Binding(instance, binding)),
            _ => return None,
        };
        Some(Self { pattern, target })
    }

    /// Returns the endpoint for a method.
    pub(crate) fn endpoint(self, method: &str) -> Option<Endpoint> {
        self.rows().find(|row| row.1 == method).map(|row| row.0)
    }

    /// Returns the methods of the path.
    pub(crate) fn methods(self) -> Vec<&'static str> {
        self.rows().map(|row| row.1).collect()
    }

    fn rows(self) -> impl Iterator<Item = &'static Row> {
        TABLE.iter().filter(move |row| row.2 == self.pattern)
    }
}
