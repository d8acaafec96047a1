//! The data by which platforms identify themselves and their users.

use serde_json::{Value, json};

use super::Call;

/// A kind of platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Platform {
    /// Cloud Foundry, and platforms that behave like it, such as Korifi and SAP BTP.
    #[default]
    CloudFoundry,
    /// Kubernetes, with its service catalog.
    Kubernetes,
}

/// Constant, as a repeated request must be identical.
const ORGANIZATION: &str = "0b5f7c1e-0000-4000-8000-000000000001";
const SPACE: &str = "0b5f7c1e-0000-4000-8000-000000000002";
const APPLICATION: &str = "0b5f7c1e-0000-4000-8000-000000000003";
const USER: &str = "0b5f7c1e-0000-4000-8000-000000000004";

impl Platform {
    /// Returns the platform's name in `context` and in originating identities.
    pub const fn name(self) -> &'static str {
        match self {
            Self::CloudFoundry => "cloudfoundry",
            Self::Kubernetes => "kubernetes",
        }
    }

    /// Returns a user, for [`Client::user`](super::Client::user) (PROF-04).
    pub fn user(self) -> Value {
        match self {
            Self::CloudFoundry => json!({ "user_id": USER }),
            Self::Kubernetes => json!({
                "username": "osb", "uid": USER, "groups": ["system:authenticated"], "extra": {},
            }),
        }
    }

    /// Returns the `context` of an instance (PROF-02, PROF-03).
    pub fn context(self, instance: &str) -> Value {
        let mut context = self.context_of_binding();
        context["instance_name"] = instance.into();
        context
    }

    /// Returns the `context` of a binding, which has no instance name.
    fn context_of_binding(self) -> Value {
        match self {
            Self::CloudFoundry => json!({
                "platform": "cloudfoundry", "organization_guid": ORGANIZATION, "organization_name": "osb",
                "space_guid": SPACE, "space_name": "osb",
            }),
            Self::Kubernetes => json!({ "platform": "kubernetes", "namespace": "osb", "clusterid": ORGANIZATION }),
        }
    }

    /// Adds this platform's fields to the body of a request: context, guids, and the application of a binding (PROF-05).
    pub fn dress(self, call: Call, instance: &str) -> Call {
        let (provision, bind) =
            (call.json().get("organization_guid").is_some(), call.path.contains("/service_bindings/"));
        let call = if bind { call.context(self.context_of_binding()) } else { call.context(self.context(instance)) };
        match self {
            _ if provision => call.field("organization_guid", ORGANIZATION.into()).field("space_guid", SPACE.into()),
            Self::CloudFoundry if bind => call
                .field("app_guid", APPLICATION.into())
                .field("bind_resource", json!({ "app_guid": APPLICATION, "space_guid": SPACE })),
            _ => call,
        }
    }
}

/// Returns a random guid.
pub fn guid() -> String {
    let mut bytes = [0; 16];
    // Without random numbers the ids are equal, which a broker answers with a conflict.
    _ = getrandom::fill(&mut bytes);
    let id: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{}-{}-4{}-8{}-{}", &id[..8], &id[8..12], &id[13..16], &id[17..20], &id[20..])
}
