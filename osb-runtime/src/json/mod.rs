//! JSON that is the same whichever features of `serde_json` a program turns on, and objects that are read only when their
//! members matter.

mod lazy;
mod raw;
mod shared;

pub use lazy::LazyObject;
pub(crate) use lazy::count_values;
#[doc(inline)]
pub use osb_catalog::json::{Json, Members, from_slice, from_str, json};
pub(crate) use raw::{RawObject, string, with_plain_zeros};
pub(crate) use shared::SharedValue;
