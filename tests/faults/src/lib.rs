//! Fault injection with real processes: brokers under load over HTTP are killed at any moment, restarted, and checked against
//! their earlier responses. `README.md` explains how to run it, and lists findings.

#![allow(clippy::missing_panics_doc, reason = "each panic is a test that fails")]

mod balancer;
mod calls;
mod check;
mod client;
pub mod faults;
pub mod files;
mod history;
mod http;
pub mod kv;
mod model;
pub mod process;
mod race;
pub mod replicas;
pub mod run;
pub mod subject;
pub mod upgrade;

pub use self::http::{Answer, Reply, ask};
pub use osb_tests::random;
