//! For the tests of a broker: a platform in the same process, and the catalog held against a file.

mod client;
mod golden;
#[cfg(all(test, feature = "macros"))]
mod tests;

pub use client::{Answer, Client, Given};
pub use golden::assert_catalog;
