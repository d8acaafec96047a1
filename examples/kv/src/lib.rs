//! A key-value service that lasts, and its broker, in one program.
//!
//! An instance is a store, reached over HTTP at a URL of its own; a binding is a token for it. Everything is in one file,
//! `kv.redb`. [`service`] is the broker: what there is to be had, and how it is made, changed and removed. [`stores`] is
//! what it works on, and [`data_plane`] how applications reach that. The three meet in `main.rs` only.
//!
//! Shown here: two plans that share their handlers, changes of plan, updates, rotation, a dashboard, a store that is filled
//! in the background, and resources that are found again whenever the process dies.

pub mod data_plane;
pub mod import;
mod page;
mod requests;
pub mod service;
pub mod stores;

/// Bytes as lower-case hexadecimal digits.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
