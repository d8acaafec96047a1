//! JSON that is the same whichever features of `serde_json` a program turns on, and objects that are read only when their
//! members matter.

mod lazy;
mod shared;

pub use lazy::LazyObject;
pub(crate) use lazy::count_values;
#[doc(inline)]
pub use osb_catalog::json::{Json, Members, from_slice, from_str, json};
pub(crate) use osb_catalog::json::{MAX_DEPTH, RawObject, string};
use serde_json::Value;
pub(crate) use shared::Shared;

pub(crate) type SharedValue = Shared<Value>;

/// Returns whether arrays and objects are nested deeper than this.
pub(crate) fn is_deeper_than(depth: usize, value: &Value) -> bool {
    match value {
        Value::Array(items) => depth == 0 || items.iter().any(|item| is_deeper_than(depth - 1, item)),
        Value::Object(members) => depth == 0 || members.values().any(|member| is_deeper_than(depth - 1, member)),
        _ => false,
    }
}
