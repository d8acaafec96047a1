//! For the tests of a broker: a platform in the same process, the catalog held against a file, and every handler
//! cut and run again.

mod client;
mod compare;
mod cut;
mod golden;
mod replay;
mod samples;
#[doc(hidden)]
#[cfg(feature = "redb")]
pub mod sealing;
#[cfg(all(test, feature = "macros"))]
mod tests;

pub use crate::catalog::lock::assert_locked;
pub use client::{Answer, Client, Given};
pub use golden::assert_catalog;
pub use replay::{Replay, assert_idempotent};
