//! Tools for the tests of a broker: an in-process platform, comparison of the catalog with a golden file, and replay of
//! every handler after an interruption.

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
