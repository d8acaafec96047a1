//! The router. It matches the raw path, and percent-decodes the ids only after that (T37).

use http::Method;

use super::refusal::Refusal;
use crate::protocol::{Endpoint, PathMatch, Target, path_id};

/// A matched path.
#[derive(Debug, Clone, Copy)]
pub(super) enum Route<'a> {
    /// The documentation page, which is not part of the API.
    Docs,
    Api(PathMatch<'a>),
}

impl<'a> Route<'a> {
    pub(super) fn find(path: &'a str) -> Option<Self> {
        match path.trim_start_matches('/') {
            "docs" | "docs/" => Some(Self::Docs),
            path => PathMatch::find(path).map(Self::Api),
        }
    }

    /// Returns the pattern for the access log.
    pub(super) fn pattern(self) -> &'static str {
        match self {
            Self::Docs => "/docs",
            Self::Api(path) => path.pattern,
        }
    }

    /// Returns the endpoint for a method, and its target with decoded ids.
    pub(super) fn endpoint(self, method: &Method) -> Result<(Endpoint, Target), Refusal> {
        let Self::Api(path) = self else { return Err(Refusal::NotFound) };
        let endpoint = path.endpoint(method.as_str()).ok_or_else(|| Refusal::Method(path.methods().join(", ")))?;
        let target = match path.target {
            Target::Catalog => Target::Catalog,
            Target::Instance(instance) => Target::Instance(path_id(instance, "instance id")?),
            Target::Binding(instance, binding) => {
                Target::Binding(path_id(instance, "instance id")?, path_id(binding, "binding id")?)
            }
        };
        Ok((endpoint, target))
    }
}
