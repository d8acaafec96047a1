//! Where records live.
//!
//! An instance and its bindings are one record, read and written whole: whatever decides about one of them sees the
//! others. Decisions are functions from the record to an outcome, without side effects, so that a store can run them
//! again when another writer was faster.

mod memory;
mod record;

pub(crate) use memory::Memory;
pub(crate) use record::{BindingRecord, InstanceRecord, Phase, Wish};
