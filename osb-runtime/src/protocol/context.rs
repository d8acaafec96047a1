//! `context`: where on the platform something happens.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

/// What a platform says about the place of an instance or a binding (profile, "Context Object").
///
/// Names and annotations can change; the guids of Cloud Foundry can't.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Context {
    /// `platform` is `cloudfoundry`.
    CloudFoundry(CloudFoundry),
    /// `platform` is `kubernetes`.
    Kubernetes(Kubernetes),
    /// Another platform, or none said.
    Other {
        /// Its name, if given.
        platform: Option<String>,
        /// Everything that was sent.
        fields: Map<String, Value>,
    },
}

/// Where on Cloud Foundry: what the profile defines for it (PROF-02).
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct CloudFoundry {
    /// The organisation.
    pub organization_guid: String,
    /// Its name; since 2.15.
    pub organization_name: Option<String>,
    /// The space.
    pub space_guid: String,
    /// Its name; since 2.15.
    pub space_name: Option<String>,
    /// The instance's name; since 2.15, and not in the context of a binding.
    pub instance_name: Option<String>,
    /// Everything that was sent, annotations included.
    pub fields: Map<String, Value>,
}

/// Where on Kubernetes: what the profile defines for it (PROF-03).
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Kubernetes {
    /// The namespace.
    pub namespace: String,
    /// The cluster; since 2.14.
    pub clusterid: Option<String>,
    /// The instance's name; since 2.15, and not in the context of a binding.
    pub instance_name: Option<String>,
    /// Everything that was sent, annotations included.
    pub fields: Map<String, Value>,
}

impl Context {
    /// Reads a context object. A field of the wrong type counts as absent: it is the platform's to say, and nothing
    /// here is mandatory.
    #[must_use]
    pub fn from_fields(fields: Map<String, Value>) -> Self {
        let text = |name: &str| fields.get(name).and_then(Value::as_str).map(str::to_owned);
        match text("platform").as_deref() {
            Some("cloudfoundry") => Self::CloudFoundry(CloudFoundry {
                organization_guid: text("organization_guid").unwrap_or_default(),
                organization_name: text("organization_name"),
                space_guid: text("space_guid").unwrap_or_default(),
                space_name: text("space_name"),
                instance_name: text("instance_name"),
                fields,
            }),
            Some("kubernetes") => Self::Kubernetes(Kubernetes {
                namespace: text("namespace").unwrap_or_default(),
                clusterid: text("clusterid"),
                instance_name: text("instance_name"),
                fields,
            }),
            platform => Self::Other { platform: platform.map(str::to_owned), fields },
        }
    }

    /// Everything that was sent.
    #[must_use]
    pub fn fields(&self) -> &Map<String, Value> {
        match self {
            Self::CloudFoundry(place) => &place.fields,
            Self::Kubernetes(place) => &place.fields,
            Self::Other { fields, .. } => fields,
        }
    }

    /// The platform's name, if it gave one.
    #[must_use]
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
        Self::Other { platform: None, fields: Map::new() }
    }
}

/// As it was sent.
impl Serialize for Context {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.fields().serialize(serializer)
    }
}

/// See [`from_fields`](Context::from_fields).
impl<'de> Deserialize<'de> for Context {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Map::deserialize(deserializer).map(Self::from_fields)
    }
}
