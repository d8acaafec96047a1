//! A broker that does as it is told, and a platform to tell it. A crate of its own, because the compiler looks for
//! things to suggest in every crate that a test of its messages loads.

pub mod bodies;
pub mod crossing;
pub mod direct;
pub mod every;
pub mod fuzz;
pub mod lab;
pub mod messages;
pub mod platform;
pub mod promises;
pub mod releases;
pub mod requests;
pub mod wire;
pub mod yesterday;
