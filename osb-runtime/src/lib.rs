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

pub mod schema {
    //! JSON Schemas of parameters, as constants: for the catalog, the validation of requests, and the documentation.

    #[doc(inline)]
    pub use osb_catalog::schema::{
        Array, Change, Choice, CredentialsSchema, DRAFT_04, Decimal, DecodedParameters, Foreign, ForeignType, Format,
        IMMUTABLE, Integer, Kind, Literal, MAX_BYTES, Map, NoParameters, Number, Object, Parameter, Parameters,
        Pattern, Property, Schema, SchemaProblem, StringRules, Tagged, Text, Variant, Violation, ViolationKind,
        canonical, changed_immutables, check, check_document, decode, decode_as, decode_stored, document, fill_foreign,
        is_immutable, is_multiple, known, lasting, merge, nearest, renamed, schema_problems, with_defaults,
        with_unknown, without_secrets,
    };
    // For generated code. A module that is re-exported as a whole shows also what it hides.
    #[doc(hidden)]
    pub use osb_catalog::schema::*;
}

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
