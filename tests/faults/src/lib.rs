//! What becomes of a broker whose process dies: real processes, loaded over HTTP, killed at any moment, started again, and
//! held against what they said before. `README.md` says how to run it and what was found.

#![allow(clippy::missing_panics_doc, reason = "each panic is a test that fails")]

mod calls;
mod check;
mod client;
pub mod files;
mod http;
pub mod kv;
mod model;
pub mod process;
pub mod random;
pub mod run;
pub mod subject;

pub use self::http::{Answer, Told, ask};
