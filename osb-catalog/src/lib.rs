//! The catalog of a service broker as a constant: the model, the checks across items, its JSON, and the JSON Schemas of
//! parameters, which also validate requests. This crate has no server and does no I/O.
//!
//! Authors of brokers don't depend on it. `osb-runtime` has these items in its modules `catalog`, `schema` and `json`, and its
//! attributes write the constants. This crate alone is for programs that work with catalogs and schemas without serving them.
//!
//! ```
//! use osb_catalog::schema::{Integer, Kind, Parameter, Schema, check, document};
//! use serde_json::json;
//!
//! // The schema of a list of ports: a constant, as in a catalog.
//! const PORTS: Schema = <Vec<u16> as Parameter>::SCHEMA;
//!
//! assert_eq!(
//!     document(&PORTS),
//!     r#"{"$schema":"http://json-schema.org/draft-04/schema#","type":"array","items":{"type":"integer","minimum":0,"maximum":65535}}"#,
//! );
//! assert!(check(&PORTS, &json!([80, 443])).is_empty());
//! assert_eq!(check(&PORTS, &json!([80, 70_000]))[0].pointer, "/1");
//! ```

// The fixture of the tests names `osb_catalog`, even in this crate.
#[cfg(test)]
extern crate self as osb_catalog;

mod catalog;
mod guesses;
pub mod json;
pub mod schema;
pub mod text;
pub mod timestamp;
pub mod uri;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

pub use catalog::{
    Asynchronous, DashboardClient, Decoded, EffectiveCatalog, Hashes, Maintenance, Member, Mode, Offering,
    OfferingJson, Overrides, ParametersInfo, PlanChange, PlanInfo, PlanJson, PlanNames, PlanSpec, Requires, StartError,
    StateInfo, StateTypes,
};
