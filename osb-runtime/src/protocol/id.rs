//! The identifiers that platforms choose.

use std::{fmt, sync::Arc};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(Arc<str>);

        impl $name {
            /// The identifier as the platform wrote it. It may contain any character, so it is no file name.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text.into())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, f)
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }
    };
}

id! {
    /// A service instance's id: chosen by the platform, globally unique, never empty (PROV-01).
    InstanceId
}

id! {
    /// A service binding's id: chosen by the platform, globally unique, never empty (BIND-02).
    BindingId
}

id! {
    /// The value of `X-Broker-API-Request-Identity`, which correlates the log lines of both sides (HDR-05).
    RequestIdentity
}

/// A platform among several, each with credentials of its own (AUTH-05). It sees only its own instances.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Tenant(Arc<str>);

impl Tenant {
    /// Its name; empty where there is only one platform.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
