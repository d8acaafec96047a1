//! Tools for the tests of a broker and of a store.
//!
//! | tool | tests |
//! | --- | --- |
//! | [`Client`] | the broker's responses to a platform, without a socket |
//! | [`Replay`], [`assert_idempotent`] | that each handler survives an interruption at every checkpoint and `.await` |
//! | [`assert_catalog`] | that the catalog equals that in a golden file |
//! | [`assert_locked`] | that the catalog has no breaking change |
//! | [`assert_states_decode`] | that the types decode the states and parameters that a release stored |
//! | [`Process`] | the program as a process: its messages, its signals, and its records after a kill |
//! | [`store::suite`] | that a [`Store`](osb_runtime::store::Store) keeps its promises |
//!
//! ```
//! use osb_testing::Client;
//! # use osb_runtime::service::Broker;
//!
//! # async fn example<Kv: Broker>(kv: Kv) {
//! let platform = Client::new(kv).await;
//! let created = platform.provision("store", "kv", "free", serde_json::json!({ "ttl": 60 })).await;
//! assert_eq!(created.status, 201, "{created:?}");
//! assert_eq!(platform.deprovision("store").await.status, 200);
//! # }
//! ```

mod client;
mod compare;
mod golden;
mod guesses;
mod interrupter;
mod process;
mod replay;
mod samples;
mod states;
pub mod store;
#[cfg(test)]
mod tests;

pub use client::{Answer, Client, Given, IntoGiven, Pending};
pub use golden::assert_catalog;
pub use osb_docs::lock::assert_locked;
pub use process::{IntoCommand, Process};
pub use replay::{BrokerClosure, ListResources, MakeBroker, Replay, ResourceNames, assert_idempotent};
pub use states::{HasRecords, assert_states_decode, assert_states_decode_with, save_states};
