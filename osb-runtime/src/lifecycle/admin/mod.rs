//! Administration: lists of the records for operators, without secrets (no parameters, credentials or state), and
//! actions on failed instances and bindings.

mod actions;
mod listing;

pub(crate) use self::{actions::AdminAction, listing::listed};
pub use self::{
    actions::{ActionRefused, abandon, cancel},
    listing::{Filter, RecordKind, View},
};
