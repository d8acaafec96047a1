//! JSON that is the same whichever features of `serde_json` a program turns on, and objects that are read only when their
//! members matter.

#[doc(inline)]
pub use osb_catalog::json::{Json, LazyObject, Members, from_slice, from_str, json, pointer};
pub(crate) use osb_catalog::json::{MAX_DEPTH, RawObject, Shared, count_values, is_deeper_than, string};
pub use serde_json::Value;

pub(crate) type SharedValue = Shared<Value>;
