//! A broker whose behaviour the requests control, and platforms to send them. It is a separate crate, because the
//! compiler suggests items of all crates that a UI test loads.

pub mod all_parameter_types;
pub mod direct;
pub mod fuzz;
mod handlers;
pub mod lab;
pub mod messages;
mod notes;
pub mod platform;
pub mod prelude;
pub mod previous_release;
pub mod releases;
pub mod requests;
pub mod route_service;
mod wait;
pub mod wire;

pub use notes::Notes;
pub use wait::until;
// For `tests/facade`, whose manifest doesn't name it.
pub use osb_runtime;
