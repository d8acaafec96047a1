//! For the tests of a broker: a platform in the same process, the catalog held against a file, and every handler
//! cut and run again.

mod client;
mod compare;
mod cut;
mod golden;
mod replay;
mod samples;
pub mod store;
#[cfg(test)]
mod tests;

pub use client::{Answer, Client, Given};
pub use golden::assert_catalog;
pub use osb_docs::lock::assert_locked;
pub use replay::{Replay, assert_idempotent};
