#![doc = include_str!("lib.md")]

// The code that the macros generate names `osb_runtime`, even in this crate.
extern crate self as osb_runtime;

pub mod catalog {
    //! The catalog as constants: its model, and the overrides of a deployment, which [`Settings`](crate::lifecycle::Settings)
    //! take.

    #[doc(inline)]
    pub use osb_catalog::{
        Asynchronous, DashboardClient, Decoded, EffectiveCatalog, Hashes, Maintenance, Member, Mode, Offering,
        OfferingJson, Overrides, ParametersInfo, PlanChange, PlanInfo, PlanJson, PlanNames, PlanSpec, Requires,
        StartError, StateInfo, StateTypes,
    };
    // Under this path the compiler's warnings name it.
    #[doc(hidden)]
    pub use osb_catalog::__private::Warning;
}
#[cfg(feature = "failpoints")]
pub mod failpoint;
#[cfg(not(feature = "failpoints"))]
mod failpoint;
pub mod http;
pub mod json;
pub mod lifecycle;
#[cfg(doc)]
pub mod mistakes {
    #![doc = include_str!("mistakes.md")]
    #![expect(rustdoc::bare_urls, reason = "they are quoted from messages, which show wrong ones")]
}
pub mod prelude;
pub mod protocol;
pub mod service;
pub mod store;

#[doc(inline)]
pub use osb_catalog::schema;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

#[cfg(feature = "macros")]
#[doc = include_str!("macros/broker.md")]
pub use osb_macros::broker;
#[cfg(feature = "macros")]
#[doc = include_str!("macros/credentials.md")]
pub use osb_macros::credentials;
#[cfg(feature = "macros")]
#[doc = include_str!("macros/parameters.md")]
pub use osb_macros::parameters;
#[cfg(feature = "macros")]
#[doc = include_str!("macros/plan.md")]
pub use osb_macros::plan;
#[cfg(feature = "macros")]
#[doc = include_str!("macros/service.md")]
pub use osb_macros::service;
