//! For the tests of a broker: a platform in the same process, and the catalog held against a file.

mod client;
mod golden;

pub use client::{Answer, Client, Given};
pub use golden::assert_catalog;
