//! The `context` object: the location of a resource on its platform.

use std::{fmt, ops::Deref, sync::OnceLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Names, debug_text};
use crate::json::{LazyObject, RawObject};

/// The location of an instance or binding on its platform (profile, "Context Object").
///
/// Names and annotations can change; Cloud Foundry's GUIDs can't.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum Context {
    /// `platform` is `cloudfoundry`.
    CloudFoundry(CloudFoundry),
    /// `platform` is `kubernetes`.
    Kubernetes(Kubernetes),
    /// Another platform, or no `platform` field.
    Other {
        /// The platform's name, if there is one.
        platform: Option<String>,
        /// The complete object.
        fields: LazyObject,
    },
}

/// A location on Cloud Foundry, with the fields of the profile (PROF-02).
#[derive(Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct CloudFoundry {
    /// The organization.
    pub organization_guid: String,
    /// The organization's name; since 2.15.
    pub organization_name: Option<String>,
    /// The space.
    pub space_guid: String,
    /// The space's name; since 2.15.
    pub space_name: Option<String>,
    /// The instance's name; since 2.15, and not in the context of a binding.
    pub instance_name: Option<String>,
    /// The complete object, annotations included.
    pub fields: LazyObject,
}

/// A location on Kubernetes, with the fields of the profile (PROF-03).
#[derive(Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Kubernetes {
    /// The namespace.
    pub namespace: String,
    /// The cluster; since 2.14.
    pub clusterid: Option<String>,
    /// The instance's name; since 2.15, and not in the context of a binding.
    pub instance_name: Option<String>,
    /// The complete object, annotations included.
    pub fields: LazyObject,
}

/// Prints the names of the fields, without their values.
impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CloudFoundry(place) => place.fmt(f),
            Self::Kubernetes(place) => place.fmt(f),
            Self::Other { fields, .. } => f.debug_tuple("Other").field(&Names(fields)).finish(),
        }
    }
}

debug_text!(CloudFoundry, place => "CloudFoundry({:?})", Names(&place.fields));
debug_text!(Kubernetes, place => "Kubernetes({:?})", Names(&place.fields));

impl Context {
    /// Parses a context object. Fields of the wrong type count as absent, because no field is mandatory.
    pub fn from_fields(fields: impl Into<LazyObject>) -> Self {
        let fields = fields.into();
        let object = RawObject::read_str(fields.as_text());
        let string = |name| object.as_ref()?.string(name);
        match string("platform").as_deref() {
            Some("cloudfoundry") => Self::CloudFoundry(CloudFoundry {
                organization_guid: string("organization_guid").unwrap_or_default(),
                organization_name: string("organization_name"),
                space_guid: string("space_guid").unwrap_or_default(),
                space_name: string("space_name"),
                instance_name: string("instance_name"),
                fields: fields.clone(),
            }),
            Some("kubernetes") => Self::Kubernetes(Kubernetes {
                namespace: string("namespace").unwrap_or_default(),
                clusterid: string("clusterid"),
                instance_name: string("instance_name"),
                fields: fields.clone(),
            }),
            platform => Self::Other { platform: platform.map(str::to_owned), fields: fields.clone() },
        }
    }

    /// Returns the complete object.
    pub fn fields(&self) -> &LazyObject {
        match self {
            Self::CloudFoundry(place) => &place.fields,
            Self::Kubernetes(place) => &place.fields,
            Self::Other { fields, .. } => fields,
        }
    }

    /// Returns the location on Cloud Foundry, if it is one.
    ///
    /// ```
    /// # fn example(context: osb_runtime::protocol::Context) -> Option<String> {
    /// let space = &context.cloud_foundry()?.space_guid;
    /// # Some(space.clone()) }
    /// ```
    pub fn cloud_foundry(&self) -> Option<&CloudFoundry> {
        if let Self::CloudFoundry(place) = self { Some(place) } else { None }
    }

    /// Returns the location on Kubernetes, if it is one.
    pub fn kubernetes(&self) -> Option<&Kubernetes> {
        if let Self::Kubernetes(place) = self { Some(place) } else { None }
    }

    /// Returns the platform's name, if there is one.
    pub fn platform(&self) -> Option<&str> {
        match self {
            Self::CloudFoundry(_) => Some("cloudfoundry"),
            Self::Kubernetes(_) => Some("kubernetes"),
            Self::Other { platform, .. } => platform.as_deref(),
        }
    }
}

impl Default for Context {
    fn default() -> Self {
        Self::Other { platform: None, fields: LazyObject::default() }
    }
}

/// Serializes the complete object.
impl Serialize for Context {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self.fields()).serialize(serializer)
    }
}

/// The [`Context`] of a request, which is read when a handler asks for it: `request.context.cloud_foundry()`, or
/// `match &*request.context`.
#[derive(Clone, Default)]
pub struct LazyContext {
    fields: LazyObject,
    context: OnceLock<Box<Context>>,
}

impl From<LazyObject> for LazyContext {
    fn from(fields: LazyObject) -> Self {
        Self { fields, context: OnceLock::new() }
    }
}

impl Deref for LazyContext {
    type Target = Context;

    fn deref(&self) -> &Context {
        self.context.get_or_init(|| Context::from_fields(self.fields.clone()).into())
    }
}

debug_text!(LazyContext, context => "{:?}", **context);

/// Reads an object or its text. See [`from_fields`](Context::from_fields).
impl<'de> Deserialize<'de> for Context {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        LazyObject::deserialize(deserializer).map(Self::from_fields)
    }
}
