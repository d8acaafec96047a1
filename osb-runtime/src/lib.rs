//! x

// So that what the macros write works in this crate too.
extern crate self as osb_runtime;

pub mod catalog;
pub mod docs;
pub mod http;
mod lifecycle;
#[cfg(doc)]
pub mod mistakes {
    #![doc = include_str!("mistakes.md")]
}
pub mod prelude;
pub mod protocol;
pub mod schema;
pub mod service;
mod store;
#[cfg(feature = "testing")]
pub mod testing;
#[cfg(feature = "tool")]
mod tool;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

#[cfg(feature = "tool")]
pub use clap;
#[cfg(feature = "tool")]
pub use tool::run;

#[cfg(feature = "macros")]
#[doc = include_str!("macros/broker.md")]
pub use osb_macros::broker;
#[cfg(feature = "macros")]
#[doc = include_str!("macros/plan.md")]
pub use osb_macros::plan;
#[cfg(feature = "macros")]
#[doc = include_str!("macros/service.md")]
pub use osb_macros::service;
#[cfg(feature = "macros")]
pub use osb_macros::{credentials, parameters};
