//! The ids that platforms assign.

use std::{fmt, ops::Deref};

use serde::{Deserialize, Serialize};

use crate::json::Shared;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub struct $name(Shared<str>);

        impl $name {
            /// Returns the id as the platform sent it. It may contain any character, so it is not safe as a file name.
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

        super::debug_text!($name, Self(text) => "{:?}", &**text);

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl Deref for $name {
            type Target = str;

            fn deref(&self) -> &str {
                &self.0
            }
        }
    };
}

id! {
    /// The id of a service instance. The platform assigns it; it is globally unique and never empty (PROV-01).
    InstanceId
}

id! {
    /// The id of a service binding. The platform assigns it; it is globally unique and never empty (BIND-02).
    BindingId
}

id! {
    /// The value of `X-Broker-API-Request-Identity`, which correlates the logs of platform and broker (HDR-05).
    RequestIdentity
}
