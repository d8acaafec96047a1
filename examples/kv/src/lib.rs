//! A durable key-value service and its broker, in one program.
//!
//! An instance is a store, which applications reach over HTTP at a separate URL; a binding is a token for it. All data is in
//! one file, `kv.redb`. [`service`] is the broker, [`stores`] the data, and [`data_plane`] the HTTP interface for
//! applications. Only `main.rs` connects the three.
//!
//! The example shows two plans that share their handlers, plan changes, updates, rotation, a dashboard, an asynchronous import,
//! and resources that survive a crash.

pub mod data_plane;
pub mod import;
mod page;
mod requests;
pub mod service;
pub mod stores;

/// Formats bytes as lower-case hexadecimal digits.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
